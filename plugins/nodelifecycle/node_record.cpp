#include "plugins/nodelifecycle/node_record.hpp"

#include <algorithm>

#include "plugins/nodelifecycle/condition_taints.hpp"
#include "plugins/nodelifecycle/zones.hpp"

namespace davit::nodelifecycle {

void NodeRecord::read(const Node& node, Time now, WallTime wall_now) {
  if (version == node.resource_version() && uid == node.uid()) return;
  version = node.resource_version();
  uid = node.uid();
  zone = zone_key(node);
  // Without a time, or with one in the future, the node is as young as can be.
  const std::optional<WallTime> born = node.creation_time();
  created = now - std::max(Duration::zero(), wall_now - born.value_or(wall_now));
  ready = ReadyFacts::from(node);
  is_excluded = !node.labels()["node.kubernetes.io/exclude-disruption"].is_absent();
  is_not_ready = has_taint(node, no_execute(kNotReady));
  is_unreachable = has_taint(node, no_execute(kUnreachable));
}

void NodeRecord::read(const std::optional<Lease>& found) {
  if (!found) {
    lease.reset();
    lease_version.clear();
    return;
  }
  if (lease && lease_version == found->resource_version()) return;
  lease_version = found->resource_version();
  lease = LeaseFacts{found->renew_time()};
}

NodeRecord& NodeRecords::of(std::string_view node) {
  const auto found = records_.find(node);
  if (found != records_.end()) return found->second;
  NodeRecord& made = records_[std::string(node)];
  made.name = node;
  return made;
}

}  // namespace davit::nodelifecycle
