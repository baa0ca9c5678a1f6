// apps v1 and batch v1.
#include "lib/kube/schema/descriptions/descriptions.hpp"

namespace davit {

namespace {

constexpr std::string_view kWorkloadsDescriptions = R"(
apps.v1.ControllerRevision: An immutable snapshot of the state of a DaemonSet or StatefulSet, which
    they roll back to. Written by controllers only.
  data: The snapshot.
  revision: Number of the revision; higher is newer.
apps.v1.DaemonSet: Runs one copy of a pod on each node, or on each node that the pod template
    selects.
apps.v1.DaemonSetSpec: Desired state of a DaemonSet.
  minReadySeconds: Seconds that a new pod must be ready without a crash before it counts as
    available. Default: 0.
  revisionHistoryLimit: How many old revisions to keep for a rollback. Default: 10.
  selector: Which pods belong to the DaemonSet. It must match the template's labels and cannot
    change.
  template: The pod that runs on each node.
  updateStrategy: How pods are replaced when the template changes.
apps.v1.DaemonSetStatus: Observed state of a DaemonSet.
  collisionCount: How often the name of a new ControllerRevision was taken already.
  currentNumberScheduled: Nodes that should run the pod and run it.
  desiredNumberScheduled: Nodes that should run the pod.
  numberAvailable: Nodes that should run the pod and have it available.
  numberMisscheduled: Nodes that run the pod and should not.
  numberReady: Nodes that should run the pod and have it ready.
  numberUnavailable: Nodes that should run the pod and do not have it available.
  updatedNumberScheduled: Nodes that run the pod of the current template.
apps.v1.DaemonSetUpdateStrategy: How a DaemonSet replaces its pods.
  rollingUpdate: Limits of a rolling update. Only for type RollingUpdate.
  type: RollingUpdate replaces pods by itself, OnDelete only those that somebody deletes. Default:
    RollingUpdate.
apps.v1.RollingUpdateDaemonSet: Limits of the rolling update of a DaemonSet.
  maxSurge: How many nodes, as a number or percentage, may run an old and a new pod at once.
    Default: 0.
  maxUnavailable: How many nodes, as a number or percentage, may have no available pod. Default: 1.
apps.v1.Deployment: Keeps a number of identical pods running and replaces them step by step when
    their template changes.
apps.v1.DeploymentSpec: Desired state of a Deployment.
  minReadySeconds: Seconds that a new pod must be ready without a crash before it counts as
    available. Default: 0.
  paused: Stops rollouts. Changes of the template wait until this is false again.
  progressDeadlineSeconds: Seconds without progress after which a rollout counts as failed. It goes
    on all the same. Default: 600.
  replicas: How many pods to run. Default: 1.
  revisionHistoryLimit: How many old ReplicaSets to keep for a rollback. Default: 10.
  selector: Which pods belong to the Deployment. It must match the template's labels and cannot
    change.
  strategy: How old pods are replaced by new ones.
  template: The pods to run. Their restartPolicy must be Always.
apps.v1.DeploymentStatus: Observed state of a Deployment.
  availableReplicas: Pods that have been ready for at least minReadySeconds.
  collisionCount: How often the name of a new ReplicaSet was taken already.
  readyReplicas: Pods that are ready.
  replicas: All pods that match the selector and are not terminating.
  terminatingReplicas: Pods that are being deleted and have not ended yet.
  unavailableReplicas: Pods that are still needed for all wanted ones to be available.
  updatedReplicas: Pods of the current template.
apps.v1.DeploymentStrategy: How a Deployment replaces old pods.
  rollingUpdate: Limits of a rolling update. Only for type RollingUpdate.
  type: RollingUpdate replaces pods step by step, Recreate removes all old ones first. Default:
    RollingUpdate.
apps.v1.RollingUpdateDeployment: Limits of the rolling update of a Deployment.
  maxSurge: How many pods, as a number or percentage, may run beyond the wanted number. Percentages
    are rounded up. Default: 25%.
  maxUnavailable: How many pods, as a number or percentage, may be unavailable. Percentages are
    rounded down. Default: 25%.
apps.v1.ReplicaSet: Keeps a number of identical pods running. Use a Deployment instead, which
    manages ReplicaSets.
apps.v1.ReplicaSetSpec: Desired state of a ReplicaSet.
  minReadySeconds: Seconds that a new pod must be ready without a crash before it counts as
    available. Default: 0.
  replicas: How many pods to run. Default: 1.
  selector: Which pods belong to the ReplicaSet. It must match the template's labels and cannot
    change.
  template: The pods to create when there are too few.
apps.v1.ReplicaSetStatus: Observed state of a ReplicaSet.
  availableReplicas: Pods that have been ready for at least minReadySeconds.
  fullyLabeledReplicas: Pods that have all labels of the template.
  readyReplicas: Pods that are ready.
  replicas: Pods that exist and are not terminating.
  terminatingReplicas: Pods that are being deleted and have not ended yet.
apps.v1.StatefulSet: Runs pods with stable names, stable network identities and storage of their
    own.
apps.v1.StatefulSetSpec: Desired state of a StatefulSet.
  minReadySeconds: Seconds that a new pod must be ready without a crash before it counts as
    available. Default: 0.
  ordinals: How the numbers in the pods' names are chosen.
  persistentVolumeClaimRetentionPolicy: What happens to volume claims when pods or the StatefulSet
    go.
  podManagementPolicy: OrderedReady starts pods one after the other, Parallel all at once. It cannot
    change. Default: OrderedReady.
  replicas: How many pods to run. Default: 1.
  revisionHistoryLimit: How many old revisions to keep for a rollback. Default: 10.
  selector: Which pods belong to the StatefulSet. It must match the template's labels and cannot
    change.
  serviceName: Headless Service that gives the pods their DNS names. It must exist first.
  template: The pods to run. The pod with number 3 of the set web is named web-3.
  updateStrategy: How pods are replaced when the template changes.
  volumeClaimTemplates: Volume claims that each pod gets for itself, named after the claim and the
    pod.
apps.v1.StatefulSetStatus: Observed state of a StatefulSet.
  availableReplicas: Pods that have been ready for at least minReadySeconds.
  collisionCount: How often the name of a new ControllerRevision was taken already.
  currentReplicas: Pods of the revision in currentRevision.
  currentRevision: Revision of the pods that are not updated yet.
  readyReplicas: Pods that are ready.
  replicas: Pods that exist.
  updateRevision: Revision that pods are updated to.
  updatedReplicas: Pods of the revision in updateRevision.
apps.v1.StatefulSetOrdinals: How the pods of a StatefulSet are numbered.
  start: Number of the first pod. Default: 0.
apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy: When volume claims of a StatefulSet are
    deleted.
  whenDeleted: What happens to them when the StatefulSet is deleted: Retain or Delete. Default:
    Retain.
  whenScaled: What happens to those of pods that a scale-down removes: Retain or Delete. Default:
    Retain.
apps.v1.StatefulSetUpdateStrategy: How a StatefulSet replaces its pods.
  rollingUpdate: Limits of a rolling update. Only for type RollingUpdate.
  type: RollingUpdate replaces pods by itself, OnDelete only those that somebody deletes. Default:
    RollingUpdate.
apps.v1.RollingUpdateStatefulSetStrategy: Limits of the rolling update of a StatefulSet.
  maxUnavailable: How many pods, as a number or percentage, may be unavailable. Default: 1.
  partition: Only pods with this number or a higher one are updated. Default: 0.
batch.v1.CronJob: Creates Jobs at the times of a schedule.
batch.v1.CronJobSpec: Desired state of a CronJob.
  concurrencyPolicy: What happens if the last Job still runs: Allow starts another, Forbid skips
    one, Replace ends the old one first. Default: Allow.
  failedJobsHistoryLimit: How many failed Jobs to keep. Default: 1.
  jobTemplate: The Job to create at each time.
  schedule: Times in cron's format: minute, hour, day of month, month, day of week.
  startingDeadlineSeconds: How many seconds late a Job may start. Later than that, it counts as
    missed.
  successfulJobsHistoryLimit: How many successful Jobs to keep. Default: 3.
  suspend: Stops new Jobs; those that run go on. Default: false.
  timeZone: Time zone of the schedule, such as Europe/Berlin. Default: that of
    kube-controller-manager.
batch.v1.CronJobStatus: Observed state of a CronJob.
  active: Jobs that run now.
  lastScheduleTime: When a Job was last created.
  lastSuccessfulTime: When a Job last completed successfully.
batch.v1.Job: Runs pods until a number of them have succeeded.
batch.v1.JobSpec: Desired state of a Job.
  activeDeadlineSeconds: Seconds after which the Job is ended and counts as failed.
  backoffLimit: How many pods may fail before the Job counts as failed. Default: 6.
  backoffLimitPerIndex: How many pods of one index may fail before that index counts as failed. Only
    for completionMode Indexed.
  completionMode: NonIndexed counts any successful pods, Indexed needs one for each index from 0 to
    completions - 1. Default: NonIndexed.
  completions: How many pods must succeed. Absent: one success completes the Job.
  managedBy: Controller that runs the Job, if it is not the built-in one.
  manualSelector: Lets the user choose the selector. Leave unset unless you are certain.
  maxFailedIndexes: How many indexes may fail before the Job counts as failed.
  parallelism: How many pods may run at once. Default: 1.
  podFailurePolicy: What a failed pod means for the Job, by exit code or condition.
  podReplacementPolicy: When a pod is replaced: TerminatingOrFailed as soon as it terminates, Failed
    only when it has ended.
  selector: Which pods belong to the Job. The server sets it.
  successPolicy: When an Indexed Job counts as successful before all indexes have succeeded.
  suspend: Ends the Job's pods and creates none until this is false. Default: false.
  template: The pods to run. Their restartPolicy must be Never or OnFailure.
  ttlSecondsAfterFinished: Seconds after its end at which the Job is deleted. Absent: never.
batch.v1.JobStatus: Observed state of a Job.
  active: Pods that are pending or running and not terminating.
  completedIndexes: Indexes that have succeeded, such as 1,3-5.
  completionTime: When the Job completed successfully.
  failed: Pods that have failed.
  failedIndexes: Indexes that have failed, such as 1,3-5.
  ready: Active pods that are ready.
  startTime: When the Job was started, or last resumed.
  succeeded: Pods that have succeeded.
  terminating: Pods that are being deleted and have not ended yet.
  uncountedTerminatedPods: Ended pods that are not in the counters yet.
batch.v1.JobTemplateSpec: The Job that a CronJob creates.
  metadata: Labels and annotations of the Jobs.
  spec: Desired state of the Jobs.
batch.v1.PodFailurePolicy: What failed pods mean for a Job.
  rules: Rules in order. The first one that matches decides.
batch.v1.PodFailurePolicyRule: What a failed pod means if it matches. Exactly one of onExitCodes and
    onPodConditions is set.
  action: FailJob ends the Job, FailIndex the index, Ignore does not count the failure, Count counts
    it.
  onExitCodes: Exit codes of containers that the rule is about.
  onPodConditions: Conditions of the pod that the rule is about.
batch.v1.PodFailurePolicyOnExitCodesRequirement: Exit codes that a rule matches.
  containerName: Only this container. Absent: every container.
  operator: In or NotIn.
  values: Exit codes that the container's is compared with.
batch.v1.PodFailurePolicyOnPodConditionsPattern: A condition that a rule matches.
  status: Status that the condition must have. Default: True.
  type: Type of the condition.
batch.v1.SuccessPolicy: When an Indexed Job counts as successful early.
  rules: Rules in order. The Job succeeds as soon as one is met.
batch.v1.SuccessPolicyRule: Indexes that must succeed.
  succeededCount: How many of the indexes must succeed. Absent: all.
  succeededIndexes: Which indexes count, such as 1,3-5. Absent: all.
batch.v1.UncountedTerminatedPods: Pods that have ended and still hold the Job's finalizer.
  failed: UIDs of failed pods.
  succeeded: UIDs of pods that succeeded.
apps.v1.DaemonSetCondition: One aspect of the state of a DaemonSet.
apps.v1.DeploymentCondition: One aspect of the state of a Deployment, such as Available, Progressing
    or ReplicaFailure.
apps.v1.ReplicaSetCondition: One aspect of the state of a ReplicaSet, such as ReplicaFailure.
apps.v1.StatefulSetCondition: One aspect of the state of a StatefulSet.
batch.v1.JobCondition: One aspect of the state of a Job, such as Complete, Failed or Suspended.
)";

}  // namespace

std::string_view workloads_descriptions() { return kWorkloadsDescriptions; }

}  // namespace davit
