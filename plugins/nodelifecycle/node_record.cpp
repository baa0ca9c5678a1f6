#include "plugins/nodelifecycle/node_record.hpp"

#include <algorithm>
#include <davit/mutant.hpp>

#include "plugins/nodelifecycle/condition_taints.hpp"
#include "plugins/nodelifecycle/zones.hpp"

namespace davit::nodelifecycle {
namespace {

/// The malformed part of a node. Such parts count as missing.
std::string_view defect_of(const Node& node, WallTime now) {
  const std::optional<WallTime> born = node.creation_time();
  if (!born) return "its creation time cannot be read";
  // Clocks differ a little; a node of tomorrow is another matter.
  constexpr std::chrono::hours kSkew{24};
  if (*born - now > kSkew) return "it was created in the future";
  const Value conditions = node.conditions();
  if (conditions && conditions.kind() != Kind::kArray && conditions.kind() != Kind::kNull) {
    return "its conditions are not a list";
  }
  for (const Value each : conditions.elements()) {
    const ConditionView condition(each);
    if (condition.type().empty()) return "a condition has no type";
    if (condition.type() == "Ready" && ready_from(condition.status()) == Ready::kOther) {
      return "its condition Ready is neither True nor False nor Unknown";
    }
  }
  const Value taints = node.taints();
  if (taints && taints.kind() != Kind::kArray && taints.kind() != Kind::kNull) {
    return "its taints are not a list";
  }
  return {};
}

}  // namespace

void NodeRecord::read(const Node& node, Time now, WallTime wall_now) {
  if (version == node.resource_version() && uid == node.uid()) return;
  version = node.resource_version();
  if (uid != node.uid() && !mutant("node-of-a-name")) health.reset();
  uid = node.uid();
  zone = zone_key(node);
  // Without a time, or with one in the future, the node is as young as can be.
  const std::optional<WallTime> born = node.creation_time();
  created = now - std::max(Duration::zero(), wall_now - born.value_or(wall_now));
  ready = ReadyFacts::from(node);
  defect = defect_of(node, wall_now);
  is_excluded = !node.labels()["node.kubernetes.io/exclude-disruption"].is_absent();
  is_not_ready = has_taint(node, no_execute(kNotReady));
  is_unreachable = has_taint(node, no_execute(kUnreachable));
}

void NodeRecord::read(const std::optional<Lease>& found) {
  if (!found) {
    lease.reset();
    lease_version.clear();
    lease_defect = {};
    return;
  }
  if (lease && lease_version == found->resource_version()) return;
  lease_version = found->resource_version();
  lease = LeaseFacts{found->renew_time()};
  lease_defect = lease->renewed ? "" : "its time of renewal cannot be read";
}

NodeRecord& NodeRecords::of(std::string_view node, std::size_t place, Order& order) {
  if (place < order.size() && order[place]->name == node) return *order[place];
  NodeRecord& record = of(node);
  if (place >= order.size()) order.resize(place + 1, &record);
  order[place] = &record;
  return record;
}

NodeRecord& NodeRecords::of(std::string_view node) {
  const auto found = records_.find(node);
  if (found != records_.end()) return found->second;
  NodeRecord& made = records_[std::string(node)];
  made.name = node;
  return made;
}

}  // namespace davit::nodelifecycle
