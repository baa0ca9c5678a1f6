#include "sandbox/kinds/job_spec.hpp"

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"
#include "sandbox/kinds/pod_warnings.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kJobSpec = "batch.v1.JobSpec";
/// The most indexes whose state fits into one object.
constexpr std::int64_t kIndexedParallelismMax = 100'000;
constexpr std::int64_t kFailedIndexesMax = 100'000;
/// With more completions, failures are counted by index for few of them only.
constexpr std::int64_t kCompletionsOfManyFailures = 100'000;
constexpr std::int64_t kAtOnceOfManyCompletions = 10'000;
constexpr std::size_t kManagerBytesMax = 63;

void check_index_options(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view each : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
    if (is_set(spec, each)) {
      errors.push_back(
          field_invalid(path.text(each), spec.get(each), "requires indexed completion mode"));
    }
  }
}

void check_at_most(const Json& spec, std::string_view field, std::int64_t max,
                   const std::string& what, const FieldPath& path, FieldErrors& errors) {
  const Json& value = spec.get(field);
  if (value.integer_or(0) <= max) return;
  errors.push_back(field_invalid(path.text(field), value, "must be less than or equal to " + what));
}

/// k8s: the limits that keep status.completedIndexes and failedIndexes small.
void check_index_limits(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  check_at_most(spec, "parallelism", kIndexedParallelismMax,
                "100000 when completion mode is Indexed", path, errors);
  const std::int64_t completions = spec.get("completions").integer_or(0);
  if (is_set(spec, "completions")) {
    check_at_most(spec, "maxFailedIndexes", completions, "completions", path, errors);
  }
  check_at_most(spec, "maxFailedIndexes", kFailedIndexesMax, "100000", path, errors);
  if (completions <= kCompletionsOfManyFailures || !is_set(spec, "backoffLimitPerIndex")) return;
  if (!is_set(spec, "maxFailedIndexes")) {
    errors.push_back(field_required(path.text("maxFailedIndexes"),
                                    "must be specified when completions is above 100000"));
  }
  for (const std::string_view each : {"parallelism", "maxFailedIndexes"}) {
    check_at_most(spec, each, kAtOnceOfManyCompletions,
                  "10000 when completions are above 100000 and used with backoff limit per index",
                  path, errors);
  }
}

void check_manager(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  if (!is_set(spec, "managedBy")) return;
  const std::string& manager = spec.get("managedBy").text();
  check_domain_prefixed_path(manager, path.child("managedBy"), errors);
  if (manager.size() > kManagerBytesMax) {
    errors.push_back(field_too_long(path.text("managedBy"), kManagerBytesMax));
  }
}

void check_completion_mode(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  check_fields(kJobSpec, spec, {"completionMode"}, path, errors);
  const std::string& mode = spec.get("completionMode").text();
  if (mode != "Indexed") {
    check_index_options(spec, path, errors);
    return;
  }
  if (!is_set(spec, "completions")) {
    errors.push_back(field_required(path.text("completions"), "when completion mode is Indexed"));
  }
  check_index_limits(spec, path, errors);
}

void check_replacement(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  if (!is_set(spec, "podReplacementPolicy")) return;
  const Json& policy = spec.get("podReplacementPolicy");
  const bool failures_matter = is_set(spec, "podFailurePolicy");
  if (policy.text() == "Failed") return;
  if (failures_matter) {
    errors.push_back(field_not_supported(path.text("podReplacementPolicy"), policy, {"Failed"}));
  } else if (policy.text() != "TerminatingOrFailed") {
    errors.push_back(field_not_supported(path.text("podReplacementPolicy"), policy,
                                         {"Failed", "TerminatingOrFailed"}));
  }
}

}  // namespace

void add_job_warnings(const Json& spec, const FieldPath& path, std::vector<std::string>& out) {
  if (spec.get("completionMode").text() == "Indexed" &&
      spec.get("completions").integer_or(0) > kCompletionsOfManyFailures &&
      spec.get("parallelism").integer_or(0) > kAtOnceOfManyCompletions) {
    out.push_back(path.text() +
                  ": In Indexed Jobs with a number of completions higher than 10^5 and a "
                  "parallelism higher than 10^4, Kubernetes might not be able to track "
                  "completedIndexes when a big number of indexes fail");
  }
  add_template_warnings(spec.get("template"), path.child("template"), out);
}

void check_job_spec(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  check_fields(kJobSpec, spec,
               {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"},
               path, errors);
  if (is_set(spec, "maxFailedIndexes") && !is_set(spec, "backoffLimitPerIndex")) {
    errors.push_back(
        field_required(path.text("backoffLimitPerIndex"), "when maxFailedIndexes is specified"));
  }
  check_manager(spec, path, errors);
  check_completion_mode(spec, path, errors);
  check_failure_policy(spec, path, errors);
  check_success_policy(spec, path, errors);
  check_replacement(spec, path, errors);
  check_pod_template(spec.get("template"), path.child("template"), errors);
  const Json& policy = spec.get("template").get("spec").get("restartPolicy");
  const std::string field = path.text("template.spec.restartPolicy");
  if (policy.text().empty() || policy.text() == "Always") {
    errors.push_back(field_required(field, R"(valid values: "OnFailure", "Never")"));
  } else if (policy.text() != "OnFailure" && policy.text() != "Never") {
    errors.push_back(field_not_supported(field, policy, {"OnFailure", "Never"}));
  } else if (is_set(spec, "podFailurePolicy") && policy.text() != "Never") {
    errors.push_back(field_invalid(
        field, policy, R"(only "Never" is supported when podFailurePolicy is specified)"));
  }
}

}  // namespace davit::sandbox
