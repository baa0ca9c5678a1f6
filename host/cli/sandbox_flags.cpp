#include "host/cli/sandbox_flags.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include "host/config/duration.hpp"

namespace davit::host {
namespace {

void add_duration(CLI::App& app, const char* name, Duration& out, const char* help) {
  app.add_option_function<std::string>(
         name,
         [&out, name](const std::string& text) {
           const std::optional<Duration> value = parse_duration(text);
           if (!value || *value < Duration{0}) {
             throw CLI::ValidationError(name,
                                        "must be a duration such as 500ms or 2s, not " + text);
           }
           out = *value;
         },
         help)
      ->type_name("DURATION");
}

void add_kubeconfig(CLI::App& app, std::string& out) {
  app.add_option("--kubeconfig", out, "The API server to use (default $KUBECONFIG)")
      ->type_name("FILE");
}

void add_power_command(CLI::App& app, const char* name, const char* help, sandbox::NodePower power,
                       NodePowerOptions& options, std::function<void()> choose) {
  CLI::App* command = app.add_subcommand(name, help);
  command->add_option("NAME", options.node, "The node")->required();
  add_kubeconfig(*command, options.kubeconfig);
  command->callback([&options, power, choose = std::move(choose)] {
    options.power = power;
    choose();
  });
}

}  // namespace

void add_node_flags(CLI::App& app, NodeFlags& flags) {
  app.add_option("--nodes", flags.count, "How many nodes (default 3)")
      ->check(CLI::Range(0, sandbox::kNodesMax))
      ->type_name("N");
  app.add_option("--zones", flags.zones, "How many zones they are spread over (default 3)")
      ->check(CLI::Range(0, 26))
      ->type_name("N");
  app.add_option("--node-name", flags.prefix, "What their names begin with (default node)")
      ->type_name("PREFIX");
  app.add_option("--node-cpu", flags.size.cpu, "What each has (default 8)")->type_name("QUANTITY");
  app.add_option("--node-memory", flags.size.memory, "What each has (default 32Gi)")
      ->type_name("QUANTITY");
  app.add_option("--node-pods", flags.size.pods, "How many pods each takes (default 110)")
      ->check(CLI::Range(0, 250))
      ->type_name("N");
  add_duration(app, "--pod-start", flags.pods.start,
               "From binding to the containers' start (default 0s)");
  add_duration(app, "--pod-ready", flags.pods.ready, "From the start to readiness (default 0s)");
  add_duration(app, "--pod-stop", flags.pods.stop, "From deletion to the end (default 0s)");
  add_duration(app, "--pod-run", flags.pods.run,
               "How long pods work whose restart policy is not Always (default 1s)");
  app.add_option("--pod-jitter", flags.pods.jitter,
                 "Up to this share is added to the times above (default 0)")
      ->check(CLI::Range(0.0, 10.0))
      ->type_name("SHARE");
  app.add_option("--unpullable-image", flags.pods.unpullable_images,
                 "An image that no node can pull; may be repeated")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("IMAGE");
  app.add_flag_callback(
      "--no-scheduler", [&flags] { flags.scheduling = sandbox::Scheduling::kOff; },
      "Leave binding pods to somebody else");
  app.add_flag_callback(
      "--keep-taint", [&flags] { flags.untaint = sandbox::Untaint::kNever; },
      "Leave the taint not-ready of new nodes to a node lifecycle controller");
}

void add_sandbox_command(CLI::App& app, SandboxFlags& flags, std::function<int()>& chosen,
                         std::ostream& out, std::ostream& err) {
  CLI::App* sandbox = app.add_subcommand("sandbox", "Clusters to try things on");
  sandbox->require_subcommand(1);
  CLI::App* nodes = sandbox->add_subcommand(
      "nodes", "Simulate nodes and a scheduler on an API server, until interrupted");
  add_kubeconfig(*nodes, flags.nodes.kubeconfig);
  add_node_flags(*nodes, flags.nodes.nodes);
  nodes->add_option("-v", flags.nodes.verbosity, "Verbosity of the log (default 0)")
      ->type_name("N");
  nodes->callback([&] { chosen = [&] { return run_sandbox_nodes(flags.nodes); }; });

  CLI::App* node = sandbox->add_subcommand("node", "Switch a simulated node");
  node->require_subcommand(1);
  const auto choose = [&] { chosen = [&] { return run_node_power(flags.node, out, err); }; };
  add_power_command(*node, "stop", "As if its machine had no power", sandbox::NodePower::kStopped,
                    flags.node, choose);
  add_power_command(*node, "start", "Power it again", sandbox::NodePower::kRunning, flags.node,
                    choose);
}

}  // namespace davit::host
