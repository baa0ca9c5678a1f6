// k8s: pkg/apis/core/validation (ValidatePersistentVolumeSpec, ValidatePersistentVolumeUpdate),
// pkg/volume/validation, pkg/registry/core/persistentvolume, pkg/api/persistentvolume.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/claim_checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/config_rules.hpp"
#include "sandbox/kinds/pod_defaults.hpp"
#include "sandbox/kinds/pod_spec.hpp"
#include "sandbox/kinds/storage_checks.hpp"
#include "sandbox/kinds/volume_source_checks.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kVolumeSpec = "core.v1.PersistentVolumeSpec";
constexpr std::string_view kMountOptions = "volume.beta.kubernetes.io/mount-options";
constexpr std::size_t kTargetPortalMax = 64;

/// A Secret, whose name and namespace must be there; null is fine.
void check_secret_names(const Json& source, const FieldPath& path, FieldErrors& errors) {
  if (!is_set(source, "secretRef")) return;
  const FieldPath secret = path.child("secretRef");
  require_text(source.get("secretRef"), "name", secret, errors);
  require_text(source.get("secretRef"), "namespace", secret, errors);
}

void check_persistent_iscsi(const Json& source, const FieldPath& path, FieldErrors& errors) {
  check_iscsi(source, path, errors);
  check_secret_ref(source, path, errors);
}

void check_local(const Json& source, const FieldPath& path, FieldErrors& errors) {
  if (!require_text(source, "path", path, errors)) return;
  check_no_backstep(source, "path", path, errors);
}

void check_csi(const Json& source, const FieldPath& path, FieldErrors& errors) {
  check_csi_driver_name(source.get("driver").text(), path.child("driver"), errors);
  require_text(source, "volumeHandle", path, errors);
  // As upstream has it, nodeStageSecretRef is not checked.
  for (const std::string_view each : {"controllerPublishSecretRef", "controllerExpandSecretRef",
                                      "nodePublishSecretRef", "nodeExpandSecretRef"}) {
    if (!is_set(source, each)) continue;
    check_fields("core.v1.SecretReference", source.get(each), path.child(each), errors);
  }
}

constexpr std::string_view kFlexVolume = "flexVolume";

constexpr UnionMember kVolumeSources[] = {
    {"hostPath", {}, check_host_path},
    {"gcePersistentDisk", "core.v1.GCEPersistentDiskVolumeSource"},
    {"awsElasticBlockStore", "core.v1.AWSElasticBlockStoreVolumeSource"},
    {"glusterfs", "core.v1.GlusterfsPersistentVolumeSource"},
    {"flocker", {}, check_flocker},
    {"nfs", "core.v1.NFSVolumeSource", check_nfs},
    {"rbd", "core.v1.RBDPersistentVolumeSource"},
    {"quobyte", {}, check_quobyte},
    {"cephfs", "core.v1.CephFSPersistentVolumeSource"},
    {"iscsi", "core.v1.ISCSIPersistentVolumeSource", check_persistent_iscsi},
    {"cinder", "core.v1.CinderPersistentVolumeSource", check_secret_names},
    {"fc", {}, check_fibre_channel},
    {kFlexVolume, "core.v1.FlexPersistentVolumeSource", check_flex_volume},
    {"azureFile", "core.v1.AzureFilePersistentVolumeSource"},
    {"vsphereVolume", "core.v1.VsphereVirtualDiskVolumeSource"},
    {"photonPersistentDisk", "core.v1.PhotonPersistentDiskVolumeSource"},
    {"portworxVolume", "core.v1.PortworxVolumeSource"},
    {"azureDisk", "core.v1.AzureDiskVolumeSource", check_azure_disk},
    {"scaleIO", "core.v1.ScaleIOPersistentVolumeSource"},
    {"local", {}, check_local},
    {"storageos", "core.v1.StorageOSPersistentVolumeSource", check_secret_names},
    {"csi", {}, check_csi},
};

void check_sources(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  int count = 0;
  for (const UnionMember& each : kVolumeSources) {
    if (!is_set(spec, each.name)) continue;
    // As upstream has it, a flexVolume may stand beside another source.
    if (count++ == 0 || each.name == kFlexVolume) {
      check_union_member(each, spec.get(each.name), path.child(each.name), errors);
    } else {
      errors.push_back(more_than_one("volume type", path.text(each.name)));
    }
  }
  if (count == 0) errors.push_back(field_required(path.text(), "must specify a volume type"));
}

