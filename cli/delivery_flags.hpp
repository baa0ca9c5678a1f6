/// The flags of the commands that deliver plugins (cli/plugin_delivery.hpp).
#pragma once

#include <functional>
#include <iosfwd>

#include "cli/plugin_delivery.hpp"

namespace CLI {
class App;
}

namespace davit::host {

struct DeliveryOptions {
  PluginBundleOptions bundle;
  PluginPushOptions push;
  PluginPullOptions pull;
  PluginInstallOptions install;
};

/// Adds the commands below `davit plugin`. `chosen` is set to what a command does when it is given.
/// The references outlive the parsing.
void add_delivery_commands(CLI::App& plugin, DeliveryOptions& options, std::function<int()>& chosen,
                           std::ostream& out, std::ostream& err);

/// Adds the flags about the way to registries.
void add_registry_flags(CLI::App& app, RegistryFlags& flags);

}  // namespace davit::host
