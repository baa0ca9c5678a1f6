#include "nodes/device_objects.hpp"

#include <algorithm>
#include <charconv>
#include <davit/kube/time.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "nodes/device_view.hpp"
#include "nodes/storage_view.hpp"

namespace davit::sandbox {
namespace {

/// The devices of a node that says only how many it has: two of each kind to tell apart.
Json default_device(std::size_t index) {
  const bool is_large = index % 2 == 1;
  const auto number = static_cast<std::int64_t>(index);
  const Json attributes =
      Json::object({{"type", Json::object({{"string", "gpu"}})},
                    {"model", Json::object({{"string", is_large ? "large" : "small"}})},
                    {"index", Json::object({{"int", number}})},
                    {"numa", Json::object({{"int", number / 2}})},
                    {"driverVersion", Json::object({{"version", "1.0.0"}})}});
  const Json memory = Json::object({{"value", is_large ? "80Gi" : "40Gi"}});
  return Json::object({{"name", "gpu-" + std::to_string(index)},
                       {"attributes", attributes},
                       {"capacity", Json::object({{"memory", memory}})}});
}

/// The names of an annotation's list.
std::set<std::string> names_of(const std::string& list) {
  std::set<std::string> out;
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    std::string_view name = rest.substr(0, end);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!name.empty()) out.emplace(name);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

Result<Json::Items> read_devices(const std::string& text) {
  const auto refuse = [&text] {
    return Status(Code::kInvalid, std::string("annotation ") + annotation::kDevices +
                                      " must be a number up to " + std::to_string(kDevicesPerNode) +
                                      ", or a list of devices with names, not " + text);
  };
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && end == text.data() + text.size()) {
    if (count > kDevicesPerNode) return refuse();
    Json::Items out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(default_device(i));
    return out;
  }
  Result<Json> list = parse_json(text);
  if (!list || !list->is_array() || list->size() > kDevicesPerNode) return refuse();
  for (const Json& each : list->items()) {
    if (!each.is_object() || each.get("name").text().empty()) return refuse();
  }
  return Json::Items(list->items());
}

Result<Json::Items> read_counters(const std::string& text) {
  if (text.empty()) return Json::Items();
  const Result<Json> list = parse_json(text);
  const bool is_list = list && list->is_array() &&
                       std::all_of(list->items().begin(), list->items().end(),
                                   [](const Json& each) { return each.is_object(); });
  if (is_list) return Json::Items(list->items());
  return Status(Code::kInvalid, std::string("annotation ") + annotation::kSharedCounters +
                                    " must be a list of counter sets, not " + text);
}

/// The generation of a pool with `count` slices: a new one if the newest has more or fewer.
std::int64_t next_generation(const std::vector<const Json*>& existing, std::size_t count) {
  std::int64_t newest = 0;
  std::int64_t slices = 0;
  for (const Json* each : existing) {
    if (pool_generation(*each) <= newest) continue;
    newest = pool_generation(*each);
    const Json* const declared = each->at({"spec", "pool", "resourceSliceCount"});
    slices = declared == nullptr ? 0 : declared->integer_or(0);
  }
  const bool same = slices == static_cast<std::int64_t>(count);
  return newest == 0 || same ? std::max<std::int64_t>(newest, 1) : newest + 1;
}

/// A slice of the node's pool, without contents.
Json slice_of(const Json& node, const std::string& suffix, std::int64_t generation,
              std::size_t count) {
  const std::string& name = node.text_at({"metadata", "name"});
  const Json owner = Json::object({{"apiVersion", "v1"},
                                   {"kind", "Node"},
                                   {"name", name},
                                   {"uid", node.get("metadata").get("uid")},
                                   {"controller", true}});
  const Json pool = Json::object({{"name", name},
                                  {"generation", generation},
                                  {"resourceSliceCount", static_cast<std::int64_t>(count)}});
  return Json::object(
      {{"apiVersion", "resource.k8s.io/v1"},
       {"kind", "ResourceSlice"},
       {"metadata", Json::object({{"name", name + "-" + kDeviceDriver + "-" + suffix},
                                  {"ownerReferences", Json::array({owner})}})},
       {"spec", Json::object({{"driver", kDeviceDriver}, {"pool", pool}, {"nodeName", name}})}});
}

/// The time since when the device has had the taint.
const Json* known_time(const std::vector<const Json*>& existing, const Json& device,
                       const Json& taint) {
  for (const Json* slice : existing) {
    for (const Json& each : slice->get("spec").get("devices").items()) {
      if (each.get("name") != device.get("name")) continue;
      for (const Json& known : each.get("taints").items()) {
        if (known.get("key") == taint.get("key") && known.get("effect") == taint.get("effect") &&
            known.get("value").text() == taint.get("value").text()) {
          return known.find("timeAdded");
        }
      }
    }
  }
  return nullptr;
}

}  // namespace

