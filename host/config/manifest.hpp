/// The host's manifest: `apiVersion: davit.dev/v1alpha1`, `kind: ControllerHost`. The members'
/// initial values are the defaults; docs/manifest.schema.json repeats them, and a test compares
/// both.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/config/feature_gates.hpp"
#include "host/config/leader_migration.hpp"
#include "host/config/metric_settings.hpp"
#include "host/config/plugin_signatures.hpp"
#include "host/config/serving_settings.hpp"
#include "host/config/tracing_config.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/log_modules.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {

inline constexpr const char* kManifestApiVersion = "davit.dev/v1alpha1";
inline constexpr const char* kManifestKind = "ControllerHost";

inline constexpr const char* kContentTypeProtobuf = "application/vnd.kubernetes.protobuf";
inline constexpr const char* kContentTypeJson = "application/json";

struct ClientSettings {
  std::string kubeconfig;  ///< Relative paths are relative to the manifest.
  std::string master;
  double qps = 20;  ///< Per controller; 0: client-go's default, 5; below 0: no limit.
  int burst = 30;   ///< 0: client-go's default, 10.
  /// The content type of built-in kinds in responses: kContentTypeProtobuf or kContentTypeJson.
  std::string content_type = kContentTypeProtobuf;
  /// Each controller acts as its own ServiceAccount.
  bool service_account_credentials = false;
  std::string user_agent;     ///< Precedes the client's name; empty: davit's own.
  std::string field_manager;  ///< The owner in managedFields; empty: the user agent's first word.
  /// As --min-resync-period: controllers get every unchanged object again after one to two times
  /// this period; zero: never.
  Duration min_resync_period = std::chrono::hours(12);
};

/// The rate and burst of requests, as client-go interprets its settings.
struct ClientRate {
  double qps = 0;  ///< Below 0: no limit.
  int burst = 0;
};

struct LeaderElectionSettings {
  bool enabled = true;
  std::string name = "davit";
  std::string ns = "kube-system";
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
  bool migrates = false;         ///< Some controllers run under the lease of a migration.
  std::string migration_config;  ///< Its file, absolute; empty: upstream's default.
  LeaderMigration migration;     ///< The content of that file. Empty in a manifest as it is read.

  /// The lease under which a controller runs. This component is named after its own lease.
  [[nodiscard]] ControllerLease lease_of(std::string_view controller) const {
    return enabled && migrates ? migration.lease_of(controller, name) : ControllerLease::kMain;
  }
};

/// The server for plain HTTP without authentication.
struct HealthSettings {
  std::string bind_address = "127.0.0.1";  ///< An address of the loopback interface.
  int port = -1;                           ///< -1: none; 0: any free port.
};

struct LoggingSettings {
  int verbosity = 0;
  LogFormat format = LogFormat::kText;
  std::vector<std::string> modules = {};  ///< As --vmodule: "pattern=N".
};

/// When the next start leaves out a build of a plugin that crashes.
struct QuarantineSettings {
  int crashes = 3;  ///< 0: never.
  Duration window = std::chrono::minutes(10);
};

/// The record of the controllers' work, which `davit why` reads.
struct JournalSettings {
  std::int64_t bytes = std::int64_t{8} << 20;  ///< For all controllers; 0: nothing is kept.
};

/// The manifest's settings of one controller of a plugin.
struct ControllerSettings {
  std::optional<bool> enabled;           ///< Nothing: the `controllers` list decides.
  std::optional<std::uint32_t> workers;  ///< Nothing: as the plugin declares.
  std::string config;                    ///< JSON text of an object; empty: none.
  int line = 0;                          ///< Line of the controller's name in the manifest.
  int column = 0;
};

/// Overrides `settings` with the values that `winner` has; merges the configuration by member.
void lay_over(const ControllerSettings& winner, ControllerSettings& settings);

/// After a swap: how long the new build is on probation, and how many of its syncs may fail.
struct SwapSettings {
  Duration watch_for = Duration::zero();  ///< Zero: no probation.
  int max_error_percent = 20;
};

struct PluginSettings {
  /// The name that the file must declare; may be empty if `path` is set. Without a path, <name>.so
  /// is searched for in the plugin directories.
  std::string name;
  std::string path;  ///< Absolute, or relative to the manifest already made absolute.
  /// A reference to a bundle in a registry (OciReference); empty: none. Pulling it sets `path`.
  std::string source;
  bool enabled = true;
  std::string sha256;  ///< 64 lower-case hex digits; empty: any content.
  std::map<std::string, ControllerSettings> controllers;  ///< The key is a name or alias.
  int line = 0;                                           ///< Line of the entry in the manifest.
  int column = 0;

