/// The time of a test cluster.
#pragma once

#include <algorithm>
#include <chrono>

#include "lib/base/assert.hpp"
#include "lib/base/clock.hpp"

namespace davit::testing {

/// A clock that the test moves. Waiting on it advances the time, because nothing else runs.
/// Single-threaded.
class ClusterClock final : public Clock {
 public:
  explicit ClusterClock(WallTime start) : wall_start_(start) {}

  [[nodiscard]] Time now() const override { return kStart + passed_; }
  [[nodiscard]] WallTime wall_now() const override { return wall_start_ + passed_; }
  void wait_until(CondVar&, Mutex&, Time deadline) override {
    DAVIT_ASSERT(deadline != Time::max());
    move_to(deadline);
  }
  /// The wall clock jumps; the other one does not.
  void set_wall(WallTime wall) { wall_start_ = wall - passed_; }
  /// Ignored when it is later already.
  void move_to(Time at) { passed_ = std::max(passed_, at - kStart); }

 private:
  /// Far from zero, so that "never" and "long ago" differ from the start.
  static constexpr Time kStart{std::chrono::hours(1000)};

  WallTime wall_start_;
  Duration passed_{0};
};

}  // namespace davit::testing
