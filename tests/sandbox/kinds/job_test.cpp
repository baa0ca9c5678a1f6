#include <gtest/gtest.h>

#include "tests/sandbox/kinds/rule_cases.hpp"

namespace davit::sandbox {
namespace {

constexpr std::string_view kJob = R"({
    "metadata":{"name":"j","namespace":"n","uid":"u"},
    "spec":{"template":{"spec":{"restartPolicy":"Never",
        "containers":[{"name":"c","image":"nginx"}]}}}})";

constexpr std::string_view kCronJob = R"({
    "metadata":{"name":"j","namespace":"n","uid":"u"},
    "spec":{"schedule":"0 * * * *","jobTemplate":{"spec":{"template":{"spec":{
        "restartPolicy":"Never","containers":[{"name":"c","image":"nginx"}]}}}}}})";

std::shared_ptr<const KindRules> rules_of(std::string_view kind) {
  return find_builtin("batch/v1", kind)->rules;
}

Json created(std::string_view kind, std::string_view base, std::string_view patch) {
  Json object = merged(base, patch);
  rules_of(kind)->set_defaults(object);
  rules_of(kind)->prepare_create(object);
  return object;
}

TEST(JobTest, DefaultsAreThoseOfTheRealServer) {
  const RuleCase cases[] = {
      {"{}", R"({"completions":1,"parallelism":1,"backoffLimit":6,"completionMode":"NonIndexed",
                 "podReplacementPolicy":"TerminatingOrFailed","suspend":false,
                 "manualSelector":false})"},
      {R"({"spec":{"parallelism":2}})",
       R"({"parallelism":2,"backoffLimit":6,"completionMode":"NonIndexed",
           "podReplacementPolicy":"TerminatingOrFailed","suspend":false,
           "manualSelector":false})"},
      {R"({"spec":{"completions":3,"backoffLimitPerIndex":1}})",
       R"({"completions":3,"parallelism":1,"backoffLimit":2147483647,"backoffLimitPerIndex":1,
           "completionMode":"NonIndexed","podReplacementPolicy":"TerminatingOrFailed",
           "suspend":false,"manualSelector":false})"},
  };
  for (const RuleCase& each : cases) {
    Json job = merged(kJob, each.patch);
    rules_of("Job")->set_defaults(job);
    job["spec"].erase("template");
    EXPECT_EQ(job.get("spec"), json_literal(each.lines)) << each.patch;
  }
}

TEST(JobTest, FindsItsPodsByItsUid) {
  const Json job = created("Job", kJob, "{}");

  const Json labels = json_literal(R"({"batch.kubernetes.io/controller-uid":"u",
      "controller-uid":"u","batch.kubernetes.io/job-name":"j","job-name":"j"})");
  EXPECT_EQ(job.get("spec").get("selector"),
            json_literal(R"({"matchLabels":{"batch.kubernetes.io/controller-uid":"u"}})"));
  EXPECT_EQ(*job.at({"spec", "template", "metadata", "labels"}), labels);
  EXPECT_EQ(*job.at({"metadata", "labels"}), labels);
  EXPECT_EQ(to_lines(rules_of("Job")->validate_create(job)), "");
}

