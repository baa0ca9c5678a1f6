#include "plugins/certificates/certificate_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/base64.hpp>

#include "tests/plugins/certificates/made.hpp"

namespace davit::certificates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Result<CertificateRequest> parse(const std::string& pem) {
  return CertificateRequest::parse(encode_base64(pem));
}
std::string why_not(const std::string& pem) { return parse(pem).error().message(); }
std::string unverified(const RequestOptions& options) {
  const Result<CertificateRequest> made = parse(make_request(options));
  EXPECT_TRUE(made) << made.error().message();
  return made ? made->verify().message() : "not parsed";
}

TEST(CertificateRequestTest, TakesTheAttributesInTheirOrder) {
  const auto made =
      parse(make_request({.subject = {{"CN", "a"}, {"O", "x"}, {"CN", "b"}, {"O", "w"}}}));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_THAT(made->subject().organizations, ElementsAre("x", "w"));
  EXPECT_EQ(made->subject().common_name, "b");
}

TEST(CertificateRequestTest, AnAttributeThatTheServerDoesNotReadDoesNotExist) {
  // "system:masters" as UniversalString: admission on the API server does not see it.
  std::string wide;
  for (const char c : std::string("system:masters")) wide += std::string("\0\0\0", 3) + c;
  const auto made =
      parse(make_request({.subject = {{"O", wide, V_ASN1_UNIVERSALSTRING}, {"CN", "bob"}}}));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_THAT(made->subject().organizations, IsEmpty());
}

TEST(CertificateRequestTest, OtherTextTypesAreText) {
  std::string wide;
  for (const char c : std::string("ab")) wide += std::string(1, '\0') + c;
  const auto made = parse(make_request({.subject = {{"O", wide, V_ASN1_BMPSTRING},
                                                    {"O", "c", V_ASN1_PRINTABLESTRING},
                                                    {"O", "d", V_ASN1_T61STRING},
                                                    {"O", "e", V_ASN1_IA5STRING}}}));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_THAT(made->subject().organizations, ElementsAre("ab", "c", "d", "e"));
}

TEST(CertificateRequestTest, ATextThatIsNotUtf8IsRefused) {
  EXPECT_THAT(why_not(make_request({.subject = {{"O", "\xe9", V_ASN1_T61STRING}}})),
              HasSubstr("not UTF-8"));
}

TEST(CertificateRequestTest, AZeroByteIsPartOfAText) {
  const auto made = parse(make_request(
      {.subject = {{"O", std::string("system:nodes\0x", 14)}, {"CN", "system:node:n1"}}}));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_THAT(made->subject().organizations, ElementsAre(std::string("system:nodes\0x", 14)));
}

TEST(CertificateRequestTest, NamesOfEveryTypeAreRead) {
  const auto made = parse(make_request(
      {.alternative_names = "URI:https://a,IP:10.0.0.1,IP:::1,email:a@b,DNS:b,DNS:a"}));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_THAT(made->names().dns, ElementsAre("b", "a"));
  EXPECT_THAT(made->names().emails, ElementsAre("a@b"));
  EXPECT_THAT(made->names().addresses, ElementsAre(SizeIs(4), SizeIs(16)));
  EXPECT_THAT(made->names().uris, ElementsAre("https://a"));
}

TEST(CertificateRequestTest, NamesInMicrosoftsAttributeDoNotExist) {
  const auto made =
      parse(make_request({.alternative_names = "DNS:a", .extension_attribute = NID_ms_ext_req}));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(made->names().empty());
}

TEST(CertificateRequestTest, AnExtensionThatIsRequestedTwiceIsRefused) {
  EXPECT_EQ(why_not(make_request({.alternative_names = "DNS:a", .names_times = 2})),
            "an extension is requested twice");
}

TEST(CertificateRequestTest, ThousandsOfNamesAndOrganizationsAreRead) {
  constexpr std::size_t kMany = 5'000;
  std::string names = "DNS:a";
  while (names.size() < 6 * kMany) names += ",DNS:a";
  RequestOptions options{.subject = {}, .alternative_names = names};
  options.subject.assign(kMany, Attribute{"O", "system:nodes"});
  const auto made = parse(make_request(options));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_THAT(made->subject().organizations, SizeIs(kMany));
  EXPECT_GT(made->names().dns.size(), kMany / 2);
}

