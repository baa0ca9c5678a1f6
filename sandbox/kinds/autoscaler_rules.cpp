#include "sandbox/kinds/autoscaler_checks.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/config_rules.hpp"
#include "sandbox/kinds/conversion.hpp"
#include "sandbox/kinds/kind_gates.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {

namespace {

constexpr std::int64_t kPolicySeconds = 15;

Json policy_json(std::string_view type, std::int64_t value) {
  return Json::object({{"type", type}, {"value", value}, {"periodSeconds", kPolicySeconds}});
}

/// Rule: docs/spec/hpa.md, section 2.1.
void complete_behavior(Json& behavior) {
  Json& up = object_member(behavior, "scaleUp");
  set_default(up, "stabilizationWindowSeconds", 0);
  set_default(up, "selectPolicy", "Max");
  if (!is_set(up, "policies")) {
    up.set("policies", Json::array({policy_json("Pods", 4), policy_json("Percent", 100)}));
  }
  Json& down = object_member(behavior, "scaleDown");
  set_default(down, "selectPolicy", "Max");
  if (!is_set(down, "policies")) down.set("policies", Json::array({policy_json("Percent", 100)}));
}

const Json& behavior_of(const Json& autoscaler, const char* direction) {
  return value_at(autoscaler, {"spec", "behavior", direction});
}

bool has_tolerance(const Json& autoscaler) {
  return !behavior_of(autoscaler, "scaleUp").get("tolerance").is_null() ||
         !behavior_of(autoscaler, "scaleDown").get("tolerance").is_null();
}

void drop_tolerance(Json& autoscaler) {
  if (!has_tolerance(autoscaler)) return;
  for (const char* direction : {"scaleUp", "scaleDown"}) {
    autoscaler["spec"]["behavior"][direction].erase("tolerance");
  }
}

class AutoscalerRules : public PlainRules {
 public:
  explicit AutoscalerRules(const KindFacts& facts, const KindGates& gates)
      : PlainRules(facts), gates_(gates) {}

  void set_defaults(Json& object) const override {
    drop_autoscaler_annotations(object);
    Json& spec = object_member(object, "spec");
    set_default(spec, "minReplicas", 1);
    if (spec.get("metrics").items().empty()) {
      spec.set("metrics", Json::array({cpu_metric(kAutoscalerCpuPercent)}));
    }
    if (is_set(spec, "behavior")) complete_behavior(spec["behavior"]);
  }
  void prepare_create(Json& object) const override {
    if (!gates_.configurable_tolerance) drop_tolerance(object);
    object.set("status", Json::object({{"desiredReplicas", 0}, {"currentMetrics", Json()}}));
  }
  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override {
    PlainRules::prepare_update(object, old, target);
    // Upstream keeps a tolerance that was stored while the gate was on.
    if (!gates_.configurable_tolerance && !has_tolerance(old)) drop_tolerance(object);
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_autoscaler(object, Json(), gates_, errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_autoscaler(object, old, gates_, errors);
  }
  void check_status(const Json& object, const Json&, FieldErrors& errors) const override {
    check_autoscaler_status(object.get("status"), errors);
  }

  const KindGates gates_;
};

/// In the words of v2, whose form upstream validates, too.
class AutoscalerV1Rules final : public AutoscalerRules {
 public:
  using AutoscalerRules::AutoscalerRules;

  void set_defaults(Json& object) const override {
    set_default(object_member(object, "spec"), "minReplicas", 1);
  }
  void prepare_create(Json& object) const override {
    drop_tolerance_of_v1(object);
    object.set("status", Json::object({{"currentReplicas", 0}, {"desiredReplicas", 0}}));
  }
  /// Spec and status have a part in annotations.
  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override {
    AutoscalerRules::prepare_update(object, old, target);
    keep_autoscaler_annotations(
        object, old,
        target == UpdateTarget::kStatus ? AutoscalerPart::kSpec : AutoscalerPart::kStatus);
    if (!has_tolerance(as_v2(old))) drop_tolerance_of_v1(object);
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_autoscaler(as_v2(object), Json(), gates_, errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_autoscaler(as_v2(object), as_v2(old), gates_, errors);
  }

 private:
  /// An annotation has it.
  void drop_tolerance_of_v1(Json& object) const {
    if (gates_.configurable_tolerance) return;
    Json form = as_v2(object);
    if (!has_tolerance(form)) return;
    drop_tolerance(form);
    autoscaler_to_v1(form);
    object = std::move(form);
  }
  static Json as_v2(Json object) {
    autoscaler_to_v2(object);
    return object;
  }
};

}  // namespace

std::shared_ptr<const KindRules> autoscaler_rules(const KindFacts& facts) {
  return gated_autoscaler_rules(facts, {});
}

std::shared_ptr<const KindRules> gated_autoscaler_rules(const KindFacts& facts,
                                                        const KindGates& gates) {
  return std::make_shared<AutoscalerRules>(facts, gates);
}

std::shared_ptr<const KindRules> autoscaler_v1_rules(const KindFacts& facts) {
  return gated_autoscaler_v1_rules(facts, {});
}

std::shared_ptr<const KindRules> gated_autoscaler_v1_rules(const KindFacts& facts,
                                                           const KindGates& gates) {
  return std::make_shared<AutoscalerV1Rules>(facts, gates);
}

}  // namespace davit::sandbox
