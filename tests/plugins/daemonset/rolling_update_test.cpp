/// Rows DS55 to DS67: rolling updates without a surge, and OnDelete.
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

class RollingUpdateTest : public DaemonSetTest {
 protected:
  /// A set whose pods run and are ready, all of its first template.
  void start_running(int nodes, std::string_view patch = "{}") {
    add_nodes(nodes);
    add_set(patch);
    start();
    start_pods();
    cluster().clear_records();
  }
  [[nodiscard]] std::vector<std::string> images() {
    std::vector<std::string> out;
    for (const std::string& name : pod_names()) out.push_back(image_of(name));
    std::sort(out.begin(), out.end());
    return out;
  }
};

TEST_F(RollingUpdateTest, DS55_OnePodAfterTheOtherIsReplaced) {
  start_running(3);
  const std::string first_hash = hash_of(pod_on("n1"));
  set_image("nginx:2");

  for (std::size_t replaced = 1; replaced <= 3; ++replaced) {
    ASSERT_EQ(deleted(), replaced);
    ASSERT_EQ(created(), replaced - 1);
    touch_set();
    ASSERT_EQ(deleted(), replaced) << "nothing while it terminates";
    let_go();
    ASSERT_EQ(created(), replaced);
    bind_pods();
    ASSERT_EQ(deleted(), replaced) << "nothing until the new pod is available";
    start_pods();
  }
  EXPECT_EQ(deleted(), 3U);
  EXPECT_THAT(images(), ElementsAre("nginx:2", "nginx:2", "nginx:2"));
  EXPECT_EQ(newest_revision().text_at({"revision"}), "2");
  EXPECT_NE(hash_of(pod_on("n1")), first_hash);
  EXPECT_THAT(counters(), ElementsAre(3, 3, 0, 3, 3, 3, 0));
}

TEST_F(RollingUpdateTest, DS56_PodsThatNeverGetReadyStopTheRollout) {
  start_running(5, rolling("3"));
  set_image("nginx:2");
  for (int i = 0; i < 10; ++i) {
    let_go();
    bind_pods();
  }

  EXPECT_EQ(deleted(), 3U);
  EXPECT_EQ(created(), 3U);
  EXPECT_EQ(status("numberUnavailable"), 3);
}

TEST_F(RollingUpdateTest, DS57_PercentagesRoundUp) {
  start_running(3, rolling(R"("50%")"));
  set_image("nginx:2");

  EXPECT_EQ(deleted(), 2U);
}

TEST_F(RollingUpdateTest, DS58_PodsThatAreNotAvailableAreReplacedAtOnce) {
  start_running(20);
  std::vector<std::string> broken;
  for (int i = 1; i <= 10; ++i) {
    broken.push_back(pod_on("n" + std::to_string(i)));
    edit_pod(broken.back(), R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})");
  }
  set_image("nginx:2");

  EXPECT_THAT(terminating(), ::testing::UnorderedElementsAreArray(broken));
}

TEST_F(RollingUpdateTest, DS59_ANodeWithoutAPodUsesTheBudget) {
  start_running(3);
  refuse_pods(testing::Verb::kCreate);
  cluster().erase<Pod>({"ns", pod_on("n3")});
  run_until_idle();
  set_image("nginx:2");
  EXPECT_THAT(terminating(), IsEmpty()) << "n3 lacks its pod, and the creation fails first";

  cluster().clear_faults();
  advance(16min);
  bind_pods();
  EXPECT_THAT(terminating(), IsEmpty()) << "the new pod of n3 is not available";
  start_pods();
  EXPECT_THAT(terminating(), SizeIs(1));
}

TEST_F(RollingUpdateTest, DS60_MinReadySecondsSpaceTheRollout) {
  start_running(2, R"({"spec":{"minReadySeconds":10}})");
  advance(10s);
  set_image("nginx:2");
  let_go();
  start_pods();
  ASSERT_EQ(deleted(), 1U);

  advance(9s);
  EXPECT_EQ(deleted(), 1U);
  advance(1s);
  EXPECT_EQ(deleted(), 2U);
}

TEST_F(RollingUpdateTest, DS61_AChangeBesideTheTemplateTouchesNoPod) {
  start_running(2);
  edit_set(R"({"spec":{"minReadySeconds":1}})");
  edit_set(rolling("2"));

  EXPECT_THAT(revisions(), SizeIs(1));
  EXPECT_EQ(created() + deleted(), 0U);
  EXPECT_EQ(status("observedGeneration"), 3);
}

