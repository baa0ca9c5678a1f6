#include <algorithm>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"
#include "sandbox/kinds/probe_checks.hpp"

namespace davit::sandbox {

namespace {

using Names = std::set<std::string, std::less<>>;

constexpr std::string_view kContainer = "core.v1.Container";
constexpr std::string_view kContainerPort = "core.v1.ContainerPort";
constexpr std::string_view kVolumeMount = "core.v1.VolumeMount";
constexpr std::string_view kVolumeDevice = "core.v1.VolumeDevice";

/// The facts about a pod that the rules of its containers need.
struct PodView {
  const Json& spec;
  const VolumeNames& volumes;
  const std::string& restart_policy;
  const Json& grace_seconds;
};

/// Whether the volume is made of a claim. Those that the spec does not have are: they are the
/// claims of a StatefulSet.
bool is_claim(const Json& spec, std::string_view name) {
  for (const Json& each : spec.get("volumes").items()) {
    if (each.get("name").text() != name) continue;
    return is_set(each, "persistentVolumeClaim") || is_set(each, "ephemeral");
  }
  return true;
}

/// A volume is either mounted or a device, and both share one space of paths. `others` are those of
/// the other kind, `list` is their field.
void check_overlap(const Json& each, std::string_view path_field, const Json& others,
                   std::string_view other_field, const std::string& list, const FieldPath& path,
                   FieldErrors& errors) {
  const Json& name = each.get("name");
  const Json& at = each.get(path_field);
  const auto taken = [&](std::string_view field, const Json& value) {
    const Json::Items& items = others.items();
    return std::any_of(items.begin(), items.end(),
                       [&](const Json& other) { return other.get(field).text() == value.text(); });
  };
  if (taken("name", name)) {
    errors.push_back(
        field_invalid(path.text("name"), Json(name.text()), "must not already exist in " + list));
  }
  if (taken(other_field, at)) {
    errors.push_back(field_invalid(path.text(path_field), Json(at.text()),
                                   "must not already exist as a path in " + list));
  }
}

/// k8s: validateMountPropagation, but for the value itself.
void check_propagation(const Json& mount, const Json& container, const FieldPath& path,
                       FieldErrors& errors) {
  check_fields(kVolumeMount, mount, {"mountPropagation"}, path, errors);
  if (mount.get("mountPropagation").text() == "Bidirectional" &&
      !container.get("securityContext").get("privileged").boolean()) {
    errors.push_back(
        field_forbidden(path.text("mountPropagation"),
                        "Bidirectional mount propagation is available only to privileged "
                        "containers"));
  }
}

/// k8s: validateMountRecursiveReadOnly.
void check_recursive_read_only(const Json& mount, const FieldPath& path, FieldErrors& errors) {
  if (!is_set(mount, "recursiveReadOnly")) return;
  const std::string field = path.text("recursiveReadOnly");
  const std::string& mode = mount.get("recursiveReadOnly").text();
  if (mode == "Disabled") return;
  if (mode != "Enabled" && mode != "IfPossible") {
    errors.push_back(field_not_supported(field, mode, {"Disabled", "Enabled", "IfPossible"}));
    return;
  }
  if (!mount.get("readOnly").boolean()) {
    errors.push_back(field_forbidden(field, "may only be specified when readOnly is true"));
  }
  const Json& propagation = mount.get("mountPropagation");
  if (!propagation.is_null() && propagation.text() != "None") {
    errors.push_back(field_forbidden(
        field, "may only be specified when mountPropagation is None or not specified"));
  }
}

void check_ports(const Json& ports, const FieldPath& path, FieldErrors& errors) {
  Names names;
  std::size_t index = 0;
  for (const Json& each : ports.items()) {
    const FieldPath here = path.index(index++);
    const std::size_t before = errors.size();
    check_fields(kContainerPort, each, {"name"}, here, errors);
    const std::string& name = each.get("name").text();
    if (!name.empty() && errors.size() == before && !names.insert(name).second) {
      errors.push_back(field_duplicate(here.text("name"), name));
    }
    check_fields(kContainerPort, each, {"containerPort", "hostPort", "protocol"}, here, errors);
  }
}

void check_volume_mounts(const Json& container, const VolumeNames& volumes, const FieldPath& path,
                         FieldErrors& errors) {
  Names mount_paths;
  std::size_t index = 0;
  for (const Json& each : container.get("volumeMounts").items()) {
    const FieldPath here = path.index(index++);
    const std::string& name = each.get("name").text();
    check_fields(kVolumeMount, each, {"name"}, here, errors);
    if (!volumes.contains(name)) errors.push_back(field_not_found(here.text("name"), name));
    const std::string& mount_path = each.get("mountPath").text();
    check_fields(kVolumeMount, each, {"mountPath"}, here, errors);
    if (!mount_paths.insert(mount_path).second) {
      errors.push_back(field_invalid(here.text("mountPath"), mount_path, "must be unique"));
    }
    check_overlap(each, "mountPath", container.get("volumeDevices"), "devicePath", "volumeDevices",
                  here, errors);
    // Upstream names the list here, not its element.
    check_descending_path(each, "subPath", path, errors);
    if (!each.get("subPathExpr").empty() && !each.get("subPath").empty()) {
      errors.push_back(field_invalid(here.text("subPathExpr"), each.get("subPathExpr"),
                                     "subPathExpr and subPath are mutually exclusive"));
    }
    check_descending_path(each, "subPathExpr", path, errors);
    check_propagation(each, container, path, errors);
    check_recursive_read_only(each, path, errors);
  }
}

void check_device_path(const Json& device, Names& paths, const FieldPath& path,
                       FieldErrors& errors) {
  check_fields(kVolumeDevice, device, {"devicePath"}, path, errors);
  const std::string& text = device.get("devicePath").text();
  if (paths.contains(text)) {
    errors.push_back(field_invalid(path.text("devicePath"), text, "must be unique"));
  }
  if (has_backstep(text)) {
    errors.push_back(
        field_invalid(path.text("devicePath"), text, "can not contain backsteps ('..')"));
  } else {
    paths.insert(text);
  }
}

void check_volume_devices(const Json& container, const PodView& pod, const FieldPath& path,
                          FieldErrors& errors) {
  Names names;
  Names paths;
  std::size_t index = 0;
  for (const Json& each : container.get("volumeDevices").items()) {
    const FieldPath here = path.index(index++);
    const std::string& name = each.get("name").text();
    check_fields(kVolumeDevice, each, {"name"}, here, errors);
    if (!name.empty() && !names.insert(name).second) {
      errors.push_back(field_invalid(here.text("name"), name, "must be unique"));
    }
    if (!pod.volumes.contains(name)) {
      errors.push_back(field_not_found(here.text("name"), name));
    } else if (!is_claim(pod.spec, name)) {
      errors.push_back(field_invalid(here.text("name"), name,
                                     "can only use volume source type of PersistentVolumeClaim or "
                                     "Ephemeral for block mode"));
    }
    check_device_path(each, paths, here, errors);
    check_overlap(each, "devicePath", container.get("volumeMounts"), "mountPath", "volumeMounts",
                  here, errors);
  }
}

void check_resize_policy(const Json& policies, const std::string& restart_policy,
                         const FieldPath& path, FieldErrors& errors) {
  Names seen;
  std::size_t index = 0;
  for (const Json& each : policies.items()) {
    const std::string& resource = each.get("resourceName").text();
    if (!seen.insert(resource).second) {
      errors.push_back(field_duplicate(path.index(index).text(), resource));
    }
    ++index;
    if (resource != "cpu" && resource != "memory") {
      errors.push_back(field_not_supported(path.text(), resource, {"cpu", "memory"}));
    }
    const std::string& policy = each.get("restartPolicy").text();
    if (policy != "NotRequired" && policy != "RestartContainer") {
      errors.push_back(
          field_not_supported(path.text(), policy, {"NotRequired", "RestartContainer"}));
    } else if (restart_policy == "Never" && policy != "NotRequired") {
      errors.push_back(field_invalid(path.text(), policy,
                                     "must be 'NotRequired' when `restartPolicy` is 'Never'"));
    }
  }
}

/// k8s: validateContainerCommon.
void check_container(const Json& container, const PodView& pod, const FieldPath& path,
                     FieldErrors& errors) {
  check_fields(kContainer, container, {"name", "image", "terminationMessagePolicy"}, path, errors);
  check_ports(container.get("ports"), path.child("ports"), errors);
  check_env(container.get("env"), path.child("env"), errors);
  check_env_from(container.get("envFrom"), path.child("envFrom"), errors);
  check_volume_mounts(container, pod.volumes, path.child("volumeMounts"), errors);
  check_volume_devices(container, pod, path.child("volumeDevices"), errors);
  check_fields(kContainer, container, {"imagePullPolicy"}, path, errors);
  check_resources(container.get("resources"), path.child("resources"), errors);
  check_resource_claims(container.get("resources").get("claims"), pod.spec.get("resourceClaims"),
                        path.child("resources.claims"), errors);
  check_resize_policy(container.get("resizePolicy"), pod.restart_policy, path.child("resizePolicy"),
                      errors);
  check_container_security(container.get("securityContext"), uses_host_users(pod.spec),
                           path.child("securityContext"), errors);
}

void check_health(const Json& container, const PodView& pod, const FieldPath& path,
                  FieldErrors& errors) {
  check_lifecycle(container.get("lifecycle"), pod.grace_seconds, path.child("lifecycle"), errors);
  check_probe(container.get("livenessProbe"), ProbePurpose::kLiveness, path.child("livenessProbe"),
              errors);
  check_probe(container.get("readinessProbe"), ProbePurpose::kReadiness,
              path.child("readinessProbe"), errors);
  check_probe(container.get("startupProbe"), ProbePurpose::kStartup, path.child("startupProbe"),
              errors);
}

/// k8s: validateContainerRestartPolicy.
void check_restart_policy(const Json& container, const FieldPath& path, FieldErrors& errors) {
  const Json& rules = container.get("restartPolicyRules");
  check_fields(kContainer, container, {"restartPolicy"}, path, errors);
  if (!is_set(container, "restartPolicy") && rules.size() != 0) {
    errors.push_back(field_required(path.text("restartPolicy"),
                                    "must specify restartPolicy when restart rules are used"));
  }
  check_fields(kContainer, container, {"restartPolicyRules"}, path, errors);
  const FieldPath list = path.child("restartPolicyRules");
  std::size_t index = 0;
  for (const Json& each : rules.items()) {
    const FieldPath here = list.index(index++);
    check_fields("core.v1.ContainerRestartRule", each, here, errors);
    if (!is_set(each, "exitCodes")) {
      errors.push_back(field_required(here.text("exitCodes"), "must be specified"));
    }
  }
}

/// "TCP//80" must not come twice.
void check_host_ports(const Json& container, Names& taken, const FieldPath& path,
                      FieldErrors& errors) {
  const FieldPath ports = path.child("ports");
  std::size_t index = 0;
  for (const Json& each : container.get("ports").items()) {
    const std::size_t here = index++;
    const std::int64_t port = each.get("hostPort").integer_or(0);
    if (port == 0) continue;
    const std::string text =
        each.get("protocol").text() + '/' + each.get("hostIP").text() + '/' + std::to_string(port);
    if (taken.insert(text).second) continue;
    const FieldPath element = ports.index(here);
    errors.push_back(field_duplicate(element.text("hostPort"), text));
  }
}

Names check_containers(const Json& containers, const PodView& pod, const FieldPath& path,
                       FieldErrors& errors) {
  Names names;
  if (containers.size() == 0) errors.push_back(field_required(path.text()));
  std::size_t index = 0;
  for (const Json& each : containers.items()) {
    const FieldPath here = path.index(index++);
    check_container(each, pod, here, errors);
    const std::string& name = each.get("name").text();
    if (!names.insert(name).second) errors.push_back(field_duplicate(here.text("name"), name));
    check_health(each, pod, here, errors);
    check_restart_policy(each, here, errors);
  }
  Names host_ports;
  index = 0;
  for (const Json& each : containers.items()) {
    check_host_ports(each, host_ports, path.index(index++), errors);
  }
  return names;
}

void forbid_health(const Json& container, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view each :
       {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
    if (is_set(container, each)) {
      errors.push_back(field_forbidden(
          path.text(each), "may not be set for init containers without restartPolicy=Always"));
    }
  }
}

void check_init_containers(const Json& containers, const PodView& pod, Names& names,
                           const FieldPath& path, FieldErrors& errors) {
  std::size_t index = 0;
  for (const Json& each : containers.items()) {
    const FieldPath here = path.index(index++);
    check_container(each, pod, here, errors);
    check_restart_policy(each, here, errors);
    const std::string& name = each.get("name").text();
    if (!name.empty() && !names.insert(name).second) {
      errors.push_back(field_duplicate(here.text("name"), name));
    }
    Names host_ports;  // Init containers run one after the other.
    check_host_ports(each, host_ports, here, errors);
    if (each.get("restartPolicy").text() == "Always") {
      check_health(each, pod, here, errors);
    } else {
      forbid_health(each, here, errors);
    }
  }
}

void forbid_sub_paths(const Json& container, const FieldPath& path, FieldErrors& errors) {
  std::size_t index = 0;
  for (const Json& mount : container.get("volumeMounts").items()) {
    const FieldPath here = path.index(index++);
    for (const std::string_view field : {"subPath", "subPathExpr"}) {
      if (mount.get(field).empty()) continue;
      errors.push_back(
          field_forbidden(here.text(field), "cannot be set for an Ephemeral Container"));
    }
  }
}

void check_ephemeral_containers(const Json& containers, const PodView& pod, Names& names,
                                const FieldPath& path, FieldErrors& errors) {
  const Names others = names;
  std::size_t index = 0;
  for (const Json& each : containers.items()) {
    const FieldPath here = path.index(index++);
    check_container(each, pod, here, errors);
    const std::string& name = each.get("name").text();
    if (!names.insert(name).second) errors.push_back(field_duplicate(here.text("name"), name));
    const std::string& target = each.get("targetContainerName").text();
    if (!target.empty() && !others.contains(target)) {
      errors.push_back(field_not_found(here.text("targetContainerName"), target));
    }
    for (const std::string_view field :
         {"ports", "resources", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle"}) {
      if (each.get(field).empty()) continue;
      errors.push_back(
          field_forbidden(here.text(field), "cannot be set for an Ephemeral Container"));
    }
    forbid_sub_paths(each, here.child("volumeMounts"), errors);
  }
}

}  // namespace

void check_all_containers(const Json& spec, const VolumeNames& volumes, const FieldPath& path,
                          FieldErrors& errors) {
  const PodView pod{spec, volumes, spec.get("restartPolicy").text(),
                    spec.get("terminationGracePeriodSeconds")};
  Names names = check_containers(spec.get("containers"), pod, path.child("containers"), errors);
  check_init_containers(spec.get("initContainers"), pod, names, path.child("initContainers"),
                        errors);
  check_ephemeral_containers(spec.get("ephemeralContainers"), pod, names,
                             path.child("ephemeralContainers"), errors);
}

}  // namespace davit::sandbox
