/// Maps changes of DaemonSets, their revisions and pods, and of nodes, to keys in the queues.
#pragma once

#include <chrono>
#include <davit/expectations.hpp>
#include <davit/informer.hpp>
#include <davit/kube/node.hpp>
#include <davit/queue.hpp>

#include "plugins/daemonset/daemon_set.hpp"
#include "plugins/shared/history/controller_revision.hpp"
#include "plugins/shared/owners/pod_handlers.hpp"

namespace davit::daemonset {

using history::ControllerRevision;

/// Called by the controller's dispatcher only, one change at a time. Lowers the expectations that a
/// change fulfils before it queues the key, so that the sync finds them lowered.
/// Rule: docs/spec/daemonset.md, 3.
class ChangeHandlers {
 public:
  struct Queues {
    Queue sets;   ///< Keys of DaemonSets.
    Queue nodes;  ///< Names of nodes.
  };

  /// `expectations` must outlive the handlers.
  ChangeHandlers(Informer<DaemonSet> sets, const Queues& queues, TrackingExpectations& expectations)
      : sets_(sets),
        queues_(queues),
        expectations_(expectations),
        pods_(sets, queues.sets,
              {.expectations = &expectations,
               .selector_of = owners::label_selector_of,
               .slack = std::chrono::seconds(1)}) {}

  void set_added(const DaemonSet& set) const { queues_.sets.add(set); }
  void set_updated(const DaemonSet& old, const DaemonSet& current) const;
  void set_deleted(const DaemonSet& set) const;

  void revision_added(const ControllerRevision& revision) const;
  void revision_updated(const ControllerRevision& old, const ControllerRevision& current) const;
  void revision_deleted(const ControllerRevision& revision) const;

  [[nodiscard]] const owners::PodHandlers<DaemonSet>& pods() const { return pods_; }

  void node_added(const Node& node) const { queues_.nodes.add(node); }
  void node_updated(const Node& old, const Node& current) const;

 private:
  /// Queues the old controller of an object that has another one now. Whether it has.
  bool queue_old_controller(const ObjectView& old, const ObjectView& current) const;
  /// Queues every set that would adopt the object.
  void queue_matching(const ObjectView& object) const;

  Informer<DaemonSet> sets_;
  Queues queues_;
  TrackingExpectations& expectations_;
  owners::PodHandlers<DaemonSet> pods_;
};

}  // namespace davit::daemonset
