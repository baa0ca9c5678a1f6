/// Rows PV001 to PV033, and those on conflicts and crashes of a binding.
#include <set>
#include <string>
#include <utility>

#include "plugins/volumebinder/patches.hpp"
#include "tests/plugins/volumebinder/fixture.hpp"

namespace davit::volumebinder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class BindingTest : public BinderTest {
 protected:
  void SetUp() override { start(); }
  void both(const std::string& volume_changes, const std::string& claim_changes = "{}") {
    add_volume("v", volume_changes);
    run();
    add_claim("c", claim_changes);
    run();
  }
};

TEST_F(BindingTest, PV001_AVolumeBecomesAvailable) {
  add_volume("v");
  run();
  EXPECT_EQ(volume_phase(), "Available");
  EXPECT_THAT(writes(), ElementsAre("patch persistentvolumes/v/status 200"));
  EXPECT_EQ(cluster_.writes().front().json()["status"].find("lastPhaseTransitionTime"), nullptr)
      << "the server sets it";
}

TEST_F(BindingTest, PV002_AClaimAndAVolumeAreBound) {
  both("{}");
  ASSERT_TRUE(is_bound("v", "c"));
  EXPECT_EQ(volume_annotation("v", "pv.kubernetes.io/bound-by-controller"), "yes");
  EXPECT_EQ(claim_annotation("c", "pv.kubernetes.io/bound-by-controller"), "yes");
  EXPECT_EQ(claim_annotation("c", "pv.kubernetes.io/bind-completed"), "yes");
  EXPECT_EQ(claim()["status"]["accessModes"].dump(), R"(["ReadWriteOnce"])");
  EXPECT_EQ(claim()["status"]["capacity"].dump(), R"({"storage":"1Gi"})");
  Json reference = volume()["spec"]["claimRef"];
  EXPECT_EQ(reference.text_at({"kind"}), "PersistentVolumeClaim");
  EXPECT_EQ(reference.text_at({"apiVersion"}), "v1");
  EXPECT_EQ(reference.text_at({"namespace"}), "ns");
  EXPECT_EQ(reference.text_at({"name"}), "c");
  EXPECT_EQ(reference.text_at({"uid"}), claim_uid());
  EXPECT_FALSE(reference.text_at({"resourceVersion"}).empty());
}

TEST_F(BindingTest, PV003_ABindingIsFourWritesAndNoneFollows) {
  add_volume("v");
  run();
  cluster_.clear_records();
  add_claim("c");
  run();
  const auto order = ElementsAre(
      "patch persistentvolumes/v 200", "patch persistentvolumes/v/status 200",
      "patch persistentvolumeclaims/c 200", "patch persistentvolumeclaims/c/status 200");
  EXPECT_THAT(requests(), order);
  resync();
  resync();
  EXPECT_THAT(requests(), order);
}

TEST_F(BindingTest, EachWriteNamesTheObjectThatWasLookedAt) {
  both("{}");
  for (const testing::RequestRecord& each : cluster_.writes()) {
    EXPECT_FALSE(each.json().text_at({"metadata", "uid"}).empty()) << each.text();
    EXPECT_FALSE(each.json().text_at({"metadata", "resourceVersion"}).empty()) << each.text();
  }
}

TEST_F(BindingTest, PV004_AVolumeThatComesLaterIsFoundInAPass) {
  add_claim("c");
  run();
  add_volume("v");
  run();
  resync();
  EXPECT_TRUE(is_bound("v", "c"));
}

TEST_F(BindingTest, PV005_FewerModesComeBeforeASmallerSize) {
  add_volume_of_size("a", "3Gi", R"(["ReadWriteOnce","ReadOnlyMany"])");
  add_volume_of_size("b", "9Gi");
  add_volume_of_size("c", "5Gi");
  run();
  for (const auto& [claim, volume] :
       {std::pair("first", "c"), std::pair("second", "b"), std::pair("third", "a")}) {
    add_claim_of_size(claim, "2Gi");
    run();
    EXPECT_TRUE(is_bound(volume, claim)) << claim;
  }
}

TEST_F(BindingTest, PV006_AVolumeThatIsTooSmallIsNotTaken) {
  add_volume("v");
  add_claim_of_size("c", "2Gi");
  run();
  EXPECT_EQ(claim_phase(), "Pending");
  EXPECT_EQ(volume_phase(), "Available");
  EXPECT_EQ(times("Normal FailedBinding no persistent volumes available for this claim and no "
                  "storage class is set"),
            1);
}

