#include "plugins/garbagecollector/shared_graph.hpp"

#include <davit/kube/group_version.hpp>
#include <utility>

#include "plugins/garbagecollector/graph_page.hpp"

namespace davit::garbage {
namespace {

constexpr std::string_view kInvalidNamespace = "OwnerRefInvalidNamespace";

/// Upstream's text, with its blanks.
std::string warning_text(const BadReference& bad) {
  const Reference& owner = bad.reference;
  const std::string& ns = bad.dependent.ns;
  return "ownerRef [" + owner.api_version + "/" + owner.kind + ", namespace: " + ns +
         ", name: " + owner.name + ", uid: " + owner.uid + "] does not exist in namespace \"" + ns +
         "\"";
}

void record(const EventRecorder& events, const BadReference& bad) {
  const Identity& about = bad.dependent;
  const auto [group, version] = split_api_version(about.api_version);
  const Resource resource = {group, version, {}, about.kind};
  const EventSubject subject = {about.ns, about.name, about.uid, {}};
  events.record(resource, subject, "Warning", kInvalidNamespace, warning_text(bad));
}

}  // namespace

template <typename Change>
void SharedGraph::apply(const Change& change) {
  Effects effects;
  {
    const std::lock_guard lock(mutex_);
    effects = change();
    if (!is_open_) return hold(effects);
  }
  hand_out(effects);
}

void SharedGraph::observe(const Feed& feed, const Observed& now, const Observed* past) {
  apply([&] { return feed.is_over_ ? Effects() : graph_.observe(now, past); });
}

void SharedGraph::remove(const Feed& feed, const Identity& gone) {
  apply([&] { return feed.is_over_ ? Effects() : graph_.remove(gone); });
}

void SharedGraph::end(Feed& feed) {
  const std::lock_guard lock(mutex_);
  feed.is_over_ = true;
}

void SharedGraph::doubt(const Identity& object) {
  apply([&] { return graph_.doubt(object); });
}

void SharedGraph::remove_absent(const Identity& absent) {
  apply([&] { return graph_.remove_absent(absent); });
}

std::vector<Identity> SharedGraph::shown(std::string_view group, std::string_view kind) const {
  const std::lock_guard lock(mutex_);
  return graph_.shown(group, kind);
}

std::optional<NodeState> SharedGraph::find(const std::string& uid) const {
  const std::lock_guard lock(mutex_);
  return graph_.find(uid);
}

std::vector<Identity> SharedGraph::dependents(const std::string& uid) const {
  const std::lock_guard lock(mutex_);
  return graph_.dependents(uid);
}

DependentsState SharedGraph::dependents_state(const std::string& uid) const {
  const std::lock_guard lock(mutex_);
  return graph_.dependents_state(uid);
}

void SharedGraph::add_absent(const Identity& owner) {
  const std::lock_guard lock(mutex_);
  graph_.absent().add(owner);
}

bool SharedGraph::is_absent(const Reference& reference, std::string_view ns) {
  const std::lock_guard lock(mutex_);
  return graph_.absent().contains(reference, ns);
}

std::string SharedGraph::page(const std::vector<std::string>& uids) const {
  const std::lock_guard lock(mutex_);
  return graph_page(graph_, uids);
}

void SharedGraph::open() {
  std::set<Key> deletions;
  std::set<Key> orphans;
  std::map<std::string, BadReference> warnings;
  {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    warnings = std::exchange(held_warnings_, {});
    deletions = std::exchange(held_deletions_, {});
    orphans = std::exchange(held_orphans_, {});
  }
  for (const Key& each : deletions) deletions_.add(each);
  for (const Key& each : orphans) orphans_.add(each);
  for (const auto& [uid, bad] : warnings) record(events_, bad);
}

void SharedGraph::delete_all(const std::vector<Key>& keys) const {
  for (const Key& each : keys) deletions_.add(each);
}

bool SharedGraph::defers(Work work, const Key& key) {
  const std::lock_guard lock(mutex_);
  if (!is_open_) (work == Work::kDeletion ? held_deletions_ : held_orphans_).insert(key);
  return !is_open_;
}

void SharedGraph::hold(const Effects& effects) {
  held_deletions_.insert(effects.deletions.begin(), effects.deletions.end());
  held_deletions_.insert(effects.retries.begin(), effects.retries.end());
  held_orphans_.insert(effects.orphans.begin(), effects.orphans.end());
  for (const BadReference& each : effects.warnings) {
    held_warnings_.emplace(each.dependent.uid, each);
  }
  for (const std::string& uid : effects.forgotten) {
    for (const Key& key : {node_key(uid), virtual_key(uid), doubt_key(uid)}) {
      held_deletions_.erase(key);
      held_orphans_.erase(key);
    }
    held_warnings_.erase(uid);
  }
}

void SharedGraph::hand_out(const Effects& effects) const {
  for (const BadReference& each : effects.warnings) record(events_, each);
  delete_all(effects.deletions);
  for (const Key& each : effects.orphans) orphans_.add(each);
  for (const Key& each : effects.retries) {
    deletions_.forget(each);
    deletions_.add_rate_limited(each);
  }
}

}  // namespace davit::garbage
