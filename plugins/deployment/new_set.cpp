#include "plugins/deployment/new_set.hpp"

#include <algorithm>
#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>
#include <utility>

#include "plugins/deployment/annotations.hpp"
#include "plugins/deployment/progress_plan.hpp"
#include "plugins/deployment/replica_set_body.hpp"
#include "plugins/deployment/rolling_plan.hpp"
#include "plugins/deployment/snapshot.hpp"
#include "plugins/deployment/template_equality.hpp"
#include "plugins/deployment/template_hash.hpp"

namespace davit::deployment {

std::int64_t NewSet::next_revision() const {
  std::int64_t highest = 0;
  for (const SetFacts& set : state_.list().old()) {
    highest = std::max(highest, set.revision.value_or(0));
  }
  return highest + 1;
}

Status NewSet::refresh() {
  if (!state_.has_new) return {};
  if (Status s = write(next_revision()); !s.ok()) return s;

  if (const std::optional<std::int64_t> number = state_.facts.back().revision) {
    edits_.note_revision(std::to_string(*number));
  } else {
    edits_.note_revision(state_.sets.back().snapshot.annotation(kRevision).value_or(""));
  }
  if (edits_.status().conditions.find(kProgressing) == nullptr) {
    edits_.note_progress(kNewSetFound,
                         "Found new replica set \"" + std::string(state_.facts.back().name) + "\"");
  }
  return {};
}

/// Copies the Deployment's annotations, raises the revision and its history, and sets
/// minReadySeconds, in one request if anything differs. Annotations that the Deployment no longer
/// has stay.
Status NewSet::write(std::int64_t revision) {
  OwnedSet& set = state_.sets.back();
  SetFacts& facts = state_.facts.back();
  bool differs = false;
  JsonWriter body;
  body.begin_object().key("metadata").begin_object().member("resourceVersion", set.version);
  body.key("annotations").begin_object();
  for (const Member& annotation : state_.deployment.annotations().members()) {
    if (!is_shared_annotation(annotation.key)) continue;
    if (set.snapshot.annotations()[annotation.key] == annotation.value) continue;
    body.key(annotation.key).value(annotation.value);
    differs = true;
  }
  // A revision that is not a number protects the set's annotations, as upstream.
  if (!facts.revision) differs = false;
  const bool is_raised = facts.revision && *facts.revision < revision;
  if (is_raised) {
    body.member(kRevision, std::to_string(revision));
    if (const auto before = set.snapshot.annotation(kRevision); before && !before->empty()) {
      const std::string_view history = set.snapshot.annotation(kRevisionHistory).value_or("");
      body.member(kRevisionHistory, append_to_history(history, *before));
    }
  }
  body.end_object().end_object();
  const std::int64_t min_ready = state_.deployment.min_ready().count();
  const bool waits_otherwise = set.snapshot.min_ready().count() != min_ready;
  if (waits_otherwise) {
    body.key("spec").begin_object().member("minReadySeconds", min_ready).end_object();
  }
  body.end_object();
  if (!differs && !is_raised && !waits_otherwise) return {};

  const Result<ReplicaSet> response = state_.cluster.client.patch<ReplicaSet>(
      set.snapshot.key(), PatchType::kMerge, std::move(body).text(), {.answer = Answer::kMetadata});
  if (!response) return response.error();
  set.version = response->resource_version();
  if (is_raised) facts.revision = revision;
  return {};
}

Status NewSet::ensure() {
  if (state_.has_new) return {};
  if (!state_.limits.ok()) return state_.limits;
  const std::int64_t revision = next_revision();
  const std::int64_t size = new_set_size(state_.rollout, state_.wanted(), 0);
  const std::string hash =
      template_hash(state_.deployment.pod_template(), edits_.status().collision_count);
  const std::string name = replica_set_name(state_.deployment.name(), hash);

  const Result<ReplicaSet> response = state_.cluster.client.create<ReplicaSet>(
      state_.deployment.ns(),
      new_replica_set_body(state_.deployment,
                           {name, hash, size, revision, state_.rollout.replicas_max()}),
      {.answer = Answer::kMetadata});
  if (response) {
    add_created_set(*response, size, revision);
    edits_.note_progress(kNewSetCreated, "Created new replica set \"" + name + "\"");
    if (size > 0) {
      state_.cluster.events.normal(
          state_.deployment, "ScalingReplicaSet",
          "Scaled up replica set " + name + " from 0 to " + std::to_string(size));
    }
  } else if (response.error().code() == Code::kAlreadyExists) {
    if (Status s = take_existing(name, response.error()); !s.ok()) return s;
  } else {
    return note_create_error(name, response.error());
  }
  edits_.note_revision(std::to_string(revision));
  return {};
}

void NewSet::add_created_set(const ReplicaSet& response, std::int64_t size, std::int64_t revision) {
  SetFacts facts = read_set(response);  // Reads its metadata; the request asked for nothing else.
  facts.wanted = size;
  facts.revision = revision;
  state_.sets.push_back({response, std::string(response.resource_version()), size, true});
  state_.facts.push_back(facts);
  state_.has_new = true;
}

/// A set of that name is there. It is the one that this Deployment made, seen late, or a different
/// one, and then the next try gets another hash.
Status NewSet::take_existing(std::string_view name, const Status& error) {
  const Lookup<ReplicaSet> found = state_.cluster.replica_sets.get(state_.deployment.ns(), name);
  if (!found) {
    return Status(Code::kNotFound, "replicaset.apps \"" + std::string(name) + "\" not found");
  }
  if (found->is_controlled_by(state_.deployment) &&
      equal_templates(found->pod_template(), state_.deployment.pod_template())) {
    state_.sets.push_back(state_.own(*found));
    state_.facts.push_back(read_set(*found));
    state_.has_new = true;
    return {};
  }
  if (mutant("hash-collision")) return error;
  edits_.status().collision_count = edits_.status().collision_count.value_or(0) + 1;
  state_.cluster.log.info(
      "Found a hash collision for deployment - bumped collisionCount to resolve it",
      {{"deployment", state_.deployment.key().text()}, {"replicaSet", name}});
  return error;
}

/// Reports every error to the user, except that of a namespace that is being deleted.
Status NewSet::note_create_error(std::string_view name, const Status& error) {
  if (error.has_cause("NamespaceTerminating") || error.code() == Code::kCancelled) return error;
  const std::string message =
      "Failed to create new replica set \"" + std::string(name) + "\": " + error.message();
  edits_.note_progress(kSetCreateError, message);
  state_.cluster.events.warning(state_.deployment, kSetCreateError, message);
  return error;
}

}  // namespace davit::deployment
