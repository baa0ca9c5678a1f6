#include "plugins/daemonset/rolling_plan.hpp"

#include <algorithm>
#include <davit/kube/int_or_percent.hpp>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace davit::daemonset {
namespace {

/// The pods of a node that count for an update; either may be missing.
struct Pair {
  const DaemonPod* present = nullptr;
  const DaemonPod* earlier = nullptr;
};

/// Nothing: there are several of one kind, which plan_manage() thins out first.
std::optional<Pair> pair_of(const std::vector<DaemonPod>& pods) {
  Pair pair;
  for (const DaemonPod& pod : pods) {
    if (pod.is_terminating) continue;
    const DaemonPod*& one = pod.is_updated ? pair.present : pair.earlier;
    if (one != nullptr) return std::nullopt;
    one = &pod;
  }
  return pair;
}

/// The pods by node, with every node that should have one.
NodePods with_empty_nodes(const Nodes& nodes, NodePods pods) {
  for (const auto& [node, wanted] : nodes) {
    if (wanted.run) pods.try_emplace(node);
  }
  return pods;
}

/// Within the int32 of the API's type, whatever an object says.
std::int64_t resolve(const IntOrPercent& limit, std::int64_t desired) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return std::clamp<std::int64_t>(limit.resolve(desired, Rounding::kUp), 0, kMost);
}

/// At most `count` of `from`, no less than none.
template <typename T>
void append_first(std::vector<T>& to, const std::vector<T>& from, std::int64_t count) {
  const auto most = static_cast<std::int64_t>(from.size());
  to.insert(to.end(), from.begin(), from.begin() + std::clamp<std::int64_t>(count, 0, most));
}

PodChanges plan_in_place(const NodePods& pods, std::int64_t unavailable_max) {
  PodChanges changes;
  std::vector<std::string> candidates;
  std::int64_t unavailable = 0;
  for (const auto& [node, group] : pods) {
    const std::optional<Pair> pair = pair_of(group);
    if (!pair || (pair->present == nullptr) == (pair->earlier == nullptr)) {
      ++unavailable;
    } else if (pair->present != nullptr) {
      if (!pair->present->is_available) ++unavailable;
    } else if (pair->earlier->is_available) {
      candidates.push_back(pair->earlier->name);
    } else {
      changes.remove.push_back(pair->earlier->name);
      ++unavailable;
    }
  }
  append_first(changes.remove, candidates, unavailable_max - unavailable);
  return changes;
}

/// The state of plan_surge() while it walks through the nodes.
struct SurgePlan {
  PodChanges changes;
  std::vector<std::string> candidates;  // Nodes whose old pod is available.
  std::vector<std::string> removable;   // Available old pods on nodes that should have none.
  std::int64_t surging = 0;
  std::int64_t available = 0;

  void add_earlier_only(const std::string& node, const DaemonPod& earlier, bool should_run) {
    if (should_run) {
      (earlier.is_available ? candidates : changes.create_on).push_back(node);
    } else {
      (earlier.is_available ? removable : changes.remove).push_back(earlier.name);
    }
  }
};

Result<PodChanges> plan_surge(const Nodes& nodes, const NodePods& pods, std::int64_t surge_max) {
  SurgePlan plan;
  for (const auto& [node, group] : pods) {
    const std::optional<Pair> pair = pair_of(group);
    if (!pair) {
      ++plan.surging;
      continue;
    }
    const DaemonPod* serving = pair->earlier != nullptr ? pair->earlier : pair->present;
    if (serving != nullptr && serving->is_available) ++plan.available;
    if (pair->earlier == nullptr) continue;
    if (pair->present == nullptr) {
      const auto found = nodes.find(node);
      if (found == nodes.end()) {
        return Status(Code::kUnavailable, "couldn't get node for nodeName \"" + node + "\"");
      }
      plan.add_earlier_only(node, *pair->earlier, found->second.run);
    } else if (pair->present->is_available) {
      plan.changes.remove.push_back(pair->earlier->name);
    } else {
      ++plan.surging;
    }
  }
  append_first(plan.changes.remove, plan.removable, plan.available - desired_nodes(nodes));
  append_first(plan.changes.create_on, plan.candidates, surge_max - plan.surging);
  return std::move(plan.changes);
}

}  // namespace

Result<RollingLimits> rolling_limits(const WantedLimits& wanted, std::int64_t desired) {
  const Result<IntOrPercent> unavailable = IntOrPercent::parse(wanted.unavailable);
  if (!unavailable) return unavailable.error();
  RollingLimits limits{.unavailable = resolve(*unavailable, desired)};
  if (!wanted.surge.is_absent() && wanted.surge.kind() != Kind::kNull) {
    const Result<IntOrPercent> surge = IntOrPercent::parse(wanted.surge);
    if (!surge) return surge.error();
    limits.surge = resolve(*surge, desired);
  }
  if (desired > 0 && limits.unavailable == 0 && limits.surge == 0) limits.unavailable = 1;
  return limits;
}

Surge surge_of(Value max_surge) {
  const Result<IntOrPercent> surge = IntOrPercent::parse(max_surge);
  return surge && surge->resolve(1, Rounding::kUp) > 0 ? Surge::kAllowed : Surge::kNone;
}

std::int64_t desired_nodes(const Nodes& nodes) {
  return std::count_if(nodes.begin(), nodes.end(),
                       [](const auto& each) { return each.second.run; });
}

Result<PodChanges> plan_rolling(const Nodes& nodes, const NodePods& pods,
                                const RollingLimits& limits) {
  const NodePods all = with_empty_nodes(nodes, pods);
  if (limits.surge > 0) return plan_surge(nodes, all, limits.surge);
  return plan_in_place(all, limits.unavailable);
}

}  // namespace davit::daemonset
