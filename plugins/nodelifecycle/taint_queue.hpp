/// The nodes of one zone that wait for their NoExecute taint.
#pragma once

#include <cstdint>
#include <davit/state_fields.hpp>
#include <davit/time.hpp>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace davit::nodelifecycle {

/// A token bucket of one token, or a limiter that never has any. Takes the time instead of reading
/// it. Upstream: TokenBucketRateLimiter and FakeNeverRateLimiter.
class TaintLimiter {
 public:
  /// A full bucket, also at the rate 0, which then is never filled again. The rate is a second's.
  explicit TaintLimiter(float rate, Time now);

  [[nodiscard]] bool take(Time now);
  /// Another rate; 0 or less: never. A bucket that had no token passes that on. The same rate
  /// changes nothing, and "never" counts as the rate 1, as it does upstream.
  void swap(float rate, Time now);

  /// For the next build, as members of an object.
  void write(JsonWriter& out) const;
  [[nodiscard]] static TaintLimiter read(const StateFields& state, Time now);

 private:
  void refill(Time now);

  float rate_ = 0;
  bool is_never_ = false;  // If set, there are no tokens, and the rate is 0.
  double tokens_ = 0;
  Time at_{};
};

/// RateLimitedTimedQueue: a heap by time and a set of names. A processed name leaves the heap but
/// stays in the set, so that it is not added again before remove(). Not thread-safe.
class TaintQueue {
 public:
  /// The outcome for a node that was handed out: done, or to be handed out again after a wait.
  using Outcome = std::optional<Duration>;
  static constexpr Outcome kDone = std::nullopt;

  TaintQueue(float rate, Time now) : limiter_(rate, now) {}

  /// Whether the name is new.
  bool add(const std::string& node, Time now);
  /// Whether the name was known.
  bool remove(const std::string& node);
  void swap_limiter(float rate, Time now) { limiter_.swap(rate, now); }

  /// The next node: the one that has waited longest, if there is a token and the node is due. A
  /// token is also spent on a node that is not yet due. The node keeps its place until finish().
  [[nodiscard]] std::optional<std::string> take(Time now);
  /// Records the outcome for the node that take() handed out at `taken`. Upstream: RemoveFromQueue,
  /// Replace, neither of which touches a node that was removed in between.
  void finish(const std::string& node, const Outcome& outcome, Time taken);

  [[nodiscard]] bool empty() const { return heap_.empty(); }

  /// For the next build, as members of an object.
  void write(JsonWriter& out) const;
  [[nodiscard]] static TaintQueue read(const StateFields& state, Time now);

 private:
  TaintLimiter limiter_;
  std::set<std::pair<Time, std::string>> heap_;
  std::unordered_map<std::string, Time> known_;  // When a name in the heap is due.
};

}  // namespace davit::nodelifecycle
