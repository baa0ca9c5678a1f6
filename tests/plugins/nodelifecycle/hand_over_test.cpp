/// Another build of the controllers takes over: no countdown starts again, and garbage is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "plugins/nodelifecycle/node_lifecycle_controller.hpp"
#include "plugins/nodelifecycle/taint_eviction_controller.hpp"
#include "tests/plugins/nodelifecycle/node_fixture.hpp"

namespace davit::nodelifecycle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr const char* kNodes = "node-lifecycle-controller";
constexpr const char* kTaints = "taint-eviction-controller";
constexpr const char* kFortySeconds = R"({"nodeMonitorPeriod":"1s","nodeMonitorGracePeriod":"40s",
    "nodeStartupGracePeriod":"40s","nodeEvictionRate":100})";

constexpr const char* kRegistered =
    "Normal RegisteredNode Node n1 event: Registered Node n1 in Controller";
constexpr const char* kRemoved =
    "Normal RemovingNode Node n1 event: Removing Node n1 from Controller";

class HandOverTest : public NodeTest {
 protected:
  void start_nodes() {
    ASSERT_TRUE(cluster().start(kNodes, &NodeLifecycleController::open, kFortySeconds).ok());
    run_until_idle();
  }
  Status swap_nodes() {
    Status swapped = cluster().swap(kNodes, &NodeLifecycleController::open, kFortySeconds);
    run_until_idle();
    return swapped;
  }
  Status swap_eviction() {
    Status swapped = cluster().swap(kTaints, &make_without_options<TaintEvictionController>);
    run_until_idle();
    return swapped;
  }
  /// A pod that may stay for that long on the node, which has been tainted just now.
  void begin_countdown(const std::string& tolerated) {
    add_node("n1");
    add_pod("p", tolerates_x(tolerated));
    start_eviction();
    taint(kX);
  }
};

TEST_F(HandOverTest, ANodeThatWasSilentForThirtySecondsIsMarkedAtForty) {
  add_ready("n1");
  start_nodes();
  live(3);
  stop("n1");
  live(30);

  ASSERT_TRUE(swap_nodes().ok());

  live(9);
  EXPECT_EQ(ready("n1"), "True") << "39 s";
  live(2);
  EXPECT_EQ(ready("n1"), "Unknown") << "41 s; without the state it would be 70";
}

TEST_F(HandOverTest, AKnownNodeIsNotRegisteredAgain) {
  add_ready("n1");
  start_nodes();
  live(2);
  ASSERT_TRUE(swap_nodes().ok());
  live(2);
  EXPECT_EQ(count_events(kRegistered), 1);

  cluster().erase<Node>({"", "n1"});
  live(2);
  EXPECT_EQ(count_events(kRemoved), 1) << "the new build knows that it was there";
}

TEST_F(HandOverTest, ATaintedNodeKeepsItsTaintAndItsTime) {
  add_ready("n1");
  add_ready("n2");
  start_nodes();
  live(2);
  stop("n1");
  live(45);
  ASSERT_TRUE(is_evicting("n1"));
  const std::string since = time_added("n1", kUnreachableKey);

  ASSERT_TRUE(swap_nodes().ok());
  live(5);

  EXPECT_EQ(time_added("n1", kUnreachableKey), since) << "a restart would take it away for a while";
}

TEST_F(HandOverTest, APodIsEvictedAtItsTime) {
  begin_countdown("30");
  advance(seconds(20));

  ASSERT_TRUE(swap_eviction().ok());

  advance(seconds(10) - milliseconds(1));
  EXPECT_FALSE(is_evicted("p"));
  advance(milliseconds(1));
  EXPECT_TRUE(is_evicted("p"));
  EXPECT_THAT(events(), ElementsAre(marking("p")));
}

TEST_F(HandOverTest, ManySwapsMoveNoCountdown) {
  begin_countdown("30");
  for (int i = 0; i < 29; ++i) {
    advance(seconds(1));
    ASSERT_TRUE(swap_eviction().ok());
    EXPECT_FALSE(is_evicted("p"));
  }
  advance(seconds(1));
  EXPECT_TRUE(is_evicted("p"));
}

TEST_F(HandOverTest, ACountdownThatWasHandedOverIsCalledOffAsEver) {
  begin_countdown("30");
  advance(seconds(10));
  ASSERT_TRUE(swap_eviction().ok());

  taint("");
  advance(seconds(60));

  EXPECT_FALSE(is_evicted("p"));
  EXPECT_THAT(events(), ElementsAre(cancelling("p")));
}

