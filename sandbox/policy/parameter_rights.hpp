/// The rights that the writer of a policy or binding needs for its parameters.
#pragma once

#include "lib/kube/json.hpp"
#include "lib/kube/user_info.hpp"
#include "sandbox/auth/auth.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/resources.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// Whether the resource is one whose parameters its writer must be able to read.
[[nodiscard]] bool has_parameters(const Resource& resource);

/// The parts of such a write. Borrowed for the call.
struct ParameterWrite {
  const Resource& resource;
  const UserInfo& who;
  const Json& next;
  const Json& old;  ///< Null: it is created.
};

/// Refuses a policy or binding whose writer may not read its parameters.
/// k8s: authz.go of pkg/registry/admissionregistration/validatingadmissionpolicy and
/// validatingadmissionpolicybinding.
[[nodiscard]] ApiFailure check_parameter_rights(const ParameterWrite& write,
                                                const Authorizer& authorizer, const Store& store,
                                                const ResourceSet& resources);

}  // namespace davit::sandbox