TEST_F(RollingUpdateTest, DS62_DS63_OnDeleteWaitsForTheUser) {
  start_running(2, R"({"spec":{"updateStrategy":{"type":"OnDelete"}}})");
  set_image("nginx:2");
  EXPECT_THAT(revision_names(), SizeIs(2));
  EXPECT_EQ(status("updatedNumberScheduled"), 0);
  EXPECT_EQ(deleted(), 0U);

  remove_pod(pod_on("n1"));
  run_until_idle();
  let_go();
  start_pods();
  EXPECT_EQ(image_of(pod_on("n1")), "nginx:2");
  EXPECT_EQ(image_of(pod_on("n2")), "nginx:1");
  EXPECT_EQ(status("updatedNumberScheduled"), 1);

  edit_set(rolling("1"));
  EXPECT_EQ(deleted(), 1U);
  finish_rollout();
  EXPECT_EQ(image_of(pod_on("n2")), "nginx:2");
}

TEST_F(RollingUpdateTest, DS64_ATemplateThatComesBackHasItsRevision) {
  start_running(4);
  const std::string first = newest_revision().text_at({"metadata", "name"});
  set_image("nginx:2");
  let_go();
  start_pods();
  let_go();
  start_pods();
  ASSERT_THAT(images(), ElementsAre("nginx:1", "nginx:1", "nginx:2", "nginx:2"));
  std::vector<std::string> kept;
  for (const std::string& name : pod_names()) {
    const bool is_old = image_of(name) == "nginx:1";
    if (is_old && !cluster().find<Pod>({"ns", name})->is_being_deleted()) {
      kept.push_back(name);
    }
  }

  set_image("nginx:1");
  ASSERT_THAT(revisions(), SizeIs(2));
  EXPECT_EQ(newest_revision().text_at({"metadata", "name"}), first);
  EXPECT_EQ(newest_revision().text_at({"revision"}), "3");
  finish_rollout();
  EXPECT_THAT(images(), ElementsAre("nginx:1", "nginx:1", "nginx:1", "nginx:1"));
  for (const std::string& name : kept) EXPECT_TRUE(has_pod(name));
}

TEST_F(RollingUpdateTest, DS65_APodOnATaintedNodeIsReplacedByNothing) {
  start_running(1);
  const std::string name = pod_on("n1");
  taint("n1", "x", "NoSchedule");
  set_image("nginx:2");
  EXPECT_THAT(terminating(), ElementsAre(name));

  let_go();
  EXPECT_THAT(pod_names(), IsEmpty());
}

TEST_F(RollingUpdateTest, DS66_ANodeWithAnOldAndANewPodCountsAsUnavailable) {
  start_running(2);
  set_image("nginx:2");
  finish_rollout();
  const std::string updated = pod_on("n1");
  cluster().clear_records();
  set_image("nginx:3");
  // One node is being replaced. On the other a pod of an earlier template appears.
  add_own_pod("appeared", "n2", R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  run_until_idle();

  EXPECT_THAT(staying_on("n2"), SizeIs(1));
  EXPECT_EQ(pod_on("n2"), "appeared") << "the older one stays";
  EXPECT_EQ(deleted(), 2U);
}

TEST_F(RollingUpdateTest, DS67_TwoChangesDuringARolloutReplaceOnlyWhatIsNotNewest) {
  start_running(3);
  set_image("nginx:2");
  let_go();
  start_pods();
  set_image("nginx:3");
  EXPECT_THAT(terminating(), SizeIs(1));
  finish_rollout();
  const std::vector<std::string> names = pod_names();

  EXPECT_THAT(images(), ElementsAre("nginx:3", "nginx:3", "nginx:3"));
  EXPECT_THAT(revisions(), SizeIs(3));
  touch_set();
  EXPECT_EQ(pod_names(), names);
}

TEST_F(RollingUpdateTest, AMalformedLimitIsAnErrorOfTheUpdateAlone) {
  start_running(2);
  cluster().modify<DaemonSet>({"ns", "ds"}, [](Json& set) {
    merge(set, R"({"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":"many"}}}})");
  });
  run_until_idle();

  EXPECT_THAT(cluster().syncs().back().error,
              ::testing::HasSubstr("couldn't get unavailable numbers: invalid value for "
                                   "IntOrString"));
  EXPECT_EQ(deleted(), 0U);
  EXPECT_EQ(status("observedGeneration"), 2) << "the status is written nevertheless";
}

}  // namespace
}  // namespace davit::daemonset
