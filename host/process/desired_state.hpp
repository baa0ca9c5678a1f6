/// The plugins and controllers that the settings request, before anything is loaded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/loading/catalog.hpp"
#include "host/process/run_settings.hpp"
#include "host/upstream/controllers_flag.hpp"

namespace davit::host {

struct DesiredController {
  std::string name;
  std::optional<std::uint32_t> workers;  ///< A flag, else the manifest's, else nothing.
  std::string config;                    ///< JSON text of an object; empty: none.
  enum class Enabled { kNo, kYes };
  Enabled enabled = Enabled::kYes;

  friend bool operator==(const DesiredController&, const DesiredController&) = default;
};

struct DesiredPlugin {
  std::string name;
  std::filesystem::path file;
  std::string digest;                          ///< The file's present digest.
  std::string sha256;                          ///< The required digest, or empty.
  std::vector<DesiredController> controllers;  ///< Every declared controller, in declaration order.

  /// Those that are to run.
  [[nodiscard]] std::vector<std::string> enabled() const;
};

/// Either a state without mistakes, or all mistakes.
struct DesiredState {
  std::vector<DesiredPlugin> plugins;  ///< Those that the manifest enables, in its order.
  std::vector<Mistake> mistakes;       ///< Those of flags have no file.
  std::vector<std::string> warnings;   ///< One line for each setting without effect.

  [[nodiscard]] bool ok() const { return mistakes.empty(); }
  /// The plugin whose file this is, however the path is written; null when none is.
  [[nodiscard]] const DesiredPlugin* plugin_at(const std::filesystem::path& file) const;
  [[nodiscard]] const DesiredPlugin* plugin_named(std::string_view name) const;
};

/// The names that --controllers accepts, in the plugins' order.
[[nodiscard]] std::vector<KnownController> known_controllers(const Catalog& catalog);

/// Reads the plugins' files and runs nothing of them.
[[nodiscard]] DesiredState desired_state(const RunSettings& settings);

}  // namespace davit::host
