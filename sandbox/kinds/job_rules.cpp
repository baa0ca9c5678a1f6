#include <limits>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/job_spec.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/workload_checks.hpp"
#include "sandbox/kinds/workload_rules.hpp"

namespace davit::sandbox {

namespace {

constexpr std::int64_t kBackoffLimit = 6;
constexpr std::int64_t kNoBackoffLimit = std::numeric_limits<std::int32_t>::max();

constexpr std::string_view kUidLabel = "batch.kubernetes.io/controller-uid";
constexpr std::string_view kOldUidLabel = "controller-uid";
constexpr std::string_view kNameLabel = "batch.kubernetes.io/job-name";
constexpr std::string_view kOldNameLabel = "job-name";

/// A Job finds its pods by its uid, so no two Jobs share one. k8s: generateSelector.
void generate_selector(Json& job) {
  const std::string uid = job.text_at({"metadata", "uid"});
  const std::string name = job.text_at({"metadata", "name"});
  Json& spec = job["spec"];
  Json& labels =
      object_member(object_member(object_member(spec, "template"), "metadata"), "labels");
  const auto add = [](Json& map, std::string_view key, const std::string& value) {
    if (!map.contains(key)) map.set(key, Json(value));
  };
  add(labels, kNameLabel, name);
  add(labels, kOldNameLabel, name);
  add(labels, kUidLabel, uid);
  add(labels, kOldUidLabel, uid);
  add(object_member(object_member(spec, "selector"), "matchLabels"), kUidLabel, uid);
}

void check_label(const Json& labels, std::string_view key, const std::string& value,
                 FieldErrors& errors) {
  const FieldPath path("spec.template.metadata.labels");
  const std::string detail = "must be '" + value + "'";
  const Json& found = labels.get(key);
  if (found.is_null()) {
    errors.push_back(field_required(path.key(key).text(), detail));
  } else if (found.text() != value) {
    errors.push_back(field_invalid(path.key(key).text(), labels, detail));
  }
}

/// k8s: validateGeneratedSelector.
void check_generated_selector(const Json& job, FieldErrors& errors) {
  const Json& spec = job.get("spec");
  const Json& selector = spec.get("selector");
  if (spec.get("manualSelector").boolean() || selector.is_null()) return;
  const std::string& uid = job.text_at({"metadata", "uid"});
  const std::string& name = job.text_at({"metadata", "name"});
  if (uid.empty()) errors.push_back(field_required("metadata.uid"));
  const Json& labels = spec.get("template").get("metadata").get("labels");
  check_label(labels, kOldUidLabel, uid, errors);
  check_label(labels, kOldNameLabel, name, errors);
  check_label(labels, kUidLabel, uid, errors);
  check_label(labels, kNameLabel, name, errors);
  const Json expected = Json::object({{kUidLabel, Json(uid)},
                                      {kNameLabel, Json(name)},
                                      {kOldUidLabel, Json(uid)},
                                      {kOldNameLabel, Json(name)}});
  if (is_sound_selector(selector) && !selector_matches(selector, expected)) {
    errors.push_back(field_invalid("spec.selector", selector, "`selector` not auto-generated"));
  }
}

void check_spec(const Json& spec, FieldErrors& errors) {
  const FieldPath path("spec");
  check_job_spec(spec, path, errors);
  const Json& selector = spec.get("selector");
  if (selector.is_null()) errors.push_back(field_required("spec.selector"));
  check_label_selector(selector, path.child("selector"), errors);
  if (is_sound_selector(selector)) check_selector_matches(spec, path, errors);
}

/// The pods of an Indexed Job have its name and their index as host name. k8s: ValidateJob.
void check_host_names(const Json& job, FieldErrors& errors) {
  const Json& spec = job.get("spec");
  const std::int64_t completions = spec.get("completions").integer_or(0);
  if (spec.get("completionMode").text() != "Indexed" || completions <= 0) return;
  const std::string& name = job.text_at({"metadata", "name"});
  const std::string longest = name + '-' + std::to_string(completions - 1);
  if (check_dns_label(longest).empty()) return;
  errors.push_back(field_invalid("metadata.name", name,
                                 "will not able to create pod with invalid DNS label: " + longest));
}

void check_completions_update(const Json& spec, const Json& old, FieldErrors& errors) {
  const FieldPath path("spec");
  const Json& completions = spec.get("completions");
  if (completions == old.get("completions")) return;
  const bool indexed = spec.get("completionMode").text() == "Indexed";
  if (!indexed || completions.is_null()) {
    check_immutable(spec, old, "completions", path, errors);
  } else if (completions != spec.get("parallelism")) {
    errors.push_back(field_invalid("spec.completions", completions,
                                   "can only be modified in tandem with spec.parallelism"));
  }
}

/// Before a suspended Job has started, a queue may still choose where its pods will run.
void check_template_update(const Json& spec, const Json& old_job, FieldErrors& errors) {
  const Json& old = old_job.get("spec");
  if (spec.get("template") == old.get("template")) return;
  Json expected = old.get("template");
  const bool started = is_set(old_job.get("status"), "startTime");
  if (old.get("suspend").boolean() && !started) {
    const auto take = [](Json& holder, const Json& source, std::string_view field) {
      if (const Json* value = source.find(field)) {
        holder.set(field, *value);
      } else {
        holder.erase(field);
      }
    };
    const Json& now = spec.get("template");
    for (const std::string_view each : {"labels", "annotations"}) {
      take(object_member(expected, "metadata"), now.get("metadata"), each);
    }
    for (const std::string_view each :
         {"affinity", "nodeSelector", "tolerations", "schedulingGates"}) {
      take(object_member(expected, "spec"), now.get("spec"), each);
    }
  }
  if (spec.get("template") == expected) return;
  errors.push_back(field_invalid("spec.template", spec.get("template"), kFieldImmutable));
}

/// k8s: SetDefaults_PodFailurePolicyOnPodConditionsPattern.
void set_condition_defaults(Json& policy) {
  Json* rules = policy.find("rules");
  if (rules == nullptr || !rules->is_array()) return;
  for (Json& rule : rules->make_array()) {
    Json* patterns = rule.find("onPodConditions");
    if (patterns == nullptr || !patterns->is_array()) continue;
    for (Json& each : patterns->make_array()) replace_empty(each, "status", "True");
  }
}

class JobRules final : public WorkloadRules {
 public:
  explicit JobRules(const KindFacts& facts) : WorkloadRules(facts, "{}") {}

