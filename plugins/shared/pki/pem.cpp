#include "plugins/shared/pki/pem.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <cstddef>

namespace davit::pki {
namespace {

/// Calls `each(name, header, data, size)` for every block until it returns true.
template <typename Each>
void visit_blocks(std::string_view pem, const Each& each) {
  const BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  char* name = nullptr;
  char* header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;
  bool done = false;
  while (bio && !done && PEM_read_bio(bio.get(), &name, &header, &data, &size) == 1) {
    done = each(std::string_view(name), std::string_view(header), data, size);
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_clear_free(data, static_cast<std::size_t>(size));
  }
  ERR_clear_error();  // The end of the text counts as an error.
}

/// The key in a block of that name; null if it is none.
PrivateKeyHandle key_in(std::string_view block, const unsigned char* data, long size) {
  const unsigned char* at = data;
  if (block == PEM_STRING_RSA) {
    return PrivateKeyHandle(d2i_PrivateKey(EVP_PKEY_RSA, nullptr, &at, size));
  }
  if (block == PEM_STRING_ECPRIVATEKEY) {
    return PrivateKeyHandle(d2i_PrivateKey(EVP_PKEY_EC, nullptr, &at, size));
  }
  if (block == PEM_STRING_PKCS8INF) {
    return PrivateKeyHandle(d2i_AutoPrivateKey(nullptr, &at, size));
  }
  return nullptr;
}

}  // namespace

PrivateKeyHandle first_private_key(std::string_view pem) {
  PrivateKeyHandle found;
  visit_blocks(
      pem, [&found](std::string_view name, std::string_view, const unsigned char* data, long size) {
        found = key_in(name, data, size);
        return found != nullptr;
      });
  return found;
}

CertificateHandle first_certificate(std::string_view pem) {
  const BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!bio) return nullptr;
  CertificateHandle found(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  return found;
}

int plain_certificate_count(std::string_view pem) {
  int count = 0;
  visit_blocks(
      pem, [&count](std::string_view name, std::string_view header, const unsigned char*, long) {
        if (name == PEM_STRING_X509 && header.empty()) ++count;
        return false;
      });
  return count;
}

std::string text_of(BIO& memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(&memory, &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace davit::pki
