/// Who comes after somebody else: a machine under a name that is used again, a controller after a
/// restart.
#include <gtest/gtest.h>

#include <string>

#include "tests/plugins/nodelifecycle/node_fixture.hpp"

namespace davit::nodelifecycle {
namespace {

class NodeSuccessionTest : public NodeTest {
 protected:
  NodeSuccessionTest() { add_ready("ok"); }

  /// A node that has been silent for five of the six seconds that it may be.
  void add_failing() {
    add_ready("n1");
    start();
    live(2);
    stop("n1");
    live(5);
  }
  /// Whether anybody has written a condition of it.
  [[nodiscard]] bool has_conditions() const {
    const Json n1 = node();
    return n1.at({"status", "conditions"}) != nullptr;
  }
};

TEST_F(NodeSuccessionTest, PodsThatWereNotMarkedBeforeARestartAreMarkedAfterwards) {
  add_failing();
  add_ready_pod("p");
  cluster().fail_next({.verb = testing::Verb::kPatch,
                       .resource = "pods",
                       .http_status = 500,
                       .times = testing::Fault::kAlways});
  outlive();
  ASSERT_EQ(ready("n1"), "Unknown");
  ASSERT_EQ(condition(pod("p"), "Ready").text_at({"status"}), "True");

  cluster().clear_faults();
  restart();
  live(1);
  EXPECT_EQ(condition(pod("p"), "Ready").text_at({"status"}), "False");
}

TEST_F(NodeSuccessionTest, PodsOfANodeThatSaysItIsNotReadyAreNotMarkedByARestart) {
  add_ready("n1");
  set_condition("n1", "Ready", "False");
  add_ready_pod("p");
  start();
  live(2);
  restart();
  live(2);

  EXPECT_EQ(ready("n1"), "False");
  EXPECT_EQ(condition(pod("p"), "Ready").text_at({"status"}), "True");
}

TEST_F(NodeSuccessionTest, ANewMachineHasItsWholeStartupGraceWhateverBecameOfItsNamesake) {
  add_failing();
  cluster().erase<Node>({"", "n1"});
  live(1);
  add_node("n1");
  live(7);
  EXPECT_FALSE(has_conditions());
  live(4);
  EXPECT_EQ(ready("n1"), "Unknown");
}

TEST_F(NodeSuccessionTest, ANewMachineBetweenTwoPassesHasItsWholeStartupGraceToo) {
  add_failing();
  cluster().erase<Node>({"", "n1"});
  add_node("n1");
  live(7);

  EXPECT_FALSE(has_conditions());
}

TEST_F(NodeSuccessionTest, ANodeThatComesAndGoesIsReportedAndServedEachTime) {
  start();
  for (int i = 0; i < 3; ++i) {
    add_ready("n1");
    live(2);
    stop("n1");
    outlive();
    EXPECT_TRUE(is_evicting("n1")) << i;
    cluster().erase<Node>({"", "n1"});
    cluster().erase<Lease>({"kube-node-lease", "n1"});
    live(2);
  }

  EXPECT_EQ(count_events("Normal RegisteredNode Node n1 event: Registered Node n1 in Controller"),
            3);
  EXPECT_EQ(count_events("Normal RemovingNode Node n1 event: Removing Node n1 from Controller"), 3);
}

}  // namespace
}  // namespace davit::nodelifecycle
