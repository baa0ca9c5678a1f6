/// Rows SA11 to SA24.
#include "plugins/serviceaccount/root_ca_publisher.hpp"

#include <davit/testing/records.hpp>

#include "tests/plugins/serviceaccount/fixture.hpp"

namespace davit::serviceaccount {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class RootCaPublisherTest : public ServiceAccountTest {
 protected:
  static constexpr const char* kController = "root-ca-certificate-publisher-controller";
  static constexpr const char* kMap = "kube-root-ca.crt";
  static constexpr const char* kDescription =
      "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
      "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
      "guaranteed across distributions of Kubernetes clusters.";
  static constexpr const char* kPut = "update configmaps/kube-root-ca.crt 200";

  void SetUp() override {
    start_with(certificate());
    add_namespace("ns");
    first_ = requests();
    cluster_.clear_records();
  }
  void start_with(const std::string& bundle) {
    start(kController, &RootCaPublisher::open,
          R"({"rootCAFile":")" + file("ca.crt", bundle) + R"("})");
    cluster_.clear_records();
  }
  [[nodiscard]] Json map() { return json<ConfigMap>(kMap); }
  [[nodiscard]] std::string description() {
    return map().text_at({"metadata", "annotations", "kubernetes.io/description"});
  }
  /// The ConfigMap is as it has to be.
  void expect_good() {
    EXPECT_EQ(map()["data"].keys(), std::vector<std::string>{"ca.crt"});
    EXPECT_EQ(map().text_at({"data", "ca.crt"}), certificate());
    EXPECT_EQ(description(), kDescription);
  }
  /// The codes that syncs were counted under.
  [[nodiscard]] std::vector<std::string> codes() {
    std::vector<std::string> out;
    for (const testing::MetricSample& each : cluster_.metrics()) {
      if (each.name == "root_ca_cert_publisher_sync_total") out.push_back(each.labels.front());
    }
    return out;
  }

  std::vector<std::string> first_;  ///< The requests for the new namespace.
};

TEST_F(RootCaPublisherTest, SA11_ANewNamespaceGetsTheBundle) {
  EXPECT_THAT(first_, ElementsAre("create configmaps/kube-root-ca.crt 201"));
  expect_good();
}

TEST_F(RootCaPublisherTest, SA12_ADeletedConfigMapIsCreatedAgain) {
  cluster_.remove<ConfigMap>({"ns", kMap});
  settle();
  EXPECT_THAT(requests(), ElementsAre("create configmaps/kube-root-ca.crt 201"));
  expect_good();
}

TEST_F(RootCaPublisherTest, SA13_AChangedBundleIsRestored) {
  merge<ConfigMap>(kMap, R"({"data":{"ca.crt":"junk"}})");
  EXPECT_THAT(requests(), ElementsAre(kPut));
  expect_good();
}

TEST_F(RootCaPublisherTest, SA14_OtherDataIsRemoved) {
  merge<ConfigMap>(kMap, R"({"data":{"other":"x"}})");
  EXPECT_THAT(requests(), ElementsAre(kPut));
  expect_good();
}

TEST_F(RootCaPublisherTest, SA15_ARemovedDescriptionIsRestored) {
  merge<ConfigMap>(kMap, R"({"metadata":{"annotations":null}})");
  EXPECT_THAT(requests(), ElementsAre(kPut));
  expect_good();
}

TEST_F(RootCaPublisherTest, SA16_AnotherDescriptionStays) {
  merge<ConfigMap>(kMap,
                   R"({"metadata":{"annotations":{"kubernetes.io/description":"different"}}})");
  EXPECT_THAT(requests(), IsEmpty());
  EXPECT_EQ(description(), "different");
}

TEST_F(RootCaPublisherTest, SA17_AnotherDescriptionIsReplacedWithTheData) {
  merge<ConfigMap>(kMap,
                   R"({"metadata":{"annotations":{"kubernetes.io/description":"different"}}})");
  merge<ConfigMap>(kMap, R"({"data":{"other":"x"}})");
  EXPECT_THAT(requests(), ElementsAre(kPut));
  expect_good();
}

TEST_F(RootCaPublisherTest, SA18_WhatOthersAddIsKept) {
  merge<ConfigMap>(kMap, R"({"metadata":{"labels":{"a":"b"},"annotations":{"mine":"1"}},
                             "binaryData":{"b":"AAAA"}})");
  EXPECT_THAT(requests(), IsEmpty());
  merge<ConfigMap>(kMap, R"({"data":{"ca.crt":"junk"}})");
  expect_good();
  EXPECT_EQ(map().text_at({"metadata", "labels", "a"}), "b");
  EXPECT_EQ(map().text_at({"metadata", "annotations", "mine"}), "1");
  EXPECT_EQ(map().text_at({"binaryData", "b"}), "AAAA");
}

