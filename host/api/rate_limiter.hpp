/// The client-side limit on requests: k8s.io/client-go/util/flowcontrol's token bucket, with
/// priorities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "host/api/api_request.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Starts full with `burst` tokens and refills with `qps` tokens a second. Those that find no token
/// wait in a line; the n-th gets its turn about n/qps later.
///
/// Higher priorities go first, and within a priority the longest waiter. Every fourth token that is
/// taken while others wait goes to the longest waiter of all priorities, so that each gets one
/// eventually.
///
/// Thread-safe; never blocks and never reads a clock.
class TokenBucket {
 public:
  struct Rate {
    double qps = 5;  ///< 0 and below: no limit.
    int burst = 10;
  };

  explicit TokenBucket(Rate rate);

  /// A place in the line, which its end gives up. The bucket must outlive it. Its holder must come
  /// for the token when it is there, because the others wait for that. One thread at a time.
  class Turn {
   public:
    Turn() = default;
    Turn(Turn&& from) noexcept
        : bucket_(std::exchange(from.bucket_, nullptr)), id_(std::exchange(from.id_, 0)) {}
    Turn& operator=(Turn&& from) noexcept {
      std::swap(bucket_, from.bucket_);
      std::swap(id_, from.id_);
      return *this;
    }
    ~Turn() { leave(); }

    /// Takes the token and leaves the queue if it returns `now` or earlier; otherwise the token is
    /// available at the returned time, unless waiters with a higher priority arrive.
    [[nodiscard]] Time take(Time now);
    void leave();
    /// Whether it has a place.
    [[nodiscard]] bool waits() const { return bucket_ != nullptr; }

   private:
    friend class TokenBucket;
    Turn(TokenBucket& bucket, std::uint64_t id) : bucket_(&bucket), id_(id) {}

    TokenBucket* bucket_ = nullptr;
    std::uint64_t id_ = 0;
  };

  /// Joins the line as one that waits since then, `now` or earlier.
  [[nodiscard]] Turn join(Time since, RequestPriority priority) EXCLUDES(mutex_);
  /// Those that wait in the line now.
  [[nodiscard]] std::size_t waiting() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return waiting_.size();
  }

 private:
  struct Waiting {
    std::uint64_t id;
    Time since;
    RequestPriority priority;
  };

  void refill(Time now) REQUIRES(mutex_);
  [[nodiscard]] Time take(std::uint64_t id, Time now) EXCLUDES(mutex_);
  void leave(std::uint64_t id) EXCLUDES(mutex_);
  /// The number of waiting ones that go before this one.
  [[nodiscard]] std::size_t place_of(std::uint64_t id) const REQUIRES(mutex_);

  const Rate rate_;
  Mutex mutex_;
  double tokens_ GUARDED_BY(mutex_);
  Time filled_at_ GUARDED_BY(mutex_){};
  bool started_ GUARDED_BY(mutex_) = false;
  std::uint64_t joined_ GUARDED_BY(mutex_) = 0;
  unsigned contested_ GUARDED_BY(mutex_) = 0;        // Tokens taken while others waited.
  std::vector<Waiting> waiting_ GUARDED_BY(mutex_);  // The one that has waited longest first.
};

}  // namespace davit::host
