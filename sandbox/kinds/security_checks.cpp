#include <algorithm>
#include <limits>

#include "lib/kube/validation/pattern.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kPodSecurity = "core.v1.PodSecurityContext";
constexpr std::string_view kContainerSecurity = "core.v1.SecurityContext";
constexpr std::size_t kProfileBytesMax = 4095;
constexpr std::size_t kSysctlBytesMax = 253;
constexpr std::string_view kSysctlForm =
    R"(^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$)";

void check_seccomp(const Json& profile, const FieldPath& path, FieldErrors& errors) {
  if (profile.is_null()) return;
  const std::string& type = profile.get("type").text();
  check_fields("core.v1.SeccompProfile", profile, path, errors);
  if (type != "Localhost") {
    if (is_set(profile, "localhostProfile")) {
      errors.push_back(field_invalid(path.text("localhostProfile"), profile,
                                     "can only be set when seccomp type is Localhost"));
    }
  } else if (!is_set(profile, "localhostProfile")) {
    errors.push_back(field_required(path.text("localhostProfile"),
                                    "must be set when seccomp type is Localhost"));
  } else {
    check_descending_path(profile, "localhostProfile", path, errors);
  }
}

bool adds_admin_rights(const Json& context) {
  const Json::Items& added = context.get("capabilities").get("add").items();
  return std::any_of(added.begin(), added.end(),
                     [](const Json& each) { return each.text() == "CAP_SYS_ADMIN"; });
}

/// k8s: ValidateAppArmorProfileField.
void check_app_armor(const Json& profile, const FieldPath& path, FieldErrors& errors) {
  if (profile.is_null()) return;
  const std::size_t before = errors.size();
  check_fields("core.v1.AppArmorProfile", profile, path, errors);
  if (errors.size() != before) return;
  const FieldPath here = path.child("localhostProfile");
  const Json& value = profile.get("localhostProfile");
  const std::string& name = value.text();
  if (profile.get("type").text() != "Localhost") {
    if (value.is_null()) return;
    errors.push_back(
        field_invalid(here.text(), name, "can only be set when AppArmor type is Localhost"));
    return;
  }
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  if (name.empty()) {
    errors.push_back(field_required(here.text(), "must be set when AppArmor type is Localhost"));
  } else if (kBlanks.find(name.front()) != std::string_view::npos ||
             kBlanks.find(name.back()) != std::string_view::npos) {
    errors.push_back(field_invalid(here.text(), name, "must not be padded with whitespace"));
  }
  if (name.size() > kProfileBytesMax) {
    errors.push_back(field_too_long(here.text(), kProfileBytesMax));
  }
}

/// "net/ipv4.x": whichever separator comes first is the one that counts.
std::string with_dots(std::string name) {
  const std::size_t first = name.find_first_of("./");
  if (first == std::string::npos || name[first] == '.') return name;
  for (char& each : name) {
    if (each == '/') {
      each = '.';
    } else if (each == '.') {
      each = '/';
    }
  }
  return name;
}

/// Parameters of a namespace that the pod shares with its node. k8s: ValidateHostSysctl.
void check_host_sysctl(const Json& spec, const std::string& name, const FieldPath& path,
                       FieldErrors& errors) {
  const std::string plain = with_dots(name);
  const bool ipc = plain == "kernel.sem" || plain.starts_with("kernel.shm") ||
                   plain.starts_with("kernel.msg") || plain.starts_with("fs.mqueue.");
  if (plain.starts_with("net.") && spec.get("hostNetwork").boolean()) {
    errors.push_back(
        field_invalid(path.text(), name, "may not be specified when 'hostNetwork' is true"));
  } else if (ipc && spec.get("hostIPC").boolean()) {
    errors.push_back(
        field_invalid(path.text(), name, "may not be specified when 'hostIPC' is true"));
  }
}

bool is_sysctl_name(std::string_view name) {
  static const Pattern kForm = *Pattern::compile(kSysctlForm);
  return name.size() <= kSysctlBytesMax && kForm.matches(name);
}

void check_sysctls(const Json& spec, const Json& sysctls, const FieldPath& path,
                   FieldErrors& errors) {
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const Json& each : sysctls.items()) {
    const FieldPath here = path.index(index++);
    check_fields("core.v1.Sysctl", each, here, errors);
    const std::string& name = each.get("name").text();
    if (name.empty()) continue;
    if (!is_sysctl_name(name)) {
      errors.push_back(field_invalid(
          here.text("name"), name,
          "must have at most 253 characters and match regex " + std::string(kSysctlForm)));
    } else if (!seen.insert(name).second) {
      errors.push_back(field_duplicate(here.text("name"), name));
    }
    check_host_sysctl(spec, name, here.child("name"), errors);
  }
}

/// Mounting with one label is not open to all volumes yet (k8s: feature gate SELinuxMount).
void check_label_change_policy(const Json& context, const FieldPath& path, FieldErrors& errors) {
  const Json& policy = context.get("seLinuxChangePolicy");
  if (policy.is_null() || policy.text() == "Recursive") return;
  errors.push_back(field_not_supported(path.text("seLinuxChangePolicy"), policy, {"Recursive"}));
}

}  // namespace

void check_pod_security(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& context = spec.get("securityContext");
  check_fields(kPodSecurity, context, {"fsGroup", "runAsUser", "runAsGroup", "supplementalGroups"},
               path, errors);
  if (spec.get("shareProcessNamespace").boolean() && spec.get("hostPID").boolean()) {
    errors.push_back(field_invalid(path.text("shareProcessNamespace"), true,
                                   "ShareProcessNamespace and HostPID cannot both be enabled"));
  }
  check_sysctls(spec, context.get("sysctls"), path.child("sysctls"), errors);
  check_fields(kPodSecurity, context, {"fsGroupChangePolicy"}, path, errors);
  check_seccomp(context.get("seccompProfile"), path.child("seccompProfile"), errors);
  check_windows_options(context.get("windowsOptions"), path.child("windowsOptions"), errors);
  check_app_armor(context.get("appArmorProfile"), path.child("appArmorProfile"), errors);
  check_fields(kPodSecurity, context, {"supplementalGroupsPolicy"}, path, errors);
  check_label_change_policy(context, path, errors);
}

bool uses_host_users(const Json& spec) {
  const Json& own = spec.get("hostUsers");
  return own.is_null() || own.boolean();
}

void check_container_security(const Json& context, bool host_users, const FieldPath& path,
                              FieldErrors& errors) {
  if (context.size() == 0) return;
  check_fields(kContainerSecurity, context, {"runAsUser", "runAsGroup", "procMount"}, path, errors);
  if (host_users && context.get("procMount").text() == "Unmasked") {
    errors.push_back(field_invalid(path.text("procMount"), "Unmasked",
                                   "`hostUsers` must be false to use `Unmasked`"));
  }
  check_seccomp(context.get("seccompProfile"), path.child("seccompProfile"), errors);
  const Json& escalation = context.get("allowPrivilegeEscalation");
  if (escalation.is_boolean() && !escalation.boolean()) {
    if (context.get("privileged").boolean()) {
      errors.push_back(
          field_invalid(path.text(), context,
                        "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"));
    }
    if (adds_admin_rights(context)) {
      errors.push_back(field_invalid(path.text(), context,
                                     "cannot set `allowPrivilegeEscalation` to false and "
                                     "`capabilities.Add` CAP_SYS_ADMIN"));
    }
  }
  check_windows_options(context.get("windowsOptions"), path.child("windowsOptions"), errors);
  check_app_armor(context.get("appArmorProfile"), path.child("appArmorProfile"), errors);
}

}  // namespace davit::sandbox
