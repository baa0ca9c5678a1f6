/// Rows DS36 to DS45: pods that have ended, that are going, and that are too many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/daemonset/fixture.hpp"

namespace davit::daemonset {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

class EndedPodsTest : public DaemonSetTest {
 protected:
  /// One node with a running pod.
  void start_one(std::string_view patch = "{}") {
    add_nodes(1);
    add_set(patch);
    start();
    start_pods();
    cluster().clear_records();
  }
  /// Lets the pod of n1 fail as soon as it is there. The pause until it is deleted.
  Duration fail_until_deleted() {
    bind_pods();
    const Time failed = cluster().now();
    const std::size_t before = deleted();
    fail_pod(pod_on("n1"));
    while (deleted() == before) advance(cluster().next_due_in().value());
    return cluster().now() - failed;
  }
};

// The server deletes a pod that has ended at once, so its successor follows in the next sync.

TEST_F(EndedPodsTest, DS36_AFailedPodIsReportedDeletedAndReplaced) {
  start_one();
  const std::string name = pod_on("n1");

  fail_pod(name);
  EXPECT_THAT(pods_on("n1"), SizeIs(1));
  EXPECT_NE(pod_on("n1"), name);
  EXPECT_THAT(events(), ElementsAre("Warning FailedDaemonPod Found failed daemon pod ns/" + name +
                                        " on node n1, will try to kill it",
                                    "Normal SuccessfulDelete Deleted pod: " + name,
                                    "Normal SuccessfulCreate Created pod: " + pod_on("n1")));
}

TEST_F(EndedPodsTest, DS37_PodsThatKeepFailingAreReplacedEverMoreSlowly) {
  start_one();

  EXPECT_EQ(fail_until_deleted(), 0s);
  for (const Duration pause : {1s, 2s, 4s, 8s, 16s, 32s, 64s, 128s, 256s, 512s, 900s, 900s}) {
    EXPECT_EQ(fail_until_deleted(), pause);
  }
}

TEST_F(EndedPodsTest, DS38_AChangeOfTheSpecEndsThePause) {
  start_one();
  for (int i = 0; i < 4; ++i) fail_until_deleted();
  const std::string name = pod_on("n1");
  bind_pods();
  fail_pod(name);
  ASSERT_TRUE(has_pod(name));

  edit_set(R"({"spec":{"revisionHistoryLimit":5}})");
  EXPECT_FALSE(has_pod(name)) << "the status with the new generation has caused another sync";
}

TEST_F(EndedPodsTest, DS39_OfTwoFailedPodsOnANodeOneWaits) {
  add_nodes(1);
  // A rolling update would delete both, see Q6.
  add_set(R"({"spec":{"updateStrategy":{"type":"OnDelete"}}})");
  const std::string failed = R"({"status":{"phase":"Failed"}})";
  add_own_pod("a", "n1", failed);
  add_own_pod("b", "n1", failed);
  // The first status shows the generation, which is part of the pause.
  cluster().merge<DaemonSet>({"ns", "ds"}, R"({"status":{"observedGeneration":1}})");
  start();
  EXPECT_EQ(deleted(), 1U);

  advance(1s);
  EXPECT_EQ(deleted(), 2U);
}

TEST_F(EndedPodsTest, DS40_ASucceededPodNeverWaits) {
  start_one();
  for (int i = 0; i < 5; ++i) {
    const std::string name = pod_on("n1");
    bind_pods();
    edit_pod(name, R"({"status":{"phase":"Succeeded"}})");
    EXPECT_THAT(events(), Contains("Normal SucceededDaemonPod Found succeeded daemon pod ns/" +
                                   name + " on node n1, will try to delete it"));
    EXPECT_FALSE(has_pod(name));
  }
}

TEST_F(EndedPodsTest, DS41_OfThreePodsTheOldestStays) {
  add_nodes(1);
  add_set(R"({"spec":{"updateStrategy":{"type":"OnDelete"}}})");
  add_own_pod("middle", "n1");
  add_pod("oldest", "n1", R"({"metadata":{"creationTimestamp":"2024-01-01T00:00:00Z"}})");
  add_pod("youngest", "n1", R"({"metadata":{"creationTimestamp":"2024-05-01T11:00:00Z"}})");
  start();

  EXPECT_THAT(terminating(), UnorderedElementsAre("middle", "youngest"));
}

TEST_F(EndedPodsTest, DS41_EqualAgesAreDecidedByTheName) {
  add_nodes(1);
  add_set(R"({"spec":{"updateStrategy":{"type":"OnDelete"}}})");
  add_own_pod("b", "n1");
  add_own_pod("a", "n1");
  start();

  EXPECT_THAT(terminating(), ElementsAre("b"));
}

TEST_F(EndedPodsTest, DS41_ABoundPodIsKeptBeforeAnUnboundOlderOne) {
  add_nodes(1);
  add_set(R"({"spec":{"updateStrategy":{"type":"OnDelete"}}})");
  add_own_pod("bound", "n1");
  add_own_pod("waits", "", R"({"metadata":{"creationTimestamp":"2024-01-01T00:00:00Z"},
      "spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
          {"nodeSelectorTerms":[{"matchFields":[
              {"key":"metadata.name","operator":"In","values":["n1"]}]}]}}}},
      "status":{"phase":"Pending"}})");
  start();

  EXPECT_THAT(pods_on("n1"), ElementsAre("bound"));
}

