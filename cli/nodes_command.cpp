#include "cli/nodes_command.hpp"

#include <iostream>
#include <memory>

#include "cli/server_connection.hpp"
#include "host/api/rest_client.hpp"
#include "host/process/exit_codes.hpp"
#include "host/process/interruptions.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

int print_mistake(std::ostream& err, const std::string& text, int code) {
  err << "davit: " << text << "\n";
  return code;
}

}  // namespace

sandbox::SimulationOptions simulation_options(const NodeFlags& flags) {
  sandbox::SimulationOptions options;
  options.nodes.plans = sandbox::plan_nodes(flags.prefix, flags.count, flags.zones);
  options.nodes.size = flags.size;
  options.nodes.untaint = flags.untaint;
  options.nodes.pod_ranges = flags.pod_ranges;
  options.nodes.cloud = flags.cloud;
  options.nodes.lease_period = flags.lease_period;
  options.pods = flags.pods;
  options.scheduling = flags.scheduling;
  options.storage = flags.storage;
  options.devices = flags.devices ? sandbox::DeviceSwitch::kOn : sandbox::DeviceSwitch::kOff;
  options.devices_per_node = flags.devices.value_or(0);
  options.pod_events = flags.pod_events;
  return options;
}

int run_sandbox_nodes(const SandboxNodesOptions& options) {
  const Interruptions interruptions;
  ServerConnection connection;
  if (Status s = connection.open(options.kubeconfig, options.verbosity); !s.ok()) {
    return print_mistake(std::cerr, s.message(), kExitMistakes);
  }
  const Logger log(*connection.sink);
  const std::unique_ptr<Random> random = make_system_random();
  log.info(0, "Simulating nodes",
           {{"server", connection.transport->server()}, {"nodes", options.nodes.count}});
  const auto simulation = sandbox::SimulationThread::open(
      {*connection.transport, *connection.clock, *random, log}, simulation_options(options.nodes));
  if (!simulation) return print_mistake(std::cerr, simulation.error().message(), kExitFailed);
  constexpr std::chrono::seconds kIdleCheck{5};
  while (interruptions.wait(kIdleCheck) != Interruptions::What::kSignal) {
    connection.transport->close_idle();
  }
  return kExitGood;
}

int run_node_power(const NodePowerOptions& options, std::ostream& out, std::ostream& err) {
  ServerConnection connection;
  if (Status s = connection.open(options.kubeconfig, 0); !s.ok()) {
    return print_mistake(err, s.message(), kExitMistakes);
  }
  RestClient client(*connection.transport, *connection.clock, connection.metrics,
                    Logger(*connection.sink),
                    RestOptions{.rate = {-1, 1}, .user_agent = user_agent("sandbox-node")});
  ApiRequest request;
  request.path = {"", "v1", "nodes", "", "", options.node};
  const ApiResponse read = client.call(request);
  if (!read.status.ok()) return print_mistake(err, read.status.message(), kExitFailed);
  const Result<Json> node = parse_json(read.body);
  if (!node || !sandbox::power_of(*node)) {
    return print_mistake(err,
                         "node " + options.node + " is not simulated: it has no annotation " +
                             sandbox::annotation::kNode,
                         kExitFailed);
  }
  const Json annotations =
      Json::object({{sandbox::annotation::kNode, sandbox::name_of(options.power)}});
  request.verb = Verb::kPatch;
  request.patch_type = PatchType::kMerge;
  request.body =
      to_text(Json::object({{"metadata", Json::object({{"annotations", annotations}})}}));
  const ApiResponse written = client.call(request);
  if (!written.status.ok()) return print_mistake(err, written.status.message(), kExitFailed);
  out << "node/" << options.node << " " << sandbox::name_of(options.power) << "\n";
  return kExitGood;
}

}  // namespace davit::host
