/// The new ReplicaSet: found and kept current, or made. Upstream: getNewReplicaSet.
#include <algorithm>
#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>
#include <utility>

#include "plugins/deployment/annotations.hpp"
#include "plugins/deployment/progress_plan.hpp"
#include "plugins/deployment/replica_set_body.hpp"
#include "plugins/deployment/rolling_plan.hpp"
#include "plugins/deployment/rollout.hpp"
#include "plugins/deployment/snapshot.hpp"
#include "plugins/deployment/template_equality.hpp"
#include "plugins/deployment/template_hash.hpp"

namespace davit::deployment {

std::int64_t Rollout::next_revision() const {
  std::int64_t highest = 0;
  for (const SetFacts& set : sets().old()) highest = std::max(highest, set.revision.value_or(0));
  return highest + 1;
}

void Rollout::note_revision(std::string_view text) {
  if (deployment_.annotation(kRevision) != text) revision_to_write_ = text;
}

void Rollout::note_progress(std::string_view reason, std::string message) {
  if (!rollout_.progress_deadline_seconds) return;
  const std::string_view status = reason == kSetCreateError ? "False" : "True";
  status_.conditions.set(make_condition(kProgressing, status, reason, std::move(message), now_));
}

Status Rollout::refresh_new_set() {
  if (!has_new_) return {};
  if (Status s = write_new_set(next_revision()); !s.ok()) return s;

  if (const std::optional<std::int64_t> number = facts_.back().revision) {
    note_revision(std::to_string(*number));
  } else {
    note_revision(sets_.back().snapshot.annotation(kRevision).value_or(""));
  }
  if (status_.conditions.find(kProgressing) == nullptr) {
    note_progress(kNewSetFound,
                  "Found new replica set \"" + std::string(facts_.back().name) + "\"");
  }
  return {};
}

/// Copies the Deployment's annotations, raises the revision and its history, and sets
/// minReadySeconds, in one request if anything differs. Annotations that the Deployment no longer
/// has stay.
Status Rollout::write_new_set(std::int64_t revision) {
  OwnedSet& set = sets_.back();
  SetFacts& facts = facts_.back();
  bool differs = false;
  JsonWriter body;
  body.begin_object().key("metadata").begin_object().member("resourceVersion", set.version);
  body.key("annotations").begin_object();
  for (const Member& annotation : deployment_.annotations().members()) {
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
  const std::int64_t min_ready = deployment_.min_ready().count();
  const bool waits_otherwise = set.snapshot.min_ready().count() != min_ready;
  if (waits_otherwise) {
    body.key("spec").begin_object().member("minReadySeconds", min_ready).end_object();
  }
  body.end_object();
  if (!differs && !is_raised && !waits_otherwise) return {};

  const Result<ReplicaSet> response = cluster_.client.patch<ReplicaSet>(
      set.snapshot.key(), PatchType::kMerge, std::move(body).text(), {.answer = Answer::kMetadata});
  if (!response) return response.error();
  set.version = response->resource_version();
  if (is_raised) facts.revision = revision;
  return {};
}

Status Rollout::ensure_new_set() {
  if (has_new_) return {};
  if (!limits_.ok()) return limits_;
  const std::int64_t revision = next_revision();
  std::int64_t total = 0;
  for (const SetFacts& set : facts_) total += set.wanted;
  const std::int64_t size = new_set_size(rollout_, total, 0);
  const std::string hash = template_hash(deployment_.pod_template(), status_.collision_count);
  const std::string name = replica_set_name(deployment_.name(), hash);

  Request request = Request::create<ReplicaSet>(
      deployment_.ns(),
      new_replica_set_body(deployment_, {name, hash, size, revision, rollout_.replicas_max()}));
  request.answer = Answer::kMetadata;
  const Result<Value> response = cluster_.client.call(request);
  if (response) {
    add_created_set(ReplicaSet(*response), size, revision);
    note_progress(kNewSetCreated, "Created new replica set \"" + name + "\"");
    if (size > 0) {
      cluster_.events.normal(
          deployment_, "ScalingReplicaSet",
          "Scaled up replica set " + name + " from 0 to " + std::to_string(size));
    }
  } else if (response.error().code() == Code::kAlreadyExists) {
    if (Status s = take_existing(name, response.error()); !s.ok()) return s;
  } else {
    return note_create_error(name, response.error());
  }
  note_revision(std::to_string(revision));
  return {};
}

void Rollout::add_created_set(const ReplicaSet& response, std::int64_t size,
                              std::int64_t revision) {
  SetFacts facts = read_set(response);  // Reads its metadata; the request asked for nothing else.
  facts.wanted = size;
  facts.revision = revision;
  sets_.push_back({response, std::string(response.resource_version()), size, true});
  facts_.push_back(facts);
  has_new_ = true;
}

/// A set of that name is there. It is the one that this Deployment made, seen late, or a different
/// one, and then the next try gets another hash.
Status Rollout::take_existing(std::string_view name, const Status& error) {
  const std::optional<ReplicaSet> found = cluster_.replica_sets.get(deployment_.ns(), name);
  if (!found) {
    return Status(Code::kNotFound, "replicaset.apps \"" + std::string(name) + "\" not found");
  }
  if (found->is_controlled_by(deployment_.uid()) &&
      equal_templates(found->pod_template(), deployment_.pod_template())) {
    sets_.push_back(own(*found));
    facts_.push_back(read_set(*found));
    has_new_ = true;
    return {};
  }
  if (mutant("hash-collision")) return error;
  status_.collision_count = status_.collision_count.value_or(0) + 1;
  cluster_.log.info("Found a hash collision for deployment - bumped collisionCount to resolve it",
                    {{"deployment", deployment_.key().text()}, {"replicaSet", name}});
  return error;
}

/// Reports every error to the user, except that of a namespace that is being deleted.
Status Rollout::note_create_error(std::string_view name, const Status& error) {
  if (error.has_cause("NamespaceTerminating") || error.code() == Code::kCancelled) return error;
  const std::string message =
      "Failed to create new replica set \"" + std::string(name) + "\": " + error.message();
  note_progress(kSetCreateError, message);
  cluster_.events.warning(deployment_, kSetCreateError, message);
  return error;
}

}  // namespace davit::deployment
