#include "plugins/statefulset/set_revisions.hpp"

#include <davit/client.hpp>
#include <davit/controller_ref_manager.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "plugins/shared/history/revision_data.hpp"
#include "plugins/shared/history/revisions.hpp"
#include "plugins/statefulset/semantic_equality.hpp"

namespace davit::statefulset {
namespace {

constexpr std::string_view kHashLabel = "controller.kubernetes.io/hash";
constexpr history::Numbers kNumbers = history::Numbers::kFloat64;
/// The collisions that one sync steps over. They are made by hand or by accident; a namespace full
/// of them must not keep the worker.
constexpr int kCollisionsMax = 100;

}  // namespace

std::vector<ControllerRevision> SetRevisions::list(const StatefulSet& set,
                                                   const Selector& selector) const {
  std::vector<ControllerRevision> revisions;
  for (const ControllerRevision& each : cache_.controlled_by(set)) {
    if (selector.matches(each.labels())) revisions.push_back(each);
  }
  for (const ControllerRevision& each : cache_.orphans(set.ns())) {
    if (selector.matches(each.labels())) revisions.push_back(each);
  }
  history::sort_revisions(revisions);
  return revisions;
}

Status SetRevisions::adopt_orphans(const StatefulSet& set, const Selector& selector,
                                   const std::vector<ControllerRevision>& revisions) const {
  const Client client = cluster_.client();
  ControllerRefManager<StatefulSet, ControllerRevision> owner(client, set, selector);
  for (const ControllerRevision& each : revisions) {
    if (each.controller()) continue;
    if (const Status& s = owner.can_adopt(); !s.ok()) {
      return s.with_context("can't adopt ControllerRevisions");
    }
    const Status adopted =
        client
            .patch<ControllerRevision>(each.key(), PatchType::kStrategic, owner.adopt_body(each),
                                       {.answer = Answer::kMetadata})
            .error();
    if (!adopted.ok()) return adopted;
  }
  return {};
}

Result<ChosenRevisions> SetRevisions::choose(const StatefulSet& set,
                                             const std::vector<ControllerRevision>& sorted) const {
  std::int64_t collision_count = set.collision_count();
  const Result<ControllerRevision> update = find_or_create(set, sorted, collision_count);
  if (!update) return update.error();
  ControllerRevision current = *update;
  for (const ControllerRevision& each : sorted) {
    if (each.name() == set.current_revision()) current = each;
  }
  return ChosenRevisions{current, *update, collision_count};
}

Result<ControllerRevision> SetRevisions::find_or_create(
    const StatefulSet& set, const std::vector<ControllerRevision>& sorted,
    std::int64_t& collision_count) const {
  const std::string data = history::revision_data(set.pod_template(), kNumbers);
  const std::int64_t next = history::next_revision(sorted);
  // The newest of those that are equal.
  for (auto each = sorted.rbegin(); each != sorted.rend(); ++each) {
    if (!history::has_data(*each, data, kNumbers)) continue;
    if (each == sorted.rbegin()) return *each;
    return history::renumber(cluster_, cache_, *each, next);  // A rollback.
  }
  if (!sorted.empty() && restores_to(sorted.back().pod_template(), set.pod_template())) {
    return sorted.back();
  }
  return create(set, data, next, collision_count);
}

Result<ControllerRevision> SetRevisions::create(const StatefulSet& set, std::string_view data,
                                                std::int64_t number,
                                                std::int64_t& collision_count) const {
  // The label keeps the first hash, as upstream, even if the name gets another.
  const std::string hash = history::revision_hash(data, collision_count);
  for (int i = 0; i < kCollisionsMax; ++i) {
    const std::string name =
        history::revision_name(set.name(), history::revision_hash(data, collision_count));
    const history::NewRevision revision{
        .key = {std::string(set.ns()), name},
        .hash = {.key = kHashLabel, .value = hash},
        .template_labels = set.pod_template()[&Names::metadata][&Names::labels],
        .annotations = set.annotations(),
        .owner = owner_identity(set),
        .data = data,
        .number = number};
    const auto created = history::create_revision(cluster_.client(), revision, kNumbers);
    if (!created) return created.error();
    if (*created) return **created;
    ++collision_count;
  }
  return Status(Code::kAlreadyExists,
                "the names of " + std::to_string(kCollisionsMax) +
                    " ControllerRevisions are taken by others; delete those that begin with \"" +
                    std::string(set.name()) + "-\" and do not belong to the StatefulSet");
}

Status SetRevisions::truncate(const StatefulSet& set, const std::vector<ControllerRevision>& sorted,
                              const ChosenRevisions* chosen, const std::vector<Pod>& pods) const {
  std::set<std::string_view> live;
  if (chosen != nullptr) live = {chosen->current.name(), chosen->update.name()};
  for (const Pod& each : pods) live.insert(each.label(kRevisionLabel).value_or(""));
  std::vector<ControllerRevision> dead;
  for (const ControllerRevision& each : sorted) {
    if (!live.contains(each.name())) dead.push_back(each);
  }
  return history::delete_revisions(
      cluster_.client(), history::surplus(dead, dead.size(), set.revision_history_limit()));
}

}  // namespace davit::statefulset
