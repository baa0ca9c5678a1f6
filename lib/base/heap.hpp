/// The allocator's heap.
#pragma once

#include <malloc.h>

namespace davit {

/// Gives freed memory back to the kernel. From any thread.
///
/// Sanitizers have their own allocator, so glibc's is not set up with them. The first call into it
/// would do that, without a lock: two threads that make it at once corrupt their arenas (glibc
/// 2.36, malloc/arena.c, ptmalloc_init).
inline void trim_heap() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  malloc_trim(0);
#endif
}

}  // namespace davit
