#include "host/api/rate_limiter.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
constexpr Time kStart{std::chrono::hours(1)};

TEST(TokenBucketTest, BurstIsThereAtOnceAndTheRestComesAtTheRate) {
  TokenBucket bucket({5, 10});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(bucket.reserve(kStart), kStart);
  for (int i = 1; i <= 10; ++i) EXPECT_EQ(bucket.reserve(kStart), kStart + milliseconds(200) * i);
}

TEST(TokenBucketTest, RefillStopsAtTheBurst) {
  TokenBucket bucket({5, 2});
  EXPECT_EQ(bucket.reserve(kStart), kStart);
  const Time later = kStart + seconds(100);
  EXPECT_EQ(bucket.reserve(later), later);
  EXPECT_EQ(bucket.reserve(later), later);
  EXPECT_EQ(bucket.reserve(later), later + milliseconds(200));
}

TEST(TokenBucketTest, CancelledReservationServesTheNext) {
  TokenBucket bucket({1, 1});
  EXPECT_EQ(bucket.reserve(kStart), kStart);
  EXPECT_EQ(bucket.reserve(kStart), kStart + seconds(1));
  bucket.cancel(kStart);
  EXPECT_EQ(bucket.reserve(kStart), kStart + seconds(1));
}

TEST(TokenBucketTest, NegativeRateMeansNoLimit) {
  TokenBucket bucket({-1, 0});
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(bucket.reserve(kStart), kStart);
}

TEST(TokenBucketTest, ClockReadBeforeTheLockWasHeldDoesNoHarm) {
  TokenBucket bucket({10, 1});
  EXPECT_EQ(bucket.reserve(kStart + seconds(1)), kStart + seconds(1));
  EXPECT_EQ(bucket.reserve(kStart), kStart + seconds(1) + milliseconds(100));
}

TEST(TokenBucketTest, RateOfZeroIsNoLimit) {
  TokenBucket bucket({0, 1});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(bucket.reserve(kStart), kStart);
}

TEST(TokenBucketTest, RateNearZeroIsAVeryLongWaitAndNoOverflow) {
  TokenBucket bucket({1e-300, 1});
  EXPECT_EQ(bucket.reserve(kStart), kStart);
  EXPECT_GT(bucket.reserve(kStart), kStart + std::chrono::hours(24));
}

}  // namespace
}  // namespace davit::host
