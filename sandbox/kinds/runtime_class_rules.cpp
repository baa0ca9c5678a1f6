#include <algorithm>
#include <string>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/cluster_rules.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/pod_spec.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kRuntimeClass = "node.v1.RuntimeClass";

bool same_toleration(const Json& a, const Json& b) {
  return std::ranges::all_of(
      std::initializer_list<std::string_view>{"key", "operator", "value", "effect"},
      [&](std::string_view field) { return a.get(field).text() == b.get(field).text(); });
}

/// k8s: pkg/apis/node/validation.
class RuntimeClassRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_fields(kRuntimeClass, object, FieldPath(), errors);
    // Checked as the limits of a container, whose path the errors have.
    const Json limits = Json::object({{"limits", object.get("overhead").get("podFixed")}});
    check_resources(limits, FieldPath("overhead"), errors);
    const FieldPath scheduling("scheduling");
    const Json& rules = object.get("scheduling");
    check_labels(rules.get("nodeSelector"), scheduling.child("nodeSelector"), errors);
    check_unique_tolerations(rules.get("tolerations"), scheduling.child("tolerations"), errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_immutable_fields(kRuntimeClass, object, old, FieldPath(), errors);
  }
  [[nodiscard]] bool checks_finalizer_names() const override { return false; }

 private:
  static void check_unique_tolerations(const Json& tolerations, const FieldPath& path,
                                       FieldErrors& errors) {
    check_tolerations(tolerations, path, errors);
    const Json::Items& items = tolerations.items();
    for (auto each = items.begin(); each != items.end(); ++each) {
      const bool seen = std::any_of(
          items.begin(), each, [&](const Json& other) { return same_toleration(*each, other); });
      if (!seen) continue;
      const auto index = static_cast<std::size_t>(each - items.begin());
      errors.push_back(field_duplicate(path.index(index).text(), *each));
    }
  }
};

}  // namespace

std::shared_ptr<const KindRules> runtime_class_rules(const KindFacts& facts) {
  return std::make_shared<RuntimeClassRules>(facts);
}

}  // namespace davit::sandbox
