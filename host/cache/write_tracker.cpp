#include "host/cache/write_tracker.hpp"

#include <algorithm>
#include <utility>

#include "host/object/metadata.hpp"

namespace davit::host {
namespace {

/// Versions that cannot be compared count as reached.
bool has_reached(const Informer& informer, std::uint64_t version) {
  const std::uint64_t seen = informer.store().version();
  return seen == 0 || seen >= version;
}

}  // namespace

/// Hears when one informer moves.
class WriteTracker::Watcher final : public Listener {
 public:
  Watcher(WriteTracker& tracker_in, Informer& informer_in)
      : tracker(tracker_in), informer(informer_in) {}

  void on_initial(std::vector<ObjectRef>) override {}
  void on_change(const Change&) override {}
  // Follows every change, deletions included.
  void on_progress(std::uint64_t) override { tracker.progressed(); }

  WriteTracker& tracker;
  Informer& informer;
};

WriteTracker::WriteTracker(WriteTrackerOptions options) : options_(std::move(options)) {}

WriteTracker::~WriteTracker() {
  std::vector<std::unique_ptr<Watcher>> watchers;
  {
    MutexLock lock(mutex_);
    watchers.swap(watchers_);
  }
  for (const auto& watcher : watchers) watcher->informer.remove_listener(*watcher);
}

void WriteTracker::note_write(std::string_view key, Informer& informer, const WrittenObject& object,
                              Time now) {
  const std::uint64_t version = parse_version(object.resource_version).value_or(0);
  if (version == 0 || !informer.is_unselected() || has_reached(informer, version)) return;
  follow(informer);
  MutexLock lock(mutex_);
  Pending& pending = pending_of(key, now);
  for (Version& each : pending.versions) {
    if (each.informer == &informer) {
      each.version = std::max(each.version, version);
      return;
    }
  }
  pending.versions.push_back({&informer, version});
}

void WriteTracker::note_delete(std::string_view key, Informer& informer,
                               const WrittenObject& object, Time now) {
  if (object.uid.empty() || !informer.is_unselected()) return;
  follow(informer);
  MutexLock lock(mutex_);
  pending_of(key, now).deletions.push_back(
      {&informer, std::string(object.ns), std::string(object.name), std::string(object.uid)});
}

bool WriteTracker::ready(std::string_view key, Time now) {
  std::vector<Informer*> lagging;
  {
    MutexLock lock(mutex_);
    const auto it = keys_.find(key);
    if (it == keys_.end()) return true;
    Pending& pending = it->second;
    if (settle(pending)) {
      erase(it);
      return true;
    }
    if (now < pending.deadline) {
      if (!pending.held_back) held_back_.push_back(&*it);
      pending.held_back = true;
      return false;
    }
    for (const Version& each : pending.versions) lagging.push_back(each.informer);
    for (const Deletion& each : pending.deletions) lagging.push_back(each.informer);
    erase(it);
  }
  for (Informer* informer : lagging) informer->request_relist(RelistReason::kStaleCache);
  return true;
}

std::optional<Time> WriteTracker::deadline(std::string_view key) const {
  MutexLock lock(mutex_);
  const auto it = keys_.find(key);
  if (it == keys_.end()) return std::nullopt;
  return it->second.deadline;
}

void WriteTracker::hand_over(WriteTracker& to) {
  Keys keys;
  {
    MutexLock lock(mutex_);
    held_back_.clear();
    keys.swap(keys_);
  }
  to.adopt(std::move(keys));
}

void WriteTracker::adopt(Keys keys) {
  for (auto& [key, pending] : keys) {
    pending.held_back = false;
    for (const Version& each : pending.versions) follow(*each.informer);
    for (const Deletion& each : pending.deletions) follow(*each.informer);
  }
  MutexLock lock(mutex_);
  keys_.merge(keys);
}

std::size_t WriteTracker::size() const {
  MutexLock lock(mutex_);
  return keys_.size();
}

void WriteTracker::follow(Informer& informer) {
  const auto follows = [&](const std::unique_ptr<Watcher>& each) {
    return &each->informer == &informer;
  };
  Watcher* added = nullptr;
  {
    MutexLock lock(mutex_);
    if (std::any_of(watchers_.begin(), watchers_.end(), follows)) return;
    watchers_.push_back(std::make_unique<Watcher>(*this, informer));
    added = watchers_.back().get();
  }
  // Without the lock: an informer calls its listeners under its own.
  informer.add_listener(*added, Informer::PastContent::kSkip);
  progressed();  // What happened before that.
}

WriteTracker::Pending& WriteTracker::pending_of(std::string_view key, Time now) {
  auto it = keys_.find(key);
  if (it == keys_.end()) {
    prune(now);
    it = keys_.emplace(std::string(key), Pending{}).first;
  }
  it->second.deadline = now + options_.deadline;
  return it->second;
}

bool WriteTracker::settle(Pending& pending) {
  while (!pending.versions.empty()) {
    const Version& last = pending.versions.back();
    if (!has_reached(*last.informer, last.version)) return false;
    pending.versions.pop_back();
  }
  while (!pending.deletions.empty()) {
    const Deletion& last = pending.deletions.back();
    const Store& store = last.informer->store();
    const ObjectRef held = store.get(last.ns, last.name);
    // The answer's version tells nothing: for an object that is gone at once it is the one before.
    const bool seen = !held || metadata(*held).uid != last.uid ||
                      static_cast<bool>(held.root()["metadata"]["deletionTimestamp"]);
    if (!seen) return false;
    pending.deletions.pop_back();
  }
  return true;
}

void WriteTracker::erase(Keys::iterator key) {
  if (key->second.held_back) std::erase(held_back_, &*key);
  keys_.erase(key);
}

void WriteTracker::prune(Time now) {
  if (keys_.size() < prune_at_) return;
  for (auto it = keys_.begin(); it != keys_.end();) {
    Pending& pending = it->second;
    const bool over = !pending.held_back && (settle(pending) || now >= pending.deadline);
    it = over ? keys_.erase(it) : std::next(it);
  }
  prune_at_ = std::max<std::size_t>(64, keys_.size() * 2);
}

void WriteTracker::progressed() {
  std::vector<std::string> keys;
  {
    MutexLock lock(mutex_);
    if (held_back_.empty()) return;
    std::vector<Keys::value_type*> still;
    for (Keys::value_type* entry : held_back_) {
      if (settle(entry->second)) {
        keys.push_back(entry->first);
      } else {
        still.push_back(entry);
      }
    }
    held_back_.swap(still);
    for (const std::string& key : keys) keys_.erase(keys_.find(key));
  }
  if (!keys.empty() && options_.on_ready) options_.on_ready(std::move(keys));
}

}  // namespace davit::host
