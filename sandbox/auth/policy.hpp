/// Roles and bindings in a form that is quick to ask. Pure.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/auth/auth.hpp"

namespace davit::sandbox {

/// The four kinds of rbac.authorization.k8s.io, as they are stored.
struct PolicyObjects {
  std::vector<Json> roles;
  std::vector<Json> cluster_roles;
  std::vector<Json> role_bindings;
  std::vector<Json> cluster_role_bindings;
};

/// The rights that a set of roles and bindings grants. A binding to a missing role grants nothing.
class Policy {
 public:
  /// Reads the objects, which may go afterwards. ClusterRoles gain what their aggregation rules
  /// add.
  explicit Policy(const PolicyObjects& objects);

  /// Implements Authorizer::authorize(): allowed, with the binding that allows it as reason, or no
  /// opinion.
  [[nodiscard]] Access authorize(const UserInfo& who, const AccessAttributes& what) const;
  /// Implements Authorizer::rules(): all that `who` may do in `ns`, cluster-wide rights included.
  [[nodiscard]] std::vector<PolicyRule> rules(const UserInfo& who, std::string_view ns) const;
  /// Implements Authorizer::rules_of(): the rights of `role`; nothing if it does not exist.
  [[nodiscard]] std::optional<std::vector<PolicyRule>> rules_of(const RoleReference& role) const;

 private:
  using Rules = std::vector<PolicyRule>;
  struct Subject {
    std::string kind;
    std::string name;  ///< The user name; for a ServiceAccount the full one.
    std::string text;  ///< The form in the reason of a decision.
  };
  struct Binding {
    std::string text;  ///< `ClusterRoleBinding "a" of ClusterRole "b"`
    std::vector<Subject> subjects;
    std::shared_ptr<const Rules> rules;
  };
  using Roles = std::map<std::string, std::shared_ptr<const Rules>, std::less<>>;

  [[nodiscard]] Binding read_binding(const Json& object) const;
  /// Null if the role does not exist.
  [[nodiscard]] std::shared_ptr<const Rules> find(const RoleReference& role) const;
  [[nodiscard]] static const Subject* subject_for(const Binding& binding, const UserInfo& who);
  [[nodiscard]] static Access allowed_by(const std::vector<Binding>& bindings, const UserInfo& who,
                                         const AccessAttributes& what);

  Roles cluster_roles_;
  Roles roles_;  // Keys are "namespace/name".
  std::vector<Binding> everywhere_;
  std::map<std::string, std::vector<Binding>, std::less<>> by_namespace_;
};

/// Whether `rule` covers `what`.
[[nodiscard]] bool covers(const PolicyRule& rule, const AccessAttributes& what);

/// The rules of a stored Role or ClusterRole, without what aggregation adds.
[[nodiscard]] std::vector<PolicyRule> rules_in(const Json& role);

}  // namespace davit::sandbox
