/// The rules of a JobSpec, in Jobs and in the templates of CronJobs, and of a Job's status.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_path.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// Checks everything except the selector. k8s: validateJobSpec.
void check_job_spec(const Json& spec, const FieldPath& path, FieldErrors& errors);
/// k8s: WarningsForJobSpec.
void add_job_warnings(const Json& spec, const FieldPath& path, std::vector<std::string>& out);
/// spec.podFailurePolicy, if there is one. k8s: validatePodFailurePolicy.
void check_failure_policy(const Json& spec, const FieldPath& path, FieldErrors& errors);
/// spec.successPolicy, if there is one. k8s: validateSuccessPolicy.
void check_success_policy(const Json& spec, const FieldPath& path, FieldErrors& errors);
/// k8s: ValidateJobUpdateStatus, after metadata.
void check_job_status(const Json& job, const Json& old, FieldErrors& errors);

}  // namespace davit::sandbox
