// Types that all kinds share, and meta v1.
#include "lib/kube/schema/descriptions/descriptions.hpp"

namespace davit {

namespace {

constexpr std::string_view kMetaDescriptions = R"(
(kinds):
  apiVersion: Group and version of the API that this object is written in, such as apps/v1; core
    kinds have only a version, v1.
  kind: Type of the object in CamelCase, such as Pod. It cannot change.
  metadata: Name, labels, annotations and everything else that every object has.
  spec: Desired state. Users set it; controllers bring about what it says.
  status: Last observed state. Controllers and nodes write it; users only read it.
(conditions):
  type: Name of the condition in CamelCase.
  status: Whether the condition holds: True, False or Unknown.
  reason: One CamelCase word, for programs, on why the condition has this status.
  message: Text for people with details about the last change.
  lastTransitionTime: When the status last changed from one value to another.
  lastUpdateTime: When any part of the condition was last written.
  lastProbeTime: When the condition was last checked.
  lastHeartbeatTime: When the condition was last reported.
  observedGeneration: The metadata.generation that the condition refers to. If it is lower than the
    current one, the condition is out of date.
(all):
  conditions: Observations about the object's current state, one for each type.
  observedGeneration: The metadata.generation that this status was computed from.
meta.v1.Condition: One aspect of the state of an object.
meta.v1.DeleteOptions: How a delete request is carried out.
  dryRun: Set to All to check the request without storing anything.
  gracePeriodSeconds: Seconds that the object gets to end. 0 deletes it at once; absent means the
    default of its kind.
  ignoreStoreReadErrorWithClusterBreakingPotential: Deletes an object that can no longer be read
    from storage. Unsafe: finalizers are not honoured.
  orphanDependents: Deprecated; use propagationPolicy. Whether dependents stay without an owner.
  preconditions: What must be true of the object, or the delete is refused with a conflict.
  propagationPolicy: What happens to dependents: Orphan leaves them, Background deletes them after
    the object, Foreground before it.
meta.v1.FieldSelectorRequirement: A field, an operator and the values that it is compared with.
  key: Field that the requirement is about, such as metadata.name.
  operator: In, NotIn, Exists or DoesNotExist.
  values: Values for In and NotIn, at least one. Empty for Exists and DoesNotExist.
meta.v1.LabelSelector: Selects objects by their labels. All requirements must hold; an empty
    selector matches every object, an absent one none.
  matchExpressions: Requirements on labels. All of them must hold.
  matchLabels: Labels with their exact values. Each pair equals an expression with operator In and
    one value.
meta.v1.LabelSelectorRequirement: A label key, an operator and the values that it is compared with.
  key: Label key that the requirement is about.
  operator: In, NotIn, Exists or DoesNotExist.
  values: Values for In and NotIn, at least one. Empty for Exists and DoesNotExist.
meta.v1.ListMeta: Data about a list as a whole.
  continue: Token for the next page of a list that was limited. Valid for a few minutes.
  remainingItemCount: How many items follow after this page, where the server knows.
  resourceVersion: Version of the collection. A watch may start from it.
  selfLink: Deprecated and never set.
  shardInfo: Which part of the collection the list shows, if the request selected one.
meta.v1.ManagedFieldsEntry: The fields that one manager owns through one way of writing.
  apiVersion: Version of the API in which the fields are named.
  fieldsType: Format of fieldsV1. Always FieldsV1.
  fieldsV1: The owned fields as a tree; f: precedes names of fields, k: and v: precede items of
    lists.
  manager: Name of the program or user that owns the fields.
  operation: How the manager wrote: Apply or Update.
  subresource: Subresource that was written to, such as status or scale; empty for the object
    itself.
  time: When the entry last changed.
meta.v1.ObjectMeta: Data that every stored object has, whatever its kind.
  annotations: Arbitrary strings that tools keep with the object. They cannot be selected by.
  creationTimestamp: When the server created the object. Read-only.
  deletionGracePeriodSeconds: Seconds that the object gets to end after its deletion was requested.
    Read-only.
  deletionTimestamp: When the object is to be gone. Set by the server when its deletion is
    requested; read-only.
  finalizers: Names that must be removed before the server deletes the object. Controllers add them
    to clean up first.
  generateName: Prefix for a name that the server completes with random characters. Used if name is
    empty.
  generation: Number of changes to the desired state. Set by the server; read-only.
  labels: Keys and values to group and select objects by.
  managedFields: Which manager owns which fields. Kept by the server for server-side apply.
  name: Name of the object, unique among objects of its kind in its namespace. It cannot change.
  namespace: Namespace that the object is in, default if none is given. Empty for kinds of the whole
    cluster. It cannot change.
  ownerReferences: Objects that this one depends on. It is garbage once all of them are gone. At
    most one may be its controller.
  resourceVersion: Version of this object as stored. Send it back in an update to be refused if
    somebody else wrote in between.
  selfLink: Deprecated and never set.
  uid: Identity of this very object, different for each object that ever had its name. Set by the
    server.
meta.v1.OwnerReference: An object that another one depends on, in the same namespace or of the whole
    cluster.
  apiVersion: Group and version of the owner.
  blockOwnerDeletion: With a foreground deletion, keeps the owner until this object is gone.
  controller: Whether this owner is the controller that manages the object.
  kind: Kind of the owner.
  name: Name of the owner.
  uid: UID of the owner. An owner of the same name with another UID does not count.
meta.v1.PartialObjectMetadata: The metadata of an object of any kind, without the rest.
meta.v1.Preconditions: What must be true of an object before it is changed.
  resourceVersion: Version that the object must have.
  uid: UID that the object must have.
meta.v1.Status: Outcome of a request that returns no object.
  code: The HTTP status code, 0 if unknown.
  details: Data about the failure, as the reason defines it.
  message: Text for people.
  reason: One CamelCase word for programs, such as NotFound.
  status: Success or Failure.
meta.v1.StatusCause: One of several reasons of a failure.
  field: Path of the field that caused it, if any.
  message: Text for people.
  reason: One CamelCase word for programs.
meta.v1.StatusDetails: What a failed request was about.
  causes: What exactly was wrong.
  group: API group of the resource.
  kind: Kind or resource that was requested.
  name: Name of the object that was requested.
  retryAfterSeconds: Seconds to wait before the request is sent again.
  uid: UID of the object, where known.
meta.v1.CreateOptions: How a create request is carried out.
  dryRun: Set to All to check the request without storing anything.
  fieldManager: Name of the program or user that owns the fields, at most 128 characters.
  fieldValidation: What unknown and duplicate fields cause: Ignore drops them, Warn also returns a
    warning, Strict refuses the request. Default: Warn.
meta.v1.ShardInfo: The part of a collection that a list shows.
  selector: Selector of the part, as in the request.
)";

}  // namespace

std::string_view meta_descriptions() { return kMetaDescriptions; }

}  // namespace davit
