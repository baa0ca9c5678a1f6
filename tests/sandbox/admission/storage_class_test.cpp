#include <gtest/gtest.h>

#include "tests/sandbox/admission/small_cluster.hpp"

namespace davit::sandbox {
namespace {

std::string storage_class(const std::string& name, const std::string& created,
                          const std::string& mark) {
  return R"({"metadata":{"name":")" + name + R"(","creationTimestamp":")" + created +
         R"(","annotations":{"storageclass)" + mark +
         R"(.kubernetes.io/is-default-class":"true"}}})";
}

/// The class of a new claim; `claim` has its metadata and spec.
std::string class_of(AdmissionSetup& setup, std::string_view claim) {
  Json object = json_literal(claim);
  EXPECT_EQ(setup.admit("", "persistentvolumeclaims", object), "");
  const Json* found = object.at({"spec", "storageClassName"});
  return found == nullptr ? "none" : found->text();
}

TEST(StorageClassTest, ClaimWithoutAClassGetsTheNewestDefaultAndThenTheFirstByName) {
  constexpr std::string_view kClaim = R"({"metadata":{"name":"c"},"spec":{}})";
  AdmissionSetup setup;
  setup.cluster.add("storage.k8s.io", "storageclasses", R"({"metadata":{"name":"plain"}})");
  EXPECT_EQ(class_of(setup, kClaim), "none");
  setup.cluster.add("storage.k8s.io", "storageclasses",
                    storage_class("a", "2024-01-01T00:00:00Z", ".beta"));
  EXPECT_EQ(class_of(setup, kClaim), "a");
  for (const char* name : {"z", "y"}) {
    setup.cluster.add("storage.k8s.io", "storageclasses",
                      storage_class(name, "2024-02-01T00:00:00Z", ""));
  }
  EXPECT_EQ(class_of(setup, kClaim), "y");
}

TEST(StorageClassTest, ClassThatAClaimNamesIsKeptEvenTheEmptyOne) {
  AdmissionSetup setup;
  setup.cluster.add("storage.k8s.io", "storageclasses",
                    storage_class("a", "2024-01-01T00:00:00Z", ""));
  EXPECT_EQ(class_of(setup, R"({"metadata":{"name":"c"},"spec":{"storageClassName":""}})"), "");
  EXPECT_EQ(class_of(setup, R"({"metadata":{"name":"c"},"spec":{"storageClassName":"b"}})"), "b");
  EXPECT_EQ(class_of(setup, R"({"metadata":{"name":"c","annotations":{
                "volume.beta.kubernetes.io/storage-class":"b"}},"spec":{}})"),
            "none");
}

/// A claim of the class, and of this size and phase.
Json claim_of_size(const std::string& size, const std::string& name = "grows",
                   const std::string& phase = "Bound") {
  return json_literal(R"({"metadata":{"name":"c"},"spec":{"storageClassName":")" + name +
                      R"(","resources":{"requests":{"storage":")" + size +
                      R"("}}},"status":{"phase":")" + phase + R"("}})");
}

TEST(ClaimResizeTest, ABoundClaimGrowsIfItsClassAllowsIt) {
  AdmissionSetup setup;
  setup.cluster.add("storage.k8s.io", "storageclasses",
                    R"({"metadata":{"name":"grows"},"allowVolumeExpansion":true})");
  setup.cluster.add("storage.k8s.io", "storageclasses", R"({"metadata":{"name":"fixed"}})");
  const auto grow = [&](const Json& old, Json claim) {
    return setup.reserve("", "persistentvolumeclaims", claim, &old);
  };
  const std::string refused =
      "persistentvolumeclaims \"c\" is forbidden: only dynamically provisioned pvc can be resized "
      "and the storageclass that provisions the pvc must support resize";
  EXPECT_EQ(grow(claim_of_size("1Gi"), claim_of_size("2Gi")), "");
  EXPECT_EQ(grow(claim_of_size("1Gi", "fixed"), claim_of_size("2Gi", "fixed")), refused);
  EXPECT_EQ(grow(claim_of_size("1Gi", "gone"), claim_of_size("2Gi", "gone")), refused);
  EXPECT_EQ(grow(claim_of_size("1Gi", ""), claim_of_size("2Gi", "")), refused);
  EXPECT_EQ(grow(claim_of_size("1Gi", "fixed"), claim_of_size("2Gi", "grows")), refused);
  EXPECT_EQ(grow(claim_of_size("1Gi", "fixed"), claim_of_size("1024Mi", "fixed")), "");
  EXPECT_EQ(grow(claim_of_size("1Gi", "grows", "Lost"), claim_of_size("2Gi", "grows", "Lost")),
            "persistentvolumeclaims \"c\" is forbidden: Only bound persistent volume claims can be "
            "expanded");
}

}  // namespace
}  // namespace davit::sandbox
