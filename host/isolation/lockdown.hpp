/// Takes away from this process what the code of an isolated plugin must not have. Before it is
/// opened, because constructors run then. docs/decisions/034 lists the steps and their reasons.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

/// Whether a kernel without landlock, such as one older than 5.13, is good enough. Without it a
/// plugin can read and write what the user of the process can.
enum class LandlockNeed { kRequired, kOptional };

/// "required" or "optional"; everything else is kRequired.
[[nodiscard]] std::string_view to_string(LandlockNeed need);
[[nodiscard]] LandlockNeed landlock_need(std::string_view text);

struct LockdownTerms {
  std::vector<int> kept;  ///< Descriptors that stay open, in any order; all others are closed.
  LandlockNeed landlock = LandlockNeed::kRequired;
  /// Files and folders that stay readable: what the dynamic loader, the time zones and the
  /// certificates of authorities need.
  std::vector<std::string> readable = {"/etc/ld.so.cache",
                                       "/etc/localtime",
                                       "/lib",
                                       "/lib64",
                                       "/usr/lib",
                                       "/usr/lib64",
                                       "/etc/ssl/certs",
                                       "/usr/share/zoneinfo",
                                       "/usr/share/ca-certificates"};
  std::uint32_t descriptors_max = 1024;
  /// A later kernel's interface is used as this one; a test passes 0, as of a kernel without it.
  unsigned landlock_version_max = 6;
};

/// The protections beside the filter of system calls.
struct LockdownReport {
  unsigned landlock_version = 0;            ///< 0: it has none.
  bool memory_is_write_or_execute = false;  ///< From Linux 6.3; before, the filter alone does it.
};

/// Locks this process, which must have no other thread. After an error it is locked in part and
/// must end. kUnsupported: the kernel lacks what is required, with a remedy in one line.
[[nodiscard]] Result<LockdownReport> lock_down(const LockdownTerms& terms);

}  // namespace davit::host
