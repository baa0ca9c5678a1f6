#include "plugins/nodelifecycle/eviction_timers.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace davit::nodelifecycle {
namespace {

using namespace std::chrono_literals;
using Found = EvictionTimers::Found;

const Key kPod{"ns", "p"};
constexpr Time kStart{1h};

bool is_idle(const EvictionTimers::Step& step) {
  return std::holds_alternative<std::monostate>(step);
}
int attempt(const EvictionTimers::Step& step) {
  const auto* found = std::get_if<EvictionTimers::Attempt>(&step);
  return found == nullptr ? 0 : found->number;
}

TEST(EvictionTimersTest, ATimerFiresWhenItIsDueAndNotBefore) {
  EvictionTimers timers;
  ASSERT_TRUE(timers.add(kPod, kStart, kStart + 5s));

  const auto early = timers.step(kPod, kStart + 2s);
  ASSERT_TRUE(std::holds_alternative<EvictionTimers::Wait>(early));
  EXPECT_EQ(std::get<EvictionTimers::Wait>(early).rest, 3s);

  EXPECT_EQ(attempt(timers.step(kPod, kStart + 5s)), 1);
  EXPECT_FALSE(timers.ended(kPod));
  EXPECT_TRUE(is_idle(timers.step(kPod, kStart + 6s)));
}

TEST(EvictionTimersTest, APendingTimerCannotBeMoved) {
  EvictionTimers timers;
  ASSERT_TRUE(timers.add(kPod, kStart, kStart + 5s));

  EXPECT_FALSE(timers.add(kPod, kStart + 1s, kStart + 2s));
  EXPECT_FALSE(timers.add(kPod, kStart + 1s, kStart + 1s));

  EXPECT_EQ(std::get<EvictionTimers::Wait>(timers.step(kPod, kStart + 4s)).rest, 1s);
}

TEST(EvictionTimersTest, ACancelledTimerNeverFires) {
  EvictionTimers timers;
  ASSERT_TRUE(timers.add(kPod, kStart, kStart + 5s));

  EXPECT_EQ(timers.cancel(kPod), Found::kPending);
  EXPECT_EQ(timers.cancel(kPod), Found::kNothing);

  EXPECT_TRUE(is_idle(timers.step(kPod, kStart + 5s)));
}

TEST(EvictionTimersTest, ImmediateWorkRunsFromTheStart) {
  EvictionTimers timers;
  ASSERT_TRUE(timers.add(kPod, kStart, kStart));

  EXPECT_FALSE(timers.is_pending(kPod));
  EXPECT_EQ(timers.cancel(kPod), Found::kRunning);
  EXPECT_EQ(attempt(timers.step(kPod, kStart)), 1) << "a running deletion continues";
}

TEST(EvictionTimersTest, TriesAreCountedUntilTheyEnd) {
  EvictionTimers timers;
  ASSERT_TRUE(timers.add(kPod, kStart, kStart));

  EXPECT_EQ(attempt(timers.step(kPod, kStart)), 1);
  EXPECT_EQ(attempt(timers.step(kPod, kStart + 10ms)), 2);
  EXPECT_FALSE(timers.add(kPod, kStart + 10ms, kStart + 10ms)) << "it runs";
  EXPECT_FALSE(timers.ended(kPod));
  EXPECT_TRUE(timers.add(kPod, kStart + 20ms, kStart + 20ms));
  EXPECT_EQ(attempt(timers.step(kPod, kStart + 20ms)), 1);
}

TEST(EvictionTimersTest, ADeletionAskedForAgainWhileOneRunsFollowsIt) {
  EvictionTimers timers;
  ASSERT_TRUE(timers.add(kPod, kStart, kStart));
  ASSERT_EQ(attempt(timers.step(kPod, kStart)), 1);
  ASSERT_EQ(timers.cancel(kPod), Found::kRunning);
  ASSERT_TRUE(timers.add(kPod, kStart + 1s, kStart + 1s));

  EXPECT_TRUE(timers.ended(kPod));
  EXPECT_EQ(attempt(timers.step(kPod, kStart + 1s)), 1);
  EXPECT_FALSE(timers.ended(kPod));
}

TEST(EvictionTimersTest, ACountdownSetWhileADeletionRunsOutlivesIt) {
  EvictionTimers timers;
  ASSERT_TRUE(timers.add(kPod, kStart, kStart));
  ASSERT_EQ(attempt(timers.step(kPod, kStart)), 1);
  ASSERT_EQ(timers.cancel(kPod), Found::kRunning);
  ASSERT_TRUE(timers.add(kPod, kStart + 1s, kStart + 9s));

  EXPECT_TRUE(timers.ended(kPod));
  EXPECT_TRUE(timers.is_pending(kPod));
  EXPECT_EQ(std::get<EvictionTimers::Wait>(timers.step(kPod, kStart + 1s)).rest, 8s);
}

}  // namespace
}  // namespace davit::nodelifecycle
