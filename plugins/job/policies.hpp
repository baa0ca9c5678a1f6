/// The rules that a user gives a Job: which failures count, and which successes suffice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/job/index_set.hpp"
#include "plugins/job/job_spec.hpp"
#include "plugins/job/pod_facts.hpp"

namespace davit::job {

/// The word of the pod failure policy on a pod; without a match the failure counts.
struct FailureMatch {
  std::optional<FailureRule::Action> action = std::nullopt;
  std::string message = {};  ///< For kFailJob; names the pod and the rule.

  [[nodiscard]] bool is(FailureRule::Action wanted) const { return action == wanted; }
};

/// The first rule that matches decides; none without a policy. Rule: docs/spec/job.md, 16.
[[nodiscard]] FailureMatch match_failure(const JobSpec& spec, std::string_view ns,
                                         const PodFacts& pod);
/// The value of the metrics' label action.
[[nodiscard]] std::string_view action_text(FailureRule::Action action);

/// The position of the first rule of the success policy that holds. Rule: docs/spec/job.md, 17.
[[nodiscard]] std::optional<std::size_t> match_success(const JobSpec& spec,
                                                       const IndexSet& succeeded);

}  // namespace davit::job
