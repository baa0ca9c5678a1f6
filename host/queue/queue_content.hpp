/// The content of a queue while no key runs, on its way to another queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "host/queue/retry_limiter.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/key_hash.hpp"

namespace davit::host {

/// The state of a key that is not idle.
struct QueueEntry {
  enum class State { kQueued, kRunning, kStale };

  State state = State::kQueued;
  Time queued{};   ///< When it began to wait; Queued and Stale only.
  Time started{};  ///< Running and Stale only.
  std::string shard;
  bool is_inherited = false;  ///< While a queue adopts: it has its place in the order.
  /// Running and Stale only: it was given a back-off since it runs.
  bool is_backing_off = false;
};
/// Node based: pointers to what is in it stay good, also when it moves.
using QueueEntries = std::unordered_map<std::string, QueueEntry, KeyHash, std::equal_to<>>;
using QueueOrder = std::deque<QueueEntries::value_type*>;

/// The state of a key and the reasons for which it waits.
struct KeyState {
  /// Nothing: idle.
  std::optional<QueueEntry::State> state{};
  Time since{};                      ///< When it began to wait or run.
  std::optional<Time> due{};         ///< When its delay or back-off ends.
  std::optional<Time> held_until{};  ///< It waits for its own writes, at the latest until then.
  std::uint32_t failures = 0;        ///< In a row.
};

struct DelayedKey {
  Time due{};
  std::string shard;
};
using DelayedKeys = std::map<std::string, DelayedKey, std::less<>>;

/// Taking it out of a queue copies no key. The next queue may leave entries in it, which can be
/// destroyed at any later time, so that a hot swap does not wait for that.
class QueueContent {
 public:
  /// A key that waits behind all others, unless it waits already.
  void add(const std::string& key, std::string shard, Time since) {
    const auto [it, is_new] =
        entries_.try_emplace(key, QueueEntry{.queued = since, .shard = std::move(shard)});
    if (is_new) waiting_.push_back(&*it);
  }

  /// Keys that wait, oldest first.
  [[nodiscard]] const QueueOrder& waiting() const { return waiting_; }
  /// Keys that wait or are delayed.
  [[nodiscard]] std::size_t size() const { return waiting_.size() + delayed_.size(); }

 private:
  friend class WorkQueue;
  QueueEntries entries_;  // The waiting entries.
  QueueOrder waiting_;
  DelayedKeys delayed_;
  RetryLimiter::Failures failures_;
};

}  // namespace davit::host
