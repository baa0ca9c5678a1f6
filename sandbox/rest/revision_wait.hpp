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
        next_look_(parts.clock.now() + kBetweenLooks) {}

  /// False: the store has come there, or has not in time.
  [[nodiscard]] bool goes_on(Time now) {
    if (now >= end_ || store_.revision() >= awaited_) return false;
    next_look_ = std::min(now + kBetweenLooks, end_);
    return true;
  }
  /// When to ask goes_on() again.
  [[nodiscard]] Time next_look() const { return next_look_; }

 private:
  /// blockTimeout of k8s.io/apiserver/pkg/storage/cacher.
  static constexpr Duration kLongest = std::chrono::seconds(3);
  /// Rare enough to cost nothing. The real server's cache is behind its etcd by as much.
  static constexpr Duration kBetweenLooks = std::chrono::milliseconds(50);

  const Store& store_;
  const Revision awaited_;
  const Time end_;
  Time next_look_;
};

}  // namespace davit::sandbox
