#include "host/process/start_watch.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <optional>

#include "tests/support/collector.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/scarcity.hpp"

namespace davit::host {
namespace {

/// Gives this thread its signals back: what other tests start would inherit that they are blocked.
class SignalMask {
 public:
  SignalMask() { pthread_sigmask(SIG_SETMASK, nullptr, &before_); }
  SignalMask(const SignalMask&) = delete;
  SignalMask& operator=(const SignalMask&) = delete;
  ~SignalMask() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

class StartWatchTest : public testing::Test {
 protected:
  Result<std::unique_ptr<StartWatch>> open() {
    return StartWatch::open(interruptions_, sink_, std::chrono::hours(1));
  }

  const SignalMask mask_;
  const Interruptions interruptions_;
  test::RecordingLogSink sink_;
};

TEST_F(StartWatchTest, FirstSignalEndsTheWaitsOfTheStart) {
  auto watch = open();
  ASSERT_TRUE(watch) << watch.error().message();
  const std::stop_token stopping = (*watch)->stopping();
  test::Door stopped;
  const std::stop_callback on_stop(stopping, [&] { stopped.open(); });

  ASSERT_EQ(::kill(::getpid(), SIGTERM), 0);

  stopped.pass();
  watch->reset();
  EXPECT_TRUE(stopping.stop_requested()) << "also once the watch has gone";
}

TEST_F(StartWatchTest, WatchWithoutASignalEndsWithTheStart) {
  auto watch = open();
  ASSERT_TRUE(watch) << watch.error().message();
  const std::stop_token stopping = (*watch)->stopping();

  watch->reset();

  EXPECT_FALSE(stopping.stop_requested());
}

TEST_F(StartWatchTest, WithoutAThreadItDoesNotOpen) {
  const test::NoThreads scarce;

  const Status failed = open().error();

  EXPECT_EQ(scarce.wanted(), 1U);
  EXPECT_EQ(failed.code(), Code::kUnavailable);
  EXPECT_EQ(failed.message(), "cannot watch for signals: cannot start a thread");
}

TEST_F(StartWatchTest, SignalThatRepeatsTheRequestAtOnceIsNotAnotherOne) {
  auto owned = std::make_unique<test::FakeClock>();
  test::FakeClock& clock = *owned;
  const Interruptions interruptions(std::move(owned));
  constexpr std::chrono::milliseconds kNow{0};
  const auto send = [](int signal) { ASSERT_EQ(::kill(::getpid(), signal), 0); };

  send(SIGTERM);
  EXPECT_EQ(interruptions.wait(kNow), Interruptions::What::kSignal);
  clock.advance(std::chrono::milliseconds(40));
  send(SIGTERM);
  EXPECT_EQ(interruptions.wait(kNow), Interruptions::What::kNothing);

  clock.advance(Interruptions::kSameRequest);
  send(SIGTERM);
  EXPECT_EQ(interruptions.wait(kNow), Interruptions::What::kSignal);
}

TEST_F(StartWatchTest, SignalsForUsersDoNotEndTheProcess) {
  ASSERT_EQ(::kill(::getpid(), SIGUSR1), 0);
  ASSERT_EQ(::kill(::getpid(), SIGUSR2), 0);

  EXPECT_EQ(interruptions_.wait(std::chrono::milliseconds(0)), Interruptions::What::kNothing);
}

TEST_F(StartWatchTest, LossOfTheLeaseDuringAStopIsKnownAfterIt) {
  EXPECT_FALSE(interruptions_.has_lost_lease());

  interruptions_.lost_lease();

  EXPECT_TRUE(interruptions_.has_lost_lease());
  EXPECT_EQ(interruptions_.wait(Interruptions::kNoLimit), Interruptions::What::kLostLease);
}

TEST_F(StartWatchTest, SignalStaysForTheNextWaitOnceThereWasEnough) {
  const UniqueFd enough = make_event();
  signal_event(enough);
  ASSERT_EQ(::kill(::getpid(), SIGTERM), 0);

  EXPECT_EQ(interruptions_.wait(Interruptions::kNoLimit, enough), Interruptions::What::kNothing);
  EXPECT_EQ(interruptions_.wait(std::chrono::milliseconds(0)), Interruptions::What::kSignal);
}

}  // namespace
}  // namespace davit::host
