// batch v1.
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
#include "lib/kube/schema/fields/fields.hpp"

namespace davit {

namespace {

constexpr std::string_view kBatchFields = R"(
CronJob: 1 metadata:meta.ObjectMeta, 2 spec:CronJobSpec!, 3 status:CronJobStatus!
CronJobSpec: 1 schedule:s!, 2 startingDeadlineSeconds:l?, 3 concurrencyPolicy:s, 4 suspend:b?,
  5 jobTemplate:JobTemplateSpec!, 6 successfulJobsHistoryLimit:i?, 7 failedJobsHistoryLimit:i?,
  8 timeZone:s?
CronJobStatus: 1 active[]:core.ObjectReference, 4 lastScheduleTime:Time, 5 lastSuccessfulTime:Time
Job: 1 metadata:meta.ObjectMeta, 2 spec:JobSpec!, 3 status:JobStatus!
JobCondition: 1 type:s!, 2 status:s!, 3 lastProbeTime:Time!, 4 lastTransitionTime:Time!, 5 reason:s,
  6 message:s
JobSpec: 1 parallelism:i?, 2 completions:i?, 3 activeDeadlineSeconds:l?,
  4 selector:meta.LabelSelector, 5 manualSelector:b?, 6 template:core.PodTemplateSpec!,
  7 backoffLimit:i?, 8 ttlSecondsAfterFinished:i?, 9 completionMode:s?, 10 suspend:b?,
  11 podFailurePolicy:PodFailurePolicy, 12 backoffLimitPerIndex:i?, 13 maxFailedIndexes:i?,
  14 podReplacementPolicy:s?, 15 managedBy:s?, 16 successPolicy:SuccessPolicy
JobStatus: 1 conditions[]:JobCondition, 2 startTime:Time, 3 completionTime:Time, 4 active:i,
  5 succeeded:i, 6 failed:i, 7 completedIndexes:s,
  8 uncountedTerminatedPods:UncountedTerminatedPods, 9 ready:i?, 10 failedIndexes:s?,
  11 terminating:i?
JobTemplateSpec: 1 metadata:meta.ObjectMeta, 2 spec:JobSpec!
PodFailurePolicy: 1 rules[]:PodFailurePolicyRule!
PodFailurePolicyOnExitCodesRequirement: 1 containerName:s?, 2 operator:s!, 3 values[]:i!
PodFailurePolicyOnPodConditionsPattern: 1 type:s!, 2 status:s!
PodFailurePolicyRule: 1 action:s!, 2 onExitCodes:PodFailurePolicyOnExitCodesRequirement,
  3 onPodConditions[]:PodFailurePolicyOnPodConditionsPattern
SuccessPolicy: 1 rules[]:SuccessPolicyRule!
SuccessPolicyRule: 1 succeededIndexes:s?, 2 succeededCount:i?
UncountedTerminatedPods: 1 succeeded[]:s, 2 failed[]:s
)";

}  // namespace

std::string_view batch_fields() { return kBatchFields; }

}  // namespace davit
