/// Rows EXP01 to EXP08.
#include "plugins/volumebinder/volume_expander.hpp"

#include <davit/options.hpp>
#include <string>

#include "tests/plugins/volumebinder/fixture.hpp"

namespace davit::volumebinder {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class ExpanderTest : public BinderTest {
 protected:
  static constexpr const char* kExpander = "persistentvolume-expander-controller";
  static constexpr const char* kWaits =
      "Normal ExternalExpanding waiting for an external controller to expand this PVC";

  void SetUp() override { start_expander(); }
  void start_expander() {
    ASSERT_TRUE(cluster_.start(kExpander, &make_without_options<VolumeExpander>).ok());
    run();
  }
  /// A claim of 1Gi that is bound to the volume `v`.
  void add_bound(const std::string& volume_changes = "{}") {
    add_claim("c", R"({"spec":{"volumeName":"v"},
        "status":{"phase":"Bound","capacity":{"storage":"1Gi"}}})");
    add_claimed("v", "c", "uid-c", volume_changes);
    run();
    cluster_.clear_records();
  }
  void ask_for(const std::string& size) {
    cluster_.merge<Claim>({"ns", "c"},
                          R"({"spec":{"resources":{"requests":{"storage":")" + size + "\"}}}}");
    run();
  }
};

TEST_F(ExpanderTest, EXP01_EXP02_AClaimThatGrowsIsReported) {
  for (const char* changes :
       {R"({"spec":{"hostPath":null,"csi":{"driver":"d","volumeHandle":"h"}}})", "{}"}) {
    add_bound(changes);
    ask_for("5Gi");
    EXPECT_THAT(cluster_.event_texts(), ElementsAre(kWaits));
    EXPECT_THAT(writes(), IsEmpty());
  }
}

TEST_F(ExpanderTest, EXP03_TheResizerOfAMigratedVolumeIsNamed) {
  add_bound(R"({"spec":{"hostPath":null,"awsElasticBlockStore":{"volumeID":"x"}}})");
  ask_for("5Gi");
  EXPECT_THAT(
      cluster_.event_texts(),
      ElementsAre("Normal ExternalExpanding CSI migration enabled for kubernetes.io/aws-ebs; "
                  "waiting for external resizer to expand the pvc"));
  EXPECT_THAT(writes(), ElementsAre("patch persistentvolumeclaims/c/status 200"));
  EXPECT_EQ(claim_annotation("c", "volume.kubernetes.io/storage-resizer"), "ebs.csi.aws.com");
  ask_for("6Gi");
  EXPECT_EQ(writes().size(), 1U);
}

TEST_F(ExpanderTest, EXP04_AResizeThatHasBegunIsReportedAgain) {
  add_bound(
      R"({"metadata":{"annotations":{"volume.alpha.kubernetes.io/pre-resize-capacity":"1Gi"}}})");
  ask_for("5Gi");
  cluster_.clear_records();
  cluster_.merge<Claim>({"ns", "c"}, R"({"status":{"capacity":{"storage":"5Gi"}}})");
  run();
  EXPECT_THAT(cluster_.event_texts(), ElementsAre(kWaits));
  EXPECT_EQ(volume_annotation("v", "volume.alpha.kubernetes.io/pre-resize-capacity"), "1Gi");
}

TEST_F(ExpanderTest, EXP05_AClaimThatIsNotBoundIsLeftAlone) {
  add_claim("c");
  run();
  ask_for("5Gi");
  EXPECT_THAT(requests(), IsEmpty());
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(ExpanderTest, EXP06_EXP07_AVolumeThatIsMissingOrOfAnotherIsTriedAgain) {
  add_bound(R"({"spec":{"claimRef":{"uid":"uid-other"}}})");
  ask_for("5Gi");
  cluster_.advance(1s);
  EXPECT_GE(requests().size(), 3U);
  EXPECT_THAT(cluster_.events(), IsEmpty());
  cluster_.erase<Volume>({"", "v"});
  cluster_.clear_records();
  cluster_.advance(1min);
  EXPECT_GE(requests().size(), 1U);
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(ExpanderTest, EXP08_AClaimThatIsTooSmallAtTheStartIsReportedOnce) {
  cluster_.stop(kExpander);
  add_bound();
  ask_for("5Gi");
  start_expander();
  EXPECT_THAT(cluster_.event_texts(), ElementsAre(kWaits));
}

}  // namespace
}  // namespace davit::volumebinder
