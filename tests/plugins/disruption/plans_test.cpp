/// The pure rules: expectations, disrupted pods, texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>

#include "plugins/disruption/disrupted_pods.hpp"
#include "plugins/disruption/expectation_plan.hpp"
#include "plugins/disruption/owner_scales.hpp"
#include "plugins/disruption/status_plan.hpp"
#include "plugins/shared/pods/selector_text.hpp"

namespace davit::disruption {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::PodBuilder;
using namespace std::chrono_literals;

struct BoundCase {
  const char* name;
  const char* spec;
  std::int64_t total;
  std::int64_t expected;
  std::int64_t desired;
};

constexpr BoundCase kBounds[] = {
    // clang-format off
    {"neither",                  R"({})",                              9,  0, 0},
    {"a number",                 R"({"minAvailable":3})",              9,  9, 3},
    {"a share",                  R"({"minAvailable":"50%"})",          9,  9, 5},
    {"all",                      R"({"minAvailable":"100%"})",         9,  9, 9},
    {"unavailable number",       R"({"maxUnavailable":3})",            9,  9, 6},
    {"unavailable share",        R"({"maxUnavailable":"30%"})",        7,  7, 4},
    {"more than there are",      R"({"maxUnavailable":10})",           9,  9, 0},
    {"unavailable goes first",   R"({"maxUnavailable":1,"minAvailable":9})", 9, 9, 8},
    {"null is absent",           R"({"maxUnavailable":null,"minAvailable":2})", 9, 9, 2},
    {"a total beyond 32 bits",   R"({"minAvailable":"100%"})", INT64_MAX, INT32_MAX, INT32_MAX},
    // clang-format on
};

TEST(ExpectationPlanTest, BoundsAreResolvedAgainstTheTotal) {
  testing::Cluster cluster;
  for (const BoundCase& each : kBounds) {
    const auto budget =
        cluster.view_of<PodDisruptionBudget>(R"({"spec":)" + std::string(each.spec) + "}");
    const Result<Expectation> plan = plan_expectation(budget, each.total);
    ASSERT_TRUE(plan) << each.name;
    EXPECT_EQ(plan->expected, each.expected) << each.name;
    EXPECT_EQ(plan->desired_healthy, each.desired) << each.name;
  }
}

TEST(ExpectationPlanTest, OnlyANumberOfAvailablePodsIsCountedInPods) {
  testing::Cluster cluster;
  const auto basis = [&cluster](const std::string& spec) {
    return basis_of(cluster.view_of<PodDisruptionBudget>(R"({"spec":)" + spec + "}"));
  };
  EXPECT_EQ(basis("{}"), Basis::kNothing);
  EXPECT_EQ(basis(R"({"minAvailable":1})"), Basis::kPods);
  EXPECT_EQ(basis(R"({"minAvailable":"1%"})"), Basis::kScales);
  EXPECT_EQ(basis(R"({"maxUnavailable":1})"), Basis::kScales);
}

TEST(DisruptedPodsPlanTest, AnEvictionIsOverdueOnlyAfterItsTime) {
  testing::Cluster cluster;
  const WallTime now = cluster.wall_now();
  cluster.add(PodBuilder("p").ready(now));
  const std::vector<Pod> pods = cluster.all<Pod>();
  const EvictionTimes present{{"p", now - 2min}};

  const DisruptedPods at_the_instant = plan_disrupted(present, pods, now);
  EXPECT_EQ(at_the_instant.kept, present);
  EXPECT_THAT(at_the_instant.overdue, IsEmpty());
  EXPECT_EQ(at_the_instant.recheck, now);
  EXPECT_EQ(count_healthy(pods, present, now), 1) << "healthy again at the instant itself";
  EXPECT_EQ(count_healthy(pods, present, now - 1ns), 0);

  const DisruptedPods after = plan_disrupted(present, pods, now + 1ns);
  EXPECT_THAT(after.kept, IsEmpty());
  EXPECT_EQ(after.overdue.size(), 1U);
  EXPECT_FALSE(after.recheck);
}

TEST(DisruptedPodsPlanTest, TheFirstThatIsDueDecidesTheRecheck) {
  testing::Cluster cluster;
  const WallTime now = cluster.wall_now();
  cluster.add(PodBuilder("p").ready(now));
  cluster.add(PodBuilder("q").ready(now));
  const EvictionTimes present{{"p", now - 10s}, {"q", now - 20s}};
  EXPECT_EQ(plan_disrupted(present, cluster.all<Pod>(), now).recheck, now - 20s + 2min);
}

TEST(DisruptedPodsPlanTest, WhatIsNoTimeIsLongPast) {
  testing::Cluster cluster;
  const auto budget =
      cluster.view_of<PodDisruptionBudget>(R"({"status":{"disruptedPods":{"p":7,"q":"soon"}}})");
  EXPECT_EQ(eviction_times(budget), (EvictionTimes{{"p", kTimeMin}, {"q", kTimeMin}}));
}

struct AllowedCase {
  std::int64_t expected;
  std::int64_t desired;
  std::int64_t healthy;
  std::int64_t allowed;
};

TEST(StatusPlanTest, WithoutExpectedPodsNothingIsAllowed) {
  constexpr AllowedCase kCases[] = {{3, 2, 3, 1}, {3, 3, 2, 0}, {0, 0, 3, 0}, {-1, 0, 3, 0}};
  for (const AllowedCase& each : kCases) {
    const BudgetStatus status{each.expected, each.desired, each.healthy, {}};
    EXPECT_EQ(status.disruptions_allowed(), each.allowed) << each.expected;
  }
}

TEST(StatusPlanTest, AStatusIsCurrentWhateverItsMessage) {
  testing::Cluster cluster;
  const BudgetStatus status{3, 2, 3, {}};
  const auto is_current_with = [&](const std::string& condition) {
    return is_current(
        cluster.view_of<PodDisruptionBudget>(
            R"({"metadata":{"generation":1},"status":{"observedGeneration":1,"expectedPods":3,
                "disruptionsAllowed":1,"currentHealthy":3,"desiredHealthy":2,"conditions":[)" +
            condition + "]}}"),
        status);
  };
  EXPECT_TRUE(is_current_with(
      R"({"type":"DisruptionAllowed","status":"True","reason":"SufficientPods","message":"m"})"));
  EXPECT_FALSE(
      is_current_with(R"({"type":"DisruptionAllowed","status":"True","reason":"SyncFailed"})"));
  EXPECT_FALSE(is_current_with(
      R"({"type":"DisruptionAllowed","status":"False","reason":"SufficientPods"})"));
  EXPECT_FALSE(is_current_with(R"({"type":"Other","status":"True","reason":"SufficientPods"})"));
}

TEST(SelectorTextTest, PrintsASelectorAsGoDoes) {
  testing::Cluster cluster;
  EXPECT_EQ(pods::selector_text(cluster.value(
                R"({"matchLabels":{"b":"2","a":"1"},"matchExpressions":[
                    {"key":"k","operator":"In","values":["x","y"]},
                    {"key":"m","operator":"Exists"}]})")),
            "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:"
            "[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},"
            "LabelSelectorRequirement{Key:m,Operator:Exists,Values:[],},},}");
}

TEST(GroupOfTest, KnowsTheThreeForms) {
  EXPECT_EQ(group_of("v1").value(), "");
  EXPECT_EQ(group_of("apps/v1").value(), "apps");
  EXPECT_EQ(group_of("a/b/c").error().message(), "unexpected GroupVersion string: a/b/c");
}

}  // namespace
}  // namespace davit::disruption
