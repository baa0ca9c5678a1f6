/// `davit plugin bundle`, `push`, `pull` and `install`: plugins on their way to a host
/// (docs/DELIVERY.md).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "host/outbound/outbound_client.hpp"

namespace davit::host {

/// The way to registries.
struct RegistryFlags {
  std::string login_file;       ///< Empty: docker's.
  std::string ca_file;          ///< Empty: the system's roots.
  OutboundConnector connect{};  ///< Empty: over sockets.
};

struct PluginBundleOptions {
  std::string output;             ///< Folder, or a file that ends with .tar.
  std::vector<std::string> crds;  ///< Files.
  std::string config_schema;
  std::string readme;
  std::string manifest;            ///< Empty: a plain entry is made.
  std::vector<std::string> files;  ///< One .so for each machine, perhaps with a .sig beside it.
};

/// Writes the bundle of a plugin as an image layout and prints its digest. 2: the files do not fit
/// together, or one of them is not usable.
[[nodiscard]] int run_plugin_bundle(const PluginBundleOptions& options, std::ostream& out,
                                    std::ostream& err);

struct PluginPushOptions {
  std::string layout;
  std::string reference;
  RegistryFlags registry;
};

/// Uploads a bundle and prints its reference with the digest. 1: the registry refused; 2: nothing
/// was sent.
[[nodiscard]] int run_plugin_push(const PluginPushOptions& options, std::ostream& out,
                                  std::ostream& err);

struct PluginPullOptions {
  std::string reference;
  std::string output;  ///< Folder, or a file that ends with .tar.
  RegistryFlags registry;
};

/// Downloads a bundle for every machine and prints its digest.
[[nodiscard]] int run_plugin_pull(const PluginPullOptions& options, std::ostream& out,
                                  std::ostream& err);

struct PluginInstallOptions {
  std::string source;             ///< A reference, or the path of an image layout.
  std::string name;               ///< The plugin that it must be; empty: any, if pinned.
  std::string directory;          ///< For the plugin; empty: the installed one.
  std::string files;              ///< Folder for the other files; empty: they are left out.
  std::vector<std::string> keys;  ///< Public keys in base64.
  std::string manifest;           ///< Its pluginSignatures are also used; empty: none.
  RegistryFlags registry;
};

/// Writes the plugin for this machine and its signature into a directory of plugins. 1: the source
/// has nothing that fits; 2: nothing says that it may be believed, or the plugin is refused.
[[nodiscard]] int run_plugin_install(const PluginInstallOptions& options, std::ostream& out,
                                     std::ostream& err);

/// The tag of the newest release above `version`; empty: none. Tags of fewer than three numbers
/// move, and pre-releases are for those who ask.
[[nodiscard]] std::string newest_above(const std::string& version,
                                       const std::vector<std::string>& tags);

struct PluginOutdatedOptions {
  std::vector<std::string> directories;  ///< Empty: the installed one.
  RegistryFlags registry;
};

/// Prints a line for each installed plugin whose registry has a newer version. Returns 0, or 1 if a
/// registry did not respond.
[[nodiscard]] int run_plugin_outdated(const PluginOutdatedOptions& options, std::ostream& out,
                                      std::ostream& err);

}  // namespace davit::host
