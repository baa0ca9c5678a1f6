/// Tables of the pure plans: managing nodes, rolling updates, counting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>
#include <vector>

#include "plugins/daemonset/manage_plan.hpp"
#include "plugins/daemonset/rolling_plan.hpp"
#include "plugins/daemonset/status_plan.hpp"

namespace davit::daemonset {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Eligibility kRun{true, true};
constexpr Eligibility kKeep{false, true};
constexpr Eligibility kLeave{false, false};

/// "new", "old": ready and available; with "~" not available, with "!" neither ready; "x" before it
/// terminating; "failed", "succeeded".
DaemonPod pod(std::string text) {
  DaemonPod out;
  if (text.starts_with('x')) {
    out.is_terminating = true;
    text.erase(0, 1);
  }
  out.name = text;
  out.is_ready = !text.ends_with('!');
  out.is_available = out.is_ready && !text.ends_with('~');
  out.has_hash = out.is_updated = text.starts_with("new");
  if (text.starts_with("failed")) out.phase = DaemonPod::Phase::kFailed;
  if (text.starts_with("succeeded")) out.phase = DaemonPod::Phase::kSucceeded;
  return out;
}
NodePods on(const std::string& node, const std::vector<std::string>& pods) {
  NodePods out;
  for (const std::string& each : pods) out[node].push_back(pod(each));
  return out;
}
using Names = std::vector<std::string>;

struct ManageCase {
  const char* name;
  Eligibility wanted;
  Names pods;
  Surge surge;
  bool admit;
  bool creates;
  Names removes;
};
const ManageCase kManageCases[] = {
    {"AnEmptyNodeGetsAPod", kRun, {}, Surge::kNone, true, true, {}},
    {"AnEmptyNodeThatMayKeepGetsNone", kKeep, {}, Surge::kNone, true, false, {}},
    {"AnEmptyNodeThatMayNotGetsNone", kLeave, {}, Surge::kAllowed, true, false, {}},
    {"OnePodIsEnough", kRun, {"old"}, Surge::kNone, true, false, {}},
    {"TheFirstStays", kRun, {"old1", "new", "old2"}, Surge::kNone, true, false, {"new", "old2"}},
    {"ATerminatingPodIsWaitedFor", kRun, {"xold"}, Surge::kNone, true, false, {}},
    {"ATerminatingPodDoesNotCount", kRun, {"xold1", "old2"}, Surge::kNone, true, false, {}},
    {"WhereNoneMayBeAllGo",
     kLeave,
     {"old", "failed", "xnew"},
     Surge::kNone,
     false,
     false,
     {"old", "failed"}},
    {"AFailedPodGoes", kRun, {"failed"}, Surge::kNone, true, false, {"failed"}},
    {"AFailedPodThatWaitsStays", kRun, {"failed"}, Surge::kNone, false, false, {}},
    {"ASucceededPodNeverWaits", kKeep, {"succeeded"}, Surge::kNone, false, false, {"succeeded"}},
    {"SurgeReplacesATerminatingPod", kRun, {"xold"}, Surge::kAllowed, true, true, {}},
    {"SurgeReplacesAFailedPodThatWaits", kRun, {"failed"}, Surge::kAllowed, false, true, {}},
    {"SurgeDoesNotWhereNoneShouldRun", kKeep, {"xold"}, Surge::kAllowed, true, false, {}},
    {"SurgeKeepsBothUntilAvailable", kRun, {"old", "new~"}, Surge::kAllowed, true, false, {}},
    {"SurgeEndsWhenTheNewIsAvailable", kRun, {"old", "new"}, Surge::kAllowed, true, false, {"old"}},
    {"SurgeEndsWhenTheOldIsNotReady",
     kRun,
     {"old!", "new!"},
     Surge::kAllowed,
     true,
     false,
     {"old!"}},
    {"SurgeKeepsTheFirstOfEach",
     kRun,
     {"old1", "old2", "new1~", "new2"},
     Surge::kAllowed,
     true,
     false,
     {"old2", "new2"}},
    {"SurgeKeepsOneOfManyOld",
     kRun,
     {"old1", "old2", "old3"},
     Surge::kAllowed,
     true,
     false,
     {"old2", "old3"}},
};

class ManageTest : public ::testing::TestWithParam<ManageCase> {};
TEST_P(ManageTest, PlansOneNode) {
  const ManageCase& it = GetParam();
  const ManagePlan plan = plan_manage({{"n", it.wanted}}, on("n", it.pods), it.surge,
                                      [&](std::string_view) { return it.admit; });

  EXPECT_EQ(plan.changes.create_on, it.creates ? Names{"n"} : Names{});
  EXPECT_EQ(plan.changes.remove, it.removes);
}
INSTANTIATE_TEST_SUITE_P(Nodes, ManageTest, ::testing::ValuesIn(kManageCases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(ManagePlanTest, OnlyUnboundPodsOfVanishedNodesAreDeleted) {
  NodePods pods = on("gone", {"old", "new", "xnew2"});
  pods["gone"][1].is_bound = false;
  pods["gone"][2].is_bound = false;

  const ManagePlan plan =
      plan_manage({}, pods, Surge::kNone, [](std::string_view) { return true; });
  EXPECT_THAT(plan.changes.remove, ElementsAre("new"));
  EXPECT_THAT(plan.ended, IsEmpty());
}

TEST(ManagePlanTest, EachFailedPodIsAskedForOnItsOwn) {
  int asked = 0;
  const ManagePlan plan = plan_manage({{"n", kRun}}, on("n", {"failed1", "failed2"}), Surge::kNone,
                                      [&asked](std::string_view) { return asked++ == 0; });

  EXPECT_EQ(asked, 2);
  EXPECT_THAT(plan.ended, ElementsAre(EndedPod{"failed1", "n", DaemonPod::Phase::kFailed}));
}

struct RollingCase {
  const char* name;
  std::vector<std::pair<Eligibility, Names>> nodes;  // n0, n1, …
  RollingLimits limits;
  Names creates;
  Names removes;
};
const RollingCase kRollingCases[] = {
    {"OneOfThree", {{kRun, {"old0"}}, {kRun, {"old1"}}, {kRun, {"old2"}}}, {1, 0}, {}, {"old0"}},
    {"NoneWhileANewOneStarts", {{kRun, {"old0"}}, {kRun, {"new1~"}}}, {1, 0}, {}, {}},
    {"NoneWhileANodeIsEmpty", {{kRun, {"old0"}}, {kRun, {}}}, {1, 0}, {}, {}},
    {"AnEmptyNodeMayStayEmpty", {{kRun, {"old0"}}, {kKeep, {}}}, {1, 0}, {}, {"old0"}},
    {"NoneWhileOneTerminates", {{kRun, {"old0"}}, {kRun, {"xold1"}}}, {1, 0}, {}, {}},
    {"UnavailableOnesAnyway",
     {{kRun, {"old0"}}, {kRun, {"old1~"}}, {kRun, {"old2!"}}},
     {1, 0},
     {},
     {"old1~", "old2!"}},
    {"AnOldAndANewTakeTheBudget", {{kRun, {"old0"}}, {kRun, {"old1", "new1"}}}, {1, 0}, {}, {}},
    {"TwoOldTakeTheBudget", {{kRun, {"old0"}}, {kRun, {"old1", "old2"}}}, {1, 0}, {}, {}},
    {"AMisplacedOneIsACandidate", {{kKeep, {"old0"}}}, {1, 0}, {}, {"old0"}},
    {"NothingIsLeft", {{kRun, {"new0"}}, {kRun, {"new1"}}}, {2, 0}, {}, {}},
    {"SurgeOfOne", {{kRun, {"old0"}}, {kRun, {"old1"}}}, {0, 1}, {"n0"}, {}},
    {"SurgeIsUsed", {{kRun, {"old0", "new0~"}}, {kRun, {"old1"}}}, {0, 1}, {}, {}},
    {"SurgeMovesOn", {{kRun, {"old0", "new0"}}, {kRun, {"old1"}}}, {0, 1}, {"n1"}, {"old0"}},
    {"SurgeOverMany", {{kRun, {"old0", "old1", "new0"}}, {kRun, {"old2"}}}, {0, 1}, {}, {}},
    {"SurgeIsNotNeeded",
     {{kRun, {"old0!"}}, {kRun, {"old1~"}}, {kRun, {"old2"}}},
     {0, 1},
     {"n0", "n1", "n2"},
     {}},
    {"SurgeDropsTheMisplaced", {{kKeep, {"old0~"}}, {kRun, {"new1"}}}, {0, 1}, {}, {"old0~"}},
    {"SurgeKeepsWhatServes", {{kKeep, {"old0"}}, {kRun, {"new1~"}}}, {0, 1}, {}, {}},
    {"SurgeDropsWhatServesNobody", {{kKeep, {"old0"}}, {kRun, {"new1"}}}, {0, 1}, {}, {"old0"}},
    {"SurgeLeavesAnEmptyNode", {{kRun, {}}, {kRun, {"xold1"}}}, {0, 1}, {}, {}},
};

class RollingTest : public ::testing::TestWithParam<RollingCase> {};
TEST_P(RollingTest, PlansOneStep) {
  Nodes nodes;
  NodePods pods;
  for (std::size_t i = 0; i < GetParam().nodes.size(); ++i) {
    const auto& [wanted, names] = GetParam().nodes[i];
    const std::string node = "n" + std::to_string(i);
    nodes[node] = wanted;
    pods.merge(on(node, names));
  }
  const Result<PodChanges> plan = plan_rolling(nodes, pods, GetParam().limits);

  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->create_on, GetParam().creates);
  EXPECT_EQ(plan->remove, GetParam().removes);
}
INSTANTIATE_TEST_SUITE_P(Steps, RollingTest, ::testing::ValuesIn(kRollingCases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(RollingPlanTest, ASurgeNeedsTheNodesOfOldPods) {
  const Result<PodChanges> plan = plan_rolling({}, on("gone", {"old"}), {0, 1});
  EXPECT_EQ(plan.error().message(), R"(couldn't get node for nodeName "gone")");
  EXPECT_TRUE(plan_rolling({}, on("gone", {"new"}), {0, 1}));
  EXPECT_TRUE(plan_rolling({}, on("gone", {"old"}), {1, 0}));
}

struct LimitsCase {
  const char* name;
  const char* unavailable;
  const char* surge;
  std::int64_t desired;
  RollingLimits wanted;
};
const LimitsCase kLimitsCases[] = {
    {"Numbers", "3", "0", 10, {3, 0}},
    {"PercentagesRoundUp", R"("25%")", R"("1%")", 10, {3, 1}},
    {"BothZeroIsOne", "0", "0", 10, {1, 0}},
    {"BothZeroWithoutNodes", "0", "0", 0, {0, 0}},
    {"ANullSurge", "1", "null", 10, {1, 0}},
    {"NegativeNumbers", "-9223372036854775808", "1", 10, {0, 1}},
    {"HugeNumbers", "9223372036854775807", "9223372036854775807", 10, {2147483647, 2147483647}},
};
class LimitsTest : public ::testing::TestWithParam<LimitsCase> {};
TEST_P(LimitsTest, AreNumbersOfNodes) {
  testing::Cluster cluster;
  const LimitsCase& it = GetParam();
  const Result<RollingLimits> limits =
      rolling_limits({cluster.value(it.unavailable), cluster.value(it.surge)}, it.desired);
  ASSERT_TRUE(limits);
  EXPECT_EQ(*limits, it.wanted);
}
INSTANTIATE_TEST_SUITE_P(Limits, LimitsTest, ::testing::ValuesIn(kLimitsCases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(RollingLimitsTest, WhatIsNeitherANumberNorAPercentageIsAnError) {
  testing::Cluster cluster;
  const Value one = cluster.value("1");
  for (const char* text : {"null", R"("many")", R"("%")", "[]", "{}", "true", "1.5"}) {
    EXPECT_FALSE(rolling_limits({cluster.value(text), one}, 3)) << text;
  }
  EXPECT_FALSE(rolling_limits({one, cluster.value(R"("x%")")}, 3));
  EXPECT_FALSE(rolling_limits({Value(), one}, 3)) << "absent";
}

TEST(SurgeOfTest, EvenOnePercentIsASurge) {
  testing::Cluster cluster;
  EXPECT_EQ(surge_of(cluster.value(R"("1%")")), Surge::kAllowed);
  EXPECT_EQ(surge_of(cluster.value("1")), Surge::kAllowed);
  for (const char* none : {"0", R"("0%")", "null", R"("x")", "-1"}) {
    EXPECT_EQ(surge_of(cluster.value(none)), Surge::kNone) << none;
  }
  EXPECT_EQ(surge_of(Value()), Surge::kNone);
}

TEST(StatusPlanTest, TheFirstPodOfANodeCounts) {
  NodePods pods = on("n0", {"new", "old!"});
  pods.merge(on("n1", {"old~", "new"}));
  pods.merge(on("n2", {"new"}));
  pods.merge(on("n3", {"xfailed!"}));
  pods.merge(on("elsewhere", {"new"}));
  const DaemonCounts counts =
      count_nodes({{"n0", kRun}, {"n1", kRun}, {"n2", kKeep}, {"n3", kRun}, {"n4", kRun}}, pods);

  EXPECT_EQ(counts, (DaemonCounts{.desired = 4,
                                  .current = 3,
                                  .misscheduled = 1,
                                  .ready = 2,
                                  .updated = 1,
                                  .available = 1}));
  EXPECT_EQ(counts.unavailable(), 3);
}

}  // namespace
}  // namespace davit::daemonset
