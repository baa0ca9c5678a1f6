#include "plugins/serviceaccount/signing_key.hpp"

#include "plugins/serviceaccount/token_text.hpp"
#include "tests/plugins/serviceaccount/fixture.hpp"

namespace davit::serviceaccount {
namespace {

constexpr TokenSubject kSubject{"ns", "s", "uid-s", "t"};

struct KeyCase {
  const char* kind;
  const char* algorithm;
  std::size_t signature_size;
};
constexpr KeyCase kKeyCases[] = {
    {"RSA", "RS256", 256}, {"P-256", "ES256", 64}, {"P-384", "ES384", 96}, {"P-521", "ES512", 132}};

TEST(SigningKeyTest, EachKindOfKeySignsInItsOwnWay) {
  for (const KeyCase& each : kKeyCases) {
    for (const std::string& pem : {private_key(each.kind), pkcs8_key(each.kind)}) {
      const Result<SigningKey> key = SigningKey::parse(pem);
      ASSERT_TRUE(key) << each.kind << ": " << key.error().message();
      const DecodedToken token = decode_token(*make_token(*key, kSubject));
      EXPECT_EQ(token.header.text_at({"alg"}), each.algorithm);
      EXPECT_EQ(token.signature.size(), each.signature_size) << each.kind;
      EXPECT_TRUE(is_signed_by(token, pem)) << each.kind;
    }
  }
}

TEST(SigningKeyTest, TheIdIsTheHashOfThePublicKey) {
  // The key of RFC 7515, appendix A.3.
  const Result<SigningKey> key = SigningKey::parse(
      "-----BEGIN EC PRIVATE KEY-----\n"
      "MHcCAQEEII6bEJ5xkJi/mASH3x9dd+nLKWBuvtImO19XwhPfhPSyoAoGCCqGSM49\n"
      "AwEHoUQDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEXH8UTNG72b\n"
      "focs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==\n"
      "-----END EC PRIVATE KEY-----\n");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->id(), "K9G7DESol8MKeqCZHN442AYv5EHeUNoPRoJTRPYC6Cc");
}

TEST(SigningKeyTest, ClaimsAreSortedAndComplete) {
  EXPECT_EQ(token_claims(kSubject), R"({"iss":"kubernetes/serviceaccount",)"
                                    R"("kubernetes.io/serviceaccount/namespace":"ns",)"
                                    R"("kubernetes.io/serviceaccount/secret.name":"t",)"
                                    R"("kubernetes.io/serviceaccount/service-account.name":"s",)"
                                    R"("kubernetes.io/serviceaccount/service-account.uid":"uid-s",)"
                                    R"("sub":"system:serviceaccount:ns:s"})");
}

TEST(SigningKeyTest, TheFirstBlockThatIsAPrivateKeyCounts) {
  const std::string rsa = private_key("RSA");
  const std::string broken =
      "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n";
  const Result<SigningKey> key =
      SigningKey::parse(certificate() + broken + rsa + private_key("P-256"));
  ASSERT_TRUE(key);
  EXPECT_EQ(key->id(), SigningKey::parse(rsa)->id());
}

TEST(SigningKeyTest, OtherKeysAndTextsAreRefused) {
  for (const std::string& pem : {std::string(), std::string("x"), certificate()}) {
    EXPECT_EQ(SigningKey::parse(pem).error().message(),
              "data does not contain a valid RSA or ECDSA private key");
  }
  for (const char* kind : {"ED25519", "secp256k1"}) {
    EXPECT_THAT(SigningKey::parse(pkcs8_key(kind)).error().message(),
                ::testing::HasSubstr("unknown private key type or curve"))
        << kind;
  }
}

}  // namespace
}  // namespace davit::serviceaccount
