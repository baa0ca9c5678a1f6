#include <gtest/gtest.h>

#include <chrono>
#include <davit/kube/lease.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/taint.hpp>
#include <davit/testing/cluster.hpp>

namespace davit {
namespace {

TEST(NodeTest, TaintsAndConditionsAreReadInTheirOrder) {
  testing::Cluster cluster;
  const auto node = cluster.view_of<Node>(R"({"spec":{"unschedulable":true,"taints":[
      {"key":"a","value":"v","effect":"NoExecute","timeAdded":"2024-05-01T12:00:00Z"},
      {"key":"b","effect":"NoSchedule"}]},
      "status":{"conditions":[{"type":"Ready","status":"True"}]}})");

  EXPECT_TRUE(node.is_unschedulable());
  EXPECT_TRUE(node.condition("Ready")->is_true());
  const std::vector<Taint> taints = taints_from(node.taints());
  ASSERT_EQ(taints.size(), 2U);
  EXPECT_EQ(taints[0], (Taint{"a", "v", "NoExecute", "2024-05-01T12:00:00Z"}));
  EXPECT_EQ(taints_from(node.taints(), kNoSchedule), std::vector{taints[1]});
}

TEST(NodeTest, WhatIsMissingOrMistypedReadsAsEmpty) {
  testing::Cluster cluster;
  const auto node = cluster.view_of<Node>(R"({"spec":{"taints":[7,{"key":1}]},"status":[]})");

  EXPECT_FALSE(node.condition("Ready"));
  EXPECT_EQ(taints_from(node.taints()), (std::vector<Taint>(2)));
  EXPECT_FALSE(cluster.view_of<Lease>(R"({"spec":{"renewTime":"soon"}})").renew_time());
}

TEST(LeaseTest, RenewTimesHaveMicroseconds) {
  testing::Cluster cluster;
  const auto a = cluster.view_of<Lease>(R"({"spec":{"renewTime":"2024-05-01T12:00:00.000001Z"}})");
  const auto b = cluster.view_of<Lease>(R"({"spec":{"renewTime":"2024-05-01T12:00:00.000003Z"}})");

  EXPECT_EQ(*b.renew_time() - *a.renew_time(), std::chrono::microseconds(2));
}

struct TolerationCase {
  const char* name;
  Toleration toleration;
  Taint taint;
  bool tolerated;
};

const Taint kX{"example.com/x", "v1", "NoExecute"};

const TolerationCase kTolerationCases[] = {
    {"ExistsNeedsNoValue", {"example.com/x", "Exists"}, kX, true},
    {"EmptyKeyMatchesEveryKey", {"", "Exists"}, kX, true},
    {"AnotherKey", {"example.com/y", "Exists"}, kX, false},
    {"EqualIsTheDefault", {"example.com/x", "", "v1"}, kX, true},
    {"EqualByName", {"example.com/x", "Equal", "v1"}, kX, true},
    {"AnotherValue", {"example.com/x", "Equal", "v2"}, kX, false},
    {"SameEffect", {"example.com/x", "Exists", "", "NoExecute"}, kX, true},
    {"AnotherEffect", {"example.com/x", "Exists", "", "NoSchedule"}, kX, false},
    {"LessThanNeedsAGate", {"example.com/x", "Lt", "9"}, {"example.com/x", "5"}, false},
    {"GreaterThanNeedsAGate", {"example.com/x", "Gt", "1"}, {"example.com/x", "5"}, false},
    {"UnknownOperator", {"example.com/x", "exists"}, kX, false},
};

TEST(TolerationTest, FollowsUpstreamsRules) {
  for (const TolerationCase& each : kTolerationCases) {
    EXPECT_EQ(each.toleration.tolerates(each.taint), each.tolerated) << each.name;
  }
}

}  // namespace
}  // namespace davit
