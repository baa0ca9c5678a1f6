/// The approval of CustomResourceDefinitions of the groups that belong to Kubernetes: k8s.io,
/// kubernetes.io and those below them.
#pragma once

#include <optional>
#include <string>

#include "lib/kube/json.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// The state of the annotation api-approved.kubernetes.io.
/// k8s: GetAPIApprovalState of k8s.io/apiextensions-apiserver/pkg/apihelpers.
struct ApiApproval {
  enum class State : std::uint8_t {
    kMissing,
    kBypassed,  ///< The author says that it is not approved.
    kApproved,
    kInvalid,
  } state = State::kMissing;
  std::string message;
};

/// Nothing: the group needs no approval.
[[nodiscard]] std::optional<ApiApproval> api_approval(const Json& definition);

/// Refuses a definition whose approval is missing or invalid, unless that of `old` was also. `old`:
/// null for a new one.
void check_approval(const Json& definition, const Json* old, FieldErrors& errors);

}  // namespace davit::sandbox
