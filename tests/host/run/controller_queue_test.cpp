#include "host/run/controller_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_runner_metrics.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;

/// Runs something when the time is asked for, once: what another thread does just then.
class InterruptedClock final : public Clock {
 public:
  void at_next_look(std::function<void()> act) { act_ = std::move(act); }

  [[nodiscard]] Time now() const override {
    if (const auto act = std::exchange(act_, nullptr)) act();
    return clock_.now();
  }
  [[nodiscard]] WallTime wall_now() const override { return clock_.wall_now(); }
  void wait_until(CondVar& cond, Mutex& mutex, Time deadline) override REQUIRES(mutex) {
    clock_.wait_until(cond, mutex, deadline);
  }

 private:
  test::FakeClock clock_;
  mutable std::function<void()> act_;
};

class HeldKeyTest : public testing::Test {
 protected:
  /// Puts "a" aside.
  HeldKeyTest() {
    queue_.resume();
    queue_.add(QueueKey("a", {}));
    EXPECT_TRUE(queue_.step());
    EXPECT_TRUE(queue_.find("a").held_until);
    queue_.pause();
  }

  InterruptedClock clock_;
  test::RecordingLogSink sink_;
  test::FakeRunnerMetrics metrics_;
  ControllerQueue queue_{
      {.sync = [](std::string_view, const std::stop_token&) { return SyncOutcome{}; },
       .gate = [this](std::string_view) -> std::optional<Time> {
         return test::FakeClock::kStart + seconds(30);
       },
       .threads = Threads::kNone},
      {},
      metrics_,
      clock_,
      Logger(sink_)};
};

TEST_F(HeldKeyTest, KeyThatHasCaughtUpIsNotLostToAHandOver) {
  std::size_t taken = 0;
  clock_.at_next_look([&] { taken = queue_.take_content().size(); });

  queue_.caught_up("a");

  EXPECT_EQ(taken, 1U) << "the hand-over came in the middle of it";
}

}  // namespace
}  // namespace davit::host
