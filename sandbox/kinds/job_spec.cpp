#include "sandbox/kinds/job_spec.hpp"

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kJobSpec = "batch.v1.JobSpec";
/// The most indexes whose state fits into one object.
constexpr std::int64_t kIndexedParallelismMax = 100'000;

void check_index_options(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view each : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
    if (is_set(spec, each)) {
      errors.push_back(
          field_invalid(path.text(each), spec.get(each), "requires indexed completion mode"));
    }
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
  if (const Json& parallelism = spec.get("parallelism");
      parallelism.integer_or(0) > kIndexedParallelismMax) {
    errors.push_back(
        field_invalid(path.text("parallelism"), parallelism,
                      "must be less than or equal to 100000 when completion mode is Indexed"));
  }
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

void check_job_spec(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  check_fields(kJobSpec, spec,
               {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"},
               path, errors);
  if (is_set(spec, "maxFailedIndexes") && !is_set(spec, "backoffLimitPerIndex")) {
    errors.push_back(
        field_required(path.text("backoffLimitPerIndex"), "when maxFailedIndexes is specified"));
  }
  check_completion_mode(spec, path, errors);
  check_replacement(spec, path, errors);
  check_pod_template(spec.get("template"), path.child("template"), errors);
  const Json& policy = spec.get("template").get("spec").get("restartPolicy");
  const std::string field = path.text("template.spec.restartPolicy");
  if (policy.text() != "OnFailure" && policy.text() != "Never") {
    errors.push_back(field_required(field, R"(valid values: "OnFailure", "Never")"));
  } else if (is_set(spec, "podFailurePolicy") && policy.text() != "Never") {
    errors.push_back(field_invalid(
        field, policy, R"(only "Never" is supported when podFailurePolicy is specified)"));
  }
}

}  // namespace davit::sandbox