TEST_F(BindingTest, PV007_PV008_PV009_PV011_PV012_PV013_AVolumeThatDiffersIsNotTaken) {
  const std::string kBlock = R"({"spec":{"volumeMode":"Block"}})";
  const std::string kAttributes = R"({"spec":{"volumeAttributesClassName":"vac1"}})";
  const std::string kDeleted =
      R"({"metadata":{"deletionTimestamp":"2024-05-01T12:00:00Z","finalizers":["x.com/y"]},
          "status":{"phase":"Available"}})";
  const std::string kManyWriters = R"({"spec":{"accessModes":["ReadWriteMany"]}})";
  for (const auto& [volume_changes, claim_changes] :
       {std::pair(std::string("{}"), kManyWriters),
        std::pair(std::string(R"({"spec":{"storageClassName":"x"}})"), std::string("{}")),
        std::pair(kBlock, std::string("{}")), std::pair(std::string("{}"), kBlock),
        std::pair(kAttributes, std::string("{}")), std::pair(kDeleted, std::string("{}")),
        std::pair(std::string("{}"), std::string(R"({"spec":{"accessModes":["Unknown"]}})"))}) {
    both(volume_changes, claim_changes);
    resync();
    EXPECT_EQ(claim_phase(), "Pending") << volume_changes << claim_changes;
    EXPECT_FALSE(volume()["spec"].find("claimRef") != nullptr) << volume_changes;
    cluster_.erase<Volume>({"", "v"});
    cluster_.erase<Claim>({"ns", "c"});
    run();
  }
}

TEST_F(BindingTest, PV010_ASelectorChoosesByLabels) {
  add_volume("a", R"({"metadata":{"labels":{"a":"1"}}})");
  add_volume("b", R"({"metadata":{"labels":{"a":"2"}},"spec":{"capacity":{"storage":"2Gi"}}})");
  run();
  add_claim("c", R"({"spec":{"selector":{"matchLabels":{"a":"2"}}}})");
  run();
  EXPECT_TRUE(is_bound("b", "c"));
}

TEST_F(BindingTest, PV011_TheAttributesClassMustBeEqual) {
  both(R"({"spec":{"volumeAttributesClassName":"vac1","hostPath":null,
           "csi":{"driver":"p.example.com","volumeHandle":"h"}}})",
       R"({"spec":{"volumeAttributesClassName":"vac1"}})");
  EXPECT_TRUE(is_bound("v", "c"));
  EXPECT_EQ(claim().text_at({"status", "currentVolumeAttributesClassName"}), "vac1");
}

TEST_F(BindingTest, PV013_AVolumeOfAnEarlierClaimIsNotTaken) {
  for (const char* phase : {"Released", "Failed"}) {
    add_claimed("v", "old", "uid-old", std::string(R"({"status":{"phase":")") + phase + "\"}}");
    add_claim("c");
    run();
    resync();
    EXPECT_EQ(claim_phase(), "Pending") << phase;
    EXPECT_EQ(volume().text_at({"spec", "claimRef", "uid"}), "uid-old");
    EXPECT_EQ(volume_phase(), phase);
  }
}

TEST_F(BindingTest, PV014_AReservedVolumeWins) {
  add_volume_of_size("free", "10Gi");
  add_claimed("v", "c", "", R"({"spec":{"capacity":{"storage":"50Gi"}}})");
  run();
  EXPECT_EQ(volume_phase(), "Available");
  add_claim_of_size("c", "5Gi");
  run();
  ASSERT_TRUE(is_bound("v", "c"));
  EXPECT_EQ(volume_annotation("v", "pv.kubernetes.io/bound-by-controller"), "");
  EXPECT_EQ(claim_annotation("c", "pv.kubernetes.io/bound-by-controller"), "yes");
  EXPECT_EQ(volume_phase("free"), "Available");
}

TEST_F(BindingTest, PV015_TheClassOfAReservedVolumeDoesNotMatter) {
  add_claimed("v", "c", "", R"({"spec":{"storageClassName":"other"}})");
  add_claim("c");
  run();
  EXPECT_TRUE(is_bound("v", "c"));
}