TEST_F(EndedPodsTest, DS42_APodThatIsGoingIsReplacedWhenItIsGone) {
  start_one();
  const std::string name = pod_on("n1");
  remove_pod(name);
  run_until_idle();
  EXPECT_THAT(pods_on("n1"), ElementsAre(name));

  let_go();
  EXPECT_NE(pod_on("n1"), name);
}

TEST_F(EndedPodsTest, DS43_AFailedPodThatIsHeldDoesNotCount) {
  start_one();
  const std::string name = pod_on("n1");
  edit_pod(name, R"({"metadata":{"finalizers":["example.com/hold"]}})");
  fail_pod(name);

  EXPECT_THAT(terminating(), ElementsAre(name));
  EXPECT_NE(pod_on("n1"), name);
  remove_pod(pod_on("n1"));
  refuse_pods(testing::Verb::kCreate);
  run_until_idle();
  EXPECT_EQ(status("currentNumberScheduled"), 0);
}

TEST_F(EndedPodsTest, DS44_AFailedPodWhereNoneShouldBeIsNotReported) {
  start_one();
  taint("n1", "x", "NoExecute");
  let_go();
  cluster().clear_records();

  add_own_pod("failed", "n1", R"({"status":{"phase":"Failed"}})");
  run_until_idle();
  EXPECT_FALSE(has_pod("failed"));
  EXPECT_THAT(events(), ElementsAre("Normal SuccessfulDelete Deleted pod: failed"));
}

TEST_F(EndedPodsTest, DS45_WithASurgeAPodThatIsGoingIsReplacedAtOnce) {
  start_one(rolling("0", "1"));
  const std::string name = pod_on("n1");
  remove_pod(name);
  run_until_idle();

  EXPECT_THAT(terminating(), ElementsAre(name));
  EXPECT_THAT(pods_on("n1"), SizeIs(2));
  EXPECT_THAT(pod_on("n1"), Not(name));
}

TEST_F(EndedPodsTest, Q6_ARollingUpdateDeletesFailedOldPodsWithoutAPause) {
  add_nodes(1);
  add_set();
  const std::string failed = R"({"status":{"phase":"Failed"}})";
  add_own_pod("a", "n1", failed);
  add_own_pod("b", "n1", failed);
  cluster().merge<DaemonSet>({"ns", "ds"}, R"({"status":{"observedGeneration":1}})");
  start();

  EXPECT_EQ(deleted(), 2U);
}

TEST_F(EndedPodsTest, Q7_WithASurgeAFailedPodThatWaitsDoesNotHoldUpANewOne) {
  start_one(rolling("0", "1"));
  for (int i = 0; i < 4; ++i) fail_until_deleted();
  const std::string name = pod_on("n1");
  bind_pods();
  fail_pod(name);

  EXPECT_THAT(staying_on("n1"), SizeIs(2));
  EXPECT_TRUE(has_pod(name));
}

}  // namespace
}  // namespace davit::daemonset
