/// The changes of many collections, for one reader.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// Follows collections by their history; each begins with what there is, as kAdded. follow() and
/// pull() belong to one thread; `ready` is called on any, outside every lock.
class CollectionWatcher {
 public:
  struct Batch {
    Collection collection;
    /// The reader missed something, or begins: `changes` are all there is, and what it knew of the
    /// collection before is void.
    bool relisted = false;
    std::vector<Change> changes;
  };

  /// `store` must outlive the watcher.
  CollectionWatcher(Store& store, std::function<void()> ready)
      : store_(store), ready_(std::move(ready)) {}

  /// Following twice is following once.
  void follow(const Collection& collection);
  /// The new changes of one of the collections; nothing if there are none.
  [[nodiscard]] std::optional<Batch> pull() EXCLUDES(mutex_);

 private:
  struct Cursor {
    Revision after = 0;
    bool begun = false;
    std::unique_ptr<Store::Subscription> subscription;
  };
  [[nodiscard]] Batch read(const Collection& collection, Cursor& cursor);
  void mark(const Collection& collection) EXCLUDES(mutex_);

  Store& store_;
  const std::function<void()> ready_;
  Mutex mutex_;
  std::set<Collection> changed_ GUARDED_BY(mutex_);
  std::map<Collection, Cursor> cursors_;  // Last: no call of mark() outlives it.
};

}  // namespace davit::sandbox
