#include "testing/explore/data_invariants.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace davit::explore {
namespace {

using sandbox::ChangeType;

class DataInvariantsTest : public ::testing::Test {
 protected:
  std::string write(Writer by, ChangeType type, const std::string& resource,
                    const std::string& text) {
    const Json object = json_literal(text);
    auto version = std::make_shared<sandbox::Version>();
    version->ns = object.text_at({"metadata", "namespace"});
    version->name = object.text_at({"metadata", "name"});
    version->uid = object.text_at({"metadata", "uid"});
    version->text = text;
    return invariants_.take({"", resource}, {type, version, nullptr}, by);
  }
  std::string put(const std::string& resource, const std::string& text) {
    return write(Writer::kController, ChangeType::kModified, resource, text);
  }
  std::string remove(const std::string& resource, const std::string& text) {
    return write(Writer::kController, ChangeType::kDeleted, resource, text);
  }
  void given(const std::string& resource, const std::string& text) {
    EXPECT_EQ(write(Writer::kScenario, ChangeType::kModified, resource, text), "");
  }
  static std::string volume(const std::string& name, const std::string& policy,
                            const std::string& uid = "", const std::string& metadata = "") {
    return R"({"metadata":{"name":")" + name + '"' + metadata +
           R"(},"spec":{"accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":")" +
           policy + R"(","claimRef":{"uid":")" + uid + R"("}}})";
  }
  static std::string claim(const std::string& name, const std::string& finalizers,
                           const std::string& volume = "") {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":"uid-)" + name +
           R"(","finalizers":[)" + finalizers + R"(],"ownerReferences":[{"controller":true,
           "uid":"uid-p"}]},"spec":{"volumeName":")" +
           volume + R"("}})";
  }
  static std::string attachment(const std::string& volume, const std::string& node) {
    return R"({"metadata":{"name":")" + volume + "-" + node + R"("},"spec":{"nodeName":")" + node +
           R"(","source":{"persistentVolumeName":")" + volume + R"("}}})";
  }
  static std::string pod(const std::string& node, const std::string& source,
                         const std::string& metadata = "") {
    return R"({"metadata":{"name":"p","namespace":"ns","uid":"uid-p")" + metadata +
           R"(},"spec":{"nodeName":")" + node + R"(","volumes":[{"name":"v",)" + source + "}]}}";
  }
  static constexpr const char* kOfClaim = R"("persistentVolumeClaim":{"claimName":"c"})";
  static constexpr const char* kProtected = R"("kubernetes.io/pvc-protection")";
  static constexpr const char* kEnding = R"(,"deletionTimestamp":"t")";

  DataInvariants invariants_;
};

TEST_F(DataInvariantsTest, AControllerDoesNotDeleteARetainedVolume) {
  given("persistentvolumes", volume("v", "Retain"));
  EXPECT_EQ(remove("persistentvolumes", volume("v", "Retain")),
            "the volume v of the policy Retain is deleted");
  given("persistentvolumes", volume("v", "Retain"));
  EXPECT_NE(put("persistentvolumes", volume("v", "Retain", "", kEnding)), "");
}

TEST_F(DataInvariantsTest, AControllerEndsTheDeletionThatAnAdministratorBegan) {
  given("persistentvolumes", volume("v", "Retain", "", kEnding));
  EXPECT_EQ(remove("persistentvolumes", volume("v", "Retain", "", kEnding)), "");
  given("persistentvolumes", volume("w", "Delete"));
  EXPECT_EQ(remove("persistentvolumes", volume("w", "Delete")), "");
}

TEST_F(DataInvariantsTest, AUsedClaimKeepsItsFinalizer) {
  given("persistentvolumeclaims", claim("c", kProtected));
  given("pods", pod("n1", kOfClaim));
  EXPECT_EQ(put("persistentvolumeclaims", claim("c", "")),
            "the claim c loses its finalizer while the pod p uses it");
}

TEST_F(DataInvariantsTest, APodWithoutANodeUsesNothing) {
  given("persistentvolumeclaims", claim("c", kProtected));
  given("pods", pod("", kOfClaim));
  EXPECT_EQ(put("persistentvolumeclaims", claim("c", "")), "");
}

TEST_F(DataInvariantsTest, APodUsesItsEphemeralClaimUntilItIsShutDown) {
  const std::string ephemeral = R"("ephemeral":{})";
  given("persistentvolumeclaims", claim("p-v", kProtected));
  given("pods", pod("n1", ephemeral));
  EXPECT_NE(remove("persistentvolumeclaims", claim("p-v", "")), "");
  given("persistentvolumeclaims", claim("p-v", kProtected));
  given("pods", pod("n1", ephemeral, std::string(kEnding) + R"(,"deletionGracePeriodSeconds":0)"));
  EXPECT_EQ(remove("persistentvolumeclaims", claim("p-v", "")), "");
}

TEST_F(DataInvariantsTest, AVolumeForOneNodeIsOnOneNode) {
  given("persistentvolumes", volume("v", "Retain"));
  EXPECT_EQ(put("volumeattachments", attachment("v", "n1")), "");
  EXPECT_EQ(put("volumeattachments", attachment("v", "n2")),
            "the volume v is attached to n1 and to n2");
}

TEST_F(DataInvariantsTest, AVolumeThatHasLeftItsNodeMayBeOnAnother) {
  given("persistentvolumes", volume("v", "Retain"));
  EXPECT_EQ(put("volumeattachments", attachment("v", "n1")), "");
  EXPECT_EQ(remove("volumeattachments", attachment("v", "n1")), "");
  EXPECT_EQ(put("volumeattachments", attachment("v", "n2")), "");
}

TEST_F(DataInvariantsTest, ClaimsAndVolumesArePairs) {
  given("persistentvolumes", volume("v", "Retain", "uid-c"));
  given("persistentvolumes", volume("w", "Retain"));
  EXPECT_EQ(put("persistentvolumes", volume("w", "Retain", "uid-c")),
            "the volumes v and w have one claim");
  given("persistentvolumeclaims", claim("c", "", "v"));
  EXPECT_EQ(put("persistentvolumeclaims", claim("d", "", "v")),
            "the claims c and d have the volume v");
}

TEST_F(DataInvariantsTest, ServicesWithoutOneKeyDoNotShowOneAddress) {
  const auto service = [](const std::string& name, const std::string& key) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":"uid-)" + name +
           R"(","annotations":{"davit.dev/sharing-key":")" + key +
           R"("}},"status":{"loadBalancer":{"ingress":[{"ip":"10.0.0.1"}]}}})";
  };
  given("services", service("s", "k"));
  EXPECT_EQ(put("services", service("s", "k")), "");
  EXPECT_EQ(put("services", service("t", "k")), "");
  EXPECT_EQ(put("services", service("u", "")), "the Services s and u have the address 10.0.0.1");
}

}  // namespace
}  // namespace davit::explore
