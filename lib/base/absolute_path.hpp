/// Absolute paths without exceptions.
#pragma once

#include <filesystem>
#include <system_error>

namespace davit {

/// The absolute path of `path`, without "." and ".."; empty for an empty path. If the working
/// directory is gone, a relative path stays relative: opening it gives the error.
[[nodiscard]] inline std::filesystem::path absolute_path(const std::filesystem::path& path) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  return (failed ? path : absolute).lexically_normal();
}

}  // namespace davit
