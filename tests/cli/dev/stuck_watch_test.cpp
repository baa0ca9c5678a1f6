#include "cli/dev/stuck_watch.hpp"

#include <gtest/gtest.h>

#include "tests/support/collector.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/scarcity.hpp"

namespace davit::host {
namespace {

TEST(StuckWatchTest, LooksAgainAndAgain) {
  test::FakeClock clock;
  test::Collector<int> looks;
  StuckWatch watch(clock, [&] { looks.push(1); });
  ASSERT_TRUE(watch.start());
  clock.await_waiters(1);
  EXPECT_EQ(looks.entries().size(), 1U);

  clock.advance(StuckWatch::kPeriod);

  looks.await(2);
}

TEST(StuckWatchTest, WithoutAThreadItFailsAndMayBeStartedLater) {
  test::FakeClock clock;
  test::Collector<int> looks;
  StuckWatch watch(clock, [&] { looks.push(1); });
  {
    const test::NoThreads scarce;
    EXPECT_FALSE(watch.start());
    EXPECT_EQ(scarce.wanted(), 1U);
  }
  EXPECT_TRUE(looks.entries().empty());

  EXPECT_TRUE(watch.start());

  looks.await(1);
}

}  // namespace
}  // namespace davit::host
