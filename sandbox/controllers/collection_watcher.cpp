#include "sandbox/controllers/collection_watcher.hpp"

#include <algorithm>

namespace davit::sandbox {

namespace {

/// Enough to make the lock's price small, few enough to leave others their turn.
constexpr std::size_t kBatch = 1000;

}  // namespace

void CollectionWatcher::follow(const Collection& collection) {
  const auto [place, fresh] = cursors_.try_emplace(collection);
  if (!fresh) return;
  place->second.subscription = store_.subscribe(collection, [this, collection] {
    mark(collection);
    ready_();
  });
  mark(collection);
}

void CollectionWatcher::mark(const Collection& collection) {
  MutexLock lock(mutex_);
  changed_.insert(collection);
}

std::optional<CollectionWatcher::Batch> CollectionWatcher::pull() {
  while (true) {
    Collection next;
    {
      MutexLock lock(mutex_);
      if (changed_.empty()) return std::nullopt;
      next = std::move(changed_.extract(changed_.begin()).value());
    }
    Batch batch = read(next, cursors_[next]);
    if (batch.changes.size() >= kBatch && !batch.relisted) mark(next);
    if (batch.relisted || !batch.changes.empty()) return batch;
  }
}

CollectionWatcher::Batch CollectionWatcher::read(const Collection& collection, Cursor& cursor) {
  Batch batch{collection, false, {}};
  if (cursor.begun) {
    const Revision current = store_.revision();
    Result<std::vector<Change>> changes = store_.changes(collection, cursor.after, kBatch);
    if (changes) {
      batch.changes = std::move(*changes);
      const bool all = batch.changes.size() < kBatch;
      if (!batch.changes.empty()) cursor.after = batch.changes.back().object->revision;
      if (all) cursor.after = std::max(cursor.after, current);
      return batch;
    }
  }
  const Snapshot snapshot = store_.list(collection, "");
  for (const VersionPtr& each : snapshot.objects) {
    batch.changes.push_back({ChangeType::kAdded, each, nullptr});
  }
  cursor.after = snapshot.revision;
  cursor.begun = true;
  batch.relisted = true;
  return batch;
}

}  // namespace davit::sandbox
