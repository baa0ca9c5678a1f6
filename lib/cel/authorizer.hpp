/// The authorizer of admission policies: Kubernetes' library authz.
#pragma once

#include <functional>
#include <string>

#include "lib/cel/value.hpp"
#include "lib/kube/user_info.hpp"

namespace davit::cel {

/// A question of an expression to the authorizer.
struct AccessQuestion {
  UserInfo who;
  bool is_resource = true;  ///< False: `path` counts, and the members below do not.
  std::string path;
  std::string group;
  std::string resource;
  std::string subresource;
  std::string ns;
  std::string name;
  std::string field_selector;
  std::string label_selector;
  std::string verb;
};
struct AccessVerdict {
  bool allowed = false;
  std::string reason;
  std::string error;  ///< Empty: the authorizer came to a decision.
};
using AccessCheck = std::function<AccessVerdict(const AccessQuestion&)>;

/// The variable `authorizer` for requests of `who`. `check` is called during evaluations, on their
/// thread. The rules of k8s.io/apiserver's pkg/cel/library/authz.go.
[[nodiscard]] Value authorizer_value(UserInfo who, AccessCheck check);
/// The variable `authorizer.requestResource`, which is about what the request writes. The verb of
/// `about` does not count.
[[nodiscard]] Value resource_check_value(AccessQuestion about, AccessCheck check);

/// The name of the variable that has a dot in it.
inline constexpr std::string_view kRequestResource = "authorizer.requestResource";

}  // namespace davit::cel
