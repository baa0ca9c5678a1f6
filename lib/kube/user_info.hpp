/// The user behind a request.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

inline constexpr std::string_view kAnonymousUser = "system:anonymous";
inline constexpr std::string_view kMastersGroup = "system:masters";
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";

/// authentication.k8s.io UserInfo, and k8s.io/apiserver/pkg/authentication/user.Info.
struct UserInfo {
  std::string name;
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::vector<std::pair<std::string, std::vector<std::string>>> extra = {};

  [[nodiscard]] bool in_group(std::string_view group) const {
    return std::ranges::find(groups, group) != groups.end();
  }
};

}  // namespace davit
