/// The kernel's statistics about this process. Linux only.
#pragma once

#include <cstdint>

namespace davit::host {

/// The part that one small file of /proc has, so that it may be read every second. Zero where that
/// has no value.
struct ProcessUse {
  double cpu_seconds = 0;
  double start_time_seconds = 0;  ///< Since 1970.
  std::uint64_t resident_bytes = 0;
  /// Allocated by the program; the rest of the resident memory is code, stacks and free memory of
  /// the allocator. 0: the allocator does not say.
  std::uint64_t allocated_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t threads = 0;
};

/// Zero where /proc has no value.
struct ProcessStats : ProcessUse {
  double virtual_bytes_max = 0;
  std::uint64_t open_files = 0;  ///< Counted one by one.
  double open_files_max = 0;
  std::uint64_t received_bytes = 0;  ///< For the network namespace, as in Go's client.
  std::uint64_t sent_bytes = 0;
};

[[nodiscard]] ProcessUse read_process_use();
[[nodiscard]] ProcessStats read_process_stats();

}  // namespace davit::host
