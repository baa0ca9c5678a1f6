/// The flags of `davit run` and what they and the manifest come down to. No CLI11 in here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/config/manifest.hpp"
#include "host/process/run_settings.hpp"

namespace davit::host {

/// Flags as given; what was not given has no value.
struct RunOptions {
  std::string manifest;  ///< --manifest; empty: every installed plugin with its defaults.
  std::optional<std::string> kubeconfig;
  std::optional<std::string> master;
  std::optional<double> qps;
  std::optional<int> burst;
  std::optional<std::string> content_type;
  std::optional<bool> service_account_credentials;
  std::optional<std::string> user_agent;
  std::optional<std::string> field_manager;
  std::optional<std::vector<std::string>> controllers;
  std::optional<bool> leader_elect;
  std::optional<std::string> lease_name;
  std::optional<std::string> lease_namespace;
  std::optional<Duration> lease_duration;
  std::optional<Duration> renew_deadline;
  std::optional<Duration> retry_period;
  std::optional<bool> leader_migration;
  /// --allow-kube-controller-manager: start beside one that runs the same controllers.
  bool allow_kube_controller_manager = false;
  std::optional<std::string> migration_config;
  std::optional<Duration> controller_start_interval;
  std::optional<Duration> controller_shutdown_timeout;
  std::optional<int> port;  ///< --port: of plain HTTP.
  /// Changes by the flags for HTTPS, authentication, authorization, metrics and logs, in their
  /// order.
  std::vector<std::function<void(Manifest&)>> changes;
  std::optional<int> verbosity;
  std::optional<LogFormat> log_format;
  std::optional<bool> dry_run;
  std::optional<std::string> state_directory;
  std::optional<int> quarantine_crashes;
  std::optional<Duration> quarantine_window;
  enum class Watch { kNo, kYes };
  Watch watch = Watch::kNo;  ///< --watch: swap plugins whose files change.
  enum class CoreDumps { kForbidden, kAllowed };
  CoreDumps core_dumps = CoreDumps::kForbidden;  ///< --core-dumps.
  /// --control-socket; empty: none. Without it, the default one, if it can be had.
  std::optional<std::string> control_socket;
  std::vector<std::string> plugin_directories;  ///< --plugin-dir; empty: the manifest's.
  /// --workers NAME=N and --concurrent-<alias>-syncs N, by name or alias.
  std::map<std::string, std::uint32_t> workers;
  /// kube-controller-manager's flags of controllers, by the controller's name.
  std::map<std::string, ControllerSettings> controller_settings;
  GateSettings feature_gates;         ///< --feature-gates.
  std::vector<std::string> warnings;  ///< One line for each flag without effect.
  std::vector<std::string> problems;  ///< One line for each value that is not allowed.
};

/// Lays the flags over a manifest.
[[nodiscard]] Manifest merge(Manifest manifest, const RunOptions& options);

/// Loads the manifest if one is named, lays the flags over it and checks the rules between them.
[[nodiscard]] SettingsResult merge_settings(const RunOptions& options);

}  // namespace davit::host
