#include "tests/plugins/serviceaccount/fixture.hpp"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <algorithm>

#include "plugins/shared/pki/openssl_handles.hpp"

namespace davit::serviceaccount {

using pki::BioHandle;
using pki::CertificateHandle;
using pki::DigestContext;
using pki::EcdsaSignature;
using pki::PrivateKeyHandle;

namespace {

PrivateKeyHandle generate(const std::string& kind) {
  if (kind == "RSA") return PrivateKeyHandle(EVP_RSA_gen(2048));
  if (kind == "ED25519") {
    return PrivateKeyHandle(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  }
  return PrivateKeyHandle(EVP_EC_gen(kind.c_str()));
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

PrivateKeyHandle read_key(const std::string& pem) {
  const BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return PrivateKeyHandle(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
}

std::string make_certificate() {
  const PrivateKeyHandle key = generate("P-256");
  const CertificateHandle made(X509_new());
  X509_set_version(made.get(), X509_VERSION_3);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
  X509_set_pubkey(made.get(), key.get());
  X509_sign(made.get(), key.get(), EVP_sha256());
  const BioHandle out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(out.get(), made.get());
  return text_of(out.get());
}

const EVP_MD* digest_of(const std::string& algorithm) {
  if (algorithm == "ES384") return EVP_sha384();
  return algorithm == "ES512" ? EVP_sha512() : EVP_sha256();
}

/// The DER form of two numbers of equal size.
std::string der_of(const std::string& numbers) {
  const auto* at = reinterpret_cast<const unsigned char*>(numbers.data());
  const int half = static_cast<int>(numbers.size() / 2);
  const EcdsaSignature signature(ECDSA_SIG_new());
  ECDSA_SIG_set0(signature.get(), BN_bin2bn(at, half, nullptr),
                 BN_bin2bn(at + half, half, nullptr));
  std::string out(static_cast<std::size_t>(i2d_ECDSA_SIG(signature.get(), nullptr)), '\0');
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  i2d_ECDSA_SIG(signature.get(), &to);
  return out;
}

}  // namespace

void ServiceAccountTest::TearDown() {
  EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty());
  EXPECT_THAT(cluster_.events(), ::testing::IsEmpty()) << "none of the controllers records any";
}

void ServiceAccountTest::start(std::string_view controller, const Make& make,
                               std::string_view config) {
  const Status started = cluster_.start(controller, make, config);
  ASSERT_TRUE(started.ok()) << started.message();
  settle();
}

Status ServiceAccountTest::refusal(std::string_view controller, const Make& make,
                                   std::string_view config) {
  return cluster_.start(controller, make, config);
}

void ServiceAccountTest::add(Json object, std::string_view patch) {
  testing::merge_patch(object, Json::must(patch));
  cluster_.add(object);
  settle();
}

void ServiceAccountTest::add_namespace(const std::string& name, std::string_view patch) {
  Json ns = Json::must(R"({"apiVersion":"v1","kind":"Namespace","status":{"phase":"Active"}})");
  ns["metadata"]["name"] = name;
  add(std::move(ns), patch);
}

void ServiceAccountTest::add_terminating_namespace(const std::string& name) {
  add_namespace(name, R"({"metadata":{"deletionTimestamp":"2024-05-01T12:00:00Z"},
                          "spec":{"finalizers":["kubernetes"]},"status":{"phase":"Terminating"}})");
}

void ServiceAccountTest::add_account(std::string_view uid, std::string_view patch) {
  Json account = Json::must(
      R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"s","namespace":"ns"}})");
  account["metadata"]["uid"] = std::string(uid);
  add(std::move(account), patch);
}

void ServiceAccountTest::add_secret(std::string_view patch) {
  add(Json::must(R"({"apiVersion":"v1","kind":"Secret","type":"kubernetes.io/service-account-token",
      "metadata":{"name":"t","namespace":"ns","uid":"uid-t",
                  "annotations":{"kubernetes.io/service-account.name":"s"}}})"),
      patch);
}

std::vector<std::string> ServiceAccountTest::requests() const {
  std::vector<std::string> out;
  for (const testing::RequestRecord& each : cluster_.requests()) out.push_back(each.text());
  return out;
}

const std::string& certificate() {
  static const std::string kMade = make_certificate();
  return kMade;
}
const std::string& other_certificate() {
  static const std::string kMade = make_certificate();
  return kMade;
}

std::string private_key(const std::string& kind) {
  const BioHandle out(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey_traditional(out.get(), generate(kind).get(), nullptr, nullptr, 0,
                                       nullptr, nullptr);
  return text_of(out.get());
}

std::string pkcs8_key(const std::string& kind) {
  const BioHandle out(BIO_new(BIO_s_mem()));
  PEM_write_bio_PKCS8PrivateKey(out.get(), generate(kind).get(), nullptr, nullptr, 0, nullptr,
                                nullptr);
  return text_of(out.get());
}

std::string decode_base64(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  std::size_t padding = 0;
  while (text.ends_with('=')) text.pop_back();
  for (; text.size() % 4 != 0; ++padding) text += '=';
  std::string out(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0) return "not base64";
  out.resize(static_cast<std::size_t>(size) - padding);
  return out;
}

DecodedToken decode_token(const std::string& token) {
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  return {testing::Json::must(decode_base64(token.substr(0, first))),
          testing::Json::must(decode_base64(token.substr(first + 1, last - first - 1))),
          decode_base64(token.substr(last + 1)), token.substr(0, last)};
}

bool is_signed_by(const DecodedToken& token, const std::string& private_key) {
  const std::string algorithm = token.header.text_at({"alg"});
  const PrivateKeyHandle key = read_key(private_key);
  const std::string signature = algorithm == "RS256" ? token.signature : der_of(token.signature);
  const DigestContext context(EVP_MD_CTX_new());
  return key &&
         EVP_DigestVerifyInit(context.get(), nullptr, digest_of(algorithm), nullptr, key.get()) ==
             1 &&
         EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()),
                          signature.size(),
                          reinterpret_cast<const unsigned char*>(token.signed_text.data()),
                          token.signed_text.size()) == 1;
}

}  // namespace davit::serviceaccount
