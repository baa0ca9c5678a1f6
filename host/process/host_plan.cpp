#include "host/process/host_plan.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "host/loading/capabilities.hpp"

namespace davit::host {

std::optional<HostPlan> HostPlan::make(const RunSettings& settings, std::ostream& err,
                                       Quarantine* quarantine) {
  bool failed = false;
  const auto mistake = [&](const std::string& text) {
    err << "davit: " << text << "\n";
    failed = true;
  };
  HostPlan plan;
  plan.desired_ = desired_state(settings);
  for (const Mistake& each : plan.desired_.mistakes) mistake(each.str());
  if (failed) return std::nullopt;

  Result<StagingDirectory> staging = StagingDirectory::create();
  if (!staging) return mistake(staging.error().message()), std::nullopt;
  for (const DesiredPlugin& plugin : plan.desired_.plugins) {
    std::optional<QuarantinedBuild> why;
    if (quarantine != nullptr) why = quarantine->find(plugin.name, plugin.digest);
    if (why) {
      quarantine->add({plugin.name, plugin.file, std::move(*why)});
      continue;
    }
    const Status added = plan.add(plugin, settings.manifest.plugin_signatures, *staging);
    if (!added.ok()) mistake(added.message());
  }
  if (failed) return std::nullopt;
  // The loops of a cloud find in their init what the provider offers.
  std::stable_partition(plan.controllers_.begin(), plan.controllers_.end(),
                        [](const PlannedController& each) {
                          const auto& needs = each.plugin->declaration().requires_ids;
                          return std::find(needs.begin(), needs.end(), kCloudHostId) != needs.end();
                        });
  return plan;
}

Status HostPlan::add(const DesiredPlugin& plugin, const SignatureSettings& signatures,
                     StagingDirectory& staging) {
  std::vector<const DesiredController*> chosen;
  for (const DesiredController& each : plugin.controllers) {
    if (each.enabled == DesiredController::Enabled::kYes) {
      chosen.push_back(&each);
    } else {
      disabled_.push_back(each.name);
    }
  }
  if (chosen.empty()) return {};
  Result<std::unique_ptr<LoadedPlugin>> loaded =
      load_plugin(staging, plugin.file,
                  {.sha256 = plugin.sha256, .name = plugin.name, .signatures = signatures});
  if (!loaded) return loaded.error();
  const std::shared_ptr<const LoadedPlugin> shared = std::move(*loaded);
  for (const DesiredController* each : chosen) {
    for (const DeclaredController& declared : shared->declaration().controllers) {
      if (declared.name != each->name) continue;
      controllers_.push_back({shared, plugin.sha256, declared, each->workers, each->config});
    }
  }
  return {};
}

}  // namespace davit::host
