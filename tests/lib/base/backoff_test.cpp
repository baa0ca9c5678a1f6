#include "lib/base/backoff.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(BackoffTest, DelaysGrowUpToTheLongest) {
  const auto random = make_seeded_random(1);
  Backoff backoff({.initial = milliseconds(800), .factor = 2.0, .longest = seconds(3)});

  EXPECT_EQ(backoff.next(*random), milliseconds(800));
  EXPECT_EQ(backoff.next(*random), milliseconds(1600));
  EXPECT_EQ(backoff.next(*random), seconds(3));
  EXPECT_EQ(backoff.next(*random), seconds(3));

  backoff.reset();
  EXPECT_EQ(backoff.next(*random), milliseconds(800));
}

TEST(BackoffTest, DelaysStopGrowingAfterTheSteps) {
  const auto random = make_seeded_random(1);
  Backoff backoff({.initial = milliseconds(10), .factor = 5.0, .steps = 2});

  EXPECT_EQ(backoff.next(*random), milliseconds(10));
  EXPECT_EQ(backoff.next(*random), milliseconds(50));
  EXPECT_EQ(backoff.next(*random), milliseconds(250));
  EXPECT_EQ(backoff.next(*random), milliseconds(250));
}

TEST(BackoffTest, JitterAddsAtMostItsShare) {
  const auto random = make_seeded_random(7);
  Backoff backoff({.initial = seconds(1), .factor = 1.0, .jitter = 0.5});

  for (int i = 0; i < 100; ++i) {
    const Duration delay = backoff.next(*random);
    EXPECT_GE(delay, seconds(1));
    EXPECT_LT(delay, milliseconds(1500));
  }
}

TEST(BackoffTest, EndlessGrowthStaysInRange) {
  const auto random = make_seeded_random(1);
  Backoff backoff({.initial = seconds(1), .factor = 10.0});

  Duration last{};
  for (int i = 0; i < 100; ++i) last = backoff.next(*random);

  EXPECT_GT(last, seconds(0));
  EXPECT_GT(Time(std::chrono::hours(24)) + last, Time{});
}

}  // namespace
}  // namespace davit
