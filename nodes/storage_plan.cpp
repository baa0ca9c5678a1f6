#include "nodes/storage_plan.hpp"

#include <algorithm>
#include <davit/kube/quantity.hpp>
#include <utility>

#include "nodes/node_objects.hpp"
#include "nodes/pod_settings.hpp"

namespace davit::sandbox {
namespace {

constexpr char kProvisioner[] = "sandbox.davit.dev_csi-provisioner";
constexpr char kResizer[] = "external-resizer sandbox.davit.dev";
constexpr char kProvisionerAnnotation[] = "volume.kubernetes.io/storage-provisioner";
constexpr char kBetaProvisionerAnnotation[] = "volume.beta.kubernetes.io/storage-provisioner";

ApiCall patch(StorageKind kind, const Json& object, Json body, const char* subresource = "") {
  return {"PATCH", storage_target(kind, storage_name(object)) + subresource, to_text(body), kMerge};
}

/// For a merge patch that fails if the object has changed or is another one.
Json unchanged(const Json& object) {
  const Json& metadata = object.get("metadata");
  return Json::object(
      {{"uid", metadata.get("uid")}, {"resourceVersion", metadata.get("resourceVersion")}});
}

Json with_metadata(Json metadata) { return Json::object({{"metadata", std::move(metadata)}}); }

ApiCall add_finalizer(StorageKind kind, const Json& object, const char* finalizer) {
  Json metadata = unchanged(object);
  Json all = object.get("metadata").get("finalizers");
  all.push_back(finalizer);
  metadata.set("finalizers", std::move(all));
  return patch(kind, object, with_metadata(std::move(metadata)));
}

ApiCall remove_finalizer(StorageKind kind, const Json& object, const char* finalizer) {
  Json rest = Json::array();
  for (const Json& each : object.get("metadata").get("finalizers").items()) {
    if (each.text() != finalizer) rest.push_back(each);
  }
  Json metadata = unchanged(object);
  metadata.set("finalizers", std::move(rest));
  return patch(kind, object, with_metadata(std::move(metadata)));
}

StorageStep step_of(const char* operation, ApiCall call) {
  StorageStep step;
  step.operation = operation;
  step.call = std::move(call);
  return step;
}

const std::string& driver_of(const Json& volume) {
  return volume.text_at({"spec", "csi", "driver"});
}

/// An annotation of a volume, or else of the claim that it belongs to.
const Json& annotated(const StorageView& view, const Json& volume, const char* name) {
  if (!annotation_of(volume, name).empty()) return volume;
  const Json* claim = view.find(StorageKind::kClaim, claim_of(volume));
  return claim != nullptr && belongs_to(volume, *claim) ? *claim : volume;
}
const std::string& setting(const StorageView& view, const Json& volume, const char* name) {
  return annotation_of(annotated(view, volume, name), name);
}
Duration delay(const StorageView& view, const Json& volume, const char* name) {
  return annotated_seconds(annotated(view, volume, name), name).value_or(Duration{0});
}

bool asks_driver(const Json& claim) {
  const std::string& asked = annotation_of(claim, kProvisionerAnnotation);
  return (asked.empty() ? annotation_of(claim, kBetaProvisionerAnnotation) : asked) ==
         kStorageDriver;
}

/// Has the pod scheduled again, as the real provisioner does if the node is gone.
StorageStep reschedule(const Json& claim, const std::string& node) {
  Json metadata = unchanged(claim);
  metadata.set("annotations", Json::object({{kSelectedNode, Json()}}));
  StorageStep step =
      step_of("reschedule", patch(StorageKind::kClaim, claim, with_metadata(std::move(metadata))));
  step.done = StorageEvent{kProvisioner, "Warning", "ProvisioningFailed",
                           "failed to get target node: node \"" + node + "\" not found"};
  return step;
}

StorageStep provisioning_step(const StorageView& view, const Json& claim) {
  if (is_deleting(claim) || !claim.text_at({"spec", "volumeName"}).empty()) return {};
  if (!asks_driver(claim)) return {};
  const Json* const chosen = view.find(StorageKind::kClass, storage_class_of(claim));
  if (chosen == nullptr || chosen->text_at({"provisioner"}) != kStorageDriver) return {};
  if (view.find(StorageKind::kVolume, volume_name(claim)) != nullptr) return {};
  const Json* node = nullptr;
  if (waits_for_consumer(*chosen)) {
    const std::string& selected = annotation_of(claim, kSelectedNode);
    if (selected.empty()) return {};
    node = view.find(StorageKind::kNode, selected);
    if (node == nullptr) return reschedule(claim, selected);
  }
  const std::string& fault = annotation_of(claim, annotation::kProvision);
  if (fault == "never") return {};
  StorageStep step;
  step.operation = "provision";
  step.after = annotated_seconds(claim, annotation::kProvisionSeconds).value_or(Duration{0});
  step.begun = StorageEvent{
      kProvisioner, "Normal", "Provisioning",
      "External provisioner is provisioning volume for claim \"" + storage_name(claim) + "\""};
  if (fault == "fail") {
    step.failed = StorageEvent{kProvisioner, "Warning", "ProvisioningFailed",
                               "failed to provision volume with StorageClass \"" +
                                   storage_class_of(claim) + "\": " + kAnnotatedFailure};
    return step;
  }
  step.call = ApiCall{"POST", storage_collection(StorageKind::kVolume),
                      to_text(new_volume(claim, *chosen, node)), "application/json"};
  step.done = StorageEvent{kProvisioner, "Normal", "ProvisioningSucceeded",
                           "Successfully provisioned volume " + volume_name(claim)};
  return step;
}

Quantity storage_in(const Json& list) {
  return Quantity::parse(list.get("storage").text()).value_or(Quantity());
}

StorageStep resizing_step(const Json& claim, const Json& volume) {
  const Json& request = claim.get("spec").get("resources").get("requests");
  const Json& capacity = volume.get("spec").get("capacity");
  if (storage_in(request) <= storage_in(claim.get("status").get("capacity"))) return {};
  if (storage_in(request) > storage_in(capacity)) {
    const Json size = Json::object({{"storage", request.get("storage")}});
    StorageStep step =
        step_of("resize", patch(StorageKind::kVolume, volume,
                                Json::object({{"metadata", unchanged(volume)},
                                              {"spec", Json::object({{"capacity", size}})}})));
    step.begun = StorageEvent{kResizer, "Normal", "Resizing",
                              "External resizer is resizing volume " + storage_name(volume)};
    return step;
  }
  const Json size = Json::object({{"storage", capacity.get("storage")}});
  StorageStep step =
      step_of("resize", patch(StorageKind::kClaim, claim,
                              Json::object({{"metadata", unchanged(claim)},
                                            {"status", Json::object({{"capacity", size}})}}),
                              "/status"));
  step.done = StorageEvent{kResizer, "Normal", "VolumeResizeSuccessful", "Resize volume succeeded"};
  return step;
}

StorageStep modification_step(const Json& claim, const Json& volume) {
  constexpr char kField[] = "volumeAttributesClassName";
  constexpr char kCurrent[] = "currentVolumeAttributesClassName";
  const Json& wanted = claim.get("spec").get(kField);
  if (wanted.text().empty() || wanted == claim.get("status").get(kCurrent)) return {};
  if (volume.get("spec").get(kField) != wanted) {
    return step_of("modify", patch(StorageKind::kVolume, volume,
                                   Json::object({{"metadata", unchanged(volume)},
                                                 {"spec", Json::object({{kField, wanted}})}})));
  }
  StorageStep step =
      step_of("modify", patch(StorageKind::kClaim, claim,
                              Json::object({{"metadata", unchanged(claim)},
                                            {"status", Json::object({{kCurrent, wanted}})}}),
                              "/status"));
  step.done = StorageEvent{kResizer, "Normal", "VolumeModifySuccessful",
                           "external resizer modified volume " + storage_name(volume)};
  return step;
}

StorageStep deletion_step(const StorageView& view, const Json& volume) {
  for (const auto& [name, each] : view.all(StorageKind::kAttachment)) {
    if (each.text_at({"spec", "source", "persistentVolumeName"}) != storage_name(volume)) continue;
    StorageStep step;
    step.operation = "delete";
    step.failed =
        StorageEvent{kProvisioner, "Warning", "VolumeFailedDelete",
                     "persistentvolume " + storage_name(volume) + " is still attached to node " +
                         each.text_at({"spec", "nodeName"})};
    return step;
  }
  if (has_finalizer(volume, kProvisionerFinalizer)) {
    return step_of("delete", remove_finalizer(StorageKind::kVolume, volume, kProvisionerFinalizer));
  }
  if (is_deleting(volume)) return {};
  const Json options = Json::object(
      {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", unchanged(volume)}});
  return step_of("delete", {"DELETE", storage_target(StorageKind::kVolume, storage_name(volume)),
                            to_text(options), "application/json"});
}

/// Whether the sandbox's controller `volumes` made the volume, and its claim is gone. That one does
/// not run beside the driver, and the binder that does cannot delete such volumes.
bool is_left_behind(const Json& volume) {
  const std::string& name = volume.text_at({"metadata", "name"});
  const Json& spec = volume.get("spec");
  const std::string& phase = volume.text_at({"status", "phase"});
  return spec.text_at({"hostPath", "path"}) == "/tmp/" + name &&
         name == "pvc-" + spec.text_at({"claimRef", "uid"}) &&
         spec.get("persistentVolumeReclaimPolicy").text() == "Delete" &&
         annotation_of(volume, kProvisionedBy).empty() &&
         (phase == "Released" || phase == "Failed");
}

/// A volume for one node only that is attached to another one, or may be.
const Json* rival_of(const StorageView& view, const Json& attachment, const Json& volume) {
  for (const Json& mode : volume.get("spec").get("accessModes").items()) {
    if (mode.text() == "ReadWriteMany" || mode.text() == "ReadOnlyMany") return nullptr;
  }
  for (const auto& [name, each] : view.all(StorageKind::kAttachment)) {
    if (each.text_at({"spec", "source", "persistentVolumeName"}) != storage_name(volume)) continue;
    if (each.get("spec").get("nodeName") == attachment.get("spec").get("nodeName")) continue;
    if (each.get("status").get("attached").boolean()) return &each;
  }
  return nullptr;
}

/// An error in the status of an attachment, or nothing to do if it is there already.
StorageStep error_step(const Json& attachment, const char* field, const std::string& message,
                       const std::string& now) {
  if (attachment.text_at({"status", field, "message"}) == message) return {};
  const Json error = Json::object({{"time", now}, {"message", message}});
  return step_of(field, patch(StorageKind::kAttachment, attachment,
                              Json::object({{"metadata", unchanged(attachment)},
                                            {"status", Json::object({{field, error}})}}),
                              "/status"));
}

StorageStep detaching_step(const StorageView& view, const Json& attachment, const Json* volume,
                           const std::string& now) {
  if (!has_finalizer(attachment, kAttacherFinalizer)) return {};
  StorageStep step;
  if (volume != nullptr) {
    const std::string& fault = setting(view, *volume, annotation::kDetach);
    if (fault == "never") return {};
    if (fault == "fail") return error_step(attachment, "detachError", kAnnotatedFailure, now);
    step.after = delay(view, *volume, annotation::kDetachSeconds);
  }
  step.operation = "detach";
  step.call = remove_finalizer(StorageKind::kAttachment, attachment, kAttacherFinalizer);
  return step;
}

StorageStep attaching_step(const StorageView& view, const Json& attachment, const Json& volume,
                           const std::string& now) {
  if (is_deleting(volume)) {
    return error_step(attachment, "attachError", "PersistentVolume is marked for deletion", now);
  }
  const std::string& fault = setting(view, volume, annotation::kAttach);
  if (fault == "never") return {};
  if (fault == "fail") return error_step(attachment, "attachError", kAnnotatedFailure, now);
  if (const Json* rival = rival_of(view, attachment, volume)) {
    return error_step(attachment, "attachError",
                      "rpc error: code = FailedPrecondition desc = volume " + storage_name(volume) +
                          " is attached to node " + rival->text_at({"spec", "nodeName"}),
                      now);
  }
  if (!has_finalizer(volume, kAttacherFinalizer)) {
    return step_of("attach", add_finalizer(StorageKind::kVolume, volume, kAttacherFinalizer));
  }
  const Json status = Json::object({{"attached", true}, {"attachError", Json()}});
  StorageStep step = step_of(
      "attach",
      patch(StorageKind::kAttachment, attachment,
            Json::object({{"metadata", unchanged(attachment)}, {"status", status}}), "/status"));
  step.after = delay(view, volume, annotation::kAttachSeconds);
  return step;
}

}  // namespace

StorageStep claim_step(const StorageView& view, const Json& claim) {
  if (!is_bound(claim)) return provisioning_step(view, claim);
  const Json* const volume = view.find(StorageKind::kVolume, claim.text_at({"spec", "volumeName"}));
  if (volume == nullptr || driver_of(*volume) != kStorageDriver || !belongs_to(*volume, claim) ||
      claim.text_at({"status", "phase"}) != "Bound") {
    return {};
  }
  StorageStep step = resizing_step(claim, *volume);
  return step.operation != nullptr ? step : modification_step(claim, *volume);
}

StorageStep volume_step(const StorageView& view, const Json& volume) {
  if (is_left_behind(volume)) return deletion_step(view, volume);
  if (driver_of(volume) != kStorageDriver) return {};
  if (is_deleting(volume) && has_finalizer(volume, kAttacherFinalizer)) {
    const StorageView::Objects& all = view.all(StorageKind::kAttachment);
    const bool attached = std::any_of(all.begin(), all.end(), [&](const auto& each) {
      return each.second.text_at({"spec", "source", "persistentVolumeName"}) ==
             storage_name(volume);
    });
    if (!attached) {
      return step_of("release", remove_finalizer(StorageKind::kVolume, volume, kAttacherFinalizer));
    }
  }
  if (annotation_of(volume, kProvisionedBy) != kStorageDriver) return {};
  const bool protects = has_finalizer(volume, kProvisionerFinalizer);
  const std::string& phase = volume.text_at({"status", "phase"});
  if (volume.text_at({"spec", "persistentVolumeReclaimPolicy"}) != "Delete") {
    if (!protects) return {};
    return step_of("keep", remove_finalizer(StorageKind::kVolume, volume, kProvisionerFinalizer));
  }
  if (phase == "Released") return deletion_step(view, volume);
  if (protects || is_deleting(volume) || phase == "Failed") return {};
  return step_of("protect", add_finalizer(StorageKind::kVolume, volume, kProvisionerFinalizer));
}

StorageStep attachment_step(const StorageView& view, const Json& attachment,
                            const std::string& now) {
  if (attachment.text_at({"spec", "attacher"}) != kStorageDriver) return {};
  const std::string& name = attachment.text_at({"spec", "source", "persistentVolumeName"});
  const Json* const volume = view.find(StorageKind::kVolume, name);
  if (is_deleting(attachment)) return detaching_step(view, attachment, volume, now);
  if (attachment.get("status").get("attached").boolean()) return {};
  if (!has_finalizer(attachment, kAttacherFinalizer)) {
    return step_of("attach",
                   add_finalizer(StorageKind::kAttachment, attachment, kAttacherFinalizer));
  }
  if (volume != nullptr) return attaching_step(view, attachment, *volume, now);
  return error_step(attachment, "attachError", "PersistentVolume \"" + name + "\" not found", now);
}

StorageStep node_step(const StorageView& view, const Json& node) {
  const std::optional<NodePower> power = power_of(node);
  if (!power || is_off(*power)) return {};
  const std::string host = host_name(node);
  if (annotation_of(node, kManagedAttach).empty() ||
      node.text_at({"metadata", "labels", kHostLabel}) != host) {
    Json metadata = Json::object({{"uid", node.get("metadata").get("uid")},
                                  {"annotations", Json::object({{kManagedAttach, "true"}})}});
    if (!host.empty()) metadata.set("labels", Json::object({{kHostLabel, host}}));
    return step_of("register", patch(StorageKind::kNode, node, with_metadata(metadata)));
  }
  const Json* const old = view.find(StorageKind::kCsiNode, storage_name(node));
  if (old == nullptr) {
    return step_of("register", {"POST", storage_collection(StorageKind::kCsiNode),
                                to_text(csi_node(node, nullptr)), "application/json"});
  }
  if (is_deleting(*old)) return {};
  const Json drivers = csi_node_drivers(node, old);
  const Json::Items& present = old->get("spec").get("drivers").items();
  if (std::find(present.begin(), present.end(), drivers.items().back()) != present.end()) return {};
  return step_of("register", patch(StorageKind::kCsiNode, *old,
                                   Json::object({{"metadata", unchanged(*old)},
                                                 {"spec", Json::object({{"drivers", drivers}})}})));
}

}  // namespace davit::sandbox
