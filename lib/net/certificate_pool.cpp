#include "lib/net/certificate_pool.hpp"

#include <openssl/err.h>
#include <openssl/sha.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <array>
#include <ctime>
#include <davit/hex.hpp>
#include <utility>

#include "lib/base/openssl_owners.hpp"
#include "lib/net/certificate_names.hpp"
#include "lib/net/tls_strength.hpp"

namespace davit {
namespace {

using StorePtr = std::unique_ptr<X509_STORE, OpenSslFree<X509_STORE_free>>;
using VerifyPtr = std::unique_ptr<X509_STORE_CTX, OpenSslFree<X509_STORE_CTX_free>>;

/// k8s.io/apiserver/pkg/authentication/request/x509: the user's UID in a subject.
constexpr char kUidField[] = "1.3.6.1.4.1.57683.2";

struct StackFree {
  void operator()(STACK_OF(X509) * each) const { sk_X509_free(each); }
};
using StackPtr = std::unique_ptr<STACK_OF(X509), StackFree>;

CertificatePtr from_der(const std::string& der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  return CertificatePtr(d2i_X509(nullptr, &at, static_cast<long>(der.size())));
}

WallTime wall_time(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return WallTime(std::chrono::seconds(timegm(&parts)));
}

std::string hex_sum(const std::string& bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> sum{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), sum.data());
  return hex_text(sum);
}

/// The first value of the field in the subject.
std::string field(X509_NAME* name, const char* id) {
  const std::unique_ptr<ASN1_OBJECT, OpenSslFree<ASN1_OBJECT_free>> object(OBJ_txt2obj(id, 1));
  const int at = X509_NAME_get_index_by_OBJ(name, object.get(), -1);
  if (at < 0) return {};
  const ASN1_STRING* const value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
  unsigned char* utf8 = nullptr;
  const int size = ASN1_STRING_to_UTF8(&utf8, value);
  if (size < 0) return {};
  std::string out(reinterpret_cast<char*>(utf8), static_cast<std::size_t>(size));
  OPENSSL_free(utf8);
  return out;
}

CertificateSubject subject_of(X509* certificate, const std::string& der) {
  X509_NAME* const name = X509_get_subject_name(certificate);
  std::vector<std::string> names = name_entries(name, NID_commonName);
  return {.common_name = names.empty() ? std::string() : std::move(names.front()),
          .organizations = name_entries(name, NID_organizationName),
          .uid = field(name, kUidField),
          .sha256 = hex_sum(der),
          .not_after = wall_time(X509_get0_notAfter(certificate))};
}

Result<CertificatePtr> first_certificate(std::string_view pem) {
  const BioPtr in = reader_of(pem);
  CertificatePtr first(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (!first) return Status(Code::kInvalid, "there is no certificate in it");
  return first;
}

}  // namespace

struct CertificatePool::Store {
  StorePtr store;
};

CertificatePool::CertificatePool(std::unique_ptr<Store> store) : store_(std::move(store)) {}
CertificatePool::~CertificatePool() = default;

Result<CertificateTimes> certificate_times(std::string_view pem) {
  const Result<CertificatePtr> first = first_certificate(pem);
  if (!first) return first.error();
  return CertificateTimes{wall_time(X509_get0_notBefore(first->get())),
                          wall_time(X509_get0_notAfter(first->get()))};
}

Result<CertificateSubject> certificate_subject(std::string_view pem) {
  const Result<CertificatePtr> first = first_certificate(pem);
  if (!first) return first.error();
  return subject_of(first->get(), to_der(first->get()));
}

Result<std::shared_ptr<const CertificatePool>> CertificatePool::from_pem(std::string_view pem) {
  const BioPtr in = reader_of(pem);
  StorePtr store(X509_STORE_new());
  int count = 0;
  for (;; ++count) {
    const CertificatePtr next(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
    if (!next) break;
    X509_STORE_add_cert(store.get(), next.get());
  }
  ERR_clear_error();
  if (count == 0) return Status(Code::kInvalid, "there is no certificate in it");
  X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN);
  return std::shared_ptr<const CertificatePool>(
      std::make_shared<CertificatePool>(std::make_unique<Store>(Store{std::move(store)})));
}

std::optional<CertificateSubject> CertificatePool::verify_client(
    const std::vector<std::string>& chain, WallTime now) const {
  if (chain.empty()) return std::nullopt;
  const CertificatePtr own = from_der(chain.front());
  std::vector<CertificatePtr> others;
  const StackPtr stack(sk_X509_new_null());
  for (std::size_t i = 1; i < chain.size(); ++i) {
    others.push_back(from_der(chain[i]));
    if (others.back()) sk_X509_push(stack.get(), others.back().get());
  }
  const VerifyPtr verify(X509_STORE_CTX_new());
  if (!own || !verify ||
      X509_STORE_CTX_init(verify.get(), store_->store.get(), own.get(), stack.get()) != 1) {
    ERR_clear_error();
    return std::nullopt;
  }
  X509_STORE_CTX_set_purpose(verify.get(), X509_PURPOSE_SSL_CLIENT);
  X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(verify.get()), kCertificateLevel);
  X509_STORE_CTX_set_time(verify.get(), 0, std::chrono::system_clock::to_time_t(now));
  const bool vouched = X509_verify_cert(verify.get()) == 1;
  ERR_clear_error();
  if (!vouched) return std::nullopt;
  return subject_of(own.get(), chain.front());
}

}  // namespace davit
