#include "lib/base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace davit {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "davit: internal error: %s at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace davit