void check_capacity(const Json& capacity, const FieldPath& path, FieldErrors& errors) {
  if (capacity.empty()) errors.push_back(field_required(path.text()));
  if (capacity.size() > 1 || !capacity.contains("storage")) {
    errors.push_back(field_not_supported(path.text(), capacity, {"storage"}));
  }
  for (const Json::Member& each : capacity.members()) {
    const std::int64_t amount = quantity_milli(each.value.text()).value_or(1);
    const FieldPath at = path.key(each.key);
    if (amount < 0) {
      errors.push_back(field_invalid(at.text(), each.value, "must be a valid resource quantity"));
    }
    if (amount <= 0) {
      errors.push_back(field_invalid(at.text(), each.value, "must be greater than zero"));
    }
  }
}

/// Whether the path is "/" once its dots are resolved; one with ".." is refused anyway.
bool is_root_path(std::string_view path) {
  if (!path.starts_with('/')) return false;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (!part.empty() && part != ".") return false;
    path.remove_prefix(std::min(path.size(), part.size() + 1));
  }
  return true;
}

void check_volume_spec(const Json& spec, FieldErrors& errors) {
  check_access_modes(spec, kSpec, errors);
  check_capacity(spec.get("capacity"), kSpec.child("capacity"), errors);
  check_fields(kVolumeSpec, spec, {"persistentVolumeReclaimPolicy"}, kSpec, errors);
  const Json& affinity = spec.get("nodeAffinity");
  if (!affinity.is_null()) {
    const FieldPath path = kSpec.child("nodeAffinity");
    check_fields("core.v1.VolumeNodeAffinity", affinity, path, errors);
    if (is_set(affinity, "required")) {
      check_node_selector(affinity.get("required"), path.child("required"), errors);
    }
  }
  check_sources(spec, kSpec, errors);
  if (is_set(spec, "local") && affinity.is_null()) {
    errors.push_back(
        field_required(kSpec.text("nodeAffinity"), "Local volume requires node affinity"));
  }
  if (is_root_path(spec.text_at({"hostPath", "path"})) &&
      spec.get("persistentVolumeReclaimPolicy").text() == "Recycle") {
    errors.push_back(field_forbidden(kSpec.text("persistentVolumeReclaimPolicy"),
                                     "may not be 'recycle' for a hostPath mount of '/'"));
  }
  check_fields(kVolumeSpec, spec, {"storageClassName", "volumeMode", "volumeAttributesClassName"},
               kSpec, errors);
  if (is_set(spec, "volumeAttributesClassName") && !is_set(spec, "csi")) {
    errors.push_back(field_required(kSpec.text("csi"),
                                    "has to be specified when using volumeAttributesClassName"));
  }
}

/// The name of an iSCSI volume becomes part of the initiator's name.
void check_target_portal(const Json& volume, FieldErrors& errors) {
  const Json& iscsi = value_at(volume, {"spec", "iscsi"});
  if (!is_set(iscsi, "initiatorName")) return;
  const std::string& portal = iscsi.get("targetPortal").text();
  if (volume.text_at({"metadata", "name"}).size() + 1 + portal.size() <= kTargetPortalMax) return;
  errors.push_back(field_invalid(kSpec.text("iscsi.targetportal"), portal,
                                 "Total length of <volume name>:<iscsi.targetPortal> must be "
                                 "under 64 characters if iscsi.initiatorName is specified."));
}

/// The annotation of mount options, which only some sources may have.
void check_mount_options(const Json& volume, FieldErrors& errors) {
  if (!value_at(volume, {"metadata", "annotations"}).contains(kMountOptions)) return;
  for (const std::string_view each :
       {"gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "nfs", "rbd", "quobyte", "iscsi",
        "cinder", "cephfs", "azureFile", "vsphereVolume", "azureDisk", "photonPersistentDisk"}) {
    if (is_set(volume.get("spec"), each)) return;
  }
  errors.push_back(field_forbidden("metadata.annotations." + std::string(kMountOptions),
                                   "may not specify mount options for this volume type"));
}

/// The sources of a volume, as an update compares them with `old`: a Secret for expansion may be
/// added.
Json sources_of(const Json& spec, const Json& old) {
  Json out = Json::object();
  for (const UnionMember& each : kVolumeSources) {
    if (is_set(spec, each.name)) out.set(each.name, spec.get(each.name));
  }
  const Json& csi = old.get("csi");
  if (csi.is_object() && !is_set(csi, "controllerExpandSecretRef") && out.contains("csi")) {
    out["csi"].erase("controllerExpandSecretRef");
  }
  return out;
}

