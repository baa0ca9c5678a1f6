/// Rows PV034 to PV044, those on the policy Delete, and those on metrics.
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

#include "tests/plugins/volumebinder/fixture.hpp"

namespace davit::volumebinder {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

constexpr const char* kCsiDelete =
    R"({"metadata":{"annotations":{"pv.kubernetes.io/provisioned-by":"example.com/p"}},
        "spec":{"persistentVolumeReclaimPolicy":"Delete","hostPath":null,
                "csi":{"driver":"p.example.com","volumeHandle":"h"}}})";

class ReleaseTest : public BinderTest {
 protected:
  void SetUp() override { start(); }
  void delete_claim(const std::string& name = "c") {
    cluster_.erase<Claim>({"ns", name});
    run();
  }
  [[nodiscard]] std::size_t deletions() const {
    return cluster_.requests_of(Verb::kDelete, "persistentvolumes").size();
  }
  /// A released volume of the policy Delete with these members.
  void add_released(const std::string& changes) {
    add_claimed("v", "c", "uid-gone", R"({"spec":{"persistentVolumeReclaimPolicy":"Delete"}})");
    cluster_.merge<Volume>({"", "v"}, changes);
    run();
  }
};

TEST_F(ReleaseTest, PV034_ARetainedVolumeIsReleasedAndStays) {
  bind();
  delete_claim();
  resync();
  EXPECT_EQ(volume_phase(), "Released");
  EXPECT_EQ(volume().text_at({"spec", "claimRef", "uid"}), "uid-c");
  EXPECT_EQ(deletions(), 0U);
}

TEST_F(ReleaseTest, PV035_AClaimOfTheSameNameDoesNotGetAReleasedVolume) {
  bind();
  delete_claim();
  add_claim("c", R"({"metadata":{"uid":"uid-next"}})");
  run();
  resync();
  EXPECT_EQ(claim_phase(), "Pending");
  EXPECT_EQ(volume_phase(), "Released");
  EXPECT_EQ(volume().text_at({"spec", "claimRef", "uid"}), "uid-c");
}

TEST_F(ReleaseTest, PV036_AnAdministratorMakesAReleasedVolumeAvailable) {
  for (const char* patch :
       {R"({"spec":{"claimRef":{"uid":null}}})", R"({"spec":{"claimRef":null}})"}) {
    bind();
    delete_claim();
    ASSERT_EQ(volume_phase(), "Released");
    cluster_.merge<Volume>({"", "v"}, patch);
    run();
    EXPECT_EQ(volume_phase(), "Available") << patch;
    cluster_.erase<Volume>({"", "v"});
    run();
  }
}

TEST_F(ReleaseTest, PV037_OneReadConfirmsThatAClaimIsGone) {
  add_claimed("v", "c", "uid-gone");
  run();
  resync();
  EXPECT_EQ(volume_phase(), "Released");
  EXPECT_THAT(requests(), ElementsAre("get persistentvolumeclaims/c 404",
                                      "patch persistentvolumes/v/status 200"));
}

TEST_F(ReleaseTest, PV038_AClaimThatTheCacheLacksReleasesNothing) {
  cluster_.hold("persistentvolumeclaims");
  add_claim("c");
  add_claimed("v", "c", "uid-c", kCsiDelete);
  run();
  resync();
  EXPECT_NE(volume_phase(), "Released");
  EXPECT_EQ(cluster_.requests_of(Verb::kPatch, "persistentvolumes", "status").size(), 0U);
  cluster_.release("persistentvolumeclaims");
  run();
  EXPECT_TRUE(is_bound("v", "c"));
}

TEST_F(ReleaseTest, PV039_AClaimThatWasReplacedReleasesTheVolume) {
  bind("v", "c", kCsiDelete);
  cluster_.hold("persistentvolumeclaims");
  cluster_.erase<Claim>({"ns", "c"});
  add_claim("c", R"({"metadata":{"uid":"uid-next"}})");
  const std::string before = claim().dump();
  cluster_.merge<Volume>({"", "v"}, R"({"metadata":{"labels":{"a":"b"}}})");
  run();
  EXPECT_EQ(claim().dump(), before);
  cluster_.release("persistentvolumeclaims");
  run();
  EXPECT_EQ(volume_phase(), "Released");
  EXPECT_NE(claim_phase(), "Bound");
}

