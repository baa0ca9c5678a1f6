/// Rollback on request of the annotation deprecated.deployment.rollback.to, which apps/v1 still
/// honours. Upstream: rollback.
#include <davit/json_writer.hpp>
#include <utility>

#include "plugins/deployment/annotations.hpp"
#include "plugins/deployment/replica_set_body.hpp"
#include "plugins/deployment/rollout.hpp"
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

/// Opens a JSON patch whose first operation makes a write by anybody else a conflict.
void begin_patch(JsonWriter& out, std::string_view version) {
  out.begin_array().begin_object().member("op", "replace");
  out.member("path", "/metadata/resourceVersion").member("value", version).end_object();
}

}  // namespace

std::optional<std::int64_t> Rollout::rollback_request() const {
  return parse_rollback(deployment_.annotation(kRollbackTo).value_or(""));
}

Result<Again> Rollout::roll_back(std::int64_t revision) {
  if (Status s = ensure_new_set(); !s.ok()) return s;
  if (has_pending_edits()) {
    if (Status s = write_status(status_); !s.ok()) return s;
  }
  if (revision == 0) {
    revision = last_revision(sets());
    if (revision == 0) return refuse_rollback(kNotFoundReason, "Unable to find last revision.");
  }
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    if (facts_[i].revision != revision) continue;
    const bool is_new = has_new_ && i == new_set();
    if (is_new || equal_templates(sets_[i].snapshot.pod_template(), deployment_.pod_template())) {
      return refuse_rollback(
          kUnchangedReason,
          "The rollback revision contains the same template as current deployment \"" +
              std::string(deployment_.name()) + "\"");
    }
    return restore(i, revision);
  }
  return refuse_rollback(kNotFoundReason, "Unable to find the revision to rollback to.");
}

/// Removes the request, so that it gets one reply.
Result<Again> Rollout::refuse_rollback(std::string_view reason, std::string_view message) {
  cluster_.events.warning(deployment_, reason, message);
  JsonWriter body;
  body.begin_object().key("metadata").begin_object().member("resourceVersion", version_);
  body.key("annotations").begin_object().key(kRollbackTo).null().end_object();
  body.end_object().end_object();
  const Result<Deployment> response = cluster_.client.patch<Deployment>(
      deployment_.key(), PatchType::kMerge, std::move(body).text(), {.answer = Answer::kMetadata});
  if (!response) return response.error();
  return Again::when_changed();
}

Result<Again> Rollout::restore(std::size_t set, std::int64_t revision) {
  const Result<Deployment> response = cluster_.client.patch<Deployment>(
      deployment_.key(), PatchType::kJson, restore_patch(sets_[set].snapshot),
      {.answer = Answer::kMetadata});
  if (!response) return response.error();
  cluster_.events.normal(deployment_, "DeploymentRollback",
                         "Rolled back deployment \"" + std::string(deployment_.name()) +
                             "\" to revision " + std::to_string(revision));
  return Again::when_changed();
}

/// The set's template and annotations replace the Deployment's; what a Deployment keeps for itself
/// stays as this sync left it, but for the request.
std::string Rollout::restore_patch(const ReplicaSet& set) const {
  JsonWriter out;
  begin_patch(out, version_);
  out.begin_object().member("op", "add").member("path", "/metadata/annotations");
  out.key("value").begin_object();
  for (const Member& annotation : deployment_.annotations().members()) {
    if (is_shared_annotation(annotation.key) || annotation.key == kRollbackTo) continue;
    if (annotation.key == kRevision && revision_written_) continue;
    out.key(annotation.key).value(annotation.value);
  }
  if (revision_written_) out.member(kRevision, *revision_written_);
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