  /// Name, source or path, for messages.
  [[nodiscard]] const std::string& label() const {
    if (!name.empty()) return name;
    return source.empty() ? path : source;
  }
};

/// The way to the registries of `source`.
struct PluginSourceSettings {
  /// For pulled plugins; absolute. Empty: a folder in the state directory.
  std::string cache_directory;
  std::string login_file;  ///< docker's config.json; absolute. Empty: where docker has it.
  std::string ca_file;     ///< PEM file; absolute. Empty: the system's authorities.

  friend bool operator==(const PluginSourceSettings&, const PluginSourceSettings&) = default;
};

struct Manifest {
  ClientSettings client;
  LeaderElectionSettings leader_election;
  HealthSettings health;
  ServingSettings serving;
  AuthenticationSettings authentication;
  AuthorizationSettings authorization;
  LoggingSettings logging;
  MetricSettings metrics;
  TracingSettings tracing;
  std::vector<std::string> controllers = {"*"};  ///< As --controllers.
  /// Indexed by name or alias, for any plugin; overrides `plugins`. Flags of controllers are stored
  /// here.
  std::map<std::string, ControllerSettings> controller_settings;
  GateSettings feature_gates;  ///< As --feature-gates.
  Duration controller_start_interval = Duration::zero();
  Duration controller_shutdown_timeout = std::chrono::seconds(10);  ///< Zero: wait without a limit.
  bool dry_run = false;
  /// The directory of the crash records; absolute. Empty: the default directory.
  std::string state_directory;
  QuarantineSettings quarantine;
  JournalSettings journal;
  SwapSettings swap;
  SignatureSettings plugin_signatures;
  PluginSourceSettings plugin_sources;
  std::vector<std::string> plugin_directories;  ///< Absolute; empty: the installed one.
  /// Nothing: every plugin found in the plugin directories.
  std::optional<std::vector<PluginSettings>> plugins;
};

/// A manifest without mistakes, or all mistakes of the file.
struct ManifestResult {
  Manifest manifest;
  std::vector<Mistake> mistakes;  ///< In the order of the file.

  [[nodiscard]] bool ok() const { return mistakes.empty(); }
};

[[nodiscard]] ManifestResult load_manifest(const std::string& path);
/// Like load_manifest(), for text that was read from `path`.
[[nodiscard]] ManifestResult parse_manifest(std::string_view text, const std::string& path);

/// Why the server would refuse a value of `fieldManager`, in one line, or empty
/// (k8s.io/apimachinery/pkg/apis/meta/v1/validation.ValidateFieldManager).
[[nodiscard]] std::string check_field_manager(const std::string& value);
/// The same for a user agent, which must be valid in a header.
[[nodiscard]] std::string check_user_agent(const std::string& value);
/// The rate that the settings result in. Rule: docs/spec/runtime.md, 1.
[[nodiscard]] ClientRate effective_rate(const ClientSettings& settings);
/// The same for a controller's client; `controller` may be empty. The autoscaler reads the scale
/// and metrics of each object in each period: its rate allows 1,000 objects with one write each in
/// 15 s. Rule: docs/spec/hpa.md, D7.
[[nodiscard]] ClientRate controller_rate(const ClientSettings& settings,
                                         std::string_view controller);

/// Checks that a rate has a burst: empty, or the error in one line
/// (k8s.io/client-go/kubernetes.NewForConfigAndClient).
[[nodiscard]] std::string check_client(const ClientSettings& settings);
/// The modules of a --vmodule value with these parts.
[[nodiscard]] Result<LogModules> log_modules(const std::vector<std::string>& parts);
/// Checks rules between the settings of the log: empty, or the error in one line.
[[nodiscard]] std::string check_logging(const LoggingSettings& settings);
/// The HTTPS port; 0: none.
[[nodiscard]] int secure_port(const Manifest& manifest);
/// Whether an address belongs to the loopback interface.
[[nodiscard]] bool is_loopback(std::string_view address);

/// Checks rules between settings, which flags may also violate: empty, or the error in one line,
/// with the manifest's keys (k8s.io/client-go/tools/leaderelection.NewLeaderElector).
[[nodiscard]] std::string check_leader_election(const LeaderElectionSettings& settings);

}  // namespace davit::host
