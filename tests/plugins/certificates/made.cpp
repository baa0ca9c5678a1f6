#include "tests/plugins/certificates/made.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <fstream>
#include <iterator>
#include <memory>

#include "plugins/certificates/authority.hpp"
#include "plugins/shared/pki/pem.hpp"

namespace davit::certificates {

using pki::BioHandle;
using pki::CertificateHandle;
using pki::ExtensionHandle;
using pki::PrivateKeyHandle;
using pki::RequestHandle;

namespace {

constexpr int kRsaBits = 2048;

PrivateKeyHandle new_key(const std::string& kind) {
  if (kind == "RSA") return PrivateKeyHandle(EVP_RSA_gen(kRsaBits));
  if (kind.starts_with("RSA-")) {
    return PrivateKeyHandle(EVP_RSA_gen(static_cast<unsigned>(std::stoi(kind.substr(4)))));
  }
  if (kind == "ED25519" || kind == "ED448") {
    return PrivateKeyHandle(EVP_PKEY_Q_keygen(nullptr, nullptr, kind.c_str()));
  }
  return PrivateKeyHandle(EVP_EC_gen(kind.c_str()));
}

const EVP_MD* digest_of(const std::string& kind) {
  return kind.starts_with("ED") ? nullptr : EVP_sha256();
}

template <typename Write>
std::string written(const Write& write) {
  const BioHandle out(BIO_new(BIO_s_mem()));
  write(out.get());
  return pki::text_of(*out);
}

std::string text_of(const X509_NAME* name) {
  return written([&](BIO* out) {
    X509_NAME_print_ex(out, name, 0,
                       (XN_FLAG_RFC2253 & ~static_cast<unsigned long>(XN_FLAG_DN_REV)));
  });
}

RequestHandle request_of(const std::string& pem) {
  const BioHandle in(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return RequestHandle(PEM_read_bio_X509_REQ(in.get(), nullptr, nullptr, nullptr));
}

}  // namespace

MadeCa make_ca(const CaOptions& options) {
  const PrivateKeyHandle key = new_key(options.key);
  const CertificateHandle made(X509_new());
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_NAME* const name = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, pki::bytes_of("test-ca"), -1, -1, 0);
  X509_set_issuer_name(made.get(), name);
  ASN1_TIME_set(X509_getm_notBefore(made.get()), kNoon - 10 * kYear);
  ASN1_TIME_set(X509_getm_notAfter(made.get()), options.not_after);
  X509_set_pubkey(made.get(), key.get());
  X509V3_CTX context;
  X509V3_set_ctx(&context, made.get(), made.get(), nullptr, nullptr, 0);
  if (options.has_key_id) {
    const ExtensionHandle id(
        X509V3_EXT_conf_nid(nullptr, &context, NID_subject_key_identifier, "hash"));
    X509_add_ext(made.get(), id.get(), -1);
  }
  X509_sign(made.get(), key.get(), digest_of(options.key));
  return {written([&](BIO* out) { PEM_write_bio_X509(out, made.get()); }), written([&](BIO* out) {
            PEM_write_bio_PKCS8PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

std::string make_request(const RequestOptions& options) {
  const PrivateKeyHandle key = new_key(options.key);
  const RequestHandle made(X509_REQ_new());
  X509_REQ_set_version(made.get(), 0);
  for (const Attribute& each : options.subject) {
    X509_NAME_add_entry_by_txt(X509_REQ_get_subject_name(made.get()), each.type.c_str(), each.kind,
                               pki::bytes_of(each.text), static_cast<int>(each.text.size()), -1, 0);
  }
  X509_REQ_set_pubkey(made.get(), key.get());
  STACK_OF(X509_EXTENSION)* extensions = sk_X509_EXTENSION_new_null();
  if (options.wants_ca) {
    sk_X509_EXTENSION_push(extensions, X509V3_EXT_conf_nid(nullptr, nullptr, NID_basic_constraints,
                                                           "critical,CA:TRUE"));
  }
  for (int i = 0; !options.alternative_names.empty() && i < options.names_times; ++i) {
    sk_X509_EXTENSION_push(extensions, X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name,
                                                           options.alternative_names.c_str()));
  }
  if (sk_X509_EXTENSION_num(extensions) > 0) {
    X509_REQ_add_extensions_nid(made.get(), extensions, options.extension_attribute);
  }
  sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
  X509_REQ_sign(made.get(), key.get(),
                options.digest == nullptr ? digest_of(options.key) : options.digest);
  return written([&](BIO* out) { PEM_write_bio_X509_REQ(out, made.get()); });
}

std::string make_forged_request() {
  const RequestHandle made = request_of(make_request());
  const PrivateKeyHandle other = new_key("P-256");
  X509_REQ_set_pubkey(made.get(), other.get());
  return written([&](BIO* out) { PEM_write_bio_X509_REQ(out, made.get()); });
}

std::string make_request_of_16_bits() {
  unsigned long modulus = 241 * 251;
  unsigned long exponent = 3;
  OSSL_PARAM parts[] = {OSSL_PARAM_construct_ulong(OSSL_PKEY_PARAM_RSA_N, &modulus),
                        OSSL_PARAM_construct_ulong(OSSL_PKEY_PARAM_RSA_E, &exponent),
                        OSSL_PARAM_construct_end()};
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(
      EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr), &EVP_PKEY_CTX_free);
  EVP_PKEY* key = nullptr;
  EVP_PKEY_fromdata_init(context.get());
  EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parts);
  const PrivateKeyHandle held(key);
  const RequestHandle made = request_of(make_request());
  X509_REQ_set_pubkey(made.get(), key);
  return written([&](BIO* out) { PEM_write_bio_X509_REQ(out, made.get()); });
}

std::string request_of_16384_bits() {
  std::ifstream in(DAVIT_REQUEST_OF_16384_BITS);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Attribute> node_subject(std::vector<Attribute> more) {
  more.insert(more.begin(), {{"O", "system:nodes"}, {"CN", "system:node:n1"}});
  return more;
}

Issued::Issued(const std::string& pem) : held_(pki::first_certificate(pem)) {
  if (!held_) held_.reset(X509_new());
}

bool Issued::is_signed_by(const std::string& ca) const {
  const CertificateHandle signer = pki::first_certificate(ca);
  return X509_verify(held_.get(), X509_get0_pubkey(signer.get())) == 1;
}

std::string Issued::subject() const { return text_of(X509_get_subject_name(held_.get())); }
std::string Issued::issuer() const { return text_of(X509_get_issuer_name(held_.get())); }

std::int64_t Issued::not_before() const { return *seconds_of(X509_get0_notBefore(held_.get())); }
std::int64_t Issued::not_after() const { return *seconds_of(X509_get0_notAfter(held_.get())); }

std::string Issued::serial() const {
  return written([&](BIO* out) { i2a_ASN1_INTEGER(out, X509_get0_serialNumber(held_.get())); });
}

int Issued::serial_bits() const {
  const std::unique_ptr<BIGNUM, pki::FreedBy<&BN_free>> number(
      ASN1_INTEGER_to_BN(X509_get0_serialNumber(held_.get()), nullptr));
  return BN_num_bits(number.get());
}

std::string Issued::algorithm() const { return OBJ_nid2sn(X509_get_signature_nid(held_.get())); }

std::vector<std::string> Issued::extensions() const {
  std::vector<std::string> out;
  for (int i = 0; i < X509_get_ext_count(held_.get()); ++i) {
    X509_EXTENSION* const each = X509_get_ext(held_.get(), i);
    const std::string name = OBJ_nid2sn(OBJ_obj2nid(X509_EXTENSION_get_object(each)));
    out.push_back(name + (X509_EXTENSION_get_critical(each) == 1 ? "!" : ""));
  }
  return out;
}

std::string Issued::extension(int type) const {
  const int at = X509_get_ext_by_NID(held_.get(), type, -1);
  if (at < 0) return "";
  return written([&](BIO* out) { X509V3_EXT_print(out, X509_get_ext(held_.get(), at), 0, 0); });
}

bool Issued::is_for(const std::string& request) const {
  const RequestHandle made = request_of(request);
  return EVP_PKEY_eq(X509_get0_pubkey(held_.get()), X509_REQ_get0_pubkey(made.get())) == 1;
}

}  // namespace davit::certificates
