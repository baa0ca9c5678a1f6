/// The settings in force, as values of flags: what /flagz and /configz are made of.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "host/config/manifest.hpp"
#include "host/upstream/flag_table.hpp"
#include "lib/base/log.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {

/// The settings at one moment.
struct SettingsInForce {
  /// The settings of the start, flags included.
  Manifest manifest = {};
  /// The settings of each controller, which a changed manifest may replace, by its name.
  std::map<std::string, ControllerSettings> controllers = {};
  int verbosity = 0;  ///< The log's, which changes while the host runs.
};

/// The values of flags, by name without dashes.
using FlagValues = std::map<std::string, Json, std::less<>>;

/// All flags of kube-controller-manager v1.36, with the value that counts, as read_flag() returns
/// it: flags without effect have their default. Pure.
[[nodiscard]] FlagValues upstream_flags_in_force(const SettingsInForce& settings);

/// The flags of davit that belong to the manifest. Pure.
[[nodiscard]] FlagValues own_flags_in_force(const SettingsInForce& settings);

/// Writes a line for each flag, `FLAG: --name="value"`, as upstream does at its start, if the
/// verbosity is at least 1. None of the flags has a secret.
void log_flags(const SettingsInForce& settings, const Logger& log);

/// The value as Go's flags print it: "[a,b]", "1m30s", "0.5", and the object of --feature-gates as
/// ":Gate=true,:Other=false".
[[nodiscard]] std::string flag_text(const Json& value);

}  // namespace davit::host