Json device_class() {
  const Json expression =
      Json::object({{"expression", "device.driver == \"" + std::string(kDeviceDriver) + "\""}});
  return Json::object(
      {{"apiVersion", "resource.k8s.io/v1"},
       {"kind", "DeviceClass"},
       {"metadata", Json::object({{"name", kDefaultDeviceClass}})},
       {"spec",
        Json::object({{"selectors", Json::array({Json::object({{"cel", expression}})})}})}});
}

Result<NodeDevices> devices_of_node(const Json& node, int count, WallTime now) {
  const std::string& text = annotation_of(node, annotation::kDevices);
  Result<Json::Items> devices = read_devices(text.empty() ? std::to_string(count) : text);
  if (!devices) return devices.error();
  Result<Json::Items> counters = read_counters(annotation_of(node, annotation::kSharedCounters));
  if (!counters) return counters.error();
  const std::set<std::string> withdrawn =
      names_of(annotation_of(node, annotation::kWithdrawnDevices));
  for (Json& each : *devices) {
    Json taints = each.get("taints");
    for (Json& taint : taints.make_array()) {
      if (!taint.contains("timeAdded")) taint.set("timeAdded", format_time(now));
    }
    if (withdrawn.contains("*") || withdrawn.contains(each.get("name").text())) {
      taints.push_back(Json::object(
          {{"key", kWithdrawnTaint}, {"effect", "NoExecute"}, {"timeAdded", format_time(now)}}));
    }
    if (taints.size() > 0) each.set("taints", std::move(taints));
  }
  return NodeDevices{std::move(*devices), std::move(*counters)};
}

std::vector<Json> device_slices(const Json& node, const NodeDevices& pool,
                                const std::vector<const Json*>& existing) {
  std::vector<Json> out;
  const Json::Items& devices = pool.devices;
  if (devices.empty()) return out;
  const std::size_t with_devices = (devices.size() + kDevicesPerSlice - 1) / kDevicesPerSlice;
  const std::size_t count = with_devices + (pool.counters.empty() ? 0 : 1);
  const std::int64_t generation = next_generation(existing, count);
  const auto add = [&](const std::string& suffix, const char* member, Json values) {
    out.push_back(slice_of(node, suffix, generation, count));
    out.back()["spec"].set(member, std::move(values));
  };
  for (std::size_t i = 0; i < with_devices; ++i) {
    Json of_slice = Json::array();
    const std::size_t end = std::min(devices.size(), (i + 1) * kDevicesPerSlice);
    for (std::size_t device = i * kDevicesPerSlice; device < end; ++device) {
      Json each = devices[device];
      if (Json* taints = each.find("taints")) {
        for (Json& taint : taints->make_array()) {
          const Json* const time = known_time(existing, each, taint);
          if (time != nullptr) taint.set("timeAdded", *time);
        }
      }
      of_slice.push_back(std::move(each));
    }
    add(std::to_string(i), "devices", std::move(of_slice));
  }
  if (!pool.counters.empty()) add("counters", "sharedCounters", Json(pool.counters));
  return out;
}

Json prepared_devices(const Json& claim, WallTime now) {
  const Json& status = claim.get("status");
  Json devices = status.get("devices");
  Json::Items& all = devices.make_array();
  const std::size_t before = all.size();
  for (const Json& each : status.get("allocation").get("devices").get("results").items()) {
    if (each.get("driver").text() != kDeviceDriver) continue;
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const Json& other) {
      return other.get("driver") == each.get("driver") && other.get("pool") == each.get("pool") &&
             other.get("device") == each.get("device") &&
             other.get("shareID") == each.get("shareID");
    });
    if (is_known) continue;
    const Json condition = Json::object({{"type", "Ready"},
                                         {"status", "True"},
                                         {"reason", "Prepared"},
                                         {"message", "The simulated node has the device."},
                                         {"lastTransitionTime", format_time(now)}});
    Json report = Json::object({{"driver", kDeviceDriver},
                                {"pool", each.get("pool")},
                                {"device", each.get("device")},
                                {"conditions", Json::array({condition})}});
    if (each.contains("shareID")) report.set("shareID", each.get("shareID"));
    all.push_back(std::move(report));
  }
  if (all.size() == before) return {};
  const Json& metadata = claim.get("metadata");
  return Json::object(
      {{"metadata", Json::object({{"uid", metadata.get("uid")},
                                  {"resourceVersion", metadata.get("resourceVersion")}})},
       {"status", Json::object({{"devices", std::move(devices)}})}});
}

}  // namespace davit::sandbox
