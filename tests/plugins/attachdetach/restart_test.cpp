/// Rows AD048 to AD055, AD072, AD074 and AD080: starts, swaps and options.
#include <chrono>
#include <string>

#include "tests/plugins/attachdetach/fixture.hpp"

namespace davit::attachdetach {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class RestartTest : public AttachDetachTest {
 protected:
  void swap() {
    ASSERT_TRUE(
        cluster_.swap(kController, &AttachDetach::open, R"({"reconcilerSyncLoopPeriod":"2s"})")
            .ok());
    run();
  }
};

TEST_F(RestartTest, AD048_APodThatWentMeanwhileGivesItsVolumeUp) {
  attach_one();
  cluster_.stop(kController);
  cluster_.erase<Pod>({"ns", "p1"});
  cluster_.clear_records();
  start();
  EXPECT_THAT(requests(), ElementsAre("patch nodes/n1/status 200", "get nodes/n1 200",
                                      "delete volumeattachments/" + attachment() + " 200"));
}

TEST_F(RestartTest, AD049_AnAttachmentThatNoPodWantsIsDeleted) {
  add_world();
  add_attachment(attachment(), "va", "n1", true);
  start();
  EXPECT_FALSE(has(attachment()));
}

TEST_F(RestartTest, AD049_NothingButTheVolumeOfAnAttachmentMayBeLeft) {
  add_driver("d", true);
  add_volume("va");
  cluster_.erase<volumes::Claim>({"ns", "va"});
  add_attachment(attachment(), "va", "n1", true);
  start();
  EXPECT_TRUE(has(attachment())) << "a node that was never seen may use it";
  pass(7min);
  EXPECT_FALSE(has(attachment()));
}

TEST_F(RestartTest, AD050_AnAttachmentThatAPodWantsIsTaken) {
  add_world();
  add_attachment(attachment(), "va", "n1", true);
  add_pod("p1", "va");
  start();
  EXPECT_EQ(report(), kName);
  EXPECT_EQ(creates(), 0U);
  EXPECT_EQ(times("Normal SuccessfulAttachVolume AttachVolume.Attach succeeded for volume \"va\" "),
            1);
}

TEST_F(RestartTest, AD051_AVolumeThatIsOnlyInAListIsDetachedByName) {
  add_world();
  cluster_.merge<Node>({"", "n1"}, R"({"status":{"volumesAttached":[{"devicePath":"",
      "name":"kubernetes.io/csi/d^gone"}]}})");
  start();
  EXPECT_EQ(report(), "");
  EXPECT_EQ(requests().back(), "get volumeattachments/" + attachment("n1", "gone") + " 404");
}

