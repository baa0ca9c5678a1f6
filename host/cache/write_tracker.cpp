#include "host/cache/write_tracker.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <limits>
#include <utility>

#include "host/object/metadata.hpp"

namespace davit::host {
namespace {

/// Versions that cannot be compared count as reached.
bool has_reached(const Informer& informer, std::uint64_t version) {
  const std::uint64_t seen = informer.store().version();
  return seen == 0 || seen >= version;
}

std::string full_name(std::string_view ns, std::string_view name) {
  return std::string(ns).append("/").append(name);
}

}  // namespace

/// Listens to one informer and notifies the entries that wait for its progress.
class WriteTracker::Watcher final : public Listener {
 public:
  Watcher(WriteTracker& tracker_in, Informer& informer_in)
      : tracker(tracker_in), informer(informer_in) {}

  void on_initial(std::vector<ObjectRef>) override {}
  void on_change(const Change& change) override { tracker.changed(*this, change); }
  void on_progress(std::uint64_t version) override { tracker.progressed(*this, version); }
  void on_verified(Time as_of) override { tracker.verified(*this, as_of); }
  std::optional<Time> overdue(Time now) override { return tracker.overdue(*this, now); }

  WriteTracker& tracker;
  Informer& informer;
  // Guarded by the tracker's mutex.
  bool listens = false;
  Versions versions;
  Deletions deletions;
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
  Watcher& watcher = follow(informer);
  MutexLock lock(mutex_);
  // Checked under the lock: what comes later finds the entry.
  if (has_reached(informer, version)) return;
  await_version(pending_of(key, now + options_.deadline), watcher, version);
}

void WriteTracker::await_version(Entry& entry, Watcher& watcher, std::uint64_t version) {
  for (Version& each : entry.second.versions) {
    if (each.watcher != &watcher) continue;
    const std::uint64_t highest = std::max(each.at->first, version);
    watcher.versions.remove(each.at);
    each.at = watcher.versions.add(highest, entry);
    return;
  }
  entry.second.versions.push_back({&watcher, watcher.versions.add(version, entry)});
}

void WriteTracker::note_delete(std::string_view key, Informer& informer,
                               const WrittenObject& object, Time now) {
  if (object.uid.empty() || !informer.is_unselected()) return;
  Watcher& watcher = follow(informer);
  MutexLock lock(mutex_);
  await_deletion(key, now + options_.deadline, watcher, object);
}

void WriteTracker::await_deletion(std::string_view key, Time deadline, Watcher& watcher,
                                  const WrittenObject& object) {
  Deletion deletion{
      &watcher, {}, std::string(object.ns), std::string(object.name), std::string(object.uid)};
  // Checked under the lock: what comes later finds the entry.
  if (is_seen(deletion)) return;
  Entry& entry = pending_of(key, deadline);
  deletion.at = watcher.deletions.emplace(full_name(object.ns, object.name), &entry);
  entry.second.deletions.push_back(std::move(deletion));
}

void WriteTracker::note_lost(std::string_view key, Informer& informer, Time now) {
  Watcher& watcher = follow(informer);
  {
    MutexLock lock(mutex_);
    await_verification(pending_of(key, now + options_.deadline), watcher, now);
  }
  // Without the lock: an informer calls its listeners under its own.
  informer.verify(now);
}

void WriteTracker::await_verification(Entry& entry, Watcher& watcher, Time failed) {
  std::vector<Lost>& lost = entry.second.lost;
  const auto known = std::find_if(lost.begin(), lost.end(),
                                  [&](const Lost& each) { return each.watcher == &watcher; });
  if (known != lost.end()) {
    known->at = std::max(known->at, failed);
    return;
  }
  lost.push_back({&watcher, failed});
  ++lost_;
}

bool WriteTracker::is_seen(const Deletion& deletion) {
  const ObjectRef held = deletion.watcher->informer.store().get(deletion.ns, deletion.name);
  // The response's version does not help: for an object that is gone at once it is the one before.
  return !held || metadata(*held).uid != deletion.uid ||
         static_cast<bool>(held.root()["metadata"]["deletionTimestamp"]);
}

bool WriteTracker::ready(std::string_view key, Time now) {
  std::vector<Informer*> behind;
  bool relists = false;
  {
    MutexLock lock(mutex_);
    const auto it = keys_.find(key);
    if (it == keys_.end() || mutant("read-your-writes")) return true;
    Pending& pending = it->second;
    pending.held_back = true;
    behind = lagging(pending);
    relists = now >= pending.deadline;
    if (relists) {
      if (!pending.relisting) ++relisting_;
      pending.relisting = pending.relisting.value_or(now);
      pending.deadline = now + options_.deadline;
    }
  }
  // Without the lock: an informer calls its listeners under its own.
  for (Informer* informer : behind) {
    if (options_.on_held_back) options_.on_held_back(informer->resource());
    if (!relists) continue;
    informer->request_relist(RelistReason::kStaleCache);
    informer->verify(now);
  }
  return false;
}

std::vector<Informer*> WriteTracker::lagging(const Pending& pending) {
  std::vector<Informer*> found;
  const auto add = [&found](const Watcher* watcher) {
    Informer* const informer = &watcher->informer;
    if (std::find(found.begin(), found.end(), informer) == found.end()) found.push_back(informer);
  };
  for (const Version& each : pending.versions) add(each.watcher);
  for (const Deletion& each : pending.deletions) add(each.watcher);
  for (const Lost& each : pending.lost) add(each.watcher);
  return found;
}

std::optional<Time> WriteTracker::deadline(std::string_view key) const {
  MutexLock lock(mutex_);
  const auto it = keys_.find(key);
  if (it == keys_.end()) return std::nullopt;
  return it->second.deadline;
}

void WriteTracker::hand_over(WriteTracker& to) {
  std::vector<Carried> carried;
  {
    MutexLock lock(mutex_);
    for (auto& [key, pending] : keys_) {
      Carried& each = carried.emplace_back(Carried{key, pending.deadline});
      for (const Version& version : pending.versions) {
        each.versions.emplace_back(&version.watcher->informer, version.at->first);
      }
      each.deletions = std::move(pending.deletions);
      each.lost = std::move(pending.lost);
    }
    for (const auto& watcher : watchers_) {
      watcher->versions.clear();
      watcher->deletions.clear();
    }
    keys_.clear();
    relisting_ = 0;
    lost_ = 0;
  }
  for (Carried& each : carried) to.adopt(each);
}

void WriteTracker::adopt(const Carried& carried) {
  for (const auto& [informer, version] : carried.versions) {
    Watcher& watcher = follow(*informer);
    MutexLock lock(mutex_);
    if (!has_reached(*informer, version)) {
      await_version(pending_of(carried.key, carried.deadline), watcher, version);
    }
  }
  for (const Deletion& each : carried.deletions) {
    Watcher& watcher = follow(each.watcher->informer);
    MutexLock lock(mutex_);
    await_deletion(carried.key, carried.deadline, watcher, {each.ns, each.name, each.uid, {}});
  }
  for (const Lost& each : carried.lost) note_lost(carried.key, each.watcher->informer, each.at);
}

std::size_t WriteTracker::size() const {
  MutexLock lock(mutex_);
  return keys_.size();
}

std::vector<std::string> WriteTracker::keys() const {
  std::vector<std::string> all;
  MutexLock lock(mutex_);
  for (const auto& [key, pending] : keys_) all.push_back(key);
  return all;
}

WriteTracker::Watcher& WriteTracker::follow(Informer& informer) {
  Watcher* added = nullptr;
  {
    MutexLock lock(mutex_);
    const auto found = std::find_if(watchers_.begin(), watchers_.end(),
                                    [&](const auto& each) { return &each->informer == &informer; });
    if (found != watchers_.end()) {
      // A copy: the list may grow, and move, during the wait.
      Watcher* const known = found->get();
      // Another thread is adding it: until then it would miss what the informer notifies.
      while (!known->listens) listening_.wait(mutex_);
      return *known;
    }
    watchers_.push_back(std::make_unique<Watcher>(*this, informer));
    added = watchers_.back().get();
  }
  // Without the lock: an informer calls its listeners under its own.
  informer.add_listener(*added, Informer::PastContent::kSkip);
  MutexLock lock(mutex_);
  added->listens = true;
  listening_.notify_all();
  return *added;
}

WriteTracker::Entry& WriteTracker::pending_of(std::string_view key, Time deadline) {
  auto it = keys_.find(key);
  if (it == keys_.end()) it = keys_.emplace(std::string(key), Pending{}).first;
  it->second.deadline = std::max(it->second.deadline, deadline);
  return *it;
}

void WriteTracker::finish(Entry& entry, std::vector<std::string>& ready) {
  Pending& pending = entry.second;
  if (!pending.versions.empty() || !pending.deletions.empty() || !pending.lost.empty()) return;
  if (pending.relisting) --relisting_;
  if (pending.held_back) ready.push_back(entry.first);
  keys_.erase(keys_.find(entry.first));
}

void WriteTracker::notify(std::vector<std::string> ready) const {
  if (!ready.empty() && options_.on_ready) options_.on_ready(std::move(ready));
}

void WriteTracker::progressed(Watcher& watcher, std::uint64_t version) {
  std::vector<std::string> ready;
  {
    MutexLock lock(mutex_);
    // A version that cannot be compared counts as all of them.
    const std::uint64_t reached =
        version != 0 ? version : std::numeric_limits<std::uint64_t>::max();
    while (Entry* const entry = watcher.versions.take(reached)) {
      std::erase_if(entry->second.versions,
                    [&](const Version& each) { return each.watcher == &watcher; });
      finish(*entry, ready);
    }
  }
  notify(std::move(ready));
}

void WriteTracker::changed(Watcher& watcher, const Change& change) {
  std::vector<std::string> ready;
  {
    MutexLock lock(mutex_);
    if (watcher.deletions.empty()) return;
    const Metadata object = metadata(*change.current);
    auto [at, end] = watcher.deletions.equal_range(full_name(object.ns, object.name));
    while (at != end) {
      const auto place = at++;
      Entry& entry = *place->second;
      const auto seen =
          std::find_if(entry.second.deletions.begin(), entry.second.deletions.end(),
                       [&](const Deletion& each) { return each.at == place && is_seen(each); });
      if (seen == entry.second.deletions.end()) continue;
      entry.second.deletions.erase(seen);
      watcher.deletions.erase(place);
      finish(entry, ready);
    }
  }
  notify(std::move(ready));
}

void WriteTracker::verified(const Watcher& watcher, Time as_of) {
  std::vector<std::string> ready;
  {
    MutexLock lock(mutex_);
    if (relisting_ == 0 && lost_ == 0) return;
    std::vector<Entry*> asked;
    for (Entry& entry : keys_) {
      if (entry.second.relisting || !entry.second.lost.empty()) asked.push_back(&entry);
    }
    const auto is_its = [&](const auto& each) { return each.watcher == &watcher; };
    for (Entry* entry : asked) {
      lost_ -= std::erase_if(entry->second.lost,
                             [&](const Lost& each) { return is_its(each) && each.at <= as_of; });
      if (entry->second.relisting && *entry->second.relisting <= as_of) {
        for (const Version& each : entry->second.versions) {
          if (is_its(each)) each.watcher->versions.remove(each.at);
        }
        for (const Deletion& each : entry->second.deletions) {
          if (is_its(each)) each.watcher->deletions.erase(each.at);
        }
        std::erase_if(entry->second.versions, is_its);
        std::erase_if(entry->second.deletions, is_its);
      }
      finish(*entry, ready);
    }
  }
  notify(std::move(ready));
}

std::optional<Time> WriteTracker::overdue(const Watcher& watcher, Time now) const {
  MutexLock lock(mutex_);
  std::optional<Time> latest;
  const auto look = [&](const Entry& entry) {
    const Time written = entry.second.deadline - options_.deadline;
    if (now - written >= options_.lag_max) latest = std::max(latest.value_or(written), written);
  };
  for (const auto& [version, entry] : watcher.versions.places()) look(*entry);
  for (const auto& [name, entry] : watcher.deletions) look(*entry);
  return latest;
}

}  // namespace davit::host
