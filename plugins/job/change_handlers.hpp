/// Maps changes of Jobs and pods to keys in the queues.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/pod.hpp>
#include <string_view>

#include "plugins/job/job.hpp"
#include "plugins/job/job_memory.hpp"
#include "plugins/job/job_metrics.hpp"
#include "plugins/job/orphan_pods.hpp"

namespace davit::job {

/// Called by the controller's dispatcher only, one change at a time. Lowers the expectations that a
/// change fulfils before it queues the key, so that the sync finds them lowered.
/// Rule: docs/spec/job.md, 4.
class ChangeHandlers {
 public:
  /// The references must outlive the handlers.
  ChangeHandlers(Context& cluster, Informer<Job> jobs, Queue queue, const OrphanPods& orphans,
                 JobMemory& memory, const JobMetrics& metrics)
      : cluster_(cluster),
        jobs_(jobs),
        queue_(queue),
        orphans_(orphans),
        memory_(memory),
        metrics_(metrics) {}

  void job_added(const Job& job) const;
  void job_updated(const Job& old, const Job& job) const;
  void job_deleted(const Job& job) const;
  void pod_changed(const Event<Pod>& event) const;

 private:
  enum class Gone { kTerminating, kDeleted };

  void pod_added(const Pod& pod) const;
  void pod_updated(const Pod& old, const Pod& pod) const;
  void pod_gone(const Pod& pod, Gone how) const;
  void count_terminated(const Event<Pod>& event) const;
  /// Queues every Job that would adopt the pod.
  void queue_matching(const Pod& pod) const;
  void queue_batched(const Job& job) const;

  Context& cluster_;
  Informer<Job> jobs_;
  Queue queue_;
  const OrphanPods& orphans_;
  JobMemory& memory_;
  const JobMetrics& metrics_;
};

}  // namespace davit::job
