/// Rows AD001 to AD003, AD007 to AD038 and others on attaching.
#include <chrono>
#include <string>

#include "tests/plugins/attachdetach/fixture.hpp"

namespace davit::attachdetach {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class AttachTest : public AttachDetachTest {
 protected:
  void SetUp() override {
    add_world();
    start();
  }
};

TEST_F(AttachTest, AD001_APodsVolumeGetsAnAttachment) {
  add_pod("p1", "va");
  run();
  EXPECT_THAT(requests(), ElementsAre("create volumeattachments/" + attachment() + " 201"));
  Json sent = cluster_.writes().front().json();
  EXPECT_EQ(sent["spec"].dump(),
            R"({"attacher":"d","nodeName":"n1","source":{"persistentVolumeName":"va"}})");
  EXPECT_EQ(sent["metadata"].dump(), R"({"name":")" + attachment() + R"("})");
  EXPECT_EQ(report(), "");
}

TEST_F(AttachTest, AD002_AD003_AnAttachedVolumeIsReportedOnce) {
  add_pod("p1", "va");
  run();
  attached(attachment());
  EXPECT_EQ(report(), kName);
  EXPECT_EQ(times("Normal SuccessfulAttachVolume AttachVolume.Attach succeeded for volume \"va\" "),
            1);
  EXPECT_EQ(
      cluster_.writes().back().body,
      R"({"status":{"volumesAttached":[{"devicePath":"","name":"kubernetes.io/csi/d^h-va"}]}})");
  pass(10min);
  EXPECT_EQ(creates(), 1U);
  EXPECT_EQ(patches(), 1U);
}

TEST_F(AttachTest, AD007_ANodeThatTheKubeletManagesIsLeftAlone) {
  add_node("own", false);
  add_pod("p1", "va", "own");
  run();
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(AttachTest, AD008_ANodeMayComeAfterItsPods) {
  add_pod("p1", "va", "n3");
  run();
  EXPECT_THAT(requests(), IsEmpty());
  add_node("n3");
  run();
  EXPECT_TRUE(has(attachment("n3")));
}

TEST_F(AttachTest, AD009_AClaimMayBeBoundAfterThePodIsScheduled) {
  add_volume("vb");
  add_claim("vb", "", "Pending");
  add_pod("p1", "vb");
  run();
  EXPECT_THAT(requests(), IsEmpty());
  add_claim("vb", "vb", "Bound");
  run();
  EXPECT_TRUE(has(attachment("n1", "h-vb")));
}

TEST_F(AttachTest, AD010_AVolumeOfAnotherClaimIsNotAttached) {
  add_claim("other", "va", "Bound");
  add_pod("p1", "other");
  run();
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(AttachTest, AD011_ADriverWithoutAttachmentGetsNone) {
  add_driver("d", false);
  add_pod("p1", "va");
  run();
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(AttachTest, AD012_AnUnknownDriverIsTakenToAttach) {
  cluster_.erase<volumes::CsiDriver>({"", "d"});
  add_pod("p1", "va");
  run();
  EXPECT_TRUE(has(attachment()));
}

TEST_F(AttachTest, AD018_AD022_AVolumeMovesOnlyAfterItHasLeftItsNode) {
  add_pod("p1", "va");
  run();
  attached(attachment(), true);
  use();
  add_pod("p2", "va", "n2");
  run();
  pass(5min);
  EXPECT_FALSE(has(attachment("n2")));
  EXPECT_EQ(times(busy("used by pod(s) p1")), 1);
  erase_pod("p1");
  EXPECT_FALSE(has(attachment("n2")));
  set_in_use("n1", "[]");
  EXPECT_TRUE(cluster_.find<Attachment>({"", attachment()})->is_being_deleted());
  EXPECT_FALSE(has(attachment("n2"))) << "the first attachment is still there";
  detached(attachment());
  EXPECT_TRUE(has(attachment("n2")));
}

TEST_F(AttachTest, AD019_AVolumeWithoutPodsMayStillBeAttached) {
  add_pod("p1", "va");
  run();
  attached(attachment());
  use();
  erase_pod("p1");
  add_pod("p2", "va", "n2");
  run();
  EXPECT_EQ(times(busy("exclusively attached to one node and can't be attached to another")), 1);
}

TEST_F(AttachTest, AD020_AD021_UsersElsewhereAreCountedByNamespace) {
  add_volume("vo", csi("h-va"), R"(["ReadWriteOnce"])", "other");
  add_pod("po", "vo", "n1", "other");
  run();
  attached(attachment());
  add_pod("p2", "va", "n2");
  run();
  EXPECT_THAT(
      cluster_.event_texts().back(),
      HasSubstr("Multi-Attach error for volume \"va\" Volume is already used by 1 pod(s) in "
                "different namespaces"));
  erase_pod("p2");
  add_pod("p1", "va", "n1");
  run();
  add_pod("p3", "va", "n2");
  run();
  EXPECT_THAT(cluster_.event_texts().back(),
              HasSubstr("already used by pod(s) p1 and 1 pod(s) in different namespaces"));
}

TEST_F(AttachTest, AD020_EachNodeAttachesTheVolumeThatItsPodsName) {
  add_volume("vo", csi("h-va"), R"(["ReadWriteOnce"])", "other");
  add_pod("po", "vo", "n1", "other");
  run();
  const auto volume_of = [this](const std::string& name) {
    return std::string(cluster_.find<Attachment>({"", name})->volume_name());
  };
  EXPECT_EQ(volume_of(attachment()), "vo");
  attached(attachment());
  erase_pod("po", "other");
  add_pod("p2", "va", "n2");
  pass(2s);
  ASSERT_TRUE(has(attachment("n2")));
  EXPECT_EQ(volume_of(attachment("n2")), "va");
}

TEST_F(AttachTest, AD018_ANodeWhosePodsNameAVolumeForOneNodeWaitsForTheOthers) {
  add_volume("vm", csi("h-va"), R"(["ReadWriteMany"])", "other");
  add_pod("pm", "vm", "n1", "other");
  run();
  attached(attachment());
  add_pod("p2", "va", "n2");
  run();
  EXPECT_FALSE(has(attachment("n2"))) << "the volume of p2 allows one node only";
  EXPECT_EQ(times(busy("used by 1 pod(s) in different namespaces")), 1);
}

TEST_F(AttachTest, AD018_OfThePodsOnANodeTheOneWhoseVolumeIsForOneNodeDecides) {
  add_volume("vm", csi("h-va"), R"(["ReadWriteMany"])", "many");
  add_pod("p1", "vm", "n1", "many");
  run();
  attached(attachment());
  // The pod that comes first by its key allows many nodes.
  add_pod("p0", "vm", "n2", "many");
  add_pod("p2", "va", "n2");
  run();
  EXPECT_FALSE(has(attachment("n2"))) << "the volume of p2 allows one node only";
  EXPECT_EQ(times(busy("used by 1 pod(s) in different namespaces")), 1);
  erase_pod("p2");
  pass(2s);
  EXPECT_TRUE(has(attachment("n2"))) << "the pods that are left share it";
}

TEST_F(AttachTest, AD023_AD024_VolumesForManyNodesAreAttachedToEach) {
  for (const std::string modes :
       {R"(["ReadWriteMany"])", R"(["ReadOnlyMany"])", R"(["ReadWriteOnce","ReadWriteMany"])"}) {
    const std::string name = "v" + std::to_string(modes.size());
    add_volume(name, {}, modes);
    add_pod("a" + name, name);
    add_pod("b" + name, name, "n2");
    run();
    EXPECT_TRUE(has(attachment("n1", "h-" + name))) << modes;
    EXPECT_TRUE(has(attachment("n2", "h-" + name))) << modes;
  }
}

TEST_F(AttachTest, AD025_AVolumeForOnePodIsForOneNode) {
  add_volume("vb", {}, R"(["ReadWriteOncePod"])");
  add_pod("p1", "vb");
  run();
  attached(attachment("n1", "h-vb"));
  add_pod("p2", "vb", "n2");
  run();
  EXPECT_FALSE(has(attachment("n2", "h-vb")));
  EXPECT_THAT(cluster_.event_texts().back(), HasSubstr("Multi-Attach error for volume \"vb\""));
}

TEST_F(AttachTest, AD026_AD027_AD077_AFailureIsReportedOnEachTryAndTriesGetRarer) {
  add_pod("p1", "va");
  run();
  set_status(attachment(), R"({"attachError":{"message":"no space","errorCode":8}})");
  EXPECT_EQ(times(failed("no space")), 1);
  pass(300ms);
  EXPECT_EQ(times(failed("no space")), 2) << "after 0.5 s";
  pass(1s);
  EXPECT_EQ(times(failed("no space")), 3) << "after 1 s";
  pass(10min);
  EXPECT_LT(times(failed("no space")), 15);
  EXPECT_EQ(creates(), 1U);
  EXPECT_EQ(report(), "");
  attached(attachment());
  EXPECT_EQ(report(), kName);
}

TEST_F(AttachTest, AD028_AVolumeThatFailedIsDetachedWithItsPod) {
  add_pod("p1", "va");
  run();
  set_status(attachment(), R"({"attachError":{"message":"no space"}})");
  erase_pod("p1");
  EXPECT_FALSE(has(attachment()));
}

TEST_F(AttachTest, AD029_AnUncertainAttachmentKeepsTheVolumeFromOtherNodes) {
  add_pod("p1", "va");
  run();
  cluster_.merge<Attachment>({"", attachment()},
                             R"({"metadata":{"finalizers":["external-attacher/d"]}})");
  set_status(attachment(), R"({"attachError":{"message":"no space"}})");
  add_pod("p2", "va", "n2");
  pass(10min);
  EXPECT_FALSE(has(attachment("n2")));
  EXPECT_EQ(times(busy("used by pod(s) p1")), 1);
  erase_pod("p1");
  EXPECT_FALSE(has(attachment("n2"))) << "the first one is being deleted";
  detached(attachment());
  EXPECT_TRUE(has(attachment("n2")));
}

TEST_F(AttachTest, AD030_AnAttacherGetsTwoMinutes) {
  add_pod("p1", "va");
  run();
  const std::string text =
      failed("timed out waiting for external-attacher of d CSI driver to attach volume h-va");
  pass(119s);
  EXPECT_EQ(times(text), 0);
  pass(2s);
  EXPECT_EQ(times(text), 1);
  pass(3min);
  EXPECT_EQ(times(text), 2);
}

TEST_F(AttachTest, AnAnswerAfterTheTimeLimitCounts) {
  add_pod("p1", "va");
  run();
  pass(2min + 1s);
  ASSERT_EQ(report(), "");
  attached(attachment());
  EXPECT_EQ(report(), kName);
  EXPECT_EQ(creates(), 1U);
}

TEST_F(AttachTest, AnAnswerForOneVolumeIsNoneForAnother) {
  add_volume("vb");
  add_pod("p1", "va");
  add_pod("p2", "vb");
  run();
  attached(attachment("n1", "h-vb"));
  EXPECT_EQ(report(), "kubernetes.io/csi/d^h-vb");
}

TEST_F(AttachTest, AnAttachmentOfTheNameForAnotherNodeOrDriverIsNotTaken) {
  add_attachment(attachment(), "va", "n2", true);
  run();
  add_pod("p1", "va");
  run();
  pass(10s);
  EXPECT_EQ(report(), "") << "the node would mount what another one has";
  EXPECT_EQ(deletes(), 0U) << "it is not this controller's";
}

TEST_F(AttachTest, ANodeMayHaveTheLongestName) {
  const std::string node(253, 'n');
  add_node(node);
  add_pod("p1", "va", node);
  run();
  ASSERT_TRUE(has(attachment(node)));
  attached(attachment(node));
  EXPECT_EQ(report(node), kName);
  erase_pod("p1");
  EXPECT_EQ(report(node), "");
  EXPECT_FALSE(has(attachment(node)));
}

TEST_F(AttachTest, AD031_APodThatGoesTakesItsAttachmentAlong) {
  add_pod("p1", "va");
  run();
  erase_pod("p1");
  EXPECT_FALSE(has(attachment()));
}

TEST_F(AttachTest, AD032_AnAttachmentThatWasDeletedComesBack) {
  add_pod("p1", "va");
  run();
  attached(attachment());
  cluster_.clear_records();
  detached(attachment());
  pass(2s);
  EXPECT_EQ(creates(), 1U);
  EXPECT_EQ(report(), "");
  attached(attachment());
  EXPECT_EQ(report(), kName);
}

TEST_F(AttachTest, AD033_AVolumeThatIsNoLongerAttachedIsNotReported) {
  add_pod("p1", "va");
  run();
  attached(attachment());
  set_status(attachment(), R"({"attached":false})");
  pass(2s);
  EXPECT_EQ(report(), "");
  attached(attachment());
  EXPECT_EQ(report(), kName);
  EXPECT_EQ(creates(), 1U);
}

TEST_F(AttachTest, AD034_VerificationCanBeSwitchedOff) {
  restart(R"({"disableAttachDetachReconcilerSync":true})");
  add_pod("p1", "va");
  run();
  attached(attachment());
  set_status(attachment(), R"({"attached":false})");
  pass(10min);
  EXPECT_EQ(report(), kName);
}

TEST_F(AttachTest, AD037_APodThatComesBackTooEarlyWaitsForTheEndOfTheOldAttachment) {
  add_pod("p1", "va");
  run();
  attached(attachment(), true);
  erase_pod("p1");
  ASSERT_TRUE(cluster_.find<Attachment>({"", attachment()})->is_being_deleted());
  add_pod("p1", "va");
  pass(5s);
  detached(attachment());
  EXPECT_EQ(creates(), 2U);
  EXPECT_FALSE(cluster_.find<Attachment>({"", attachment()})->is_being_deleted());
}

TEST_F(AttachTest, EachStepOfAnAttachmentAndItsEndIsOneSync) {
  const auto syncs = [this] {
    run();
    const std::size_t out = cluster_.syncs().size();
    cluster_.clear_records();
    return out;
  };
  (void)syncs();
  add_pod("p1", "va");
  EXPECT_EQ(syncs(), 2U) << "of the pod, and of the volume, which creates the attachment";
  attached(attachment(), true);
  EXPECT_EQ(syncs(), 2U) << "of the volume, and of the node, which lists it";
  use();
  EXPECT_EQ(syncs(), 0U);
  erase_pod("p1");
  EXPECT_EQ(syncs(), 2U) << "of the pod, and of the volume, which is in use";
  set_in_use("n1", "[]");
  EXPECT_EQ(syncs(), 3U) << "of the volume, of the node's list, and of the volume, which detaches";
  cluster_.merge<Attachment>({"", attachment()}, R"({"status":{"attached":false}})");
  EXPECT_EQ(syncs(), 0U);
  detached(attachment());
  EXPECT_EQ(syncs(), 1U);
}

TEST_F(AttachTest, ChangesThatDoNotMatterCauseNoSync) {
  add_pod("p1", "va");
  run();
  attached(attachment(), true);
  cluster_.clear_records();
  const std::string label = R"({"metadata":{"annotations":{"a":"b"}},"status":{"phase":"Bound"}})";
  cluster_.merge<volumes::Claim>({"ns", "va"}, label);
  cluster_.merge<volumes::Volume>({"", "va"}, label);
  cluster_.merge<Attachment>({"", attachment()}, R"({"metadata":{"finalizers":["a.com/b"]}})");
  cluster_.merge<Pod>({"ns", "p1"}, R"({"metadata":{"labels":{"a":"b"}}})");
  cluster_.run_until_idle();
  EXPECT_THAT(cluster_.syncs(), ::testing::IsEmpty());
}

TEST_F(AttachTest, AD066_ARefusedAttachmentIsReported) {
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "volumeattachments",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "forbidden: no right"});
  add_pod("p1", "va");
  run();
  EXPECT_THAT(cluster_.event_texts().back(),
              HasSubstr("AttachVolume.Attach failed for volume \"va\" : kubernetes.io/csi: "
                        "attacher.Attach failed: forbidden: no right"));
  pass(1s);
  EXPECT_TRUE(has(attachment()));
}

TEST_F(AttachTest, AD067_AnOldCacheLeadsToNoSecondAttachment) {
  cluster_.hold("volumeattachments");
  add_pod("p1", "va");
  run();
  add_pod("p2", "va");
  pass(1min);
  EXPECT_EQ(creates(), 1U);
  cluster_.release("volumeattachments");
  run();
  attached(attachment());
  EXPECT_EQ(report(), kName);
}

TEST_F(AttachTest, AD079_TwoVolumesThatChangePlacesBothArrive) {
  add_volume("vb");
  add_pod("p1", "va", "n1");
  add_pod("p2", "vb", "n2");
  run();
  attached(attachment("n1"));
  attached(attachment("n2", "h-vb"));
  add_pod("p3", "va", "n2");
  add_pod("p4", "vb", "n1");
  run();
  erase_pod("p1");
  erase_pod("p2");
  EXPECT_TRUE(has(attachment("n2")));
  EXPECT_TRUE(has(attachment("n1", "h-vb")));
  EXPECT_FALSE(has(attachment("n1")));
}

TEST_F(AttachTest, AnAttachmentThatSomeoneElseMadeKeepsTheVolumeFromOtherNodes) {
  add_attachment("made-by-hand", "va", "n1", true);
  run();
  add_pod("p2", "va", "n2");
  run();
  EXPECT_FALSE(has(attachment("n2")));
  EXPECT_EQ(deletes(), 0U);
  detached("made-by-hand");
  EXPECT_TRUE(has(attachment("n2")));
}

TEST_F(AttachTest, AD073_TheMetricsHaveUpstreamsNamesAndLabels) {
  add_pod("p1", "va");
  run();
  attached(attachment());
  const std::string total = "attachdetach_controller_total_volumes";
  EXPECT_EQ(metric(total, {"kubernetes.io/csi:d", "actual_state_of_world"}, true), 1);
  EXPECT_EQ(metric(total, {"kubernetes.io/csi:d", "desired_state_of_world"}, true), 1);
  EXPECT_EQ(metric("storage_count_attachable_volumes_in_use", {"n1", "kubernetes.io/csi:d"}, true),
            1);
  int attaches = 0;
  for (const auto& each : cluster_.metrics()) {
    if (each.name != "storage_operation_duration_seconds") continue;
    if (each.labels ==
        std::vector<std::string>{"kubernetes.io/csi:d", "volume_attach", "success", "false"}) {
      ++attaches;
    }
  }
  EXPECT_EQ(attaches, 1);
}

TEST_F(AttachTest, AD073_OperationsAreTimedByTheirOutcome) {
  const auto times_of = [this](const std::string& plugin, const std::string& operation,
                               const std::string& status, const std::string& migrated) {
    int count = 0;
    for (const testing::MetricSample& each : cluster_.metrics()) {
      count += each.name == "storage_operation_duration_seconds" &&
               each.labels == std::vector<std::string>{plugin, operation, status, migrated};
    }
    return count;
  };
  const std::string csi = "kubernetes.io/csi:d";
  add_pod("p1", "va");
  run();
  set_status(attachment(), R"({"attachError":{"message":"no space"}})");
  EXPECT_EQ(times_of(csi, "volume_attach", "fail-unknown", "false"), 1);
  EXPECT_EQ(times_of(csi, "volume_attach", "success", "false"), 0);
  attached(attachment(), true);
  EXPECT_EQ(times_of(csi, "volume_attach", "success", "false"), 1);
  pass(2s);
  EXPECT_GE(times_of("<n/a>", "verify_volumes_are_attached_per_node", "success", "false"), 1);

  erase_pod("p1");
  set_status(attachment(), R"({"detachError":{"message":"busy"}})");
  EXPECT_EQ(times_of(csi, "volume_detach", "fail-unknown", "false"), 1);
  detached(attachment());
  EXPECT_EQ(times_of(csi, "volume_detach", "success", "false"), 1);

  add_volume("aws", R"({"awsElasticBlockStore":{"volumeID":"vol-1"}})");
  add_pod("p2", "aws");
  run();
  attached(attachment("n1", "vol-1", "ebs.csi.aws.com"));
  EXPECT_EQ(times_of("kubernetes.io/csi:ebs.csi.aws.com", "volume_attach", "success", "true"), 1);
}

}  // namespace
}  // namespace davit::attachdetach
