#include "nodes/schedule.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace davit::sandbox {
namespace {

NodeCapacity capacity(std::string_view text) {
  NodeCapacity out;
  Json node = json_literal(text);
  if (!node.contains("status")) {
    node.set("status", json_literal(R"({"allocatable":{"cpu":"4","memory":"8Gi","pods":"3"}})"));
  }
  update_capacity(out, node);
  return out;
}

PodShare share_of(const Json& pod_spec) { return pod_share(Json::object({{"spec", pod_spec}})); }

Choice choose(std::string_view pod_spec, const std::vector<const NodeCapacity*>& nodes) {
  const Json spec = json_literal(pod_spec);
  return schedule(spec, share_of(spec), nodes);
}

struct FitCase {
  const char* name;
  const char* node;
  const char* pod_spec;
  const char* reason;  ///< Empty: it fits.
};

// clang-format off
constexpr char kPlain[] = R"({"metadata":{"name":"a"}})";
constexpr char kCordoned[] = R"({"metadata":{"name":"a"},"spec":{"unschedulable":true}})";
constexpr char kTainted[] =
    R"({"metadata":{"name":"a"},"spec":{"taints":[{"key":"k","value":"v",)"
    R"("effect":"NoSchedule"}]}})";
constexpr char kNoExecute[] =
    R"({"metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"NoExecute"}]}})";
constexpr char kDisliked[] =
    R"({"metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"PreferNoSchedule"}]}})";
constexpr char kUntolerated[] = "node(s) had untolerated taint(s)";

constexpr FitCase kFitCases[] = {
    {"PlainPodFits", kPlain, "{}", ""},
    {"CordonedNodeIsLeftOut", kCordoned, "{}", "node(s) were unschedulable"},
    {"CordonIsTolerated", kCordoned,
     R"({"tolerations":[{"key":"node.kubernetes.io/unschedulable","operator":"Exists"}]})", ""},
    {"TaintKeepsAway", kTainted, "{}", kUntolerated},
    {"NoExecuteKeepsAwayToo", kNoExecute,
     R"({"tolerations":[{"key":"k","operator":"Exists","effect":"NoSchedule"}]})", kUntolerated},
    {"PreferNoScheduleIsNoObjection", kDisliked, "{}", ""},
    {"EqualTolerationNeedsTheValue", kTainted,
     R"({"tolerations":[{"key":"k","value":"other"}]})", kUntolerated},
    {"EqualIsTheDefaultOperator", kTainted, R"({"tolerations":[{"key":"k","value":"v"}]})", ""},
    {"EmptyKeyWithExistsToleratesAll", kNoExecute, R"({"tolerations":[{"operator":"Exists"}]})",
     ""},
    {"SelectorMustMatch", kPlain, R"({"nodeSelector":{"disk":"ssd"}})",
     "node(s) didn't match Pod's node affinity/selector"},
    {"RequestsAreAddedUp", kPlain,
     R"({"containers":[{"resources":{"requests":{"cpu":"2500m"}}},
                       {"resources":{"requests":{"cpu":"2"}}}]})", "Insufficient cpu"},
    {"LargestInitContainerCounts", kPlain,
     R"({"initContainers":[{"resources":{"requests":{"memory":"9Gi"}}}],
         "containers":[{"resources":{"requests":{"memory":"1Gi"}}}]})", "Insufficient memory"},
    {"SidecarsStayBesideTheContainers", kPlain,
     R"({"initContainers":[{"restartPolicy":"Always","resources":{"requests":{"cpu":"2"}}}],
         "containers":[{"resources":{"requests":{"cpu":"3"}}}]})", "Insufficient cpu"},
    {"UnknownResourceIsMissing", kPlain,
     R"({"containers":[{"resources":{"requests":{"nvidia.com/gpu":"1"}}}]})",
     "Insufficient nvidia.com/gpu"},
};
// clang-format on

class FitTest : public testing::TestWithParam<FitCase> {};

