/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controller under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>
#include <davit/options.hpp>

#include "plugins/job/job.hpp"
#include "plugins/job/job_controller.hpp"

namespace davit::job {

/// Jobs are watched whole: their status is written with the rest of them, and their template is
/// copied. Pods are many, so their projection names single fields.
constexpr void declare(Note& note) {
  note.plugin("job", "0.1.0")
      .controller({.name = "job-controller",
                   .factory = &make_without_options<JobController>,
                   .aliases = {"job"},
                   .workers = 5})
      .rule<Job>({"get"})
      .rule<Job>({"update"}, {.subresource = "status"})
      .rule<Job>({"update"}, {.subresource = "finalizers"})
      .rule<Pod>({"create", "delete", "patch"})
      .events()
      .watch<Job>()
      .watch<Pod>({"metadata.labels",
                   "metadata.finalizers",
                   "metadata.creationTimestamp",
                   "metadata.deletionTimestamp",
                   "metadata.deletionGracePeriodSeconds",
                   "metadata.annotations['batch.kubernetes.io/job-completion-index']",
                   "metadata.annotations['batch.kubernetes.io/job-index-failure-count']",
                   "metadata.annotations['batch.kubernetes.io/job-index-ignored-failure-count']",
                   "metadata.ownerReferences",
                   "spec.nodeName",
                   "spec.initContainers[].name",
                   "spec.initContainers[].restartPolicy",
                   "status.phase",
                   "status.conditions[].type",
                   "status.conditions[].status",
                   "status.conditions[].lastTransitionTime",
                   "status.containerStatuses[].name",
                   "status.containerStatuses[].restartCount",
                   "status.containerStatuses[].state.terminated.exitCode",
                   "status.containerStatuses[].state.terminated.finishedAt",
                   "status.initContainerStatuses[].name",
                   "status.initContainerStatuses[].restartCount",
                   "status.initContainerStatuses[].state.terminated.exitCode",
                   "status.initContainerStatuses[].state.terminated.finishedAt"});
}

}  // namespace davit::job