constexpr RuleCase kJobCases[] = {
    {R"({"spec":{"template":{"spec":{"restartPolicy":null}}}})",
     "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""},
    {R"({"spec":{"selector":{"matchLabels":{"a":"b"}}}})",
     "spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\","
     "\"batch.kubernetes.io/controller-uid\":\"u\"}}: `selector` not auto-generated\n"
     "spec.template.metadata.labels: Invalid value: {\"batch.kubernetes.io/job-name\":\"j\","
     "\"job-name\":\"j\",\"batch.kubernetes.io/controller-uid\":\"u\",\"controller-uid\":\"u\"}: "
     "`selector` does not match template `labels`"},
    {R"({"spec":{"manualSelector":true}})",
     "spec.selector: Required value\n"
     "spec.template.metadata.labels: Invalid value: null: `selector` does not match template "
     "`labels`"},
    {R"({"spec":{"parallelism":-1,"completions":-1,"backoffLimit":-1}})",
     "spec.parallelism: Invalid value: -1: must be greater than or equal to 0\n"
     "spec.completions: Invalid value: -1: must be greater than or equal to 0\n"
     "spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0"},
    {R"({"spec":{"completionMode":"X"}})",
     "spec.completionMode: Unsupported value: \"X\": supported values: \"NonIndexed\", "
     "\"Indexed\""},
    {R"({"spec":{"completionMode":"Indexed","parallelism":1}})",
     "spec.completions: Required value: when completion mode is Indexed"},
};

TEST(JobTest, RulesAreThoseOfTheRealServer) {
  for (const RuleCase& each : kJobCases) {
    EXPECT_EQ(to_lines(rules_of("Job")->validate_create(created("Job", kJob, each.patch))),
              each.lines)
        << each.patch;
  }
}

struct JobUpdateCase {
  std::string_view base;
  std::string_view patch;
  std::string_view lines;  ///< The beginning of them.
};

constexpr JobUpdateCase kJobUpdateCases[] = {
    {"{}", R"({"spec":{"parallelism":5,"suspend":true}})", ""},
    {"{}", R"({"spec":{"completions":5}})",
     "spec.completions: Invalid value: 5: field is immutable"},
    {"{}", R"({"spec":{"completionMode":"Indexed"}})",
     "spec.completionMode: Invalid value: \"Indexed\": field is immutable"},
    {"{}", R"({"spec":{"template":{"spec":{"nodeSelector":{"a":"b"}}}}})",
     "spec.template: Invalid value: {"},
    {"{\"spec\":{\"suspend\":true}}",
     "{\"spec\":{\"template\":{\"spec\":{\"nodeSelector\":{\"a\":\"b\"}}}}}", ""},
    {R"({"spec":{"completionMode":"Indexed","completions":2,"parallelism":2}})",
     R"({"spec":{"completions":3,"parallelism":3}})", ""},
    {R"({"spec":{"completionMode":"Indexed","completions":2,"parallelism":2}})",
     R"({"spec":{"completions":3}})",
     "spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism"},
};

TEST(JobTest, WhatAJobIsToDoStays) {
  for (const JobUpdateCase& each : kJobUpdateCases) {
    const Json old = created("Job", kJob, each.base);
    Json job = old;
    merge(job, json_literal(each.patch));
    const std::string lines =
        to_lines(rules_of("Job")->validate_update(job, old, UpdateTarget::kObject));
    if (each.lines.empty()) {
      EXPECT_EQ(lines, "") << each.patch;
    } else {
      EXPECT_EQ(lines.substr(0, each.lines.size()), each.lines) << each.patch;
    }
  }
}

constexpr JobUpdateCase kJobStatusCases[] = {
    {"{}", R"({"active":1,"startTime":"2026-01-01T00:00:00Z"})", ""},
    {"{}", R"({"active":-1})",
     "status.active: Invalid value: -1: must be greater than or equal to 0\n"
     "status.ready: Invalid value: 0: cannot set more ready pods than active"},
    {"{}", R"({"startTime":"2026-01-01T00:00:00Z","completionTime":"2026-01-01T00:00:01Z",
               "conditions":[{"type":"SuccessCriteriaMet","status":"True"},
                             {"type":"Complete","status":"True"}]})",
     ""},
    {"{}", R"({"startTime":"2026-01-01T00:00:00Z","completionTime":"2026-01-01T00:00:01Z",
               "conditions":[{"type":"Complete","status":"True"}]})",
     "status.conditions: Invalid value: cannot set Complete=True condition without the "
     "SuccessCriteriaMet=true condition"},
    {"{}", R"({"startTime":"2026-01-01T00:00:00Z","active":1,
               "conditions":[{"type":"FailureTarget","status":"True"},
                             {"type":"Failed","status":"True"}]})",
     "status.active: Invalid value: 1: active>0 is invalid for finished job"},
    {"{}", R"({"completionTime":"2026-01-01T00:00:01Z"})",
     "status.completionTime: Invalid value: \"2026-01-01T00:00:01Z\": cannot set completionTime "
     "when there is no Complete=True condition"},
    {R"({"succeeded":2})", R"({"succeeded":1})",
     "status.succeeded: Invalid value: 1: cannot decrease the succeeded counter"},
    {R"({"conditions":[{"type":"FailureTarget","status":"True"}]})", R"({"conditions":[]})",
     "status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition"},
    {R"({"startTime":"2026-01-01T00:00:00Z"})", R"({"startTime":null})",
     "status.startTime: Required value: startTime cannot be removed for unsuspended job"},
};

TEST(JobTest, StatusIsConsistent) {
  for (const JobUpdateCase& each : kJobStatusCases) {
    Json old = created("Job", kJob, "{}");
    merge(old["status"], json_literal(each.base));
    Json job = old;
    merge(job["status"], json_literal(each.patch));
    EXPECT_EQ(to_lines(rules_of("Job")->validate_update(job, old, UpdateTarget::kStatus)),
              each.lines)
        << each.patch;
  }
}

