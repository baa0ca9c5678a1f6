/// The plugins of samples/, for tests.
#pragma once

#include <filesystem>
#include <string>

#include "host/loading/staging.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {

inline std::filesystem::path sample_path(const std::string& name) {
  return std::filesystem::path(DAVIT_SAMPLES) / (name + ".so");
}

inline std::string sample_content(const std::string& name) {
  Result<TrustedFile> file = read_plugin_file(sample_path(name));
  EXPECT_TRUE(file) << file.error().message();
  return file ? file->content : "";
}

/// A copy that only its owner may write, whatever the build's umask is.
inline std::filesystem::path copy_sample(const TempDirectory& directory, const std::string& name,
                                         const std::string& as) {
  const std::filesystem::path path = directory.write(as, sample_content(name));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  std::filesystem::permissions(path.parent_path(), std::filesystem::perms::owner_all);
  return path;
}

/// Puts "DIR" for the test's directory.
inline std::string without_directory(std::string text, const TempDirectory& directory) {
  const std::string here = directory.path().string();
  for (std::size_t at = text.find(here); at != std::string::npos; at = text.find(here)) {
    text.replace(at, here.size(), "DIR");
  }
  return text;
}

}  // namespace davit::host