TEST_F(RestartTest, AD052_ARestartOfASteadyStateWritesNothing) {
  attach_one();
  use();
  restart();
  pass(5min);
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(RestartTest, AD053_ARestartBeginsTheSixMinutesAgainAndASwapDoesNot) {
  attach_one(true);
  use();
  set_ready("n1", false);
  erase_pod("p1");
  pass(5min);
  restart();
  pass(5min);
  EXPECT_EQ(deletes(), 0U);
  swap();
  pass(50s);
  EXPECT_EQ(deletes(), 0U);
  pass(20s);
  EXPECT_EQ(deletes(), 1U);
}

TEST_F(RestartTest, AD054_ACrashBeforeTheDeletionIsMadeUpFor) {
  attach_one();
  cluster_.fail_next({.verb = Verb::kDelete, .resource = "volumeattachments", .http_status = 0});
  erase_pod("p1");
  ASSERT_TRUE(has(attachment()));
  ASSERT_EQ(report(), "");
  restart();
  EXPECT_FALSE(has(attachment()));
  EXPECT_EQ(patches(), 0U);
  EXPECT_EQ(report(), "");
}

TEST_F(RestartTest, AD054_AFailedDetachDoesNotBringTheVolumeBackOnTheList) {
  attach_one(true);
  erase_pod("p1");
  set_status(attachment(), R"({"detachError":{"message":"busy"}})");
  ASSERT_EQ(report(), "");
  restart();
  pass(std::chrono::minutes(5));
  EXPECT_EQ(patches(), 0U) << "a kubelet would mount what is about to go";
  EXPECT_EQ(report(), "");
  detached(attachment());
  pass(std::chrono::minutes(5));
  EXPECT_EQ(patches(), 0U);
  EXPECT_EQ(creates(), 0U);
}

TEST_F(RestartTest, AD055_ACrashBeforeTheEndOfAnAttachIsMadeUpFor) {
  add_world();
  start();
  add_pod("p1", "va");
  run();
  restart();
  EXPECT_EQ(creates(), 0U);
  attached(attachment());
  EXPECT_EQ(report(), kName);
}

TEST_F(RestartTest, ASwapKeepsTheTimeOfAnOperationAndWhatWasReported) {
  add_world();
  start();
  add_pod("p1", "va");
  run();
  pass(60s);
  swap();
  pass(61s);
  EXPECT_EQ(times(failed("timed out waiting for external-attacher of d CSI driver to attach volume "
                         "h-va")),
            1);
  attached(attachment());
  add_pod("p2", "va", "n2");
  run();
  swap();
  pass(1min);
  EXPECT_EQ(times(busy("used by pod(s) p1")), 1);
  EXPECT_EQ(creates(), 1U);
}

TEST_F(RestartTest, AStateOfAnyFormIsRefusedOrHarmless) {
  attach_one();
  for (const char* text :
       {"[]", "{}", R"({"pairs":[1]})", R"({"pairs":[{"volume":"v"}]})",
        R"({"pairs":[{"volume":"v","node":"n","phase":9,"began":0,"next":0,"pause":0,
            "busy":false}]})"}) {
    EXPECT_FALSE(cluster_.give_state(kController, 1, text).ok()) << text;
  }
}

TEST_F(RestartTest, AD072_AnUnusablePeriodIsRefused) {
  const Status refused =
      cluster_.start(kController, &AttachDetach::open, R"({"reconcilerSyncLoopPeriod":"500ms"})");
  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(refused.message(),
              HasSubstr("duration time must be greater than one second as set via command line "
                        "option reconcile-sync-loop-period"));
  for (const char* config : {R"({"reconcilerSyncLoopPeriod":1})", R"({"other":1})",
                             R"({"disableForceDetachOnTimeout":"yes"})",
                             R"({"forceDetachAfter":"0s"})", R"({"forceDetachAfter":6})"}) {
    EXPECT_FALSE(cluster_.start(kController, &AttachDetach::open, config).ok()) << config;
  }
}

TEST_F(RestartTest, AD074_AStandbyWritesNothing) {
  add_world();
  start();
  add_pod("p1", "va");
  run();
  cluster_.stand_by();
  cluster_.clear_records();
  attached(attachment());
  EXPECT_EQ(report(), "");
  cluster_.stop(kController);
  cluster_.lead();
  start();
  EXPECT_EQ(report(), kName);
  EXPECT_EQ(creates(), 0U);
}

TEST_F(RestartTest, AD080_AnInlineAttachmentWithoutAPodIsDeletedIfItsNameIsDavits) {
  add_world();
  for (const std::string& name : {attachment("n1", "i"), std::string("made-by-hand")}) {
    cluster_.add(
        R"({"apiVersion":"storage.k8s.io/v1","kind":"VolumeAttachment","metadata":{"name":")" +
        name + R"("},"spec":{"attacher":"d","nodeName":"n1","source":{"inlineVolumeSpec":
        {"csi":{"driver":"d","volumeHandle":"i"}}}},"status":{"attached":true}})");
  }
  start();
  pass(10min);
  EXPECT_FALSE(has(attachment("n1", "i")));
  EXPECT_TRUE(has("made-by-hand"));
}

}  // namespace
}  // namespace davit::attachdetach
