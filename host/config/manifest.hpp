/// The host's manifest: `apiVersion: davit.dev/v1alpha1`, `kind: ControllerHost`. The members'
/// initial values are the defaults; docs/manifest.schema.json repeats them and a test compares.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {

inline constexpr const char* kManifestApiVersion = "davit.dev/v1alpha1";
inline constexpr const char* kManifestKind = "ControllerHost";

inline constexpr const char* kContentTypeProtobuf = "application/vnd.kubernetes.protobuf";
inline constexpr const char* kContentTypeJson = "application/json";

struct ClientSettings {
  std::string kubeconfig;  ///< Relative paths are relative to the manifest.
  std::string master;
  double qps = 20;  ///< Per controller; 0 or less: no limit.
  int burst = 30;
  /// The form of built-in kinds in responses: kContentTypeProtobuf or kContentTypeJson.
  std::string content_type = kContentTypeProtobuf;
};

struct LeaderElectionSettings {
  bool enabled = true;
  std::string name = "davit";
  std::string ns = "kube-system";
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
};

/// The server for health, metrics and debug.
struct HealthSettings {
  std::string bind_address = "127.0.0.1";
  int port = 10257;  ///< 0: any free port.
};

struct LoggingSettings {
  int verbosity = 0;
  LogFormat format = LogFormat::kText;
};

/// When a build of a plugin that crashes is left out of the next start.
struct QuarantineSettings {
  int crashes = 3;  ///< 0: never.
  Duration window = std::chrono::minutes(10);
};

/// The manifest's settings of one controller of a plugin.
struct ControllerSettings {
  std::optional<bool> enabled;           ///< Nothing: the `controllers` list decides.
  std::optional<std::uint32_t> workers;  ///< Nothing: what the plugin declares.
  std::string config;                    ///< JSON text of an object; empty: none.
  int line = 0;                          ///< Line of the controller's name in the manifest.
  int column = 0;
};

/// After a swap: how long the new build is watched, and how many of its syncs may fail.
struct SwapSettings {
  Duration watch_for = Duration::zero();  ///< Zero: it is not.
  int max_error_percent = 20;
};

struct PluginSettings {
  std::string
      name;  ///< Looked up as <name>.so in the plugin directories; empty when `path` is set.
  std::string path;  ///< Absolute, or relative to the manifest already made absolute.
  bool enabled = true;
  std::string sha256;  ///< 64 lower-case hex digits; empty: any content.
  std::map<std::string, ControllerSettings> controllers;  ///< The key is a name or alias.
  int line = 0;                                           ///< Line of the entry in the manifest.
  int column = 0;

  /// Name or path, for messages.
  [[nodiscard]] const std::string& label() const { return name.empty() ? path : name; }
};

struct Manifest {
  ClientSettings client;
  LeaderElectionSettings leader_election;
  HealthSettings health;
  LoggingSettings logging;
  std::vector<std::string> controllers = {"*"};  ///< As --controllers.
  Duration controller_start_interval = Duration::zero();
  Duration controller_shutdown_timeout = std::chrono::seconds(10);  ///< Zero: wait without a limit.
  bool dry_run = false;
  /// The directory of the crash records; absolute. Empty: the default one.
  std::string state_directory;
  QuarantineSettings quarantine;
  SwapSettings swap;
  std::vector<std::string> plugin_directories;  ///< Absolute; empty: the installed one.
  /// Nothing: every plugin found in the plugin directories.
  std::optional<std::vector<PluginSettings>> plugins;
};

/// Either a manifest without mistakes, or all its mistakes.
struct ManifestResult {
  Manifest manifest;
  std::vector<Mistake> mistakes;  ///< In the order of the file.

  [[nodiscard]] bool ok() const { return mistakes.empty(); }
};

[[nodiscard]] ManifestResult load_manifest(const std::string& path);
/// As load_manifest(), for text that came from `path`.
[[nodiscard]] ManifestResult parse_manifest(std::string_view text, const std::string& path);

/// Rules between settings, which flags may break as well: empty, or what is wrong in one line.
/// Names the manifest's keys (k8s.io/client-go/tools/leaderelection.NewLeaderElector).
[[nodiscard]] std::string check_leader_election(const LeaderElectionSettings& settings);

}  // namespace davit::host
