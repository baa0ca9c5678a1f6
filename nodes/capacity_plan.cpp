#include "nodes/capacity_plan.hpp"

#include <cstdint>
#include <davit/fnv.hpp>
#include <davit/hex.hpp>
#include <davit/kube/quantity.hpp>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace davit::sandbox {
namespace {

constexpr char kCapacityNamespace[] = "kube-system";
constexpr char kDriverLabel[] = "csi.storage.k8s.io/drivername";
constexpr char kManagerLabel[] = "csi.storage.k8s.io/managed-by";
constexpr char kUnlimited[] = "1Pi";

bool has_capacities(const Json* storage_class) {
  return storage_class != nullptr && storage_class->text_at({"provisioner"}) == kStorageDriver &&
         waits_for_consumer(*storage_class);
}

/// Stays the same over restarts, so that nothing is published twice.
std::string capacity_name(const std::string& storage_class, const StorageSegment& segment) {
  return "csisc-" +
         hex_number(fnv1a_64(storage_class + "/" + segment.key + "/" + segment.value), 16);
}

Quantity size_in(const Json& list) {
  return Quantity::parse(list.get("storage").text()).value_or(Quantity());
}

StorageSegment place_of(const Json& volume) {
  const Json* const terms = volume.at({"spec", "nodeAffinity", "required", "nodeSelectorTerms"});
  if (terms == nullptr || terms->size() == 0) return {};
  const Json& all = terms->items().front().get("matchExpressions");
  if (all.size() == 0 || all.items().front().get("values").size() == 0) return {};
  const Json& first = all.items().front();
  return StorageSegment{first.get("key").text(), first.get("values").items().front().text()};
}

/// The space that volumes of the class take, by the part of the cluster.
std::map<StorageSegment, Quantity> used(const StorageView& view, const std::string& storage_class) {
  std::map<StorageSegment, Quantity> out;
  for (const auto& [name, volume] : view.all(StorageKind::kVolume)) {
    if (annotation_of(volume, kProvisionedBy) != kStorageDriver) continue;
    if (storage_class_of(volume) != storage_class) continue;
    // The driver has deleted it; another finalizer keeps the object.
    if (is_deleting(volume) && !has_finalizer(volume, kProvisionerFinalizer)) continue;
    out[place_of(volume)] += size_in(volume.get("spec").get("capacity"));
  }
  return out;
}

/// The capacity of a class in each part of the cluster, before any volume.
std::string room_of(const Json& storage_class) {
  const std::string& text = annotation_of(storage_class, annotation::kCapacity);
  const std::optional<Quantity> room = Quantity::parse(text);
  return room && *room >= Quantity() ? text : kUnlimited;
}

std::string rest_of(const std::string& room, const Quantity& taken) {
  Quantity rest = *Quantity::parse(room);
  if (taken == Quantity()) return room;
  rest -= taken;
  if (rest < Quantity()) rest = Quantity();
  const std::optional<std::int64_t> bytes = rest.integer();
  return bytes ? std::to_string(*bytes) : room;
}

Json new_capacity(const std::string& storage_class, const StorageSegment& segment,
                  const std::string& room) {
  const Json labels =
      Json::object({{kDriverLabel, kStorageDriver}, {kManagerLabel, "external-provisioner"}});
  Json nodes = Json::object();
  if (!segment.key.empty()) {
    nodes.set("matchLabels", Json::object({{segment.key, segment.value}}));
  }
  return Json::object({{"apiVersion", "storage.k8s.io/v1"},
                       {"kind", "CSIStorageCapacity"},
                       {"metadata", Json::object({{"name", capacity_name(storage_class, segment)},
                                                  {"namespace", kCapacityNamespace},
                                                  {"labels", labels}})},
                       {"storageClassName", storage_class},
                       {"nodeTopology", std::move(nodes)},
                       {"capacity", room}});
}

StorageStep publish(ApiCall call) {
  StorageStep step;
  step.operation = "publish";
  step.call = std::move(call);
  return step;
}

}  // namespace

StorageStep capacity_step(const StorageView& view, const StorageSegments& segments,
                          const Json& storage_class) {
  if (!view.is_listed(StorageKind::kCapacity) || !has_capacities(&storage_class)) return {};
  const std::string name = storage_name(storage_class);
  const std::string room = room_of(storage_class);
  std::map<StorageSegment, Quantity> taken = used(view, name);
  for (const auto& [each, nodes] : segments) {
    const std::string key = std::string(kCapacityNamespace) + "/" + capacity_name(name, each);
    const std::string rest = rest_of(room, taken[each]);
    const Json* const known = view.find(StorageKind::kCapacity, key);
    if (known == nullptr) {
      return publish({"POST", "/apis/storage.k8s.io/v1/namespaces/kube-system/csistoragecapacities",
                      to_text(new_capacity(name, each, rest)), "application/json"});
    }
    const std::optional<Quantity> present = Quantity::parse(known->text_at({"capacity"}));
    if (present == Quantity::parse(rest)) continue;
    return publish({"PATCH", storage_target(StorageKind::kCapacity, key),
                    to_text(Json::object({{"capacity", rest}})), kMerge});
  }
  return {};
}

StorageStep published_step(const StorageView& view, const StorageSegments& segments,
                           const Json& capacity) {
  if (capacity.text_at({"metadata", "labels", kDriverLabel}) != kStorageDriver) return {};
  const std::string& name = capacity.text_at({"storageClassName"});
  if (has_capacities(view.find(StorageKind::kClass, name))) {
    for (const auto& [each, nodes] : segments) {
      if (capacity.text_at({"metadata", "name"}) == capacity_name(name, each)) return {};
    }
  }
  const Json options = Json::object(
      {{"apiVersion", "v1"},
       {"kind", "DeleteOptions"},
       {"preconditions", Json::object({{"uid", capacity.get("metadata").get("uid")}})}});
  return publish({"DELETE", storage_target(StorageKind::kCapacity, storage_name(capacity)),
                  to_text(options), "application/json"});
}

}  // namespace davit::sandbox
