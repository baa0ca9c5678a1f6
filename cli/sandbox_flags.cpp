#include "cli/sandbox_flags.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <davit/kube/signed_duration.hpp>

#include "nodes/device_objects.hpp"

namespace davit::host {
namespace {

void add_duration(CLI::App& app, const char* name, Duration& out, const char* help) {
  app.add_option_function<std::string>(
         name,
         [&out, name](const std::string& text) {
           const std::optional<Duration> value = parse_signed_duration(text);
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
  app.add_option("--kubeconfig", out, "Kubeconfig of the API server (default $KUBECONFIG)")
      ->type_name("FILE");
}

void add_verbosity(CLI::App& app, int& out) {
  app.add_option("-v,--v", out, "Verbosity of the log (default 0)")->type_name("N");
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

void add_access_flags(CLI::App& app, SandboxOptions& options) {
  app.add_option("--token-file", options.token_file,
                 "Users with tokens, in the format of kube-apiserver's --token-auth-file: "
                 "a line token,user,uid,\"group,…\" each")
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--authorization-mode",
         [&options](const std::string& mode) {
           options.authorization =
               mode == "RBAC" ? SandboxAuthorization::kRbac : SandboxAuthorization::kAlwaysAllow;
         },
         "RBAC or AlwaysAllow (default RBAC)")
      ->check(CLI::IsMember({"RBAC", "AlwaysAllow"}))
      ->type_name("MODE");
}

void add_metric_flags(CLI::App& app, SandboxOptions& options) {
  app.add_option_function<std::vector<std::string>>(
         "--metrics", [&options](const std::vector<std::string>& list) { options.metrics = list; },
         "APIs of simulated metrics to serve: resource, custom, external, or none "
         "(default resource,custom,external)")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("LIST");
  app.add_option("--usage-cpu", options.usage_cpu,
                 "CPU that each container uses unless a rule or annotation says otherwise: a "
                 "quantity, or 50% of its request (default 1m)")
      ->type_name("AMOUNT");
  app.add_option("--usage-memory", options.usage_memory,
                 "Memory that each container uses, likewise (default 8Mi)")
      ->type_name("AMOUNT");
}

void add_server_flags(CLI::App& app, SandboxOptions& options) {
  app.add_option("--bind-address", options.address, "Address to listen on (default 127.0.0.1)")
      ->type_name("ADDRESS");
  app.add_option_function<int>(
         "--port", [&options](int port) { options.port = port; },
         "Port to listen on; 0: any free port (default 6443 if free, else any)")
      ->check(CLI::Range(0, 65535))
      ->type_name("PORT");
  app.add_flag_callback(
      "--allow-non-loopback", [&options] { options.access = SandboxAccess::kAnyAddress; },
      "Accept a --bind-address that other machines can reach");
  app.add_flag_callback(
      "--insecure", [&options] { options.security = SandboxSecurity::kPlain; },
      "Serve plain HTTP, on the loopback interface only");
  app.add_option("--service-cluster-ip-range", options.service_ranges,
                 "Range of the Services' addresses in CIDR form; two of different families with a "
                 "comma between for dual-stack (default 10.0.0.0/24)")
      ->type_name("RANGES");
  app.add_option(
         "--load-balancer-range", options.load_balancer_range,
         "Addresses that the controller cloud gives Services of type LoadBalancer: CIDRs or "
         "ranges with commas between (default 203.0.113.0/24,2001:db8:1::/120)")
      ->type_name("RANGES");
  app.add_option("--data", options.data_file, "Store the cluster in this file (default: in memory)")
      ->type_name("FILE");
  app.add_option("--faults", options.faults_file, "Script of faults to inject, as YAML or JSON")
      ->type_name("FILE");
  app.add_option("--kubeconfig", options.kubeconfig,
                 "File for the administrator's kubeconfig (default below $XDG_RUNTIME_DIR)")
      ->type_name("FILE");
  app.add_option_function<std::vector<std::string>>(
         "--controllers",
         [&options](const std::vector<std::string>& list) { options.controllers = list; },
         "Controllers to run: '*' enables all, 'foo' enables and '-foo' disables one of gc, "
         "namespace, events, accounts, nodes, scheduler, volumes, storage, devices, cloud and "
         "the plugins' controllers; "
         "'plugins' means all of the latter (default *, which leaves cloud off)")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("LIST");
  app.add_option("--plugin-dir", options.plugin_directories,
                 "Directory of plugins; may be repeated (default: the installed one)")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("DIRECTORY");
  app.add_option("--feature-gates", options.feature_gates,
                 "Feature gates of the controllers and of the server, as Name=true,Other=false; "
                 "may be repeated (default: those of v1.36)")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("GATES");
  add_access_flags(app, options);
  add_metric_flags(app, options);
  add_verbosity(app, options.verbosity);
}

void add_size_flags(CLI::App& app, NodeFlags& flags) {
  app.add_option("--node-cpu", flags.size.cpu, "CPU capacity of each node (default 8)")
      ->type_name("QUANTITY");
  app.add_option("--node-memory", flags.size.memory, "Memory capacity of each node (default 32Gi)")
      ->type_name("QUANTITY");
  app.add_option("--node-pods", flags.size.pods, "Pod capacity of each node (default 110)")
      ->check(CLI::Range(0, 250))
      ->type_name("N");
  app.add_option_function<int>(
         "--node-devices", [&flags](int count) { flags.devices = count; },
         "Number of simulated devices of each node, for ResourceClaims (default 0)")
      ->check(CLI::Range(0, static_cast<int>(sandbox::kDevicesPerNode)))
      ->type_name("N");
}

}  // namespace

void add_node_flags(CLI::App& app, NodeFlags& flags) {
  app.add_option("--nodes", flags.count, "Number of nodes (default 3)")
      ->check(CLI::Range(0, sandbox::kNodesMax))
      ->type_name("N");
  app.add_option("--zones", flags.zones,
                 "Number of zones that the nodes are spread over (default 3)")
      ->check(CLI::Range(0, 26))
      ->type_name("N");
  app.add_option("--node-name", flags.prefix, "Prefix of the nodes' names (default node)")
      ->type_name("PREFIX");
  add_size_flags(app, flags);
  add_duration(app, "--pod-start", flags.pods.start,
               "Time from binding to the start of containers (default 0s)");
  add_duration(app, "--pod-ready", flags.pods.ready,
               "Time from the start of containers to readiness (default 0s)");
  add_duration(app, "--pod-stop", flags.pods.stop,
               "Time from deletion to the end of containers (default 0s)");
  add_duration(app, "--pod-run", flags.pods.run,
               "How long containers run if the restart policy is not Always (default 1s)");
  app.add_option("--pod-jitter", flags.pods.jitter,
                 "Largest random share added to the times above (default 0)")
      ->check(CLI::Range(0.0, 10.0))
      ->type_name("SHARE");
  app.add_option("--unpullable-image", flags.pods.unpullable_images,
                 "An image that no node can pull; may be repeated")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("IMAGE");
  app.add_flag_callback(
      "--no-scheduler", [&flags] { flags.scheduling = sandbox::Scheduling::kOff; },
      "Do not run a scheduler");
  app.add_flag_callback(
      "--no-pod-events", [&flags] { flags.pod_events = sandbox::PodEventSwitch::kOff; },
      "Do not post the Events Pulled, Created and Started of containers");
  add_duration(app, "--lease-period", flags.lease_period,
               "How often a node renews its Lease (default 10s)");
  app.add_flag_callback(
      "--keep-taint", [&flags] { flags.untaint = sandbox::Untaint::kNever; },
      "Leave the taint not-ready of new nodes to a node lifecycle controller");
  app.add_flag_callback(
      "--wait-for-pod-cidr", [&flags] { flags.pod_ranges = sandbox::PodRanges::kFromCluster; },
      "Leave the pod CIDRs of nodes to a node IPAM controller; without one they are not ready");
}

void add_sandbox_command(CLI::App& app, SandboxFlags& flags, const SandboxActions& actions,
                         std::function<int()>& chosen) {
  CLI::App* sandbox = app.add_subcommand(
      "sandbox", "Run an API server with simulated nodes and controllers until interrupted");
  sandbox->require_subcommand(0, 1);
  add_server_flags(*sandbox, flags.sandbox);
  add_node_flags(*sandbox, flags.sandbox.nodes);
  sandbox->callback([&flags, &actions, &chosen, sandbox] {
    if (!sandbox->get_subcommands().empty()) return;
    chosen = [&flags, &actions] { return actions.sandbox(flags.sandbox); };
  });

  CLI::App* nodes = sandbox->add_subcommand(
      "nodes", "Simulate nodes and a scheduler on an API server, until interrupted");
  add_kubeconfig(*nodes, flags.nodes.kubeconfig);
  add_node_flags(*nodes, flags.nodes.nodes);
  nodes->add_flag_callback(
      "--storage", [&flags] { flags.nodes.nodes.storage = sandbox::StorageSwitch::kOn; },
      "Simulate the CSI driver sandbox.davit.dev: volumes are attached and mounted before pods "
      "start");
  nodes->add_flag_callback(
      "--cloud", [&flags] { flags.nodes.nodes.cloud = sandbox::CloudSwitch::kOn; },
      "Leave provider id, zone and addresses of the nodes to a provider of a cloud, such as the "
      "plugin pools with instances.kind sandbox");
  add_verbosity(*nodes, flags.nodes.verbosity);
  nodes->callback([&] { chosen = [&] { return run_sandbox_nodes(flags.nodes); }; });

  CLI::App* node = sandbox->add_subcommand("node", "Stop, start or delete a simulated node");
  node->require_subcommand(1);
  const auto choose = [&] {
    chosen = [&] { return run_node_power(flags.node, actions.out, actions.err); };
  };
  add_power_command(*node, "stop", "Stop the node, as if its machine had lost power",
                    sandbox::NodePower::kStopped, flags.node, choose);
  add_power_command(*node, "start", "Start a stopped node", sandbox::NodePower::kRunning,
                    flags.node, choose);
  add_power_command(*node, "delete",
                    "Delete the node's machine from the simulated cloud; a cloud's controller then "
                    "deletes the Node",
                    sandbox::NodePower::kDeleted, flags.node, choose);
}

}  // namespace davit::host