TEST_F(RootCaPublisherTest, SA19_ANamespaceThatTerminatesGetsNone) {
  add_terminating_namespace("ns");
  cluster_.clear_records();
  cluster_.remove<ConfigMap>({"ns", kMap});
  settle();
  cluster_.advance(1h);
  EXPECT_THAT(requests(), ElementsAre("create configmaps 403"));
  EXPECT_THAT(codes(), ElementsAre("200"));
}

TEST_F(RootCaPublisherTest, SA20_OtherConfigMapsAreIgnored) {
  cluster_.add(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","namespace":"ns"}})");
  settle();
  merge<ConfigMap>("x", R"({"data":{"a":"b"}})");
  cluster_.remove<ConfigMap>({"ns", "x"});
  settle();
  EXPECT_THAT(cluster_.syncs(), IsEmpty());
}

TEST_F(RootCaPublisherTest, SA21_AnotherBundleReachesEveryNamespaceAfterARestart) {
  cluster_.stop(kController);
  start(kController, &RootCaPublisher::open,
        R"({"rootCAFile":")" + file("other.crt", other_certificate()) + R"("})");
  EXPECT_EQ(cluster_.requests_of(Verb::kUpdate, "configmaps").size(),
            cluster_.all<Namespace>().size());
  EXPECT_EQ(map().text_at({"data", "ca.crt"}), other_certificate());
}

TEST_F(RootCaPublisherTest, SA22_AConflictIsRepeatedAndCounted) {
  cluster_.fail_next({.verb = Verb::kUpdate, .http_status = 409, .reason = "Conflict"});
  merge<ConfigMap>(kMap, R"({"data":{"ca.crt":"junk"}})");
  EXPECT_THAT(codes(), ElementsAre("409"));
  cluster_.advance(5ms);
  EXPECT_THAT(codes(), ElementsAre("409", "200", "200")) << "the PUT's own event comes last";
  expect_good();
}

TEST_F(RootCaPublisherTest, SA23_AFileWithoutACertificateIsRefused) {
  cluster_.stop(kController);
  for (const std::string& path : {file("empty.crt", ""), file("key.crt", private_key("P-256")),
                                  std::string("/nowhere/ca.crt")}) {
    const Status refused =
        refusal(kController, &RootCaPublisher::open, R"({"rootCAFile":")" + path + R"("})");
    EXPECT_EQ(refused.code(), Code::kInternal);
    EXPECT_THAT(refused.message(), HasSubstr("error parsing root-ca-file at " + path));
  }
}

TEST_F(RootCaPublisherTest, SA24_WithoutAFileTheInlineBundleCountsAndElseItIsEmpty) {
  cluster_.stop(kController);
  Json config = Json::object();
  config["rootCA"] = other_certificate();
  start(kController, &RootCaPublisher::open, config.dump());
  EXPECT_EQ(map().text_at({"data", "ca.crt"}), other_certificate());
  cluster_.stop(kController);
  start(kController, &RootCaPublisher::open);
  EXPECT_EQ(map().text_at({"data", "ca.crt"}), "");
  EXPECT_EQ(map()["data"].keys(), std::vector<std::string>{"ca.crt"});
}

TEST_F(RootCaPublisherTest, UnknownAndMistypedOptionsAreRefused) {
  cluster_.stop(kController);
  EXPECT_THAT(refusal(kController, &RootCaPublisher::open, R"({"rootCa":"x"})").message(),
              HasSubstr("unknown configuration \"rootCa\"; known: rootCAFile, rootCA"));
  EXPECT_THAT(refusal(kController, &RootCaPublisher::open, R"({"rootCAFile":1})").message(),
              HasSubstr("rootCAFile must be a string"));
}

TEST_F(RootCaPublisherTest, AnErrorWithoutAResponseCountsAs500) {
  cluster_.fail_next({.verb = Verb::kCreate, .http_status = 0});
  cluster_.remove<ConfigMap>({"ns", kMap});
  settle();
  EXPECT_THAT(codes(), Contains("500"));
}

}  // namespace
}  // namespace davit::serviceaccount
