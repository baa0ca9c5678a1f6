/// HPA42 to HPA54: limits and rates.
#include <gtest/gtest.h>

#include <string>

#include "plugins/podautoscaler/replica_limits.hpp"

namespace davit::podautoscaler {
namespace {

using std::chrono::seconds;

constexpr Time kNow{seconds(1'000'000)};

struct DefaultRow {
  const char* row;
  std::int32_t current;
  std::int32_t desired;
  std::int32_t min;
  std::int32_t max;
  std::int32_t replicas;
  const char* reason;
};

class DefaultLimitTest : public ::testing::TestWithParam<DefaultRow> {};

TEST_P(DefaultLimitTest, Limits) {
  const DefaultRow& row = GetParam();
  ScalingHistory history;
  const Limited limited = limit_by_default(
      {.current = row.current, .desired = row.desired, .min = row.min, .max = row.max, .now = kNow},
      history);
  EXPECT_EQ(limited.replicas, row.replicas);
  EXPECT_EQ(limited.limited.reason, row.reason);
  EXPECT_EQ(limited.limited.is_true, limited.limited.reason != "DesiredWithinRange");
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DefaultLimitTest,
    ::testing::Values(DefaultRow{"HPA42_", 1, 9, 1, 100, 4, "ScaleUpLimit"},
                      DefaultRow{"HPA43_a", 4, 9, 1, 100, 8, "ScaleUpLimit"},
                      DefaultRow{"HPA43_b", 8, 9, 1, 100, 9, "DesiredWithinRange"},
                      DefaultRow{"HPA44_", 3, 6, 1, 5, 5, "TooManyReplicas"},
                      DefaultRow{"HPA45_", 3, 6, 1, 6, 6, "DesiredWithinRange"},
                      DefaultRow{"HPA46_", 3, 9, 1, 6, 6, "TooManyReplicas"},
                      DefaultRow{"HPA47_", 3, 1, 2, 100, 2, "TooFewReplicas"},
                      DefaultRow{"HPA48_", 0, 7, 1, 100, 4, "ScaleUpLimit"}),
    [](const auto& info) { return std::string(info.param.row) + "Limit"; });

ScalingRules rules(std::vector<RatePolicy> policies,
                   ScalingRules::Select select = ScalingRules::Select::kMax) {
  ScalingRules out;
  out.select = select;
  out.policies = std::move(policies);
  return out;
}

RatePolicy percent(std::int32_t value, std::int32_t period = 15) {
  return {RatePolicy::Unit::kPercent, value, period};
}
RatePolicy pods(std::int32_t value, std::int32_t period = 15) {
  return {RatePolicy::Unit::kPods, value, period};
}

TEST(RateTest, HPA49_PercentOfScalingUpIsRoundedUpAsADouble) {
  const auto limit = [](std::int32_t value, std::int32_t of) {
    return scale_up_limit(of, rules({percent(value)}), {}, kNow);
  };
  EXPECT_EQ(limit(100, 1), 2);
  EXPECT_EQ(limit(50, 3), 5);
  EXPECT_EQ(limit(10, 10), 11);
  EXPECT_EQ(limit(10, 100), 111);
  EXPECT_EQ(limit(10, 7), 8);
  EXPECT_EQ(limit(1, 1), 2);
}

TEST(RateTest, HPA50_PercentOfScalingDownIsCutAsADouble) {
  const auto limit = [](std::int32_t value, std::int32_t of) {
    return scale_down_limit(of, rules({percent(value)}), {}, kNow);
  };
  EXPECT_EQ(limit(10, 10), 9);
  EXPECT_EQ(limit(10, 7), 6);
  EXPECT_EQ(limit(50, 3), 1);
  EXPECT_EQ(limit(1, 5), 4);
  EXPECT_EQ(limit(33, 100), 67);
  EXPECT_EQ(limit(100, 1), 0);
  EXPECT_EQ(limit(90, 30), 2);
}

TEST(RateTest, HPA51_MaxAndMinChooseAmongPoliciesOfScalingUp) {
  const auto limit = [](std::int32_t current, ScalingRules::Select select) {
    return scale_up_limit(current, rules({pods(4), percent(100)}, select), {}, kNow);
  };
  EXPECT_EQ(limit(1, ScalingRules::Select::kMax), 5);
  EXPECT_EQ(limit(3, ScalingRules::Select::kMax), 7);
  EXPECT_EQ(limit(10, ScalingRules::Select::kMax), 20);
  EXPECT_EQ(limit(1, ScalingRules::Select::kMin), 2);
  EXPECT_EQ(limit(3, ScalingRules::Select::kMin), 6);
  EXPECT_EQ(limit(10, ScalingRules::Select::kMin), 14);
}

TEST(RateTest, HPA52_PeriodBeginsBeforeItsEvents) {
  ScalingHistory history;
  history.ups = {{2, kNow - seconds(4)}};
  history.downs = {{1, kNow - seconds(2)}};
  EXPECT_EQ(scale_up_limit(4, rules({pods(2, 10)}), history, kNow), 5);
  history.ups = {{2, kNow - seconds(10)}};
  EXPECT_EQ(scale_up_limit(4, rules({pods(2, 10)}), history, kNow), 7) << "as old as the period";
}

TEST(RateTest, HPA53_MaxAndMinChooseAmongPoliciesOfScalingDown) {
  const std::vector<RatePolicy> both = {percent(10, 60), pods(4, 60)};
  EXPECT_EQ(scale_down_limit(10, rules(both), {}, kNow), 6);
  EXPECT_EQ(scale_down_limit(10, rules(both, ScalingRules::Select::kMin), {}, kNow), 9);
}

TEST(RateTest, HPA54_PolicyThatIsUsedUpHoldsTheNumber) {
  ScalingHistory history;
  history.downs = {{1, kNow - seconds(20)}};
  Behavior behavior;
  behavior.up = rules({pods(4)});
  behavior.up.window_seconds = 0;
  behavior.down = rules({pods(1, 60)});
  behavior.down.window_seconds = 0;
  const Limited limited = limit_by_behavior(
      {.current = 4, .desired = 1, .min = 1, .max = 9, .now = kNow}, behavior, history);
  EXPECT_EQ(limited.replicas, 4);
  EXPECT_EQ(limited.limited.reason, "ScaleDownLimit");
  EXPECT_TRUE(limited.limited.is_true);
}

TEST(RateTest, SumsStopAtTheEnds) {
  EXPECT_EQ(scale_up_limit(INT32_MAX, rules({pods(INT32_MAX), percent(INT32_MAX)}), {}, kNow),
            INT32_MAX);
  ScalingHistory history;
  EXPECT_EQ(
      limit_by_default({.current = INT32_MAX, .desired = INT32_MAX, .max = 7, .now = kNow}, history)
          .replicas,
      7);
}

TEST(HistoryTest, NewestRecommendationStaysAndOldOnesGo) {
  ScalingHistory history;
  for (int i = 0; i < 100; ++i) history.recommendations.push_back({i, kNow + seconds(i)});
  history.prune(kNow + seconds(1'000), seconds(10), nullptr);
  ASSERT_EQ(history.recommendations.size(), 1U);
  EXPECT_EQ(history.recommendations.front().replicas, 99);
}

}  // namespace
}  // namespace davit::podautoscaler
