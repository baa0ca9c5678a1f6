/// The size of a soak test: small in CI; the environment makes it larger by hand.
#pragma once

#include <cstdlib>

namespace davit::live {

inline int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace davit::live