TEST_F(ReleaseTest, AVolumeOfANewerClaimThanTheCacheHasIsNotReleased) {
  add_claim("c", R"({"metadata":{"uid":"uid-old"}})");
  run();
  cluster_.hold("persistentvolumeclaims");
  cluster_.erase<Claim>({"ns", "c"});
  add_claim("c", R"({"metadata":{"uid":"uid-next"}})");
  add_claimed("v", "c", "uid-next", kCsiDelete);
  run();
  resync();
  EXPECT_NE(volume_phase(), "Released");
  cluster_.release("persistentvolumeclaims");
  run();
  EXPECT_TRUE(is_bound("v", "c"));
}

TEST_F(ReleaseTest, PV040_AFailedReadOfTheClaimReleasesNothing) {
  cluster_.fail_next({.verb = Verb::kGet, .resource = "persistentvolumeclaims", .times = 3});
  add_claimed("v", "c", "uid-gone");
  run();
  EXPECT_NE(volume_phase(), "Released");
  cluster_.advance(1s);
  EXPECT_EQ(volume_phase(), "Released");
}

TEST_F(ReleaseTest, PV041_PV042_AVolumeOfAClaimThatIsBoundElsewhereIsFreed) {
  bind("pvb", "cb");
  add_claimed("v", "cb", "uid-cb");
  add_claimed("w", "cb", "uid-cb", std::string(R"({"metadata":{"annotations":)") + kYes + "}}");
  run();
  EXPECT_EQ(volume_phase("v"), "Available");
  EXPECT_EQ(volume("v").text_at({"spec", "claimRef", "name"}), "cb");
  EXPECT_EQ(volume("v").text_at({"spec", "claimRef", "uid"}), "");
  EXPECT_EQ(volume_phase("w"), "Available");
  EXPECT_EQ(volume("w")["spec"].find("claimRef"), nullptr);
  EXPECT_EQ(volume_annotation("w", "pv.kubernetes.io/bound-by-controller"), "");
  EXPECT_TRUE(is_bound("pvb", "cb"));
}

TEST_F(ReleaseTest, PV043_AProvisionedVolumeOfSuchAClaimIsReleased) {
  bind("pvb", "cb");
  add_claimed("v", "cb", "uid-cb", kCsiDelete);
  run();
  EXPECT_EQ(volume_phase("v"), "Released");
  EXPECT_EQ(volume("v").text_at({"spec", "claimRef", "uid"}), "uid-cb");
}

TEST_F(ReleaseTest, PV044_ModesThatDifferAreReportedOnBoth) {
  add_claim("c");
  add_claimed("v", "c", "uid-c", R"({"spec":{"volumeMode":"Block"}})");
  run();
  EXPECT_THAT(cluster_.event_texts(),
              Contains("Warning VolumeMismatch Cannot bind PersistentVolume to requested "
                       "PersistentVolumeClaim \"c\" due to incompatible volumeMode."));
  EXPECT_THAT(cluster_.event_texts(),
              Contains("Warning VolumeMismatch Cannot bind PersistentVolume \"v\" to requested "
                       "PersistentVolumeClaim due to incompatible volumeMode."));
  EXPECT_EQ(claim_phase(), "Pending");
}

TEST_F(ReleaseTest, PV048_PV049_AnExternalVolumeIsReleasedAndNeverDeletedHere) {
  for (const char* changes :
       {kCsiDelete, R"({"spec":{"persistentVolumeReclaimPolicy":"Delete","hostPath":null,
                        "csi":{"driver":"d","volumeHandle":"h"}}})"}) {
    bind("v", "c", changes);
    cluster_.clear_records();
    delete_claim();
    resync();
    EXPECT_EQ(volume_phase(), "Released");
    EXPECT_EQ(deletions(), 0U);
    EXPECT_THAT(cluster_.events(), IsEmpty());
    cluster_.erase<Volume>({"", "v"});
    run();
  }
}

