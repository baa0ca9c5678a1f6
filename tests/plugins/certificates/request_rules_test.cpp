/// Rows CERT023 to CERT028 and CERT030 to CERT035.
#include "plugins/certificates/request_rules.hpp"

#include "tests/plugins/certificates/signing_fixture.hpp"

namespace davit::certificates {
namespace {

class RequestRulesTest : public SigningTest {
 protected:
  static constexpr const char* kOrganization = "subject organization is not system:nodes";
  static constexpr const char* kCommonName = "subject common name does not begin with system:node:";

  void SetUp() override { start_with(make_ca()); }
  std::string kubelet(const RequestOptions& options,
                      Usages usages = {"digital signature", "client auth"}) {
    return refused(options, kKubelet, usages);
  }
  std::string serving(const RequestOptions& options,
                      Usages usages = {"digital signature", "server auth"}) {
    return refused(options, kServing, usages);
  }
};

TEST_F(RequestRulesTest, CERT023_AKubeletsOrganizationIsThatOfNodes) {
  EXPECT_EQ(kubelet({.subject = {{"O", "x"}, {"CN", "system:node:n1"}}}), kOrganization);
  EXPECT_EQ(kubelet({.subject = {{"CN", "system:node:n1"}}}), kOrganization);
  EXPECT_EQ(kubelet({.subject = {{"OU", "system:nodes"}, {"CN", "system:node:n1"}}}),
            kOrganization);
  EXPECT_EQ(
      kubelet({.subject = {{"O", std::string("system:nodes\0", 13)}, {"CN", "system:node:n1"}}}),
      kOrganization);
  EXPECT_EQ(
      serving({.subject = {{"O", "x"}, {"CN", "system:node:n1"}}, .alternative_names = "DNS:n1"}),
      kOrganization);
}

TEST_F(RequestRulesTest, CERT024_AKubeletHasOneOrganization) {
  EXPECT_EQ(kubelet({.subject = node_subject({{"O", "x"}})}), kOrganization);
  EXPECT_EQ(kubelet({.subject = node_subject({{"O", "system:nodes"}})}), kOrganization);
  EXPECT_EQ(kubelet({.subject = node_subject({{"O", "system:masters"}})}), kOrganization);
  EXPECT_EQ(serving({.subject = node_subject({{"O", "x"}}), .alternative_names = "DNS:n1"}),
            kOrganization);
}

TEST_F(RequestRulesTest, CERT025_AKubeletsCommonNameIsThatOfANode) {
  EXPECT_EQ(kubelet({.subject = {{"O", "system:nodes"}, {"CN", "bob"}}}), kCommonName);
  EXPECT_EQ(kubelet({.subject = {{"O", "system:nodes"}}}), kCommonName);
  // The last one counts, and is the only one that is issued.
  EXPECT_EQ(kubelet({.subject = node_subject({{"CN", "bob"}})}), kCommonName);
  EXPECT_EQ(
      serving({.subject = {{"O", "system:nodes"}, {"CN", "bob"}}, .alternative_names = "DNS:n1"}),
      kCommonName);
}

TEST_F(RequestRulesTest, CERT026_AKubeletsClientHasNoNames) {
  const std::vector<Attribute> node = node_subject();
  EXPECT_EQ(kubelet({.subject = node, .alternative_names = "DNS:a"}),
            "DNS subjectAltNames are not allowed");
  EXPECT_EQ(kubelet({.subject = node, .alternative_names = "email:a@b"}),
            "Email subjectAltNames are not allowed");
  EXPECT_EQ(kubelet({.subject = node, .alternative_names = "IP:10.0.0.1"}),
            "IP subjectAltNames are not allowed");
  EXPECT_EQ(kubelet({.subject = node, .alternative_names = "URI:https://a"}),
            "URI subjectAltNames are not allowed");
}

TEST_F(RequestRulesTest, CERT027_AKubeletsClientHasItsUsages) {
  const char* const wrong = "usages did not match [client auth digital signature key encipherment]";
  EXPECT_EQ(kubelet({.subject = node_subject()}, {"client auth"}), wrong);
  EXPECT_EQ(kubelet({.subject = node_subject()}, {"digital signature", "server auth"}), wrong);
  EXPECT_EQ(
      kubelet({.subject = node_subject()}, {"digital signature", "client auth", "server auth"}),
      wrong);
  EXPECT_EQ(kubelet({.subject = node_subject()}, {"digital signature", "client auth", "cert sign"}),
            wrong);
  EXPECT_EQ(kubelet({.subject = node_subject()}, {}), wrong);
}

TEST_F(RequestRulesTest, CERT028_AClientsCommonNameIsLookedAtBeforeItsUsages) {
  EXPECT_EQ(kubelet({.subject = {{"O", "system:nodes"}, {"CN", "bob"}}}, {"client auth"}),
            kCommonName);
}

TEST_F(RequestRulesTest, CERT030_AServingCertificateNeedsAName) {
  EXPECT_EQ(serving({.subject = node_subject()}), "DNS or IP subjectAltName is required");
  EXPECT_EQ(serving({.subject = node_subject(), .alternative_names = "URI:https://a"}),
            "DNS or IP subjectAltName is required");
}

TEST_F(RequestRulesTest, CERT031_AServingCertificateHasNoOtherNames) {
  EXPECT_EQ(serving({.subject = node_subject(), .alternative_names = "DNS:a,URI:https://a"}),
            "URI subjectAltNames are not allowed");
  EXPECT_EQ(serving({.subject = node_subject(), .alternative_names = "IP:10.0.0.1,email:a@b"}),
            "Email subjectAltNames are not allowed");
}

TEST_F(RequestRulesTest, CERT032_AServingCertificateHasItsUsages) {
  const char* const wrong = "usages did not match [digital signature key encipherment server auth]";
  const RequestOptions good{.subject = node_subject(), .alternative_names = "DNS:n1"};
  EXPECT_EQ(serving(good, {"server auth"}), wrong);
  EXPECT_EQ(serving(good, {"digital signature", "client auth"}), wrong);
  EXPECT_EQ(serving(good, {"digital signature", "server auth", "client auth"}), wrong);
}

TEST_F(RequestRulesTest, CERT033_AServersUsagesAreLookedAtBeforeItsCommonName) {
  EXPECT_EQ(
      serving({.subject = {{"O", "system:nodes"}, {"CN", "bob"}}, .alternative_names = "DNS:n1"},
              {"server auth"}),
      "usages did not match [digital signature key encipherment server auth]");
}

TEST_F(RequestRulesTest, CERT034_AClientHasNoOtherUsage) {
  const RequestOptions alice{.subject = {{"CN", "alice"}}};
  EXPECT_EQ(refused(alice, kClient, {"client auth", "server auth"}),
            "invalid usage for client certificate: server auth");
  EXPECT_EQ(refused(alice, kClient, {"cert sign", "client auth"}),
            "invalid usage for client certificate: cert sign");
}

TEST_F(RequestRulesTest, CERT035_AClientNeedsItsUsage) {
  EXPECT_EQ(refused({.subject = {{"CN", "alice"}}}, kClient, {"digital signature"}),
            "missing required usage for client certificate: client auth");
}

}  // namespace
}  // namespace davit::certificates
