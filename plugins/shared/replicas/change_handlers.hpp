/// Maps changes of sets and pods to keys in the queue.
#pragma once

#include <davit/expectations.hpp>
#include <davit/informer.hpp>
#include <davit/kube/pod.hpp>
#include <davit/queue.hpp>

#include "plugins/shared/replicas/set_kinds.hpp"

namespace davit::replicas {

/// Called by the controller's dispatcher only, one change at a time. Lowers the expectations that a
/// change fulfils before it queues the key, so that the sync finds them lowered.
template <typename Set>
class ChangeHandlers {
 public:
  /// `expectations` must outlive the handlers.
  ChangeHandlers(Informer<Set> sets, Queue queue, TrackingExpectations& expectations)
      : sets_(sets), queue_(queue), expectations_(expectations) {}

  void set_added(const Set& set) const { queue_.add(set); }
  void set_updated(const Set& old, const Set& current) const;
  void set_deleted(const Set& set) const;

  void pod_added(const Pod& pod) const;
  void pod_updated(const Pod& old, const Pod& current) const;
  void pod_deleted(const Pod& pod) const;

 private:
  /// Queues every set that would adopt the pod.
  void queue_matching(const Pod& pod) const;

  Informer<Set> sets_;
  Queue queue_;
  TrackingExpectations& expectations_;
};

}  // namespace davit::replicas
