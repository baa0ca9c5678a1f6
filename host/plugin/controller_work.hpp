/// The queues and timers that one controller opened through the ABI.
#pragma once

#include <davit/abi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "host/cache/write_tracker.hpp"
#include "host/journal/controller_journal.hpp"
#include "host/plugin/call_frame.hpp"
#include "host/plugin/controller_informers.hpp"
#include "host/plugin/controller_options.hpp"
#include "host/plugin/intended_writes.hpp"
#include "host/plugin/slot_table.hpp"
#include "host/plugin/sync_tally.hpp"
#include "host/plugin/waker.hpp"
#include "host/run/controller_runner.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Calls the plugin's syncs and timers for the runner. A key, or a timer, waits until the caches
/// show what its last run wrote. Queues are opened during the controller's init(); all else is
/// thread-safe.
class ControllerWork {
 public:
  /// The references outlive this; the runner has stopped when this is destroyed.
  ControllerWork(ControllerAbi& controller, const ControllerHostOptions& options,
                 const HostServices& services, const Logger& log, ControllerRunner& runner,
                 const ControllerInformers& informers, IntendedWrites& intended);
  ControllerWork(const ControllerWork&) = delete;
  ControllerWork& operator=(const ControllerWork&) = delete;
  ~ControllerWork();

  davit_code open_queue(const davit_queue_options& options, davit_handle& out);
  davit_code start_timer(const davit_timer_options& options, davit_handle& out);
  davit_code stop_timer(davit_handle timer);
  /// Adds `key` to the queue now, and whenever what the server offers has changed. kStale: no such
  /// queue. kUnsupported: too many.
  Status wake_on_discovery(davit_handle queue, std::string_view key) {
    ControllerQueue* const keys = this->queue(queue);
    if (keys == nullptr) return Status(Code::kStale, "no such queue");
    return discovery_wakes_.add(*keys, key);
  }
  /// Null when the handle is stale.
  [[nodiscard]] ControllerQueue* queue(davit_handle handle) const {
    return queues_.find(handle).value_or(nullptr);
  }
  /// A waker of the queue, with a reference for the caller; null when the handle is stale.
  [[nodiscard]] davit_waker* open_waker(davit_handle queue);
  struct QueuedKey {
    std::string queue;  ///< Its name; may be empty.
    KeyState state;
  };
  /// The queues in which `key` is not idle, or has failed.
  [[nodiscard]] std::vector<QueuedKey> find_key(std::string_view key) const;
  /// Timers that have not ended.
  [[nodiscard]] std::size_t timers() const { return timers_.size(); }
  /// Keys and timers with writes that the caches have not shown.
  [[nodiscard]] std::size_t unseen_writes() const;
  [[nodiscard]] ControllerRunner& runner() { return runner_; }
  /// The outcomes of the calls.
  [[nodiscard]] SyncCounter& counter() { return counter_; }

  struct HandedOver {
    std::size_t kept = 0;
    std::size_t dropped = 0;
    /// Writes that the caches have not shown were left behind, with a queue or timer that this
    /// build lacks: the caches as they are prove nothing.
    bool has_lost_writes = false;
    std::vector<QueueContent> spent;  ///< Takes time to destroy.
  };
  /// See ControllerHandOver.
  HandedOver take_over(ControllerWork& from);
  std::size_t mirror_keys(ControllerWork& serving);

 private:
  /// The keys that are added when what the server offers has changed.
  class DiscoveryWakes final : private DiscoveryListener {
   public:
    explicit DiscoveryWakes(Discovery& discovery) : discovery_(discovery) {}
    ~DiscoveryWakes() override { discovery_.remove_listener(*this); }
    Status add(ControllerQueue& queue, std::string_view key) EXCLUDES(mutex_);

   private:
    struct Wake {
      ControllerQueue* queue;
      std::string key;
      friend bool operator==(const Wake&, const Wake&) = default;
    };

    void discovery_changed() override EXCLUDES(mutex_);

    Discovery& discovery_;
    Mutex mutex_;  // Taken under the lock of Discovery.
    std::vector<Wake> wakes_ GUARDED_BY(mutex_);
  };

  /// A work queue as the controller opened it.
  struct HostedQueue {
    std::string name;  // Empty for a queue without metrics.
    ControllerQueue* keys = nullptr;
    std::unique_ptr<WriteTracker> writes;
    davit_handle handle = 0;
    /// Its waker, and those of queues that it took over; each with a reference.
    std::vector<davit_waker*> wakers;
    void* self = nullptr;
    davit_code (*sync)(void* self, const davit_call* call, davit_str key,
                       davit_sync_result* result) = nullptr;
  };
  /// A timer as the controller started it.
  struct HostedTimer {
    davit_handle handle = 0;
    std::string writer;  // In timer_writes_.
    bool is_once = false;
    void* self = nullptr;
    davit_code (*fire)(void* self, const davit_call* call, davit_sync_result* result) = nullptr;
  };
  [[nodiscard]] SyncOutcome sync(HostedQueue& queue, std::string_view key,
                                 std::stop_token cancelled);
  [[nodiscard]] SyncOutcome fire(const HostedTimer& timer, std::uint32_t failures,
                                 std::stop_token cancelled);
  /// Runs `call(result)`, which calls the plugin, inside `frame`.
  template <typename Call>
  [[nodiscard]] SyncOutcome run(CallFrame& frame, Call call) const;
  [[nodiscard]] CallDetails details(davit_handle source, std::string_view key,
                                    std::uint32_t attempt, std::stop_token cancelled) const;
  /// The trace of a call that begins; nothing without tracing. `queue` has its name.
  [[nodiscard]] std::optional<WorkTrace> begin_trace(std::string_view kind, std::string_view queue,
                                                     const CallDetails& details) const;
  /// The record of a call that begins; nothing without a journal, and for a shadow.
  void begin_record(std::optional<JournaledWork>& record, JournaledWork::Start start,
                    CallDetails& details) const;
  void end_record(std::optional<JournaledWork>& record, const SyncOutcome& outcome) const;
  static void end_trace(std::optional<WorkTrace>& trace, SyncOutcome& outcome);
  void timers_caught_up(const std::vector<std::string>& writers);
  /// The timer of a key of timer_writes_, unless it has ended.
  [[nodiscard]] std::optional<TimerId> timer_of(std::string_view writer) const;
  /// Has the wakers of a queue of another build point to one of this; without a successor to
  /// nothing.
  void hand_over_wakers(ControllerWork& from, HostedQueue& old, HostedQueue* successor);
  /// The first queue of that name that is not taken, which is taken then; or null.
  [[nodiscard]] HostedQueue* find(std::string_view name, std::set<const HostedQueue*>& taken) const;

  ControllerAbi& controller_;
  const ControllerHostOptions& options_;
  const HostServices& services_;
  const Logger& log_;
  ControllerRunner& runner_;
  const ControllerInformers& informers_;
  IntendedWrites& intended_;
  SyncCounter counter_;
  SlotTable<ControllerQueue*, HandleKind::kQueue> queues_;
  SlotTable<TimerId, HandleKind::kTimer> timers_;
  std::vector<std::unique_ptr<HostedQueue>> opened_;  // Filled by init(), fixed afterwards.
  Mutex wakers_mutex_;                                // Guards the `wakers` of opened_.
  WriteTracker timer_writes_;                         // Keys are handles, in text.
  DiscoveryWakes discovery_wakes_{services_.discovery};
};

}  // namespace davit::host
