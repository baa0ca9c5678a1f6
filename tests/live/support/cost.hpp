/// The CPU and memory of a process, read from /proc.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace davit::live {

struct Cost {
  double cpu_seconds = 0;    ///< User and system, since the process began.
  double resident_mib = 0;   ///< Now.
  double anonymous_mib = 0;  ///< The part in heap and stacks, without the pages of files.
  double peak_mib = 0;       ///< The most it had resident, since it began or since forget_peak().
  int threads = 0;           ///< Now.
};

[[nodiscard]] Cost cost_of(pid_t pid);

/// The descriptors that a process has open now.
struct Opened {
  int descriptors = 0;  ///< Sockets included.
  int sockets = 0;
};

[[nodiscard]] Opened opened_by(pid_t pid);

/// The peak counts from now on.
void forget_peak(pid_t pid);

/// Waits until the process has used almost no CPU (1.5 %) for so long; gives up after `limit`.
/// Returns when it became idle.
std::chrono::steady_clock::time_point wait_idle(
    pid_t pid, std::chrono::seconds limit, std::chrono::seconds quiet = std::chrono::seconds(2));

}  // namespace davit::live