constexpr std::pair<std::string_view, std::string_view> kRetiredSources[] = {
    {"cephfs", "cephfs: deprecated in v1.28, non-functional in v1.31+"},
    {"photonPersistentDisk", "photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+"},
    {"scaleIO", "scaleIO: deprecated in v1.16, non-functional in v1.22+"},
    {"storageos", "storageOS: deprecated in v1.22, non-functional in v1.25+"},
    {"glusterfs", "glusterfs: deprecated in v1.25, non-functional in v1.26+"},
    {"rbd", "rbd: deprecated in v1.28, non-functional in v1.31+"},
};

class VolumeRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    Json& spec = object_member(object, "spec");
    replace_empty(spec, "persistentVolumeReclaimPolicy", "Retain");
    set_default(spec, "volumeMode", "Filesystem");
    set_volume_source_defaults(spec);
  }
  void prepare_create(Json& object) const override {
    object.set("status", Json::object({{"phase", "Pending"},
                                       {"lastPhaseTransitionTime",
                                        value_at(object, {"metadata", "creationTimestamp"})}}));
  }
  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override {
    std::vector<std::string> out;
    const Json& annotations = value_at(object, {"metadata", "annotations"});
    if (annotations.contains(kClassAnnotation)) out.push_back(class_annotation_warning());
    if (annotations.contains(kMountOptions)) {
      out.push_back("metadata.annotations[" + std::string(kMountOptions) +
                    "]: deprecated since v1.31; use \"mountOptions\" attribute instead");
    }
    const Json& spec = object.get("spec");
    if (spec.get("persistentVolumeReclaimPolicy").text() == "Recycle") {
      out.emplace_back(
          "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, "
          "the recommended approach is to use dynamic provisioning.");
    }
    for (const auto& [source, warning] : kRetiredSources) {
      if (is_set(spec, source)) out.push_back("spec." + std::string(warning));
    }
    return out;
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_volume_spec(object.get("spec"), errors);
    check_target_portal(object, errors);
    check_mount_options(object, errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_create(object, errors);
    const Json& spec = object.get("spec");
    const Json& old_spec = old.get("spec");
    if (sources_of(spec, old_spec) != sources_of(old_spec, old_spec)) {
      errors.push_back(field_forbidden(kSpec.text("persistentvolumesource"),
                                       "spec.persistentvolumesource is immutable after creation"));
    }
    // Upstream leaves out `spec` here.
    check_immutable(spec, old_spec, "volumeMode", FieldPath(), errors);
    const Json& affinity = spec.get("nodeAffinity");
    if (is_set(old_spec, "nodeAffinity") && affinity != old_spec.get("nodeAffinity")) {
      errors.push_back(
          field_invalid("nodeAffinity", affinity,
                        "field is immutable, except for updating from beta label to GA"));
    }
    if (is_set(old_spec, "volumeAttributesClassName") &&
        !is_set(spec, "volumeAttributesClassName")) {
      errors.push_back(field_forbidden(kSpec.text("volumeAttributesClassName"),
                                       "update from non-nil value to nil is forbidden"));
    }
  }
};

}  // namespace

void check_inline_volume_spec(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kNotInline = "may not be specified in the context of inline volumes";
  for (const std::string_view each : {"claimRef", "nodeAffinity"}) {
    if (is_set(spec, each)) errors.push_back(field_forbidden(path.text(each), kNotInline));
  }
  for (const std::string_view each : {"capacity", "storageClassName"}) {
    if (!spec.get(each).empty()) errors.push_back(field_forbidden(path.text(each), kNotInline));
  }
  if (!is_set(spec, "csi")) {
    errors.push_back(
        field_required(path.text("csi"), "has to be specified in the context of inline volumes"));
  }
  check_access_modes(spec, path, errors);
  const std::string& policy = spec.get("persistentVolumeReclaimPolicy").text();
  if (!policy.empty() && policy != "Retain") {
    errors.push_back(field_forbidden(path.text("persistentVolumeReclaimPolicy"),
                                     "may only be Retain in the context of inline volumes"));
  }
  check_sources(spec, path, errors);
  const Json& mode = spec.get("volumeMode");
  if (!mode.is_null() && mode.text() != "Filesystem") {
    errors.push_back(field_forbidden(path.text("volumeMode"),
                                     "may not specify volumeMode other than Filesystem in the "
                                     "context of inline volumes"));
  }
}

std::shared_ptr<const KindRules> volume_rules(const KindFacts& facts) {
  return std::make_shared<VolumeRules>(facts);
}

}  // namespace davit::sandbox
