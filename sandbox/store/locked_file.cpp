#include "sandbox/store/locked_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "lib/base/replace_file.hpp"

namespace davit::sandbox {

namespace {

// O_NONBLOCK: opening some devices would wait, before is_at() can refuse them.
constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
constexpr mode_t kOwnerOnly = 0600;

Status lock(int file) {
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno == EWOULDBLOCK) return {Code::kConflict, "another process has it open"};
  return system_error("flock");
}

/// Snapshots take the place of the file, which must not be that of a device.
Status check_regular(int file) {
  struct stat info {};
  if (::fstat(file, &info) != 0) return system_error("fstat");
  if (S_ISREG(info.st_mode)) return {};
  return {Code::kForbidden,
          "it is " + std::string(kind_of_file(info.st_mode)) + ", not a regular file"};
}

/// Whether `path` still leads to the open `file`. Its owner may have replaced it between the two
/// calls that open and lock it.
bool is_at(int file, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

Status system_error(std::string_view call) {
  const std::string why = std::system_category().message(errno);
  return {Code::kUnavailable, std::string(call) + ": " + why};
}

Result<UniqueFd> open_locked(const std::string& path) {
  UniqueFd file(::open(path.c_str(), kFlags, kOwnerOnly));
  if (!file.valid()) return system_error("open");
  if (Status regular = check_regular(file.get()); !regular.ok()) return regular;
  if (Status locked = lock(file.get()); !locked.ok()) return locked;
  if (!is_at(file.get(), path)) return Status(Code::kConflict, "another process has it open");
  return file;
}

Result<UniqueFd> create_locked(const std::string& path) {
  // A process that was killed may have left a file there, and another user a link or device.
  ::unlink(path.c_str());
  UniqueFd file(::open(path.c_str(), kFlags | O_EXCL, kOwnerOnly));
  if (!file.valid()) return system_error("open");
  if (Status locked = lock(file.get()); !locked.ok()) return locked;
  return file;
}

Result<std::string> read_all(int file) {
  std::string out;
  std::array<char, 1U << 16U> block;
  while (true) {
    const ssize_t got = ::pread(file, block.data(), block.size(), static_cast<off_t>(out.size()));
    if (got == 0) return out;
    if (got > 0) {
      out.append(block.data(), static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      return system_error("read");
    }
  }
}

Status write_at(int file, std::string_view bytes, std::size_t offset) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0) {
      if (errno == EINTR) continue;
      return system_error("write");
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
    offset += static_cast<std::size_t>(put);
  }
  return {};
}

Status sync_directory_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const UniqueFd directory(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid() || ::fsync(directory.get()) != 0) return system_error("fsync");
  return {};
}

}  // namespace davit::sandbox
