#include "nodes/device_driver.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "nodes/device_objects.hpp"
#include "nodes/node_objects.hpp"
#include "nodes/reflector.hpp"
#include "nodes/storage_objects.hpp"

namespace davit::sandbox {
namespace {

constexpr Duration kPublishRetry = std::chrono::milliseconds(500);
constexpr int kPublishDoublingsMax = 6;  // 32 s.
constexpr char kClassKey[] = "";

}  // namespace

DeviceDriver::DeviceDriver(Seams seams, const DeviceView& view, int per_node, Take take)
    : seams_(std::move(seams)), view_(view), per_node_(per_node), take_(std::move(take)) {}

void DeviceDriver::node_changed(const Json& node) {
  const std::string& name = node.text_at({"metadata", "name"});
  if (!power_of(node)) return node_removed(name);  // Somebody else's.
  Work& work = nodes_[name];
  const Json& before = work.node.get("metadata");
  const Json& now = node.get("metadata");
  const bool same =
      before.get("uid") == now.get("uid") && before.get("annotations") == now.get("annotations");
  if (same) return;  // Heartbeats change nothing here.
  if (before.get("uid") != now.get("uid")) work.written.clear();
  work.node = Json::object({{"metadata", now}});
  work.node["metadata"].erase("managedFields");
  look_at(name);
}

void DeviceDriver::node_removed(const std::string& name) {
  nodes_.erase(name);
  due_.drop(name);
}

void DeviceDriver::slice_changed(const Json& slice) {
  if (slice.text_at({"spec", "driver"}) == kDeviceDriver)
    look_at(slice.text_at({"spec", "nodeName"}));
}

void DeviceDriver::look_at(const std::string& node) {
  const auto found = nodes_.find(node);
  if (!begun_ || found == nodes_.end()) return;
  due_.set(node, std::max(seams_.clock.now(), found->second.not_before));
}

void DeviceDriver::begin() {
  begun_ = true;
  for (const auto& [name, work] : nodes_) look_at(name);
  due_.set(kClassKey, seams_.clock.now());
}

Time DeviceDriver::step() {
  const Time now = seams_.clock.now();
  while (const std::optional<std::string> name = due_.take(now)) {
    if (*name == kClassKey) {
      create_class();
      continue;
    }
    const auto found = nodes_.find(*name);
    if (found != nodes_.end()) consider(*name, found->second);
  }
  return due_.next();
}

void DeviceDriver::create_class() {
  // One that is deleted later stays so.
  if (view_.find(DeviceKind::kClass, kDefaultDeviceClass) != nullptr) return;
  seams_.api.send(
      {"POST", device_collection(DeviceKind::kClass), to_text(device_class()), "application/json"},
      [this](const ApiResponse& response) {
        if (response.ok() || response.is_conflict()) return;
        due_.set(kClassKey, seams_.clock.now() + std::max(kPublishRetry, response.retry_after));
      });
}

void DeviceDriver::consider(const std::string& name, Work& work) {
  if (work.writing) return;  // The response brings us back here.
  const Result<NodeDevices> devices =
      devices_of_node(work.node, per_node_, seams_.clock.wall_now());
  if (!devices) return report(work, devices.error().message());
  std::string slice;
  std::optional<ApiCall> call = next_write(work, *devices, slice);
  if (!call) return;
  work.writing = true;
  const std::string body = call->body;
  seams_.api.send(std::move(*call), [this, name, slice, body](const ApiResponse& response) {
    written(name, slice, body, response);
  });
}

std::optional<ApiCall> DeviceDriver::next_write(Work& work, const NodeDevices& devices,
                                                std::string& slice) const {
  const std::string& node = work.node.text_at({"metadata", "name"});
  std::vector<const Json*> existing;
  for (const Json* each : view_.slices_for(node)) {
    if (each->text_at({"spec", "driver"}) == kDeviceDriver &&
        each->text_at({"spec", "nodeName"}) == node) {
      existing.push_back(each);
    }
  }
  std::set<std::string> wanted;
  for (Json& each : device_slices(work.node, devices, existing)) {
    slice = each.text_at({"metadata", "name"});
    wanted.insert(slice);
    const Json* const known = view_.find(DeviceKind::kSlice, slice);
    if (known == nullptr) {
      return ApiCall{"POST", device_collection(DeviceKind::kSlice), to_text(each),
                     "application/json"};
    }
    if (known->get("spec") == each.get("spec")) continue;
    const auto memory = work.written.find(slice);
    if (memory != work.written.end() && memory->second.second == version_of(*known) &&
        memory->second.first == to_text(each.get("spec"))) {
      continue;
    }
    each["metadata"].set("uid", known->get("metadata").get("uid"));
    each["metadata"].set("resourceVersion", known->get("metadata").get("resourceVersion"));
    return ApiCall{"PUT", device_target(DeviceKind::kSlice, slice), to_text(each),
                   "application/json"};
  }
  for (const Json* each : existing) {
    slice = each->text_at({"metadata", "name"});
    if (wanted.contains(slice)) continue;
    return ApiCall{"DELETE", device_target(DeviceKind::kSlice, slice), "", "application/json"};
  }
  return std::nullopt;
}

void DeviceDriver::written(const std::string& name, const std::string& slice,
                           const std::string& body, const ApiResponse& response) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  Work& work = found->second;
  work.writing = false;
  const Time now = seams_.clock.now();
  if (response.ok()) {
    work.failures = 0;
    work.not_before = now;
    work.reported.clear();
    Result<Json> object = parse_json(response.body);
    const Result<Json> sent = parse_json(body);
    if (object && sent) {
      work.written[slice] = {to_text(sent->get("spec")), version_of(*object)};
      if (take_(std::move(*object))) return due_.set(name, now);
    }
    return due_.set(name, now + kPublishRetry);  // Unless the watch reports the change earlier.
  }
  if (response.is_conflict() || response.is_missing()) return due_.set(name, now + kPublishRetry);
  const Duration pause = kPublishRetry * (1 << std::min(work.failures, kPublishDoublingsMax));
  ++work.failures;
  work.not_before = now + std::max(pause, response.retry_after);
  due_.set(name, work.not_before);
  if (!response.may_pass()) report(work, response.text());
}

void DeviceDriver::report(Work& work, const std::string& message) {
  if (std::exchange(work.reported, message) == message) return;
  const std::string& name = work.node.text_at({"metadata", "name"});
  seams_.log.info(0, "Cannot publish devices", {{"node", name}, {"err", message}});
  const StorageEvent event{kDeviceDriver, "Warning", "InvalidDevices", message};
  seams_.api.send(
      {"POST", event_target(work.node),
       to_text(event_body("Node", work.node, event, seams_.clock.wall_now())), "application/json"},
      [](const ApiResponse&) {});  // Events are for people; a lost one is no harm.
}

}  // namespace davit::sandbox
