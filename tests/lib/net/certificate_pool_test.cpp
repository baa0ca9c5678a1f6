#include "lib/net/certificate_pool.hpp"

#include <gtest/gtest.h>

#include "lib/net/certificate_names.hpp"
#include "tests/support/weak_pair.hpp"

namespace davit {
namespace {

class CertificatePoolTest : public testing::Test {
 protected:
  /// Whether a pool of `roots` accepts the client with this chain.
  [[nodiscard]] bool accepts(const std::string& roots, const std::vector<KeyPair>& chain) const {
    std::vector<std::string> der;
    for (const KeyPair& each : chain) der.push_back(to_der(test::read_certificate(each).get()));
    return (*CertificatePool::from_pem(roots))->verify_client(der, now_).has_value();
  }

  const WallTime now_ = make_system_clock()->wall_now();
  const KeyPair authority_ = *make_authority("authority", now_);
  const KeyPair client_ = *issue_certificate(authority_, {.common_name = "ann"}, now_);
};

TEST_F(CertificatePoolTest, ClientsWithSignaturesOfMd5OrSha1AreRefused) {
  const KeyPair rsa = test::with_rsa_key(authority_, authority_);  // ECDSA has none with MD5.
  const auto accepts_signed_with = [&](const EVP_MD* digest) {
    return accepts(rsa.certificate, {test::signed_again(client_, rsa, digest)});
  };

  EXPECT_TRUE(accepts_signed_with(EVP_sha256()));
  EXPECT_TRUE(accepts_signed_with(EVP_sha384()));
  EXPECT_FALSE(accepts_signed_with(EVP_sha1()));
  EXPECT_FALSE(accepts_signed_with(EVP_md5()));
}

TEST_F(CertificatePoolTest, AnAuthorityInTheMiddleWithASignatureOfSha1IsRefused) {
  const KeyPair middle = *make_authority("middle", now_);
  const KeyPair client = *issue_certificate(middle, {.common_name = "ann"}, now_);
  const std::string& roots = authority_.certificate;
  ASSERT_TRUE(accepts(roots, {client, test::signed_again(middle, authority_, EVP_sha256())}));

  EXPECT_FALSE(accepts(roots, {client, test::signed_again(middle, authority_, EVP_sha1())}));
}

TEST_F(CertificatePoolTest, TheSignatureOfATrustedRootDoesNotCount) {
  const KeyPair old = test::signed_again(authority_, authority_, EVP_sha1());

  EXPECT_TRUE(accepts(old.certificate, {client_}));
}

}  // namespace
}  // namespace davit
