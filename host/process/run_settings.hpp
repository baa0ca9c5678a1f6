/// The settings of a host: its manifest, with flags laid over it, and the rules between them.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <map>
#include <string>
#include <vector>

#include "host/config/kubeconfig.hpp"
#include "host/config/manifest.hpp"
#include "lib/base/log.hpp"

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

/// The settings in a manifest, without flags: read_manifest(), apply_gates() and check_settings().
[[nodiscard]] SettingsResult load_settings(const std::string& path);

/// Reads a manifest that only the user of this process may write.
[[nodiscard]] SettingsResult read_manifest(const std::string& path);

/// Gates that controllers of davit have as members of their configuration. A member that is set
/// wins.
void apply_gates(Manifest& manifest);

/// Whether a manifest could be read. Rules between its settings are only checked if it could.
enum class ManifestState { kGood, kMistaken };

/// Reads the files that the settings name, and adds the mistakes in them and between settings.
void check_settings(SettingsResult& result, ManifestState manifest);

/// check_connection_files(), and warns of serving keys that other users can read. SecureServing
/// checks the kubeconfigs for reviews.
[[nodiscard]] Status check_files(const ConnectionConfig& connection, const Manifest& manifest,
                                 const Logger& log);

/// The lookup of the server and the identity; empty `kubeconfig`: from the environment.
[[nodiscard]] KubeconfigOptions lookup_of(const std::string& kubeconfig);
/// The same as the settings of a host describe it.
[[nodiscard]] KubeconfigOptions lookup_of(const ClientSettings& client);

}  // namespace davit::host