TEST_F(HandOverTest, StateGoesRoundUnchanged) {
  add_in_zone("n1", "a");
  add_in_zone("n2", "b");
  start_nodes();
  begin_countdown("30");
  live(2);
  stop("n1");
  live(42);
  for (const char* name : {kNodes, kTaints}) {
    const std::string before = cluster().state_of(name);
    ASSERT_TRUE(cluster().give_state(name, 1, before).ok());
    const std::string after = cluster().state_of(name);
    EXPECT_TRUE(std::is_permutation(after.begin(), after.end(), before.begin(), before.end()))
        << "the same but for the order of nodes: " << after;
  }
}

TEST_F(HandOverTest, AnotherFormIsRefused) {
  add_ready("n1");
  start_nodes();
  start_eviction();
  for (const char* name : {kNodes, kTaints}) {
    EXPECT_FALSE(cluster().give_state(name, 2, cluster().state_of(name)).ok());
  }
}

TEST_F(HandOverTest, GarbageIsRefusedAndChangesNothing) {
  add_ready("n1");
  start_nodes();
  begin_countdown("30");
  live(2);
  const std::string nodes = cluster().state_of(kNodes);
  const std::string timers = cluster().state_of(kTaints);
  // clang-format off
  const std::pair<const char*, const char*> kGarbage[] = {
      {kNodes, ""}, {kNodes, "\xff\x00"}, {kNodes, "[]"}, {kNodes, "{}"}, {kNodes, "null"},
      {kNodes, R"({"nodes":{},"zones":[]})"},
      {kNodes, R"({"nodes":[1],"zones":[]})"},
      {kNodes, R"({"nodes":[{"node":"n1","uid":"u","zone":"","known":1,"queued":false,
                   "eviction":0,"marksAgain":false}],"zones":[]})"},
      {kNodes, R"({"nodes":[{"node":"n1","uid":"u","zone":"","known":true,"queued":false,
                   "eviction":7,"marksAgain":false}],"zones":[]})"},
      {kNodes, R"({"nodes":[{"node":"n1","uid":"u","zone":"","known":true,"queued":false,
                   "eviction":0,"marksAgain":false,
                   "health":{"probe":999999999999999999,"transition":0}}],"zones":[]})"},
      {kNodes, R"({"nodes":[],"zones":[{"zone":"","state":1,"rate":"nan","tokens":0,
                   "refilled":0,"nodes":[]}]})"},
      {kNodes, R"({"nodes":[],"zones":[{"zone":"","state":9,"rate":"1","tokens":0,
                   "refilled":0,"nodes":[]}]})"},
      {kTaints, ""}, {kTaints, "{"}, {kTaints, "7"}, {kTaints, "{}"},
      {kTaints, R"({"pending":[{"pod":"ns/p"}],"running":[],"deletions":[]})"},
      {kTaints, R"({"pending":[],"running":[1],"deletions":[]})"},
      {kTaints, R"({"pending":[],"running":[],"deletions":[{"pod":"ns/p","due":0,"tries":-1}]})"},
      {kTaints, R"({"pending":[{"pod":"ns/p","due":9223372036854775807}],"running":[],
                      "deletions":[]})"},
  };
  // clang-format on
  for (const auto& [name, text] : kGarbage) {
    EXPECT_FALSE(cluster().give_state(name, 1, text).ok()) << name << ": " << text;
  }
  EXPECT_EQ(cluster().state_of(kNodes), nodes);
  EXPECT_EQ(cluster().state_of(kTaints), timers);
}

TEST_F(HandOverTest, EveryCutOfAStateIsRefused) {
  add_ready("n1");
  start_nodes();
  begin_countdown("30");
  live(1);
  for (const char* name : {kNodes, kTaints}) {
    const std::string whole = cluster().state_of(name);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(cluster().give_state(name, 1, whole.substr(0, size)).ok()) << name << size;
    }
  }
}

TEST_F(HandOverTest, AHugeStateIsTakenOver) {
  constexpr int kPods = 20'000;
  start_eviction();
  std::string text = R"({"running":[],"deletions":[],"pending":[)";
  for (int i = 0; i < kPods; ++i) {
    text += std::string(i == 0 ? "" : ",") + R"({"pod":"ns/p)" + std::to_string(i) +
            R"(","due":1000000000000})";
  }
  ASSERT_TRUE(cluster().give_state(kTaints, 1, text + "]}").ok());
  EXPECT_GT(cluster().state_of(kTaints).size(), text.size() / 2);
}

}  // namespace
}  // namespace davit::nodelifecycle
