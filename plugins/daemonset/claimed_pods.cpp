#include "plugins/daemonset/claimed_pods.hpp"

#include <davit/controller_ref_manager.hpp>
#include <string>

namespace davit::daemonset {

const Result<std::vector<Pod>>& ClaimedPods::get() {
  if (!claimed_) claimed_ = claim();
  return *claimed_;
}

Result<std::vector<Pod>> ClaimedPods::claim() const {
  std::vector<Pod> candidates = pods_.controlled_by(set_);
  for (const Pod& pod : pods_.orphans(set_.ns())) candidates.push_back(pod);
  Result<std::vector<Pod>> claimed =
      ControllerRefManager<DaemonSet, Pod>(client_, set_, selector_).claim(candidates);
  if (claimed) return claimed;
  return claimed.error().with_context("couldn't get node to daemon pod mapping for daemon set \"" +
                                      std::string(set_.name()) + "\"");
}

}  // namespace davit::daemonset