TEST(CertificateRequestTest, AnotherTypeOfBlockIsRefused) {
  const char* const wrong = "PEM block type must be CERTIFICATE REQUEST";
  EXPECT_EQ(why_not(make_ca().certificate), wrong);
  EXPECT_EQ(why_not("x"), wrong);
  EXPECT_EQ(why_not(""), wrong);
  EXPECT_EQ(why_not("-----BEGIN CERTIFICATE REQUEST"), wrong);
  EXPECT_EQ(why_not(make_ca().certificate + make_request()), wrong);
}

TEST(CertificateRequestTest, ThereIsRoomForOneBlockAlone) {
  const std::string good = make_request();
  const std::string one = "the request must be one PEM block";
  EXPECT_EQ(why_not(good + good), one);
  EXPECT_EQ(why_not(" " + good), one);
  EXPECT_EQ(why_not("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n"), one);
  EXPECT_EQ(why_not("-----END CERTIFICATE REQUEST-----\n" + good), one);
  std::string headers = good;
  headers.insert(good.find('\n') + 1, "Proc-Type: 4\n\n");
  EXPECT_EQ(why_not(headers), "the PEM block has headers or is not base64");
  EXPECT_TRUE(parse("Certificate Request:\n  Data:\n" + good + "\n")) << "openssl req -text";
}

TEST(CertificateRequestTest, GarbageIsRefused) {
  const auto block = [](const std::string& der) {
    return "-----BEGIN CERTIFICATE REQUEST-----\n" + encode_base64(der) +
           "\n-----END CERTIFICATE REQUEST-----\n";
  };
  EXPECT_EQ(why_not(block("garbage")), "the request is not PKCS#10");
  EXPECT_EQ(why_not(block(std::string(100'000, '\x30'))), "the request is not PKCS#10");
  const std::string good = make_request();
  const std::size_t begin = good.find('\n');
  std::string digits = good.substr(begin, good.rfind("-----END") - begin);
  std::erase(digits, '\n');
  const std::string der = decode_base64(digits).value_or("");
  EXPECT_TRUE(parse(block(der)));
  EXPECT_EQ(why_not(block(der + "x")), "the request has trailing data");
  for (std::size_t size = 0; size < der.size(); ++size) {
    EXPECT_FALSE(parse(block(der.substr(0, size)))) << size;
  }
  EXPECT_EQ(CertificateRequest::parse("***").error().message(), "the request is not base64");
}

TEST(CertificateRequestTest, EveryFlippedByteIsHandled) {
  const std::string good = make_request({.subject = node_subject(), .alternative_names = "DNS:a"});
  const std::size_t begin = good.find('\n');
  std::string digits = good.substr(begin, good.rfind("-----END") - begin);
  std::erase(digits, '\n');
  const std::string der = decode_base64(digits).value_or("");
  for (std::size_t i = 0; i < der.size(); ++i) {
    std::string bad = der;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    const auto made = parse("-----BEGIN CERTIFICATE REQUEST-----\n" + encode_base64(bad) +
                            "\n-----END CERTIFICATE REQUEST-----\n");
    EXPECT_FALSE(made && made->verify().ok()) << i;
  }
}

TEST(CertificateRequestTest, KeysThatAreSignedVerify) {
  for (const char* key : {"RSA", "P-224", "P-256", "P-384", "P-521", "ED25519"}) {
    EXPECT_EQ(unverified({.key = key}), "") << key;
  }
}

TEST(CertificateRequestTest, OtherKeysDoNotVerify) {
  EXPECT_EQ(unverified({.key = "RSA-512"}), "RSA keys need 1024 bits, not 512");
  EXPECT_THAT(unverified({.key = "secp256k1"}), HasSubstr("the key must be RSA, ECDSA"));
  EXPECT_THAT(unverified({.key = "ED448"}), HasSubstr("the key must be RSA, ECDSA"));
}

TEST(CertificateRequestTest, AKeyOf16BitsDoesNotVerify) {
  const auto made = parse(make_request_of_16_bits());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->verify().message(), "RSA keys need 1024 bits, not 16");
}

TEST(CertificateRequestTest, AKeyOf16384BitsVerifies) {
  const auto made = parse(request_of_16384_bits());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->verify().message(), "");
}

TEST(CertificateRequestTest, OldDigestsDoNotVerify) {
  EXPECT_THAT(unverified({.key = "RSA", .digest = EVP_md5()}), HasSubstr("the digest"));
  EXPECT_EQ(unverified({.key = "RSA", .digest = EVP_sha1()}), "");
}

TEST(CertificateRequestTest, AForgedSignatureDoesNotVerify) {
  const auto made = parse(make_forged_request());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->verify().message(), "the key has not signed the request");
}

}  // namespace
}  // namespace davit::certificates
