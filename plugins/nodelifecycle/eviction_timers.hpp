/// The pods to delete, and their times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/key.hpp>
#include <davit/state_fields.hpp>
#include <davit/time.hpp>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

namespace davit::nodelifecycle {

/// The table of tainteviction.TimedWorkerQueue, without threads: a caller that adds a timer must
/// also arrange for step() to be called when it is due.
///
///            add            step, when due       ended
///   (none) ───────▶ pending ─────────────▶ running ─────▶ (none)
///      ▲               │                      │
///      └─── cancel ────┘                      └─ cancel: the marker goes, the deletion continues
///
/// Adding a key that is pending or running changes nothing. A key that was cancelled while running
/// may be added again; its next deletion waits for the present one. Thread-safe; never blocks.
/// Never reads a clock.
class EvictionTimers {
 public:
  /// The state in which cancel() found the key.
  enum class Found : std::uint8_t { kNothing, kPending, kRunning };

  /// One try to delete a pod.
  struct Attempt {
    Time due;    ///< When the deletion was due.
    int number;  ///< 1 for the first.
  };
  struct Wait {
    Duration rest;
  };
  /// Nothing to do, or to be asked again later, or a try that the caller makes.
  using Step = std::variant<std::monostate, Wait, Attempt>;

  /// Whether the key is new; step() is then to be called at `due`.
  [[nodiscard]] bool add(const Key& pod, Time now, Time due);
  [[nodiscard]] Found cancel(const Key& pod);
  /// Whether a timer runs that has not fired.
  [[nodiscard]] bool is_pending(const Key& pod) const;

  [[nodiscard]] Step step(const Key& pod, Time now);
  /// The tries for a pod are over. Whether another deletion is due at once.
  [[nodiscard]] bool ended(const Key& pod);

  /// The try that step() gave was not made: it does not count.
  void not_tried(const Key& pod);

  /// The timers and deletions, for the next build. read() returns when to call step(), or why it
  /// refuses the state.
  struct Call {
    Key pod;
    Time due;
  };
  void write(JsonWriter& out) const;
  [[nodiscard]] Result<std::vector<Call>> read(Value state);

 private:
  struct Deletion {
    Time due;
    int tries = 0;
    std::optional<Time> next{};  // The deletion that was requested while this one ran.
  };

  void start(const Key& pod, Time due);

  mutable std::mutex mutex_;
  // Guarded by mutex_. No key is in both of the first two.
  std::unordered_map<Key, Time> pending_;
  std::unordered_set<Key> running_;
  std::unordered_map<Key, Deletion> deletions_;
};

}  // namespace davit::nodelifecycle
