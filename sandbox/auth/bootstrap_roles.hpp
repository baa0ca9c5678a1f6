/// The roles and bindings that a server makes at its start. Sources by tools/kubernetes_tables.
///
/// An entry is a line `KIND NAMESPACE NAME` ("-": no namespace) and lines below it that begin with
/// two blanks; a line that begins with four continues the one before. Lists have commas; "core" is
/// the group without a name.
///
///   rule VERBS GROUPS RESOURCES [NAMES]   a rule of a role
///   urls VERBS URLS                       a rule for paths that are not resources
///   part-of ROLE                          this ClusterRole counts among the rules of that one
///   consists-of ROLE                      the rules of this one are those that are part of ROLE
///   gives KIND NAME                       the role of a binding
///   to KIND NAME                          a subject; a ServiceAccount is NAMESPACE/NAME
#pragma once

#include <string_view>

namespace davit::sandbox {

/// The roles of people and components, and their bindings.
[[nodiscard]] std::string_view bootstrap_roles();
/// The roles of kube-controller-manager's controllers, for its --use-service-account-credentials.
[[nodiscard]] std::string_view controller_roles();

}  // namespace davit::sandbox
