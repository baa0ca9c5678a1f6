/// Rows on detaching: AD004 to AD006, AD013, AD035 to AD047, AD056 to AD062 and others.
#include <chrono>
#include <set>
#include <string>

#include "tests/plugins/attachdetach/fixture.hpp"

namespace davit::attachdetach {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class DetachTest : public AttachDetachTest {
 protected:
  /// Row AD004: the node uses the volume of a pod that is gone.
  void lose_pod() {
    attach_one(true);
    use();
    erase_pod("p1");
  }
  [[nodiscard]] bool is_ending(const std::string& node = "n1") {
    const auto found = cluster_.find<Attachment>({"", attachment(node)});
    return !found || found->is_being_deleted();
  }
};

TEST_F(DetachTest, AD004_AD005_AD006_AVolumeLeavesANodeThatNoLongerUsesIt) {
  lose_pod();
  pass(10min);
  EXPECT_THAT(requests(), IsEmpty());
  set_in_use("n1", "[]");
  EXPECT_THAT(requests(), ElementsAre("patch nodes/n1/status 200", "get nodes/n1 200",
                                      "delete volumeattachments/" + attachment() + " 200"));
  EXPECT_EQ(cluster_.writes().front().body, R"({"status":{"volumesAttached":null}})");
  pass(110s);
  EXPECT_EQ(deletes(), 1U);
  detached(attachment());
  pass(10min);
  EXPECT_EQ(deletes(), 1U);
}

TEST_F(DetachTest, AD013_AVolumeWhoseDriverAttachesNoMoreIsDetached) {
  attach_one();
  add_driver("d", false);
  run();
  EXPECT_FALSE(has(attachment()));
  EXPECT_EQ(report(), "");
}

TEST_F(DetachTest, AD035_AD036_ADetachThatFailsIsTriedAgainWithoutAnEvent) {
  attach_one(true);
  const std::size_t events = cluster_.events().size();
  erase_pod("p1");
  set_status(attachment(), R"({"detachError":{"message":"busy"}})");
  pass(1min);
  EXPECT_GT(deletes(), 3U);
  EXPECT_LT(deletes(), 12U);
  EXPECT_EQ(cluster_.events().size(), events);
  EXPECT_EQ(report(), "");
  detached(attachment());
  pass(3min);
  cluster_.clear_records();
  pass(10min);
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(DetachTest, AD038_NothingIsDeletedBeforeTheListIsWritten) {
  attach_one();
  cluster_.fail_next({.verb = Verb::kPatch, .resource = "nodes", .times = testing::Fault::kAlways});
  erase_pod("p1");
  pass(1min);
  EXPECT_EQ(deletes(), 0U);
  cluster_.clear_faults();
  pass(5min);
  EXPECT_EQ(report(), "");
  EXPECT_FALSE(has(attachment()));
}

TEST_F(DetachTest, AD039_TheLiveNodeDecidesWhetherItUsesTheVolume) {
  attach_one();
  cluster_.hold("nodes");
  cluster_.merge<Node>({"", "n1"}, R"({"status":{"volumesInUse":["kubernetes.io/csi/d^h-va"]}})");
  before(Verb::kPatch, [this] { cluster_.release("nodes"); });
  erase_pod("p1");
  pass(1min);
  EXPECT_EQ(deletes(), 0U);
  EXPECT_TRUE(has(attachment()));
  set_in_use("n1", "[]");
  pass(3min);
  EXPECT_FALSE(has(attachment()));
}

TEST_F(DetachTest, ANodeThatTakesTheVolumeIntoUseBeforeTheDeletionKeepsIt) {
  attach_one();
  before(Verb::kGet, [this] {
    cluster_.merge<Node>({"", "n1"}, R"({"status":{"volumesInUse":["kubernetes.io/csi/d^h-va"]}})");
  });
  erase_pod("p1");
  pass(1min);
  EXPECT_EQ(deletes(), 0U);
}

TEST_F(DetachTest, AD040_ANodeThatIsNotReadyLosesTheVolumeAfterSixMinutes) {
  lose_pod();
  set_ready("n1", false);
  pass(5min + 50s);
  EXPECT_THAT(requests(), IsEmpty());
  pass(20s);
  EXPECT_THAT(requests(), ElementsAre("patch nodes/n1/status 200", "get nodes/n1 200",
                                      "delete volumeattachments/" + attachment() + " 200"));
  EXPECT_EQ(forced("timeout"), 1);
}

TEST_F(DetachTest, ANodeThatIsReadyAgainKeepsTheVolumeThatItUses) {
  lose_pod();
  set_ready("n1", false);
  before(Verb::kPatch, [this] {
    cluster_.merge<Node>({"", "n1"},
                         R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  });
  pass(10min);
  EXPECT_EQ(deletes(), 0U);
  EXPECT_EQ(forced("timeout"), 0);
}

TEST_F(DetachTest, AD041_TheForceCanBeSwitchedOff) {
  add_world();
  start(R"({"disableForceDetachOnTimeout":true})");
  add_pod("p1", "va");
  run();
  attached(attachment());
  use();
  set_ready("n1", false);
  erase_pod("p1");
  pass(10min);
  EXPECT_EQ(deletes(), 0U);
}

TEST_F(DetachTest, AD040_TheSixMinutesCanBeShortened) {
  add_world();
  start(R"({"forceDetachAfter":"10s"})");
  add_pod("p1", "va");
  run();
  attached(attachment());
  use();
  set_ready("n1", false);
  erase_pod("p1");
  pass(9s);
  EXPECT_EQ(deletes(), 0U);
  pass(2s);
  EXPECT_TRUE(is_ending());
  EXPECT_EQ(forced("timeout"), 1);
}

TEST_F(DetachTest, AD042_ANodeThatFailsLaterLosesTheVolumeAtOnce) {
  lose_pod();
  pass(7min);
  EXPECT_EQ(deletes(), 0U);
  set_ready("n1", false);
  EXPECT_TRUE(is_ending());
}

TEST_F(DetachTest, AD043_ANodeOutOfServiceLosesTheVolumeAtOnce) {
  lose_pod();
  set_ready("n1", false);
  pass(5s);
  EXPECT_EQ(deletes(), 0U);
  taint("n1");
  EXPECT_TRUE(is_ending());
  EXPECT_EQ(forced("out-of-service"), 1);
  EXPECT_EQ(forced("timeout"), 0);
}

TEST_F(DetachTest, AD044_PodsThatAreThereKeepTheirVolumes) {
  attach_one();
  use();
  taint("n1");
  set_ready("n1", false);
  pass(10min);
  EXPECT_EQ(deletes(), 0U);
}

TEST_F(DetachTest, AD045_ANodeThatIsGoneLosesTheVolumeAfterSixMinutes) {
  attach_one(true);
  use();
  cluster_.erase<Node>({"", "n1"});
  erase_pod("p1");
  pass(5min + 50s);
  EXPECT_EQ(deletes(), 0U);
  pass(20s);
  EXPECT_TRUE(is_ending());
  EXPECT_EQ(patches(), 0U);
}

TEST_F(DetachTest, AD046_ANodeThatIsGoneAndDidNotUseTheVolumeLosesItSoon) {
  attach_one(true);
  cluster_.erase<Node>({"", "n1"});
  erase_pod("p1");
  EXPECT_TRUE(is_ending());
}

TEST_F(DetachTest, AD047_APodThatComesBackRestartsTheSixMinutes) {
  lose_pod();
  set_ready("n1", false);
  pass(4min);
  add_pod("p1", "va");
  run();
  erase_pod("p1");
  pass(5min);
  EXPECT_EQ(deletes(), 0U);
  pass(70s);
  EXPECT_TRUE(is_ending());
}

TEST_F(DetachTest, AD056_AListThatSomeoneEmptiedIsRestored) {
  attach_one();
  merge_node("n1", R"({"status":{"volumesAttached":null}})");
  EXPECT_EQ(report(), kName);
  erase_pod("p1");
  merge_node("n1", R"({"status":{"volumesAttached":[{"name":"kubernetes.io/csi/d^h-va",
      "devicePath":""}]}})");
  EXPECT_EQ(report(), "") << "a volume that was detached";
}

