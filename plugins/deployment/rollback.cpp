#include "plugins/deployment/rollback.hpp"

#include <davit/json_writer.hpp>
#include <utility>

#include "plugins/deployment/annotations.hpp"
#include "plugins/deployment/replica_set_body.hpp"
#include "plugins/deployment/template_equality.hpp"

namespace davit::deployment {

namespace {

constexpr std::string_view kNotFoundReason = "DeploymentRollbackRevisionNotFound";
constexpr std::string_view kUnchangedReason = "DeploymentRollbackTemplateUnchanged";

/// The second highest revision, 0 without one: what "the one before" means.
std::int64_t last_revision(const SetList& sets) {
  std::int64_t highest = 0;
  std::int64_t second = 0;
  for (const SetFacts& set : sets.all) {
    if (!set.revision) continue;
    if (*set.revision >= highest) {
      second = std::exchange(highest, *set.revision);
    } else if (*set.revision > second) {
      second = *set.revision;
    }
  }
  return second;
}

/// Opens a JSON patch whose first operation makes another client's write a conflict.
void begin_patch(JsonWriter& out, std::string_view version) {
  out.begin_array().begin_object().member("op", "replace");
  out.member("path", "/metadata/resourceVersion").member("value", version).end_object();
}

}  // namespace

std::optional<std::int64_t> Rollback::requested() const {
  return parse_rollback(state_.deployment.annotation(kRollbackTo).value_or(""));
}

Result<Again> Rollback::run(std::int64_t revision) {
  if (Status s = new_set_.ensure(); !s.ok()) return s;
  if (edits_.pending()) {
    if (Status s = edits_.flush(); !s.ok()) return s;
  }
  if (revision == 0) {
    revision = last_revision(state_.list());
    if (revision == 0) return refuse(kNotFoundReason, "Unable to find last revision.");
  }
  for (std::size_t i = 0; i < state_.facts.size(); ++i) {
    if (state_.facts[i].revision != revision) continue;
    const bool is_new = state_.has_new && i == state_.new_set();
    if (is_new ||
        equal_templates(state_.sets[i].snapshot.pod_template(), state_.deployment.pod_template())) {
      return refuse(kUnchangedReason,
                    "The rollback revision contains the same template as current deployment \"" +
                        std::string(state_.deployment.name()) + "\"");
    }
    return restore(i, revision);
  }
  return refuse(kNotFoundReason, "Unable to find the revision to rollback to.");
}

/// Removes the request, so that it gets one reply.
Result<Again> Rollback::refuse(std::string_view reason, std::string_view message) {
  state_.cluster.events.warning(state_.deployment, reason, message);
  JsonWriter body;
  body.begin_object().key("metadata").begin_object().member("resourceVersion", edits_.version());
  body.key("annotations").begin_object().key(kRollbackTo).null().end_object();
  body.end_object().end_object();
  const Result<Deployment> response = state_.cluster.client.patch<Deployment>(
      state_.deployment.key(), PatchType::kMerge, std::move(body).text(),
      {.answer = Answer::kMetadata});
  if (!response) return response.error();
  return Again::when_changed();
}

Result<Again> Rollback::restore(std::size_t set, std::int64_t revision) {
  const Result<Deployment> response = state_.cluster.client.patch<Deployment>(
      state_.deployment.key(), PatchType::kJson, restore_patch(state_.sets[set].snapshot),
      {.answer = Answer::kMetadata});
  if (!response) return response.error();
  state_.cluster.events.normal(state_.deployment, "DeploymentRollback",
                               "Rolled back deployment \"" + std::string(state_.deployment.name()) +
                                   "\" to revision " + std::to_string(revision));
  return Again::when_changed();
}

/// The set's template and annotations replace the Deployment's; what a Deployment keeps for itself
/// stays as this sync left it, but for the request.
std::string Rollback::restore_patch(const ReplicaSet& set) const {
  JsonWriter out;
  begin_patch(out, edits_.version());
  out.begin_object().member("op", "add").member("path", "/metadata/annotations");
  out.key("value").begin_object();
  for (const Member& annotation : state_.deployment.annotations().members()) {
    if (is_shared_annotation(annotation.key) || annotation.key == kRollbackTo) continue;
    if (annotation.key == kRevision && edits_.revision_written()) continue;
    out.key(annotation.key).value(annotation.value);
  }
  if (edits_.revision_written()) out.member(kRevision, *edits_.revision_written());
  for (const Member& annotation : set.annotations().members()) {
    if (!is_shared_annotation(annotation.key)) continue;
    out.key(annotation.key).value(annotation.value);
  }
  out.end_object().end_object();
  out.begin_object().member("op", "add").member("path", "/spec/template");
  out.key("value").raw(template_without_hash(set.pod_template())).end_object().end_array();
  return std::move(out).text();
}

}  // namespace davit::deployment
