/// The flags of `davit sandbox` and what they come down to. Pure; no CLI11 in here.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/nodes_command.hpp"
#include "host/config/feature_gates.hpp"
#include "host/upstream/controllers_flag.hpp"
#include "sandbox/metrics/metric_board.hpp"

namespace davit::host {

enum class SandboxSecurity { kTls, kPlain };
enum class SandboxAccess { kLoopbackOnly, kAnyAddress };
enum class SandboxAuthorization { kRbac, kAlwaysAllow };

/// Flags as given.
struct SandboxOptions {
  std::string address = "127.0.0.1";
  std::optional<int> port;  ///< Nothing: 6443 if that is free, else any. 0: any.
  SandboxSecurity security = SandboxSecurity::kTls;
  SandboxAccess access = SandboxAccess::kLoopbackOnly;
  SandboxAuthorization authorization = SandboxAuthorization::kRbac;
  NodeFlags nodes;
  std::vector<std::string> controllers = {"*"};
  std::vector<std::string> plugin_directories;  ///< Empty: the installed one.
  std::string data_file;                        ///< Empty: in memory.
  std::string faults_file;                      ///< Empty: none.
  std::string kubeconfig;                       ///< The file to write; empty: the default path.
  std::string token_file;                       ///< Empty: none.
  /// The groups of metrics: "resource", "custom", "external"; "none" alone: none.
  std::vector<std::string> metrics = {"resource", "custom", "external"};
  std::string usage_cpu = "1m";            ///< Each container's.
  std::string usage_memory = "8Mi";        ///< Each container's.
  std::vector<std::string> feature_gates;  ///< "Name=bool,…" each.
  std::string service_ranges = "10.0.0.0/24";
  /// The addresses of Services of type LoadBalancer, if there is a cloud. The default is reserved
  /// for documentation (RFC 5737, RFC 3849), so no route leads there.
  std::string load_balancer_range = "203.0.113.0/24,2001:db8:1::/120";
  int verbosity = 0;
};

/// Signs certificates with the sandbox's authority.
inline constexpr std::string_view kSigningController =
    "certificatesigningrequest-signing-controller";

/// In --controllers: all controllers of the plugins that are on by default.
inline constexpr std::string_view kPluginControllers = "plugins";

/// The controllers that --controllers may name.
struct SandboxControllers {
  bool garbage_collector = false;
  bool namespaces = false;
  bool events = false;            ///< Expiry of Events.
  bool accounts = false;          ///< Pods get ServiceAccounts, which they wait for.
  bool default_accounts = false;  ///< The ServiceAccount `default` of each namespace.
  bool root_ca = false;           ///< The ConfigMap `kube-root-ca.crt` of each namespace.
  bool nodes = false;
  bool scheduler = false;
  bool volumes = false;              ///< Binds claims to volumes that exist in name only.
  bool storage = false;              ///< The simulated CSI driver, and nodes that mount.
  bool devices = false;              ///< The simulated device driver, and nodes that prepare.
  bool cloud = false;                ///< Nodes of a cloud; the plugin pools plays it.
  std::vector<std::string> plugins;  ///< Those of plugins that run in the same process.
};

/// The kinds, as "jobs.batch", that no controller acts on although kube-controller-manager has one.
[[nodiscard]] std::vector<std::string> kinds_without_controller(const SandboxControllers& running);

/// The settings of a sandbox.
struct SandboxSettings {
  SandboxOptions options;
  SandboxControllers controllers;
  sandbox::MetricOptions metrics;
  GateSettings feature_gates;  ///< For the server and the controllers of plugins.
  std::string credentials_file;
  std::string account_key_file;              ///< Signs the tokens that Secrets carry.
  std::string authority_file;                ///< The authority's certificate, for signers.
  std::string authority_key_file;            ///< Its private key.
  std::string kubeconfig_directory;          ///< For a kubeconfig that was given no place.
  std::vector<std::string> certificate_for;  ///< The addresses that the server's certificate names.
  std::string client_address;                ///< The server's address for clients on this machine.
};

/// The value of an environment variable, nothing when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Whether --controllers may mean a controller of a plugin, so that the plugins' files count.
[[nodiscard]] bool may_run_plugins(const SandboxOptions& options);

/// kInvalid with the mistake: an address that is none, or not of the loopback although nothing
/// allows that; an unknown controller; no directory for the credentials. `plugins` are the
/// controllers of the plugins at hand.
[[nodiscard]] Result<SandboxSettings> merge_sandbox_settings(
    const SandboxOptions& options, const Environment& environment,
    const std::vector<KnownController>& plugins = {});

/// The configuration, as JSON, without which a plugin's controller does not fit the sandbox; empty:
/// it needs none.
[[nodiscard]] std::string sandbox_config_of(std::string_view controller,
                                            const SandboxSettings& settings);

/// The kubeconfig's path: "DIRECTORY/sandbox-PORT.kubeconfig", or the one that the user chose.
[[nodiscard]] std::string kubeconfig_path(const SandboxSettings& settings, std::uint16_t port);
/// "https://127.0.0.1:6443"
[[nodiscard]] std::string sandbox_url(const SandboxSettings& settings, std::uint16_t port);

}  // namespace davit::host
