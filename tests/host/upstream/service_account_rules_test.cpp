/// Rows SA24 and SA43 of docs/spec/serviceaccount.md, as far as they are about the host.
#include "host/upstream/service_account_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

constexpr const char* kPublisher = "root-ca-certificate-publisher-controller";

TEST(ServiceAccountRulesTest, OnlyTheTokenControllerWithAKeyIgnoresTheFlag) {
  const std::string config = R"({"serviceAccountKeyFile":"/sa.key"})";
  EXPECT_TRUE(ignores_controllers_flag("serviceaccount-token-controller", config));
  EXPECT_FALSE(ignores_controllers_flag("serviceaccount-controller", config));
  for (const char* none : {"", "{}", R"({"serviceAccountKeyFile":""})", "[]"}) {
    EXPECT_FALSE(ignores_controllers_flag("serviceaccount-token-controller", none)) << none;
  }
}

TEST(ServiceAccountRulesTest, InlineCaDataOfTheClientIsTheRootCaWithoutAnother) {
  EXPECT_EQ(with_root_ca(kPublisher, "", "PEM"), R"({"rootCA":"PEM"})");
  EXPECT_EQ(with_root_ca("serviceaccount-token-controller",
                         R"({"serviceAccountKeyFile":"/sa.key"})", "PEM"),
            R"({"serviceAccountKeyFile":"/sa.key","rootCA":"PEM"})");
  EXPECT_EQ(with_root_ca("kube-apiserver-serving-clustertrustbundle-publisher-controller",
                         R"({"clusterTrustBundle":"on"})", "PEM"),
            R"({"clusterTrustBundle":"on","rootCA":"PEM"})");
  EXPECT_EQ(with_root_ca(kPublisher, "", ""), "") << "a CA by path publishes nothing";
  for (const char* own : {R"({"rootCAFile":"/ca.crt"})", R"({"rootCA":"mine"})"}) {
    EXPECT_EQ(with_root_ca(kPublisher, own, "PEM"), own);
  }
  EXPECT_EQ(with_root_ca("podgc", "", "PEM"), "");
}

}  // namespace
}  // namespace davit::host
