/// Adds keys from threads that have no call ("davit.waker/1").
#pragma once

#include <davit/abi.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "host/run/controller_queue.hpp"
#include "lib/base/mutex.hpp"

/// The opaque waker of abi.h. Lives as long as it has a reference: the plugin, whose threads
/// may use it at any time, and the controller of the queue. Thread-safe.
struct davit_waker {
 public:
  /// With one reference. `queue` outlives this, or is replaced before it ends.
  explicit davit_waker(davit::host::ControllerQueue& queue) : queue_(&queue) {}
  davit_waker(const davit_waker&) = delete;
  davit_waker& operator=(const davit_waker&) = delete;

  /// Adds a key. DAVIT_STALE: there is no queue any more.
  davit_code wake(std::string_view key) EXCLUDES(mutex_);
  /// From now on keys go to `queue`; null: nowhere. When this returns nothing uses the one before.
  void point_to(davit::host::ControllerQueue* queue) EXCLUDES(mutex_);

  /// The queue that keys go to now, to be compared only; null: none.
  [[nodiscard]] const void* destination() EXCLUDES(mutex_);

  /// Relaxed: who adds a reference has one.
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  /// Destroys this with the last reference.
  void release();

 private:
  std::atomic<std::uint32_t> references_{1};
  davit::Mutex mutex_;  // Taken before the queue's.
  davit::host::ControllerQueue* queue_ GUARDED_BY(mutex_);
};
