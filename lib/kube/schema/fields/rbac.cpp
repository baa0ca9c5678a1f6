// rbac v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kRbacFields = R"(
AggregationRule: 1 clusterRoleSelectors[]:meta.LabelSelector
ClusterRole: 1 metadata:meta.ObjectMeta, 2 rules[]:PolicyRule!, 3 aggregationRule:AggregationRule
ClusterRoleBinding: 1 metadata:meta.ObjectMeta, 2 subjects[]:Subject, 3 roleRef:RoleRef!
PolicyRule: 1 verbs[]:s!, 2 apiGroups[]:s, 3 resources[]:s, 4 resourceNames[]:s,
  5 nonResourceURLs[]:s
Role: 1 metadata:meta.ObjectMeta, 2 rules[]:PolicyRule!
RoleBinding: 1 metadata:meta.ObjectMeta, 2 subjects[]:Subject, 3 roleRef:RoleRef!
RoleRef: 1 apiGroup:s!, 2 kind:s!, 3 name:s!
Subject: 1 kind:s!, 2 apiGroup:s, 3 name:s!, 4 namespace:s
)";

}  // namespace

std::string_view rbac_fields() { return kRbacFields; }

}  // namespace davit
