/// Rows 51 to 54, 56, 58, 60 to 63 and 72 to 74: countdowns, and what ends them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/plugins/nodelifecycle/fixture.hpp"

namespace davit::nodelifecycle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EvictionCountdownTest : public ClusterTest {
 protected:
  /// A pod with these tolerations on a node that is then tainted with X.
  void begin(std::string_view tolerations) {
    add_node("n1");
    add_pod("p", tolerations);
    start_eviction();
    taint(kX);
  }
  void expect_eviction_after(Duration rest) {
    advance(rest - milliseconds(1));
    EXPECT_FALSE(is_evicted("p"));
    advance(milliseconds(1));
    EXPECT_TRUE(is_evicted("p"));
  }
};

TEST_F(EvictionCountdownTest, N51_ATolerationInSecondsDelaysTheEviction) {
  begin(tolerates_x("5"));
  expect_eviction_after(seconds(5));
  EXPECT_THAT(events(), ElementsAre(marking("p")));
}

TEST_F(EvictionCountdownTest, N52_TakingTheTaintAwayCallsItOff) {
  begin(tolerates_x("5"));
  advance(seconds(2));
  taint("");
  advance(seconds(10));

  EXPECT_FALSE(is_evicted("p"));
  EXPECT_THAT(events(), ElementsAre(cancelling("p")));
}

TEST_F(EvictionCountdownTest, N53_ADeletionBySomebodyElseCallsItOff) {
  begin(tolerates_x("5"));
  advance(seconds(2));
  cluster().erase<Pod>({"ns", "p"});
  advance(seconds(10));

  EXPECT_THAT(events(), ElementsAre(cancelling("p")));
  EXPECT_THAT(cluster().writes(), IsEmpty());
}

TEST_F(EvictionCountdownTest, N54_TheShortestTolerationCounts) {
  add_node("n1");
  add_pod("p", tolerates("example.com/x", "100") + "," + tolerates("example.com/y", "1"));
  start_eviction();
  taint(std::string(kX) + "," + std::string(kY));
  expect_eviction_after(seconds(1));
}

TEST_F(EvictionCountdownTest, N56_ASecondTaintStartsACountdownAndEndsItWhenItGoes) {
  begin(tolerates_x() + "," + tolerates("example.com/y", "60"));
  EXPECT_THAT(events(), IsEmpty());

  taint(std::string(kX) + "," + std::string(kY));
  advance(seconds(59));
  taint(kX);
  advance(seconds(60));

  EXPECT_FALSE(is_evicted("p"));
  EXPECT_THAT(events(), ElementsAre(cancelling("p")));
}

TEST_F(EvictionCountdownTest, N58_TheFirstMatchingTolerationWins) {
  begin(tolerates_x("5") + R"(,{"operator":"Exists"})");
  expect_eviction_after(seconds(5));
}

TEST_F(EvictionCountdownTest, N60_ARunningCountdownIsNotLengthened) {
  begin(tolerates_x("3"));
  advance(seconds(1));
  tolerate("p", tolerates_x("100"));
  expect_eviction_after(seconds(2));
}

TEST_F(EvictionCountdownTest, N61_ARunningCountdownIsNotShortened) {
  begin(tolerates_x("100"));
  advance(seconds(1));
  tolerate("p", tolerates_x("1"));
  expect_eviction_after(seconds(99));
}

TEST_F(EvictionCountdownTest, N62_AnUnlimitedTolerationEndsTheCountdown) {
  begin(tolerates_x("5"));
  advance(seconds(1));
  tolerate("p", tolerates_x());
  advance(seconds(10));

  EXPECT_FALSE(is_evicted("p"));
  EXPECT_THAT(events(), ElementsAre(cancelling("p")));
}

TEST_F(EvictionCountdownTest, N63_AnUntoleratedTaintEndsTheCountdownByEviction) {
  begin(tolerates_x("100"));
  advance(seconds(1));
  taint(std::string(kX) + "," + std::string(kY));

  EXPECT_TRUE(is_evicted("p"));
  EXPECT_THAT(events(), ElementsAre(cancelling("p"), marking("p")));
}

TEST_F(EvictionCountdownTest, ANewPodOfTheNameHasACountdownOfItsOwn) {
  begin(tolerates_x("5"));
  advance(seconds(3));
  cluster().erase<Pod>({"ns", "p"});
  add_pod("p", tolerates_x("5"));
  expect_eviction_after(seconds(5));
}

TEST_F(EvictionCountdownTest, ANewPodOfTheNameOnAHealthyNodeStays) {
  add_node("n2");
  begin(tolerates_x("5"));
  advance(seconds(3));
  cluster().erase<Pod>({"ns", "p"});
  add_pod("p", tolerates_x("5"), R"({"spec":{"nodeName":"n2"}})");
  advance(seconds(10));

  EXPECT_FALSE(is_evicted("p"));
}

TEST_F(EvictionCountdownTest, ANewPodOfTheNameThatTheCacheHasNotSeenStays) {
  add_node("n2");
  begin(tolerates_x("5"));
  advance(seconds(4));
  cluster().on_request([this](const testing::RequestRecord& request) {
    if (request.verb != testing::Verb::kGet) return;
    cluster().erase<Pod>({"ns", "p"});
    add_pod("p", tolerates_x("5"), R"({"spec":{"nodeName":"n2"}})");
  });
  advance(seconds(10));

  EXPECT_FALSE(is_evicted("p"));
  EXPECT_THAT(cluster().writes(), IsEmpty());
}

TEST_F(EvictionCountdownTest, N72_TheCountdownOutlivesTheNode) {
  begin(tolerates_x("5"));
  advance(seconds(1));
  cluster().erase<Node>({"", "n1"});
  expect_eviction_after(seconds(4));
}

TEST_F(EvictionCountdownTest, N73_ARestartBeginsTheCountdownAgain) {
  begin(tolerates_x("10"));
  advance(seconds(6));
  restart_eviction();
  expect_eviction_after(seconds(10));
}

TEST_F(EvictionCountdownTest, N74_TheAgeOfTheTaintDoesNotMatter) {
  add_node("n1", R"({"spec":{"taints":[{"key":"example.com/x","effect":"NoExecute",
      "timeAdded":")" +
                     format_time(now() - std::chrono::hours(1)) + R"("}]}})");
  start_eviction();
  add_pod("p", tolerates_x("5"));
  run_until_idle();
  advance(milliseconds(100));  // The cache of nodes is compared with the server.
  expect_eviction_after(seconds(5));
}

TEST_F(EvictionCountdownTest, APodEvictedBeforeItsTaintChangesIsDeletedAgain) {
  begin("");
  ASSERT_TRUE(is_evicted("p"));
  taint(R"({"key":"example.com/x","value":"v","effect":"NoExecute"})");

  EXPECT_THAT(events(), ElementsAre(marking("p"), marking("p")));
}

}  // namespace
}  // namespace davit::nodelifecycle
