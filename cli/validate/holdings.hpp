/// The resources that a process holds, for finding leaks.
#pragma once

#include <cstddef>
#include <vector>

namespace davit::host {

struct Holdings {
  std::size_t heap = 0;  ///< Bytes.
  std::size_t descriptors = 0;
  std::size_t mappings = 0;
  std::size_t resident = 0;  ///< Bytes.

  /// The holdings of this process; returns free memory to the system first.
  [[nodiscard]] static Holdings now();
};

/// The heap growth of one start and stop that does not count as a leak.
inline constexpr std::size_t kHeapNoise = 4096;

/// The least growth of each resource that grew in every round, as a leak does and noise does not.
[[nodiscard]] std::size_t steady_growth(const std::vector<Holdings>& rounds,
                                        std::size_t Holdings::*what);

}  // namespace davit::host
