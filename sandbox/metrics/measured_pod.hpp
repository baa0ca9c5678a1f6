/// A pod as the simulation of its usage sees it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/metrics/load_shape.hpp"

namespace davit::sandbox {

/// The part of the cluster that runs a pod's containers.
enum class PodRuns : std::uint8_t {
  kNot,        ///< Nothing: not Running, or its node is stopped.
  kSimulated,  ///< A simulated node.
  kByHand,     ///< Running, but not on a simulated node: a client wrote its status.
};

/// The state of the Node that a pod is bound to.
enum class NodeState : std::uint8_t {
  kForeign,  ///< No simulated node, or no Node at all.
  kRunning,
  kStopped,
};
[[nodiscard]] NodeState node_state(const Json& node);

struct RunningContainer {
  std::string name;
  Nanos cpu_request = 0;
  Nanos memory_request = 0;
};

struct MeasuredPod {
  PodRuns runs = PodRuns::kNot;
  bool ready = false;  ///< And not being deleted: it gets requests.
  std::vector<RunningContainer> containers;
  std::string controller;  ///< The controlling owner's UID.
  std::string cpu;         ///< Annotations.
  std::string memory;
  bool without_metrics = false;
  Duration age{0};  ///< Since it started.
};
[[nodiscard]] MeasuredPod measured(const Json& pod, NodeState node, WallTime now);

namespace annotation {
/// On a pod: the usage of each container.
inline constexpr char kUsageCpu[] = "sandbox.davit.dev/usage-cpu";
inline constexpr char kUsageMemory[] = "sandbox.davit.dev/usage-memory";
/// The same, where those are absent.
inline constexpr char kMetricsCpu[] = "metrics.sandbox.davit.dev/cpu";
inline constexpr char kMetricsMemory[] = "metrics.sandbox.davit.dev/memory";
/// On a pod: "none" if it has no metrics.
inline constexpr char kUsage[] = "sandbox.davit.dev/usage";
}  // namespace annotation

}  // namespace davit::sandbox
