/// `davit sandbox nodes` and `davit sandbox node`: simulated nodes on any API server.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "nodes/simulation.hpp"

namespace CLI {
class App;
}

namespace davit::host {

/// The simulation's flags.
struct NodeFlags {
  int count = 3;
  int zones = 3;
  std::string prefix = "node";
  sandbox::NodeSize size;
  sandbox::PodDefaults pods;
  sandbox::Scheduling scheduling = sandbox::Scheduling::kOn;
  sandbox::StorageSwitch storage = sandbox::StorageSwitch::kOff;
  std::optional<int> devices;  ///< Each node has as many; nothing: no simulated devices.
  sandbox::PodEventSwitch pod_events = sandbox::PodEventSwitch::kOn;
  sandbox::Untaint untaint = sandbox::Untaint::kWhenReady;
  sandbox::PodRanges pod_ranges = sandbox::PodRanges::kOwn;
  sandbox::CloudSwitch cloud = sandbox::CloudSwitch::kOff;
  Duration lease_period = sandbox::KubeletSimulatorOptions{}.lease_period;
};

/// Adds --nodes, --zones and the like to `app`. `flags` is filled while `app` parses and must
/// outlive it.
void add_node_flags(CLI::App& app, NodeFlags& flags);
[[nodiscard]] sandbox::SimulationOptions simulation_options(const NodeFlags& flags);

struct SandboxNodesOptions {
  std::string kubeconfig;  ///< Empty: $KUBECONFIG. Never a person's default cluster.
  NodeFlags nodes;
  int verbosity = 0;
};
/// Runs until a signal. 0 after one, 2 for bad configuration. Blocks.
[[nodiscard]] int run_sandbox_nodes(const SandboxNodesOptions& options);

struct NodePowerOptions {
  std::string kubeconfig;
  std::string node;
  sandbox::NodePower power = sandbox::NodePower::kRunning;
};
/// Switches a simulated node, by its annotation. 0, or 1 with one line on `err`. Blocks.
[[nodiscard]] int run_node_power(const NodePowerOptions& options, std::ostream& out,
                                 std::ostream& err);

}  // namespace davit::host
