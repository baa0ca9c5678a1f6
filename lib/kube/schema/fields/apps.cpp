// apps v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kAppsFields = R"(
ControllerRevision: 1 metadata:meta.ObjectMeta, 2 data:RawExtension!, 3 revision:l!
DaemonSet: 1 metadata:meta.ObjectMeta, 2 spec:DaemonSetSpec!, 3 status:DaemonSetStatus!
DaemonSetCondition: 1 type:s!, 2 status:s!, 3 lastTransitionTime:Time!, 4 reason:s, 5 message:s
DaemonSetSpec: 1 selector:meta.LabelSelector?!, 2 template:core.PodTemplateSpec!,
  3 updateStrategy:DaemonSetUpdateStrategy!, 4 minReadySeconds:i, 6 revisionHistoryLimit:i?
DaemonSetStatus: 1 currentNumberScheduled:i!, 2 numberMisscheduled:i!, 3 desiredNumberScheduled:i!,
  4 numberReady:i!, 5 observedGeneration:l, 6 updatedNumberScheduled:i, 7 numberAvailable:i,
  8 numberUnavailable:i, 9 collisionCount:i?, 10 conditions[]:DaemonSetCondition
DaemonSetUpdateStrategy: 1 type:s, 2 rollingUpdate:RollingUpdateDaemonSet
Deployment: 1 metadata:meta.ObjectMeta, 2 spec:DeploymentSpec!, 3 status:DeploymentStatus!
DeploymentCondition: 1 type:s!, 2 status:s!, 4 reason:s, 5 message:s, 6 lastUpdateTime:Time!,
  7 lastTransitionTime:Time!
DeploymentSpec: 1 replicas:i?, 2 selector:meta.LabelSelector?!, 3 template:core.PodTemplateSpec!,
  4 strategy:DeploymentStrategy!, 5 minReadySeconds:i, 6 revisionHistoryLimit:i?, 7 paused:b,
  9 progressDeadlineSeconds:i?
DeploymentStatus: 1 observedGeneration:l, 2 replicas:i, 3 updatedReplicas:i, 4 availableReplicas:i,
  5 unavailableReplicas:i, 6 conditions[]:DeploymentCondition, 7 readyReplicas:i,
  8 collisionCount:i?, 9 terminatingReplicas:i?
DeploymentStrategy: 1 type:s, 2 rollingUpdate:RollingUpdateDeployment
ReplicaSet: 1 metadata:meta.ObjectMeta, 2 spec:ReplicaSetSpec!, 3 status:ReplicaSetStatus!
ReplicaSetCondition: 1 type:s!, 2 status:s!, 3 lastTransitionTime:Time!, 4 reason:s, 5 message:s
ReplicaSetSpec: 1 replicas:i?, 2 selector:meta.LabelSelector?!, 3 template:core.PodTemplateSpec!,
  4 minReadySeconds:i
ReplicaSetStatus: 1 replicas:i!, 2 fullyLabeledReplicas:i, 3 observedGeneration:l,
  4 readyReplicas:i, 5 availableReplicas:i, 6 conditions[]:ReplicaSetCondition,
  7 terminatingReplicas:i?
RollingUpdateDaemonSet: 1 maxUnavailable:IntOrString, 2 maxSurge:IntOrString
RollingUpdateDeployment: 1 maxUnavailable:IntOrString, 2 maxSurge:IntOrString
RollingUpdateStatefulSetStrategy: 1 partition:i?, 2 maxUnavailable:IntOrString
StatefulSet: 1 metadata:meta.ObjectMeta, 2 spec:StatefulSetSpec!, 3 status:StatefulSetStatus!
StatefulSetCondition: 1 type:s!, 2 status:s!, 3 lastTransitionTime:Time!, 4 reason:s, 5 message:s
StatefulSetOrdinals: 1 start:i!
StatefulSetPersistentVolumeClaimRetentionPolicy: 1 whenDeleted:s, 2 whenScaled:s
StatefulSetSpec: 1 replicas:i?, 2 selector:meta.LabelSelector?!, 3 template:core.PodTemplateSpec!,
  4 volumeClaimTemplates[]:core.PersistentVolumeClaim, 5 serviceName:s!, 6 podManagementPolicy:s,
  7 updateStrategy:StatefulSetUpdateStrategy!, 8 revisionHistoryLimit:i?, 9 minReadySeconds:i,
  10 persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy,
  11 ordinals:StatefulSetOrdinals
StatefulSetStatus: 1 observedGeneration:l, 2 replicas:i!, 3 readyReplicas:i, 4 currentReplicas:i,
  5 updatedReplicas:i, 6 currentRevision:s, 7 updateRevision:s, 9 collisionCount:i?,
  10 conditions[]:StatefulSetCondition, 11 availableReplicas:i!
StatefulSetUpdateStrategy: 1 type:s, 2 rollingUpdate:RollingUpdateStatefulSetStrategy
)";

}  // namespace

std::string_view apps_fields() { return kAppsFields; }

}  // namespace davit
