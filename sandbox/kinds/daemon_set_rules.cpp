#include <charconv>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/pod_warnings.hpp"
#include "sandbox/kinds/workload_checks.hpp"
#include "sandbox/kinds/workload_rules.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kDaemonSetSpec = "apps.v1.DaemonSetSpec";
constexpr std::int64_t kRevisionsKept = 10;
constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

std::int64_t template_generation(const Json& object) {
  const std::string& text =
      object.get("metadata").get("annotations").get(kTemplateGeneration).text();
  std::int64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

void set_template_generation(Json& object, std::int64_t generation) {
  Json& annotations = object_member(object_member(object, "metadata"), "annotations");
  annotations.set(kTemplateGeneration, Json(std::to_string(generation)));
}

void check_daemon_set_rolling_update(const Json& rolling, const FieldPath& path,
                                     FieldErrors& errors) {
  const Json& unavailable = rolling.get("maxUnavailable");
  const Json& surge = rolling.get("maxSurge");
  check_fields("apps.v1.RollingUpdateDaemonSet", rolling, path, errors);
  const bool has_unavailable = int_or_percent_value(unavailable) != 0;
  const bool has_surge = int_or_percent_value(surge) != 0;
  if (has_unavailable && has_surge) {
    errors.push_back(field_invalid(path.text("maxSurge"), surge,
                                   "may not be set when maxUnavailable is non-zero"));
  } else if (!has_unavailable && !has_surge) {
    errors.push_back(field_required(path.text("maxUnavailable"), "cannot be 0 when maxSurge is 0"));
  }
}

void check_daemon_set_spec(const Json& spec, FieldErrors& errors) {
  const FieldPath path("spec");
  const Json& selector = spec.get("selector");
  // Upstream does not require one: a missing selector matches nothing, which is refused below.
  check_label_selector(selector, path.child("selector"), errors);
  if (is_sound_selector(selector)) check_selector_matches(spec, path, errors);
  if (!selector.is_null() &&
      selector.get("matchLabels").size() + selector.get("matchExpressions").size() == 0) {
    errors.push_back(
        field_invalid("spec.selector", selector, "empty selector is invalid for daemonset"));
  }
  check_lasting_template(spec, "DaemonSet", path, errors);
  check_fields(kDaemonSetSpec, spec, {"minReadySeconds"}, path, errors);
  const Json& strategy = spec.get("updateStrategy");
  const FieldPath strategy_path = path.child("updateStrategy");
  if (const std::string& type = strategy.get("type").text(); type == "RollingUpdate") {
    check_daemon_set_rolling_update(strategy.get("rollingUpdate"),
                                    strategy_path.child("rollingUpdate"), errors);
  } else if (type != "OnDelete") {
    errors.push_back(
        field_not_supported(strategy_path.text(), strategy, {"RollingUpdate", "OnDelete"}));
  }
  check_fields(kDaemonSetSpec, spec, {"revisionHistoryLimit"}, path, errors);
}

class DaemonSetRules final : public WorkloadRules {
 public:
  explicit DaemonSetRules(const KindFacts& facts)
      : WorkloadRules(facts, R"({"currentNumberScheduled":0,"numberMisscheduled":0,
                                 "desiredNumberScheduled":0,"numberReady":0})") {}

  void set_defaults(Json& object) const override {
    WorkloadRules::set_defaults(object);
    Json& spec = object["spec"];
    Json& strategy = object_member(spec, "updateStrategy");
    replace_empty(strategy, "type", "RollingUpdate");
    if (strategy.get("type").text() == "RollingUpdate") {
      Json& rolling = object_member(strategy, "rollingUpdate");
      set_default(rolling, "maxUnavailable", 1);
      set_default(rolling, "maxSurge", 0);
    }
    set_default(spec, "revisionHistoryLimit", kRevisionsKept);
  }

  /// None of the name.
  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override {
    std::vector<std::string> out;
    add_template_warnings(object.get("spec").get("template"), kSpec.child("template"), out);
    return out;
  }

  void prepare_create(Json& object) const override {
    WorkloadRules::prepare_create(object);
    if (template_generation(object) < 1) set_template_generation(object, 1);
  }

  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override {
    PlainRules::prepare_update(object, old, target);
    const bool changed = object.get("spec").get("template") != old.get("spec").get("template");
    set_template_generation(object, template_generation(old) + (changed ? 1 : 0));
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_daemon_set_spec(object.get("spec"), errors);
  }

  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_daemon_set_spec(object.get("spec"), errors);
    check_immutable_fields(kDaemonSetSpec, object.get("spec"), old.get("spec"), kSpec, errors);
  }

  void check_status(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_fields("apps.v1.DaemonSetStatus", object.get("status"), FieldPath("status"), errors);
    check_collision_count(object, old, errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> daemon_set_rules(const KindFacts& facts) {
  return std::make_shared<DaemonSetRules>(facts);
}

}  // namespace davit::sandbox
