/// Lets a running host follow its manifest and the files of its plugins: `davit run --watch`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/process/desired_state.hpp"
#include "host/process/host_process.hpp"
#include "host/process/manifest_difference.hpp"
#include "host/process/run_settings.hpp"
#include "host/swap/plugin_watch.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Applies changes of the manifest and nothing else, so that orders of `davit ctl` remain in effect
/// until the manifest changes the same setting. A manifest with errors changes nothing; errors and
/// failures are logged and reported by the host's health check `manifest`. If no manifest lists
/// plugins, the plugins in the directories are the list. Changes that arrive during an operation
/// are applied after it, in the state that they have then. One thread at a time.
class ManifestFollower {
 public:
  /// Rereads the settings: the current manifest, overridden by the flags.
  using Reader = std::function<SettingsResult()>;

  /// Takes a started host, its settings at the start, and what it runs because of them. `host` must
  /// outlive this.
  ManifestFollower(HostProcess& host, Reader read_settings, const RunSettings& started_with,
                   DesiredState applied, Logger log);

  /// The manifest, if there is one, every plugin's file, and the directories that are the list of
  /// plugins; absolute.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

  /// Called when one of files() has changed and is complete.
  void changed(const std::filesystem::path& file);

 private:
  /// Applies the present settings; `mistake` begins the report of a mistake in them.
  void settings_changed(std::string_view mistake);
  void try_settings(std::string_view mistake);
  void plugin_changed(const std::filesystem::path& file);
  void try_plugin(const std::filesystem::path& file);
  /// Notes whether it has met another order.
  [[nodiscard]] SwapReport watched(SwapReport report);
  [[nodiscard]] std::vector<std::string> apply(const DesiredState& wanted);
  [[nodiscard]] std::string apply(const DesiredPlugin* wanted, const std::string& name);
  [[nodiscard]] SwapReport carry_out(const PluginStep& step, const DesiredPlugin* wanted);
  /// A plugin of a directory that is the list, which is not applied.
  [[nodiscard]] bool is_new(const std::filesystem::path& file) const;
  [[nodiscard]] bool is_quarantined(const std::string& plugin) const;

  HostProcess& host_;
  const Reader read_settings_;
  const std::filesystem::path manifest_path_;  // Empty: there is none.
  const Manifest manifest_;                    // As read at the start.
  const Logger log_;
  DesiredState applied_;
  std::set<std::filesystem::path> directories_;  // That are the list of plugins.
  bool met_another_ = false;  // An order was refused because another is in progress.
};

/// Follows the files until it is destroyed. The follower must outlive it.
[[nodiscard]] Result<std::unique_ptr<PluginWatch>> watch_files(ManifestFollower& follower);

}  // namespace davit::host