TEST_F(ReleaseTest, PV053_PV055_AMigratedProvisionerIsNamed) {
  add_claim("c", R"({"metadata":{"annotations":
      {"volume.kubernetes.io/storage-provisioner":"kubernetes.io/gce-pd"}}})");
  add_volume("v", R"({"metadata":{"annotations":{"pv.kubernetes.io/provisioned-by":"example.com/p",
      "pv.kubernetes.io/migrated-to":"x"}},"spec":{"storageClassName":"s"}})");
  run();
  EXPECT_EQ(claim_annotation("c", "pv.kubernetes.io/migrated-to"), "pd.csi.storage.gke.io");
  EXPECT_EQ(volume_annotation("v", "pv.kubernetes.io/migrated-to"), "");
}

TEST_F(ReleaseTest, PV054_PV103_AMigratedVolumeIsLeftToItsDriver) {
  add_released(R"({"metadata":{"finalizers":["kubernetes.io/pv-controller"],"annotations":
      {"pv.kubernetes.io/provisioned-by":"kubernetes.io/aws-ebs"}}})");
  resync();
  EXPECT_EQ(volume_annotation("v", "pv.kubernetes.io/migrated-to"), "ebs.csi.aws.com");
  EXPECT_EQ(volume()["metadata"].find("finalizers"), nullptr);
  EXPECT_EQ(volume_phase(), "Released");
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(ReleaseTest, PV089_NoPathOfTheMachineIsDeleted) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / ("pv089-" + std::to_string(getpid()));
  fs::create_directories(folder / "kept");
  fs::create_directory_symlink(folder / "kept", folder / "link");
  for (const fs::path& path : {folder / "kept", folder / "link", folder / "link" / ".." / "kept",
                               fs::path("/data") / "tmp" / "x"}) {
    add_claimed("v", "c", "uid-c",
                R"({"spec":{"persistentVolumeReclaimPolicy":"Delete",
        "hostPath":{"path":")" +
                    path.string() + R"("}}})");
    run();
    EXPECT_EQ(volume_phase(), "Failed") << path;
    EXPECT_EQ(volume().text_at({"status", "message"}),
              "deleting hostPath volumes is disabled in this controller manager");
    resync();
    EXPECT_EQ(deletions(), 0U);
    cluster_.erase<Volume>({"", "v"});
    run();
  }
  EXPECT_TRUE(fs::is_directory(folder / "kept"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  fs::remove_all(folder);
}

TEST_F(ReleaseTest, PV084_PV085_PV088_PV090_PV105_AVolumeThatNoPluginDeletesFails) {
  const std::string kPath = R"({"spec":{"hostPath":null,)";
  const std::string kBy = R"({"metadata":{"annotations":{"pv.kubernetes.io/provisioned-by":")";
  const std::string kDeleter = R"(error getting deleter volume plugin for volume "v": )";
  for (const auto& [changes, text] :
       {std::pair(kPath + R"("nfs":{"server":"s","path":"/"}}})",
                  kDeleter + "no deletable volume plugin matched"),
        std::pair(kPath + R"("iscsi":{"targetPortal":"t","iqn":"i","lun":0}}})",
                  kDeleter + "no volume plugin matched"),
        std::pair(std::string("{}"),
                  std::string("deleting hostPath volumes is disabled in this controller manager")),
        std::pair(kBy + R"(kubernetes.io/nfs"}}})",
                  std::string("no deletable volume plugin matched")),
        std::pair(kBy + R"(kubernetes.io/iscsi"}}})",
                  std::string("no volume plugin matched name: kubernetes.io/iscsi"))}) {
    cluster_.clear_records();
    add_released(changes);
    EXPECT_EQ(volume_phase(), "Failed") << text;
    EXPECT_EQ(volume().text_at({"status", "message"}), text);
    EXPECT_EQ(times("Warning VolumeFailedDelete " + text), 1);
    resync();
    resync();
    EXPECT_EQ(times("Warning VolumeFailedDelete " + text), 1);
    EXPECT_EQ(deletions(), 0U);
    cluster_.erase<Volume>({"", "v"});
    run();
  }
}

