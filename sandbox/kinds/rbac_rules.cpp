// k8s: pkg/apis/rbac/validation.
#include <string>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/config_rules.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kPolicyRule = "rbac.v1.PolicyRule";
constexpr std::string_view kRoleRef = "rbac.v1.RoleRef";
constexpr const char* kGroup = "rbac.authorization.k8s.io";

enum class RoleScope : std::uint8_t { kNamespaced, kCluster };

void check_policy_rule(const Json& rule, RoleScope scope, const FieldPath& path,
                       FieldErrors& errors) {
  check_fields(kPolicyRule, rule, {"verbs"}, path, errors);
  const bool resources = !rule.get("apiGroups").items().empty() ||
                         !rule.get("resources").items().empty() ||
                         !rule.get("resourceNames").items().empty();
  const Json& urls = rule.get("nonResourceURLs");
  if (!urls.items().empty()) {
    if (scope == RoleScope::kNamespaced) {
      errors.push_back(field_invalid(path.text("nonResourceURLs"), urls,
                                     "namespaced rules cannot apply to non-resource URLs"));
    }
    if (resources) {
      errors.push_back(
          field_invalid(path.text("nonResourceURLs"), urls,
                        "rules cannot apply to both regular resources and non-resource URLs"));
    }
    return;
  }
  check_fields(kPolicyRule, rule, {"apiGroups", "resources"}, path, errors);
}

class RoleRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const FieldPath path("rules");
    const Json::Items& rules = object.get("rules").items();
    const RoleScope scope = facts().namespaced ? RoleScope::kNamespaced : RoleScope::kCluster;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const FieldPath at = path.index(i);
      check_policy_rule(rules[i], scope, at, errors);
    }
    if (is_set(object, "aggregationRule")) {
      check_aggregation(object.get("aggregationRule"), FieldPath("aggregationRule"), errors);
    }
  }

 private:
  static void check_aggregation(const Json& rule, const FieldPath& path, FieldErrors& errors) {
    const FieldPath selectors = path.child("clusterRoleSelectors");
    std::size_t index = 0;
    for (const Json& each : rule.get("clusterRoleSelectors").items()) {
      const FieldPath at = selectors.index(index++);
      const std::size_t before = errors.size();
      check_label_selector(each, at, errors);
      // Upstream parses it, too, and shows the result that it did not get.
      if (errors.size() != before) {
        errors.push_back(field_invalid(at.text(), Json(), "invalid label selector."));
      }
    }
    if (index == 0) {
      errors.push_back(field_required(
          selectors.text(),
          "at least one clusterRoleSelector required if aggregationRule is non-nil"));
    }
  }
};

void check_subject(const Json& subject, RoleScope scope, const FieldPath& path,
                   FieldErrors& errors) {
  check_fields("rbac.v1.Subject", subject, path, errors);
  const std::string& kind = subject.get("kind").text();
  const std::string& group = subject.get("apiGroup").text();
  if (kind == "ServiceAccount") {
    const std::string& name = subject.get("name").text();
    if (!name.empty()) add_invalid(check_dns_subdomain(name), name, path.child("name"), errors);
    if (!group.empty()) {
      errors.push_back(field_not_supported(path.text("apiGroup"), group, {""}));
    }
    if (scope == RoleScope::kCluster) require_text(subject, "namespace", path, errors);
  } else if (kind == "User" || kind == "Group") {
    if (group != kGroup) {
      errors.push_back(field_not_supported(path.text("apiGroup"), group, {kGroup}));
    }
  } else {
    errors.push_back(
        field_not_supported(path.text("kind"), kind, {"ServiceAccount", "User", "Group"}));
  }
}

class RoleBindingRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    replace_empty(object_member(object, "roleRef"), "apiGroup", kGroup);
    Json* subjects = object.find("subjects");
    if (subjects == nullptr || !subjects->is_array()) return;
    for (Json& each : subjects->make_array()) {
      const std::string& kind = each.get("kind").text();
      if (kind != "User" && kind != "Group") continue;
      replace_empty(each, "apiGroup", kGroup);
    }
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& role = object.get("roleRef");
    const FieldPath role_path("roleRef");
    check_fields(kRoleRef, role, {"apiGroup"}, role_path, errors);
    const std::string& kind = role.get("kind").text();
    if (facts().namespaced && kind != "Role" && kind != "ClusterRole") {
      errors.push_back(field_not_supported(role_path.text("kind"), kind, {"Role", "ClusterRole"}));
    } else if (!facts().namespaced && kind != "ClusterRole") {
      errors.push_back(field_not_supported(role_path.text("kind"), kind, {"ClusterRole"}));
    }
    check_fields(kRoleRef, role, {"name"}, role_path, errors);
    const FieldPath path("subjects");
    const RoleScope scope = facts().namespaced ? RoleScope::kNamespaced : RoleScope::kCluster;
    const Json::Items& subjects = object.get("subjects").items();
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      const FieldPath at = path.index(i);
      check_subject(subjects[i], scope, at, errors);
    }
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_create(object, errors);
    if (object.get("roleRef") != old.get("roleRef")) {
      errors.push_back(field_invalid("roleRef", object.get("roleRef"), "cannot change roleRef"));
    }
  }
};

}  // namespace

std::shared_ptr<const KindRules> role_rules(const KindFacts& facts) {
  return std::make_shared<RoleRules>(facts);
}

std::shared_ptr<const KindRules> role_binding_rules(const KindFacts& facts) {
  return std::make_shared<RoleBindingRules>(facts);
}

}  // namespace davit::sandbox
