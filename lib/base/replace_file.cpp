#include "lib/base/replace_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "lib/base/unique_fd.hpp"
#include "lib/base/write_all.hpp"

namespace davit {
namespace {

constexpr int kLinksMax = 40;  // Linux follows as many.

Status cannot_write(const std::string& file, const std::string& why) {
  return {Code::kUnavailable, "cannot write " + file + ": " + why};
}

Status refuse_to_replace(const std::string& file, unsigned mode) {
  return {Code::kForbidden, "cannot write " + file + ": it is " + std::string(kind_of_file(mode)) +
                                "; give a path for a regular file"};
}

/// Whether the link at `path` is one of /proc, which names an open file and not a path.
bool names_open_file(const std::filesystem::path& path) {
  struct statfs info {};
  struct stat link {};
  return ::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode) &&
         ::statfs(path.parent_path().c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

Status write_through(const std::string& file, std::string_view content) {
  // O_NONBLOCK: a FIFO without a reader would wait for one forever.
  const UniqueFd out(::open(file.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!out.valid()) {
    return cannot_write(file, errno == ENXIO ? "nothing reads this FIFO" : std::strerror(errno));
  }
  struct stat info {};
  if (::fstat(out.get(), &info) != 0) return cannot_write(file, std::strerror(errno));
  if (S_ISBLK(info.st_mode)) return refuse_to_replace(file, info.st_mode);
  if (::fcntl(out.get(), F_SETFL, O_APPEND) != 0 || !write_all(out.get(), content)) {
    return cannot_write(file, std::strerror(errno));
  }
  return {};
}

/// An unpredictable name beside `file`, so no other user of the directory can take it first.
Result<std::string> draft_name(const std::string& file) {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) {
    return cannot_write(file, std::strerror(errno));
  }
  return file + "." + std::to_string(random);
}

Status make_directory_of(const std::string& file, Readable readable) {
  const std::filesystem::path directory = std::filesystem::path(file).parent_path();
  std::error_code error;
  if (directory.empty() || std::filesystem::exists(directory, error)) return {};
  std::filesystem::create_directories(directory, error);
  if (!error && readable == Readable::kByOwner) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
  }
  return error ? cannot_write(file, error.message()) : Status();
}

}  // namespace

std::string_view kind_of_file(unsigned mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return "a regular file";
    case S_IFDIR:
      return "a directory";
    case S_IFCHR:
      return "a character device";
    case S_IFBLK:
      return "a block device";
    case S_IFIFO:
      return "a FIFO";
    case S_IFSOCK:
      return "a socket";
    case S_IFLNK:
      return "a symbolic link";
    default:
      return "a file of an unknown kind";
  }
}

Result<std::string> follow_links(const std::string& file) {
  std::filesystem::path at(file);
  for (int links = 0;; ++links) {
    struct stat info {};
    if (::lstat(at.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return at.string();
    if (links == kLinksMax) {
      return Status(Code::kForbidden, file + ": more than " + std::to_string(kLinksMax) +
                                          " symbolic links lead on from here");
    }
    if (info.st_uid != 0 && info.st_uid != ::geteuid()) {
      return Status(Code::kForbidden, file + ": the symbolic link " + at.string() +
                                          " belongs to user " + std::to_string(info.st_uid) +
                                          ", who would choose the file that is written");
    }
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(at, error);
    if (error) return cannot_write(file, error.message());
    if (names_open_file(at)) return at.string();
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
}

Status replace_file(const std::string& file, std::string_view content, Readable readable) {
  const Result<std::string> target = follow_links(file);
  if (!target) return target.error();
  struct stat info {};
  if (::stat(target->c_str(), &info) == 0) {
    if (S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode) || names_open_file(*target)) {
      return write_through(*target, content);
    }
    if (!S_ISREG(info.st_mode)) return refuse_to_replace(file, info.st_mode);
  }
  if (Status s = make_directory_of(*target, readable); !s.ok()) return s;
  const Result<std::string> draft = draft_name(*target);
  if (!draft) return draft.error();
  const mode_t mode = readable == Readable::kByOwner ? 0600 : 0644;
  const UniqueFd out(::open(draft->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!out.valid()) return cannot_write(file, std::strerror(errno));
  if (write_all(out.get(), content) && ::rename(draft->c_str(), target->c_str()) == 0) return {};
  const std::string why = std::strerror(errno);
  ::unlink(draft->c_str());
  return cannot_write(file, why);
}

}  // namespace davit
