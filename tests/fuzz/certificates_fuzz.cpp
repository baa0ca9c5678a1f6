/// Certificate requests, which any user of a cluster may send, and PEM texts of keys and
/// certificates. A request that is read has only names that a certificate may contain.
#include <openssl/bio.h>
#include <openssl/pem.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <davit/base64.hpp>
#include <string>
#include <string_view>

#include "lib/base/assert.hpp"
#include "lib/net/pem_block.hpp"
#include "plugins/certificates/certificate_request.hpp"
#include "plugins/shared/pki/openssl_handles.hpp"
#include "plugins/shared/pki/pem.hpp"

namespace {
using namespace davit;
using certificates::CertificateRequest;

bool is_ascii(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return (c & 0x80) == 0; });
}

void check_request(std::string_view base64) {
  const Result<CertificateRequest> request = CertificateRequest::parse(base64);
  if (!request) return;
  const certificates::AlternativeNames& names = request->names();
  DAVIT_ASSERT(std::ranges::all_of(names.dns, is_ascii));
  DAVIT_ASSERT(std::ranges::all_of(names.emails, is_ascii));
  DAVIT_ASSERT(std::ranges::all_of(names.uris, is_ascii));
  DAVIT_ASSERT(std::ranges::all_of(names.addresses, [](const std::string& each) {
    return each.size() == 4 || each.size() == 16;
  }));
  static_cast<void>(request->verify());
}

/// `der` as the block that a request has to be, so that its content is what varies.
std::string request_block(std::string_view der) {
  const pki::BioHandle out(BIO_new(BIO_s_mem()));
  PEM_write_bio(out.get(), PEM_STRING_X509_REQ, "",
                reinterpret_cast<const unsigned char*>(der.data()), static_cast<long>(der.size()));
  return pki::text_of(*out);
}

void check_pem(std::string_view text) {
  const pki::BioHandle in(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  while (next_block(in.get())) {
  }
  static_cast<void>(pki::first_private_key(text));
  static_cast<void>(pki::first_certificate(text));
  DAVIT_ASSERT(pki::plain_certificate_count(text) >= 0);
}

}  // namespace

/// The first byte says whether a request in DER or a text in PEM follows.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (*data % 2 == 0) {
    check_request(encode_base64(request_block(rest)));
  } else {
    check_request(encode_base64(rest));
    check_pem(rest);
  }
  return 0;
}
