#include "plugins/certificates/issue.hpp"

#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/pem.h>

#include <algorithm>
#include <array>
#include <davit/kube/go_quote.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "plugins/shared/pki/pem.hpp"

namespace davit::certificates {

using pki::bytes_of;
using pki::CertificateHandle;
using pki::FreedBy;

namespace {

using BitsHandle = std::unique_ptr<ASN1_BIT_STRING, FreedBy<&ASN1_BIT_STRING_free>>;
using BasicHandle = std::unique_ptr<BASIC_CONSTRAINTS, FreedBy<&BASIC_CONSTRAINTS_free>>;
using IssuerKeyHandle = std::unique_ptr<AUTHORITY_KEYID, FreedBy<&AUTHORITY_KEYID_free>>;
using NumberHandle = std::unique_ptr<BIGNUM, FreedBy<&BN_free>>;
using ObjectHandle = std::unique_ptr<ASN1_OBJECT, FreedBy<&ASN1_OBJECT_free>>;
using PurposesHandle = std::unique_ptr<EXTENDED_KEY_USAGE, FreedBy<&EXTENDED_KEY_USAGE_free>>;
using NameEntryHandle = std::unique_ptr<GENERAL_NAME, FreedBy<&GENERAL_NAME_free>>;
using TextHandle = std::unique_ptr<ASN1_STRING, FreedBy<&ASN1_STRING_free>>;

using Usages = std::set<std::string_view>;

constexpr int kSerialBits = 128;

struct UsageBit {
  std::string_view usage;
  int bit;
};
constexpr UsageBit kBits[] = {
    {"signing", 0},          {"digital signature", 0}, {"content commitment", 1},
    {"key encipherment", 2}, {"data encipherment", 3}, {"key agreement", 4},
    {"cert sign", 5},        {"crl sign", 6},          {"encipher only", 7},
    {"decipher only", 8},
};

struct Purpose {
  std::string_view usage;
  const char* id;
};
constexpr Purpose kPurposes[] = {
    {"any", "2.5.29.37.0"},
    {"server auth", "1.3.6.1.5.5.7.3.1"},
    {"client auth", "1.3.6.1.5.5.7.3.2"},
    {"code signing", "1.3.6.1.5.5.7.3.3"},
    {"email protection", "1.3.6.1.5.5.7.3.4"},
    {"s/mime", "1.3.6.1.5.5.7.3.4"},
    {"ipsec end system", "1.3.6.1.5.5.7.3.5"},
    {"ipsec tunnel", "1.3.6.1.5.5.7.3.6"},
    {"ipsec user", "1.3.6.1.5.5.7.3.7"},
    {"timestamping", "1.3.6.1.5.5.7.3.8"},
    {"ocsp signing", "1.3.6.1.5.5.7.3.9"},
    {"microsoft sgc", "1.3.6.1.4.1.311.10.3.3"},
    {"netscape sgc", "2.16.840.1.113730.4.1"},
};

/// The characters of a PrintableString, without those that Go writes as UTF-8.
bool is_printable(std::string_view text) {
  constexpr std::string_view kOthers = " '()+,-./:=?";
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

/// Adds the values of a type as one RDN.
bool add_values(X509_NAME& name, int type, const std::vector<std::string>& values) {
  bool good = true;
  int set = 0;  // A new RDN; -1: the one before.
  for (const std::string& each : values) {
    const int kind = is_printable(each) ? V_ASN1_PRINTABLESTRING : V_ASN1_UTF8STRING;
    good = good && X509_NAME_add_entry_by_NID(&name, type, kind, bytes_of(each),
                                              static_cast<int>(each.size()), -1, set) == 1;
    set = -1;
  }
  return good;
}

/// A7.4
pki::NameHandle name_of(const Subject& subject) {
  pki::NameHandle out(X509_NAME_new());
  const auto add_one = [&out](int type, const std::string& value) {
    return value.empty() || add_values(*out, type, {value});
  };
  const bool good = out && add_values(*out, NID_countryName, subject.countries) &&
                    add_values(*out, NID_organizationName, subject.organizations) &&
                    add_values(*out, NID_organizationalUnitName, subject.units) &&
                    add_values(*out, NID_localityName, subject.localities) &&
                    add_values(*out, NID_stateOrProvinceName, subject.provinces) &&
                    add_values(*out, NID_streetAddress, subject.streets) &&
                    add_values(*out, NID_postalCode, subject.postal_codes) &&
                    add_one(NID_commonName, subject.common_name) &&
                    add_one(NID_serialNumber, subject.serial_number);
  return good ? std::move(out) : nullptr;
}

bool set_serial(X509& out) {
  const NumberHandle number(BN_new());
  return number && BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(&out)) != nullptr;
}

bool add_extension(X509& out, int type, void* value, bool critical) {
  return value != nullptr &&
         X509_add1_ext_i2d(&out, type, value, critical ? 1 : 0, X509V3_ADD_APPEND) == 1;
}

bool add_key_usage(X509& out, const Usages& usages) {
  const BitsHandle bits(ASN1_BIT_STRING_new());
  bool any = false;
  for (const UsageBit& each : kBits) {
    if (!usages.contains(each.usage)) continue;
    any = true;
    if (!bits || ASN1_BIT_STRING_set_bit(bits.get(), each.bit, 1) != 1) return false;
  }
  return !any || add_extension(out, NID_key_usage, bits.get(), true);
}

bool add_purposes(X509& out, const Usages& usages) {
  const PurposesHandle list(sk_ASN1_OBJECT_new_null());
  std::string_view last;
  for (const Purpose& each : kPurposes) {
    // Equal ids stand side by side.
    if (!usages.contains(each.usage) || each.id == last) continue;
    ObjectHandle id(OBJ_txt2obj(each.id, 1));
    if (!list || !id || sk_ASN1_OBJECT_push(list.get(), id.get()) == 0) return false;
    static_cast<void>(id.release());
    last = each.id;
  }
  return last.empty() || add_extension(out, NID_ext_key_usage, list.get(), false);
}

bool add_basic_constraints(X509& out) {
  const BasicHandle none(BASIC_CONSTRAINTS_new());
  return add_extension(out, NID_basic_constraints, none.get(), true);
}

bool add_issuer_key(X509& out, X509& ca) {
  const ASN1_OCTET_STRING* const id = X509_get0_subject_key_id(&ca);
  if (id == nullptr) return true;
  const IssuerKeyHandle value(AUTHORITY_KEYID_new());
  if (!value) return false;
  value->keyid = ASN1_OCTET_STRING_dup(id);
  return value->keyid != nullptr &&
         add_extension(out, NID_authority_key_identifier, value.get(), false);
}

bool push_names(GENERAL_NAMES& out, int type, const std::vector<std::string>& names) {
  const int kind = type == GEN_IPADD ? V_ASN1_OCTET_STRING : V_ASN1_IA5STRING;
  for (const std::string& each : names) {
    NameEntryHandle entry(GENERAL_NAME_new());
    TextHandle text(ASN1_STRING_type_new(kind));
    if (!entry || !text ||
        ASN1_STRING_set(text.get(), each.data(), static_cast<int>(each.size())) != 1) {
      return false;
    }
    GENERAL_NAME_set0_value(entry.get(), type, text.release());
    if (sk_GENERAL_NAME_push(&out, entry.get()) == 0) return false;
    static_cast<void>(entry.release());
  }
  return true;
}

bool add_names(X509& out, const AlternativeNames& names, bool critical) {
  if (names.empty()) return true;
  const pki::GeneralNamesHandle list(sk_GENERAL_NAME_new_null());
  return list && push_names(*list, GEN_DNS, names.dns) &&
         push_names(*list, GEN_EMAIL, names.emails) &&
         push_names(*list, GEN_IPADD, names.addresses) && push_names(*list, GEN_URI, names.uris) &&
         add_extension(out, NID_subject_alt_name, list.get(), critical);
}

/// A7.8; null: the key has its own.
const EVP_MD* digest_for(const EVP_PKEY& key) {
  if (EVP_PKEY_is_a(&key, "ED25519") == 1) return nullptr;
  constexpr int kBitsOf384 = 384;
  if (EVP_PKEY_is_a(&key, "EC") == 1 && EVP_PKEY_get_bits(&key) > kBitsOf384) return EVP_sha512();
  if (EVP_PKEY_is_a(&key, "EC") == 1 && EVP_PKEY_get_bits(&key) == kBitsOf384) return EVP_sha384();
  return EVP_sha256();
}

/// "[\"a\" \"b\"]"; empty: all have a meaning.
std::string unknown_of(const Usages& usages) {
  std::string out;
  for (const std::string_view usage : usages) {
    const bool known = std::ranges::find(kBits, usage, &UsageBit::usage) != std::end(kBits) ||
                       std::ranges::find(kPurposes, usage, &Purpose::usage) != std::end(kPurposes);
    if (!known) out += (out.empty() ? "" : " ") + go_quoted(usage);
  }
  return out;
}

std::string pem_of(X509& certificate) {
  const pki::BioHandle out(BIO_new(BIO_s_mem()));
  if (!out || PEM_write_bio_X509(out.get(), &certificate) != 1) return "";
  return pki::text_of(*out);
}

bool set_times(X509& out, const Validity& validity) {
  return ASN1_TIME_set(X509_getm_notBefore(&out), validity.not_before) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(&out), validity.not_after) != nullptr;
}

}  // namespace

