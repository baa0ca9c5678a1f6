/// The body of a pod that a Job creates.
#pragma once

#include <string>
#include <string_view>

#include "plugins/job/job.hpp"
#include "plugins/job/manage_plan.hpp"

namespace davit::job {

/// The prefix of the names of an index's pods: "<job>-<index>-", with the Job's name cut so that
/// the random suffix fits.
[[nodiscard]] std::string indexed_name_prefix(std::string_view job_name, std::int64_t index);

/// The JSON text of a pod made from the Job's template. The copied parts are the template's own
/// text, so unknown fields arrive unchanged. Rule: docs/spec/job.md, 13.
[[nodiscard]] std::string pod_body(const Job& job, const NewPod& pod);

}  // namespace davit::job
