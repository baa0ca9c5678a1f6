#include "host/process/desired_state.hpp"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "host/upstream/service_account_rules.hpp"

namespace davit::host {
namespace {

using Enabled = DesiredController::Enabled;

Enabled enabled(const CatalogController& controller, const std::vector<std::string>& wanted) {
  if (!controller.settings.enabled.value_or(true)) return Enabled::kNo;
  if (ignores_controllers_flag(controller.declared.name, controller.settings.config)) {
    return Enabled::kYes;
  }
  // `enabled: true` in the manifest switches on what is off by default.
  const bool off = controller.declared.off_by_default && !controller.settings.enabled;
  return controller_enabled(wanted, controller.declared.name, off) ? Enabled::kYes : Enabled::kNo;
}

/// The operator's number of workers: a flag, else the manifest's, else nothing.
std::optional<std::uint32_t> workers(const CatalogController& controller,
                                     const RunSettings& settings) {
  if (const auto found = settings.workers.find(controller.declared.name);
      found != settings.workers.end()) {
    return found->second;
  }
  for (const std::string& alias : controller.declared.aliases) {
    if (const auto found = settings.workers.find(alias); found != settings.workers.end()) {
      return found->second;
    }
  }
  return controller.settings.workers;
}

/// The controllers that the settings name outside of `plugins`.
std::vector<std::string> named_controllers(const RunSettings& settings) {
  std::set<std::string> names;
  for (const auto& each : settings.manifest.controller_settings) names.insert(each.first);
  for (const auto& each : settings.workers) names.insert(each.first);
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<std::string> DesiredPlugin::enabled() const {
  std::vector<std::string> names;
  for (const DesiredController& each : controllers) {
    if (each.enabled == Enabled::kYes) names.push_back(each.name);
  }
  return names;
}

const DesiredPlugin* DesiredState::plugin_at(const std::filesystem::path& file) const {
  const auto found = std::find_if(plugins.begin(), plugins.end(), [&](const DesiredPlugin& each) {
    std::error_code code;
    return each.file == file || std::filesystem::equivalent(each.file, file, code);
  });
  return found == plugins.end() ? nullptr : &*found;
}

const DesiredPlugin* DesiredState::plugin_named(std::string_view name) const {
  const auto found = std::find_if(plugins.begin(), plugins.end(),
                                  [&](const DesiredPlugin& each) { return each.name == name; });
  return found == plugins.end() ? nullptr : &*found;
}

std::vector<KnownController> known_controllers(const Catalog& catalog) {
  std::vector<KnownController> known;
  for (const CatalogPlugin& plugin : catalog.plugins) {
    for (const CatalogController& controller : plugin.controllers) {
      known.push_back({controller.declared.name, controller.declared.aliases,
                       controller.declared.off_by_default});
    }
  }
  return known;
}

DesiredState desired_state(const RunSettings& settings) {
  DesiredState state;
  Catalog catalog = resolve_plugins(settings.manifest, settings.manifest_path, Trust::kRequired);
  state.mistakes = std::move(catalog.mistakes);
  if (!state.ok()) return state;
  const std::vector<KnownController> known = known_controllers(catalog);
  const std::vector<std::string> wanted = without_foreign_controllers(
      translate_aliases(settings.manifest.controllers, known), known, state.warnings);
  for (const std::string& line : unknown_controllers(wanted, known)) {
    state.mistakes.push_back({"", 0, 0, "--controllers: " + line});
  }
  for (const std::string& line :
       check_named_controllers(named_controllers(settings), known, state.warnings)) {
    state.mistakes.push_back({settings.manifest_path, 0, 0, "controllerSettings: " + line});
  }
  if (!state.ok()) return state;
  for (const CatalogPlugin& plugin : catalog.plugins) {
    DesiredPlugin made{.name = plugin.file.declaration.name,
                       .file = plugin.file.path,
                       .digest = plugin.file.digest,
                       .sha256 = plugin.settings.sha256,
                       .controllers = {}};
    for (const CatalogController& each : plugin.controllers) {
      const bool is_elsewhere = settings.manifest.leader_election.lease_of(each.declared.name) ==
                                ControllerLease::kElsewhere;
      made.controllers.push_back({each.declared.name, workers(each, settings), each.settings.config,
                                  is_elsewhere ? Enabled::kNo : enabled(each, wanted)});
    }
    state.plugins.push_back(std::move(made));
  }
  return state;
}

}  // namespace davit::host
