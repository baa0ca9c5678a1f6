/// Decides which controllers run: from settings to loaded plugins.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/crash/quarantine.hpp"
#include "host/loading/staging.hpp"
#include "host/process/desired_state.hpp"
#include "host/process/host_process.hpp"
#include "host/process/run_settings.hpp"

namespace davit::host {

/// The controllers that --controllers leaves, in the order of the plugins, with their settings.
/// They share the plugins' code: it leaves memory with the last of them.
class HostPlan {
 public:
  /// Loads the plugins except those in `quarantine` (null: none), which are recorded there as left
  /// out. Nothing if there are errors; all of them are then on `err`, one per line.
  [[nodiscard]] static std::optional<HostPlan> make(const RunSettings& settings, std::ostream& err,
                                                    Quarantine* quarantine = nullptr);

  [[nodiscard]] std::vector<PlannedController>& controllers() { return controllers_; }
  [[nodiscard]] const std::vector<std::string>& disabled() const { return disabled_; }
  /// The state that the settings ask for, even if it could not be loaded.
  [[nodiscard]] const DesiredState& desired() const { return desired_; }

 private:
  Status add(const DesiredPlugin& plugin, const SignatureSettings& signatures,
             StagingDirectory& staging);

  DesiredState desired_;
  std::vector<PlannedController> controllers_;
  std::vector<std::string> disabled_;
};

}  // namespace davit::host
