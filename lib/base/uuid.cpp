#include "lib/base/uuid.hpp"

#include <cstdio>

namespace davit {

std::string random_uuid(Random& random) {
  const std::uint64_t high = random.next();
  const std::uint64_t low = random.next();
  char text[37];
  std::snprintf(text, sizeof text, "%08x-%04x-4%03x-%04x-%012llx",
                static_cast<unsigned>(high >> 32U), static_cast<unsigned>(high >> 16U & 0xFFFFU),
                static_cast<unsigned>(high & 0xFFFU),
                static_cast<unsigned>(0x8000U | (low >> 48U & 0x3FFFU)),
                static_cast<unsigned long long>(low & 0xFFFFFFFFFFFFU));
  return text;
}

}  // namespace davit
