/// The heap of this process, as tests measure it.
#pragma once

#include <malloc.h>

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/// The sanitizers' runtime has it; Debian's g++ lacks the header.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();  // NOLINT
#endif

namespace davit::test {

/// Bytes that are allocated and not freed, under a sanitizer, too.
inline std::size_t allocated_bytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

}  // namespace davit::test
