// admissionregistration v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kAdmissionRegistrationFields = R"(
ApplyConfiguration: 1 expression:s
AuditAnnotation: 1 key:s!, 2 valueExpression:s!
ExpressionWarning: 2 fieldRef:s!, 3 warning:s!
JSONPatch: 1 expression:s
MatchCondition: 1 name:s!, 2 expression:s!
MatchResources: 1 namespaceSelector:meta.LabelSelector, 2 objectSelector:meta.LabelSelector,
  3 resourceRules[]:NamedRuleWithOperations, 4 excludeResourceRules[]:NamedRuleWithOperations,
  7 matchPolicy:s?
MutatingAdmissionPolicy: 1 metadata:meta.ObjectMeta, 2 spec:MutatingAdmissionPolicySpec!
MutatingAdmissionPolicyBinding: 1 metadata:meta.ObjectMeta,
  2 spec:MutatingAdmissionPolicyBindingSpec!
MutatingAdmissionPolicyBindingSpec: 1 policyName:s, 2 paramRef:ParamRef,
  3 matchResources:MatchResources
MutatingAdmissionPolicySpec: 1 paramKind:ParamKind, 2 matchConstraints:MatchResources,
  3 variables[]:Variable, 4 mutations[]:Mutation, 5 failurePolicy:s?,
  6 matchConditions[]:MatchCondition, 7 reinvocationPolicy:s
MutatingWebhook: 1 name:s!, 2 clientConfig:WebhookClientConfig!, 3 rules[]:RuleWithOperations,
  4 failurePolicy:s?, 5 namespaceSelector:meta.LabelSelector, 6 sideEffects:s?!,
  7 timeoutSeconds:i?, 8 admissionReviewVersions[]:s!, 9 matchPolicy:s?, 10 reinvocationPolicy:s?,
  11 objectSelector:meta.LabelSelector, 12 matchConditions[]:MatchCondition
MutatingWebhookConfiguration: 1 metadata:meta.ObjectMeta, 2 webhooks[]:MutatingWebhook
Mutation: 2 patchType:s!, 3 applyConfiguration:ApplyConfiguration, 4 jsonPatch:JSONPatch
NamedRuleWithOperations: 1 resourceNames[]:s, 2 ruleWithOperations:RuleWithOperations^
ParamKind: 1 apiVersion:s, 2 kind:s
ParamRef: 1 name:s, 2 namespace:s, 3 selector:meta.LabelSelector, 4 parameterNotFoundAction:s?
Rule: 1 apiGroups[]:s, 2 apiVersions[]:s, 3 resources[]:s, 4 scope:s?
RuleWithOperations: 1 operations[]:s, 2 rule:Rule^
ServiceReference: 1 namespace:s!, 2 name:s!, 3 path:s?, 4 port:i?
TypeChecking: 1 expressionWarnings[]:ExpressionWarning
ValidatingAdmissionPolicy: 1 metadata:meta.ObjectMeta, 2 spec:ValidatingAdmissionPolicySpec!,
  3 status:ValidatingAdmissionPolicyStatus!
ValidatingAdmissionPolicyBinding: 1 metadata:meta.ObjectMeta,
  2 spec:ValidatingAdmissionPolicyBindingSpec!
ValidatingAdmissionPolicyBindingSpec: 1 policyName:s, 2 paramRef:ParamRef,
  3 matchResources:MatchResources, 4 validationActions[]:s
ValidatingAdmissionPolicySpec: 1 paramKind:ParamKind, 2 matchConstraints:MatchResources,
  3 validations[]:Validation, 4 failurePolicy:s?, 5 auditAnnotations[]:AuditAnnotation,
  6 matchConditions[]:MatchCondition, 7 variables[]:Variable
ValidatingAdmissionPolicyStatus: 1 observedGeneration:l, 2 typeChecking:TypeChecking,
  3 conditions[]:meta.Condition
ValidatingWebhook: 1 name:s!, 2 clientConfig:WebhookClientConfig!, 3 rules[]:RuleWithOperations,
  4 failurePolicy:s?, 5 namespaceSelector:meta.LabelSelector, 6 sideEffects:s?!,
  7 timeoutSeconds:i?, 8 admissionReviewVersions[]:s!, 9 matchPolicy:s?,
  10 objectSelector:meta.LabelSelector, 11 matchConditions[]:MatchCondition
ValidatingWebhookConfiguration: 1 metadata:meta.ObjectMeta, 2 webhooks[]:ValidatingWebhook
Validation: 1 expression:s!, 2 message:s, 3 reason:s?, 4 messageExpression:s
Variable: 1 name:s!, 2 expression:s!
WebhookClientConfig: 1 service:ServiceReference, 2 caBundle:y, 3 url:s?
)";

}  // namespace

std::string_view admission_registration_fields() { return kAdmissionRegistrationFields; }

}  // namespace davit
