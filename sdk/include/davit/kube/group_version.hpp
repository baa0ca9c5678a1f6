/// API groups and their versions.
#pragma once

#include <cstddef>
#include <string_view>

namespace davit {

/// The two parts of an `apiVersion`; views into its text.
struct GroupVersion {
  std::string_view group;    ///< "apps"; empty: the core group.
  std::string_view version;  ///< "v1"
};

/// Takes "apps/v1" or "v1" apart.
[[nodiscard]] constexpr GroupVersion split_api_version(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return {std::string_view(), api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

}  // namespace davit
