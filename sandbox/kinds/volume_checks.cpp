#include <algorithm>
#include <span>

#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"
#include "sandbox/kinds/volume_source_checks.hpp"

namespace davit::sandbox {

bool has_backstep(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

namespace {

constexpr std::int64_t kTokenSecondsMin = 600;
constexpr std::int64_t kTokenSecondsMax = std::int64_t{1} << 32U;

/// The path of a file that a volume writes.
void check_file_path(const Json& item, const FieldPath& path, FieldErrors& errors) {
  if (!require_text(item, "path", path, errors)) return;
  check_descending_path(item, "path", path, errors);
  const std::string& text = item.get("path").text();
  if (text.starts_with("..") && !has_backstep(text)) {
    errors.push_back(field_invalid(path.text("path"), text, "must not start with '..'"));
  }
}

void check_key_items(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const FieldPath items = path.child("items");
  std::size_t index = 0;
  for (const Json& each : source.get("items").items()) {
    const FieldPath here = items.index(index++);
    check_fields("core.v1.KeyToPath", each, {"key"}, here, errors);
    check_file_path(each, here, errors);
    check_fields("core.v1.KeyToPath", each, {"mode"}, here, errors);
  }
}

/// Upstream's paths leave out `items` and the index here.
void check_downward_items(const Json& source, const FieldPath& path, FieldErrors& errors) {
  for (const Json& each : source.get("items").items()) {
    check_file_path(each, path, errors);
    if (is_set(each, "fieldRef")) {
      check_volume_field_ref(each.get("fieldRef"), path.child("fieldRef"), errors);
      if (is_set(each, "resourceFieldRef")) {
        errors.push_back(
            field_invalid(path.text(), "resource",
                          "fieldRef and resourceFieldRef can not be specified simultaneously"));
      }
    } else if (is_set(each, "resourceFieldRef")) {
      check_volume_resource_ref(each.get("resourceFieldRef"), path.child("resourceFieldRef"),
                                errors);
    } else {
      errors.push_back(
          field_required(path.text(), "one of fieldRef and resourceFieldRef is required"));
    }
    check_fields("core.v1.DownwardAPIVolumeFile", each, path, errors);
  }
}

void check_empty_dir(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const Json& limit = source.get("sizeLimit");
  if (limit.is_null() || quantity_milli(limit.text()).value_or(0) >= 0) return;
  errors.push_back(
      field_forbidden(path.text("sizeLimit"), "SizeLimit field must be a valid resource quantity"));
}

void check_token(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const Json& seconds = source.get("expirationSeconds");
  if (seconds.integer_or(kTokenSecondsMin) < kTokenSecondsMin) {
    errors.push_back(field_invalid(path.text("expirationSeconds"), seconds,
                                   "may not specify a duration less than 10 minutes"));
  } else if (seconds.integer_or(0) > kTokenSecondsMax) {
    errors.push_back(field_invalid(path.text("expirationSeconds"), seconds,
                                   "may not specify a duration larger than 2^32 seconds"));
  }
}

constexpr std::string_view kVolumeType = "volume type";

constexpr UnionMember kProjectedSources[] = {
    {"secret", "core.v1.SecretProjection", check_key_items},
    {"configMap", "core.v1.ConfigMapProjection", check_key_items},
    {"downwardAPI", {}, check_downward_items},
    {"serviceAccountToken", {}, check_token},
    {"clusterTrustBundle"},
    {"podCertificate"},
};

/// Two sources must not write the same file. Upstream names the volume, not the source.
void check_projected_paths(const Json& source, std::set<std::string, std::less<>>& taken,
                           const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view kind : {"secret", "configMap", "downwardAPI"}) {
    const Json& files = source.get(kind);
    for (const Json& each : files.get("items").items()) {
      const std::string& file = each.get("path").text();
      if (file.empty() || taken.insert(file).second) continue;
      errors.push_back(field_invalid(path.text(), kind == "downwardAPI" ? file : files.get("name"),
                                     "conflicting duplicate paths"));
    }
  }
}

void check_projected(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const FieldPath sources = path.child("sources");
  std::set<std::string, std::less<>> taken;
  std::size_t index = 0;
  for (const Json& each : source.get("sources").items()) {
    const FieldPath here = sources.index(index++);
    int count = 0;
    for (const UnionMember& known : kProjectedSources) {
      if (!is_set(each, known.name)) continue;
      ++count;
      check_union_member(known, each.get(known.name), here.child(known.name), errors);
    }
    check_projected_paths(each, taken, path, errors);
    // Upstream names the volume here, not its source.
    if (is_set(each, "serviceAccountToken")) {
      check_file_path(each.get("serviceAccountToken"), path, errors);
    }
    if (count > 1) {
      errors.push_back(
          field_forbidden(here.text(), "may not specify more than 1 volume type per source"));
    }
  }
}

constexpr UnionMember kSources[] = {
    {"emptyDir", {}, check_empty_dir},
    {"hostPath", {}, check_host_path},
    {"gitRepo", "core.v1.GitRepoVolumeSource", check_git_repo},
    {"gcePersistentDisk"},
    {"awsElasticBlockStore", "core.v1.AWSElasticBlockStoreVolumeSource"},
    {"secret", "core.v1.SecretVolumeSource", check_key_items},
    {"nfs", "core.v1.NFSVolumeSource", check_nfs},
    {"iscsi", "core.v1.ISCSIVolumeSource", check_iscsi},
    {"glusterfs", "core.v1.GlusterfsVolumeSource"},
    {"flocker", {}, check_flocker},
    {"persistentVolumeClaim", "core.v1.PersistentVolumeClaimVolumeSource"},
    {"rbd", "core.v1.RBDVolumeSource"},
    {"cinder", "core.v1.CinderVolumeSource", check_secret_ref},
    {"cephfs", "core.v1.CephFSVolumeSource"},
    {"quobyte", {}, check_quobyte},
    {"downwardAPI", "core.v1.DownwardAPIVolumeSource", check_downward_items},
    {"fc", {}, check_fibre_channel},
    {"flexVolume", "core.v1.FlexVolumeSource", check_flex_volume},
    {"configMap", "core.v1.ConfigMapVolumeSource", check_key_items},
    {"azureFile", "core.v1.AzureFileVolumeSource"},
    {"vsphereVolume", "core.v1.VsphereVirtualDiskVolumeSource"},
    {"photonPersistentDisk", "core.v1.PhotonPersistentDiskVolumeSource"},
    {"portworxVolume", "core.v1.PortworxVolumeSource"},
    {"azureDisk", "core.v1.AzureDiskVolumeSource", check_azure_disk},
    {"storageos", "core.v1.StorageOSVolumeSource", check_secret_ref},
    {"projected", "core.v1.ProjectedVolumeSource", check_projected},
    {"scaleIO", "core.v1.ScaleIOVolumeSource"},
    {"csi", {}, check_csi_source},
    {"ephemeral", {}, check_ephemeral},
    {"image", "core.v1.ImageVolumeSource"},
};

/// Upstream's path of this source is not the name of its field.
void check_google_disk(const Json& volume, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kDisk = "gcePersistentDisk";
  for (const UnionMember& each : kSources) {
    if (!is_set(volume, each.name)) continue;
    if (each.name != kDisk) return;
    check_fields("core.v1.GCEPersistentDiskVolumeSource", volume.get(kDisk),
                 path.child("persistentDisk"), errors);
    return;
  }
}

void check_volume(const Json& volume, const FieldPath& path, FieldErrors& errors) {
  const int count = check_union(volume, kSources, kVolumeType, path, errors);
  if (count == 0) errors.push_back(field_required(path.text(), "must specify a volume type"));
  check_google_disk(volume, path, errors);
  check_iscsi_names(volume, path, errors);
  check_fields("core.v1.Volume", volume, path, errors);
}

/// The part before a subscript: "metadata.labels" of "metadata.labels['a']".
std::string_view field_without_subscript(std::string_view field, std::string_view& subscript) {
  const std::size_t open = field.find("['");
  if (open == std::string_view::npos || !field.ends_with("']")) return field;
  subscript = field.substr(open + 2, field.size() - open - 4);
  return field.substr(0, open);
}

using FieldList = std::span<const std::string_view>;

bool contains(FieldList list, std::string_view field) {
  return std::find(list.begin(), list.end(), field) != list.end();
}

constexpr std::string_view kEnvFields[] = {"metadata.name",
                                           "metadata.namespace",
                                           "metadata.uid",
                                           "spec.nodeName",
                                           "spec.serviceAccountName",
                                           "status.hostIP",
                                           "status.hostIPs",
                                           "status.podIP",
                                           "status.podIPs"};
constexpr std::string_view kVolumeFields[] = {"metadata.annotations", "metadata.labels",
                                              "metadata.name", "metadata.namespace",
                                              "metadata.uid"};
/// Fields that have a name, though neither of the above may use them.
constexpr std::string_view kOtherFields[] = {"spec.host", "spec.restartPolicy",
                                             "spec.schedulerName", "status.phase"};

/// "metadata.labels['a']": the part in quotes is a key.
void check_subscript(std::string_view field, std::string_view subscript, const FieldPath& path,
                     FieldErrors& errors) {
  std::string key(subscript);
  if (field == "metadata.annotations") {
    std::transform(key.begin(), key.end(), key.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
  }
  add_invalid(check_qualified_name(key), key, path, errors);
}

void check_field_ref(const Json& ref, FieldList allowed, const FieldPath& path,
                     FieldErrors& errors) {
  if (!require_text(ref, "apiVersion", path, errors)) return;
  if (!require_text(ref, "fieldPath", path, errors)) return;
  const std::string& whole = ref.get("fieldPath").text();
  if (const std::string& version = ref.get("apiVersion").text(); version != "v1") {
    errors.push_back(
        field_invalid(path.text("fieldPath"), whole,
                      "error converting fieldPath: unsupported pod version: " + version));
    return;
  }
  std::string_view subscript;
  const std::string_view field = field_without_subscript(whole, subscript);
  const bool subscripted = field.size() != whole.size();
  if (subscripted && (field == "metadata.annotations" || field == "metadata.labels")) {
    check_subscript(field, subscript, path, errors);
  } else if (subscripted) {
    errors.push_back(field_invalid(
        path.text("fieldPath"), whole,
        "error converting fieldPath: field label does not support subscript: " + whole));
  } else if (!contains(kEnvFields, field) && !contains(kVolumeFields, field) &&
             !contains(kOtherFields, field)) {
    errors.push_back(
        field_invalid(path.text("fieldPath"), whole,
                      "error converting fieldPath: field label not supported: " + whole));
  } else if (!contains(allowed, whole)) {
    errors.push_back(
        field_not_supported(path.text("fieldPath"), whole, {allowed.begin(), allowed.end()}));
  }
}

}  // namespace

VolumeNames check_volumes(const Json& volumes, const FieldPath& path, FieldErrors& errors) {
  VolumeNames names;
  std::size_t index = 0;
  for (const Json& each : volumes.items()) {
    const FieldPath here = path.index(index++);
    const std::size_t before = errors.size();
    const std::string& name = each.get("name").text();
    check_volume(each, here, errors);
    if (names.contains(name)) errors.push_back(field_duplicate(here.text("name"), name));
    if (errors.size() == before) names.insert(name);
  }
  return names;
}

void check_env_field_ref(const Json& ref, const FieldPath& path, FieldErrors& errors) {
  check_field_ref(ref, kEnvFields, path, errors);
}

void check_volume_field_ref(const Json& ref, const FieldPath& path, FieldErrors& errors) {
  check_field_ref(ref, kVolumeFields, path, errors);
}

void check_host_path(const Json& source, const FieldPath& path, FieldErrors& errors) {
  if (!require_text(source, "path", path, errors)) return;
  check_no_backstep(source, "path", path, errors);
  if (source.get("type").text().empty()) return;
  const std::string& type = source.get("type").text();
  const std::vector<std::string> types = {
      "",     "BlockDevice",  "CharDevice", "Directory", "DirectoryOrCreate",
      "File", "FileOrCreate", "Socket"};
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    errors.push_back(field_not_supported(path.text("type"), type, types));
  }
}

void check_nfs(const Json& source, const FieldPath& path, FieldErrors& errors) {
  if (!source.get("path").text().starts_with('/')) {
    errors.push_back(field_invalid(path.text("path"), Json(source.get("path").text()),
                                   "must be an absolute path"));
  }
}

void check_no_backstep(const Json& holder, std::string_view field, const FieldPath& path,
                       FieldErrors& errors) {
  const std::string& text = holder.get(field).text();
  if (has_backstep(text)) {
    errors.push_back(field_invalid(path.text(field), text, "must not contain '..'"));
  }
}

void check_descending_path(const Json& holder, std::string_view field, const FieldPath& path,
                           FieldErrors& errors) {
  const std::string& text = holder.get(field).text();
  if (text.empty()) return;
  if (text.front() == '/') {
    errors.push_back(field_invalid(path.text(field), text, "must be a relative path"));
  }
  check_no_backstep(holder, field, path, errors);
}

}  // namespace davit::sandbox
