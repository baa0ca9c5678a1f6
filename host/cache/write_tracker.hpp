/// Read your writes: a key is not synced from a cache that has not seen the key's own last writes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/cache/awaited_versions.hpp"
#include "host/cache/cache_metrics.hpp"
#include "host/cache/informer.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/key_hash.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// The written object, from the server's response. Views live for the call.
struct WrittenObject {
  std::string_view ns;
  std::string_view name;
  std::string_view uid;
  std::string_view resource_version;
};

struct WriteTrackerOptions {
  /// The lag after which a cache that does not show a write is verified, which renews a stalled
  /// watch. Longer than healthy watches lag, because it costs requests.
  Duration lag_max = std::chrono::seconds(3);
  /// The time that a key waits for its writes before the caches are listed again. Longer than any
  /// healthy watch lags, shorter than a user would wait.
  Duration deadline = std::chrono::seconds(30);
  /// Called with the keys that ready() held back and that may be synced now. On an informer's
  /// thread: must not block; adding them to a work queue is what it is for.
  std::function<void(std::vector<std::string> keys)> on_ready{};
  /// Called by ready() for each resource whose cache holds a key back, once each time that it
  /// returns false. May be empty; must not block.
  std::function<void(const ResourceId& resource)> on_held_back{};
};

/// The writes of one work queue's syncs that the caches have not shown yet.
///
/// A create, update or patch is seen when the informer's store has reached the version of the
/// response; a delete when the store holds no object of that UID, or holds it with a
/// deletionTimestamp. A write without a response is seen when the cache is verified as of its
/// failure: then it shows whether the write was applied. Versions that cannot be compared, and
/// informers with selectors (whose version may stay unchanged for long), count as caught up.
/// Informers must outlive the tracker.
///
/// A key is kept until its writes are seen, also if it is not asked for: it may be asked for while
/// the cache still lags. A cache that is followed ends that, so that keys do not pile up.
///
/// Cheap when nothing is outstanding: one lookup per sync, one comparison per change of a cache.
/// Otherwise a change costs a search among the writes that wait for its cache. Threads: any.
class WriteTracker {
 public:
  explicit WriteTracker(WriteTrackerOptions options);
  ~WriteTracker();
  WriteTracker(const WriteTracker&) = delete;
  WriteTracker& operator=(const WriteTracker&) = delete;

  /// A sync of `key` created, updated or patched an object of the resource that `informer` follows.
  void note_write(std::string_view key, Informer& informer, const WrittenObject& object, Time now)
      EXCLUDES(mutex_);
  /// A sync of `key` deleted an object; `object.resource_version` is ignored.
  void note_delete(std::string_view key, Informer& informer, const WrittenObject& object, Time now)
      EXCLUDES(mutex_);

  /// A write of `key` has ended without a response: it may or may not have been applied.
  void note_lost(std::string_view key, Informer& informer, Time now) EXCLUDES(mutex_);

  /// Whether the caches show every write of `key`. If not, remembers the key, and on_ready reports
  /// when they do. After the deadline, requests a relist of the informers that lag, which ends the
  /// wait regardless of its content; the key stays until then.
  [[nodiscard]] bool ready(std::string_view key, Time now) EXCLUDES(mutex_);

  /// The latest time to call ready() again for `key`, after it returned false.
  [[nodiscard]] std::optional<Time> deadline(std::string_view key) const EXCLUDES(mutex_);

  /// Moves all outstanding writes to the tracker of the queue that takes over the keys. on_ready
  /// does not report the keys held back here any more: the caller takes them along.
  void hand_over(WriteTracker& to) EXCLUDES(mutex_);

  /// Keys with outstanding writes.
  [[nodiscard]] std::size_t size() const EXCLUDES(mutex_);
  [[nodiscard]] std::vector<std::string> keys() const EXCLUDES(mutex_);

 private:
  class Watcher;
  struct Pending;
  // Node based: the watchers point at its entries.
  using Keys = std::unordered_map<std::string, Pending, KeyHash, std::equal_to<>>;
  using Entry = std::pair<const std::string, Pending>;
  using Versions = AwaitedVersions<std::uint64_t, Entry>;
  using Deletions =
      std::multimap<std::string, Entry*, std::less<>>;  // The object's name to its key.

  struct Version {
    Watcher* watcher = nullptr;
    Versions::Place at;
  };
  struct Deletion {
    Watcher* watcher = nullptr;
    Deletions::iterator at;
    std::string ns;
    std::string name;
    std::string uid;
  };
  struct Lost {
    Watcher* watcher = nullptr;
    Time at;
  };
  struct Pending {
    std::vector<Version> versions{};  // One for each informer, the highest.
    std::vector<Deletion> deletions{};
    std::vector<Lost> lost{};  // One for each informer, the latest.
    Time deadline{};
    bool held_back = false;
    std::optional<Time> relisting{};  // When the informers that lag were asked.
  };
  /// A key on its way to another tracker.
  struct Carried {
    std::string key;
    Time deadline;
    std::vector<std::pair<Informer*, std::uint64_t>> versions{};
    std::vector<Lost> lost{};
    std::vector<Deletion> deletions{};  // Their places mean nothing.
  };

  /// The watcher through which `informer` notifies this tracker of progress, from now on.
  [[nodiscard]] Watcher& follow(Informer& informer) EXCLUDES(mutex_);
  [[nodiscard]] Entry& pending_of(std::string_view key, Time deadline) REQUIRES(mutex_);
  static void await_version(Entry& entry, Watcher& watcher, std::uint64_t version);
  void await_deletion(std::string_view key, Time deadline, Watcher& watcher,
                      const WrittenObject& object) REQUIRES(mutex_);
  void await_verification(Entry& entry, Watcher& watcher, Time failed) REQUIRES(mutex_);
  void adopt(const Carried& carried) EXCLUDES(mutex_);
  /// The informers whose caches do not show the writes yet.
  [[nodiscard]] static std::vector<Informer*> lagging(const Pending& pending);
  /// Whether the cache shows the deletion.
  [[nodiscard]] static bool is_seen(const Deletion& deletion);
  /// Forgets the key when it waits for nothing more; notes it in `ready` if it was held back.
  void finish(Entry& entry, std::vector<std::string>& ready) REQUIRES(mutex_);
  void notify(std::vector<std::string> ready) const EXCLUDES(mutex_);

  void progressed(Watcher& watcher, std::uint64_t version) EXCLUDES(mutex_);
  void changed(Watcher& watcher, const Change& change) EXCLUDES(mutex_);
  void verified(const Watcher& watcher, Time as_of) EXCLUDES(mutex_);
  /// When a write was made that `watcher` should have shown by now.
  [[nodiscard]] std::optional<Time> overdue(const Watcher& watcher, Time now) const
      EXCLUDES(mutex_);

  const WriteTrackerOptions options_;
  mutable Mutex mutex_;
  CondVar listening_;  // A watcher has become a listener.
  std::vector<std::unique_ptr<Watcher>> watchers_ GUARDED_BY(mutex_);
  Keys keys_ GUARDED_BY(mutex_);
  std::size_t relisting_ GUARDED_BY(mutex_) = 0;  // Keys that wait for a relist.
  std::size_t lost_ GUARDED_BY(mutex_) = 0;       // Writes without a response that are waited for.
};

}  // namespace davit::host
