/// The flags of `davit plugin validate`.
#pragma once

#include <functional>

#include "host/cli/validate_command.hpp"

namespace CLI {
class App;
}

namespace davit::host {

/// Adds `validate` to the command `plugin`; `chosen` is set to `run` when it is given. The
/// references outlive the parsing.
void add_plugin_validate(CLI::App& plugin, PluginValidateOptions& options,
                         std::function<int()>& chosen,
                         const std::function<int(const PluginValidateOptions&)>& run);

}  // namespace davit::host
