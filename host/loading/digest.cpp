#include "host/loading/digest.hpp"

#include <openssl/evp.h>

#include <davit/hex.hpp>
#include <span>

#include "lib/base/assert.hpp"

namespace davit::host {

std::string sha256_hex(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const int done = EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
  DAVIT_ASSERT(done == 1);
  return hex_text(std::span(digest, size));
}

}  // namespace davit::host
