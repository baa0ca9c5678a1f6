/// Rows CERT106 to CERT112.
#include "plugins/certificates/trust_bundle_publisher.hpp"

#include "tests/plugins/certificates/fixture.hpp"

namespace davit::certificates {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class TrustBundlePublisherTest : public CertificatesTest {
 protected:
  static constexpr const char* kController =
      "kube-apiserver-serving-clustertrustbundle-publisher-controller";
  static constexpr const char* kPrefix = "kubernetes.io:kube-apiserver-serving:";

  void SetUp() override {
    serve("v1beta1");
    // Names of bundles have colons, which those of custom resources may not have.
    cluster_.on_request([this](const testing::RequestRecord& each) {
      if (each.verb != Verb::kCreate || each.resource != "clustertrustbundles") return;
      cluster_.add(each.body);
      cluster_.fail_next({.verb = Verb::kCreate,
                          .resource = "clustertrustbundles",
                          .http_status = 201,
                          .body = each.body});
    });
  }
  /// Serves the resource in one version.
  void serve(const std::string& version) {
    cluster_.add(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{"name":"clustertrustbundles.certificates.k8s.io",
          "annotations":{"api-approved.kubernetes.io":"unapproved, a test"}},
        "spec":{"group":"certificates.k8s.io","scope":"Cluster",
          "names":{"plural":"clustertrustbundles","singular":"clustertrustbundle",
                   "kind":"ClusterTrustBundle","listKind":"ClusterTrustBundleList"},
          "versions":[{"name":")" +
                 version + R"(","served":true,"storage":true,
            "selectableFields":[{"jsonPath":".spec.signerName"}],
            "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
              "properties":{"signerName":{"type":"string"},
                            "trustBundle":{"type":"string"}}}}}}}]}})");
  }
  Status open(const std::string& pem) {
    return cluster_.start(
        kController, &open_trust_bundle_publisher,
        R"({"clusterTrustBundle":"on","rootCAFile":")" + file("ca.crt", pem) + R"("})");
  }
  void start(const std::string& pem) {
    const Status started = open(pem);
    ASSERT_TRUE(started.ok()) << started.message();
    settle();
  }
  void add_bundle(const std::string& name, const std::string& spec) {
    cluster_.add(R"({"apiVersion":"certificates.k8s.io/v1beta1","kind":"ClusterTrustBundle",
        "metadata":{"name":")" +
                 name + R"("},"spec":)" + spec + "}");
    settle();
  }
  [[nodiscard]] std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const TrustBundle& each : cluster_.all<TrustBundle>()) out.emplace_back(each.name());
    return out;
  }
};

TEST_F(TrustBundlePublisherTest, CERT106_TheRootCaIsPublished) {
  const std::string pem = make_ca().certificate;
  start(pem);
  ASSERT_THAT(names(), ElementsAre(StartsWith(kPrefix)));
  EXPECT_EQ(names()[0].size(), std::string(kPrefix).size() + 24);
  const Json made = cluster_.json<TrustBundle>({"", names()[0]});
  EXPECT_EQ(made.text_at({"spec", "signerName"}), kServingSigner);
  EXPECT_EQ(made.text_at({"spec", "trustBundle"}), pem);
}

TEST_F(TrustBundlePublisherTest, TheNameIsOfTheBytes) {
  ASSERT_TRUE(cluster_
                  .start(kController, &open_trust_bundle_publisher,
                         R"({"clusterTrustBundle":"on","rootCA":"abc"})")
                  .ok());
  settle();
  EXPECT_THAT(names(), ElementsAre(std::string(kPrefix) + "ba7816bf8f01cfea414140de"));
}

TEST_F(TrustBundlePublisherTest, CERT107_AnotherBundleOfTheSignerIsDeleted) {
  start(make_ca().certificate);
  add_bundle("kubernetes.io:kube-apiserver-serving:other",
             R"({"signerName":"kubernetes.io/kube-apiserver-serving","trustBundle":"x"})");
  EXPECT_THAT(names(), SizeIs(1));
  EXPECT_NE(names()[0], "kubernetes.io:kube-apiserver-serving:other");
}

TEST_F(TrustBundlePublisherTest, CERT108_TheBundleIsRestored) {
  const std::string pem = make_ca().certificate;
  start(pem);
  const std::string name = names().at(0);
  cluster_.merge<TrustBundle>({"", name}, R"({"spec":{"trustBundle":"x"}})");
  settle();
  EXPECT_EQ(cluster_.json<TrustBundle>({"", name}).text_at({"spec", "trustBundle"}), pem);
  cluster_.remove<TrustBundle>({"", name});
  settle();
  EXPECT_THAT(names(), ElementsAre(name));
}

TEST_F(TrustBundlePublisherTest, CERT109_BundlesOfOthersStay) {
  start(make_ca().certificate);
  cluster_.clear_records();
  add_bundle("example.com:x:y", R"({"signerName":"example.com/x","trustBundle":"x"})");
  add_bundle("plain", R"({"trustBundle":"x"})");
  EXPECT_THAT(cluster_.requests(), IsEmpty());
  EXPECT_THAT(names(), SizeIs(3));
}

TEST_F(TrustBundlePublisherTest, CERT110_AnotherCaReplacesTheBundle) {
  start(make_ca().certificate);
  const std::string old = names().at(0);
  cluster_.stop(kController);
  cluster_.clear_records();
  start(make_ca().certificate);
  EXPECT_THAT(names(), SizeIs(1));
  EXPECT_NE(names()[0], old);
  EXPECT_THAT(requests(), ElementsAre("create clustertrustbundles/" + names()[0] + " 201",
                                      "delete clustertrustbundles/" + old + " 200"));
}

TEST_F(TrustBundlePublisherTest, CERT111_WithoutTheResourceItIsSkipped) {
  cluster_.remove_resource("clustertrustbundles");
  const Status skipped = open(make_ca().certificate);
  EXPECT_EQ(skipped.code(), Code::kUnsupported);
  EXPECT_THAT(skipped.message(),
              HasSubstr("no known scheme version was found for clustertrustbundles, cannot start "
                        "kube-apiserver-serving-clustertrustbundle-publisher-controller"));
}

TEST_F(TrustBundlePublisherTest, WithTheGateOffOrWithoutACaItIsSkipped) {
  for (const char* config :
       {"{}", R"({"clusterTrustBundle":"off","rootCA":"x"})", R"({"clusterTrustBundle":"on"})"}) {
    EXPECT_EQ(cluster_.start(kController, &open_trust_bundle_publisher, config).code(),
              Code::kUnsupported)
        << config;
  }
}

TEST_F(TrustBundlePublisherTest, AFileWithoutACertificateEndsTheStart) {
  EXPECT_THAT(open("garbage").message(), HasSubstr("error parsing root-ca-file at "));
}

TEST_F(TrustBundlePublisherTest, CERT112_EachSyncIsCounted) {
  start(make_ca().certificate);
  std::vector<std::string> counted;
  for (const testing::MetricSample& each : cluster_.metrics()) {
    counted.push_back(each.name + " " + each.labels.at(0));
  }
  EXPECT_THAT(counted, Contains("clustertrustbundle_publisher_sync_total 200"));
  EXPECT_THAT(counted, Contains("clustertrustbundle_publisher_sync_duration_seconds 200"));
}

}  // namespace
}  // namespace davit::certificates
