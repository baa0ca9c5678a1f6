/// The identity behind a request to the HTTPS port.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::host {

inline constexpr std::string_view kMastersGroup = "system:masters";
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";
inline constexpr std::string_view kAnonymousUser = "system:anonymous";

/// k8s.io/apiserver/pkg/authentication/user.Info.
struct User {
  std::string name;
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::vector<std::pair<std::string, std::vector<std::string>>> extra = {};
};

}  // namespace davit::host
