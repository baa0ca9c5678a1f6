/// Rows SS60 to SS78: updates.
#include "tests/plugins/statefulset/fixture.hpp"

namespace davit::statefulset {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RolloutTest : public StatefulSetTest {
 protected:
  static constexpr std::string_view kOnDelete =
      R"({"spec":{"updateStrategy":{"type":"OnDelete","rollingUpdate":null}}})";
  static std::string partition(int partition) {
    return R"({"spec":{"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":)" +
           std::to_string(partition) + "}}}}";
  }
  static std::string max_unavailable(std::string_view value) {
    return R"({"spec":{"updateStrategy":{"type":"RollingUpdate","rollingUpdate":
        {"partition":0,"maxUnavailable":)" +
           std::string(value) + "}}}}";
  }
  /// The pods' revisions, by name of the pod: "1" for the first revision, "2" for the second.
  std::vector<std::string> versions() {
    std::vector<std::string> out;
    for (const std::string& each : pod_names()) {
      out.push_back(revision_of(each) == first_ ? "1" : "2");
    }
    return out;
  }
  void start_with(int replicas, std::vector<std::string_view> patches = {}) {
    start();
    add_ready_set(replicas, std::move(patches));
    first_ = revision_names().front();
    cluster_.clear_records();
  }
  /// The pods deleted, in order.
  std::vector<std::string> deleted() {
    std::vector<std::string> names;
    for (const auto& each : cluster_.requests_of(Verb::kDelete, "pods")) names.push_back(each.name);
    return names;
  }

