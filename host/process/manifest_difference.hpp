/// The steps that bring a running host from one manifest to another.
#pragma once

#include <string>
#include <vector>

#include "host/config/manifest.hpp"
#include "host/process/desired_state.hpp"

namespace davit::host {

/// One order to the set of plugins.
struct PluginStep {
  enum class Kind {
    kUnload,
    kDisable,    ///< A controller.
    kSwap,       ///< Another file, or the same one with other settings.
    kConfigure,  ///< A controller, with another configuration.
    kEnable,     ///< A controller.
    kLoad,
  };
  Kind kind = Kind::kLoad;
  std::string name;  ///< The plugin's or the controller's name.

  friend bool operator==(const PluginStep&, const PluginStep&) = default;
};

/// The steps for one plugin, in their required order; null: the plugin is not configured. A file
/// with another digest is not a difference: files are watched separately.
[[nodiscard]] std::vector<PluginStep> steps_between(const DesiredPlugin* now,
                                                    const DesiredPlugin* wanted);

/// "unload", "disable", ...
[[nodiscard]] std::string_view to_string(PluginStep::Kind kind);

/// The keys whose values differ and that a host reads only when it starts, as the manifest writes
/// them.
[[nodiscard]] std::vector<std::string> fixed_settings_that_differ(const Manifest& now,
                                                                  const Manifest& wanted);

}  // namespace davit::host
