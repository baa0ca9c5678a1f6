#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/job_spec.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kJobStatus = "batch.v1.JobStatus";

bool has_condition(const Json& job, std::string_view type) {
  for (const Json& each : job.get("status").get("conditions").items()) {
    if (each.get("type").text() == type && each.get("status").text() == "True") return true;
  }
  return false;
}

/// The conditions that matter here.
struct Verdict {
  explicit Verdict(const Json& job)
      : complete(has_condition(job, "Complete")),
        failed(has_condition(job, "Failed")),
        failure_target(has_condition(job, "FailureTarget")),
        success_criteria_met(has_condition(job, "SuccessCriteriaMet")) {}

  [[nodiscard]] bool finished() const { return complete || failed; }

  bool complete;
  bool failed;
  bool failure_target;
  bool success_criteria_met;
};

/// An Invalid that shows no value, since the list of conditions would be long.
FieldError bad_conditions(const std::string& detail) {
  return {"FieldValueInvalid", "status.conditions", "Invalid value: " + detail};
}

void check_counts(const Json& status, FieldErrors& errors) {
  const FieldPath path("status");
  check_fields(kJobStatus, status, {"active", "succeeded", "failed", "ready"}, path, errors);
  const std::int64_t ready = status.get("ready").integer_or(0);
  if (ready > status.get("active").integer_or(0)) {
    errors.push_back(
        field_invalid("status.ready", ready, "cannot set more ready pods than active"));
  }
  check_fields(kJobStatus, status, {"terminating"}, path, errors);
}

void check_conditions(const Verdict& now, FieldErrors& errors) {
  const auto require = [&](bool fine, const char* detail) {
    if (!fine) errors.push_back(bad_conditions(detail));
  };
  require(!(now.complete && now.failed), "cannot set Complete=True and Failed=true conditions");
  require(!(now.complete && now.failure_target),
          "cannot set Complete=True and FailureTarget=true conditions");
  require(!now.failed || now.failure_target,
          "cannot set Failed=True condition without the FailureTarget=true condition");
  require(!now.complete || now.success_criteria_met,
          "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  require(!(now.failure_target && now.success_criteria_met),
          "cannot set FailureTarget=True and SuccessCriteriaMet=true conditions");
}

void check_times(const Json& status, const Verdict& now, FieldErrors& errors) {
  const Json& start = status.get("startTime");
  const Json& completion = status.get("completionTime");
  if (!completion.is_null() && !now.complete) {
    errors.push_back(
        field_invalid("status.completionTime", completion,
                      "cannot set completionTime when there is no Complete=True condition"));
  }
  if (completion.is_null() && now.complete) {
    errors.push_back(
        field_required("status.completionTime", "completionTime is required for Complete jobs"));
  }
  // Times of one form compare as their texts do.
  if (!start.is_null() && !completion.is_null() && completion.text() < start.text()) {
    errors.push_back(field_invalid("status.completionTime", completion,
                                   "completionTime cannot be set before startTime"));
  }
}

void check_finished(const Json& job, FieldErrors& errors) {
  const Json& status = job.get("status");
  for (const std::string_view each : {"active", "terminating"}) {
    if (status.get(each).integer_or(0) > 0) {
      errors.push_back(field_invalid("status." + std::string(each), status.get(each),
                                     std::string(each) + ">0 is invalid for finished job"));
    }
  }
  // A suspended Job of nothing is complete without having started.
  const Json& spec = job.get("spec");
  const bool never_starts =
      spec.get("suspend").boolean() && spec.get("completions").integer_or(1) == 0;
  if (!never_starts && !is_set(status, "startTime")) {
    errors.push_back(field_required("status.startTime", "startTime is required for finished job"));
  }
}

void check_changes(const Json& job, const Json& old, FieldErrors& errors) {
  const Json& status = job.get("status");
  const Json& before = old.get("status");
  for (const char* each : {"Failed", "Complete", "FailureTarget", "SuccessCriteriaMet"}) {
    if (has_condition(old, each) && !has_condition(job, each)) {
      errors.push_back(
          bad_conditions("cannot disable the terminal " + std::string(each) + "=True condition"));
    }
  }
  const Json& spec = job.get("spec");
  // An indexed Job that gets smaller loses the successes of the indexes that are gone.
  const bool elastic = spec.get("completionMode").text() == "Indexed" &&
                       spec.get("completions") == spec.get("parallelism");
  for (const std::string_view each : {"failed", "succeeded"}) {
    if (elastic && each == "succeeded") continue;
    const std::int64_t count = status.get(each).integer_or(0);
    if (count < before.get(each).integer_or(0)) {
      errors.push_back(field_invalid("status." + std::string(each), count,
                                     "cannot decrease the " + std::string(each) + " counter"));
    }
  }
  const Json& completion = before.get("completionTime");
  if (!completion.is_null() && is_set(status, "completionTime") &&
      completion != status.get("completionTime")) {
    errors.push_back(field_invalid("status.completionTime", status.get("completionTime"),
                                   "completionTime cannot be mutated"));
  }
  const Json& start = before.get("startTime");
  const bool suspended = job.get("spec").get("suspend").boolean();
  if (!start.is_null() && !suspended && start != status.get("startTime")) {
    errors.push_back(field_required("status.startTime",
                                    is_set(status, "startTime")
                                        ? "startTime cannot be modified for unsuspended job"
                                        : "startTime cannot be removed for unsuspended job"));
  }
}

}  // namespace

void check_job_status(const Json& job, const Json& old, FieldErrors& errors) {
  const Json& status = job.get("status");
  const Json& before = old.get("status");
  const Verdict now(job);
  const Verdict then(old);
  check_counts(status, errors);
  // An older server may have accepted invalid conditions. They may stay; only changed ones must be
  // valid.
  if (status.get("conditions") != before.get("conditions")) check_conditions(now, errors);
  const auto changed = [&](std::string_view field) {
    return status.get(field) != before.get(field);
  };
  if (now.complete != then.complete || changed("completionTime") || changed("startTime")) {
    check_times(status, now, errors);
  }
  const bool finish_changed = now.finished() != then.finished();
  if (now.finished() && (finish_changed || changed("active") || changed("terminating"))) {
    check_finished(job, errors);
  }
  check_changes(job, old, errors);
}

}  // namespace davit::sandbox
