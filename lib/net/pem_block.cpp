#include "lib/net/pem_block.hpp"

namespace davit {

std::optional<PemBlock> next_block(BIO* in) {
  char* name = nullptr;
  char* header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;
  if (PEM_read_bio(in, &name, &header, &data, &size) != 1) {
    ERR_clear_error();
    return std::nullopt;
  }
  PemBlock out{name, header, {reinterpret_cast<char*>(data), static_cast<std::size_t>(size)}};
  OPENSSL_free(name);
  OPENSSL_free(header);
  OPENSSL_free(data);
  return out;
}

}  // namespace davit
