/// The StatefulSet controller: maintains numbered pods in order, each with its own claims.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/selector.hpp>
#include <vector>

#include "plugins/statefulset/change_handlers.hpp"
#include "plugins/statefulset/pod_control.hpp"
#include "plugins/statefulset/reconciler.hpp"
#include "plugins/statefulset/set_revisions.hpp"
#include "plugins/statefulset/stateful_set.hpp"
#include "plugins/statefulset/status_writer.hpp"

namespace davit::statefulset {

/// Read, decide, act. Keeps nothing between syncs: names are deterministic, so a create that is
/// repeated ends in AlreadyExists.
class StatefulSetController final : public Controller {
 public:
  struct Options {
    /// Whether spec.updateStrategy.rollingUpdate.maxUnavailable counts, as upstream's feature gate
    /// MaxUnavailableStatefulSet says.
    bool max_unavailable = false;
  };

  /// Reads the configuration; an unknown member or value is an error.
  [[nodiscard]] static InitResult open(Context& cluster);

  StatefulSetController(Context& cluster, const Options& options);

 private:
  [[nodiscard]] Result<Again> sync(const Key& key);
  /// The set's pods, adopted and released as its selector and the pods' names say.
  [[nodiscard]] Result<std::vector<Pod>> claim_pods(const StatefulSet& set,
                                                    const Selector& selector) const;
  /// Brings the pods in order and writes the status; the first of their errors.
  [[nodiscard]] Status reconcile(const StatefulSet& set, const std::vector<Pod>& pods,
                                 const ChosenRevisions& revisions, WallTime now, SetStatus& status);

  Context& cluster_;
  const Options options_;
  Queue queue_;
  Informer<StatefulSet> sets_;
  Informer<Pod> pods_;
  Informer<PersistentVolumeClaim> claims_;
  Informer<ControllerRevision> revision_cache_;
  ChangeHandlers changes_;
  SetRevisions revisions_;
  PodControl control_;
  StatusWriter status_;
  Metric max_unavailable_;
  Metric unavailable_;
};

}  // namespace davit::statefulset
