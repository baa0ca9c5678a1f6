/// Rows PROT21 to PROT24: the gate PersistentVolumeClaimUnusedSinceTime is on.
#include "plugins/volumeprotection/unused_condition.hpp"

#include <chrono>

#include "plugins/volumeprotection/claim_protection.hpp"
#include "tests/plugins/volumeprotection/fixture.hpp"

namespace davit::volumeprotection {
namespace {

using ::testing::IsEmpty;
using namespace std::chrono_literals;

class UnusedConditionTest : public ProtectionTest {
 protected:
  static constexpr const char* kController = "persistentvolumeclaim-protection-controller";

  void SetUp() override { start_with(R"({"unusedSinceTime":"on"})"); }
  void start_with(std::string_view config) { start(kController, &ClaimProtection::open, config); }

  void add_claim(const std::string& more = "{}") {
    Json claim = Json::must(
        R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"p-v",
            "namespace":"ns","finalizers":["kubernetes.io/pvc-protection"]},"spec":{"accessModes":
            ["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})");
    merge_patch(claim, Json::must(more));
    cluster_.add(claim);
    settle();
  }
  static std::string by_name() { return R"("persistentVolumeClaim":{"claimName":"p-v"})"; }
  /// A pod without a node.
  void add_pod(const std::string& name, const std::string& volume = by_name()) {
    cluster_.add(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                 R"(","namespace":"ns","uid":"uid-)" + name +
                 R"("},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v",)" +
                 volume + R"(}]},"status":{"phase":"Pending"}})");
    settle();
  }
  void finish_pod(const std::string& name) {
    cluster_.merge<Pod>({"ns", name}, R"({"status":{"phase":"Succeeded"}})");
    settle();
  }
  void erase_pod(const std::string& name) {
    cluster_.erase<Pod>({"ns", name});
    settle();
  }
  [[nodiscard]] std::string conditions() {
    Json claim = cluster_.json<volumes::Claim>({"ns", "p-v"});
    const Json* const found = claim["status"].find("conditions");
    return found == nullptr ? "" : found->dump();
  }
  /// "True NoPodsUsingPVC 2024-05-01T12:00:00Z"; "" without the condition.
  [[nodiscard]] std::string unused() {
    const auto claim = cluster_.find<volumes::Claim>({"ns", "p-v"});
    for (const Value each : claim->status()["conditions"].elements()) {
      if (each["type"].string() != "Unused") continue;
      return std::string(each["status"].string()) + ' ' + std::string(each["reason"].string()) +
             ' ' + std::string(each["lastTransitionTime"].string());
    }
    return "";
  }
};

TEST_F(UnusedConditionTest, PROT21_ANewClaimIsUnused) {
  add_claim();
  EXPECT_EQ(unused(), "True NoPodsUsingPVC 2024-05-01T12:00:00Z");
  EXPECT_THAT(conditions(), ::testing::HasSubstr("No pods are currently referencing this PVC"));
}

TEST_F(UnusedConditionTest, PROT22_APodWithoutANodeUsesItsClaim) {
  add_claim();
  cluster_.advance(60s);
  add_pod("p");
  EXPECT_EQ(unused(), "False PodUsingPVC 2024-05-01T12:01:00Z");
  EXPECT_THAT(conditions(), ::testing::HasSubstr("A pod is currently referencing this PVC"));
  cluster_.advance(60s);
  erase_pod("p");
  EXPECT_EQ(unused(), "True NoPodsUsingPVC 2024-05-01T12:02:00Z");
}

TEST_F(UnusedConditionTest, PROT23_TheLastPodThatIsNotTerminatedCounts) {
  add_claim();
  add_pod("a");
  add_pod("b");
  cluster_.advance(60s);
  finish_pod("a");
  EXPECT_EQ(unused(), "False PodUsingPVC 2024-05-01T12:00:00Z");
  erase_pod("b");
  EXPECT_EQ(unused(), "True NoPodsUsingPVC 2024-05-01T12:01:00Z");
}

TEST_F(UnusedConditionTest, PROT24_TheConditionIsAddedBehindThoseOfOthers) {
  add_claim();
  cluster_.merge<volumes::Claim>(
      {"ns", "p-v"}, R"({"status":{"conditions":[{"type":"Resizing","status":"True"}]}})");
  settle();
  EXPECT_EQ(unused(), "True NoPodsUsingPVC 2024-05-01T12:00:00Z");
  EXPECT_THAT(conditions(), ::testing::StartsWith(R"([{"type":"Resizing","status":"True")"));
}

TEST_F(UnusedConditionTest, AnEphemeralVolumeUsesOnlyTheClaimOfItsPod) {
  const std::string ephemeral =
      R"("ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],
         "resources":{"requests":{"storage":"1Gi"}}}}})";
  add_claim();
  add_pod("p", ephemeral);
  EXPECT_EQ(unused(), "True NoPodsUsingPVC 2024-05-01T12:00:00Z") << "the claim is not the pod's";
  cluster_.merge<volumes::Claim>({"ns", "p-v"}, R"({"metadata":{"ownerReferences":[{"apiVersion":
      "v1","kind":"Pod","name":"p","uid":"uid-p","controller":true}]}})");
  settle();
  EXPECT_EQ(unused(), "False PodUsingPVC 2024-05-01T12:00:00Z");
}

TEST_F(UnusedConditionTest, AClaimThatIsBeingDeletedKeepsWhatItHas) {
  add_claim(R"({"metadata":{"finalizers":["kubernetes.io/pvc-protection","example.com/hold"]}})");
  add_pod("p");
  cluster_.remove<volumes::Claim>({"ns", "p-v"});
  settle();
  erase_pod("p");
  EXPECT_EQ(unused(), "False PodUsingPVC 2024-05-01T12:00:00Z");
}

TEST_F(UnusedConditionTest, WhatIsRightIsNotWritten) {
  add_claim();
  add_pod("p");
  cluster_.clear_records();
  cluster_.merge<Pod>({"ns", "p"}, R"({"metadata":{"labels":{"a":"b"}}})");
  cluster_.merge<volumes::Claim>({"ns", "p-v"}, R"({"metadata":{"labels":{"a":"b"}}})");
  settle();
  cluster_.stop(kController);
  start_with(R"({"unusedSinceTime":"on"})");
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(UnusedConditionTest, AConflictIsTriedAgain) {
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "persistentvolumeclaims",
                      .subresource = "status",
                      .http_status = 409,
                      .reason = "Conflict"});
  add_claim();
  cluster_.advance(1s);
  EXPECT_TRUE(unused().starts_with("True NoPodsUsingPVC")) << unused();
}

TEST_F(UnusedConditionTest, AnotherValueThanOnAndOffIsRefused) {
  cluster_.stop(kController);
  EXPECT_FALSE(
      cluster_.start(kController, &ClaimProtection::open, R"({"unusedSinceTime":true})").ok());
}

}  // namespace
}  // namespace davit::volumeprotection
