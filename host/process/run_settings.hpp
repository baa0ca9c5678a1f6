/// The settings of a host: its manifest with the flags laid over it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/config/manifest.hpp"

namespace davit::host {

/// The settings of a run.
struct RunSettings {
  Manifest manifest;          ///< With the flags laid over it.
  std::string manifest_path;  ///< Empty without a manifest.
  /// Keyed by controller name or alias; wins over plugins[].controllers[].workers.
  std::map<std::string, std::uint32_t> workers;
  std::vector<std::string> warnings = {};  ///< For the operator: what was given and has no effect.
};

/// Settings, or every mistake in them. Mistakes in flags name no file.
struct SettingsResult {
  RunSettings settings;
  std::vector<Mistake> mistakes;

  [[nodiscard]] bool ok() const { return mistakes.empty(); }
};

}  // namespace davit::host
