/// OrphanPods: takes the tracking finalizer off pods that no Job counts any more.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/pod.hpp>
#include <string_view>

#include "plugins/job/job.hpp"

namespace davit::job {

/// The second queue. Its keys name a pod, or a selector of pods of one namespace.
/// Rule: docs/spec/job.md, 24.
class OrphanPods {
 public:
  /// Opens the queue, so made while the controller is.
  OrphanPods(Context& cluster, Informer<Job> jobs, Informer<Pod> pods);

  /// One pod; for handlers.
  void add(const Pod& pod) const;
  /// The pods of a Job that is finished or gone; for handlers.
  void add_pods_of(const Job& job) const;

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const;
  void sync_selected(std::string_view ns, std::string_view selector) const;
  /// Whether the finalizer is to go, as far as the cache knows.
  [[nodiscard]] bool is_left_over(const Pod& pod) const;

  Context& cluster_;
  Informer<Job> jobs_;
  Informer<Pod> pods_;
  Queue queue_;
};

}  // namespace davit::job
