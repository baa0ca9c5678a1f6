#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sandbox/controllers/late_cluster.hpp"

namespace davit::sandbox {
namespace {

constexpr const char* kClaimsOfDefault = "/api/v1/namespaces/default/persistentvolumeclaims";
constexpr const char* kClaim = "/api/v1/namespaces/default/persistentvolumeclaims/data";
constexpr const char* kPodsOfDefault = "/api/v1/namespaces/default/pods";

ControllerOptions binding() {
  ControllerOptions options;
  options.volumes = Switch::kOn;
  return options;
}

class ClaimBinderTest : public testing::Test {
 protected:
  /// Adds the claim "data"; `more` are further members of its spec.
  std::string add_claim(const std::string& more = "") {
    const std::string uid = cluster_.create(
        kClaimsOfDefault, R"({"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],
                     "resources":{"requests":{"storage":"1Gi"}})" +
                              more + "}}");
    cluster_.step();
    return uid;
  }
  Json volume(const std::string& uid) {
    return cluster_.get("/api/v1/persistentvolumes/pvc-" + uid);
  }
  std::string phase() { return cluster_.get(kClaim).text_at({"status", "phase"}); }
  void add_pod() {
    cluster_.create(kPodsOfDefault, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c",
        "image":"i"}],"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]}})");
  }

  Cluster cluster_{binding()};
};

TEST_F(ClaimBinderTest, AClaimGetsAVolumeOfItsSize) {
  const std::string uid = add_claim(R"(,"storageClassName":"fast")");
  const Json claim = cluster_.get(kClaim);
  EXPECT_EQ(claim.text_at({"status", "phase"}), "Bound");
  EXPECT_EQ(claim.text_at({"status", "capacity", "storage"}), "1Gi");
  EXPECT_EQ(claim.text_at({"spec", "volumeName"}), "pvc-" + uid);
  const Json volume = this->volume(uid);
  EXPECT_EQ(volume.text_at({"spec", "capacity", "storage"}), "1Gi");
  EXPECT_EQ(volume.text_at({"spec", "storageClassName"}), "fast");
  EXPECT_EQ(volume.text_at({"spec", "claimRef", "uid"}), uid);
  EXPECT_EQ(volume.text_at({"status", "phase"}), "Bound");
}

TEST_F(ClaimBinderTest, AClaimThatChoosesItsVolumeIsLeftAlone) {
  add_claim(R"(,"storageClassName":"")");
  EXPECT_EQ(phase(), "Pending");
}

TEST_F(ClaimBinderTest, ADeletedClaimTakesItsVolumeAlong) {
  const std::string uid = add_claim();
  EXPECT_EQ(cluster_.call("DELETE", kClaim).status, 200);
  cluster_.step();
  EXPECT_TRUE(cluster_.get(kClaim).is_null());
  EXPECT_TRUE(volume(uid).is_null());
}

TEST_F(ClaimBinderTest, AVolumeThatADriverMadeIsLeftToTheDriver) {
  const std::string uid = add_claim(R"(,"storageClassName":"")");
  const std::string finalizers = R"(["kubernetes.io/pv-protection","x.com/y"])";
  cluster_.create("/api/v1/persistentvolumes", R"({"metadata":{"name":"pvc-)" + uid +
                                                   R"(","finalizers":)" + finalizers +
                                                   R"(},"spec":{"capacity":{"storage":"1Gi"},
                      "accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Retain",
                      "csi":{"driver":"sandbox.davit.dev","volumeHandle":"pvc-)" +
                                                   uid + R"("}}})");
  EXPECT_EQ(cluster_.call("DELETE", kClaim).status, 200);
  cluster_.step();
  EXPECT_TRUE(cluster_.get(kClaim).is_null());
  const Json metadata = volume(uid).get("metadata");
  EXPECT_EQ(to_text(metadata.get("finalizers")), finalizers);
  EXPECT_FALSE(metadata.contains("deletionTimestamp"));
}

TEST_F(ClaimBinderTest, AClaimInUseStaysUntilItsPodIsGone) {
  add_claim();
  add_pod();
  cluster_.step();
  EXPECT_EQ(cluster_.call("DELETE", kClaim).status, 200);
  cluster_.step();
  EXPECT_FALSE(cluster_.get(kClaim).is_null());
  EXPECT_EQ(cluster_.call("DELETE", std::string(kPodsOfDefault) + "/p").status, 200);
  cluster_.step();
  EXPECT_TRUE(cluster_.get(kClaim).is_null());
}

TEST_F(ClaimBinderTest, OtherFinalizersHoldAClaim) {
  add_claim();
  EXPECT_EQ(cluster_
                .call("PATCH", kClaim,
                      R"({"metadata":{"finalizers":["kubernetes.io/pvc-protection","x.com/y"]}})")
                .status,
            200);
  EXPECT_EQ(cluster_.call("DELETE", kClaim).status, 200);
  cluster_.step();
  EXPECT_EQ(to_text(cluster_.get(kClaim).get("metadata").get("finalizers")), R"(["x.com/y"])");
}

TEST_F(ClaimBinderTest, AVolumeIsBoundEvenIfTheResponsesToWritesComeLater) {
  LateCluster late(binding());
  const std::string uid = late.cluster.create(
      kClaimsOfDefault, R"({"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],
                   "resources":{"requests":{"storage":"1Gi"}}}})");

  late.settle();

  EXPECT_EQ(late.cluster.get(kClaim).text_at({"status", "phase"}), "Bound");
  EXPECT_EQ(late.cluster.get("/api/v1/persistentvolumes/pvc-" + uid).text_at({"status", "phase"}),
            "Bound");
}

TEST_F(ClaimBinderTest, NothingIsBoundUnlessAskedFor) {
  Cluster plain;
  plain.create(kClaimsOfDefault,
               R"({"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],
                            "resources":{"requests":{"storage":"1Gi"}}}})");
  plain.step();
  EXPECT_EQ(plain.get(kClaim).text_at({"status", "phase"}), "Pending");
}

}  // namespace
}  // namespace davit::sandbox
