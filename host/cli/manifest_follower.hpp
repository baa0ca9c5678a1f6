/// Lets a running host follow its manifest and the files of its plugins: `davit run --watch`.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "host/base/log.hpp"
#include "host/cli/desired_state.hpp"
#include "host/cli/host_process.hpp"
#include "host/cli/manifest_difference.hpp"
#include "host/cli/options.hpp"
#include "host/swap/plugin_watch.hpp"

namespace davit::host {

/// Applies what has changed and nothing else, so that orders given with `davit ctl` stay where the
/// manifest does not speak of them anew. A manifest with a mistake changes nothing; mistakes, and
/// what could not be done, are logged and noted with the host's health checks as `manifest`.
/// One thread at a time.
class ManifestFollower {
 public:
  /// A started host, what it was started with, and what it runs because of that. `host` must
  /// outlive this.
  ManifestFollower(HostProcess& host, RunOptions options, Manifest manifest, DesiredState applied,
                   Log log);

  /// The manifest, if there is one, and every plugin's file; absolute.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

  /// One of files() has changed and is whole.
  void changed(const std::filesystem::path& file);

 private:
  void manifest_changed();
  void plugin_changed(const std::filesystem::path& file);
  [[nodiscard]] std::vector<std::string> apply(const DesiredState& wanted);
  [[nodiscard]] std::string apply(const DesiredPlugin* wanted, const std::string& name);
  [[nodiscard]] SwapReport carry_out(const PluginStep& step, const DesiredPlugin* wanted);
  [[nodiscard]] bool is_left_out(const std::string& plugin) const;

  HostProcess& host_;
  const RunOptions options_;
  const std::filesystem::path manifest_path_;  // Empty: there is none.
  const Manifest manifest_;                    // Of the start.
  const Log log_;
  DesiredState applied_;
};

/// Follows the files until it is destroyed. The follower must outlive it.
[[nodiscard]] Result<std::unique_ptr<PluginWatch>> watch_files(ManifestFollower& follower);

}  // namespace davit::host
