/// The objects of one informer in memory: one writer, many readers.
#pragma once

#include <atomic>
#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/cache/change.hpp"
#include "host/cache/object_table.hpp"
#include "host/cache/skipped_objects.hpp"
#include "host/cache/store_index.hpp"
#include "host/object/object.hpp"
#include "host/object/watch_splitter.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Indexes that every store has.
inline constexpr std::string_view kNamespaceIndex = DAVIT_INDEX_NAMESPACE;
inline constexpr std::string_view kControllerIndex = DAVIT_INDEX_CONTROLLER;
/// Built at the first selection by it, because it is the largest index and most stores do not need
/// it.
inline constexpr std::string_view kLabelIndex = DAVIT_INDEX_LABEL;

/// The next content of a store, collected item by item while a list arrives. An object whose uid
/// and resourceVersion the store holds already is shared, and the new copy dropped at once: a
/// relist costs little more memory than what changed. Belongs to the store's writer; the store must
/// outlive it.
class Replacement;

/// Every object of one resource and selection, by namespace and name, with indexes. Objects are
/// found by the names inside them: no keys are copied. A read sees one consistent state; a whole
/// relist appears in one step.
///
/// An object that cannot be read is skipped: an older state of it stays, because controllers would
/// act on a deletion that did not happen. That state goes when the object is deleted or another one
/// has taken its name.
///
/// Threads: any may read. put(), remove(), skip(), replace() and advance() belong to one writer at
/// a time; the informer ensures that. Never blocks beyond its short lock.
class Store {
 public:
  explicit Store(ObjectSpace& space);  ///< `space` must outlive it.
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // ---- Readers.

  /// The object, or nothing. `ns` is empty for cluster-scoped resources.
  [[nodiscard]] ObjectRef get(std::string_view ns, std::string_view name) const EXCLUDES(mutex_);
  /// The objects with `key` in `index`, in no particular order; every object if `index` is empty.
  /// kNotFound if there is no such index.
  [[nodiscard]] Result<std::vector<ObjectRef>> select(std::string_view index,
                                                      std::string_view key) const EXCLUDES(mutex_);
  [[nodiscard]] std::vector<ObjectRef> list() const EXCLUDES(mutex_);
  /// Whether it holds the object in exactly this version.
  [[nodiscard]] bool holds(const ObjectIdentity& object) const EXCLUDES(mutex_);
  [[nodiscard]] std::size_t size() const EXCLUDES(mutex_);
  /// The version up to which the store has seen every change; empty before the first content.
  [[nodiscard]] std::string resource_version() const EXCLUDES(mutex_);
  /// The same as a number; 0 when it is empty or cannot be compared. Takes no lock. A reader that
  /// sees a number finds the changes up to it in the store.
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  /// The objects that were skipped and have not been read since.
  [[nodiscard]] std::vector<SkippedObject> skipped() const EXCLUDES(mutex_);
  [[nodiscard]] std::size_t skipped_count() const {
    return skipped_count_.load(std::memory_order_relaxed);
  }
  /// A skipped object that this does not hold in any state and whose controlling owner has this
  /// UID: what the owner has is not what is seen here.
  [[nodiscard]] std::optional<SkippedObject> lacking(std::string_view owner_uid) const
      EXCLUDES(mutex_);

  /// Adds an index over the strings at `path` (see FieldPath), and fills it. Several paths with
  /// commas between them make one index over all of them (see index_key()): an object is in it with
  /// a value at each, one of the paths may lead to several values. Repeating a name with
  /// the same path is not an error; with another path it is kAlreadyExists. kInvalid: the path is
  /// malformed. Any thread.
  Status add_index(std::string_view name, std::string_view path) EXCLUDES(mutex_);

  // ---- The writer.