TEST_P(FitTest, SaysWhetherTheNodeTakesThePod) {
  const NodeCapacity node = capacity(GetParam().node);

  const Choice choice = choose(GetParam().pod_spec, {&node});

  const std::string reason = GetParam().reason;
  EXPECT_EQ(choice.node != nullptr, reason.empty()) << choice.message;
  EXPECT_EQ(choice.message, reason.empty() ? "" : "0/1 nodes are available: 1 " + reason + ".");
}

INSTANTIATE_TEST_SUITE_P(Rules, FitTest, testing::ValuesIn(kFitCases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(ScheduleTest, MessageCountsTheReasonsOfAllNodes) {
  const NodeCapacity tainted = capacity(
      R"({"metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}})");
  const NodeCapacity other = capacity(R"({"metadata":{"name":"b"}})");
  const NodeCapacity third = capacity(R"({"metadata":{"name":"c"}})");

  const Choice choice = choose(R"({"nodeSelector":{"disk":"ssd"}})", {&tainted, &other, &third});

  EXPECT_EQ(choice.node, nullptr);
  EXPECT_EQ(choice.message,
            "0/3 nodes are available: 1 node(s) had untolerated taint(s), "
            "2 node(s) didn't match Pod's node affinity/selector.");
}

TEST(ScheduleTest, WithoutNodesThereIsAMessageOfItsOwn) {
  EXPECT_EQ(choose("{}", {}).message, "no nodes available to schedule pods");
}

TEST(ScheduleTest, TakesTheNodeWithTheFewestPods) {
  NodeCapacity busy = capacity(R"({"metadata":{"name":"a"}})");
  const NodeCapacity idle = capacity(R"({"metadata":{"name":"b"}})");
  busy.add({});

  EXPECT_EQ(choose("{}", {&busy, &idle}).node, &idle);
}

TEST(ScheduleTest, AvoidsWhatPrefersNoPods) {
  const NodeCapacity is_last_resort = capacity(
      R"({"metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"PreferNoSchedule"}]}})");
  NodeCapacity busy = capacity(R"({"metadata":{"name":"b"}})");
  busy.add({});

  EXPECT_EQ(choose("{}", {&is_last_resort, &busy}).node, &busy);
}

TEST(ScheduleTest, RoomThatIsGivenBackCanBeTakenAgain) {
  NodeCapacity node = capacity(R"({"metadata":{"name":"a"}})");
  const Json spec = json_literal(
      R"({"containers":[{"resources":{"requests":{"cpu":"3"}},"ports":[{"hostPort":80}]}]})");
  const PodShare share = share_of(spec);
  node.add(share);
  EXPECT_EQ(schedule(spec, share, {&node}).message,
            "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod "
            "ports.");
  node.ports.clear();
  EXPECT_EQ(schedule(spec, share, {&node}).message, "0/1 nodes are available: 1 Insufficient cpu.");

  node.remove(share);

  EXPECT_EQ(schedule(spec, share, {&node}).node, &node);
}

TEST(ScheduleTest, RequestsOfThePodAsAWholeReplaceThoseOfItsContainers) {
  const Json spec = json_literal(R"({"resources":{"requests":{"cpu":"3"}},
    "containers":[{"resources":{"requests":{"cpu":"1","memory":"1Gi"}}}]})");
  const PodShare share = share_of(spec);
  EXPECT_EQ(resource_amount(share.requests, "cpu"), Quantity::parse("3"));
  EXPECT_EQ(resource_amount(share.requests, "memory"), Quantity::parse("1Gi"));
}

TEST(ScheduleTest, NodeTakesNoMorePodsThanItSays) {
  NodeCapacity node = capacity(R"({"metadata":{"name":"a"}})");
  for (int i = 0; i < 3; ++i) node.add({});

  EXPECT_EQ(choose("{}", {&node}).message, "0/1 nodes are available: 1 Too many pods.");
}

}  // namespace
}  // namespace davit::sandbox