TEST_F(BindingTest, PV016_PV017_PV018_AReservedVolumeThatDoesNotFitIsNotTaken) {
  add_claimed("small", "c", "");
  add_claimed("vac", "c", "",
              R"({"spec":{"capacity":{"storage":"9Gi"},"volumeAttributesClassName":"vac1"}})");
  add_claimed("other", "d", "", R"({"spec":{"capacity":{"storage":"9Gi"}}})");
  add_claim_of_size("c", "5Gi");
  run();
  resync();
  EXPECT_EQ(claim_phase(), "Pending");
  for (const char* each : {"small", "vac", "other"}) {
    EXPECT_EQ(volume_phase(each), "Available");
    EXPECT_EQ(volume(each).text_at({"spec", "claimRef", "uid"}), "") << each;
  }
}

TEST_F(BindingTest, PV019_AClaimMayNameItsVolume) {
  both("{}", R"({"spec":{"volumeName":"v"}})");
  ASSERT_TRUE(is_bound("v", "c"));
  EXPECT_EQ(claim_annotation("c", "pv.kubernetes.io/bound-by-controller"), "");
  EXPECT_EQ(volume_annotation("v", "pv.kubernetes.io/bound-by-controller"), "yes");
}

TEST_F(BindingTest, PV020_PV021_ANamedVolumeThatDoesNotFitIsReported) {
  const std::string kDeleted =
      R"({"metadata":{"deletionTimestamp":"2024-05-01T12:00:00Z","finalizers":["x.com/y"]}})";
  for (const auto& [changes, text] :
       {std::pair(std::string(R"({"spec":{"capacity":{"storage":"1Mi"}}})"),
                  "requested PV is too small"),
        std::pair(std::string(R"({"spec":{"storageClassName":"x"}})"),
                  "storageClassName does not match"),
        std::pair(std::string(R"({"spec":{"volumeAttributesClassName":"x"}})"),
                  "volumeAttributesClassName does not match"),
        std::pair(std::string(R"({"spec":{"volumeMode":"Block"}})"), "incompatible volumeMode"),
        std::pair(std::string(R"({"spec":{"accessModes":["ReadOnlyMany"]}})"),
                  "incompatible accessMode"),
        std::pair(kDeleted, R"(the volume is marked for deletion "v")")}) {
    cluster_.clear_records();
    both(changes, R"({"spec":{"volumeName":"v"}})");
    const std::string event =
        std::string(R"(Warning VolumeMismatch Cannot bind to requested volume "v": )") + text;
    EXPECT_GE(times(event), 1) << event;
    const int before = times(event);
    resync();
    EXPECT_EQ(times(event), before + 1) << event;
    EXPECT_EQ(claim_phase(), "Pending");
    cluster_.erase<Volume>({"", "v"});
    cluster_.erase<Claim>({"ns", "c"});
    run();
  }
}

TEST_F(BindingTest, PV022_ANamedVolumeMayComeLater) {
  add_claim("c", R"({"spec":{"volumeName":"v"}})");
  run();
  resync();
  EXPECT_EQ(claim_phase(), "Pending");
  EXPECT_THAT(cluster_.events(), IsEmpty());
  add_volume("v");
  run();
  EXPECT_TRUE(is_bound("v", "c"));
}

TEST_F(BindingTest, PV023_PV024_ANamedVolumeOfAnotherIsReported) {
  add_claimed("v", "other", "");
  add_claim("c", R"({"spec":{"volumeName":"v"}})");
  run();
  const std::string event =
      R"(Warning FailedBinding volume "v" already bound to a different claim.)";
  EXPECT_EQ(times(event), 1);
  EXPECT_EQ(claim_phase(), "Pending");
  cluster_.merge<Claim>({"ns", "c"}, std::string(R"({"metadata":{"annotations":)") + kYes + "}}");
  cluster_.clear_records();
  cluster_.advance(3s);
  EXPECT_GE(times(event), 8) << "tried again with back-off";
  EXPECT_THAT(cluster_.syncs().back().error, HasSubstr(R"(volume already claimed by "ns/other")"));
}

