/// The status of a Deployment and its one way to the server.
#include <chrono>
#include <davit/json_writer.hpp>
#include <utility>

#include "plugins/deployment/annotations.hpp"
#include "plugins/deployment/progress_plan.hpp"
#include "plugins/deployment/rollout.hpp"

namespace davit::deployment {
namespace {

void write_if_changed(JsonWriter& out, std::string_view name, std::int64_t before,
                      std::int64_t after) {
  if (before != after) out.member(name, after);
}

void write_if_changed(JsonWriter& out, std::string_view name,
                      const std::optional<std::int64_t>& before,
                      const std::optional<std::int64_t>& after) {
  if (before == after) return;
  if (after) {
    out.member(name, *after);
  } else {
    out.key(name).null();  // In a merge patch: remove it.
  }
}

}  // namespace

std::string Rollout::subject() const {
  if (has_new_) return "ReplicaSet \"" + std::string(facts_.back().name) + "\"";
  return "Deployment \"" + std::string(deployment_.name()) + "\"";
}

/// The new set's failure, or else the first one of any set.
std::optional<Condition> Rollout::replica_failure() const {
  const auto failure_of = [](const OwnedSet& set) -> std::optional<Condition> {
    const std::optional<ConditionView> found = set.snapshot.condition(kReplicaFailure);
    if (!found) return std::nullopt;
    return Condition::from(*found);
  };
  if (has_new_) {
    if (std::optional<Condition> failure = failure_of(sets_.back())) return failure;
  }
  for (const OwnedSet& set : sets_) {
    if (std::optional<Condition> failure = failure_of(set)) return failure;
  }
  return std::nullopt;
}

Result<Again> Rollout::report_counts() {
  const DeploymentStatus next = plan_status(rollout_, sets(), status_, now_);
  if (revision_to_write_ || is_news(stored_, next, sets())) {
    if (Status s = write_status(next); !s.ok()) return s;
  }
  return Again::when_changed();
}

Result<Again> Rollout::report() {
  DeploymentStatus next = plan_status(rollout_, sets(), status_, now_);
  const std::string about = subject();
  mark_progress(rollout_, {status_, about, now_}, next);
  mark_replica_failure(replica_failure(), next);
  if (revision_to_write_ || is_news(stored_, next, sets())) {
    const std::string before = version_;
    if (Status s = write_status(next); !s.ok()) return s;
    // The change comes back as an event and wakes the key, unless the server saw none.
    if (version_ != before) return Again::when_changed();
  }
  const std::optional<Duration> check = next_check(rollout_, stored_, next, now_);
  return check ? Again::after(*check) : Again::when_changed();
}

Result<Again> Rollout::report_in_spite_of(const Status& error) {
  if (error.code() == Code::kCancelled) return error;
  const Result<Again> reported = report();
  if (reported && *reported != Again::when_changed()) {
    cluster_.queue.add_after(deployment_.key(), std::chrono::milliseconds(reported->after_ms()));
  }
  return error;
}

bool Rollout::has_pending_edits() const { return revision_to_write_ || status_ != stored_; }

Status Rollout::write_status(const DeploymentStatus& next) {
  const Result<Deployment> response =
      cluster_.client.patch<Deployment>(deployment_.key(), PatchType::kMerge, status_patch(next),
                                        {.subresource = "status", .answer = Answer::kMetadata});
  std::optional<std::string> revision = std::exchange(revision_to_write_, std::nullopt);
  if (!response) {
    status_ = stored_;  // Given up: the retry makes the edits anew.
    return response.error();
  }
  if (revision) revision_written_ = std::move(revision);
  version_ = response->resource_version();
  stored_ = next;
  status_ = next;
  return {};
}

/// The status endpoint also takes annotations: so the revision is written without a new generation.
std::string Rollout::status_patch(const DeploymentStatus& next) const {
  JsonWriter out;
  out.begin_object().key("metadata").begin_object().member("resourceVersion", version_);
  if (revision_to_write_) {
    out.key("annotations").begin_object().member(kRevision, *revision_to_write_).end_object();
  }
  out.end_object().key("status").begin_object();
  write_if_changed(out, "observedGeneration", stored_.observed_generation,
                   next.observed_generation);
  write_if_changed(out, "replicas", stored_.replicas, next.replicas);
  write_if_changed(out, "updatedReplicas", stored_.updated, next.updated);
  write_if_changed(out, "readyReplicas", stored_.ready, next.ready);
  write_if_changed(out, "availableReplicas", stored_.available, next.available);
  write_if_changed(out, "unavailableReplicas", stored_.unavailable, next.unavailable);
  write_if_changed(out, "terminatingReplicas", stored_.terminating, next.terminating);
  write_if_changed(out, "collisionCount", stored_.collision_count, next.collision_count);
  if (stored_.conditions != next.conditions) {
    out.key("conditions");
    next.conditions.write(out);
  }
  out.end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::deployment
