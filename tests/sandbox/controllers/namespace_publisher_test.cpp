#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sandbox/controllers/late_cluster.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ControllerOptions publishing() {
  ControllerOptions options;
  options.default_accounts = Switch::kOn;
  options.root_ca = "PEM";
  return options;
}

constexpr const char* kAccount = "/api/v1/namespaces/t/serviceaccounts/default";
constexpr const char* kRootCa = "/api/v1/namespaces/t/configmaps/kube-root-ca.crt";

class NamespacePublisherTest : public testing::Test {
 protected:
  NamespacePublisherTest() {
    cluster_.create("/api/v1/namespaces", R"({"metadata":{"name":"t"}})");
    cluster_.step();
  }

  Cluster cluster_{publishing()};
};

TEST_F(NamespacePublisherTest, EveryNamespaceIsFurnished) {
  EXPECT_FALSE(cluster_.get(kAccount).is_null());
  EXPECT_EQ(cluster_.get(kRootCa).text_at({"data", "ca.crt"}), "PEM");
  EXPECT_THAT(cluster_.config_maps("kube-system"), testing::Contains("kube-root-ca.crt"));
}

TEST_F(NamespacePublisherTest, RemovedPartsAreRestored) {
  EXPECT_EQ(cluster_.call("DELETE", kAccount).status, 200);
  EXPECT_EQ(cluster_.call("DELETE", kRootCa).status, 200);
  cluster_.step();
  EXPECT_FALSE(cluster_.get(kAccount).is_null());
  EXPECT_FALSE(cluster_.get(kRootCa).is_null());
}

TEST_F(NamespacePublisherTest, ChangedCertificateIsPutRight) {
  EXPECT_EQ(cluster_.call("PATCH", kRootCa, R"({"data":{"ca.crt":"mine"}})").status, 200);
  cluster_.step();
  EXPECT_EQ(cluster_.get(kRootCa).text_at({"data", "ca.crt"}), "PEM");
}

TEST_F(NamespacePublisherTest, DyingNamespaceGetsNothingBack) {
  EXPECT_EQ(cluster_.call("DELETE", "/api/v1/namespaces/t").status, 200);
  EXPECT_EQ(cluster_.step(), Time::max());
  EXPECT_TRUE(cluster_.get("/api/v1/namespaces/t").is_null());
  EXPECT_THAT(cluster_.config_maps("t"), IsEmpty());
}

TEST_F(NamespacePublisherTest, ANamespaceThatIsMadeAgainIsFurnishedAgain) {
  ControllerOptions options = publishing();
  options.root_ca = "";
  LateCluster late(options);
  late.settle();
  for (int i = 0; i < 2; ++i) {
    late.cluster.create("/api/v1/namespaces", R"({"metadata":{"name":"t"}})");
    late.settle();
    EXPECT_FALSE(late.cluster.get(kAccount).is_null()) << i;
    EXPECT_EQ(late.cluster.call("DELETE", "/api/v1/namespaces/t").status, 200);
    late.settle();
    EXPECT_TRUE(late.cluster.get("/api/v1/namespaces/t").is_null()) << i;
  }
  EXPECT_EQ(late.writes.open, 0);
}

TEST_F(NamespacePublisherTest, NothingIsPutUnlessAskedFor) {
  Cluster plain;
  EXPECT_THAT(plain.config_maps(), IsEmpty());
  EXPECT_TRUE(plain.get("/api/v1/namespaces/default/serviceaccounts/default").is_null());
}

}  // namespace
}  // namespace davit::sandbox