  std::string first_;
};

TEST_F(RolloutTest, SS60_PodsAreReplacedFromTheTopEachAfterThePreviousIsReady) {
  start_with(3);
  set_image("nginx:2");
  EXPECT_THAT(deleted(), ElementsAre("web-2"));
  EXPECT_THAT(versions(), ElementsAre("1", "1", "2"));
  make_ready("web-2");
  EXPECT_THAT(deleted(), ElementsAre("web-2", "web-1"));
  make_ready("web-1");
  EXPECT_THAT(deleted(), ElementsAre("web-2", "web-1", "web-0"));
  make_ready("web-0");
  EXPECT_THAT(versions(), ElementsAre("2", "2", "2"));
}

TEST_F(RolloutTest, SS61_TheStatusFollowsTheRollout) {
  start_with(3, {kBound});
  set_image("nginx:2");
  const std::string second = revision_names().back();
  EXPECT_EQ(status_text("updateRevision"), second);
  EXPECT_EQ(status_text("currentRevision"), first_);
  EXPECT_EQ(status("currentReplicas"), 2);
  EXPECT_EQ(status("updatedReplicas"), -1) << "0, which the server leaves out";
  for (const char* each : {"web-2", "web-1", "web-0"}) {
    finish(each);
    make_ready(each);
  }
  EXPECT_EQ(status_text("currentRevision"), second);
  EXPECT_EQ(status("currentReplicas"), 3);
  EXPECT_EQ(status("updatedReplicas"), 3);
}

TEST_F(RolloutTest, SS62_PodsBelowThePartitionStay) {
  start_with(3);
  edit_set(partition(2));
  set_image("nginx:2");
  make_all_ready();
  EXPECT_THAT(versions(), ElementsAre("1", "1", "2"));
  EXPECT_EQ(status("currentReplicas"), 2);
  EXPECT_EQ(status("updatedReplicas"), 1);
  EXPECT_EQ(status_text("currentRevision"), first_);
}

TEST_F(RolloutTest, SS63_PodsComeBackAtTheRevisionOfTheirSideOfThePartition) {
  start_with(3);
  edit_set(partition(2));
  set_image("nginx:2");
  make_all_ready();
  ASSERT_TRUE(cluster_.erase<Pod>({"ns", "web-0"}));
  ASSERT_TRUE(cluster_.erase<Pod>({"ns", "web-2"}));
  run();
  make_all_ready();
  EXPECT_THAT(versions(), ElementsAre("1", "1", "2"));
}

TEST_F(RolloutTest, SS64_ALowerPartitionContinuesTheRollout) {
  start_with(3);
  edit_set(partition(2));
  set_image("nginx:2");
  make_all_ready();
  edit_set(partition(1));
  make_all_ready();
  EXPECT_THAT(versions(), ElementsAre("1", "2", "2"));
  edit_set(partition(0));
  make_all_ready();
  EXPECT_THAT(versions(), ElementsAre("2", "2", "2"));
  EXPECT_EQ(status_text("currentRevision"), revision_names().back());
}

TEST_F(RolloutTest, SS65_APartitionAboveAllPodsHoldsTheRollout) {
  start_with(3);
  edit_set(partition(5));
  set_image("nginx:2");
  EXPECT_THAT(deleted(), IsEmpty());
  EXPECT_EQ(status_text("updateRevision"), revision_names().back());
  EXPECT_EQ(status_text("currentRevision"), first_);
}

TEST_F(RolloutTest, SS66_ThePartitionCountsFromTheFirstOrdinal) {
  start_with(3, {R"({"spec":{"ordinals":{"start":5}}})"});
  edit_set(partition(2));
  set_image("nginx:2");
  make_all_ready();
  EXPECT_THAT(deleted(), ElementsAre("web-7"));
  EXPECT_THAT(versions(), ElementsAre("1", "1", "2"));
}

TEST_F(RolloutTest, SS67_OnDeleteWaitsForTheUser) {
  start_with(3, {kOnDelete});
  set_image("nginx:2");
  EXPECT_THAT(deleted(), IsEmpty());
  ASSERT_TRUE(cluster_.erase<Pod>({"ns", "web-1"}));
  run();
  make_all_ready();
  EXPECT_THAT(versions(), ElementsAre("1", "2", "1"));
  EXPECT_EQ(status("updatedReplicas"), 1);
  for (const char* each : {"web-0", "web-2"}) {
    ASSERT_TRUE(cluster_.erase<Pod>({"ns", each}));
    run();
    make_all_ready();
  }
  EXPECT_THAT(versions(), ElementsAre("2", "2", "2"));
  EXPECT_EQ(status_text("currentRevision"), first_) << "for ever";
}

TEST_F(RolloutTest, SS68_ParallelRolloutsGoOneByOneToo) {
  start_with(3, {kParallel});
  set_image("nginx:2");
  EXPECT_THAT(deleted(), ElementsAre("web-2"));
  make_ready("web-2");
  EXPECT_THAT(deleted(), ElementsAre("web-2", "web-1"));
}

TEST_F(RolloutTest, SS69_TheNextPodWaitsForMinReadySeconds) {
  start_with(3);
  edit_set(R"({"spec":{"minReadySeconds":10}})");
  cluster_.advance(10s);
  set_image("nginx:2");
  make_ready("web-2");
  cluster_.advance(9s);
  EXPECT_THAT(deleted(), ElementsAre("web-2"));
  cluster_.advance(1s);
  EXPECT_THAT(deleted(), ElementsAre("web-2", "web-1"));
}

TEST_F(RolloutTest, SS70_ARevertedTemplateRollsBack) {
  start_with(3, {kBound});
  set_image("nginx:2");
  finish("web-2");
  set_image("nginx:1");
  EXPECT_FALSE(is_being_deleted("web-2")) << "it is not ready: see SS71";
  make_ready("web-2");
  EXPECT_TRUE(is_being_deleted("web-2"));
  const Json first = cluster_.json<history::ControllerRevision>({"ns", first_});
  EXPECT_EQ(first.text_at({"revision"}), "3");
  finish("web-2");
  make_ready("web-2");
  EXPECT_THAT(versions(), ElementsAre("1", "1", "1"));
  EXPECT_THAT(deleted(), ElementsAre("web-2", "web-2"));
  EXPECT_EQ(status_text("currentRevision"), first_);
}

TEST_F(RolloutTest, SS71_ABrokenRolloutDoesNotHealByItself) {
  start_with(3);
  set_image("broken");
  make_unready("web-2");
  set_image("nginx:1");
  cluster_.advance(60s);
  EXPECT_THAT(versions(), ElementsAre("1", "1", "2"));
  ASSERT_TRUE(cluster_.erase<Pod>({"ns", "web-2"}));
  run();
  EXPECT_THAT(versions(), ElementsAre("1", "1", "1"));
}

TEST_F(RolloutTest, SS72_ABrokenParallelRolloutHeals) {
  start_with(3, {kParallel});
  set_image("broken");
  make_unready("web-2");
  set_image("nginx:1");
  EXPECT_THAT(versions(), ElementsAre("1", "1", "1"));
}

TEST_F(RolloutTest, SS73_WithoutTheGateMaxUnavailableIsIgnored) {
  start_with(5, {max_unavailable("2")});
  set_image("nginx:2");
  EXPECT_THAT(deleted(), ElementsAre("web-4"));
}

TEST_F(RolloutTest, SS74_WithTheGateSeveralPodsAreReplacedAtOnce) {
  start(R"({"maxUnavailable":"on"})");
  add_ready_set(5, {max_unavailable("2"), kParallel, kBound});
  cluster_.clear_records();
  set_image("nginx:2");
  EXPECT_THAT(deleted(), ElementsAre("web-4", "web-3"));
  finish("web-4");
  EXPECT_THAT(deleted(), SizeIs(2)) << "two are unavailable";
  make_ready("web-4");
  EXPECT_THAT(deleted(), ElementsAre("web-4", "web-3", "web-2"));
}

TEST_F(RolloutTest, SS75_APercentageIsRoundedDownToAtLeastOne) {
  start(R"({"maxUnavailable":"on"})");
  add_ready_set(3, {max_unavailable("\"30%\""), kBound});
  cluster_.clear_records();
  set_image("nginx:2");
  EXPECT_THAT(deleted(), ElementsAre("web-2"));
}

TEST_F(RolloutTest, SS76_OtherChangesMakeNoRevision) {
  start_with(1);
  edit_set(R"({"metadata":{"annotations":{"a":"b"}},"spec":{"replicas":2,"minReadySeconds":1,
      "persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Delete"}}})");
  EXPECT_THAT(revision_names(), SizeIs(1));
}

