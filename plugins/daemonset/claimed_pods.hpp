/// The pods that belong to a DaemonSet.
#pragma once

#include <davit/client.hpp>
#include <davit/informer.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/selector.hpp>
#include <optional>
#include <vector>

#include "plugins/daemonset/daemon_set.hpp"

namespace davit::daemonset {

/// Claims the pods of one DaemonSet once in a sync, at their first use: adopts matching orphans and
/// releases owned pods that do not match. Pods of every phase, including terminating ones. Rule:
/// docs/spec/daemonset.md, 9.
class ClaimedPods {
 public:
  /// The references must outlive it.
  ClaimedPods(Client client, const DaemonSet& set, const Selector& selector, Informer<Pod> pods)
      : client_(client), set_(set), selector_(selector), pods_(pods) {}

  /// As the cache had them before the claim. Blocks for the requests of the claim.
  [[nodiscard]] const Result<std::vector<Pod>>& get();

 private:
  [[nodiscard]] Result<std::vector<Pod>> claim() const;

  const Client client_;
  const DaemonSet& set_;
  const Selector& selector_;
  const Informer<Pod> pods_;
  std::optional<Result<std::vector<Pod>>> claimed_;
};

}  // namespace davit::daemonset
