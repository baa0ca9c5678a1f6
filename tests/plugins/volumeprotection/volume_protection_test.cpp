/// Rows PROT-14 to PROT-17 and PROT-26 of volumes.
#include "plugins/volumeprotection/volume_protection.hpp"

#include <davit/options.hpp>
#include <utility>

#include "tests/plugins/volumeprotection/fixture.hpp"

namespace davit::volumeprotection {
namespace {

using ::testing::IsEmpty;
using namespace std::chrono_literals;

class VolumeProtectionTest : public ProtectionTest {
 protected:
  static constexpr const char* kController = "persistentvolume-protection-controller";
  static constexpr const char* kOwn = R"(["kubernetes.io/pv-protection"])";

  void SetUp() override { start(); }
  void TearDown() override {
    for (const testing::RequestRecord& each : cluster_.requests()) {
      EXPECT_EQ(each.verb, Verb::kPatch) << "it never deletes: " << each.text();
    }
    ProtectionTest::TearDown();
  }
  void start() { ProtectionTest::start(kController, &make_without_options<VolumeProtection>); }
  void add_volume(const std::string& phase, const std::string& finalizers = kOwn) {
    cluster_.add(R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v",
        "finalizers":)" +
                 finalizers + R"(},"spec":{"accessModes":["ReadWriteOnce"],
        "capacity":{"storage":"1Gi"},"hostPath":{"path":"/x"},
        "persistentVolumeReclaimPolicy":"Retain"},"status":{"phase":")" +
                 phase + R"("}})");
    settle();
  }
  void set_phase(const std::string& phase) {
    cluster_.merge<volumes::Volume>(kVolume, R"({"status":{"phase":")" + phase + R"("}})");
  }
  void remove_volume() {
    cluster_.clear_records();
    cluster_.remove<volumes::Volume>(kVolume);
    settle();
  }
  [[nodiscard]] bool has_volume() { return has<volumes::Volume>(kVolume); }

  bool bound_ = false;
  const Key kVolume{.ns = "", .name = "v"};
};

TEST_F(VolumeProtectionTest, PROT14_AnUnboundVolumeGoes) {
  for (const char* phase : {"Pending", "Available", "Released", "Failed"}) {
    add_volume(phase);
    remove_volume();
    EXPECT_FALSE(has_volume()) << phase;
  }
  EXPECT_NE(cluster_.writes().front().json().text_at({"metadata", "resourceVersion"}), "");
}

TEST_F(VolumeProtectionTest, PROT15_ABoundVolumeStaysUntilItIsReleased) {
  add_volume("Bound");
  remove_volume();
  EXPECT_TRUE(has_volume());
  EXPECT_THAT(cluster_.requests(), IsEmpty());
  set_phase("Released");
  settle();
  EXPECT_FALSE(has_volume());
}

TEST_F(VolumeProtectionTest, PROT16_AFinalizerThatWasTakenOffIsPutBackUnlessTheVolumeIsDeleted) {
  add_volume("Bound", R"(["x.com/y"])");
  EXPECT_EQ(finalizers<volumes::Volume>(kVolume), R"(["x.com/y","kubernetes.io/pv-protection"])");
  remove_volume();
  cluster_.merge<volumes::Volume>(kVolume, R"({"metadata":{"finalizers":["x.com/y"]}})");
  settle();
  EXPECT_EQ(finalizers<volumes::Volume>(kVolume), R"(["x.com/y"])");
}

TEST_F(VolumeProtectionTest, PROT17_AVolumeWithoutTheFinalizerGetsIt) {
  add_volume("Available", "[]");
  EXPECT_EQ(finalizers<volumes::Volume>(kVolume), kOwn);
}

TEST_F(VolumeProtectionTest, AVolumeThatIsBoundMeanwhileKeepsItsFinalizer) {
  add_volume("Available");
  cluster_.on_request([this](const testing::RequestRecord&) {
    if (!std::exchange(bound_, true)) set_phase("Bound");
  });
  remove_volume();
  cluster_.advance(1s);
  EXPECT_TRUE(has_volume());
  EXPECT_EQ(cluster_.requests().front().http_status, 409);
}

TEST_F(VolumeProtectionTest, AnOldCacheFreesNoBoundVolume) {
  add_volume("Available", R"(["x.com/y","kubernetes.io/pv-protection"])");
  cluster_.remove<volumes::Volume>(kVolume);
  cluster_.hold("persistentvolumes");
  set_phase("Bound");
  settle();
  cluster_.release("persistentvolumes");
  settle();
  EXPECT_EQ(finalizers<volumes::Volume>(kVolume), R"(["x.com/y","kubernetes.io/pv-protection"])");
}

TEST_F(VolumeProtectionTest, PROT26_AVolumeThatWasDeletedBeforeTheStartIsFreed) {
  cluster_.stop(kController);
  add_volume("Released");
  remove_volume();
  ASSERT_TRUE(has_volume());
  start();
  EXPECT_FALSE(has_volume());
}

}  // namespace
}  // namespace davit::volumeprotection
