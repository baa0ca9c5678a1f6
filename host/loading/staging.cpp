#include "host/loading/staging.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <davit/mutant.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "host/loading/digest.hpp"
#include "lib/base/file_trust.hpp"
#include "lib/base/unique_fd.hpp"
#include "lib/base/write_all.hpp"

namespace davit::host {
namespace {

/// Ten times the largest plugin that a compiler has produced with all its debug information.
constexpr std::size_t kPluginBytesMax = std::size_t{256} << 20;

/// The names of the directories begin so: those of other programs are never removed.
constexpr std::string_view kStagingPrefix = "davit-plugins-";

std::string reason(int error) { return std::generic_category().message(error); }

/// Reads a file from its present offset to its end.
Result<std::string> read_all(int fd) {
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  std::string content;
  // A string that grows is copied again and again, and a debug build has more than 10 MiB.
  struct stat info {};
  if (::fstat(fd, &info) != 0) return Status(Code::kInvalid, reason(errno));
  content.reserve(std::min(static_cast<std::size_t>(info.st_size), kPluginBytesMax) + kChunk);
  for (;;) {
    const std::size_t before = content.size();
    content.resize(before + kChunk);
    const ssize_t got = ::read(fd, content.data() + before, kChunk);
    if (got < 0 && errno == EINTR) {
      content.resize(before);
      continue;
    }
    if (got < 0) return Status(Code::kInvalid, reason(errno));
    content.resize(before + static_cast<std::size_t>(got));
    if (got == 0) return content;
    if (content.size() > kPluginBytesMax) return Status(Code::kInvalid, "is larger than 256 MiB");
  }
}

Result<TrustedFile> read_file(const std::filesystem::path& path, Trust trust) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) {
      return refuse_plugin(Code::kNotFound, path, "there is no such file");
    }
    return refuse_plugin(Code::kInvalid, path, "cannot be opened: " + reason(error));
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return refuse_plugin(Code::kInvalid, path, reason(errno));
  if (!S_ISREG(info.st_mode)) return refuse_plugin(Code::kInvalid, path, "is not a regular file");
  if (trust == Trust::kRequired) {
    if (Status s = check_trust(info, path); !s.ok()) {
      return refuse_plugin(s.code(), path, s.message());
    }
  }
  Result<std::string> content = read_all(file.get());
  if (!content) return refuse_plugin(Code::kInvalid, path, content.error().message());
  TrustedFile out;
  out.content = std::move(*content);
  out.digest = sha256_hex(out.content);
  return out;
}

bool allows_execution(const std::filesystem::path& directory) {
  struct statvfs info {};
  if (::statvfs(directory.c_str(), &info) != 0) return false;
  return (info.f_flag & ST_NOEXEC) == 0 && ::access(directory.c_str(), W_OK) == 0;
}

UniqueFd open_directory(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// Whether `path` is the directory that is open.
bool is_at(int directory, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(directory, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// Whether a directory that is open is one of this user that only he can use.
bool is_private(int directory) {
  struct stat info {};
  return ::fstat(directory, &info) == 0 && info.st_uid == ::geteuid() &&
         (info.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/// Removes the directories in `parent` that no process holds.
void remove_abandoned(const std::filesystem::path& parent) {
  if (mutant("abandoned-copies")) return;
  std::error_code failed;
  for (std::filesystem::directory_iterator each(parent, failed), end; !failed && each != end;
       each.increment(failed)) {
    const std::string path = each->path().string();
    if (!each->path().filename().string().starts_with(kStagingPrefix)) continue;
    const UniqueFd directory = open_directory(path);
    if (!directory.valid() || !is_private(directory.get())) continue;
    if (::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) continue;  // Its process lives.
    std::error_code ignored;
    if (is_at(directory.get(), path)) std::filesystem::remove_all(path, ignored);
  }
}

}  // namespace

Result<StagingDirectory> StagingDirectory::create() {
  for (const char* variable : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value != '/') continue;
    if (allows_execution(value)) return create_below(value);
  }
  if (!allows_execution("/tmp")) {
    return Status(
        Code::kUnavailable,
        "no directory for plugin copies: /tmp is not writable or mounted noexec; set TMPDIR "
        "to a directory that allows execution");
  }
  return create_below("/tmp");
}

Result<StagingDirectory> StagingDirectory::create_below(const std::filesystem::path& parent) {
  remove_abandoned(parent);
  const auto failed = [&](int error) {
    return Status(Code::kUnavailable, "cannot make a directory for plugin copies in " +
                                          parent.string() + ": " + reason(error));
  };
  for (;;) {
    std::string name = (parent / kStagingPrefix).string() + "XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) return failed(errno);
    UniqueFd lock = open_directory(name);
    if (lock.valid() && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0 && is_at(lock.get(), name)) {
      return StagingDirectory(std::filesystem::path(name), std::move(lock));
    }
    // Another process took it for an abandoned one before it was locked, and removes it.
    if (lock.valid() ? errno != EWOULDBLOCK && is_at(lock.get(), name) : errno != ENOENT) {
      return failed(errno);
    }
  }
}

StagingDirectory::StagingDirectory(StagingDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      lock_(std::move(other.lock_)),
      copies_(other.copies_) {}

StagingDirectory& StagingDirectory::operator=(StagingDirectory&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
    lock_ = std::move(other.lock_);
    copies_ = other.copies_;
  }
  return *this;
}

StagingDirectory::~StagingDirectory() { remove(); }

void StagingDirectory::remove() noexcept {
  if (path_.empty()) return;
  std::error_code ignored;  // A file that cannot be removed is private and small.
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path StagingDirectory::next(const std::string& digest) {
  return path_ / (digest + "-" + std::to_string(++copies_) + ".so");
}

Result<TrustedFile> read_trusted(const std::filesystem::path& path) {
  return read_file(path, Trust::kRequired);
}

Result<TrustedFile> read_plugin_file(const std::filesystem::path& path) {
  return read_file(path, Trust::kIgnored);
}

Result<std::filesystem::path> stage(StagingDirectory& directory, const TrustedFile& file) {
  std::filesystem::path path = directory.next(file.digest);
  {
    const UniqueFd copy(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0500));
    if (!copy.valid() || !write_all(copy.get(), file.content)) {
      const Status failure(Code::kUnavailable, reason(errno));
      return failure.with_context("cannot write the copy " + path.string());
    }
  }
  const Result<TrustedFile> back = read_trusted(path);
  if (!back) return back.error();
  if (back->digest != file.digest) {
    return Status(Code::kInternal, "the copy " + path.string() + " changed while it was written");
  }
  return path;
}

Result<std::shared_ptr<const KeptCopy>> KeptCopy::of(const std::filesystem::path& copy,
                                                     const TrustedFile& file) {
  UniqueFd opened(::open(copy.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.valid()) return refuse_plugin(Code::kUnavailable, copy, reason(errno));
  return std::make_shared<const KeptCopy>(std::move(opened), file.digest);
}

Result<TrustedFile> KeptCopy::read() const {
  if (::lseek(file_.get(), 0, SEEK_SET) != 0) return Status(Code::kInternal, reason(errno));
  Result<std::string> content = read_all(file_.get());
  if (!content) return content.error();
  TrustedFile out{std::move(*content), ""};
  out.digest = sha256_hex(out.content);
  if (out.digest == digest_) return out;
  return Status(Code::kInternal, "the copy of the build before has changed");
}

}  // namespace davit::host
