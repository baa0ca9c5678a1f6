#include "host/run/controller_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "host/run/code_name.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_runner_metrics.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

/// A queue whose syncs end as the test says.
class FailingKeyTest : public testing::Test {
 protected:
  FailingKeyTest() { queue_.resume(); }

  void sync(const std::string& key, SyncOutcome outcome) {
    outcome_ = std::move(outcome);
    clock_.advance(seconds(2000));  // Longer than any back-off.
    queue_.add(QueueKey(key, {}));
    while (queue_.step()) {
    }
  }
  [[nodiscard]] std::vector<std::string> failing() const {
    std::vector<std::string> out;
    for (const FailingKey& each : queue_.failing().list().keys) {
      out.push_back(each.key + " " + std::to_string(each.failures) + " " + each.error);
    }
    return out;
  }

  test::FakeClock clock_;
  test::RecordingLogSink sink_;
  test::FakeRunnerMetrics metrics_;
  SyncOutcome outcome_;
  ControllerQueue queue_{
      {.retries_max = 3,
       .sync = [this](std::string_view, const std::stop_token&) { return outcome_; },
       .threads = Threads::kNone},
      {},
      metrics_,
      clock_,
      Logger(sink_)};
};

TEST_F(FailingKeyTest, AKeyFailsUntilItSyncsWell) {
  sync("a", {.code = DAVIT_FORBIDDEN, .error = "not allowed"});
  const WallTime first = clock_.wall_now();
  EXPECT_THAT(failing(), ElementsAre("a 1 not allowed"));

  sync("a", {.code = DAVIT_INTERNAL, .error = ""});
  EXPECT_THAT(failing(), ElementsAre("a 2 " + code_name(DAVIT_INTERNAL)));
  EXPECT_EQ(queue_.failing().list().keys[0].since, first);

  sync("a", {});
  EXPECT_THAT(failing(), IsEmpty());
}

TEST_F(FailingKeyTest, AConflictAndACancelledSyncSayNothing) {
  sync("a", {.code = DAVIT_CONFLICT, .error = "changed"});
  sync("b", {.code = DAVIT_CANCELLED, .error = "held back"});
  sync("c", {.code = DAVIT_UNAVAILABLE, .error = "held back", .cancelled = true});
  EXPECT_THAT(failing(), IsEmpty());

  sync("a", {});  // The others run again, too.
  sync("a", {.code = DAVIT_FORBIDDEN, .error = "no"});
  sync("a", {.code = DAVIT_CONFLICT, .error = "changed"});
  EXPECT_THAT(failing(), ElementsAre("a 1 no"));
}

TEST_F(FailingKeyTest, ADroppedKeyFailsNoMore) {
  for (int i = 0; i < 3; ++i) sync("a", {.code = DAVIT_FORBIDDEN, .error = "no"});
  EXPECT_THAT(failing(), ElementsAre("a 3 no"));
  EXPECT_EQ(queue_.backing_off(), 1U);

  sync("a", {.code = DAVIT_FORBIDDEN, .error = "no"});

  EXPECT_THAT(failing(), IsEmpty());
  EXPECT_EQ(queue_.backing_off(), 0U);
}

}  // namespace
}  // namespace davit::host
