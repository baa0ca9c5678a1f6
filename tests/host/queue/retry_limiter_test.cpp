#include "host/queue/retry_limiter.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Time kFirstFailure{std::chrono::hours(1)};

// RT-092
TEST(RetryLimiterTest, DelaysOfOneKeyDoubleFromFiveMillisecondsAndForgetStartsAgain) {
  RetryLimiter limiter{RetryOptions{}};

  Duration expected = milliseconds(5);
  for (int failure = 0; failure < 10; ++failure, expected *= 2) {
    EXPECT_EQ(limiter.next("default/web", kFirstFailure), expected);
  }
  EXPECT_EQ(limiter.failures("default/web"), 10u);
  limiter.forget("default/web");

  EXPECT_EQ(limiter.failures("default/web"), 0u);
  EXPECT_EQ(limiter.next("default/web", kFirstFailure), milliseconds(5));
}

TEST(RetryLimiterTest, DelayOfOneKeyStopsGrowingAtTheMaximum) {
  RetryLimiter limiter{RetryOptions{}};
  Duration last{};
  for (int failure = 0; failure < 70; ++failure) {
    last = limiter.next("default/web", kFirstFailure + seconds(failure));
  }
  EXPECT_EQ(last, seconds(1000));
}

// RT-093
TEST(RetryLimiterTest, KeysTogetherAreSpreadToTenASecondBeyondTheBurst) {
  RetryLimiter limiter{RetryOptions{}};
  for (int key = 0; key < 200; ++key) {
    const Duration delay = limiter.next("key-" + std::to_string(key), kFirstFailure);
    const Duration expected =
        key < 100 ? Duration(milliseconds(5)) : milliseconds(100) * (key - 99);
    EXPECT_NEAR(std::chrono::duration<double>(delay).count(),
                std::chrono::duration<double>(expected).count(), 1e-6)
        << key;
  }
}

TEST(RetryLimiterTest, BucketRefillsWithTime) {
  RetryLimiter limiter{RetryOptions{}};
  for (int key = 0; key < 150; ++key)
    (void)limiter.next("key-" + std::to_string(key), kFirstFailure);

  EXPECT_EQ(limiter.next("fresh", kFirstFailure + seconds(20)), milliseconds(5));
}

}  // namespace
}  // namespace davit::host
