// meta v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kMetaFields = R"(
Condition: 1 type:s!, 2 status:s!, 3 observedGeneration:l, 4 lastTransitionTime:Time!, 5 reason:s!,
  6 message:s!
CreateOptions: 1 dryRun[]:s, 3 fieldManager:s, 4 fieldValidation:s
DeleteOptions: 1 gracePeriodSeconds:l?, 2 preconditions:Preconditions, 3 orphanDependents:b?,
  4 propagationPolicy:s?, 5 dryRun[]:s, 6 ignoreStoreReadErrorWithClusterBreakingPotential:b?
FieldSelectorRequirement: 1 key:s!, 2 operator:s!, 3 values[]:s
LabelSelector: 1 matchLabels:{s}, 2 matchExpressions[]:LabelSelectorRequirement
LabelSelectorRequirement: 1 key:s!, 2 operator:s!, 3 values[]:s
ListMeta: 1 selfLink:s, 2 resourceVersion:s, 3 continue:s, 4 remainingItemCount:l?,
  5 shardInfo:ShardInfo
ManagedFieldsEntry: 1 manager:s, 2 operation:s, 3 apiVersion:s, 4 time:Time, 6 fieldsType:s,
  7 fieldsV1:FieldsV1, 8 subresource:s
ObjectMeta: 1 name:s, 2 generateName:s, 3 namespace:s, 4 selfLink:s, 5 uid:s, 6 resourceVersion:s,
  7 generation:l, 8 creationTimestamp:Time, 9 deletionTimestamp:Time,
  10 deletionGracePeriodSeconds:l?, 11 labels:{s}, 12 annotations:{s},
  13 ownerReferences[]:OwnerReference, 14 finalizers[]:s, 17 managedFields[]:ManagedFieldsEntry
OwnerReference: 1 kind:s!, 3 name:s!, 4 uid:s!, 5 apiVersion:s!, 6 controller:b?,
  7 blockOwnerDeletion:b?
PartialObjectMetadata: 1 metadata:ObjectMeta
Preconditions: 1 uid:s?, 2 resourceVersion:s?
ShardInfo: 1 selector:s!
Status: 1 metadata:ListMeta, 2 status:s, 3 message:s, 4 reason:s, 5 details:StatusDetails, 6 code:i
StatusCause: 1 reason:s, 2 message:s, 3 field:s
StatusDetails: 1 name:s, 2 group:s, 3 kind:s, 4 causes[]:StatusCause, 5 retryAfterSeconds:i, 6 uid:s
)";

}  // namespace

std::string_view meta_fields() { return kMetaFields; }

}  // namespace davit
