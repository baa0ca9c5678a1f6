/// The resources that swaps may leave behind in a process.
#pragma once

#include <gtest/gtest.h>

#include "tests/support/holdings.hpp"

namespace davit::test {

/// Memory that each swap may leave behind for good. Seen: 13 bytes of heap, 27 of private memory.
inline constexpr long kBytesPerSwap = 100;

/// The difference that two measurements of a process may have although nothing was left behind.
struct Noise {
  long bytes = 0;  ///< Pages that freed memory is scattered over.
  int maps = 0;    ///< Arenas, which the kernel maps page by page, and stacks of threads.
  int descriptors = 0;
  int threads = 0;
};

/// Expects that `swaps` swaps between two measures left nothing behind. Under a sanitizer, which
/// keeps what was freed, memory and maps are not judged.
inline void expect_swaps_leave_nothing(const Holdings& before, const Holdings& after, int swaps,
                                       const Noise& noise) {
  EXPECT_EQ(after.libraries, before.libraries);
  EXPECT_LE(after.descriptors - before.descriptors, noise.descriptors);
  EXPECT_LE(after.threads - before.threads, noise.threads);
  if (!kMemoryIsTheProgramsOwn) return;
  EXPECT_LE((after.anonymous_kib - before.anonymous_kib) * 1024,
            kBytesPerSwap * swaps + noise.bytes);
  EXPECT_LE(after.maps - before.maps, noise.maps);
}

}  // namespace davit::test
