// Users, rights and certificates.
#include "lib/kube/schema/descriptions/descriptions.hpp"

namespace davit {

namespace {

constexpr std::string_view kAccessDescriptions = R"(
authentication.v1.BoundObjectReference: Object that a token is bound to.
  apiVersion: Group and version of the object.
  kind: Pod, Secret or Node.
  name: Name of the object.
  uid: UID of the object. A later object of the same name does not count.
authentication.v1.SelfSubjectReview: Reports who the server takes the caller for.
authentication.v1.TokenRequest: Asks for a token of a ServiceAccount.
authentication.v1.TokenReview: Asks whether a token is valid, and whose it is.
authentication.v1.SelfSubjectReviewStatus: Who the caller is.
  userInfo: The user that the server takes the caller for.
authentication.v1.TokenRequestSpec: The token that is asked for.
  audiences: Recipients that the token is meant for. Default: the API server.
  boundObjectRef: Object that the token is bound to. The token is valid only while the object
    exists.
  expirationSeconds: Lifetime of the token in seconds, at least 600. The server may choose another
    one. Default: 3600.
authentication.v1.TokenRequestStatus: The token that was issued.
  expirationTimestamp: When the token expires.
  token: The token.
authentication.v1.TokenReviewSpec: The token to check.
  audiences: Recipients, one of which the token must be meant for. Default: the API server.
  token: The token.
authentication.v1.TokenReviewStatus: Whether the token is valid, and whose it is.
  audiences: Recipients that both the token and the request name.
  authenticated: Whether the token is valid.
  error: Text for people on why the token could not be checked.
  user: User that the token belongs to.
authentication.v1.UserInfo: A user.
  extra: Further data from the authenticator.
  groups: Groups that the user is in.
  uid: Identity of the user, different for each user that ever had the name.
  username: Name of the user.
authorization.v1.LocalSubjectAccessReview: Asks whether a user may do something in one namespace.
authorization.v1.SelfSubjectAccessReview: Asks whether the caller may do something.
authorization.v1.SelfSubjectRulesReview: Asks for everything that the caller may do in a namespace.
authorization.v1.SubjectAccessReview: Asks whether a user may do something.
authorization.v1.FieldSelectorAttributes authorization.v1.LabelSelectorAttributes: The selector of a
    request. Either rawSelector or requirements is set.
  rawSelector: The selector as text, as in a URL.
  requirements: The selector as a list. All requirements must hold.
authorization.v1.NonResourceAttributes: A request for a path that is not a resource.
  path: Path of the URL.
  verb: HTTP method in lower case, such as get.
authorization.v1.NonResourceRule: Verbs on paths that are not resources.
  nonResourceURLs: Paths, such as /healthz or /apis/*. * are all.
  verbs: HTTP methods in lower case, such as get. * is everything.
authorization.v1.ResourceAttributes: A request for a resource.
  fieldSelector: Field selector of the request.
  group: API group of the resource. "" is the core group, * are all.
  labelSelector: Label selector of the request.
  name: Name of the object. Empty: all objects.
  namespace: Namespace of the request. Empty: all namespaces, or a kind of the whole cluster.
  resource: The resource, such as pods. * are all.
  subresource: Subresource, such as log. Empty: none.
  verb: Verb, such as get, list or create. * is everything.
  version: API version of the resource. * are all.
authorization.v1.ResourceRule: Verbs on resources.
  apiGroups: API groups of the resources. "" is the core group, * are all.
  resourceNames: Names of objects. Empty: all.
  resources: Resources such as pods or pods/log. * are all.
  verbs: What may be done, such as get, list or create. * is everything.
authorization.v1.SelfSubjectAccessReviewSpec authorization.v1.SubjectAccessReviewSpec: The request
    to check. Either resourceAttributes or nonResourceAttributes is set.
  nonResourceAttributes: A request for a path that is not a resource.
  resourceAttributes: A request for a resource.
authorization.v1.SelfSubjectRulesReviewSpec: The namespace that is asked about.
  namespace: Name of the namespace. Required.
authorization.v1.SubjectAccessReviewSpec:
  extra: Further data of the user from the authenticator.
  groups: Groups that the user is in.
  uid: Identity of the user.
  user: Name of the user. Either user or groups must be set.
authorization.v1.SubjectAccessReviewStatus: Whether the request is allowed.
  allowed: Whether the request is allowed.
  denied: Whether the request is denied for certain. If neither allowed nor denied is true, no
    authorizer had an opinion.
  evaluationError: Text for people on errors. The review may be right all the same.
  reason: Text for people on why the request is allowed or denied.
authorization.v1.SubjectRulesReviewStatus: What the caller may do in the namespace.
  evaluationError: Text for people on errors. The rules that were found are listed all the same.
  incomplete: Whether there may be more rules than those in the lists.
  nonResourceRules: Rules for paths that are not resources.
  resourceRules: Rules for resources.
certificates.v1.CertificateSigningRequest: Asks a signer for an X.509 certificate.
certificates.v1.CertificateSigningRequestCondition: One aspect of the state of a request: Approved,
    Denied or Failed.
certificates.v1.CertificateSigningRequestSpec: The certificate that is asked for. It cannot change.
  expirationSeconds: Desired lifetime of the certificate in seconds, at least 600. The signer may
    choose a shorter one.
  extra: Further data on the requester. Set by the server.
  groups: Groups that the requester is in. Set by the server.
  request: The X.509 certificate signing request, as PEM.
  signerName: Signer that is asked, such as kubernetes.io/kube-apiserver-client.
  uid: Identity of the requester. Set by the server.
  usages: What the certificate is for, such as client auth or digital signature.
  username: Name of the requester. Set by the server.
certificates.v1.CertificateSigningRequestStatus: Observed state of a request.
  certificate: The certificates that the signer issued, as PEM. They cannot change.
rbac.v1.ClusterRole: Rights that a binding gives in a namespace or in the whole cluster.
  aggregationRule: Selects ClusterRoles whose rules are copied into this one.
  rules: The rights.
rbac.v1.ClusterRoleBinding: Gives the rights of a ClusterRole in the whole cluster.
  roleRef: The ClusterRole. It cannot change.
  subjects: Users, groups and ServiceAccounts that get them.
rbac.v1.Role: Rights in one namespace.
  rules: The rights.
rbac.v1.RoleBinding: Gives the rights of a Role or ClusterRole in one namespace.
  roleRef: The Role or ClusterRole. It cannot change.
  subjects: Users, groups and ServiceAccounts that get them.
rbac.v1.PolicyRule: Verbs on resources.
  apiGroups: API groups of the resources. "" is the core group, * are all.
  nonResourceURLs: Paths beside resources, such as /healthz. Only in ClusterRoles.
  resourceNames: Names of objects. Empty: all.
  resources: Resources such as pods or pods/log. * are all.
  verbs: What may be done, such as get, list or create. * is everything.
rbac.v1.RoleRef: Names the role of a binding.
  apiGroup: API group of the role.
  kind: Role or ClusterRole.
  name: Name of the role.
rbac.v1.Subject: Who gets rights.
  apiGroup: API group of the subject. "" for ServiceAccounts.
  kind: User, Group or ServiceAccount.
  name: Name of the subject.
  namespace: Namespace of a ServiceAccount.
rbac.v1.AggregationRule: Selects ClusterRoles whose rules are copied.
  clusterRoleSelectors: Labels of the ClusterRoles. One selector that matches is enough.
)";

}  // namespace

std::string_view access_descriptions() { return kAccessDescriptions; }

}  // namespace davit
