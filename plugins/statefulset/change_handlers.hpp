/// Maps changes of pods and claims to keys in the queue.
#pragma once

#include <davit/informer.hpp>
#include <davit/queue.hpp>

#include "plugins/shared/owners/pod_handlers.hpp"
#include "plugins/statefulset/stateful_set.hpp"

namespace davit::statefulset {

/// Called by the controller's dispatcher only, one change at a time.
/// Rules: docs/spec/statefulset.md, 3.
class ChangeHandlers {
 public:
  ChangeHandlers(Informer<StatefulSet> sets, Queue queue)
      : sets_(sets),
        queue_(queue),
        pods_(sets, queue,
              {.selector_of = owners::label_selector_of,
               .terminating = owners::PodHandlers<StatefulSet>::Terminating::kIsThere}) {}

  [[nodiscard]] const owners::PodHandlers<StatefulSet>& pods() const { return pods_; }
  /// The set whose pod waits for the claim to go.
  void claim_deleted(const PersistentVolumeClaim& claim) const;

 private:
  Informer<StatefulSet> sets_;
  Queue queue_;
  owners::PodHandlers<StatefulSet> pods_;
};

}  // namespace davit::statefulset