TEST(JobTest, ASuspendedJobOfNothingIsCompleteWithoutHavingStarted) {
  Json old = created("Job", kJob, R"({"spec":{"suspend":true,"completions":0}})");
  Json job = old;
  merge(job["status"], json_literal(R"({"completionTime":"2026-01-01T00:00:01Z","conditions":[
      {"type":"SuccessCriteriaMet","status":"True"},{"type":"Complete","status":"True"}]})"));
  const auto rules = rules_of("Job");
  EXPECT_EQ(to_lines(rules->validate_update(job, old, UpdateTarget::kStatus)), "");
  job["spec"].set("suspend", false);
  EXPECT_EQ(to_lines(rules->validate_update(job, old, UpdateTarget::kStatus)),
            "status.startTime: Required value: startTime is required for finished job");
}

TEST(JobTest, AnIndexedJobThatGetsSmallerLosesSuccesses) {
  Json old = created("Job", kJob,
                     R"({"spec":{"completionMode":"Indexed","completions":2,"parallelism":2}})");
  merge(old["status"], json_literal(R"({"succeeded":2})"));
  Json job = old;
  merge(job["status"], json_literal(R"({"succeeded":1})"));
  EXPECT_EQ(to_lines(rules_of("Job")->validate_update(job, old, UpdateTarget::kStatus)), "");
}

TEST(CronJobTest, DefaultsAreThoseOfTheRealServer) {
  Json object = created("CronJob", kCronJob, "{}");

  EXPECT_EQ(object.text_at({"spec", "jobTemplate", "spec", "template", "spec", "dnsPolicy"}),
            "ClusterFirst");
  object["spec"].erase("jobTemplate");
  EXPECT_EQ(object.get("spec"),
            json_literal(R"({"schedule":"0 * * * *","concurrencyPolicy":"Allow","suspend":false,
                "successfulJobsHistoryLimit":3,"failedJobsHistoryLimit":1})"));
}

constexpr RuleCase kCronJobCases[] = {
    {"{}", ""},
    {R"({"spec":{"schedule":""}})", "spec.schedule: Required value"},
    {R"({"spec":{"schedule":"bogus"}})",
     "spec.schedule: Invalid value: \"bogus\": expected exactly 5 fields, found 1: [bogus]"},
    {R"({"spec":{"schedule":"@hourly"}})", ""},
    {R"({"spec":{"schedule":"*/5 0-6,12 1 JAN mon-fri"}})", ""},
    {R"({"spec":{"schedule":"@every 1h30m"}})", ""},
    {R"({"spec":{"schedule":"@every 1.x5m"}})",
     "spec.schedule: Invalid value: \"@every 1.x5m\": failed to parse duration @every 1.x5m: "
     "time: invalid duration \"1.x5m\""},
    {R"({"spec":{"schedule":"60 * * * *"}})",
     "spec.schedule: Invalid value: \"60 * * * *\": end of range (60) above maximum (59): 60"},
    {R"({"spec":{"schedule":"TZ=UTC 0 * * * *"}})",
     "spec.schedule: Invalid value: \"TZ=UTC 0 * * * *\": cannot use TZ or CRON_TZ in schedule, "
     "use timeZone field instead"},
    {R"({"spec":{"timeZone":"Europe/Berlin"}})", ""},
    {R"({"spec":{"timeZone":"Nowhere"}})",
     "spec.timeZone: Invalid value: \"Nowhere\": unknown time zone Nowhere"},
    {R"({"spec":{"concurrencyPolicy":"X"}})",
     "spec.concurrencyPolicy: Unsupported value: \"X\": supported values: \"Allow\", \"Forbid\", "
     "\"Replace\""},
    {R"({"spec":{"startingDeadlineSeconds":-1}})",
     "spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0"},
    {R"({"spec":{"jobTemplate":{"spec":{"selector":{}}}}})",
     "spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated"},
    {R"({"metadata":{"name":"a2345678901234567890123456789012345678901234567890123"}})",
     "metadata.name: Invalid value: \"a2345678901234567890123456789012345678901234567890123\": "
     "must be no more than 52 characters"},
};

TEST(CronJobTest, RulesAreThoseOfTheRealServer) {
  for (const RuleCase& each : kCronJobCases) {
    const Json object = created("CronJob", kCronJob, each.patch);
    EXPECT_EQ(to_lines(rules_of("CronJob")->validate_create(object)), each.lines) << each.patch;
  }
}

}  // namespace
}  // namespace davit::sandbox
