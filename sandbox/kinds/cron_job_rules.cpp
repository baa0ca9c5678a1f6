#include <davit/kube/cron.hpp>

#include "lib/kube/time_zone.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/job_spec.hpp"
#include "sandbox/kinds/workload_checks.hpp"
#include "sandbox/kinds/workload_rules.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kCronJobSpec = "batch.v1.CronJobSpec";
/// The controller appends 11 bytes to make the names of Jobs, which are labels: at most 63.
constexpr std::size_t kNameBytesMax = 52;
constexpr std::int64_t kSuccessfulJobsKept = 3;
constexpr std::int64_t kFailedJobsKept = 1;

void check_schedule(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  check_fields(kCronJobSpec, spec, {"schedule"}, path, errors);
  const std::string& schedule = spec.get("schedule").text();
  if (schedule.empty()) return;
  if (schedule.find("TZ") != std::string::npos) {
    errors.push_back(
        field_invalid(path.text("schedule"), schedule,
                      "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
    return;
  }
  const Result<CronSchedule> parsed = CronSchedule::parse(schedule);
  if (parsed) return;
  errors.push_back(field_invalid(path.text("schedule"), schedule, parsed.error().message()));
}

void check_zone(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& zone = spec.get("timeZone");
  if (zone.is_null()) return;
  const std::string& name = zone.text();
  if (name.empty()) {
    errors.push_back(
        field_invalid(path.text("timeZone"), zone, "timeZone must be nil or non-empty string"));
  } else if (name == "Local" || name == "local" || name == "LOCAL") {
    errors.push_back(field_invalid(path.text("timeZone"), zone,
                                   "timeZone must be an explicit time zone as defined in "
                                   "https://www.iana.org/time-zones"));
  } else if (!is_time_zone(name)) {
    errors.push_back(field_invalid(path.text("timeZone"), zone, "unknown time zone " + name));
  }
}

/// k8s: ValidateJobTemplateSpec.
void check_job_template(const Json& tmpl, const FieldPath& path, FieldErrors& errors) {
  const Json& spec = tmpl.get("spec");
  const FieldPath spec_path = path.child("spec");
  check_job_spec(spec, spec_path, errors);
  if (is_set(spec, "selector")) {
    errors.push_back(field_invalid(spec_path.text("selector"), spec.get("selector"),
                                   "`selector` will be auto-generated"));
  }
  if (spec.get("manualSelector").boolean()) {
    errors.push_back(field_not_supported(spec_path.text("manualSelector"),
                                         spec.get("manualSelector"), {"nil", "false"}));
  }
}

void check_cron_job_spec(const Json& spec, FieldErrors& errors) {
  const FieldPath path("spec");
  check_schedule(spec, path, errors);
  check_fields(kCronJobSpec, spec, {"startingDeadlineSeconds"}, path, errors);
  check_zone(spec, path, errors);
  check_fields(kCronJobSpec, spec, {"concurrencyPolicy"}, path, errors);
  check_job_template(spec.get("jobTemplate"), path.child("jobTemplate"), errors);
  check_fields(kCronJobSpec, spec, {"successfulJobsHistoryLimit", "failedJobsHistoryLimit"}, path,
               errors);
}

class CronJobRules final : public WorkloadRules {
 public:
  explicit CronJobRules(const KindFacts& facts) : WorkloadRules(facts, "{}") {}

  void set_defaults(Json& object) const override {
    Json& spec = object_member(object, "spec");
    set_template_defaults(object_member(object_member(spec, "jobTemplate"), "spec"));
    replace_empty(spec, "concurrencyPolicy", "Allow");
    set_default(spec, "suspend", false);
    set_default(spec, "successfulJobsHistoryLimit", kSuccessfulJobsKept);
    set_default(spec, "failedJobsHistoryLimit", kFailedJobsKept);
  }

  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override {
    std::vector<std::string> out = name_warnings(object);
    const FieldPath path("spec");
    add_job_warnings(object.get("spec").get("jobTemplate").get("spec"),
                     path.child("jobTemplate.spec"), out);
    return out;
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_cron_job_spec(object.get("spec"), errors);
    const std::string& name = object.text_at({"metadata", "name"});
    if (name.size() > kNameBytesMax) {
      errors.push_back(field_invalid("metadata.name", name, "must be no more than 52 characters"));
    }
  }

  void check_update(const Json& object, const Json&, FieldErrors& errors) const override {
    check_cron_job_spec(object.get("spec"), errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> cron_job_rules(const KindFacts& facts) {
  return std::make_shared<CronJobRules>(facts);
}

}  // namespace davit::sandbox
