/// The processes of this machine that have stood for a Lease.
#pragma once

#include <davit/result.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// A file that the process that stands for a Lease keeps locked, and that names those before it. A
/// Lease whose holder has provably ended need not run out: see LeaderElectionOptions::departed.
///
/// The proof: each process has the lock before it enters its identity, and until it ends; the
/// kernel frees the lock once the last thread has released all files, sockets included. The process
/// that has the lock now therefore finds in the file only those that have ended. A line counts in
/// the file and since the boot that it names, so not in a copy, a backup or on another machine.
///
/// docs/decisions/029-an-ended-process-has-no-lease.md
class LeaseHolders {
 public:
  /// The last holder of the Lease is needed only. Those after it may have ended before they stood
  /// for it, as often as a plugin may crash before it is left out (three times by default).
  static constexpr std::size_t kKeptMax = 16;

  /// Opens or makes the file for the Lease in `directory`, which only this user can write, and
  /// locks it until this is destroyed. `boot` identifies the machine's boot; see boot_id().
  /// kConflict: another process has it; kInvalid: `boot` is empty; kUnavailable, kForbidden: the
  /// file cannot be had.
  static Result<LeaseHolders> open(const std::filesystem::path& directory, std::string_view lease,
                                   const std::string& boot);

  /// The identities of those that have ended, oldest first.
  [[nodiscard]] const std::vector<std::string>& departed() const { return departed_; }
  /// Enters this process under its identity, which no other process ever has. Before the first
  /// request for the Lease. kUnavailable: it cannot be written, so a later process has to wait.
  Status enter(const std::string& identity);

 private:
  LeaseHolders(UniqueFd file, std::string place)
      : file_(std::move(file)), place_(std::move(place)) {}

  UniqueFd file_;
  std::string place_;  // Boot, device and inode: where a line was written.
  std::vector<std::string> departed_;
};

/// The random ID that the kernel draws at each boot: what `given` says, which a service manager
/// that hides /proc/sys hands down, else what the kernel says. Empty when neither is a UUID.
[[nodiscard]] std::string boot_id(std::string_view given);

}  // namespace davit::host
