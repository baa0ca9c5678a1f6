#include "host/run/controller_timers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_runner_metrics.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ControllerTimersTest : public testing::Test {
 protected:
  /// A timer that notes when it fires, from the start of the test.
  TimerId start(Duration first, Duration period = Duration::zero()) {
    return timers_.start({.first = first, .period = period, .fire = [this](const auto&, auto) {
                            fired_.push_back(clock_.now() - test::FakeClock::kStart);
                            return SyncOutcome{};
                          }});
  }
  void begin() {
    timers_.queue().resume();
    timers_.begin();
  }
  void advance(Duration time) {
    clock_.advance(time);
    while (timers_.queue().step()) {
    }
  }

  test::FakeClock clock_;
  test::RecordingLogSink sink_;
  test::FakeRunnerMetrics metrics_;
  ControllerTimers timers_{{}, metrics_, clock_, Logger(sink_), Threads::kNone};
  std::vector<Duration> fired_;
};

TEST_F(ControllerTimersTest, TheFirstTimeCountsFromTheBegin) {
  (void)start(seconds(3));
  advance(seconds(10));
  begin();

  advance(seconds(2));
  EXPECT_THAT(fired_, IsEmpty());
  advance(seconds(1));
  EXPECT_THAT(fired_, ElementsAre(seconds(13)));
}

TEST_F(ControllerTimersTest, OneThatIsStartedLaterCountsFromItsStart) {
  begin();
  advance(seconds(10));
  (void)start(seconds(3));

  advance(seconds(3));

  EXPECT_THAT(fired_, ElementsAre(seconds(13)));
}

TEST_F(ControllerTimersTest, APeriodBeginsWhenARunEnds) {
  begin();
  (void)timers_.start(
      {.first = seconds(1), .period = seconds(5), .fire = [this](const auto&, auto) {
         fired_.push_back(clock_.now() - test::FakeClock::kStart);
         clock_.advance(seconds(2));
         return SyncOutcome{};
       }});

  advance(seconds(1));
  advance(seconds(4));
  EXPECT_THAT(fired_, ElementsAre(seconds(1)));
  advance(seconds(1));
  EXPECT_THAT(fired_, ElementsAre(seconds(1), seconds(8)));
}

TEST_F(ControllerTimersTest, OneWithoutAPeriodFiresOnceAndIsForgotten) {
  begin();
  const TimerId timer = start(seconds(1));

  advance(seconds(1));
  advance(seconds(100));

  EXPECT_THAT(fired_, ElementsAre(seconds(1)));
  EXPECT_EQ(timers_.stop(timer).code(), Code::kNotFound);
}

TEST_F(ControllerTimersTest, AStoppedOneDoesNotFireAgain) {
  begin();
  const TimerId timer = start(seconds(1), seconds(1));
  advance(seconds(1));

  EXPECT_TRUE(timers_.stop(timer).ok());
  advance(seconds(100));

  EXPECT_THAT(fired_, ElementsAre(seconds(1)));
}

TEST_F(ControllerTimersTest, ATimerMayStopItself) {
  begin();
  TimerId self{};
  self = timers_.start({.first = seconds(1), .period = seconds(1), .fire = [&](const auto&, auto) {
                          fired_.push_back(seconds(0));
                          EXPECT_TRUE(timers_.stop(self).ok());
                          return SyncOutcome{};
                        }});

  advance(seconds(1));
  advance(seconds(1));

  EXPECT_THAT(fired_, ElementsAre(seconds(0)));
}

TEST_F(ControllerTimersTest, AGateHoldsATimerBackUntilItsCachesHaveCaughtUp) {
  begin();
  bool is_behind = true;
  const TimerId timer = timers_.start({.first = seconds(1),
                                       .fire =
                                           [&](const auto&, auto) {
                                             fired_.push_back(seconds(0));
                                             return SyncOutcome{};
                                           },
                                       .gate = [&]() -> std::optional<Time> {
                                         if (!is_behind) return std::nullopt;
                                         return clock_.now() + seconds(30);
                                       }});
  advance(seconds(1));
  EXPECT_THAT(fired_, IsEmpty());

  is_behind = false;
  timers_.caught_up(timer);
  advance(seconds(0));

  EXPECT_THAT(fired_, ElementsAre(seconds(0)));
}

TEST_F(ControllerTimersTest, BeginTwiceArmsATimerOnce) {
  (void)start(seconds(1));
  begin();
  begin();

  advance(seconds(1));

  EXPECT_THAT(fired_, ElementsAre(seconds(1)));
}

}  // namespace
}  // namespace davit::host