TEST_F(DetachTest, AD057_ANodeThatWasRecreatedGetsItsList) {
  attach_one();
  cluster_.erase<Node>({"", "n1"});
  run();
  add_node("n1");
  run();
  EXPECT_EQ(report(), kName);
}

TEST_F(DetachTest, AD058_AFinishedPodGivesItsVolumeUp) {
  attach_one();
  cluster_.merge<Pod>({"ns", "p1"}, R"({"status":{"phase":"Succeeded"}})");
  run();
  EXPECT_FALSE(has(attachment()));
}

TEST_F(DetachTest, AD059_ATerminatingPodKeepsItsVolumeWhileContainersRun) {
  attach_one();
  cluster_.merge<Pod>({"ns", "p1"}, R"({"metadata":{"deletionTimestamp":"2024-05-01T12:00:00Z",
      "deletionGracePeriodSeconds":30},"status":{"containerStatuses":[{"name":"c","state":
      {"running":{}}}]}})");
  run();
  EXPECT_TRUE(has(attachment()));
  cluster_.merge<Pod>({"ns", "p1"}, R"({"status":{"containerStatuses":[{"name":"c","state":
      {"terminated":{"exitCode":0}}}]}})");
  run();
  EXPECT_FALSE(has(attachment()));
}

TEST_F(DetachTest, AD060_APodKeepsTheVolumeThatItSharesWithAnother) {
  attach_one();
  add_pod("p2", "va");
  run();
  erase_pod("p1");
  EXPECT_TRUE(has(attachment()));
  erase_pod("p2");
  EXPECT_FALSE(has(attachment()));
}

