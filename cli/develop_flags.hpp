/// The flags of `davit plugin validate` and `davit dev`.
#pragma once

#include <functional>

#include "cli/dev_command.hpp"
#include "cli/validate_command.hpp"

namespace CLI {
class App;
}

namespace davit::host {

/// Adds `validate` to the command `plugin`; `chosen` is set to `run` when it is given. The
/// references outlive the parsing.
void add_plugin_validate(CLI::App& plugin, PluginValidateOptions& options,
                         std::function<int()>& chosen,
                         const std::function<int(const PluginValidateOptions&)>& run);

/// The same for `dev`.
void add_dev_command(CLI::App& app, DevOptions& options, std::function<int()>& chosen,
                     const std::function<int(const DevOptions&)>& run);

}  // namespace davit::host
