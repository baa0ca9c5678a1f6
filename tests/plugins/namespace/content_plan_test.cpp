/// The interpretation of remaining objects; pure.
#include "plugins/namespace/content_plan.hpp"

#include "tests/plugins/namespace/fixture.hpp"

namespace davit::namespaces {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class ContentPlanTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::chrono::seconds estimate(std::string_view pods, Duration after) {
    const WallTime deleted_at = cluster_.wall_now();
    return grace_estimate(cluster_.value(pods), deleted_at, deleted_at + after);
  }
  [[nodiscard]] Remaining remaining(std::string_view list) {
    return count_remaining(cluster_.value(list));
  }

  testing::Cluster cluster_;
  const Gvr kGvr{"apps", "v1", "deployments"};
};

constexpr char kPods[] = R"({"items":[
    {"spec":{"terminationGracePeriodSeconds":10},"status":{"phase":"Running"}},
    {"spec":{"terminationGracePeriodSeconds":40},"status":{"phase":"Pending"}},
    {"spec":{},"status":{}},
    {"spec":{"terminationGracePeriodSeconds":200},"status":{"phase":"Failed"}},
    {"spec":{"terminationGracePeriodSeconds":300},"status":{"phase":"Succeeded"}}]})";

TEST_F(ContentPlanTest, NS18_TheLongestGraceOfThePodsThatRunCounts) {
  EXPECT_EQ(estimate(kPods, 0s), 40s);
  EXPECT_EQ(estimate(kPods, 39s), 40s) << "the whole of it until it is over";
  EXPECT_EQ(estimate(kPods, 40s), 0s);
  EXPECT_EQ(estimate(R"({"items":[]})", 0s), 0s);
}

TEST_F(ContentPlanTest, AbsurdGraceIsAwaitedForACenturyAtMost) {
  const std::chrono::seconds found =
      estimate(R"({"items":[{"spec":{"terminationGracePeriodSeconds":9223372036854775807}}]})", 0s);
  EXPECT_EQ(found, std::chrono::hours(24) * 36600);
  EXPECT_EQ(estimate(R"({"items":[{"spec":{"terminationGracePeriodSeconds":-5}}]})", 0s), 0s);
}

TEST_F(ContentPlanTest, AnObjectThatNothingHoldsIsUnexpected) {
  const ResourceOutcome outcome = judge_remaining("x", kGvr, 0s, remaining(R"({"items":[{}]})"));
  EXPECT_EQ(outcome.error.message(),
            "unexpected items still remain in namespace: x for gvr: apps/v1, Resource=deployments");
  EXPECT_EQ(outcome.remaining.count, 1U);
}

TEST_F(ContentPlanTest, AFinalizerAnywhereIsWaitedFor) {
  const ResourceOutcome outcome = judge_remaining(
      "x", kGvr, 0s, remaining(R"({"items":[{},{"metadata":{"finalizers":["a","b"]}}]})"));
  EXPECT_TRUE(outcome.error.ok());
  EXPECT_EQ(outcome.estimate, 15s);
  EXPECT_EQ(outcome.remaining.count, 2U);
  EXPECT_THAT(outcome.remaining.finalizers, ElementsAre(Pair("a", 1U), Pair("b", 1U)));
}

TEST_F(ContentPlanTest, TheGraceOfPodsComesBeforeFinalizersAndEmptyNeedsNoTime) {
  EXPECT_EQ(judge_remaining("x", kGvr, 7s, remaining(R"({"items":[{}]})")).estimate, 7s);
  EXPECT_EQ(judge_remaining("x", kGvr, 7s, {}).estimate, 0s);
}

TEST_F(ContentPlanTest, TheNextLookIsAfterHalfTheEstimateAndASecond) {
  EXPECT_EQ(retry_delay(15s), 8s);
  EXPECT_EQ(retry_delay(30s), 16s);
  EXPECT_EQ(retry_delay(1s), 1s);
}

TEST_F(ContentPlanTest, ErrorsAreOneTextWithoutDuplicates) {
  const Status a(Code::kForbidden, "a");
  const Status b(Code::kUnavailable, "b");
  EXPECT_TRUE(aggregate({}).ok());
  EXPECT_EQ(aggregate({a, a}).message(), "a");
  EXPECT_EQ(aggregate({a, b, a}).message(), "[a, b]");
  EXPECT_EQ(aggregate({a, b}).code(), Code::kForbidden);
}

TEST_F(ContentPlanTest, OtherFinalizersAreSortedAndSingle) {
  EXPECT_THAT(other_finalizers(cluster_.value(R"(["z","kubernetes","a","z"])")),
              ElementsAre("a", "z"));
  EXPECT_THAT(other_finalizers({}), ::testing::IsEmpty());
}

}  // namespace
}  // namespace davit::namespaces
