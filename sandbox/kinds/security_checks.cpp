#include <algorithm>
#include <limits>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"

namespace davit::sandbox {

namespace {

constexpr std::int64_t kIdMax = std::numeric_limits<std::int32_t>::max();

/// A user's or a group's number.
void check_id(const Json& id, const FieldPath& path, FieldErrors& errors) {
  if (id.is_null()) return;
  const std::int64_t number = id.integer_or(-1);
  if (number >= 0 && number <= kIdMax) return;
  errors.push_back(field_invalid(path.text(), id, range_text(0, kIdMax)));
}

void check_optional_choice(const Json& holder, std::string_view field,
                           std::initializer_list<std::string_view> choices, const FieldPath& path,
                           FieldErrors& errors) {
  if (is_set(holder, field)) check_choice(holder, field, choices, path, errors);
}

void check_seccomp(const Json& profile, const FieldPath& path, FieldErrors& errors) {
  if (profile.is_null()) return;
  const std::string& type = profile.get("type").text();
  if (type.empty()) {
    errors.push_back(
        field_required(path.text("type"), "type is required when seccompProfile is set"));
  } else if (type != "Localhost" && type != "RuntimeDefault" && type != "Unconfined") {
    errors.push_back(field_not_supported(path.text("type"), type,
                                         {"Localhost", "RuntimeDefault", "Unconfined"}));
  }
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
    if (!require_text(each, "name", here, errors)) continue;
    const std::string& name = each.get("name").text();
    if (!seen.insert(name).second) errors.push_back(field_duplicate(here.text("name"), name));
  }
}

}  // namespace

void check_pod_security(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& context = spec.get("securityContext");
  if (context.size() == 0) return;
  for (const std::string_view each : {"fsGroup", "runAsUser", "runAsGroup"}) {
    check_id(context.get(each), path.child(each), errors);
  }
  const FieldPath groups = path.child("supplementalGroups");
  std::size_t index = 0;
  for (const Json& each : context.get("supplementalGroups").items()) {
    check_id(each, groups.index(index++), errors);
  }
  check_sysctls(context.get("sysctls"), path.child("sysctls"), errors);
  check_optional_choice(context, "fsGroupChangePolicy", {"Always", "OnRootMismatch"}, path, errors);
  check_seccomp(context.get("seccompProfile"), path.child("seccompProfile"), errors);
  check_optional_choice(context, "supplementalGroupsPolicy", {"Merge", "Strict"}, path, errors);
  check_optional_choice(context, "seLinuxChangePolicy", {"MountOption", "Recursive"}, path, errors);
}

void check_container_security(const Json& context, const FieldPath& path, FieldErrors& errors) {
  if (context.size() == 0) return;
  check_id(context.get("runAsUser"), path.child("runAsUser"), errors);
  check_id(context.get("runAsGroup"), path.child("runAsGroup"), errors);
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
  check_optional_choice(context, "procMount", {"Default", "Unmasked"}, path, errors);
}

}  // namespace davit::sandbox
