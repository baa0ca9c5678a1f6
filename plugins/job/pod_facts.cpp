#include "plugins/job/pod_facts.hpp"

#include <algorithm>
#include <limits>

#include "plugins/job/index_set.hpp"

namespace davit::job {
namespace {

PodPhase phase_of(std::string_view text) {
  if (text == "Running") return PodPhase::kRunning;
  if (text == "Succeeded") return PodPhase::kSucceeded;
  if (text == "Failed") return PodPhase::kFailed;
  if (text == "Unknown") return PodPhase::kUnknown;
  return PodPhase::kPending;
}

std::optional<std::int64_t> index_of(const Pod& pod) {
  const std::optional<std::int64_t> index = parse_decimal(pod.annotation(kIndexKey).value_or(""));
  return index && *index >= 0 ? index : std::nullopt;
}

/// An annotation with a number of failures.
std::int64_t count_of(const Pod& pod, std::string_view annotation) {
  const std::int64_t count = parse_decimal(pod.annotation(annotation).value_or("")).value_or(0);
  return count > std::numeric_limits<std::int32_t>::max() ? 0 : std::max<std::int64_t>(count, 0);
}

bool is_sidecar(const Pod& pod, std::string_view container) {
  for (const Value each : pod.spec()[&Names::init_containers].elements()) {
    if (each[&Names::name].string() == container) {
      return each[&Names::restart_policy].string() == "Always";
    }
  }
  return false;
}

Value terminated(Value container_status) { return container_status["state"]["terminated"]; }

/// The latest end of the regular containers and the sidecars. Regular ones that still run are
/// disregarded; a sidecar that runs makes the end unknown.
std::optional<WallTime> containers_finished(const Pod& pod) {
  std::optional<WallTime> latest;
  const auto consider = [&latest](Value status) {
    const std::optional<WallTime> end = parse_time(terminated(status)["finishedAt"].string());
    latest = end && latest ? std::max(*end, *latest) : end;
    return end.has_value();
  };
  for (const Value each : pod.status()[&Names::container_statuses].elements()) {
    if (!consider(each)) break;
  }
  for (const Value each : pod.status()[&Names::init_container_statuses].elements()) {
    if (is_sidecar(pod, each[&Names::name].string()) && !consider(each)) return std::nullopt;
  }
  return latest;
}

WallTime finish_time(const Pod& pod) {
  if (const std::optional<WallTime> end = containers_finished(pod)) return *end;
  if (const std::optional<ConditionView> ready = pod.condition("Ready")) {
    const std::optional<WallTime> since = ready->last_transition_time();
    if (ready->status() == "False" && since) return *since;
  }
  if (const std::optional<WallTime> deleted = pod.deletion_time()) {
    const std::int64_t grace = pod.metadata()["deletionGracePeriodSeconds"].integer_or(0);
    // A day is more than any pod gets, and far from where the clock overflows.
    return *deleted - std::chrono::seconds(std::clamp<std::int64_t>(grace, 0, 86'400));
  }
  return pod.creation_time().value_or(WallTime());
}

void read_policy_facts(const Pod& pod, PodFacts& facts) {
  for (const auto list : {&Names::container_statuses, &Names::init_container_statuses}) {
    for (const Value each : pod.status()[list].elements()) {
      if (const auto code = terminated(each)["exitCode"].integer()) {
        facts.exits.push_back({each[&Names::name].string(), *code});
      }
    }
  }
  for (const Value each : pod.status()[&Names::conditions].elements()) {
    facts.conditions.push_back({each[&Names::type].string(), each[&Names::status].string()});
  }
}

}  // namespace

PodFacts read_pod(const Pod& pod, const JobSpec& spec) {
  PodFacts facts;
  facts.name = pod.name();
  facts.uid = pod.uid();
  facts.phase = phase_of(pod.phase());
  facts.being_deleted = pod.is_being_deleted();
  facts.rank = pods::pod_rank(pod);
  facts.has_finalizer = pod.has_finalizer(kTrackingFinalizer) || !pod.controller();
  facts.finished = finish_time(pod);
  if (spec.restarts_in_place) {
    for (const auto list : {&Names::container_statuses, &Names::init_container_statuses}) {
      for (const Value each : pod.status()[list].elements()) {
        facts.all_restarts += std::clamp<std::int64_t>(each[&Names::restart_count].integer_or(0), 0,
                                                       std::numeric_limits<std::int32_t>::max());
      }
    }
  }
  if (spec.indexed) facts.index = index_of(pod);
  if (spec.per_index()) {
    facts.failures = count_of(pod, kFailureCount);
    facts.ignored_failures = count_of(pod, kIgnoredFailureCount);
  }
  if (spec.failure_policy) read_policy_facts(pod, facts);
  return facts;
}

bool is_failed(const PodFacts& pod, const JobSpec& spec) {
  if (pod.phase == PodPhase::kFailed) return true;
  return !spec.replaces_failed_only && pod.being_deleted && pod.phase != PodPhase::kSucceeded;
}

bool in_range(const PodFacts& pod, const JobSpec& spec) {
  return !spec.indexed || (pod.index && *pod.index < spec.completions.value_or(0));
}

}  // namespace davit::job
