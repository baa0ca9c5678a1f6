// Extensions of the API: admission, custom resources and aggregated servers.
#include "lib/kube/schema/descriptions/descriptions.hpp"

namespace davit {

namespace {

constexpr std::string_view kExtensionsDescriptions = R"(
admissionregistration.v1.MutatingAdmissionPolicy: Changes objects on their way into storage by CEL
    expressions.
admissionregistration.v1.MutatingAdmissionPolicyBinding: Puts a MutatingAdmissionPolicy into force
    for selected resources.
admissionregistration.v1.MutatingWebhookConfiguration: Webhooks that may change objects on their way
    into storage.
  webhooks: The webhooks and the requests that they are called for.
admissionregistration.v1.ValidatingAdmissionPolicy: Accepts or refuses objects by CEL expressions.
admissionregistration.v1.ValidatingAdmissionPolicyBinding: Puts a ValidatingAdmissionPolicy into
    force for selected resources.
admissionregistration.v1.ValidatingWebhookConfiguration: Webhooks that accept or refuse objects on
    their way into storage.
  webhooks: The webhooks and the requests that they are called for.
admissionregistration.v1.ApplyConfiguration: A change of an object in the manner of server-side
    apply.
  expression: CEL expression that returns the fields to apply, as an Object.
admissionregistration.v1.AuditAnnotation: An annotation that a policy adds to the audit event of a
    request.
  key: Key of the annotation. The name of the policy is put before it.
  valueExpression: CEL expression for the value. If it returns null or "", there is no annotation.
admissionregistration.v1.ExpressionWarning: A warning about the types in a CEL expression.
  fieldRef: Path of the field that holds the expression.
  warning: Text for people on what is wrong.
admissionregistration.v1.JSONPatch: A change of an object as a JSON patch.
  expression: CEL expression that returns a list of JSONPatch values.
admissionregistration.v1.MatchCondition: A CEL expression that must be true of a request.
  expression: The expression, which returns a boolean. It sees object, oldObject, request and
    authorizer.
  name: Name of the condition, unique in its list.
admissionregistration.v1.MatchResources: The requests that a policy or binding is for. All that is
    set must fit.
  excludeResourceRules: Operations and resources that are left out, even if resourceRules match
    them.
  matchPolicy: Exact matches only the versions that the rules name, Equivalent also other versions
    of the same resource. Default: Equivalent.
  namespaceSelector: Labels of the namespace of the object. Empty: every namespace.
  objectSelector: Labels of the object before or after the change. Empty: every object.
  resourceRules: Operations and resources to match. A request must match at least one rule.
admissionregistration.v1.MutatingAdmissionPolicyBindingSpec: Desired state of a
    MutatingAdmissionPolicyBinding.
  matchResources: Further limits on the requests that the policy changes.
  paramRef: Objects that the policy gets as params.
  policyName: Name of the MutatingAdmissionPolicy.
admissionregistration.v1.MutatingAdmissionPolicySpec: Desired state of a MutatingAdmissionPolicy.
  failurePolicy: What happens to a request if the policy fails: Fail or Ignore. Default: Fail.
  matchConditions: CEL expressions that must all be true of a request, at most 64.
  matchConstraints: Requests that the policy changes. Required.
  mutations: Changes of the object, made in order. At least one.
  paramKind: Kind of the objects that bindings name as parameters. Absent: the policy has none.
  reinvocationPolicy: Never calls the policy once, IfNeeded again if the object changes afterwards.
    Required.
  variables: Expressions that other expressions use by name.
admissionregistration.v1.MutatingWebhook admissionregistration.v1.ValidatingWebhook: A webhook and
    the requests that it is called for.
  admissionReviewVersions: Versions of AdmissionReview that the webhook takes, in order of
    preference.
  clientConfig: Where the webhook is and how to trust it.
  failurePolicy: What happens to a request if the call fails: Fail or Ignore. Default: Fail.
  matchConditions: CEL expressions that must all be true of a request, at most 64.
  matchPolicy: Exact matches only the versions that the rules name, Equivalent also other versions
    of the same resource. Default: Equivalent.
  name: Full name of the webhook, such as image.example.com.
  namespaceSelector: Labels of the namespace of the object. Empty: every namespace.
  objectSelector: Labels of the object before or after the change. Empty: every object.
  rules: Operations and resources that the webhook is called for. One match is enough.
  sideEffects: Whether a call changes anything else: None, or NoneOnDryRun for calls in a dry run.
  timeoutSeconds: Seconds to wait for the webhook, from 1 to 30. Default: 10.
admissionregistration.v1.MutatingWebhook:
  reinvocationPolicy: Never calls the webhook once, IfNeeded again if the object changes afterwards.
    Default: Never.
admissionregistration.v1.Mutation: A change that a policy makes. The member that patchType names is
    set.
  applyConfiguration: Fields to apply.
  jsonPatch: JSON patch to apply.
  patchType: ApplyConfiguration or JSONPatch.
admissionregistration.v1.NamedRuleWithOperations: Operations on resources, or on objects with
    certain names.
  resourceNames: Names of objects. Empty: all.
admissionregistration.v1.ParamKind: Kind of the parameters of a policy.
  apiVersion: Group and version of the kind.
  kind: Name of the kind in CamelCase.
admissionregistration.v1.ParamRef: Objects that a policy gets as params. Either name or selector is
    set.
  name: Name of the object.
  namespace: Namespace of the objects. Absent, for kinds of a namespace: that of the request.
  parameterNotFoundAction: Allow ignores the binding if there is no such object, Deny applies
    failurePolicy. Required.
  selector: Labels of the objects. The policy is evaluated for each of them.
admissionregistration.v1.Rule: Resources with their groups and versions.
  apiGroups: API groups of the resources. "" is the core group, * are all.
  apiVersions: API versions of the resources. * are all.
  resources: Resources such as pods, pods/status, pods/* or */scale. * are all but subresources.
  scope: Cluster, Namespaced, or * for both. Default: *.
admissionregistration.v1.RuleWithOperations: Operations on resources.
  operations: CREATE, UPDATE, DELETE, CONNECT, or * for all.
admissionregistration.v1.ServiceReference apiextensions.v1.ServiceReference: The Service in front of
    a webhook.
  name: Name of the Service.
  namespace: Namespace of the Service.
  path: Path of the URL that is called.
  port: Port of the Service. Default: 443.
admissionregistration.v1.TypeChecking: Result of checking the types in a policy.
  expressionWarnings: Warnings for each expression.
admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec: Desired state of a
    ValidatingAdmissionPolicyBinding.
  matchResources: Further limits on the requests that the policy checks.
  paramRef: Objects that the policy gets as params.
  policyName: Name of the ValidatingAdmissionPolicy.
  validationActions: What a failed check causes: Deny, Warn or Audit. Deny and Warn exclude each
    other.
admissionregistration.v1.ValidatingAdmissionPolicySpec: Desired state of a
    ValidatingAdmissionPolicy. It has at least one validation or audit annotation.
  auditAnnotations: Annotations for the audit event of a request.
  failurePolicy: What happens to a request if the policy fails: Fail or Ignore. Default: Fail.
  matchConditions: CEL expressions that must all be true of a request, at most 64.
  matchConstraints: Requests that the policy checks. Required.
  paramKind: Kind of the objects that bindings name as parameters. Absent: the policy has none.
  validations: Checks of the object.
  variables: Expressions that other expressions use by name.
admissionregistration.v1.ValidatingAdmissionPolicyStatus: Observed state of a
    ValidatingAdmissionPolicy.
  typeChecking: Result of checking the types in the expressions. Absent: not checked yet.
admissionregistration.v1.Validation: A check of an object by a CEL expression.
  expression: The expression. If it returns false, the check fails.
  message: Text for people if the check fails. Required if the expression has line breaks.
  messageExpression: CEL expression that returns the message. It comes before message.
  reason: Reason in the Status of a refused request: Unauthorized, Forbidden, Invalid or
    RequestEntityTooLarge. Default: Invalid.
admissionregistration.v1.Variable: A CEL expression with a name.
  expression: The expression. It may use variables that stand before it.
  name: Name of the variable. Other expressions use it as variables.NAME.
admissionregistration.v1.WebhookClientConfig apiextensions.v1.WebhookClientConfig: Where a webhook
    is and how to trust it. Either service or url is set.
  caBundle: Certificates of the authorities that may sign the webhook's certificate, as PEM.
    Default: those that the API server trusts.
  service: Service in front of the webhook.
  url: URL of the webhook, which begins with https://.
apiextensions.v1.CustomResourceDefinition: Adds a kind of its own to the API.
apiextensions.v1.CustomResourceDefinitionSpec: The kind that a definition adds.
  conversion: How objects are converted between versions.
  group: API group of the kind. The definition's name is PLURAL.GROUP.
  names: Names of the kind and of its resource.
  preserveUnknownFields: Deprecated; must be false. Set x-kubernetes-preserve-unknown-fields in the
    schema instead.
  scope: Namespaced or Cluster.
  versions: Versions of the kind, each with its schema. Exactly one is stored.
apiextensions.v1.CustomResourceDefinitionNames: Names of a kind and of its resource.
  categories: Groups of resources that it belongs to, such as all.
  kind: Name of the kind in CamelCase.
  listKind: Kind of a list of objects. Default: the kind with List behind it.
  plural: Name of the resource in URLs, in lower case.
  shortNames: Short forms for the command line.
  singular: Singular of the resource, in lower case. Default: the kind in lower case.
apiextensions.v1.CustomResourceColumnDefinition: A column that kubectl get shows.
  description: Text for people on what the column shows.
  format: OpenAPI format of the value; name marks the column with the object's name.
  jsonPath: Simple JSON path of the value in each object.
  name: Heading of the column.
  priority: Importance of the column. Those above 0 appear only with -o wide.
  type: OpenAPI type of the value, such as string, integer or date.
apiextensions.v1.CustomResourceConversion: How objects are converted between versions.
  strategy: None changes only apiVersion, Webhook calls a webhook.
  webhook: How the webhook is called. Only for strategy Webhook.
apiextensions.v1.CustomResourceDefinitionCondition: One aspect of the state of a definition, such as
    Established or NamesAccepted.
apiextensions.v1.CustomResourceDefinitionStatus: Observed state of a CustomResourceDefinition.
  acceptedNames: Names that are in use. They differ from the desired ones if another kind has those.
  storedVersions: Versions in which objects were ever stored. A version may leave spec.versions only
    after it has left this list.
apiextensions.v1.CustomResourceDefinitionVersion: One version of a kind.
  additionalPrinterColumns: Columns that kubectl get shows. Default: the age.
  deprecated: Whether requests for this version return a warning. Default: false.
  deprecationWarning: Text of that warning, in place of the default one.
  name: Name of the version, such as v1beta1.
  schema: Schema of the objects.
  selectableFields: Fields that field selectors may use, at most 8.
  served: Whether the API serves this version.
  storage: Whether objects are stored in this version. It is true for exactly one.
  subresources: Subresources of the objects.
apiextensions.v1.CustomResourceSubresourceScale: Where the subresource scale finds its values.
  labelSelectorPath: JSON path of the selector as text, below .status or .spec. Needed by
    autoscalers.
  specReplicasPath: JSON path of the desired number of replicas, below .spec.
  statusReplicasPath: JSON path of the observed number of replicas, below .status.
apiextensions.v1.CustomResourceSubresourceStatus: Settings of the subresource status. There are
    none.
apiextensions.v1.CustomResourceSubresources: Subresources of a custom resource.
  scale: Enables the subresource scale.
  status: Enables the subresource status. Other requests then leave .status unchanged.
apiextensions.v1.CustomResourceValidation: How objects are checked.
  openAPIV3Schema: OpenAPI v3 schema of the objects. It must be structural.
apiextensions.v1.ExternalDocumentation: Documentation elsewhere.
  description: Text for people on what it is about.
  url: URL of the documentation.
apiextensions.v1.JSONSchemaProps: A schema of a JSON value.
  $ref: Not allowed in schemas of custom resources.
  $schema: URI of the dialect of JSON schema.
  additionalItems: Not allowed in schemas of custom resources.
  additionalProperties: Schema of members that properties does not name. Not together with
    properties.
  allOf: Schemas that must all match.
  anyOf: Schemas of which at least one must match.
  default: Value that stands for an absent one.
  definitions: Not allowed in schemas of custom resources.
  dependencies: Not allowed in schemas of custom resources.
  description: Text for people, which kubectl explain shows.
  enum: Allowed values.
  example: Example of a value.
  exclusiveMaximum: Whether the value must be below maximum. Default: false.
  exclusiveMinimum: Whether the value must be above minimum. Default: false.
  externalDocs: Documentation elsewhere.
  format: Format of the value, such as date-time, int32 or byte. Unknown formats are not checked.
  id: Not allowed in schemas of custom resources.
  items: Schema of the items of an array.
  maxItems: Most items of an array.
  maxLength: Most characters of a string.
  maxProperties: Most members of an object.
  maximum: Largest number.
  minItems: Fewest items of an array.
  minLength: Fewest characters of a string.
  minProperties: Fewest members of an object.
  minimum: Smallest number.
  multipleOf: Number of which the value must be a multiple.
  not: Schema that must not match.
  nullable: Whether null is allowed. Default: false.
  oneOf: Schemas of which exactly one must match.
  pattern: Regular expression that must match in the string.
  patternProperties: Not allowed in schemas of custom resources.
  properties: Schemas of members, by name.
  required: Members that must be there.
  title: Short title for people.
  type: object, array, string, integer, number or boolean.
  uniqueItems: Must be false. Use x-kubernetes-list-type set instead.
  x-kubernetes-embedded-resource: Whether the value is a whole object with apiVersion, kind and
    metadata.
  x-kubernetes-int-or-string: Whether the value is an integer or a string. Then type is absent.
  x-kubernetes-list-map-keys: Members that identify an item of a list of type map.
  x-kubernetes-list-type: How server-side apply merges a list: atomic, set or map. Default: atomic.
  x-kubernetes-map-type: How server-side apply merges an object: granular or atomic. Default:
    granular.
  x-kubernetes-preserve-unknown-fields: Whether members that the schema does not name are kept.
  x-kubernetes-validations: CEL rules that the value must satisfy.
apiextensions.v1.SelectableField: A field that field selectors may use.
  jsonPath: Simple JSON path of the field, such as .spec.color. It must be a string, boolean or
    integer.
apiextensions.v1.ValidationRule: A CEL rule.
  fieldPath: JSON path of the field that errors name, relative to the rule's place.
  message: Text for people if the rule fails. Required if the rule has line breaks.
  messageExpression: CEL expression that returns the message. It comes before message.
  optionalOldSelf: Whether oldSelf is optional, so that a rule that uses it also runs at creation.
  reason: Reason of the error: FieldValueInvalid, FieldValueForbidden, FieldValueRequired or
    FieldValueDuplicate. Default: FieldValueInvalid.
  rule: CEL expression that must be true. self is the value, oldSelf the one before the update.
apiextensions.v1.WebhookConversion: How a conversion webhook is called.
  clientConfig: Where the webhook is and how to trust it.
  conversionReviewVersions: Versions of ConversionReview that the webhook takes, in order of
    preference.
apiregistration.v1.APIService: Tells the API server who serves an API group and version.
apiregistration.v1.APIServiceCondition: One aspect of the state of an APIService, such as Available.
apiregistration.v1.APIServiceSpec: The server of an API group and version.
  caBundle: Certificates of the authorities that may sign the server's certificate, as PEM. Default:
    those that the API server trusts.
  group: API group that the server serves.
  groupPriorityMinimum: Priority of the group, from 1 to 20000. Higher comes first in discovery.
  insecureSkipTLSVerify: Whether the server's certificate is not checked. Discouraged. Default:
    false.
  service: Service in front of the server. Absent: the API server itself serves the version.
  version: API version that the server serves.
  versionPriority: Priority of the version in its group, above 0. Higher comes first.
apiregistration.v1.APIServiceStatus: Observed state of an APIService.
apiregistration.v1.ServiceReference: The Service in front of a server.
  name: Name of the Service.
  namespace: Namespace of the Service.
  port: Port of the Service. Default: 443.
)";

}  // namespace

std::string_view extensions_descriptions() { return kExtensionsDescriptions; }

}  // namespace davit
