/// Resolves the names in a manifest to plugins and controllers, from the files on disk and their
/// declarations. Reads files, runs nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/config/manifest.hpp"
#include "host/loading/plugin_file.hpp"

namespace davit::host {

/// A controller that a plugin declares, with what the manifest says about it.
struct CatalogController {
  DeclaredController declared;
  ControllerSettings settings;  ///< Empty when the manifest does not name it.
};

struct CatalogPlugin {
  PluginFile file;
  PluginSettings settings;
  std::vector<CatalogController> controllers;  ///< In the order of the declaration.
};

/// Mistakes without a place in the manifest have line 0.
struct Catalog {
  std::vector<CatalogPlugin> plugins;  ///< Enabled ones, in the manifest's order.
  std::vector<Mistake> mistakes;       ///< Also what is wrong with a file.

  [[nodiscard]] bool ok() const { return mistakes.empty(); }
};

/// Finds every enabled plugin of `manifest` and checks: the file is there and may be loaded (see
/// judge_plugin), no two plugins or controllers have one name, and every controller that the
/// manifest names is declared. `file` names the manifest in mistakes; may be empty.
/// With `trust`, files are read that could be loaded, others are mistakes before they are parsed.
[[nodiscard]] Catalog resolve_plugins(const Manifest& manifest, const std::string& file,
                                      Trust trust = Trust::kIgnored);

/// The directories that are searched: the manifest's, else the default one.
[[nodiscard]] std::vector<std::string> plugin_directories(const Manifest& manifest);

}  // namespace davit::host
