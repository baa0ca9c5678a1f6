#include "nodes/storage_objects.hpp"

#include <charconv>
#include <davit/hex.hpp>
#include <davit/kube/time.hpp>
#include <functional>
#include <utility>

#include "lib/kube/names.hpp"
#include "nodes/storage_view.hpp"

namespace davit::sandbox {
namespace {

constexpr char kZoneLabel[] = "topology.kubernetes.io/zone";
constexpr char kDefaultClassAnnotation[] = "storageclass.kubernetes.io/is-default-class";
constexpr char kEventsWithoutNamespace[] = "default";

/// The label that distinguishes the places where volumes of the zonal class can be.
const char* topology_key(const Json& node) {
  return node.text_at({"metadata", "labels", kZoneLabel}).empty() ? kHostLabel : kZoneLabel;
}

int volumes_max(const Json& node) {
  const std::string& text = annotation_of(node, annotation::kVolumesMax);
  int count = kVolumesPerNode;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool valid = error == std::errc() && end == text.data() + text.size() && count >= 0;
  return valid ? count : kVolumesPerNode;
}

/// Null if no label distinguishes the node: its volumes reach every node.
Json reach_of(const Json& node) {
  const std::optional<StorageSegment> segment = segment_of(node);
  if (!segment) return {};
  const Json requirement = Json::object(
      {{"key", segment->key}, {"operator", "In"}, {"values", Json::array({segment->value})}});
  const Json term = Json::object({{"matchExpressions", Json::array({requirement})}});
  return Json::object({{"required", Json::object({{"nodeSelectorTerms", Json::array({term})}})}});
}

}  // namespace

Json csi_driver() {
  return Json::object({{"apiVersion", "storage.k8s.io/v1"},
                       {"kind", "CSIDriver"},
                       {"metadata", Json::object({{"name", kStorageDriver}})},
                       {"spec", Json::object({{"attachRequired", true},
                                              {"podInfoOnMount", false},
                                              {"storageCapacity", true},
                                              {"fsGroupPolicy", "File"}})}});
}

Json storage_class(std::string_view name) {
  const bool zonal = name == kZonalStorageClass;
  Json metadata = Json::object({{"name", name}});
  if (!zonal) metadata.set("annotations", Json::object({{kDefaultClassAnnotation, "true"}}));
  return Json::object({{"apiVersion", "storage.k8s.io/v1"},
                       {"kind", "StorageClass"},
                       {"metadata", std::move(metadata)},
                       {"provisioner", kStorageDriver},
                       {"reclaimPolicy", "Delete"},
                       {"allowVolumeExpansion", true},
                       {"volumeBindingMode", zonal ? "WaitForFirstConsumer" : "Immediate"}});
}

std::string host_name(const Json& node) {
  const std::string& label = node.text_at({"metadata", "labels", kHostLabel});
  if (!label.empty()) return label;
  const std::string& name = node.text_at({"metadata", "name"});
  return check_label_value(name).empty() ? name : "";
}

std::optional<StorageSegment> segment_of(const Json& node) {
  const std::string& zone = node.text_at({"metadata", "labels", kZoneLabel});
  std::string place = zone.empty() ? host_name(node) : zone;
  if (place.empty()) return std::nullopt;
  return StorageSegment{topology_key(node), std::move(place)};
}

Json csi_node_drivers(const Json& node, const Json* old) {
  Json drivers = Json::array();
  Json own = Json::object({{"name", kStorageDriver},
                           {"nodeID", node.text_at({"metadata", "name"})},
                           {"topologyKeys", Json::array({topology_key(node)})}});
  if (old != nullptr) {
    for (const Json& each : old->get("spec").get("drivers").items()) {
      if (each.get("name").text() == kStorageDriver) {
        own = each;  // Only the limit may change.
      } else {
        drivers.push_back(each);
      }
    }
  }
  own.set("allocatable", Json::object({{"count", volumes_max(node)}}));
  drivers.push_back(std::move(own));
  return drivers;
}

Json csi_node(const Json& node, const Json* old) {
  const Json& name = node.get("metadata").get("name");
  const Json owner = Json::object({{"apiVersion", "v1"},
                                   {"kind", "Node"},
                                   {"name", name},
                                   {"uid", node.get("metadata").get("uid")}});
  return Json::object(
      {{"apiVersion", "storage.k8s.io/v1"},
       {"kind", "CSINode"},
       {"metadata", Json::object({{"name", name}, {"ownerReferences", Json::array({owner})}})},
       {"spec", Json::object({{"drivers", csi_node_drivers(node, old)}})}});
}

std::string volume_name(const Json& claim) { return "pvc-" + claim.text_at({"metadata", "uid"}); }

Json new_volume(const Json& claim, const Json& storage_class, const Json* node) {
  const std::string name = volume_name(claim);
  const Json& metadata = claim.get("metadata");
  const Json& wanted = claim.get("spec");
  Json csi = Json::object({{"driver", kStorageDriver}, {"volumeHandle", name}});
  if (wanted.get("volumeMode").text() != "Block") csi.set("fsType", "ext4");
  const Json& size = wanted.get("resources").get("requests").get("storage");
  Json spec = Json::object(
      {{"capacity", Json::object({{"storage", size}})},
       {"accessModes", wanted.get("accessModes")},
       {"persistentVolumeReclaimPolicy", storage_class.get("reclaimPolicy")},
       {"storageClassName", storage_class.get("metadata").get("name")},
       {"csi", std::move(csi)},
       {"claimRef", Json::object({{"apiVersion", "v1"},
                                  {"kind", "PersistentVolumeClaim"},
                                  {"namespace", metadata.get("namespace")},
                                  {"name", metadata.get("name")},
                                  {"uid", metadata.get("uid")},
                                  {"resourceVersion", metadata.get("resourceVersion")}})}});
  for (const char* each : {"volumeMode", "volumeAttributesClassName"}) {
    if (wanted.contains(each)) spec.set(each, wanted.get(each));
  }
  if (storage_class.contains("mountOptions")) {
    spec.set("mountOptions", storage_class.get("mountOptions"));
  }
  if (node != nullptr) {
    Json reach = reach_of(*node);
    if (!reach.is_null()) spec.set("nodeAffinity", std::move(reach));
  }
  return Json::object(
      {{"apiVersion", "v1"},
       {"kind", "PersistentVolume"},
       {"metadata", Json::object({{"name", name},
                                  {"annotations", Json::object({{kProvisionedBy, kStorageDriver}})},
                                  {"finalizers", Json::array({kProvisionerFinalizer})}})},
       {"spec", std::move(spec)}});
}

std::string event_target(const Json& object) {
  const std::string& ns = object.text_at({"metadata", "namespace"});
  return "/api/v1/namespaces/" + (ns.empty() ? std::string(kEventsWithoutNamespace) : ns) +
         "/events";
}

Json event_body(std::string_view kind, const Json& object, const StorageEvent& event,
                WallTime now) {
  const Json& metadata = object.get("metadata");
  const std::string& ns = metadata.get("namespace").text();
  const std::string time = format_time(now);
  Json source = Json::object({{"component", event.component}});
  // A pod's Events are those of its node's kubelet.
  const std::string& node = object.text_at({"spec", "nodeName"});
  if (!node.empty()) source.set("host", node);
  // Two Events of one moment differ in their reasons.
  const std::size_t number = static_cast<std::size_t>(now.time_since_epoch().count()) ^
                             std::hash<std::string_view>()(event.reason);
  return Json::object(
      {{"apiVersion", "v1"},
       {"kind", "Event"},
       {"metadata",
        Json::object({{"name", metadata.get("name").text() + "." + hex_number(number, 16)},
                      {"namespace", ns.empty() ? Json(kEventsWithoutNamespace) : Json(ns)}})},
       {"involvedObject", Json::object({{"apiVersion", "v1"},
                                        {"kind", kind},
                                        {"namespace", ns},
                                        {"name", metadata.get("name")},
                                        {"uid", metadata.get("uid")},
                                        {"resourceVersion", metadata.get("resourceVersion")}})},
       {"reason", event.reason},
       {"message", event.message},
       {"source", std::move(source)},
       {"firstTimestamp", time},
       {"lastTimestamp", time},
       {"count", 1},
       {"type", event.type},
       {"reportingComponent", event.component},
       {"reportingInstance", node}});
}

}  // namespace davit::sandbox
