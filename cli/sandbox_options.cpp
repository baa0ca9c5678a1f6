#include "cli/sandbox_options.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "host/upstream/service_account_rules.hpp"
#include "lib/base/absolute_path.hpp"
#include "lib/base/take_until.hpp"
#include "lib/kube/json.hpp"
#include "lib/kube/names.hpp"

namespace davit::host {
namespace {

std::vector<KnownController> own_controllers() {
  return {{"garbage-collector", {"gc"}},
          {"namespace", {"namespaces"}},
          {"events", {}},
          {"accounts", {"serviceaccounts"}},
          {"nodes", {"node"}},
          {"scheduler", {}},
          {"volumes", {}},
          {"storage", {}},
          {"devices", {}},
          {"cloud", {}}};
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

bool is_wildcard(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

Status check_address(const SandboxOptions& options) {
  if (!is_ip(options.address)) {
    return {Code::kInvalid, "--bind-address must be an IP address, not " + options.address};
  }
  if (is_loopback(options.address)) return {};
  if (options.access != SandboxAccess::kAnyAddress) {
    return {Code::kInvalid, "--bind-address " + options.address +
                                " is not a loopback address; --allow-non-loopback lets other "
                                "machines reach the sandbox"};
  }
  if (options.security == SandboxSecurity::kPlain) {
    return {Code::kInvalid, "--insecure needs a loopback address, not " + options.address};
  }
  // Without RBAC every client that reaches the port, also without credentials, may do everything.
  if (options.authorization == SandboxAuthorization::kAlwaysAllow) {
    return {Code::kInvalid, "--authorization-mode AlwaysAllow needs a loopback address, not " +
                                options.address + "; leave it out for RBAC"};
  }
  return {};
}

/// With the group "plugins" or "-plugins" replaced by its controllers.
std::vector<std::string> expand_group(const std::vector<std::string>& list,
                                      const std::vector<KnownController>& plugins) {
  std::vector<std::string> out;
  for (const std::string& entry : list) {
    const std::string sign = entry.starts_with('-') ? "-" : "";
    if (std::string_view(entry).substr(sign.size()) != kPluginControllers) {
      out.push_back(entry);
      continue;
    }
    for (const KnownController& each : plugins) {
      if (!sign.empty() || !each.off_by_default) out.push_back(sign + each.name);
    }
  }
  return out;
}

/// A plugin's controller that does what one of the sandbox's own does, as slowly as upstream.
struct Double {
  std::string_view plugin;
  bool SandboxControllers::*own;
};
constexpr Double kDoubles[] = {
    {"garbage-collector-controller", &SandboxControllers::garbage_collector},
    {"namespace-controller", &SandboxControllers::namespaces},
    {"serviceaccount-controller", &SandboxControllers::default_accounts},
    {"root-ca-certificate-publisher-controller", &SandboxControllers::root_ca},
};

/// One of the two is enough: the plugin's if it is named, or the own one is switched off.
bool yields_to_own(const std::string& plugin, const SandboxControllers& chosen) {
  return std::ranges::any_of(
      kDoubles, [&](const Double& each) { return each.plugin == plugin && chosen.*each.own; });
}

/// A plugin's controller that binds claims; the own `volumes` only stands in for it.
constexpr std::string_view kBinder = "persistentvolume-binder-controller";

bool is_named(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

/// There is one binder. The driver of `storage` needs a real one, which by default is the plugin's.
/// `volumes` binds if neither of the two is on, or if it is named.
void choose_storage(const std::vector<std::string>& named, bool has_binder,
                    SandboxControllers& out) {
  const bool stands_in = is_named(named, "volumes") && !is_named(named, kBinder);
  const bool driver = out.storage && (has_binder && !stands_in);
  out.storage = is_named(named, "storage") || driver;
  if (!is_named(named, "volumes")) out.volumes = out.volumes && !has_binder && !out.storage;
}

/// A plugin's controller without which claims of devices are neither created nor released.
constexpr std::string_view kClaimController = "resourceclaim-controller";

/// The controllers of plugins that make a cloud: the provider, and a loop that is nothing without
/// one.
constexpr std::string_view kProvider = "pools";
constexpr std::string_view kCloudLoop = "cloud-node-controller";
constexpr std::string_view kRouteController = "node-route-controller";
constexpr std::string_view kIpamController = "node-ipam-controller";

/// Whether one of the plugins has the controller and the list has it on.
bool runs(const std::vector<KnownController>& plugins, std::string_view controller,
          const std::vector<std::string>& list) {
  const auto found = std::ranges::find(plugins, controller, &KnownController::name);
  return found != plugins.end() &&
         controller_enabled(list, std::string(controller), found->off_by_default);
}

Result<SandboxControllers> choose_controllers(const std::vector<std::string>& given,
                                              const std::vector<KnownController>& plugins) {
  const std::vector<KnownController> own = own_controllers();
  std::vector<KnownController> known = own;
  known.push_back({std::string(kPluginControllers), {}});
  for (KnownController each : plugins) {
    // A name of the sandbox's own is no alias: "namespace" meant that one before the plugin was.
    std::erase_if(each.aliases, [&own](const std::string& alias) {
      return std::ranges::find(own, alias, &KnownController::name) != own.end();
    });
    known.push_back(std::move(each));
  }
  const std::vector<std::string> named = translate_aliases(given, known);
  const std::vector<std::string> unknown = unknown_controllers(named, known);
  if (!unknown.empty()) return Status(Code::kInvalid, "--controllers: " + unknown.front());
  const std::vector<std::string> list = expand_group(named, plugins);
  const auto on = [&](const char* name) { return controller_enabled(list, name, false); };
  SandboxControllers out;
  out.garbage_collector = on("garbage-collector");
  out.namespaces = on("namespace");
  out.events = on("events");
  out.accounts = out.default_accounts = out.root_ca = on("accounts");
  out.nodes = on("nodes");
  out.scheduler = on("scheduler");
  out.volumes = on("volumes");
  out.storage = on("storage");
  for (const Double& each : kDoubles) {
    if (is_named(named, each.plugin)) out.*each.own = false;
  }
  choose_storage(named, runs(plugins, kBinder, list), out);
  out.devices =
      is_named(named, "devices") || (on("devices") && runs(plugins, kClaimController, list));
  out.cloud = is_named(named, "cloud");
  const bool has_provider =
      std::ranges::find(plugins, kProvider, &KnownController::name) != plugins.end();
  if (out.cloud && !has_provider && runs(plugins, kCloudLoop, list)) {
    return Status(Code::kInvalid, "--controllers: cloud needs the plugin " +
                                      std::string(kProvider) + ", which is its provider");
  }
  for (const KnownController& each : plugins) {
    if (yields_to_own(each.name, out)) continue;
    if (each.name == kBinder && out.volumes && !is_named(named, kBinder)) continue;
    const bool is_off = each.off_by_default && !(out.cloud && each.name == kProvider);
    if (controller_enabled(list, each.name, is_off)) out.plugins.push_back(each.name);
  }
  return out;
}

/// An amount that is neither negative nor shared.
Result<sandbox::LoadShape> read_usage(const char* flag, const std::string& text) {
  Result<sandbox::LoadShape> amount = sandbox::LoadShape::parse(text);
  if (amount && !amount->has_negative() && !amount->is_shared()) return amount;
  return Status(Code::kInvalid, std::string(flag) +
                                    " must be a quantity, a percentage of the request or a "
                                    "function of time, not " +
                                    text);
}

Result<sandbox::MetricOptions> choose_metrics(const SandboxOptions& options) {
  sandbox::MetricOptions out;
  out.resource = out.custom = out.external = false;
  for (const std::string& each : options.metrics) {
    if (each == "resource") {
      out.resource = true;
    } else if (each == "custom") {
      out.custom = true;
    } else if (each == "external") {
      out.external = true;
    } else if (each != "none" || options.metrics.size() > 1) {
      return Status(Code::kInvalid,
                    "--metrics must be none, or of resource, custom and external, not " + each);
    }
  }
  const Result<sandbox::LoadShape> cpu = read_usage("--usage-cpu", options.usage_cpu);
  if (!cpu) return cpu.error();
  const Result<sandbox::LoadShape> memory = read_usage("--usage-memory", options.usage_memory);
  if (!memory) return memory.error();
  out.cpu = *cpu;
  out.memory = *memory;
  return out;
}

/// That of pools, which plays the cloud. It judges the ranges itself.
std::string provider_config(std::string_view ranges) {
  Json addresses = Json::array();
  while (!ranges.empty()) addresses.push_back(take_until(ranges, ","));
  const Json pool =
      Json::object({{"name", "sandbox"}, {"addresses", std::move(addresses)}, {"skipEnds", true}});
  return to_text(Json::object(
      {{"pools", Json::array({pool})},
       {"instances", Json::object({{"kind", "sandbox"}, {"providerIDPrefix", "davit://"}})},
       {"routes", Json::object({{"kind", "table"}})}}));
}

/// $XDG_STATE_HOME, or what stands for it.
std::string state_directory(const Environment& environment) {
  if (const auto state = environment("XDG_STATE_HOME"); state && state->starts_with('/')) {
    return *state + "/davit";
  }
  if (const auto home = environment("HOME"); home && home->starts_with('/')) {
    return *home + "/.local/state/davit";
  }
  return "";
}

}  // namespace

bool may_run_plugins(const SandboxOptions& options) {
  const std::vector<std::string> list = translate_aliases(options.controllers, own_controllers());
  const std::string none = "-" + std::string(kPluginControllers);
  bool star = false;
  for (const std::string& entry : list) {
    star = star || entry == "*";
    if (entry != none && !unknown_controllers({entry}, own_controllers()).empty()) return true;
  }
  return star && std::ranges::find(list, none) == list.end();
}

std::vector<std::string> kinds_without_controller(const SandboxControllers& running) {
  struct Kind {
    const char* name;
    const char* controller;
  };
  constexpr Kind kKinds[] = {
      {"jobs.batch", "job-controller"},
      {"cronjobs.batch", "cronjob-controller"},
      {"daemonsets.apps", "daemonset-controller"},
      {"statefulsets.apps", "statefulset-controller"},
      {"replicationcontrollers", "replicationcontroller-controller"},
      {"horizontalpodautoscalers.autoscaling", "horizontal-pod-autoscaler-controller"}};
  std::vector<std::string> out;
  for (const Kind& each : kKinds) {
    if (std::ranges::find(running.plugins, each.controller) == running.plugins.end()) {
      out.emplace_back(each.name);
    }
  }
  return out;
}

Result<SandboxSettings> merge_sandbox_settings(const SandboxOptions& options,
                                               const Environment& environment,
                                               const std::vector<KnownController>& plugins) {
  if (Status s = check_address(options); !s.ok()) return s;
  Result<SandboxControllers> controllers = choose_controllers(options.controllers, plugins);
  if (!controllers) return controllers.error();
  Result<sandbox::MetricOptions> metrics = choose_metrics(options);
  if (!metrics) return metrics.error();
  Result<GateSettings> gates = parse_feature_gates(options.feature_gates);
  if (!gates) return gates.error();
  for (const std::string& mistake : check_feature_gates(*gates)) {
    return Status(Code::kInvalid, mistake);
  }
  SandboxSettings out;
  out.options = options;
  out.feature_gates = std::move(*gates);
  out.metrics = *metrics;
  out.controllers = *controllers;
  std::string state = state_directory(environment);
  const auto runtime = environment("XDG_RUNTIME_DIR");
  const bool has_runtime = runtime && runtime->starts_with('/');
  out.kubeconfig_directory = has_runtime ? *runtime + "/davit" : state;
  if (state.empty()) state = out.kubeconfig_directory;
  if (state.empty()) {
    return Status(Code::kInvalid,
                  "no directory for the credentials: set HOME, XDG_STATE_HOME or XDG_RUNTIME_DIR");
  }
  out.credentials_file = state + "/sandbox-credentials.json";
  out.account_key_file = state + "/sandbox-service-account.key";
  out.authority_file = state + "/sandbox-ca.crt";
  out.authority_key_file = state + "/sandbox-ca.key";
  out.client_address = options.address;
  if (options.address == "0.0.0.0") out.client_address = "127.0.0.1";
  if (options.address == "::") out.client_address = "::1";
  out.certificate_for = {"127.0.0.1", "::1"};
  const std::vector<std::string>& named = out.certificate_for;
  if (!is_wildcard(options.address) &&
      std::find(named.begin(), named.end(), options.address) == named.end()) {
    out.certificate_for.push_back(options.address);
  }
  return out;
}

std::string sandbox_config_of(std::string_view controller, const SandboxSettings& settings) {
  if (controller == kTokenController) {
    return to_text(Json::object({{kTokenKeyFile, settings.account_key_file}}));
  }
  if (controller == kSigningController) {
    return to_text(Json::object({{"clusterSigningCertFile", settings.authority_file},
                                 {"clusterSigningKeyFile", settings.authority_key_file}}));
  }
  if (controller == kIpamController &&
      settings.options.nodes.pod_ranges == sandbox::PodRanges::kFromCluster) {
    return to_text(
        Json::object({{"allocateNodeCIDRs", true}, {"clusterCIDR", sandbox::kPodRange}}));
  }
  if (!settings.controllers.cloud) return "";
  if (controller == kRouteController) {
    return to_text(Json::object({{"clusterCIDR", sandbox::kPodRange}}));
  }
  return controller == kProvider ? provider_config(settings.options.load_balancer_range) : "";
}

std::string kubeconfig_path(const SandboxSettings& settings, std::uint16_t port) {
  if (!settings.options.kubeconfig.empty()) {
    return absolute_path(settings.options.kubeconfig).string();
  }
  return settings.kubeconfig_directory + "/sandbox-" + std::to_string(port) + ".kubeconfig";
}

std::string sandbox_url(const SandboxSettings& settings, std::uint16_t port) {
  const bool tls = settings.options.security == SandboxSecurity::kTls;
  const std::string& address = settings.client_address;
  const bool v6 = address.find(':') != std::string::npos;
  return (tls ? "https://" : "http://") + (v6 ? "[" + address + "]" : address) + ":" +
         std::to_string(port);
}

}  // namespace davit::host
