/// Maps changes of sets and pods to keys in the queue.
#pragma once

#include <davit/expectations.hpp>
#include <davit/informer.hpp>
#include <davit/queue.hpp>

#include "plugins/shared/owners/pod_handlers.hpp"
#include "plugins/shared/replicas/set_kinds.hpp"

namespace davit::replicas {

/// Called by the controller's dispatcher only, one change at a time. Lowers the expectations that a
/// change fulfils before it queues the key, so that the sync finds them lowered.
template <typename Set>
class ChangeHandlers {
 public:
  /// `expectations` must outlive the handlers.
  ChangeHandlers(Informer<Set> sets, Queue queue, TrackingExpectations& expectations)
      : queue_(queue),
        expectations_(expectations),
        pods_(sets, queue, {.expectations = &expectations, .selector_of = selector_of}) {}

  void set_added(const Set& set) const { queue_.add(set); }
  void set_updated(const Set& old, const Set& current) const;
  void set_deleted(const Set& set) const;

  [[nodiscard]] const owners::PodHandlers<Set>& pods() const { return pods_; }

 private:
  Queue queue_;
  TrackingExpectations& expectations_;
  owners::PodHandlers<Set> pods_;
};

}  // namespace davit::replicas
