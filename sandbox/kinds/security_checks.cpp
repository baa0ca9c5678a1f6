#include <algorithm>
#include <limits>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kPodSecurity = "core.v1.PodSecurityContext";
constexpr std::string_view kContainerSecurity = "core.v1.SecurityContext";

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

void check_sysctls(const Json& sysctls, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const Json& each : sysctls.items()) {
    const FieldPath here = path.index(index++);
    check_fields("core.v1.Sysctl", each, here, errors);
    const std::string& name = each.get("name").text();
    if (!name.empty() && !seen.insert(name).second)
      errors.push_back(field_duplicate(here.text("name"), name));
  }
}

}  // namespace

void check_pod_security(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& context = spec.get("securityContext");
  if (context.size() == 0) return;
  check_fields(kPodSecurity, context, {"fsGroup", "runAsUser", "runAsGroup", "supplementalGroups"},
               path, errors);
  check_sysctls(context.get("sysctls"), path.child("sysctls"), errors);
  check_fields(kPodSecurity, context, {"fsGroupChangePolicy"}, path, errors);
  check_seccomp(context.get("seccompProfile"), path.child("seccompProfile"), errors);
  check_fields(kPodSecurity, context, {"supplementalGroupsPolicy", "seLinuxChangePolicy"}, path,
               errors);
}

void check_container_security(const Json& context, const FieldPath& path, FieldErrors& errors) {
  if (context.size() == 0) return;
  check_fields(kContainerSecurity, context, {"runAsUser", "runAsGroup"}, path, errors);
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
  check_fields(kContainerSecurity, context, {"procMount"}, path, errors);
}

}  // namespace davit::sandbox
