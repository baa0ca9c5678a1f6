#include "nodes/claim_scheduling.hpp"

#include <algorithm>
#include <davit/kube/quantity.hpp>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "nodes/label_rules.hpp"
#include "nodes/storage_objects.hpp"

namespace davit::sandbox {
namespace {

constexpr char kNoProvisioner[] = "kubernetes.io/no-provisioner";
constexpr char kBoundByController[] = "pv.kubernetes.io/bound-by-controller";

std::string quoted_name(const std::string& claim) {
  return "persistentvolumeclaim \"" + claim.substr(claim.find('/') + 1) + "\"";
}

bool accepts(const Json& required, const NodeCapacity& node) {
  const Json affinity =
      Json::object({{"requiredDuringSchedulingIgnoredDuringExecution", required}});
  return accepts_labels(Json::object({{"affinity", Json::object({{"nodeAffinity", affinity}})}}),
                        node.labels, node.name);
}

bool reaches(const Json& volume, const NodeCapacity& node) {
  const Json& required = volume.get("spec").get("nodeAffinity").get("required");
  return required.is_null() || accepts(required, node);
}

Quantity size_of(const Json& list) {
  return Quantity::parse(list.get("storage").text()).value_or(Quantity());
}

bool offers(const Json& volume, const Json& claim) {
  const Json::Items& offered = volume.get("spec").get("accessModes").items();
  const Json::Items& wanted = claim.get("spec").get("accessModes").items();
  return std::all_of(wanted.begin(), wanted.end(), [&](const Json& mode) {
    return std::find(offered.begin(), offered.end(), mode) != offered.end();
  });
}

std::string_view mode_of(const Json& object) {
  const std::string& mode = object.text_at({"spec", "volumeMode"});
  return mode.empty() ? std::string_view("Filesystem") : std::string_view(mode);
}

/// Whether the volume is free for the claim, or reserved for it. Claims with a selector get none
/// that is free: the sandbox's scheduler reads none.
bool serves(const Json& volume, const Json& claim) {
  if (is_deleting(volume) || mode_of(volume) != mode_of(claim) || !offers(volume, claim)) {
    return false;
  }
  if (size_of(volume.get("spec").get("capacity")) <
      size_of(claim.get("spec").get("resources").get("requests"))) {
    return false;
  }
  if (volume.get("spec").contains("claimRef")) {
    const std::string& uid = volume.text_at({"spec", "claimRef", "uid"});
    return claim_of(volume) == storage_name(claim) &&
           (uid.empty() || uid == claim.text_at({"metadata", "uid"}));
  }
  return volume.text_at({"status", "phase"}) == "Available" &&
         storage_class_of(volume) == storage_class_of(claim) &&
         !claim.get("spec").contains("selector");
}

/// The smallest free volume that serves the claim on the node, but for those of `taken`.
const Json* find_volume(const StorageView& view, const Json& claim, const NodeCapacity& node,
                        const std::set<std::string>& taken) {
  const Json* best = nullptr;
  for (const auto& [name, volume] : view.all(StorageKind::kVolume)) {
    if (taken.contains(name) || !serves(volume, claim) || !reaches(volume, node)) continue;
    const auto size = [](const Json& each) { return size_of(each.get("spec").get("capacity")); };
    if (best == nullptr || size(volume) < size(*best)) best = &volume;
  }
  return best;
}

bool can_provision(const StorageView& view, const Json& claim, const NodeCapacity& node) {
  const std::string& selected = annotation_of(claim, kSelectedNode);
  if (!selected.empty()) return selected == node.name;
  const Json* const chosen = view.find(StorageKind::kClass, storage_class_of(claim));
  if (chosen == nullptr) return false;
  const std::string& provisioner = chosen->text_at({"provisioner"});
  if (provisioner.empty() || provisioner == kNoProvisioner) return false;
  const Json::Items& terms = chosen->get("allowedTopologies").items();
  return terms.empty() || std::any_of(terms.begin(), terms.end(), [&](const Json& term) {
           const Json::Items& all = term.get("matchLabelExpressions").items();
           return std::all_of(all.begin(), all.end(), [&](const Json& each) {
             const Json::Items& values = each.get("values").items();
             return std::find(values.begin(), values.end(),
                              node.labels.get(each.get("key").text())) != values.end();
           });
         });
}

/// Whether a label selector has the node.
bool selects(const Json& selector, const NodeCapacity& node) {
  Json all = Json::array();
  for (const Json::Member& each : selector.get("matchLabels").members()) {
    all.push_back(Json::object(
        {{"key", each.key}, {"operator", "In"}, {"values", Json::array({each.value})}}));
  }
  for (const Json& each : selector.get("matchExpressions").items()) all.push_back(each);
  if (all.size() == 0) return true;
  const Json term = Json::object({{"matchExpressions", std::move(all)}});
  return accepts(Json::object({{"nodeSelectorTerms", Json::array({term})}}), node);
}

/// Whether a CSIStorageCapacity shows enough capacity for the claim's volume on the node, or its
/// driver publishes none.
bool has_space(const StorageView& view, const Json& claim, const NodeCapacity& node) {
  if (!view.is_listed(StorageKind::kCapacity)) return true;       // A server before v1.24 has none.
  if (!annotation_of(claim, kSelectedNode).empty()) return true;  // It was checked before.
  const std::string& name = storage_class_of(claim);
  const Json* const chosen = view.find(StorageKind::kClass, name);
  if (chosen == nullptr) return true;
  const Json* const driver = view.find(StorageKind::kDriver, chosen->text_at({"provisioner"}));
  if (driver == nullptr || !driver->get("spec").get("storageCapacity").boolean()) return true;
  const Quantity wanted = size_of(claim.get("spec").get("resources").get("requests"));
  const StorageView::Objects& all = view.all(StorageKind::kCapacity);
  return std::any_of(all.begin(), all.end(), [&](const auto& each) {
    const Json& capacity = each.second;
    if (capacity.text_at({"storageClassName"}) != name || !capacity.contains("nodeTopology")) {
      return false;
    }
    const std::string& most = capacity.text_at({"maximumVolumeSize"});
    const std::optional<Quantity> limit =
        Quantity::parse(most.empty() ? capacity.text_at({"capacity"}) : most);
    return limit && *limit >= wanted && selects(capacity.get("nodeTopology"), node);
  });
}

/// The driver that the claim's volume has or will have; empty: none of CSI, or not known.
std::string driver_of_claim(const StorageView& view, const std::string& name) {
  const Json* const claim = view.find(StorageKind::kClaim, name);
  if (claim == nullptr) return "";
  const Json* const volume =
      view.find(StorageKind::kVolume, claim->text_at({"spec", "volumeName"}));
  if (volume != nullptr) return volume->text_at({"spec", "csi", "driver"});
  const Json* const chosen = view.find(StorageKind::kClass, storage_class_of(*claim));
  return chosen == nullptr ? "" : chosen->text_at({"provisioner"});
}

/// Whether each driver of the node takes the volumes of its pods and these.
bool has_room(const StorageView& view, const std::vector<std::string>& claims,
              const NodeCapacity& node) {
  const Json* const csi_node = view.find(StorageKind::kCsiNode, node.name);
  if (csi_node == nullptr) return true;
  std::set<std::string> all(node.claims.begin(), node.claims.end());
  std::set<std::string> changed;  // The drivers of new claims.
  for (const std::string& each : claims) {
    if (all.insert(each).second) changed.insert(driver_of_claim(view, each));
  }
  for (const Json& driver : csi_node->get("spec").get("drivers").items()) {
    const std::string& name = driver.get("name").text();
    const Json* const limit = driver.at({"allocatable", "count"});
    if (limit == nullptr || !changed.contains(name)) continue;
    const auto count = std::count_if(all.begin(), all.end(), [&](const std::string& each) {
      return driver_of_claim(view, each) == name;
    });
    if (count > limit->integer_or(INT64_MAX)) return false;
  }
  return true;
}

}  // namespace

SchedulingClaims scheduling_claims(const StorageView& view, const Json& pod) {
  SchedulingClaims out;
  for (const PodClaim& each : pod_claims(pod)) {
    out.names.push_back(each.name);
    const Json* const claim = find_claim(view, each, pod);
    if (claim == nullptr) {
      out.refusal = each.of_the_pod ? "waiting for ephemeral volume controller to create the " +
                                          quoted_name(each.name)
                                    : quoted_name(each.name) + " not found";
      return out;
    }
    if (claim->text_at({"status", "phase"}) == "Lost") {
      out.refusal = quoted_name(each.name) + " bound to non-existent persistentvolume \"" +
                    claim->text_at({"spec", "volumeName"}) + "\"";
      return out;
    }
    if (is_deleting(*claim)) {
      out.refusal = quoted_name(each.name) + " is being deleted";
      return out;
    }
    for (const Json& mode : claim->get("spec").get("accessModes").items()) {
      if (mode.text() == "ReadWriteOncePod") out.alone.push_back(each.name);
    }
    const Json* const volume =
        view.find(StorageKind::kVolume, claim->text_at({"spec", "volumeName"}));
    const Json* const chosen = view.find(StorageKind::kClass, storage_class_of(*claim));
    if (is_bound(*claim)) {
      if (volume == nullptr) {
        out.refusal = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
        return out;
      }
      out.volumes.push_back(volume);
    } else if (chosen != nullptr && waits_for_consumer(*chosen) &&
               claim->text_at({"spec", "volumeName"}).empty()) {
      out.delayed.push_back(claim);
    } else {
      out.refusal = "pod has unbound immediate PersistentVolumeClaims";
      return out;
    }
  }
  return out;
}

std::string volume_refusal(const StorageView& view, const SchedulingClaims& claims,
                           const NodeCapacity& node) {
  for (const Json* volume : claims.volumes) {
    if (!reaches(*volume, node)) return "node(s) didn't match PersistentVolume's node affinity";
  }
  std::set<std::string> taken;
  bool is_full = false;
  for (const Json* claim : claims.delayed) {
    if (const Json* volume = find_volume(view, *claim, node, taken)) {
      taken.insert(storage_name(*volume));
    } else if (!can_provision(view, *claim, node)) {
      return "node(s) didn't find available persistent volumes to bind";
    } else {
      is_full = is_full || !has_space(view, *claim, node);
    }
  }
  if (is_full) return "node(s) did not have enough free storage";
  return has_room(view, claims.names, node) ? "" : "node(s) exceed max volume count";
}

std::vector<ApiCall> volume_writes(const StorageView& view, const SchedulingClaims& claims,
                                   const NodeCapacity& node) {
  std::vector<ApiCall> out;
  std::set<std::string> taken;
  const auto merge = [&out](StorageKind kind, const Json& object, Json annotations, Json spec) {
    Json metadata = Json::object(
        {{"uid", object.get("metadata").get("uid")}, {"annotations", std::move(annotations)}});
    Json body = Json::object();
    if (!spec.is_null()) {  // Two pods must not reserve one volume.
      metadata.set("resourceVersion", object.get("metadata").get("resourceVersion"));
      body.set("spec", std::move(spec));
    }
    body.set("metadata", std::move(metadata));
    out.push_back({"PATCH", storage_target(kind, storage_name(object)), to_text(body), kMerge});
  };
  for (const Json* claim : claims.delayed) {
    const Json* const volume = find_volume(view, *claim, node, taken);
    if (volume == nullptr) {
      if (annotation_of(*claim, kSelectedNode) == node.name) continue;
      merge(StorageKind::kClaim, *claim, Json::object({{kSelectedNode, node.name}}), Json());
      continue;
    }
    taken.insert(storage_name(*volume));
    const Json& owner = claim->get("metadata");
    if (volume->text_at({"spec", "claimRef", "uid"}) == owner.get("uid").text()) continue;
    const Json reference = Json::object({{"apiVersion", "v1"},
                                         {"kind", "PersistentVolumeClaim"},
                                         {"namespace", owner.get("namespace")},
                                         {"name", owner.get("name")},
                                         {"uid", owner.get("uid")}});
    merge(StorageKind::kVolume, *volume, Json::object({{kBoundByController, "yes"}}),
          Json::object({{"claimRef", reference}}));
  }
  return out;
}

}  // namespace davit::sandbox
