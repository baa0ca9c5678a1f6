#include "lib/net/key_pair.hpp"

#include <gtest/gtest.h>

#include "tests/support/weak_pair.hpp"

namespace davit {
namespace {

std::string block(const std::string& type) {
  return "-----BEGIN " + type + "-----\nAAAA\n-----END " + type + "-----\n";
}

class KeyPairTest : public testing::Test {
 protected:
  const WallTime now_ = make_system_clock()->wall_now();
  const KeyPair pair_ = *make_authority("a", now_);
  const KeyPair other_ = *make_authority("b", now_);
};

TEST_F(KeyPairTest, ACertificateAndItsKeyAreAPair) {
  EXPECT_EQ(key_pair_problem(pair_), "");
  EXPECT_EQ(key_pair_problem(test::with_rsa_key(pair_, other_)), "");
}

TEST_F(KeyPairTest, OtherBlocksAreSkipped) {
  EXPECT_EQ(key_pair_problem({block("A") + pair_.certificate, block("B") + pair_.key}), "");
}

TEST_F(KeyPairTest, TheCertificateAfterTheFirstOneMayBeAnybodys) {
  EXPECT_EQ(key_pair_problem({pair_.certificate + other_.certificate, pair_.key}), "");
}

TEST_F(KeyPairTest, TheKeyOfAnotherCertificateIsNamed) {
  EXPECT_EQ(key_pair_problem({pair_.certificate, other_.key}),
            "tls: private key does not match public key");
  EXPECT_EQ(key_pair_problem({pair_.certificate, test::with_rsa_key(pair_, other_).key}),
            "tls: private key type does not match public key type");
}

TEST_F(KeyPairTest, AMissingCertificateIsNamed) {
  EXPECT_EQ(key_pair_problem({"", pair_.key}),
            "tls: failed to find any PEM data in certificate input");
  EXPECT_EQ(key_pair_problem({pair_.key, pair_.certificate}),
            "tls: failed to find certificate PEM data in certificate input, but did find a private "
            "key; PEM inputs may have been switched");
  EXPECT_EQ(key_pair_problem({block("A") + block("B"), pair_.key}),
            "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM "
            "blocks of the following types: [A B]");
}

TEST_F(KeyPairTest, AMissingKeyIsNamed) {
  EXPECT_EQ(key_pair_problem({pair_.certificate, "x"}),
            "tls: failed to find any PEM data in key input");
  EXPECT_EQ(key_pair_problem({pair_.certificate, pair_.certificate}),
            "tls: found a certificate rather than a key in the PEM for the private key");
  EXPECT_EQ(key_pair_problem({pair_.certificate, block("A")}),
            "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after "
            "skipping PEM blocks of the following types: [A]");
}

TEST_F(KeyPairTest, GarbageInABlockIsNamed) {
  EXPECT_EQ(key_pair_problem({block("CERTIFICATE"), pair_.key}), "x509: malformed certificate");
  EXPECT_EQ(key_pair_problem({pair_.certificate, block("PRIVATE KEY")}),
            "tls: failed to parse private key");
}

}  // namespace
}  // namespace davit
