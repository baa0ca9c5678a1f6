/// Rows DS68 to DS75: rolling updates that make the new pod first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/plugins/daemonset/fixture.hpp"

namespace davit::daemonset {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class SurgeTest : public DaemonSetTest {
 protected:
  void start_running(int nodes, std::string_view surge = "1") {
    add_nodes(nodes);
    add_set(rolling("0", surge));
    start();
    start_pods();
    cluster().clear_records();
  }
  void make_unready(const std::string& name) {
    edit_pod(name, R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})");
  }
  [[nodiscard]] int available_nodes() {
    int count = 0;
    for (int i = 1; i <= 10; ++i) {
      const std::vector<std::string> names = staying_on("n" + std::to_string(i));
      count += static_cast<int>(std::any_of(names.begin(), names.end(), [&](const auto& name) {
        return cluster().find<Pod>({"ns", name})->is_ready();
      }));
    }
    return count;
  }
  [[nodiscard]] std::vector<std::string> nodes_with_two() {
    std::vector<std::string> nodes = nodes_with_pods();
    std::vector<std::string> twice;
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      if (nodes[i] == nodes[i - 1]) twice.push_back(nodes[i]);
    }
    return twice;
  }
  /// A pod of the present template, ready since `ready_for`.
  void add_present_pod(const std::string& name, const std::string& node, Duration ready_for) {
    const std::string hash =
        newest_revision().text_at({"metadata", "labels", "controller-revision-hash"});
    add_own_pod(name, node,
                R"({"metadata":{"labels":{"controller-revision-hash":")" + hash +
                    R"(","pod-template-generation":"1"}},"status":{"conditions":[
                        {"type":"Ready","status":"True","lastTransitionTime":")" +
                    format_time(now() - ready_for) + R"("}]}})");
  }
  static std::string ready_at(WallTime time) {
    return R"({"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":")" +
           format_time(time) + R"("}]}})";
  }
};

TEST_F(SurgeTest, DS68_TheOldPodGoesWhenTheNewOneIsAvailable) {
  start_running(3);
  set_image("nginx:2");

  for (std::size_t replaced = 0; replaced < 3; ++replaced) {
    ASSERT_THAT(nodes_with_two(), SizeIs(1));
    ASSERT_EQ(created(), replaced + 1);
    ASSERT_EQ(deleted(), replaced);
    bind_pods();
    ASSERT_EQ(deleted(), replaced);
    ASSERT_EQ(available_nodes(), 3);
    start_pods();
    ASSERT_EQ(deleted(), replaced + 1);
    ASSERT_EQ(available_nodes(), 3);
  }
  let_go();
  EXPECT_THAT(counters(), ElementsAre(3, 3, 0, 3, 3, 3, 0));
  for (const std::string& name : pod_names()) EXPECT_EQ(image_of(name), "nginx:2");
}

TEST_F(SurgeTest, DS69_APercentageOfTheSurgeRoundsUp) {
  start_running(10, R"("25%")");
  set_image("nginx:2");

  EXPECT_EQ(created(), 3U);
  EXPECT_THAT(nodes_with_two(), SizeIs(3));
}

TEST_F(SurgeTest, DS70_AnOldPodThatIsNotReadyGetsItsSuccessorBesideTheBudget) {
  start_running(3);
  const std::string broken = pod_on("n2");
  make_unready(broken);
  set_image("nginx:2");

  EXPECT_EQ(created(), 2U);
  EXPECT_THAT(nodes_with_two(), Not(Contains("n2"))) << "its old pod has gone in the next sync";
  EXPECT_THAT(terminating(), ElementsAre(broken));
}

TEST_F(SurgeTest, DS71_BothPodsStayUntilTheNewOneIsAvailable) {
  add_nodes(1);
  add_set(rolling("0", "1"));
  start();
  edit_set(R"({"spec":{"minReadySeconds":15}})");
  cluster().erase<Pod>({"ns", pod_on("n1")});
  add_own_pod("old", "n1", ready_at(now() - 1h));
  add_present_pod("new", "n1", 5s);
  run_until_idle();
  EXPECT_THAT(terminating(), IsEmpty());

  advance(9s);
  EXPECT_THAT(terminating(), IsEmpty());
  advance(1s);
  EXPECT_THAT(terminating(), ElementsAre("old"));
}

TEST_F(SurgeTest, DS72_OfTwoOldPodsTheYoungerGoes) {
  add_nodes(1);
  add_set(R"({"spec":{"minReadySeconds":100,"updateStrategy":{"rollingUpdate":{
      "maxUnavailable":0,"maxSurge":1}}}})");
  start();
  cluster().erase<Pod>({"ns", pod_on("n1")});
  add_present_pod("new", "n1", 5s);
  add_own_pod("old", "n1", ready_at(now() - 1h));
  const WallTime later = now() - 1h;
  add_own_pod("younger", "n1", ready_at(later));
  edit_pod("younger", R"({"metadata":{"creationTimestamp":")" + format_time(later) + R"("}})");
  run_until_idle();

  EXPECT_THAT(terminating(), ElementsAre("younger"));
}

TEST_F(SurgeTest, DS73_AnAvailablePodWhereNoneShouldBeGoesWhenItIsNotNeeded) {
  start_running(4);
  const std::string misplaced = pod_on("n4");
  make_unready(pod_on("n3"));
  taint("n4", "x", "NoSchedule");
  set_image("nginx:2");
  EXPECT_THAT(terminating(), Not(Contains(misplaced)));
  start_pods();
  let_go();
  // Now n1 to n3 are available, n4 too: one more than desired.
  EXPECT_THAT(staying_on("n4"), IsEmpty());
}

TEST_F(SurgeTest, DS74_AnUnavailablePodWhereNoneShouldBeGoesAtOnce) {
  start_running(4);
  const std::string misplaced = pod_on("n4");
  make_unready(misplaced);
  make_unready(pod_on("n3"));
  taint("n4", "x", "NoSchedule");
  set_image("nginx:2");

  EXPECT_THAT(terminating(), Contains(misplaced));
}

TEST_F(SurgeTest, DS75_ATerminatingPodNeedsNoBudgetForItsSuccessor) {
  start_running(3);
  set_image("nginx:2");
  ASSERT_THAT(nodes_with_two(), SizeIs(1)) << "the budget is used";
  const std::string other = nodes_with_two().front() == "n1" ? "n2" : "n1";
  remove_pod(pod_on(other));
  run_until_idle();

  EXPECT_THAT(staying_on(other), SizeIs(1));
  EXPECT_EQ(image_of(pod_on(other)), "nginx:2");
}

TEST_F(SurgeTest, Q8_AnOldPodOfANodeThatIsGoneStopsTheUpdate) {
  start_running(2);
  remove_node("n2");
  set_image("nginx:2");

  EXPECT_EQ(cluster().syncs().back().error, R"(couldn't get node for nodeName "n2")");
  EXPECT_EQ(created(), 0U);
  cluster().erase<Pod>({"ns", pod_on("n2")});
  run_until_idle();
  EXPECT_EQ(created(), 1U);
}

TEST_F(SurgeTest, Q10_DuringASurgeANodeCountsAsNotUpdated) {
  start_running(1);
  set_image("nginx:2");
  start_pods();
  EXPECT_EQ(status("updatedNumberScheduled"), 0);
  let_go();
  EXPECT_EQ(status("updatedNumberScheduled"), 1);
}

}  // namespace
}  // namespace davit::daemonset
