#include "plugins/daemonset/revision_history.hpp"

#include <algorithm>
#include <davit/controller_ref_manager.hpp>
#include <davit/json_writer.hpp>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "plugins/daemonset/node_pods.hpp"
#include "plugins/shared/history/revision_data.hpp"
#include "plugins/shared/history/revisions.hpp"
#include "plugins/shared/owners/owners.hpp"

namespace davit::daemonset {
namespace {

using history::Numbers;

/// A merge patch that sets the hash label.
std::string label_patch(std::string_view hash) {
  JsonWriter body;
  body.begin_object().key("metadata").begin_object().key("labels").begin_object();
  body.member(kHashLabel, hash).end_object().end_object().end_object();
  return std::move(body).text();
}

std::string collision_patch(const DaemonSet& live, std::int64_t count) {
  JsonWriter body;
  body.begin_object().key("metadata").begin_object();
  body.member("resourceVersion", live.resource_version()).end_object();
  body.key("status").begin_object().member("collisionCount", count).end_object().end_object();
  return std::move(body).text();
}

std::string_view hash_of(const ControllerRevision& revision) {
  return revision.label(kHashLabel).value_or("");
}

}  // namespace

Result<Revisions> RevisionHistory::construct(const DaemonSet& set, const Selector& selector,
                                             ClaimedPods& pods) const {
  Result<Revisions> revisions = find_or_make(set, selector, pods);
  if (revisions) return revisions;
  return revisions.error().with_context("failed to construct revisions of DaemonSet");
}

Result<Revisions> RevisionHistory::find_or_make(const DaemonSet& set, const Selector& selector,
                                                ClaimedPods& pods) const {
  const Result<std::vector<ControllerRevision>> mine = claim(set, selector);
  if (!mine) return mine.error();
  const std::string data = history::revision_data(set.pod_template(), Numbers::kExact);
  std::vector<ControllerRevision> current;
  std::vector<ControllerRevision> old;
  for (const ControllerRevision& each : *mine) {
    const Result<ControllerRevision> labelled = label(each);
    if (!labelled) return labelled.error();
    const bool is_current = history::has_data(*labelled, data, Numbers::kExact);
    (is_current ? current : old).push_back(*labelled);
  }
  history::sort_revisions(current);
  history::sort_revisions(old);
  const std::int64_t number = history::next_revision(old);
  if (current.empty()) {
    const Result<ControllerRevision> made = snapshot(set, data, number);
    if (!made) return made.error();
    return Revisions{*made, std::move(old)};
  }
  const Result<ControllerRevision> kept = merge(current, pods);
  if (!kept) return kept.error();
  if (kept->revision() < number) {
    const Result<ControllerRevision> raised =
        history::renumber(cluster_, revisions_, *kept, number);
    if (!raised) return raised.error();
  }
  return Revisions{*kept, std::move(old)};
}

Result<std::vector<ControllerRevision>> RevisionHistory::claim(const DaemonSet& set,
                                                               const Selector& selector) const {
  std::vector<ControllerRevision> candidates = revisions_.controlled_by(set);
  for (const ControllerRevision& each : revisions_.orphans(set.ns())) candidates.push_back(each);
  const Client client = cluster_.client();
  return ControllerRefManager<DaemonSet, ControllerRevision>(client, set, selector)
      .claim(candidates);
}

Result<ControllerRevision> RevisionHistory::label(const ControllerRevision& revision) const {
  if (revision.label(kHashLabel)) return revision;
  return cluster_.client().patch<ControllerRevision>(revision.key(), PatchType::kMerge,
                                                     label_patch(revision.name()));
}

Result<ControllerRevision> RevisionHistory::snapshot(const DaemonSet& set, std::string_view data,
                                                     std::int64_t number) const {
  const std::string hash = history::revision_hash(data, set.collision_count());
  const std::string name = std::string(set.name()) + "-" + hash;
  const history::NewRevision revision{
      .key = {std::string(set.ns()), name},
      .hash = {kHashLabel, hash},
      .template_labels = set.pod_template()[&Names::metadata][&Names::labels],
      .annotations = set.annotations(),
      .owner = owner_identity(set),
      .data = data,
      .number = number};
  const Result<std::optional<ControllerRevision>> made =
      history::create_revision(cluster_.client(), revision, Numbers::kExact);
  if (!made) return made.error();
  if (!*made) return count_collision(set, name);
  return **made;
}

Status RevisionHistory::count_collision(const DaemonSet& set, std::string_view name) const {
  const Client client = cluster_.client();
  const Result<DaemonSet> live = client.get<DaemonSet>(set.key());
  if (!live) return live.error();
  const std::optional<std::int64_t> count = live->collision_count();
  if (count != set.collision_count()) {
    return Status(Code::kConflict, "found a stale collision count of " + set.key().text() +
                                       " in the cache; a newer one is used when it arrives");
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::int64_t next = std::clamp<std::int64_t>(count.value_or(0), -1, kMost - 1) + 1;
  const Result<DaemonSet> written =
      client.patch<DaemonSet>(set.key(), PatchType::kMerge, collision_patch(*live, next),
                              {.subresource = "status", .answer = Answer::kMetadata});
  if (!written) return written.error();
  return Status(Code::kAlreadyExists, "controllerrevisions.apps \"" + std::string(name) +
                                          "\" already exists with another template");
}

Result<ControllerRevision> RevisionHistory::merge(const std::vector<ControllerRevision>& duplicates,
                                                  ClaimedPods& pods) const {
  const ControllerRevision kept = duplicates.back();
  if (duplicates.size() == 1) return kept;
  const Result<std::vector<Pod>>& claimed = pods.get();
  if (!claimed) return claimed.error();
  std::set<std::string_view> hashes;
  for (const ControllerRevision& each : duplicates) hashes.insert(hash_of(each));
  hashes.erase(hash_of(kept));
  const Client client = cluster_.client();
  for (const Pod& pod : *claimed) {
    // Upstream relabels every pod, those of really older templates too, which it then never
    // replaces (its issue 111280).
    if (!hashes.contains(pod.label(kHashLabel).value_or(""))) continue;
    const Result<Pod> written = client.patch<Pod>(
        pod.key(), PatchType::kMerge, label_patch(hash_of(kept)), {.answer = Answer::kMetadata});
    if (!written) return written.error();
  }
  const Status deleted =
      history::delete_revisions(client, std::span(duplicates).first(duplicates.size() - 1));
  if (!deleted.ok()) return deleted;
  return kept;
}

Status RevisionHistory::clean_up(const DaemonSet& set, const Revisions& revisions,
                                 std::span<const Pod> pods) const {
  const std::set<std::string_view> live = live_hashes(pods);
  std::vector<ControllerRevision> dead;
  for (const ControllerRevision& each : revisions.old) {
    if (!live.contains(hash_of(each))) dead.push_back(each);
  }
  const std::span<const ControllerRevision> surplus =
      history::surplus(dead, revisions.old.size(), set.revision_history_limit());
  return history::delete_revisions(cluster_.client(), surplus)
      .with_context("failed to clean up revisions of DaemonSet");
}

}  // namespace davit::daemonset
