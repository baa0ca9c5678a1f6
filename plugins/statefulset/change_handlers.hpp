/// Maps changes of pods to keys in the queue.
#pragma once

#include <davit/informer.hpp>
#include <davit/kube/pod.hpp>
#include <davit/queue.hpp>

#include "plugins/statefulset/stateful_set.hpp"

namespace davit::statefulset {

/// Called by the controller's dispatcher only, one change at a time.
/// Rules: docs/spec/statefulset.md, 3.
class ChangeHandlers {
 public:
  ChangeHandlers(Informer<StatefulSet> sets, Queue queue) : sets_(sets), queue_(queue) {}

  void pod_added(const Pod& pod) const;
  void pod_updated(const Pod& old, const Pod& current) const;
  void pod_deleted(const Pod& pod) const;
  /// The set whose pod waits for the claim to go.
  void claim_deleted(const PersistentVolumeClaim& claim) const;

 private:
  /// Queues every set that would adopt the pod.
  void queue_matching(const Pod& pod) const;

  Informer<StatefulSet> sets_;
  Queue queue_;
};

}  // namespace davit::statefulset
