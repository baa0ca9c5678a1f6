/// The wait for a resourceVersion that the store has not come to.
#pragma once

#include <algorithm>
#include <chrono>

#include "lib/base/clock.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// The waiting caller pulls it, so it needs no thread. One caller at a time.
class RevisionWait {
 public:
  /// `parts` are borrowed for the wait's life.
  RevisionWait(const RestParts& parts, Revision awaited)
      : store_(parts.store),
        awaited_(awaited),
        end_(parts.clock.now() + kLongest),
        next_poll_(parts.clock.now() + kPollInterval) {}

  /// False: the store has reached the revision, or the time is over.
  [[nodiscard]] bool is_waiting(Time now) {
    if (now >= end_ || store_.revision() >= awaited_) return false;
    next_poll_ = std::min(now + kPollInterval, end_);
    return true;
  }
  /// When to ask is_waiting() again.
  [[nodiscard]] Time next_poll() const { return next_poll_; }

 private:
  /// blockTimeout of k8s.io/apiserver/pkg/storage/cacher.
  static constexpr Duration kLongest = std::chrono::seconds(3);
  /// Rare enough to cost nothing. The real server's cache is behind its etcd by as much.
  static constexpr Duration kPollInterval = std::chrono::milliseconds(50);

  const Store& store_;
  const Revision awaited_;
  const Time end_;
  Time next_poll_;
};

}  // namespace davit::sandbox
