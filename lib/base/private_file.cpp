#include "lib/base/private_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "lib/base/unique_fd.hpp"
#include "lib/base/write_all.hpp"

namespace davit {
namespace {

Status cannot_write(const std::string& file, const std::string& why) {
  return {Code::kUnavailable, "cannot write " + file + ": " + why};
}

}  // namespace

Status write_private_file(const std::string& file, const std::string& content) {
  const std::filesystem::path path(file);
  std::error_code error;
  if (path.has_parent_path() && !std::filesystem::exists(path.parent_path(), error)) {
    std::filesystem::create_directories(path.parent_path(), error);
    if (!error) {
      std::filesystem::permissions(path.parent_path(), std::filesystem::perms::owner_all, error);
    }
  }
  if (error) return cannot_write(file, error.message());
  // If two processes start at once, each writes a file of its own; the last one's stays, and is
  // whole. Its name is unpredictable, so no other user of the folder can create it first and keep
  // it open.
  std::string part = file + ".XXXXXX";
  const UniqueFd fd(::mkostemp(part.data(), O_CLOEXEC));
  if (!fd.valid()) return cannot_write(file, std::strerror(errno));
  if (!write_all(fd.get(), content) || ::rename(part.c_str(), file.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::unlink(part.c_str());
    return cannot_write(file, why);
  }
  return {};
}

}  // namespace davit
