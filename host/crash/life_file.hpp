/// Detects processes that ended without a report because they were killed, including by the kernel
/// for lack of memory.
#pragma once

#include <davit/result.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// A file in the state directory for as long as this process runs. Orderly ends remove it, and so
/// does the report of a crash; one that is left behind says that its process was killed.
class LifeFile {
 public:
  /// Makes and locks the file of this process, and removes those of processes that have ended.
  /// `boot` identifies the machine's boot (boot_id()): files of another boot mean a machine that
  /// went down, and are not in killed(). kInvalid: `boot` is empty; kUnavailable, kForbidden: the
  /// file cannot be had.
  static Result<LifeFile> begin(const std::filesystem::path& directory, const std::string& boot,
                                WallTime now);
  /// Removes the file.
  ~LifeFile();
  LifeFile(LifeFile&& other) noexcept;
  LifeFile& operator=(LifeFile&& other) = delete;
  LifeFile(const LifeFile&) = delete;
  LifeFile& operator=(const LifeFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The times at which the processes started that were killed, oldest first.
  [[nodiscard]] const std::vector<WallTime>& killed() const { return killed_; }

 private:
  LifeFile(std::filesystem::path path, UniqueFd file, std::vector<WallTime> killed)
      : path_(std::move(path)), file_(std::move(file)), killed_(std::move(killed)) {}

  std::filesystem::path path_;  // Empty: moved from.
  UniqueFd file_;
  std::vector<WallTime> killed_;
};

}  // namespace davit::host
