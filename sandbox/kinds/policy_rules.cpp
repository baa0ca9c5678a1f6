#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/config_rules.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {

namespace {

class DisruptionBudgetRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void prepare_create(Json& object) const override {
    object.set("status", Json::object({{"disruptionsAllowed", 0},
                                       {"currentHealthy", 0},
                                       {"desiredHealthy", 0},
                                       {"expectedPods", 0}}));
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object.get("spec");
    if (is_set(spec, "minAvailable") && is_set(spec, "maxUnavailable")) {
      errors.push_back(
          field_invalid(kSpec.text(), spec, "minAvailable and maxUnavailable cannot be both set"));
    }
    check_fields("policy.v1.PodDisruptionBudgetSpec", spec, kSpec, errors);
    check_label_selector(spec.get("selector"), kSpec.child("selector"), errors);
  }
  void check_status(const Json& object, const Json&, FieldErrors& errors) const override {
    check_fields("policy.v1.PodDisruptionBudgetStatus", object.get("status"), FieldPath("status"),
                 errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> disruption_budget_rules(const KindFacts& facts) {
  return std::make_shared<DisruptionBudgetRules>(facts);
}

}  // namespace davit::sandbox