TEST_F(DetachTest, AD061_APodThatReplacesAnotherOnTheNodeKeepsTheVolume) {
  attach_one();
  cluster_.erase<Pod>({"ns", "p1"});
  add_pod("p1", "va");
  run();
  EXPECT_EQ(deletes(), 0U);
  EXPECT_EQ(report(), kName);
}

TEST_F(DetachTest, AD062_TheCleanUpFindsPodsThatAreGone) {
  attach_one();
  cluster_.hold("pods");
  cluster_.erase<Pod>({"ns", "p1"});
  cluster_.release("pods");
  pass(1min);
  EXPECT_FALSE(has(attachment()));
}

TEST_F(DetachTest, AD062_EveryMinuteItLooksAtThePodsThatItRemembers) {
  attach_one();
  cluster_.clear_records();
  const auto looks = [this] {
    return std::count_if(
        cluster_.syncs().begin(), cluster_.syncs().end(),
        [](const testing::SyncRecord& each) { return each.key == "ns/p1" && each.ok(); });
  };
  pass(59s);
  EXPECT_EQ(looks(), 0);
  pass(2s);
  EXPECT_EQ(looks(), 1);
}

TEST_F(DetachTest, AD069_AListOfManyVolumesTakesFewWrites) {
  add_world();
  start();
  constexpr int kMany = 2000;
  for (int i = 0; i < kMany; ++i) {
    const std::string name = "m" + std::to_string(i);
    add_volume(name);
    add_pod(name, name);
  }
  run();
  for (const Attachment& each : cluster_.all<Attachment>()) {
    cluster_.merge<Attachment>({"", std::string(each.name())}, R"({"status":{"attached":true}})");
  }
  run();
  cluster_.clear_records();
  for (int i = 0; i < kMany; ++i) cluster_.erase<Pod>({"ns", "m" + std::to_string(i)});
  pass(2s);
  EXPECT_EQ(deletes(), static_cast<std::size_t>(kMany));
  EXPECT_LT(patches(), 10U);
  EXPECT_EQ(report(), "");
}

TEST_F(DetachTest, AD070_NoVolumeOfARollingMoveIsEverOnTwoNodes) {
  constexpr int kNodes = 500;
  constexpr int kVolumes = 500;
  add_driver("d", true);
  const auto node = [](int i) { return "n" + std::to_string(i % kNodes); };
  const auto name = [](int i) { return "m" + std::to_string(i); };
  for (int i = 0; i < kNodes; ++i) add_node(node(i));
  for (int i = 0; i < kVolumes; ++i) {
    add_volume(name(i));
    add_pod("p" + std::to_string(i), name(i), node(i));
  }
  start();
  int alarms = 0;
  std::set<std::string> on_a_node;  // The volumes that have an attachment.
  cluster_.on_request([&](const testing::RequestRecord& request) {
    if (request.verb != Verb::kCreate || request.resource != "volumeattachments") return;
    const std::string volume = request.json().text_at({"spec", "source", "persistentVolumeName"});
    alarms += on_a_node.contains(volume) ? 1 : 0;
    on_a_node.insert(volume);
  });
  for (const Attachment& each : cluster_.all<Attachment>()) {
    on_a_node.emplace(each.volume_name());
    attached(std::string(each.name()), true);
  }
  // The attacher ends what the controller has begun, one object after the other.
  const auto attach_and_detach = [&] {
    for (const Attachment& each : cluster_.all<Attachment>()) {
      const std::string of(each.name());
      if (each.is_being_deleted()) {
        on_a_node.erase(std::string(each.volume_name()));
        ASSERT_TRUE(cluster_.erase<Attachment>({"", of}));
      } else if (!each.is_attached()) {
        cluster_.merge<Attachment>({"", of}, R"({"metadata":{"finalizers":["external-attacher/d"]},
            "status":{"attached":true}})");
      }
    }
    run();
  };
  // Each pod has a successor on the next node, before or after its own end.
  for (int i = 0; i < kVolumes; ++i) {
    if (i % 2 == 0) cluster_.erase<Pod>({"ns", "p" + std::to_string(i)});
    add_pod("q" + std::to_string(i), name(i), node(i + 1));
    if (i % 50 == 49) attach_and_detach();
  }
  for (int i = 1; i < kVolumes; i += 2) cluster_.erase<Pod>({"ns", "p" + std::to_string(i)});
  for (int i = 0; i < 5; ++i) attach_and_detach();
  EXPECT_EQ(alarms, 0);
  for (int i = 0; i < kVolumes; ++i) {
    EXPECT_EQ(report(node(i + 1)), "kubernetes.io/csi/d^h-" + name(i));
  }
}

