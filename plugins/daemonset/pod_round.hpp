/// One round of creations and deletions of pods.
#pragma once

#include <davit/client.hpp>
#include <davit/context.hpp>
#include <davit/expectations.hpp>
#include <string>
#include <vector>

#include "plugins/daemonset/daemon_set.hpp"
#include "plugins/daemonset/manage_plan.hpp"
#include "plugins/daemonset/node_pods.hpp"

namespace davit::daemonset {

/// The JSON text of the pod of `set` for a node. The node's name replaces the template's required
/// node affinity, which the controller has already judged; preferences stay. Rule:
/// docs/spec/daemonset.md, 11.1.
[[nodiscard]] std::string daemon_pod_body(const DaemonSet& set, const PodRevision& revision,
                                          std::string_view node);

/// Carries out the changes that a plan asks for. Thread-safe: one call a DaemonSet, several at
/// once. Rule: docs/spec/daemonset.md, 11.
class PodRound {
 public:
  /// The most creations, and the most deletions, of one round.
  static constexpr std::size_t kBurst = 250;

  /// The arguments must outlive it.
  PodRound(Context& cluster, TrackingExpectations& expectations)
      : cluster_(cluster), expectations_(expectations) {}

  /// Creates first, in growing batches, then deletes; waits for all requests. The errors of both,
  /// joined.
  [[nodiscard]] Status run(const DaemonSet& set, const PodRevision& revision,
                           const PodChanges& changes) const;

 private:
  void create(const DaemonSet& set, const PodRevision& revision,
              const std::vector<std::string>& nodes, std::vector<Status>& errors) const;
  void remove(const DaemonSet& set, const std::vector<Key>& pods,
              std::vector<Status>& errors) const;

  Context& cluster_;
  TrackingExpectations& expectations_;
};

}  // namespace davit::daemonset
