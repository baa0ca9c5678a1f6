#include "cli/manifest_command.hpp"

#include <filesystem>
#include <ostream>

#include "host/loading/catalog.hpp"
#include "host/loading/declared_config.hpp"
#include "host/process/desired_state.hpp"
#include "host/process/exit_codes.hpp"
#include "host/upstream/controllers_flag.hpp"

namespace davit::host {
namespace {

/// Leaves only plugins whose files are here; names the others.
void keep_found(Manifest& manifest, std::vector<std::string>& missing) {
  const std::vector<std::string> directories = plugin_directories(manifest);
  if (!manifest.plugins) {
    if (list_plugins(directories)) return;
    manifest.plugins.emplace();
    missing.emplace_back("*");
    return;
  }
  std::erase_if(*manifest.plugins, [&](const PluginSettings& plugin) {
    std::error_code code;
    const bool found = plugin.source.empty() &&
                       (plugin.path.empty() ? find_plugin(plugin.name, directories).has_value()
                                            : std::filesystem::exists(plugin.path, code));
    if (!found && plugin.enabled) missing.push_back(plugin.label());
    return !found;
  });
}

/// Reports entries of `controllers` that match no plugin; impossible if a plugin is missing.
void check_controllers(const Manifest& manifest, const Catalog& catalog, const std::string& file,
                       std::vector<Mistake>& out) {
  const std::vector<KnownController> known = known_controllers(catalog);
  std::vector<std::string> ignored;  // `davit run` prints them.
  const std::vector<std::string> list =
      without_foreign_controllers(translate_aliases(manifest.controllers, known), known, ignored);
  for (const std::string& text : unknown_controllers(list, known)) {
    out.push_back({file, 0, 0, "controllers: " + text});
  }
  std::vector<std::string> named;
  for (const auto& each : manifest.controller_settings) named.push_back(each.first);
  for (const std::string& text : check_named_controllers(named, known, ignored)) {
    out.push_back({file, 0, 0, "controllerSettings: " + text});
  }
}

/// Reports what the notes of enabled controllers take from the configuration and do not find there.
void check_configuration(const Manifest& manifest, const Catalog& catalog, const std::string& file,
                         std::vector<Mistake>& out) {
  const std::vector<std::string> list =
      translate_aliases(manifest.controllers, known_controllers(catalog));
  for (const CatalogPlugin& plugin : catalog.plugins) {
    for (const CatalogController& each : plugin.controllers) {
      DeclaredController declared = each.declared;
      const bool off = declared.off_by_default && !each.settings.enabled;
      const bool runs =
          each.settings.enabled.value_or(true) && controller_enabled(list, declared.name, off);
      const Status configured = apply_config(declared, each.settings.config);
      if (!runs || configured.ok()) continue;
      out.push_back({file, each.settings.line, each.settings.column,
                     "controller " + declared.name + ": " + configured.message()});
    }
  }
}

}  // namespace

int run_manifest_check(const ManifestCheckOptions& options, std::ostream& out, std::ostream& err) {
  ManifestResult result = load_manifest(options.file);
  std::vector<std::string> missing;
  if (result.ok()) {
    keep_found(result.manifest, missing);
    const Catalog catalog = resolve_plugins(result.manifest, options.file);
    result.mistakes = catalog.mistakes;
    check_configuration(result.manifest, catalog, options.file, result.mistakes);
    if (catalog.ok() && missing.empty()) {
      check_controllers(result.manifest, catalog, options.file, result.mistakes);
    }
  }
  for (const Mistake& mistake : result.mistakes) err << mistake.str() << "\n";
  for (const std::string& name : missing) {
    (result.ok() ? out : err) << options.file << ": note: plugin " << name
                              << " is not on this machine; its controllers were not checked\n";
  }
  if (!result.ok()) return kExitMistakes;
  out << options.file << ": ok\n";
  return kExitGood;
}

}  // namespace davit::host
