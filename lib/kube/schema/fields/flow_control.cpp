// flowcontrol v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kFlowControlFields = R"(
ExemptPriorityLevelConfiguration: 1 nominalConcurrencyShares:i?, 2 lendablePercent:i?
FlowDistinguisherMethod: 1 type:s!
FlowSchema: 1 metadata:meta.ObjectMeta, 2 spec:FlowSchemaSpec!, 3 status:FlowSchemaStatus!
FlowSchemaCondition: 1 type:s, 2 status:s, 3 lastTransitionTime:Time!, 4 reason:s, 5 message:s
FlowSchemaSpec: 1 priorityLevelConfiguration:PriorityLevelConfigurationReference!,
  2 matchingPrecedence:i!, 3 distinguisherMethod:FlowDistinguisherMethod,
  4 rules[]:PolicyRulesWithSubjects
FlowSchemaStatus: 1 conditions[]:FlowSchemaCondition
GroupSubject: 1 name:s!
LimitResponse: 1 type:s!, 2 queuing:QueuingConfiguration
LimitedPriorityLevelConfiguration: 1 nominalConcurrencyShares:i?!, 2 limitResponse:LimitResponse!,
  3 lendablePercent:i?, 4 borrowingLimitPercent:i?
NonResourcePolicyRule: 1 verbs[]:s!, 6 nonResourceURLs[]:s!
PolicyRulesWithSubjects: 1 subjects[]:Subject!, 2 resourceRules[]:ResourcePolicyRule,
  3 nonResourceRules[]:NonResourcePolicyRule
PriorityLevelConfiguration: 1 metadata:meta.ObjectMeta, 2 spec:PriorityLevelConfigurationSpec!,
  3 status:PriorityLevelConfigurationStatus!
PriorityLevelConfigurationCondition: 1 type:s, 2 status:s, 3 lastTransitionTime:Time!, 4 reason:s,
  5 message:s
PriorityLevelConfigurationReference: 1 name:s!
PriorityLevelConfigurationSpec: 1 type:s!, 2 limited:LimitedPriorityLevelConfiguration,
  3 exempt:ExemptPriorityLevelConfiguration
PriorityLevelConfigurationStatus: 1 conditions[]:PriorityLevelConfigurationCondition
QueuingConfiguration: 1 queues:i!, 2 handSize:i!, 3 queueLengthLimit:i!
ResourcePolicyRule: 1 verbs[]:s!, 2 apiGroups[]:s!, 3 resources[]:s!, 4 clusterScope:b,
  5 namespaces[]:s!
ServiceAccountSubject: 1 namespace:s!, 2 name:s!
Subject: 1 kind:s!, 2 user:UserSubject, 3 group:GroupSubject, 4 serviceAccount:ServiceAccountSubject
UserSubject: 1 name:s!
)";

}  // namespace

std::string_view flow_control_fields() { return kFlowControlFields; }

}  // namespace davit
