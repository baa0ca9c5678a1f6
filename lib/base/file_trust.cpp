#include "lib/base/file_trust.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "lib/base/replace_file.hpp"

namespace davit {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

/// Refuses a directory in which others could put something else in the place of what is there.
Status check_directory(const std::string& directory) {
  struct stat info {};
  if (::stat(directory.c_str(), &info) != 0) {
    return Status(Code::kForbidden, "cannot look at " + directory + ": " + reason(errno));
  }
  if (Status s = check_owner(info, "the directory " + directory); !s.ok()) return s;
  const bool sticky = (info.st_mode & S_ISVTX) != 0;
  if (sticky || (info.st_mode & (S_IWGRP | S_IWOTH)) == 0) return Status();
  return Status(Code::kForbidden,
                "the directory " + directory + " is writable by others; run chmod go-w on it");
}

/// Checks every directory and symbolic link on the way to the file: a user who can replace one of
/// them decides which file it is.
Status check_way(const std::filesystem::path& path) {
  constexpr int kLinksMax = 40;  // Linux follows as many.
  int links = 0;
  std::error_code code;
  std::filesystem::path rest = std::filesystem::absolute(path, code).relative_path();
  if (code) return Status(Code::kForbidden, "the working directory is gone: " + code.message());
  std::filesystem::path at = "/";
  while (!rest.empty()) {
    if (Status s = check_directory(at.string()); !s.ok()) return s;
    const std::filesystem::path name = *rest.begin();
    rest = rest.lexically_relative(name);
    if (rest == ".") rest.clear();
    if (name == "..") {
      at = at.parent_path();
      continue;
    }
    const std::filesystem::path next = name == "." || name.empty() ? at : at / name;
    struct stat info {};
    if (::lstat(next.c_str(), &info) != 0) {
      return Status(Code::kForbidden, "cannot look at " + next.string() + ": " + reason(errno));
    }
    if (!S_ISLNK(info.st_mode)) {
      at = next;
      continue;
    }
    if (Status s = check_owner(info, "the link " + next.string()); !s.ok()) return s;
    const std::filesystem::path target = std::filesystem::read_symlink(next, code);
    if (code || ++links > kLinksMax) {
      return Status(Code::kForbidden, "cannot follow the link " + next.string());
    }
    if (target.is_absolute()) at = "/";
    rest = rest.empty() ? target.relative_path() : target.relative_path() / rest;
  }
  return Status();
}

}  // namespace

Status check_owner(const struct stat& info, const std::string& what) {
  if (info.st_uid == 0 || info.st_uid == ::geteuid()) return Status();
  return Status(Code::kForbidden, what + " belongs to user " + std::to_string(info.st_uid) +
                                      "; it must belong to root or to the user that runs davit");
}

Status check_trust(const struct stat& info, const std::filesystem::path& path) {
  if (Status s = check_owner(info, "the file"); !s.ok()) return s;
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return Status(Code::kForbidden, "the file is writable by others; run chmod go-w on it");
  }
  return check_way(path);
}

Status check_trust(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {Code::kForbidden, reason(errno)};
  return check_trust(info, path);
}

Result<UniqueFd> open_own_file(const std::filesystem::path& path, int flags) {
  // O_NONBLOCK: a FIFO in its place would wait for a reader, before its kind can be judged.
  UniqueFd file(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) {
    return Status(Code::kUnavailable, path.string() + ": " + reason(errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return Status(
        Code::kForbidden,
        path.string() + " is " + std::string(kind_of_file(info.st_mode)) + ", not a regular file");
  }
  if (Status s = check_owner(info, path.string()); !s.ok()) return s;
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) == 0) return file;
  return Status(Code::kForbidden, path.string() + " is writable by others; run chmod go-w on it");
}

bool is_readable_by_others(const std::filesystem::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && (info.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

}  // namespace davit
