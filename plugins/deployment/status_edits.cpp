#include "plugins/deployment/status_edits.hpp"

#include <davit/json_writer.hpp>
#include <utility>

#include "plugins/deployment/annotations.hpp"
#include "plugins/deployment/progress_plan.hpp"
#include "plugins/deployment/snapshot.hpp"

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

StatusEdits::StatusEdits(const RolloutState& state)
    : state_(state),
      version_(state.deployment.resource_version()),
      stored_(read_status(state.deployment)),
      status_(stored_) {}

void StatusEdits::note_revision(std::string_view text) {
  if (state_.deployment.annotation(kRevision) != text) revision_to_write_ = text;
}

void StatusEdits::note_progress(std::string_view reason, std::string message) {
  if (!state_.rollout.progress_deadline_seconds) return;
  const std::string_view status = reason == kSetCreateError ? "False" : "True";
  status_.conditions.set(
      make_condition(kProgressing, status, reason, std::move(message), state_.now));
}

bool StatusEdits::pending() const { return revision_to_write_ || status_ != stored_; }

Status StatusEdits::write(const DeploymentStatus& next) {
  const Result<Deployment> response = state_.cluster.client.patch<Deployment>(
      state_.deployment.key(), PatchType::kMerge, patch(next),
      {.subresource = "status", .answer = Answer::kMetadata});
  std::optional<std::string> revision = std::exchange(revision_to_write_, std::nullopt);
  if (!response) {
    status_ = stored_;  // Discarded: the retry makes the edits again.
    return response.error();
  }
  if (revision) revision_written_ = std::move(revision);
  version_ = response->resource_version();
  stored_ = next;
  status_ = next;
  return {};
}

/// The status endpoint also takes annotations: so the revision is written without a new generation.
std::string StatusEdits::patch(const DeploymentStatus& next) const {
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
