#include "plugins/job/end_plan.hpp"

#include "plugins/job/policies.hpp"

namespace davit::job {
namespace {

End failure(std::string_view reason, std::string_view message) {
  return {End::Outcome::kFailure, false, std::string(reason), std::string(message)};
}

std::optional<End> announced_end(const JobStatus& stored) {
  if (const JobCondition* met = stored.find_true(kSuccessCriteriaMet)) {
    return End{End::Outcome::kSuccess, true, met->reason, met->message};
  }
  if (const JobCondition* target = stored.find_true(kFailureTarget)) {
    return End{End::Outcome::kFailure, true, target->reason, target->message};
  }
  return std::nullopt;
}

std::optional<End> policy_failure(const Snapshot& job) {
  if (!job.spec.failure_policy) return std::nullopt;
  for (const PodFacts& pod : job.pods) {
    if (!is_failed(pod, job.spec)) continue;
    const FailureMatch match = match_failure(job.spec, job.ns, pod);
    if (match.is(FailureRule::Action::kFailJob)) return failure("PodFailurePolicy", match.message);
  }
  return std::nullopt;
}

/// Whether containers that are restarted in place have failed too often.
bool too_many_restarts(const Snapshot& job) {
  if (!job.spec.restarts_in_place) return false;
  std::int64_t restarts = 0;
  for (const PodFacts& pod : job.pods) {
    if (pod.phase == PodPhase::kRunning || pod.phase == PodPhase::kPending) {
      restarts += pod.all_restarts;
    }
  }
  return job.spec.backoff_limit == 0 ? restarts > 0 : restarts >= job.spec.backoff_limit;
}

std::optional<End> index_failure(const Snapshot& job) {
  if (!job.failed_indexes) return std::nullopt;
  const std::int64_t failed = job.failed_indexes->size();
  if (job.spec.max_failed_indexes && failed > *job.spec.max_failed_indexes) {
    return failure("MaxFailedIndexesExceeded",
                   "Job has exceeded the specified maximal number of failed indexes");
  }
  if (failed > 0 && failed + job.succeeded_indexes.size() >= *job.spec.completions) {
    return failure("FailedIndexes", "Job has failed indexes");
  }
  return std::nullopt;
}

}  // namespace

Duration deadline_left(std::chrono::seconds deadline, WallTime start_time, WallTime now) {
  return deadline - (now - start_time);
}

std::optional<End> plan_end(const Snapshot& job, std::optional<WallTime> start_time, WallTime now) {
  if (std::optional<End> end = announced_end(job.stored)) return end;
  if (std::optional<End> end = policy_failure(job)) return end;
  if (job.failed > job.spec.backoff_limit || too_many_restarts(job)) {
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if (!job.spec.suspended && job.spec.active_deadline && start_time &&
      deadline_left(*job.spec.active_deadline, *start_time, now) <= Duration::zero()) {
    return failure("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  if (std::optional<End> end = index_failure(job)) return end;
  if (const auto rule = match_success(job.spec, job.succeeded_indexes)) {
    return End{End::Outcome::kSuccess, false, "SuccessPolicy",
               "Matched rules at index " + std::to_string(*rule)};
  }
  return std::nullopt;
}

std::optional<End> plan_completion(const Snapshot& job, std::int64_t active) {
  const bool enough =
      job.spec.completions ? job.succeeded >= *job.spec.completions : job.succeeded > 0;
  if (active != 0 || !enough) return std::nullopt;
  return End{End::Outcome::kSuccess, false, "CompletionsReached",
             "Reached expected number of succeeded pods"};
}

}  // namespace davit::job
