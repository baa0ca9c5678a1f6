/// Rows CC129 to CC133, CC135, CC137 and CC138: the kinds of volumes, their drivers and claims.
#include <string>

#include "tests/plugins/selinuxwarning/fixture.hpp"

namespace davit::selinuxwarning {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

class VolumesTest : public SelinuxWarningTest {
 protected:
  void SetUp() override {
    add_world();
    start();
  }
  /// Two pods with different levels on a volume of this source; the Events about them.
  std::vector<std::string> conflicts_on(const std::string& name, const std::string& source) {
    add_volume(name, source);
    add_user(name + "1", "s0:c1", name);
    add_user(name + "2", "s0:c2", name);
    return events();
  }
};

TEST_F(VolumesTest, CC129_VolumesOfADriverThatMountsWithoutLabelsDoNotConflict) {
  EXPECT_THAT(conflicts_on("q", csi("b.csi", "h")), IsEmpty());
  EXPECT_THAT(conflicts_on("r", csi("unknown.csi", "h")), IsEmpty());
}

TEST_F(VolumesTest, CC130_ADriverThatBeginsToMountWithLabelsBringsConflicts) {
  EXPECT_THAT(conflicts_on("q", csi("b.csi", "h")), IsEmpty());
  add_driver("b.csi", "true");
  settle();
  EXPECT_THAT(events(), UnorderedElementsAre(label_conflict("q1", ":::s0:c1", "q2", ":::s0:c2"),
                                             label_conflict("q2", ":::s0:c2", "q1", ":::s0:c1")));
  EXPECT_THAT(series(), SizeIs(2));
}

TEST_F(VolumesTest, CC131_ADriverThatIsGoneEndsConflicts) {
  add_user("a1", "s0:c1");
  add_user("a2", "s0:c2");
  EXPECT_THAT(events(), SizeIs(2));
  ASSERT_TRUE(cluster_.erase<volumes::CsiDriver>({"", "a.csi"}));
  settle();
  add_user("a3", "s0:c3");
  EXPECT_THAT(events(), IsEmpty());
  add_driver("a.csi", "true");
  settle();
  EXPECT_THAT(events(), SizeIs(6)) << "they had been forgotten";
}

TEST_F(VolumesTest, CC132_AccessModesDoNotMatter) {
  EXPECT_THAT(conflicts_on("x", R"({"accessModes":["ReadWriteMany"],
      "csi":{"driver":"a.csi","volumeHandle":"hx"}})"),
              SizeIs(2));
  EXPECT_THAT(conflicts_on("y", R"({"accessModes":["ReadWriteOncePod"],
      "csi":{"driver":"a.csi","volumeHandle":"hy"}})"),
              SizeIs(2));
}

TEST_F(VolumesTest, CC133_IscsiAndFibreChannelConflictAndFileSystemsDoNot) {
  EXPECT_THAT(conflicts_on("i", R"({"iscsi":{"targetPortal":"1.2.3.4:3260",
      "iqn":"iqn.2001-04.com.example:storage","lun":7}})"),
              SizeIs(2));
  EXPECT_THAT(conflicts_on("f", R"({"fc":{"targetWWNs":["500a0982991b8dc5"],"lun":2}})"),
              SizeIs(2));
  EXPECT_THAT(conflicts_on("n", R"({"nfs":{"server":"s","path":"/"}})"), IsEmpty());
  EXPECT_THAT(conflicts_on("h", R"({"hostPath":{"path":"/x"}})"), IsEmpty());
  EXPECT_THAT(conflicts_on("l", R"({"local":{"path":"/x"}})"), IsEmpty());
}

TEST_F(VolumesTest, AnInTreeVolumeCountsAsItsDrivers) {
  const std::string source = R"({"awsElasticBlockStore":{"volumeID":"vol-1"}})";
  EXPECT_THAT(conflicts_on("e", source), IsEmpty());
  add_pod("e3", level("s0:c3"), source);
  add_driver("ebs.csi.aws.com", "true");
  settle();
  EXPECT_THAT(events(), SizeIs(6)) << "e1, e2 and the inline volume of e3";
}

TEST_F(VolumesTest, CC135_AConflictIsReportedWhenTheClaimIsBound) {
  add_claim("late", "Pending");
  add_user("a1", "s0:c1", "late");
  add_user("a2", "s0:c2", "late");
  EXPECT_THAT(events(), IsEmpty());
  add_persistent_volume("late", csi("a.csi", "h-late"));
  add_claim("late", "Bound");
  settle();
  EXPECT_THAT(events(), SizeIs(2));
}

TEST_F(VolumesTest, AClaimThatOnlyChangesItsPhaseIsSeenByTheRetry) {
  add_persistent_volume("late", csi("a.csi", "h-late"));
  add_claim("late", "Bound");
  cluster_.merge<volumes::Claim>({"default", "late"}, R"({"status":{"phase":"Pending"}})");
  add_user("a1", "s0:c1", "late");
  add_user("a2", "s0:c2", "late");
  EXPECT_THAT(events(), IsEmpty());
  cluster_.merge<volumes::Claim>({"default", "late"}, R"({"status":{"phase":"Bound"}})");
  cluster_.advance(1s);
  EXPECT_THAT(events(), SizeIs(2));
}

TEST_F(VolumesTest, AnEphemeralClaimCountsOnlyIfThePodOwnsIt) {
  const std::string volume =
      R"({"ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],
          "resources":{"requests":{"storage":"1Gi"}}}}}})";
  add_volume("e1-v0", csi("a.csi", "shared"));
  add_volume("other", csi("a.csi", "shared"));
  add_user("o", "s0:c1", "other");
  add_pod("e1", level("s0:c2"), volume);
  EXPECT_THAT(events(), IsEmpty()) << "a stranger's claim";
  const std::string uid(cluster_.find<Pod>({"default", "e1"})->uid());
  cluster_.merge<volumes::Claim>(
      {"default", "e1-v0"},
      R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"e1","uid":")" +
          uid + R"(","controller":true}]}})");
  cluster_.advance(1s);
  EXPECT_THAT(events(), SizeIs(2));
}

TEST_F(VolumesTest, CC137_AnInlineVolumeOfADriverIsLeftOut) {
  add_pod("i", level("s0:c1"), R"({"csi":{"driver":"a.csi"}})");
  EXPECT_EQ(cluster_.next_due_in(), std::nullopt) << "X9: nothing is tried again";
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(VolumesTest, CC138_APodOfAnotherNamespaceIsNotNamed) {
  add_volume("here", csi("a.csi", "shared"));
  add_volume("there", csi("a.csi", "shared"), "other");
  add_user("a", "s0:c1", "here");
  add_user("b", "s0:c2", "there", "other");
  const std::string text =
      " conflicts with another pod that uses the same volume as this pod with a different "
      "SELinuxLabel";
  EXPECT_THAT(events(), UnorderedElementsAre(
                            "a: Normal SELinuxLabelConflict SELinuxLabel\":::s0:c1\"" + text,
                            "b: Normal SELinuxLabelConflict SELinuxLabel\":::s0:c2\"" + text));
}

}  // namespace
}  // namespace davit::selinuxwarning