  /// Puts the object in; returns whether it was added or updated. The version of the store becomes
  /// the object's.
  Change put(ObjectRef object) EXCLUDES(mutex_);
  /// Takes out the object of this name, and returns the deletion with `last` as its last state.
  /// Nothing if the store does not hold the name: its readers never heard of the object, or have
  /// heard of its end. If it holds another UID, the deletion is that one's, as a tombstone. The
  /// version of the store becomes that of `last`.
  std::optional<Change> remove(ObjectRef last) EXCLUDES(mutex_);
  /// A state of `object` that cannot be read was added, modified or deleted. Returns the deletion
  /// of what was held under its name, if that is gone. The version of the store becomes the
  /// object's if it is known.
  std::optional<Change> skip(WatchType type, SkippedObject object) EXCLUDES(mutex_);
  /// The objects that were skipped and not returned here before, each version once.
  [[nodiscard]] std::vector<SkippedObject> take_unreported_skips() EXCLUDES(mutex_);
  /// Makes `next` the content. Returns what changed: first the deletions as tombstones, then
  /// additions and updates.
  std::vector<Change> replace(Replacement next, std::string_view resource_version) EXCLUDES(mutex_);
  /// Exchanges the content with `next`, which another list and watch of the same collection has
  /// filled and whose writer is idle. For readers this is one step, regardless of the size. Returns
  /// the changes, like replace(). The version stays if it is later.
  std::vector<Change> take_over(Store& next) EXCLUDES(mutex_, next.mutex_);
  /// Adds the indexes of `other` to a store that is not shared yet.
  void add_indexes_of(const Store& other) EXCLUDES(mutex_, other.mutex_);
  /// Moves only the version (a bookmark).
  void advance(std::string_view resource_version) EXCLUDES(mutex_);

  /// Bytes of the objects, for accounting; what stores share counts in each.
  [[nodiscard]] std::size_t object_bytes() const EXCLUDES(mutex_);
  /// Bytes that the store takes beside the objects, for accounting.
  [[nodiscard]] std::size_t overhead_bytes() const EXCLUDES(mutex_);

 private:
  friend class Replacement;
  void set_version(std::string_view resource_version) REQUIRES(mutex_);
  void count_skipped() REQUIRES(mutex_) {
    skipped_count_.store(skipped_.size(), std::memory_order_relaxed);
  }
  /// Inserts or exchanges; returns what was there.
  ObjectRef exchange(ObjectRef object) REQUIRES(mutex_);
  ObjectRef take_out(std::string_view ns, std::string_view name) REQUIRES(mutex_);
  void fill_index(std::string_view name, std::string_view path, IndexKeys keys) const
      REQUIRES(mutex_);
  void fill_missing_indexes(const std::vector<StoreIndex>& wanted) REQUIRES(mutex_);
  [[nodiscard]] const StoreIndex* find_index(std::string_view name) const REQUIRES(mutex_);

  ObjectSpace& space_;
  mutable Mutex mutex_;
  // The writer may read `objects_` without the lock, because only it changes them.
  ObjectTable objects_ GUARDED_BY(mutex_);
  mutable std::vector<StoreIndex> indexes_ GUARDED_BY(mutex_);  // One of them a reader may add.
  SkippedObjects skipped_ GUARDED_BY(mutex_);
  std::string resource_version_ GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::size_t> skipped_count_{0};  // For those who need not lock if there are none.
};

class Replacement {
 public:
  Replacement() = default;  ///< Shares nothing.
  explicit Replacement(const Store& store) : store_(&store) {}

  /// Objects with equal versions do not count as equal, because the server's history is different.
  void expect_other_history() { is_other_history_ = true; }
  /// Adds or exchanges one object.
  void put(ObjectRef object);
  /// Takes out the object of this name, if it is there.
  void remove(std::string_view ns, std::string_view name);
  /// A state of the object that cannot be read. An older one, from here or the store, stays.
  void skip(SkippedObject object);
  /// Names the kind of skipped objects whose own text did not.
  void set_kind(std::string_view api_version, std::string_view kind) {
    skipped_.set_kind(api_version, kind);
  }
  [[nodiscard]] std::size_t size() const { return objects_.size(); }

 private:
  friend class Store;
  const Store* store_ = nullptr;
  bool is_other_history_ = false;
  ObjectTable objects_;
  SkippedObjects skipped_;
};

}  // namespace davit::host
