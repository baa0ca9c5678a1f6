#include "host/cli/host_plan.hpp"

#include <ostream>
#include <utility>

#include "host/cli/controllers_flag.hpp"

namespace davit::host {
namespace {

bool enabled(const CatalogController& controller, const std::vector<std::string>& wanted) {
  if (!controller.settings.enabled.value_or(true)) return false;
  // `enabled: true` in the manifest switches on what is off by default.
  const bool off = controller.declared.off_by_default && !controller.settings.enabled;
  return controller_enabled(wanted, controller.declared.name, off);
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

}  // namespace

std::optional<HostPlan> HostPlan::make(const RunSettings& settings, std::ostream& err) {
  bool failed = false;
  const auto mistake = [&](const std::string& text) {
    err << "davit: " << text << "\n";
    failed = true;
  };
  const Catalog catalog = resolve_plugins(settings.manifest, settings.manifest_path);
  for (const Mistake& each : catalog.mistakes) mistake(each.str());
  if (failed) return std::nullopt;
  std::vector<KnownController> known;
  for (const CatalogPlugin& plugin : catalog.plugins) {
    for (const CatalogController& controller : plugin.controllers) {
      known.push_back({controller.declared.name, controller.declared.aliases,
                       controller.declared.off_by_default});
    }
  }
  const std::vector<std::string> wanted = translate_aliases(settings.manifest.controllers, known);
  for (const std::string& line : unknown_controllers(wanted, known)) {
    mistake("--controllers: " + line);
  }
  if (failed) return std::nullopt;

  Result<StagingDirectory> staging = StagingDirectory::create();
  if (!staging) return mistake(staging.error().message()), std::nullopt;
  HostPlan plan;
  for (const CatalogPlugin& plugin : catalog.plugins) {
    const Status added = plan.add(plugin, wanted, settings, *staging);
    if (!added.ok()) mistake(added.message());
  }
  if (failed) return std::nullopt;
  return plan;
}

Status HostPlan::add(const CatalogPlugin& plugin, const std::vector<std::string>& wanted,
                     const RunSettings& settings, StagingDirectory& staging) {
  std::vector<const CatalogController*> chosen;
  for (const CatalogController& controller : plugin.controllers) {
    if (enabled(controller, wanted)) {
      chosen.push_back(&controller);
    } else {
      disabled_.push_back(controller.declared.name);
    }
  }
  if (chosen.empty()) return {};
  Result<std::unique_ptr<LoadedPlugin>> loaded =
      load_plugin(staging, plugin.file.path, plugin.settings.sha256);
  if (!loaded) return loaded.error();
  const std::shared_ptr<const LoadedPlugin> shared = std::move(*loaded);
  for (const CatalogController* controller : chosen) {
    controllers_.push_back({shared, plugin.settings.sha256, controller->declared,
                            workers(*controller, settings), controller->settings.config});
  }
  return {};
}

}  // namespace davit::host