TEST_F(BindingTest, PV025_PV026_AClaimWithoutItsVolumeIsLostUntilItReturns) {
  bind();
  cluster_.clear_records();
  cluster_.erase<Volume>({"", "v"});
  run();
  resync();
  EXPECT_EQ(claim_phase(), "Lost");
  EXPECT_EQ(claim()["status"].find("accessModes"), nullptr);
  EXPECT_EQ(claim()["status"].find("capacity"), nullptr);
  EXPECT_EQ(times("Warning ClaimLost Bound claim has lost its PersistentVolume. Data on the volume "
                  "is lost!"),
            1);
  add_volume("v");
  run();
  resync();
  EXPECT_TRUE(is_bound("v", "c"));
}

TEST_F(BindingTest, AVolumeThatOnlyTheCacheLacksIsNotLost) {
  cluster_.hold("persistentvolumes");
  add_claimed("v", "c", "uid-c");
  add_claim("c", R"({"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}},
                     "spec":{"volumeName":"v"}})");
  run();
  cluster_.advance(5s);
  EXPECT_EQ(claim_phase(), "Pending");
  EXPECT_THAT(cluster_.events(), IsEmpty());
  cluster_.release("persistentvolumes");
  run();
  EXPECT_TRUE(is_bound("v", "c"));
}

TEST_F(BindingTest, PV027_ACompletedClaimWithoutAVolumeIsLost) {
  add_claim("c", R"({"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}}})");
  run();
  resync();
  EXPECT_EQ(claim_phase(), "Lost");
  EXPECT_EQ(times("Warning ClaimLost Bound claim has lost reference to PersistentVolume. Data on "
                  "the volume is lost!"),
            1);
}

TEST_F(BindingTest, PV028_ASecondClaimOfAVolumeIsMisbound) {
  bind();
  const std::string before = claim().dump();
  add_claim("d", R"({"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}},
                     "spec":{"volumeName":"v"}})");
  run();
  EXPECT_EQ(claim_phase("d"), "Lost");
  EXPECT_EQ(
      times("Warning ClaimMisbound Two claims are bound to the same volume, this one is bound "
            "incorrectly"),
      1);
  EXPECT_EQ(claim().dump(), before);
  EXPECT_TRUE(is_bound("v", "c"));
}

TEST_F(BindingTest, PV029_AVolumeThatLostItsClaimRefIsBoundAgain) {
  bind();
  cluster_.merge<Volume>({"", "v"}, R"({"spec":{"claimRef":null}})");
  run();
  resync();
  EXPECT_TRUE(is_bound("v", "c"));
}

TEST_F(BindingTest, PV030_AStatusThatWasWipedIsRestored) {
  bind();
  cluster_.merge<Claim>({"ns", "c"}, R"({"status":null})");
  run();
  EXPECT_TRUE(is_bound("v", "c"));
  EXPECT_EQ(claim()["status"]["capacity"].dump(), R"({"storage":"1Gi"})");
  EXPECT_EQ(claim()["status"]["accessModes"].dump(), R"(["ReadWriteOnce"])");
}

TEST_F(BindingTest, PV031_AnAnnotationThatWasRemovedReturns) {
  bind();
  cluster_.merge<Claim>({"ns", "c"}, R"({"metadata":{"annotations":null}})");
  run();
  EXPECT_EQ(claim()["metadata"]["annotations"].dump(),
            R"({"pv.kubernetes.io/bind-completed":"yes"})");
}

TEST_F(BindingTest, PV032_ALaterSizeOfTheVolumeIsNotTakenOver) {
  bind();
  cluster_.merge<Volume>({"", "v"}, R"({"spec":{"capacity":{"storage":"16Gi"}}})");
  run();
  resync();
  EXPECT_EQ(claim().text_at({"status", "capacity", "storage"}), "1Gi");
}

TEST_F(BindingTest, PV033_AResizeThatHasBegunKeepsTheSizeFromBefore) {
  for (const auto& [value, capacity] : {std::pair("4Gi", "4Gi"), std::pair("x", "8Gi")}) {
    both(std::string(
             R"({"metadata":{"annotations":{"volume.alpha.kubernetes.io/pre-resize-capacity":")") +
         value + R"("}},"spec":{"capacity":{"storage":"8Gi"}}})");
    EXPECT_EQ(claim().text_at({"status", "capacity", "storage"}), capacity);
    cluster_.erase<Claim>({"ns", "c"});
    cluster_.erase<Volume>({"", "v"});
    run();
  }
}

