#include "lib/net/certificate_names.hpp"

#include <openssl/x509v3.h>

#include <algorithm>
#include <cstddef>
#include <davit/kube/ip.hpp>
#include <memory>
#include <span>

#include "lib/base/openssl_owners.hpp"

namespace davit {
namespace {

std::string address_text(const ASN1_OCTET_STRING* octets) {
  const std::span<const unsigned char> bytes(ASN1_STRING_get0_data(octets),
                                             static_cast<std::size_t>(ASN1_STRING_length(octets)));
  ip::Address out;
  if (bytes.size() != 4 && bytes.size() != out.bytes.size()) return {};
  out.family = bytes.size() == 4 ? ip::Family::kIPv4 : ip::Family::kIPv6;
  std::ranges::copy(bytes, out.bytes.begin());
  return out.text();
}

}  // namespace

std::vector<std::string> name_entries(const X509_NAME* name, int nid) {
  std::vector<std::string> out;
  for (int at = -1; (at = X509_NAME_get_index_by_NID(name, nid, at)) >= 0;) {
    const ASN1_STRING* value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
    unsigned char* utf8 = nullptr;
    const int size = ASN1_STRING_to_UTF8(&utf8, value);
    if (size < 0) continue;
    out.emplace_back(reinterpret_cast<char*>(utf8), static_cast<std::size_t>(size));
    OPENSSL_free(utf8);
  }
  return out;
}

std::vector<std::string> names_of(const X509* certificate) {
  std::vector<std::string> out;
  const std::unique_ptr<GENERAL_NAMES, OpenSslFree<GENERAL_NAMES_free>> names(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const each = sk_GENERAL_NAME_value(names.get(), i);
    if (each->type == GEN_DNS) {
      const auto* const text =
          reinterpret_cast<const char*>(ASN1_STRING_get0_data(each->d.dNSName));
      out.emplace_back(text, static_cast<std::size_t>(ASN1_STRING_length(each->d.dNSName)));
    } else if (each->type == GEN_IPADD) {
      out.push_back(address_text(each->d.iPAddress));
    }
  }
  if (out.empty()) out = name_entries(X509_get_subject_name(certificate), NID_commonName);
  return out;
}

std::string to_der(const X509* certificate) {
  const int size = i2d_X509(certificate, nullptr);
  if (size <= 0) return {};
  std::string out(static_cast<std::size_t>(size), '\0');
  auto* at = reinterpret_cast<unsigned char*>(out.data());
  i2d_X509(certificate, &at);
  return out;
}

}  // namespace davit
