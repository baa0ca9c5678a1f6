#include "host/api/small_file.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace davit::host {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{4} << 20;

struct FileClose {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Status failure(const std::string& path, int error) {
  return {error == ENOENT ? Code::kNotFound : Code::kInternal,
          "cannot read " + path + ": " + std::generic_category().message(error)};
}

}  // namespace

Result<std::string> read_small_file(const std::string& path) {
  const std::unique_ptr<std::FILE, FileClose> file(std::fopen(path.c_str(), "re"));
  if (!file) return failure(path, errno);
  std::string content;
  char piece[4096];
  while (const std::size_t got = std::fread(piece, 1, sizeof piece, file.get())) {
    content.append(piece, got);
    if (content.size() > kFileBytesMax) return Status(Code::kInvalid, path + " is too large");
  }
  if (std::ferror(file.get()) != 0) return failure(path, errno);
  return content;
}

}  // namespace davit::host