TEST_F(BindingTest, PV073_AVolumeStaysReservedWhileTheClaimCannotBeWritten) {
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "persistentvolumeclaims",
                      .http_status = 422,
                      .reason = "Invalid",
                      .times = 5});
  add_volume("v");
  add_volume("w");
  run();
  add_claim("c");
  run();
  EXPECT_EQ(volume().text_at({"spec", "claimRef", "uid"}), claim_uid());
  EXPECT_EQ(volume_phase(), "Bound");
  EXPECT_EQ(volume_phase("w"), "Available");
  cluster_.advance(1s);
  EXPECT_TRUE(is_bound("v", "c"));
  EXPECT_EQ(volume_phase("w"), "Available");
}

TEST_F(BindingTest, PV074_AConflictAtAnyWriteEndsInOneBinding) {
  for (int skip = 0; skip < 4; ++skip) {
    add_volume("v");
    add_volume("w");
    run();
    cluster_.fail_next(
        {.verb = Verb::kPatch, .http_status = 409, .reason = "Conflict", .skip = skip});
    add_claim("c");
    cluster_.advance(1s);
    EXPECT_TRUE(is_bound("v", "c")) << skip;
    EXPECT_EQ(volume_phase("w"), "Available") << skip;
    for (const char* each : {"v", "w"}) cluster_.erase<Volume>({"", each});
    cluster_.erase<Claim>({"ns", "c"});
    run();
  }
}

TEST_F(BindingTest, PV075_ACrashAfterAnyWriteEndsInTheSameBinding) {
  for (int writes = 1; writes <= 4; ++writes) {
    // A claim that finds the smaller volume, and one more that would fit later.
    add_volume("v");
    run();
    cluster_.fail_next({.verb = Verb::kPatch,
                        .http_status = 500,
                        .times = testing::Fault::kAlways,
                        .skip = writes});
    add_claim("c");
    cluster_.run_one_sync();
    cluster_.stop(kBinder);
    cluster_.clear_faults();
    add_volume("a", R"({"status":{"phase":"Available"}})");
    start();
    resync();
    EXPECT_TRUE(is_bound("v", "c")) << writes;
    EXPECT_EQ(volume("a")["spec"].find("claimRef"), nullptr) << writes;
    for (const char* each : {"v", "a"}) cluster_.erase<Volume>({"", each});
    cluster_.erase<Claim>({"ns", "c"});
    run();
  }
}

TEST_F(BindingTest, PV076_ManyClaimsAndVolumesAreBoundOneToOne) {
  constexpr int kCount = 100;
  for (int i = 0; i < kCount; ++i) {
    add_volume("v" + std::to_string(i));
    add_claim("c" + std::to_string(i));
  }
  run();
  resync();
  std::set<std::string> taken;
  for (const Claim& each : cluster_.all<Claim>()) {
    const std::string volume(each.volume_name());
    EXPECT_TRUE(is_bound(volume, std::string(each.name()))) << each.name();
    taken.insert(volume);
  }
  EXPECT_EQ(taken.size(), static_cast<std::size_t>(kCount));
}

TEST_F(BindingTest, PV092_AClaimThatIsBeingDeletedIsBound) {
  both("{}",
       R"({"metadata":{"deletionTimestamp":"2024-05-01T12:00:00Z","finalizers":["x.com/y"]}})");
  EXPECT_TRUE(is_bound("v", "c"));
}

TEST_F(BindingTest, PV093_TheRestOfTheStatusIsKept) {
  both("{}", R"({"status":{"conditions":[{"type":"X","status":"True"}],
                           "allocatedResources":{"storage":"3Gi"}}})");
  ASSERT_TRUE(is_bound("v", "c"));
  EXPECT_EQ(claim().text_at({"status", "allocatedResources", "storage"}), "3Gi");
  EXPECT_THAT(claim()["status"]["conditions"].dump(), HasSubstr(R"("type":"X")"));
}

TEST_F(BindingTest, PV094_AVolumeWithoutASizeIsAnError) {
  add_claimed("v", "c", "", R"({"spec":{"capacity":null}})");
  add_claim("c", R"({"spec":{"volumeName":"v"}})");
  run();
  EXPECT_EQ(claim_phase(), "Pending");
  const auto claim = cluster_.find<Claim>({"ns", "c"});
  const auto patch =
      claim_status_patch(Target(*claim), *claim, "Bound", cluster_.find<Volume>({"", "v"}));
  EXPECT_EQ(patch.error().message(), R"(PersistentVolume "v" is without a storage capacity)");
}

