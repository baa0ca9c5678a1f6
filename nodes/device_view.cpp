#include "nodes/device_view.hpp"

#include <utility>

#include "nodes/reflector.hpp"
#include "nodes/storage_view.hpp"

namespace davit::sandbox {
namespace {

constexpr char kGroupPath[] = "/apis/resource.k8s.io/v1/";
constexpr char kRulePath[] = "/apis/resource.k8s.io/v1beta2/devicetaintrules";

const char* plural_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kClaim:
      return "resourceclaims";
    case DeviceKind::kSlice:
      return "resourceslices";
    case DeviceKind::kTaintRule:
      return "devicetaintrules";
    case DeviceKind::kClass:
      break;
  }
  return "deviceclasses";
}

/// The index of slices: empty for those of several nodes. Counters count wherever a device of the
/// pool is.
std::string slice_node(const Json& slice) {
  if (slice.get("spec").get("sharedCounters").size() > 0) return "";
  return slice.text_at({"spec", "nodeName"});
}

}  // namespace

std::optional<DeviceKind> device_kind(const Json& object) {
  const std::string& kind = object.get("kind").text();
  if (kind == "ResourceClaim") return DeviceKind::kClaim;
  if (kind == "ResourceSlice") return DeviceKind::kSlice;
  if (kind == "DeviceClass") return DeviceKind::kClass;
  if (kind == "DeviceTaintRule") return DeviceKind::kTaintRule;
  return std::nullopt;
}

std::string device_collection(DeviceKind kind) {
  return kind == DeviceKind::kTaintRule ? kRulePath : kGroupPath + std::string(plural_of(kind));
}

std::string device_target(DeviceKind kind, const std::string& name) {
  if (kind != DeviceKind::kClaim) return device_collection(kind) + "/" + name;
  const std::size_t slash = name.find('/');
  return std::string(kGroupPath) + "namespaces/" + name.substr(0, slash) + "/" + plural_of(kind) +
         name.substr(slash);
}

std::string device_id(std::string_view driver, std::string_view pool, std::string_view device) {
  std::string out;
  out.reserve(driver.size() + pool.size() + device.size() + 2);
  out.append(driver).append("/").append(pool).append("/").append(device);
  return out;
}

std::vector<std::string> devices_of(const Json& allocation) {
  std::vector<std::string> out;
  for (const Json& each : allocation.get("devices").get("results").items()) {
    if (each.get("adminAccess").boolean() || each.contains("shareID")) continue;
    out.push_back(
        device_id(each.get("driver").text(), each.get("pool").text(), each.get("device").text()));
  }
  return out;
}

std::int64_t pool_generation(const Json& slice) {
  const Json* const generation = slice.at({"spec", "pool", "generation"});
  return generation == nullptr ? 0 : generation->integer_or(0);
}

PoolName pool_name(const Json& slice) {
  return {slice.text_at({"spec", "driver"}), slice.text_at({"spec", "pool", "name"})};
}

DeviceChange DeviceView::put(DeviceKind kind, Json object) {
  object["metadata"].erase("managedFields");
  const std::string name = storage_name(object);
  const auto [found, is_new] = all(kind).try_emplace(name);
  if (!is_new && version_of(object) <= version_of(found->second)) return DeviceChange::kNone;
  Json before = std::exchange(found->second, std::move(object));
  const Json& now = found->second;
  if (kind == DeviceKind::kSlice) {
    if (!is_new) remove_slice(name, before);
    add_slice(name, now);
  }
  if (kind != DeviceKind::kClaim) return DeviceChange::kPlain;
  const bool had_devices = count(before, -1);
  const bool has_devices = count(now, 1);
  return had_devices && !has_devices ? DeviceChange::kFreed : DeviceChange::kPlain;
}

DeviceChange DeviceView::refresh(DeviceKind kind, Json object) {
  if (find(kind, storage_name(object)) == nullptr) return DeviceChange::kNone;
  return put(kind, std::move(object));
}

DeviceChange DeviceView::drop(DeviceKind kind, const std::string& name) {
  const auto found = all(kind).find(name);
  if (found == all(kind).end()) return DeviceChange::kNone;
  bool freed = false;
  if (kind == DeviceKind::kClaim) freed = count(found->second, -1);
  if (kind == DeviceKind::kSlice) remove_slice(name, found->second);
  all(kind).erase(found);
  return freed ? DeviceChange::kFreed : DeviceChange::kPlain;
}

void DeviceView::add_slice(const std::string& name, const Json& slice) {
  slices_[slice_node(slice)][name] = &slice;
  pools_[pool_name(slice)][pool_generation(slice)][name] = &slice;
}

void DeviceView::remove_slice(const std::string& name, const Json& slice) {
  const auto of_node = slices_.find(slice_node(slice));
  of_node->second.erase(name);
  if (of_node->second.empty()) slices_.erase(of_node);
  const auto pool = pools_.find(pool_name(slice));
  const auto generation = pool->second.find(pool_generation(slice));
  generation->second.erase(name);
  if (generation->second.empty()) pool->second.erase(generation);
  if (pool->second.empty()) pools_.erase(pool);
}

DeviceView::WholePool DeviceView::whole_pool(const PoolName& name) const {
  const auto found = pools_.find(name);
  if (found == pools_.end()) return {};
  const auto newest = found->second.rbegin();
  WholePool out{newest->first, {}};
  for (const auto& [slice_name, slice] : newest->second) out.slices.push_back(slice);
  return out;
}

bool DeviceView::count(const Json& claim, int by) {
  const Json& allocation = claim.get("status").get("allocation");
  const std::string& uid = claim.text_at({"metadata", "uid"});
  bool has_shares = false;
  if (by > 0) {
    shares_.set(uid, allocation);
    has_shares = shares_.has(uid);
  } else {
    has_shares = shares_.drop(uid);
  }
  const std::vector<std::string> devices = devices_of(allocation);
  for (const std::string& each : devices) {
    const auto found = uses_.try_emplace(each, 0).first;
    found->second += by;
    if (found->second <= 0) uses_.erase(found);
  }
  return !devices.empty() || has_shares;
}

const Json* DeviceView::find(DeviceKind kind, const std::string& name) const {
  const auto found = all(kind).find(name);
  return found == all(kind).end() ? nullptr : &found->second;
}

std::vector<const Json*> DeviceView::slices_for(const std::string& node) const {
  std::vector<const Json*> out;
  for (const std::string& key : {node, std::string()}) {
    const auto found = slices_.find(key);
    if (found == slices_.end()) continue;
    for (const auto& [name, slice] : found->second) out.push_back(slice);
  }
  return out;
}

}  // namespace davit::sandbox