TEST_F(ReleaseTest, PV086_PV087_TheInTreeFinalizerFollowsThePolicy) {
  constexpr const char* kBy =
      R"({"metadata":{"annotations":{"pv.kubernetes.io/provisioned-by":"kubernetes.io/foo"}},
          "spec":{"persistentVolumeReclaimPolicy":"Delete"}})";
  bind("v", "c", kBy);
  EXPECT_EQ(volume()["metadata"]["finalizers"].dump(), R"(["kubernetes.io/pv-controller"])");
  delete_claim();
  EXPECT_EQ(volume_phase(), "Failed");
  EXPECT_EQ(volume().text_at({"status", "message"}),
            "no volume plugin matched name: kubernetes.io/foo");
  cluster_.merge<Volume>({"", "v"}, R"({"spec":{"persistentVolumeReclaimPolicy":"Retain"}})");
  run();
  EXPECT_EQ(volume()["metadata"].find("finalizers"), nullptr);
  EXPECT_EQ(volume_phase(), "Failed");
}

TEST_F(ReleaseTest, PV107_TheInTreeFinalizerDoesNotReturn) {
  add_claimed("v", "c", "uid-gone",
              R"({"metadata":{"deletionTimestamp":"2024-05-01T12:00:00Z","finalizers":["x.com/y"],
                  "annotations":{"pv.kubernetes.io/provisioned-by":"kubernetes.io/foo"}},
                  "spec":{"persistentVolumeReclaimPolicy":"Delete"},
                  "status":{"phase":"Released"}})");
  run();
  resync();
  EXPECT_EQ(volume()["metadata"]["finalizers"].dump(), R"(["x.com/y"])");
}

TEST_F(ReleaseTest, PV091_AVolumeThatIsDeletedFirstWaitsForItsClaim) {
  bind("v", "c", kCsiDelete);
  cluster_.merge<Volume>({"", "v"}, R"({"metadata":{"finalizers":["kubernetes.io/pv-protection"],
      "deletionTimestamp":"2024-05-01T12:00:00Z"}})");
  run();
  resync();
  EXPECT_TRUE(is_bound("v", "c"));
  delete_claim();
  EXPECT_EQ(volume_phase(), "Released");
}

TEST_F(ReleaseTest, PV099_ObjectsAreCounted) {
  bind();
  add_claim("d");
  add_volume("w", kCsiDelete);
  run();
  const auto gauge = [this](const std::string& name, const std::vector<std::string>& labels) {
    return metric("pv_collector_" + name, labels, true);
  };
  EXPECT_EQ(gauge("bound_pv_count", {""}), 1);
  EXPECT_EQ(gauge("unbound_pv_count", {""}), 1);
  EXPECT_EQ(gauge("bound_pvc_count", {"ns", "", ""}), 1);
  EXPECT_EQ(gauge("unbound_pvc_count", {"ns", "", ""}), 1);
  EXPECT_EQ(gauge("total_pv_count", {"kubernetes.io/host-path", "Filesystem"}), 1);
  EXPECT_EQ(gauge("total_pv_count", {"N/A", "Filesystem"}), 1);
}

TEST_F(ReleaseTest, PV101_ClaimsThatVanishWithTheirNamespaceReleaseTheirVolumes) {
  bind("v", "c");
  bind("w", "d");
  cluster_.erase<Claim>({"ns", "c"});
  cluster_.erase<Claim>({"ns", "d"});
  run();
  EXPECT_EQ(volume_phase("v"), "Released");
  EXPECT_EQ(volume_phase("w"), "Released");
}

TEST_F(ReleaseTest, AnUnknownPolicyIsReported) {
  add_claimed("v", "c", "uid-gone", R"({"spec":{"persistentVolumeReclaimPolicy":"Shred"}})");
  run();
  EXPECT_EQ(volume_phase(), "Failed");
  EXPECT_EQ(times("Warning VolumeUnknownReclaimPolicy Volume has unrecognized "
                  "PersistentVolumeReclaimPolicy"),
            1);
}

}  // namespace
}  // namespace davit::volumebinder
