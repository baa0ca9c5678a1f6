#include "lib/base/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "lib/base/unique_fd.hpp"

// An idle host reads files of /proc every second. Plain system calls keep the streams and file
// system of the C++ library out of its resident memory.

namespace davit {
namespace {

/// A kubeconfig of a thousand clusters with embedded certificates is about 5 MiB.
constexpr std::size_t kFileBytesMax = std::size_t{8} << 20;

Status unreadable(int error) {
  if (error == ENOENT) return {Code::kNotFound, "no such file or directory"};
  if (error == EISDIR) return {Code::kInvalid, "is a directory"};
  return {error == ENOTDIR ? Code::kNotFound : Code::kInvalid,
          std::generic_category().message(error)};
}

}  // namespace

Result<std::string> read_text_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return unreadable(errno);
  return read_text_file(file.get());
}

Result<std::string> read_text_file(int file) {
  std::string content;
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t got = ::read(file, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(errno);
    if (got == 0) return content;
    content.append(piece.data(), static_cast<std::size_t>(got));
    if (content.size() > kFileBytesMax) return Status(Code::kInvalid, "is larger than 8 MiB");
  }
}

}  // namespace davit
