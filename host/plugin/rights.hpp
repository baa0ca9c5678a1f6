/// Whether the declared rights of a controller allow a request, as RBAC would judge the role that
/// `davit rbac` prints (k8s.io/kubernetes/pkg/apis/rbac/v1/evaluation_helpers.go). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/loading/note.hpp"

namespace davit::host {

/// The attributes of a request for the server's authorizer.
struct RequestAttributes {
  std::string_view verb;
  std::string_view group;
  std::string_view resource;
  std::string_view subresource;
  std::string_view ns;    ///< Empty: cluster-scoped, or of all namespaces.
  std::string_view name;  ///< Empty: not of one object.
};

/// Whether the rule allows it. One of URLs allows none: no request of the ABI is for a URL.
[[nodiscard]] bool allows(const DeclaredRule& rule, const RequestAttributes& request);

/// Whether it is a read (get, list, watch) of a resource that the watch is about.
[[nodiscard]] bool allows(const DeclaredWatch& watch, const RequestAttributes& request);

/// A rule for "rules" of the note that allows `verbs` on what was asked for. It names the namespace
/// and the object of the request, unless the note has an entry of that resource without such a
/// limit: who follows the advice gets no more than the request needs.
[[nodiscard]] std::string missing_rule(const DeclaredController& declared,
                                       const RequestAttributes& request,
                                       const std::vector<std::string>& verbs);

/// Whether `namespaces` of a rule or watch contain `ns`. Those of none are all; else `ns` is one.
[[nodiscard]] bool covers(const std::vector<std::string>& namespaces, std::string_view ns);

}  // namespace davit::host
