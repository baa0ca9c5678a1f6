/// --config of `davit plugin validate` and `davit dev`: a file with the content of the manifest's
/// plugins[].controllers[].config.
#pragma once

#include <davit/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

/// One configuration.
struct ControllerConfig {
  std::string controller;  ///< Empty: the only controller of the plugin.
  std::string file;
  std::string json;  ///< JSON text of an object.
};

/// Reads "FILE" or "CONTROLLER=FILE" of each flag, YAML or JSON. kInvalid: one line per mistake,
/// with file and line.
[[nodiscard]] Result<std::vector<ControllerConfig>> read_controller_configs(
    const std::vector<std::string>& flags);

/// Whether each configuration is for one of `controllers`, and no two for the same one. The error
/// names those that there are.
[[nodiscard]] Status check_controller_configs(std::span<const ControllerConfig> configs,
                                              const std::vector<std::string>& controllers);

/// The text for a controller; empty if there is none.
[[nodiscard]] std::string config_for(std::span<const ControllerConfig> configs,
                                     std::string_view controller);

}  // namespace davit::host
