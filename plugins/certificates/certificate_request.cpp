#include "plugins/certificates/certificate_request.hpp"

#include <openssl/asn1.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/objects.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <davit/base64.hpp>
#include <optional>
#include <set>

namespace davit::certificates {

using pki::bytes_of;
using pki::GeneralNamesHandle;
using pki::RequestHandle;

namespace {

using ExtensionsHandle = std::unique_ptr<X509_EXTENSIONS, decltype([](X509_EXTENSIONS* held) {
                                           sk_X509_EXTENSION_pop_free(held, X509_EXTENSION_free);
                                         })>;

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "-----END ";
constexpr std::string_view kDashes = "-----";
constexpr std::string_view kType = "CERTIFICATE REQUEST";
constexpr int kRsaBitsMin = 1024;  // As Go's crypto/rsa, which upstream verifies with.

Status malformed(std::string why) { return {Code::kInvalid, std::move(why)}; }

std::string_view view_of(const ASN1_STRING& text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(&text)),
          static_cast<std::size_t>(ASN1_STRING_length(&text))};
}

/// The place of the only `mark`, which begins a line; nothing if it stands elsewhere or twice.
std::optional<std::size_t> only_line(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark.substr(0, mark.find(' ')));
  if (at == std::string_view::npos || text.substr(at, mark.size()) != mark) return std::nullopt;
  if (at != 0 && text[at - 1] != '\n') return std::nullopt;
  if (text.find(mark.substr(0, mark.find(' ')), at + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return at;
}

/// The bytes of the only PEM block. PEM readers differ about headers, broken blocks and second
/// blocks. The controller must sign exactly what the API server has admitted, so it accepts none of
/// them.
Result<std::string> only_block(std::string_view pem) {
  const std::string_view rest = pem.substr(std::min(pem.find(kBegin), pem.size()));
  if (!rest.starts_with(std::string(kBegin) + std::string(kType) + std::string(kDashes))) {
    return malformed("PEM block type must be CERTIFICATE REQUEST");
  }
  const std::optional<std::size_t> begin = only_line(pem, kBegin);
  const std::optional<std::size_t> end = only_line(pem, kEnd);
  const std::size_t from = begin.value_or(0) + kBegin.size() + kType.size() + kDashes.size();
  if (!begin || !end || *end < from || !pem.substr(*end + kEnd.size()).starts_with(kType)) {
    return malformed("the request must be one PEM block");
  }
  std::string digits;
  for (const char c : pem.substr(from, *end - from)) {
    if (c != '\n' && c != '\r' && c != ' ' && c != '\t') digits += c;
  }
  std::optional<std::string> der = decode_base64(digits);
  if (!der || der->empty()) return malformed("the PEM block has headers or is not base64");
  return *std::move(der);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    unsigned long ignored = 0;
    const int size = UTF8_getc(bytes_of(text), static_cast<int>(text.size()), &ignored);
    if (size <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

/// The text of an attribute in UTF-8; nothing for a type that Go, and so the API server's admission
/// and upstream's signer, does not read as a text: such an attribute does not exist.
std::optional<std::string> text_of(const ASN1_STRING& value) {
  switch (ASN1_STRING_type(&value)) {
    case V_ASN1_PRINTABLESTRING:
    case V_ASN1_UTF8STRING:
    case V_ASN1_IA5STRING:
    case V_ASN1_NUMERICSTRING:
    case V_ASN1_T61STRING:
      return std::string(view_of(value));
    case V_ASN1_BMPSTRING: {
      unsigned char* out = nullptr;
      const int size = ASN1_STRING_to_UTF8(&out, &value);
      const pki::BytesHandle held(out);
      if (size < 0) return std::string("\xff");  // Refused as not UTF-8.
      return std::string(reinterpret_cast<const char*>(out), static_cast<std::size_t>(size));
    }
    default:
      return std::nullopt;
  }
}

/// The list that an attribute of this type goes to; null: none.
std::vector<std::string>* list_of(Subject& subject, int type) {
  switch (type) {
    case NID_countryName:
      return &subject.countries;
    case NID_organizationName:
      return &subject.organizations;
    case NID_organizationalUnitName:
      return &subject.units;
    case NID_localityName:
      return &subject.localities;
    case NID_stateOrProvinceName:
      return &subject.provinces;
    case NID_streetAddress:
      return &subject.streets;
    case NID_postalCode:
      return &subject.postal_codes;
    default:
      return nullptr;
  }
}

Result<Subject> subject_of(const X509_NAME& name) {
  Subject out;
  for (int i = 0; i < X509_NAME_entry_count(&name); ++i) {
    const X509_NAME_ENTRY* const entry = X509_NAME_get_entry(&name, i);
    std::optional<std::string> text = text_of(*X509_NAME_ENTRY_get_data(entry));
    if (!text) continue;
    const int type = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    std::vector<std::string>* const list = list_of(out, type);
    if (list == nullptr && type != NID_commonName && type != NID_serialNumber) continue;
    if (!is_utf8(*text)) return malformed("the subject has a text that is not UTF-8");
    if (list != nullptr)
      list->push_back(*std::move(text));
    else
      (type == NID_commonName ? out.common_name : out.serial_number) = *std::move(text);
  }
  return out;
}

Status add_name(const GENERAL_NAME& name, AlternativeNames& out) {
  int type = 0;
  const void* const value = GENERAL_NAME_get0_value(&name, &type);
  std::vector<std::string>* const list = type == GEN_DNS     ? &out.dns
                                         : type == GEN_EMAIL ? &out.emails
                                         : type == GEN_URI   ? &out.uris
                                         : type == GEN_IPADD ? &out.addresses
                                                             : nullptr;
  if (list == nullptr) return {};
  const std::string_view bytes = view_of(*static_cast<const ASN1_STRING*>(value));
  if (type == GEN_IPADD) {
    constexpr std::size_t kIpv4 = 4;
    constexpr std::size_t kIpv6 = 16;
    if (bytes.size() != kIpv4 && bytes.size() != kIpv6) {
      return malformed("an IP subjectAltName has " + std::to_string(bytes.size()) + " bytes");
    }
  } else if (std::ranges::any_of(bytes, [](char c) { return (c & 0x80) != 0; })) {
    return malformed("a subjectAltName is not ASCII");
  }
  list->emplace_back(bytes);
  return {};
}

Status add_names(X509_EXTENSION& extension, AlternativeNames& out) {
  const GeneralNamesHandle names(static_cast<GENERAL_NAMES*>(X509V3_EXT_d2i(&extension)));
  if (!names) return malformed("the extension subjectAltName cannot be parsed");
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    if (Status s = add_name(*sk_GENERAL_NAME_value(names.get(), i), out); !s.ok()) return s;
  }
  return {};
}

ExtensionsHandle extensions_of(X509_ATTRIBUTE& attribute) {
  const ASN1_TYPE* const value = X509_ATTRIBUTE_get0_type(&attribute, 0);
  if (value == nullptr || value->type != V_ASN1_SEQUENCE) return nullptr;
  const unsigned char* at = ASN1_STRING_get0_data(value->value.sequence);
  return ExtensionsHandle(
      d2i_X509_EXTENSIONS(nullptr, &at, ASN1_STRING_length(value->value.sequence)));
}

/// Reads extensionRequest alone, in every attribute of it. OpenSSL's own reader also takes
/// Microsoft's attribute, which the API server does not see.
Result<AlternativeNames> names_of(const X509_REQ& request) {
  AlternativeNames out;
  std::set<std::string> seen;  // A request may have many thousands.
  for (int i = 0; i < X509_REQ_get_attr_count(&request); ++i) {
    X509_ATTRIBUTE* const attribute = X509_REQ_get_attr(&request, i);
    if (OBJ_obj2nid(X509_ATTRIBUTE_get0_object(attribute)) != NID_ext_req) continue;
    const ExtensionsHandle extensions = extensions_of(*attribute);
    if (!extensions) return malformed("the requested extensions cannot be parsed");
    for (int k = 0; k < sk_X509_EXTENSION_num(extensions.get()); ++k) {
      X509_EXTENSION* const each = sk_X509_EXTENSION_value(extensions.get(), k);
      const ASN1_OBJECT* const type = X509_EXTENSION_get_object(each);
      std::string id(reinterpret_cast<const char*>(OBJ_get0_data(type)), OBJ_length(type));
      if (!seen.insert(std::move(id)).second) return malformed("an extension is requested twice");
      if (OBJ_obj2nid(type) != NID_subject_alt_name) continue;
      if (Status s = add_names(*each, out); !s.ok()) return s;
    }
  }
  return out;
}

/// Whether the key is RSA of enough bits, ECDSA on a named curve of NIST's, or Ed25519.
Status check_key(const EVP_PKEY& key) {
  std::array<char, 64> text{};
  std::size_t size = 0;
  if (EVP_PKEY_is_a(&key, "ED25519") == 1) return {};
  if (EVP_PKEY_is_a(&key, "RSA") == 1) {
    const int bits = EVP_PKEY_get_bits(&key);
    if (bits >= kRsaBitsMin) return {};
    return malformed("RSA keys need 1024 bits, not " + std::to_string(bits));
  }
  if (EVP_PKEY_is_a(&key, "EC") == 1 &&
      EVP_PKEY_get_utf8_string_param(&key, OSSL_PKEY_PARAM_EC_ENCODING, text.data(), text.size(),
                                     &size) == 1 &&
      std::string_view(text.data(), size) == OSSL_PKEY_EC_ENCODING_GROUP &&
      EVP_PKEY_get_group_name(&key, text.data(), text.size(), &size) == 1) {
    constexpr std::string_view kCurves[] = {"secp224r1", "prime256v1", "secp384r1", "secp521r1"};
    if (std::ranges::find(kCurves, std::string_view(text.data(), size)) != std::end(kCurves)) {
      return {};
    }
  }
  return malformed("the key must be RSA, ECDSA on P-224, P-256, P-384 or P-521, or Ed25519");
}

/// Whether the request is signed with a digest that still means something.
bool has_good_digest(const X509_REQ& request) {
  int digest = NID_undef;
  int key = NID_undef;
  const int algorithm = X509_REQ_get_signature_nid(&request);
  if (algorithm == NID_ED25519 || algorithm == NID_rsassaPss) return true;
  if (OBJ_find_sigid_algs(algorithm, &digest, &key) != 1) return false;
  constexpr int kGood[] = {NID_sha1, NID_sha256, NID_sha384, NID_sha512};
  return std::ranges::find(kGood, digest) != std::end(kGood);
}

}  // namespace

Result<CertificateRequest> CertificateRequest::parse(std::string_view base64) {
  const std::optional<std::string> pem = decode_base64(base64);
  if (!pem) return malformed("the request is not base64");
  const Result<std::string> der = only_block(*pem);
  if (!der) return der.error();
  const unsigned char* at = bytes_of(*der);
  RequestHandle request(d2i_X509_REQ(nullptr, &at, static_cast<long>(der->size())));
  ERR_clear_error();
  if (!request) return malformed("the request is not PKCS#10");
  if (at != bytes_of(*der) + der->size()) return malformed("the request has trailing data");
  Result<Subject> subject = subject_of(*X509_REQ_get_subject_name(request.get()));
  if (!subject) return subject.error();
  Result<AlternativeNames> names = names_of(*request);
  ERR_clear_error();
  if (!names) return names.error();
  return CertificateRequest(std::move(request), *std::move(subject), *std::move(names));
}

Status CertificateRequest::verify() const {
  EVP_PKEY* const requester = key();
  if (requester == nullptr) {
    ERR_clear_error();
    return malformed("the type of the key is unknown");
  }
  if (Status s = check_key(*requester); !s.ok()) return s;
  if (!has_good_digest(*request_)) {
    return malformed("the digest of the signature must be SHA-1, SHA-256, SHA-384 or SHA-512");
  }
  const bool good = X509_REQ_verify(request_.get(), requester) == 1;
  ERR_clear_error();
  return good ? Status() : malformed("the key has not signed the request");
}

}  // namespace davit::certificates
