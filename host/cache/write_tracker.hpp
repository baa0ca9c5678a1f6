/// Read your writes: a key is not synced from a cache that has not seen the key's own last writes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/base/clock.hpp"
#include "host/base/key_hash.hpp"
#include "host/base/mutex.hpp"
#include "host/cache/cache_metrics.hpp"
#include "host/cache/informer.hpp"

namespace davit::host {

/// The object that a write was about, as the server's answer tells it. Views live for the call.
struct WrittenObject {
  std::string_view ns;
  std::string_view name;
  std::string_view uid;
  std::string_view resource_version;
};

struct WriteTrackerOptions {
  /// How long a key waits for its writes at most. Longer than any healthy watch lags, shorter than
  /// a user's patience.
  Duration deadline = std::chrono::seconds(30);
  /// Called with the keys that ready() held back and that may be synced now. On an informer's
  /// thread: must not block; adding them to a work queue is what it is for.
  std::function<void(std::vector<std::string> keys)> on_ready{};
};

/// The writes of one work queue's syncs that the caches have not shown yet.
///
/// A create, update or patch is seen when the informer's store has reached the version of the
/// answer; a delete when the store holds no object of that UID, or holds it with a
/// deletionTimestamp. Versions that cannot be compared, and informers with selectors (whose version
/// may rest for long), count as caught up. Informers must outlive the tracker.
///
/// Cheap where nothing is outstanding: one lookup per sync, one comparison per change of a cache.
/// Threads: any.
class WriteTracker {
 public:
  explicit WriteTracker(WriteTrackerOptions options);
  ~WriteTracker();
  WriteTracker(const WriteTracker&) = delete;
  WriteTracker& operator=(const WriteTracker&) = delete;

  /// A sync of `key` created, updated or patched an object of the resource that `informer` follows.
  void note_write(std::string_view key, Informer& informer, const WrittenObject& object, Time now)
      EXCLUDES(mutex_);
  /// A sync of `key` deleted an object; `object.resource_version` is not looked at.
  void note_delete(std::string_view key, Informer& informer, const WrittenObject& object, Time now)
      EXCLUDES(mutex_);

  /// Whether the caches show every write of `key`. If not, the key is remembered, and on_ready
  /// tells when they do. Past the deadline: asks the informers that lag for a relist, counts it,
  /// and lets the key go.
  [[nodiscard]] bool ready(std::string_view key, Time now) EXCLUDES(mutex_);

  /// When `key` is let go at the latest; after ready() said no, add the key to its queue for then.
  [[nodiscard]] std::optional<Time> deadline(std::string_view key) const EXCLUDES(mutex_);

  /// Moves all that is outstanding to the tracker of the queue that goes on with the keys. What
  /// ready() held back here is told by nobody any more: the caller takes those keys along.
  void hand_over(WriteTracker& to) EXCLUDES(mutex_);

  /// Keys with outstanding writes.
  [[nodiscard]] std::size_t size() const EXCLUDES(mutex_);

 private:
  class Watcher;
  struct Version {
    Informer* informer = nullptr;
    std::uint64_t version = 0;
  };
  struct Deletion {
    Informer* informer = nullptr;
    std::string ns;
    std::string name;
    std::string uid;
  };
  struct Pending {
    std::vector<Version> versions;  // One for each informer, the highest.
    std::vector<Deletion> deletions;
    Time deadline{};
    bool held_back = false;
  };
  // Node based: held_back_ points at its entries.
  using Keys = std::unordered_map<std::string, Pending, KeyHash, std::equal_to<>>;

  /// Makes sure that `informer` tells this tracker when it moves.
  void follow(Informer& informer) EXCLUDES(mutex_);
  Pending& pending_of(std::string_view key, Time now) REQUIRES(mutex_);
  /// Drops what the caches show by now; true when nothing is left.
  [[nodiscard]] static bool settle(Pending& pending);
  void erase(Keys::iterator key) REQUIRES(mutex_);
  /// Forgets keys that were never asked for again.
  void prune(Time now) REQUIRES(mutex_);
  void progressed() EXCLUDES(mutex_);
  void adopt(Keys keys) EXCLUDES(mutex_);

  const WriteTrackerOptions options_;
  mutable Mutex mutex_;
  std::vector<std::unique_ptr<Watcher>> watchers_ GUARDED_BY(mutex_);
  Keys keys_ GUARDED_BY(mutex_);
  std::vector<Keys::value_type*> held_back_ GUARDED_BY(mutex_);
  std::size_t prune_at_ GUARDED_BY(mutex_) = 64;  // Size of keys_ at which it is next gone through.
};

}  // namespace davit::host
