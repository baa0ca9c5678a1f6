#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/workload_checks.hpp"
#include "sandbox/kinds/workload_rules.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kDeploymentSpec = "apps.v1.DeploymentSpec";
constexpr std::int64_t kReplicaSetsKept = 10;
constexpr std::int64_t kProgressSeconds = 600;

void check_deployment_rolling_update(const Json& rolling, const FieldPath& path,
                                     FieldErrors& errors) {
  const Json& unavailable = rolling.get("maxUnavailable");
  const Json& surge = rolling.get("maxSurge");
  // No columns: a rule across both fields is checked between the rules of each.
  check_format("int-or-percent", unavailable, path.child("maxUnavailable"), errors);
  check_format("int-or-percent", surge, path.child("maxSurge"), errors);
  if (int_or_percent_value(unavailable) == 0 && int_or_percent_value(surge) == 0) {
    errors.push_back(field_invalid(path.text("maxUnavailable"), unavailable,
                                   "may not be 0 when `maxSurge` is 0"));
  }
  check_format("at-most-100-percent", unavailable, path.child("maxUnavailable"), errors);
}

void check_strategy(const Json& strategy, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = strategy.get("type").text();
  const FieldPath rolling = path.child("rollingUpdate");
  if (type == "Recreate") {
    if (is_set(strategy, "rollingUpdate")) {
      errors.push_back(field_forbidden(rolling.text(),
                                       "may not be specified when strategy `type` is 'Recreate'"));
    }
  } else if (type == "RollingUpdate") {
    check_deployment_rolling_update(strategy.get("rollingUpdate"), rolling, errors);
  } else {
    errors.push_back(field_not_supported(path.text(), strategy, {"Recreate", "RollingUpdate"}));
  }
}

/// k8s: ValidateDeploymentSpec.
void check_deployment_spec(const Json& spec, FieldErrors& errors) {
  const FieldPath path("spec");
  check_fields(kDeploymentSpec, spec, {"replicas"}, path, errors);
  check_selector(spec, "deployment", path, errors);
  if (!is_sound_selector(spec.get("selector"))) {
    errors.push_back(
        field_invalid("spec.selector", spec.get("selector"), "invalid label selector"));
  } else {
    check_selector_matches(spec, path, errors);
    check_lasting_template(spec, "ReplicaSet", path, errors);
  }
  check_strategy(spec.get("strategy"), path.child("strategy"), errors);
  check_fields(kDeploymentSpec, spec,
               {"minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"}, path,
               errors);
  const Json& deadline = spec.get("progressDeadlineSeconds");
  if (!deadline.is_null() && deadline.integer_or(0) <= spec.get("minReadySeconds").integer_or(0)) {
    errors.push_back(field_invalid("spec.progressDeadlineSeconds", deadline,
                                   "must be greater than minReadySeconds"));
  }
}

class DeploymentRules final : public WorkloadRules {
 public:
  explicit DeploymentRules(const KindFacts& facts) : WorkloadRules(facts, "{}") {}

  void set_defaults(Json& object) const override {
    WorkloadRules::set_defaults(object);
    Json& spec = object["spec"];
    set_default(spec, "replicas", 1);
    Json& strategy = object_member(spec, "strategy");
    replace_empty(strategy, "type", "RollingUpdate");
    if (strategy.get("type").text() == "RollingUpdate") {
      Json& rolling = object_member(strategy, "rollingUpdate");
      set_default(rolling, "maxUnavailable", "25%");
      set_default(rolling, "maxSurge", "25%");
    }
    set_default(spec, "revisionHistoryLimit", kReplicaSetsKept);
    set_default(spec, "progressDeadlineSeconds", kProgressSeconds);
  }

  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override {
    PlainRules::prepare_update(object, old, target);
    if (target == UpdateTarget::kObject) return;
    Json& metadata = object_member(object, "metadata");
    if (const Json* labels = old.at({"metadata", "labels"})) {
      metadata.set("labels", *labels);
    } else {
      metadata.erase("labels");
    }
  }

  /// Annotations count too: they are copied to the ReplicaSets.
  [[nodiscard]] bool raises_generation(const Json& object, const Json& old) const override {
    const Json& now = object.get("metadata").get("annotations");
    const Json& before = old.get("metadata").get("annotations");
    const bool annotated = now != before && now.size() + before.size() != 0;
    return annotated || PlainRules::raises_generation(object, old);
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_deployment_spec(object.get("spec"), errors);
  }

  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_deployment_spec(object.get("spec"), errors);
    check_immutable_fields(kDeploymentSpec, object.get("spec"), old.get("spec"), kSpec, errors);
  }

  void check_status(const Json& object, const Json& old, FieldErrors& errors) const override {
    const FieldPath path("status");
    const Json& status = object.get("status");
    check_fields("apps.v1.DeploymentStatus", status, path, errors);
    check_at_most_replicas(status, {"updatedReplicas", "readyReplicas", "availableReplicas"}, path,
                           errors);
    check_available_at_most_ready(status, path, errors);
    check_collision_count(object, old, errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> deployment_rules(const KindFacts& facts) {
  return std::make_shared<DeploymentRules>(facts);
}

}  // namespace davit::sandbox
