#include "lib/base/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace davit {
namespace {

/// A kubeconfig of a thousand clusters with embedded certificates is about 5 MiB.
constexpr std::size_t kFileBytesMax = std::size_t{8} << 20;

}  // namespace

Result<std::string> read_text_file(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) return Status(Code::kInvalid, "is a directory");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    const int error = errno;
    return Status(
        error == ENOENT || error == ENOTDIR ? Code::kNotFound : Code::kInvalid,
        error == ENOENT ? "no such file or directory" : std::generic_category().message(error));
  }
  std::string content;
  char buffer[4096];
  while (stream.read(buffer, sizeof buffer) || stream.gcount() > 0) {
    content.append(buffer, static_cast<std::size_t>(stream.gcount()));
    if (content.size() > kFileBytesMax) return Status(Code::kInvalid, "is larger than 8 MiB");
  }
  if (stream.bad()) return Status(Code::kInvalid, "cannot be read");
  return content;
}

}  // namespace davit
