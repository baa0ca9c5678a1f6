/// Simulated usage of CPU and memory. Pure: the same facts give the same numbers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sandbox/metrics/measured_pod.hpp"
#include "sandbox/metrics/metric_board.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// A load and the pods that carry it.
struct PlacedLoad {
  PodLoad load;
  LabelSelector selector;  ///< Its Service's; unused for the load of one pod.
};

/// The cluster at one moment. Borrowed; must outlive the model.
struct UsageFacts {
  const std::vector<VersionPtr>& pods;   ///< Sorted by namespace and name.
  const std::vector<VersionPtr>& nodes;  ///< Sorted by name.
  const MetricRules& rules;
  const std::vector<PlacedLoad>& loads;
  const MetricOptions& options;
  Time now;
  WallTime wall_now;
};

struct Usage {
  Nanos cpu = 0;
  Nanos memory = 0;
};

/// A sample of a pod or a node.
struct UsageSample {
  std::vector<std::pair<std::string, Usage>> containers;  ///< One without a name for a node.
  Duration age{0};
  Duration window = std::chrono::seconds(15);
};

/// The usage of each container: by the newest rule that sets it, else by the pod's annotations,
/// else by the options; and the loads on top. Not thread-safe: it keeps what it has read.
class UsageModel {
 public:
  explicit UsageModel(const UsageFacts& facts) : facts_(facts) {}

  /// Nothing for a pod without metrics. `pod` is one of the facts'.
  [[nodiscard]] std::optional<UsageSample> of_pod(const VersionPtr& pod);
  /// Nothing for a node that does not run. `node` is one of the facts'.
  [[nodiscard]] std::optional<UsageSample> of_node(const VersionPtr& node);
  [[nodiscard]] const MeasuredPod& facts_of(const VersionPtr& pod);

  /// The parts of `total` that each of `pods` (sorted) has: equal ones for those that are Ready or,
  /// if none is, that run; the rest for the first one.
  using Shares = std::map<const Version*, Nanos>;
  [[nodiscard]] Shares share_out(const std::vector<VersionPtr>& pods, Nanos total);
  /// The pods that carry a load.
  [[nodiscard]] std::vector<VersionPtr> carriers(const PlacedLoad& load) const;

 private:
  enum class Kind : std::uint8_t { kCpu, kMemory };

  [[nodiscard]] NodeState state_of(const std::string& node);
  [[nodiscard]] std::vector<const ActiveRule*> rules_for(const Version& pod) const;
  [[nodiscard]] std::optional<Nanos> by_rule(const ActiveRule& rule, const VersionPtr& pod,
                                             std::size_t container, Kind kind);
  [[nodiscard]] Nanos by_pod(const VersionPtr& pod, const RunningContainer& container, Kind kind);
  [[nodiscard]] std::optional<Usage> of_container(const std::vector<const ActiveRule*>& rules,
                                                  const VersionPtr& pod, std::size_t container);
  void add_loads(const VersionPtr& pod, Usage& first);
  using FindPods = std::function<std::vector<VersionPtr>()>;
  /// share_out() once for each key.
  [[nodiscard]] const Shares& shares(const std::string& key, const FindPods& pods, Nanos total);
  [[nodiscard]] std::vector<VersionPtr> selected(
      std::string_view ns, const std::optional<LabelSelector>& selector) const;
  [[nodiscard]] std::vector<VersionPtr> siblings(const VersionPtr& pod);

  const UsageFacts& facts_;
  std::unordered_map<const Version*, MeasuredPod> pods_;
  std::unordered_map<std::string, NodeState> nodes_;
  std::unordered_map<std::string, Shares> shares_;  ///< A rule's, load's or controller's.
};

}  // namespace davit::sandbox