TEST_F(RolloutTest, SS77_WithoutParametersLowerPodsComeBackAtTheCurrentRevision) {
  start();
  add_ready_set(3, {R"({"spec":{"updateStrategy":{"type":"RollingUpdate"}}})"});
  ASSERT_EQ(set().at({"spec", "updateStrategy", "rollingUpdate"}), nullptr);
  first_ = revision_names().front();
  set_image("nginx:2");
  ASSERT_THAT(versions(), ElementsAre("1", "1", "2"));
  ASSERT_TRUE(cluster_.erase<Pod>({"ns", "web-0"}));
  run();
  EXPECT_THAT(versions(), ElementsAre("1", "1", "2"));
}

TEST_F(RolloutTest, SS78_NullsOfOlderServersAreNoChange) {
  start_with(2);
  const std::vector<std::string> names = revision_names();
  cluster_.stop(kController);
  cluster_.modify<history::ControllerRevision>({"ns", names.front()}, [](Json& revision) {
    Json& pod_template = revision["data"]["spec"]["template"];
    pod_template["metadata"]["creationTimestamp"] = Json();
    pod_template["spec"]["terminationGracePeriodSeconds"] = 30;
  });
  cluster_.clear_records();
  start();
  EXPECT_EQ(revision_names(), names);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

// Q7: docs/spec/statefulset.md#Q7
TEST_F(RolloutTest, AParallelPodOfTheCurrentRevisionMayGoInTheSyncThatCreatedIt) {
  start();
  add_ready_set(2, {kParallel, R"({"spec":{"updateStrategy":{"type":"RollingUpdate"}}})"});
  first_ = revision_names().front();
  cluster_.clear_records();
  // Both at once, before the controller sees either.
  ASSERT_TRUE(cluster_.erase<Pod>({"ns", "web-1"}));
  set_image("nginx:2");
  EXPECT_THAT(deleted(), Contains("web-1"));
  make_all_ready();
  EXPECT_THAT(versions(), ElementsAre("2", "2"));
}

}  // namespace
}  // namespace davit::statefulset
