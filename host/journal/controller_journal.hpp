/// The writes of one controller and their causes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/journal/record_ring.hpp"
#include "host/journal/work_record.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/key_hash.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

class Journal;
class JournaledWork;

/// A Wake as callers pass it; the views live for the call.
struct WakeNote {
  Wake::Kind kind = Wake::Kind::kAdded;
  std::string_view group = {};
  std::string_view resource = {};
  std::string_view ns = {};
  std::string_view name = {};
  std::string_view version = {};
};

/// The parts among which the memory of the journal is divided.
enum class JournalPart : std::uint8_t {
  kActs,     ///< Syncs that wrote something or failed,
  kIdle,     ///< syncs that found nothing to do,
  kPending,  ///< wakes that wait for their sync.
};

/// The records of one controller, of all generations of its plugin: it lives in the host and
/// survives swaps. Wakes wait here, by key, for the sync that they cause; a sync becomes one record
/// at its end. Those that wrote something or failed are kept apart from those that found nothing to
/// do, so that a busy controller that changes nothing does not displace what it once did.
///
/// Keeps nothing until begin(), so that a standby has no records. The Journal of the host bounds
/// the memory of all controllers together and drops their oldest records. Thread-safe; each
/// function holds the lock for some hundred nanoseconds.
class ControllerJournal {
 public:
  /// `host` makes and outlives it.
  ControllerJournal(Journal& host, std::size_t chunk_bytes)
      : host_(host), acts_(chunk_bytes), idle_(chunk_bytes) {}
  ControllerJournal(const ControllerJournal&) = delete;
  ControllerJournal& operator=(const ControllerJournal&) = delete;

  /// The controller syncs from now on. Later calls change nothing.
  void begin(Time now) EXCLUDES(mutex_);
  /// Whether begin() was called. Relaxed: a record more or less at that moment does not matter.
  [[nodiscard]] bool is_active() const { return active_.load(std::memory_order_relaxed); }

  /// `key` is about to be added to the queue of that handle.
  void woke(std::uint64_t queue, std::string_view key, const WakeNote& wake, Time now)
      EXCLUDES(mutex_);

  /// A sync or timer that runs now.
  struct Running {
    std::string queue;
    std::string key;
    bool is_timer = false;
    std::uint64_t generation = 0;
    Time began{};
    std::string request;  ///< The request that it waits for; empty: none.
    Time requested{};
  };
  /// All that is known. `acts` and `idle` are in the order of their ends; read them without a lock.
  struct Snapshot {
    RecordRing::Snapshot acts;
    RecordRing::Snapshot idle;
    std::vector<Running> running;
    /// All since then that was written or failed is in `acts`; nothing: begin() was not called.
    std::optional<Time> acts_since;
  };
  [[nodiscard]] Snapshot snapshot() const EXCLUDES(mutex_);
  /// The last `count` records of syncs that wrote something or failed, newest first.
  [[nodiscard]] std::vector<WorkRecord> recent(std::size_t count) const EXCLUDES(mutex_);

  /// The memory that the allocator gave for records and wakes, in bytes.
  [[nodiscard]] std::size_t bytes() const EXCLUDES(mutex_);

 private:
  friend class Journal;
  friend class JournaledWork;
  /// Further wakes of one key are counted only.
  static constexpr std::size_t kWakesMax = 8;

  struct Pending {
    std::vector<Wake> wakes;
    std::uint32_t more = 0;
    std::size_t bytes = 0;
  };

  /// The wakes of a key whose sync begins.
  void take(std::uint64_t queue, WorkRecord& record) REQUIRES(mutex_);
  /// Appends to one of the rings and counts the memory.
  void append(RecordRing& ring, const WorkRecord& record) REQUIRES(mutex_);

  // For the Journal, when the memory of all controllers is too much.
  [[nodiscard]] RecordRing& ring(JournalPart part) REQUIRES(mutex_) {
    return part == JournalPart::kActs ? acts_ : idle_;
  }
  [[nodiscard]] std::optional<Time> oldest(JournalPart part) EXCLUDES(mutex_);
  void forget_oldest(JournalPart part) EXCLUDES(mutex_);
  [[nodiscard]] std::size_t pending_bytes() const EXCLUDES(mutex_);
  /// Also forgets the wakes of keys that were dropped, which no sync takes.
  void forget_pending() EXCLUDES(mutex_);

  Journal& host_;
  std::atomic<bool> active_{false};
  mutable Mutex mutex_;
  // The handle of the queue, as bytes, and the key.
  std::unordered_map<std::string, Pending, KeyHash, std::equal_to<>> pending_ GUARDED_BY(mutex_);
  std::size_t pending_bytes_ GUARDED_BY(mutex_) = 0;
  std::optional<Time> began_ GUARDED_BY(mutex_);
  RecordRing acts_ GUARDED_BY(mutex_);
  RecordRing idle_ GUARDED_BY(mutex_);
  std::vector<const JournaledWork*> running_ GUARDED_BY(mutex_);
};

/// The record of a sync or timer while it runs, on the stack of its thread, which alone uses it.
class JournaledWork {
 public:
  struct Start {
    std::string_view queue = {};
    std::uint64_t queue_handle = 0;
    std::string_view key = {};  ///< Empty for a timer.
    bool is_timer = false;
    std::uint64_t generation = 0;
    std::uint32_t attempt = 0;
  };
  /// `journal` outlives this.
  JournaledWork(ControllerJournal& journal, const Start& start, Time now);
  /// Without end() nothing is recorded.
  ~JournaledWork();
  JournaledWork(const JournaledWork&) = delete;
  JournaledWork& operator=(const JournaledWork&) = delete;

  /// A request is on its way, or waits for its turn, until the next call of this; empty: none.
  void requests(std::string what, Time now);
  void wrote(Write write);

  struct End {
    std::int32_t code = 0;
    std::string_view error = {};
    Duration again{0};
    bool is_retried = false;
  };
  void end(const End& end, Time now);

 private:
  friend class ControllerJournal;
  void leave() REQUIRES(journal_.mutex_);

  ControllerJournal& journal_;
  WorkRecord record_;
  // Guarded by the journal's lock, as snapshot() reads them.
  std::string request_;
  Time requested_{};
  bool is_running_ = true;
};

/// A text as the journal keeps it: without what is beyond some hundred bytes.
[[nodiscard]] std::string journal_text(std::string_view text);

}  // namespace davit::host
