/// Decides whether a policy, or a binding of one, is for a write.
#pragma once

#include <string>

#include "lib/kube/json.hpp"
#include "sandbox/rest/resources.hpp"
#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// The kind of the objects that requests for a resource, or for a subresource of it, carry.
struct RequestKind {
  std::string group;
  std::string version;
  std::string kind;
};
[[nodiscard]] RequestKind request_kind(const Resource& resource, std::string_view subresource);

/// The namespace of a write; a Namespace is in the one that it is.
[[nodiscard]] std::string_view namespace_of(const JudgedWrite& write);

struct Match {
  ResourcePtr resource;  ///< The form in which rules see the object; null: no match.
  std::string error;     ///< Why it cannot be decided; `resource` is null.
};
/// `match`: a MatchResources with defaults. With matchPolicy Equivalent, a rule for another
/// resource with the same objects also matches. The rules of
/// k8s.io/apiserver/pkg/admission/plugin/policy/matching.
[[nodiscard]] Match match_resources(const Json& match, const JudgedWrite& write, const Store& store,
                                    const ResourceSet& resources);

/// "CREATE", "UPDATE", "DELETE" or "CONNECT".
[[nodiscard]] std::string_view operation_name(JudgedWrite::Operation operation);

}  // namespace davit::sandbox