  void set_defaults(Json& object) const override {
    WorkloadRules::set_defaults(object);
    Json& spec = object["spec"];
    if (!is_set(spec, "parallelism")) set_default(spec, "completions", 1);
    set_default(spec, "parallelism", 1);
    set_default(spec, "backoffLimit",
                is_set(spec, "backoffLimitPerIndex") ? kNoBackoffLimit : kBackoffLimit);
    set_default(spec, "completionMode", "NonIndexed");
    if (Json* policy = spec.find("podFailurePolicy")) set_condition_defaults(*policy);
    set_default(spec, "podReplacementPolicy",
                is_set(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
    for (const std::string_view each : {"suspend", "manualSelector"}) {
      if (!is_set(spec, each)) spec.set(each, false);
    }
  }

  void prepare_create(Json& object) const override {
    WorkloadRules::prepare_create(object);
    if (!object.get("spec").get("manualSelector").boolean()) generate_selector(object);
    const Json* labels = object.at({"spec", "template", "metadata", "labels"});
    if (labels == nullptr || labels->size() == 0) return;
    const Json copy = *labels;
    Json& metadata = object_member(object, "metadata");
    if (metadata.get("labels").empty()) metadata.set("labels", copy);
  }

  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override {
    std::vector<std::string> out = name_warnings(object);
    add_job_warnings(object.get("spec"), FieldPath("spec"), out);
    return out;
  }

  [[nodiscard]] Pairs fields(const Json& object) const override {
    return {
        {"status.successful", std::to_string(object.get("status").get("succeeded").integer_or(0))}};
  }
  [[nodiscard]] bool knows_field(std::string_view field) const override {
    return field == "status.successful";
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_generated_selector(object, errors);
    check_spec(object.get("spec"), errors);
    check_host_names(object, errors);
  }

  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    const FieldPath path("spec");
    const Json& spec = object.get("spec");
    const Json& before = old.get("spec");
    check_generated_selector(object, errors);
    check_spec(spec, errors);
    check_host_names(object, errors);
    check_completions_update(spec, before, errors);
    check_immutable(spec, before, "selector", path, errors);
    check_template_update(spec, old, errors);
    check_immutable_fields("batch.v1.JobSpec", spec, before, path, errors);
  }

  void check_status(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_job_status(object, old, errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> job_rules(const KindFacts& facts) {
  return std::make_shared<JobRules>(facts);
}

}  // namespace davit::sandbox
