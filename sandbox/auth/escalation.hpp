/// Privilege escalation checks: a user grants only rights that the user holds
/// (k8s: pkg/registry/rbac, component-helpers/auth/rbac/validation).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/auth/auth.hpp"

namespace davit::sandbox {

/// Why a grant is refused.
struct GrantRefusal {
  std::string missing_role;  ///< Set: the role of a binding, which does not exist (404).
  std::string why;           ///< Else what the 403 says after "is forbidden: ".
};

/// A write of a Role, ClusterRole, RoleBinding or ClusterRoleBinding.
struct GrantRequest {
  const UserInfo& who;
  std::string_view resource;  ///< "roles"
  std::string_view ns;
  std::string_view name;  ///< The name in the URL; empty for POST.
  const Json& object;
  const Json& old;  ///< Null when the write creates.
};

/// Whether `resource` of `group` grants rights.
[[nodiscard]] bool grants_rights(std::string_view group, std::string_view resource);

/// Nothing when `who` may grant what the object grants: because he holds it, or may `escalate` the
/// role or `bind` the role that a binding names, or because an update changes owners and finalizers
/// only.
[[nodiscard]] std::optional<GrantRefusal> check_grant(const GrantRequest& request,
                                                      const Authorizer& authorizer);

/// The parts of `wanted`, each with one verb and one resource or path, that no rule of `held`
/// covers; parts that differ only in their verb are merged.
[[nodiscard]] std::vector<PolicyRule> rights_not_held(const std::vector<PolicyRule>& held,
                                                      const std::vector<PolicyRule>& wanted);

}  // namespace davit::sandbox
