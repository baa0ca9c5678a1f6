#include "host/api/rate_limiter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
constexpr Time kStart{std::chrono::hours(1)};

/// When the next one that joins gets its token; it keeps its place until it comes for it.
Time due(TokenBucket& bucket, Time now, std::vector<TokenBucket::Turn>& line) {
  line.push_back(bucket.join(now, RequestPriority::kNormal));
  return line.back().take(now);
}

TEST(TokenBucketTest, BurstIsThereAtOnceAndTheRestComesAtTheRate) {
  TokenBucket bucket({5, 10});
  std::vector<TokenBucket::Turn> line;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(due(bucket, kStart, line), kStart);
  for (int i = 1; i <= 10; ++i) {
    EXPECT_EQ(due(bucket, kStart, line), kStart + milliseconds(200) * i);
  }
}

TEST(TokenBucketTest, TurnIsTakenWhenItIsDue) {
  TokenBucket bucket({5, 1});
  std::vector<TokenBucket::Turn> line;
  EXPECT_EQ(due(bucket, kStart, line), kStart);
  EXPECT_FALSE(line.back().waits());
  TokenBucket::Turn turn = bucket.join(kStart, RequestPriority::kNormal);
  const Time then = turn.take(kStart);
  EXPECT_TRUE(turn.waits());
  EXPECT_EQ(turn.take(then), then);
  EXPECT_FALSE(turn.waits());
}

TEST(TokenBucketTest, RefillStopsAtTheBurst) {
  TokenBucket bucket({5, 2});
  std::vector<TokenBucket::Turn> line;
  EXPECT_EQ(due(bucket, kStart, line), kStart);
  const Time later = kStart + seconds(100);
  EXPECT_EQ(due(bucket, later, line), later);
  EXPECT_EQ(due(bucket, later, line), later);
  EXPECT_EQ(due(bucket, later, line), later + milliseconds(200));
}

TEST(TokenBucketTest, AbandonedTurnServesTheNext) {
  TokenBucket bucket({1, 1});
  std::vector<TokenBucket::Turn> line;
  EXPECT_EQ(due(bucket, kStart, line), kStart);
  EXPECT_EQ(due(bucket, kStart, line), kStart + seconds(1));
  line.pop_back();
  EXPECT_EQ(due(bucket, kStart, line), kStart + seconds(1));
}

/// The order in which those that wait get their tokens, one a second.
std::vector<std::string> order_of(std::vector<std::pair<std::string, TokenBucket::Turn>> line) {
  std::vector<std::string> order;
  for (Time now = kStart; !line.empty(); now += seconds(1)) {
    for (auto it = line.begin(); it != line.end();) {
      const bool taken = it->second.take(now) <= now;
      if (taken) order.push_back(it->first);
      it = taken ? line.erase(it) : it + 1;
    }
  }
  return order;
}

TEST(TokenBucketTest, HigherPriorityGoesFirstAndWithinOneTheOldest) {
  TokenBucket bucket({1, 1});
  std::vector<TokenBucket::Turn> spent;
  EXPECT_EQ(due(bucket, kStart, spent), kStart);
  std::vector<std::pair<std::string, TokenBucket::Turn>> line;
  line.emplace_back("low", bucket.join(kStart, RequestPriority::kLow));
  line.emplace_back("normal", bucket.join(kStart, RequestPriority::kNormal));
  line.emplace_back("high 1", bucket.join(kStart, RequestPriority::kHigh));
  line.emplace_back("high 2", bucket.join(kStart, RequestPriority::kHigh));
  EXPECT_THAT(order_of(std::move(line)), ElementsAre("high 1", "high 2", "normal", "low"));
}

TEST(TokenBucketTest, LowPriorityGetsEveryFourthTokenHoweverManyHighOnesCome) {
  TokenBucket bucket({1, 1});
  std::vector<TokenBucket::Turn> spent;
  EXPECT_EQ(due(bucket, kStart, spent), kStart);
  std::vector<std::pair<std::string, TokenBucket::Turn>> line;
  line.emplace_back("low 1", bucket.join(kStart, RequestPriority::kLow));
  line.emplace_back("low 2", bucket.join(kStart, RequestPriority::kLow));
  for (int i = 0; i < 8; ++i)
    line.emplace_back("high", bucket.join(kStart, RequestPriority::kHigh));
  EXPECT_THAT(order_of(std::move(line)), ElementsAre("high", "high", "high", "low 1", "high",
                                                     "high", "high", "low 2", "high", "high"));
}

TEST(TokenBucketTest, OneThatJoinsAgainKeepsTheTimeThatItHasWaited) {
  TokenBucket bucket({1, 1});
  std::vector<TokenBucket::Turn> spent;
  EXPECT_EQ(due(bucket, kStart, spent), kStart);
  TokenBucket::Turn first = bucket.join(kStart, RequestPriority::kNormal);
  TokenBucket::Turn second = bucket.join(kStart + milliseconds(1), RequestPriority::kNormal);
  first.leave();
  first = bucket.join(kStart, RequestPriority::kNormal);
  EXPECT_EQ(first.take(kStart + milliseconds(2)), kStart + seconds(1));
  EXPECT_EQ(second.take(kStart + milliseconds(2)), kStart + seconds(2));
}

TEST(TokenBucketTest, NegativeRateMeansNoLimit) {
  TokenBucket bucket({-1, 0});
  std::vector<TokenBucket::Turn> line;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(due(bucket, kStart, line), kStart);
}

TEST(TokenBucketTest, ClockReadBeforeTheLockWasHeldDoesNoHarm) {
  TokenBucket bucket({10, 1});
  std::vector<TokenBucket::Turn> line;
  EXPECT_EQ(due(bucket, kStart + seconds(1), line), kStart + seconds(1));
  EXPECT_EQ(due(bucket, kStart, line), kStart + seconds(1) + milliseconds(100));
}

TEST(TokenBucketTest, RateOfZeroIsNoLimit) {
  TokenBucket bucket({0, 1});
  std::vector<TokenBucket::Turn> line;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(due(bucket, kStart, line), kStart);
}

TEST(TokenBucketTest, RateNearZeroIsAVeryLongWaitAndNoOverflow) {
  TokenBucket bucket({1e-300, 1});
  std::vector<TokenBucket::Turn> line;
  EXPECT_EQ(due(bucket, kStart, line), kStart);
  EXPECT_GT(due(bucket, kStart, line), kStart + std::chrono::hours(24));
}

}  // namespace
}  // namespace davit::host