Result<std::string> issue(const Authority& authority, const CertificateRequest& request,
                          const std::set<std::string_view>& usages, const Validity& validity) {
  if (const std::string unknown = unknown_of(usages); !unknown.empty()) {
    return Status(Code::kInvalid, "unrecognized usage values: [" + unknown + "]");
  }
  const CertificateHandle out(X509_new());
  const pki::NameHandle subject = name_of(request.subject());
  X509& ca = *authority.certificate();
  const bool good =
      out && subject && X509_set_version(out.get(), X509_VERSION_3) == 1 && set_serial(*out) &&
      X509_set_issuer_name(out.get(), X509_get_subject_name(&ca)) == 1 &&
      set_times(*out, validity) && X509_set_subject_name(out.get(), subject.get()) == 1 &&
      X509_set_pubkey(out.get(), request.key()) == 1 && add_key_usage(*out, usages) &&
      add_purposes(*out, usages) && add_basic_constraints(*out) && add_issuer_key(*out, ca) &&
      add_names(*out, request.names(), X509_NAME_entry_count(subject.get()) == 0) &&
      X509_sign(out.get(), authority.key(), digest_for(*authority.key())) > 0;
  std::string pem = good ? pem_of(*out) : "";
  ERR_clear_error();
  if (pem.empty()) return Status(Code::kInternal, "OpenSSL cannot make the certificate");
  return pem;
}

}  // namespace davit::certificates