TEST_F(BindingTest, PV095_SizesAreComparedExactly) {
  add_volume_of_size("v", "1e30");
  run();
  for (const char* size : {"9223372036854775807", "500m", "1m"}) {
    add_claim_of_size("c", size);
    run();
    EXPECT_TRUE(is_bound("v", "c")) << size;
    cluster_.erase<Claim>({"ns", "c"});
    run();
    cluster_.merge<Volume>({"", "v"}, R"({"spec":{"claimRef":null}})");
    run();
  }
  add_volume_of_size("w", "1");
  cluster_.erase<Volume>({"", "v"});
  add_claim_of_size("c", "1001m");
  run();
  resync();
  EXPECT_EQ(claim_phase(), "Pending");
}

TEST_F(BindingTest, PV096_TheWallClockDoesNotMatter) {
  cluster_.set_wall_clock(cluster_.wall_now() + 10h);
  both("{}");
  EXPECT_TRUE(is_bound("v", "c"));
  cluster_.set_wall_clock(cluster_.wall_now() - 20h);
  add_claim("d");
  run();
  add_volume("w");
  run();
  resync();
  EXPECT_TRUE(is_bound("w", "d"));
}

TEST_F(BindingTest, PV097_AStalledCacheLeadsToNoSecondVolume) {
  add_volume("v");
  add_volume("w");
  run();
  cluster_.hold("persistentvolumes");
  cluster_.fail_next({.verb = Verb::kPatch, .resource = "persistentvolumeclaims", .times = 3});
  add_claim("c");
  run();
  for (int i = 0; i < 3; ++i) {
    cluster_.merge<Claim>({"ns", "c"},
                          R"({"metadata":{"labels":{"n":")" + std::to_string(i) + "\"}}}");
    cluster_.advance(20s);
  }
  EXPECT_EQ(volume("w")["spec"].find("claimRef"), nullptr);
  cluster_.release("persistentvolumes");
  run();
  resync();
  EXPECT_TRUE(is_bound("v", "c"));
  EXPECT_EQ(volume("w")["spec"].find("claimRef"), nullptr);
}

TEST_F(BindingTest, TwoClaimsCompeteForOneVolumeThatTheCacheShowsAsFree) {
  add_volume("v");
  run();
  cluster_.hold("persistentvolumes");
  add_claim("c");
  add_claim("d");
  run();
  cluster_.advance(1min);
  cluster_.release("persistentvolumes");
  run();
  resync();
  EXPECT_NE(is_bound("v", "c"), is_bound("v", "d"));
  EXPECT_NE(claim_phase("c"), claim_phase("d"));
}

TEST_F(BindingTest, PV098_BoundPairsCostNothing) {
  constexpr int kMany = 1000;
  for (int i = 0; i < kMany; ++i) {
    const std::string number = std::to_string(i);
    add_claimed("v" + number, "c" + number, "uid-c" + number, R"({"status":{"phase":"Bound"}})");
    add_claim("c" + number,
              R"({"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}},
                  "spec":{"volumeName":"v)" +
                  number + R"("},"status":{"phase":"Bound","accessModes":["ReadWriteOnce"],
                  "capacity":{"storage":"1Gi"}}})");
  }
  run();
  resync();
  ASSERT_TRUE(is_bound("v7", "c7"));
  cluster_.clear_records();
  resync();
  EXPECT_GE(cluster_.syncs().size(), 2U * kMany) << "each was looked at";
  EXPECT_THAT(requests(), IsEmpty());
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(BindingTest, PV106_OfAReservedAndAFreeVolumeOneIsTaken) {
  add_claimed("v", "c", "", R"({"spec":{"accessModes":["ReadWriteOnce","ReadOnlyMany"]}})");
  add_volume("w");
  run();
  add_claim("c");
  run();
  EXPECT_TRUE(is_bound("v", "c"));
  EXPECT_EQ(volume_phase("w"), "Available");
}

TEST_F(BindingTest, PV110_AReservedVolumeIsBoundAtTheStart) {
  cluster_.stop(kBinder);
  add_claim("c");
  add_claimed("v", "c", "uid-c");
  start();
  EXPECT_TRUE(is_bound("v", "c"));
}

}  // namespace
}  // namespace davit::volumebinder
