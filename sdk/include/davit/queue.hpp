/// Queue: the keys that need a sync.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <davit/informer.hpp>
#include <davit/key.hpp>
#include <davit/time.hpp>
#include <davit/trampoline.hpp>
#include <functional>
#include <string_view>
#include <utility>

namespace davit {

/// When a key that was synced successfully is synced again.
class Again {
 public:
  /// When it is added again.
  [[nodiscard]] static Again when_changed() { return Again(0); }
  /// After `delay` at the latest; at once when it is not positive.
  [[nodiscard]] static Again after(Duration delay);
  /// After the key's next back-off, like after an error, but without a failure: for conditions that
  /// are not met yet. controller-runtime's Requeue.
  [[nodiscard]] static Again with_backoff() {
    Again retried(0);
    retried.backoff_ = DAVIT_BACKOFF_RETRY;
    return retried;
  }
  /// The same, but the key's failure count stays: for work that continues elsewhere and must not
  /// count as done.
  [[nodiscard]] Again keeping_backoff() const {
    Again kept = *this;
    kept.backoff_ = DAVIT_BACKOFF_KEEP;
    return kept;
  }
  /// 0: when changed.
  [[nodiscard]] std::uint64_t after_ms() const { return after_ms_; }
  /// One of DAVIT_BACKOFF_*.
  [[nodiscard]] std::int32_t backoff() const { return backoff_; }

  friend bool operator==(const Again&, const Again&) = default;

 private:
  explicit Again(std::uint64_t after_ms) : after_ms_(after_ms) {}
  std::uint64_t after_ms_;
  std::int32_t backoff_ = DAVIT_BACKOFF_END;
};

/// Moves the cluster toward the state that the object named by the key specifies. Idempotent; never
/// runs concurrently for one key. After an error it runs again with back-off.
using SyncFunction = std::function<Result<Again>(const Key&)>;

struct QueueOptions {
  std::string_view name;                    ///< Label of the workqueue_* metrics; empty: none.
  std::uint32_t workers = 0;                ///< 0: as declared or configured.
  std::chrono::milliseconds base_delay{0};  ///< First back-off of a failing key; 0: 5 ms.
  std::chrono::milliseconds max_delay{0};   ///< Longest back-off; 0: 1000 s.
  std::uint32_t retries_max = 0;            ///< Failures in a row until a key is dropped; 0: never.
};

/// A handle: cheap to copy, valid as long as the controller lives. All calls return at once and may
/// be made in handlers, syncs and timers.
///
/// A key is never lost silently: if the host refuses it (the queue was not opened, memory is
/// exhausted), the sync or timer that added it fails and runs again; in a handler, the log reports
/// it. Threads of a library must use a Waker instead.
class Queue {
 public:
  /// Use Context::open_queue instead.
  Queue(const Api& api, davit_handle handle) : api_(&api), handle_(handle) {}

  /// Adding a waiting key has no effect; a key that is being synced runs exactly once more.
  void add(const Key& key) const;
  /// The key of an object.
  void add(const ObjectView& object) const;
  /// If a key has several delays, the earliest wins. A delay that is not positive adds the key at
  /// once.
  void add_after(const Key& key, Duration delay) const;
  /// Like add(), but keys of one shard never run concurrently.
  void add_sharded(const Key& key, std::string_view shard) const;
  /// After the key's next back-off, which stays even if the calling sync succeeds.
  void add_rate_limited(const Key& key) const;
  /// Ends the key's back-off.
  void forget(const Key& key) const;
  /// The number of consecutive back-offs of the key.
  [[nodiscard]] std::uint32_t failures(const Key& key) const;

  [[nodiscard]] davit_handle handle() const { return handle_; }

 private:
  void add_text(std::string_view text) const;
  static void check(davit_code code, const char* what);

  const Api* api_;
  davit_handle handle_;
};

}  // namespace davit
