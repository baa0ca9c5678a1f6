/// A limit for what a child process sends in each second. Pure.
#pragma once

#include <cstddef>
#include <utility>

#include "lib/base/clock.hpp"

namespace davit::host {

/// Counts from second to second. Not thread-safe.
class FlowLimit {
 public:
  explicit FlowLimit(std::size_t each_second) : each_second_(each_second) {}

  /// Whether another one is within the limit; counts it.
  [[nodiscard]] bool take(Time now) {
    if (left(now) > 0) {
      ++taken_;
      return true;
    }
    ++refused_;
    return false;
  }
  [[nodiscard]] std::size_t left(Time now) {
    constexpr Duration kSecond = std::chrono::seconds(1);
    if (now >= began_ + kSecond) {
      began_ = now;
      taken_ = 0;
    }
    return each_second_ - taken_;
  }
  /// Those that were beyond the limit since the last call.
  [[nodiscard]] std::size_t take_refused() { return std::exchange(refused_, 0); }

 private:
  const std::size_t each_second_;
  Time began_{};
  std::size_t taken_ = 0;
  std::size_t refused_ = 0;
};

}  // namespace davit::host