TEST_F(DetachTest, AD070_NoVolumeIsEverOnTwoNodes) {
  add_world();
  start();
  constexpr int kMany = 50;
  const auto handle = [](int i) { return "h-m" + std::to_string(i); };
  const auto attach_all = [&] {
    for (const Attachment& each : cluster_.all<Attachment>()) {
      cluster_.merge<Attachment>({"", std::string(each.name())}, R"({"status":{"attached":true}})");
    }
    run();
    for (int i = 0; i < kMany; ++i) {
      EXPECT_FALSE(has(attachment("n1", handle(i))) && has(attachment("n2", handle(i))));
    }
  };
  for (int i = 0; i < kMany; ++i) {
    add_volume("m" + std::to_string(i));
    add_pod("p" + std::to_string(i), "m" + std::to_string(i));
  }
  run();
  attach_all();
  for (int i = 0; i < kMany; ++i) {
    add_pod("q" + std::to_string(i), "m" + std::to_string(i), "n2");
    if (i % 2 == 0) cluster_.erase<Pod>({"ns", "p" + std::to_string(i)});
    attach_all();
  }
  for (int i = 1; i < kMany; i += 2) cluster_.erase<Pod>({"ns", "p" + std::to_string(i)});
  pass(3s);
  attach_all();
  for (int i = 0; i < kMany; ++i) EXPECT_TRUE(has(attachment("n2", handle(i))));
}

TEST_F(DetachTest, AD071_TheWallClockDoesNotCount) {
  lose_pod();
  set_ready("n1", false);
  cluster_.set_wall_clock(cluster_.wall_now() - 1h);
  pass(5min + 50s);
  EXPECT_EQ(deletes(), 0U);
  pass(20s);
  EXPECT_TRUE(is_ending());
}

TEST_F(DetachTest, AD075_AVolumeWhoseObjectIsGoneIsDetachedByName) {
  attach_one();
  cluster_.erase<volumes::Volume>({"", "va"});
  erase_pod("p1");
  EXPECT_FALSE(has(attachment()));
  EXPECT_EQ(report(), "");
}

TEST_F(DetachTest, AD076_AnotherClaimOfTheNameDoesNotTakeThePodsVolume) {
  attach_one();
  cluster_.erase<volumes::Claim>({"ns", "va"});
  add_claim("va", "", "Pending", "ns", R"({"uid":"another"})");
  pass(5min);
  EXPECT_TRUE(has(attachment()));
  EXPECT_EQ(report(), kName);
}

TEST_F(DetachTest, AD076_APodKeepsTheVolumeWhoseClaimIsGone) {
  attach_one();
  use();
  // Someone has stripped their finalizers.
  cluster_.erase<volumes::Claim>({"ns", "va"});
  cluster_.erase<volumes::Volume>({"", "va"});
  pass(10min);
  EXPECT_TRUE(has(attachment()));
  EXPECT_EQ(report(), kName);
}

TEST_F(DetachTest, AD078_AListThatTheCacheDoesNotShowYetIsWrittenBeforeTheDeletion) {
  add_world();
  start();
  add_pod("p1", "va");
  run();
  cluster_.hold("nodes");
  attached(attachment());
  ASSERT_EQ(report(), kName);
  cluster_.on_request([this](const testing::RequestRecord& request) {
    if (request.verb == Verb::kDelete) {
      EXPECT_EQ(report(), "");
    }
  });
  erase_pod("p1");
  pass(10s);
  cluster_.release("nodes");
  pass(5min);
  EXPECT_EQ(report(), "");
  EXPECT_FALSE(has(attachment()));
}

TEST_F(DetachTest, AnAttachmentThatReplacedTheOneLookedAtIsNotDeleted) {
  attach_one();
  before(Verb::kDelete, [this] {
    cluster_.erase<Attachment>({"", attachment()});
    add_attachment(attachment(), "va", "n1", true);
  });
  erase_pod("p1");
  EXPECT_TRUE(has(attachment()));
  pass(10s);
  EXPECT_FALSE(has(attachment())) << "it is looked at again";
}

}  // namespace
}  // namespace davit::attachdetach
