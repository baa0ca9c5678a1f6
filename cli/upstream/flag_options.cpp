#include "cli/upstream/flag_options.hpp"

#include <davit/kube/signed_duration.hpp>
#include <functional>
#include <utility>

#include "host/upstream/flag_values.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kControllerSettings = "controllerSettings";

/// The change by a flag of the manifest's own sections, or nothing for another one.
std::function<void(Manifest&)> change_by(const UpstreamFlag& flag, const Json& value) {
  if (flag.name == kModules) {
    return [parts = texts_of(value)](Manifest& manifest) { manifest.logging.modules = parts; };
  }
  if (flag.name == "min-resync-period") {
    // read_flag() has checked it.
    const Duration period = parse_signed_duration(value.text()).value_or(Duration::zero());
    return [period](Manifest& manifest) { manifest.client.min_resync_period = period; };
  }
  if (flag.name == "disabled-metrics") {
    return [names = texts_of(value)](Manifest& manifest) { manifest.metrics.disabled = names; };
  }
  if (flag.name == "allow-metric-labels-manifest") {
    return
        [file = value.text()](Manifest& manifest) { manifest.metrics.allowed_labels_file = file; };
  }
  if (flag.name == kAllowedLabels) {
    AllowedLabels labels;
    for (const Json::Member& each : value.members()) labels[each.key] = each.value.text();
    return [labels](Manifest& manifest) { manifest.metrics.allowed_labels = labels; };
  }
  return {};
}

/// Lays one member over what flags say about a controller.
void set_controller(const ManifestValue& setting, RunOptions& options) {
  const std::string& controller = setting.path[1];
  if (setting.path[2] == "workers") {
    options.workers[controller] =
        static_cast<std::uint32_t>(setting.value.integer_or(1));  // read_flag() has checked it.
    return;
  }
  ControllerSettings& settings = options.controller_settings[controller];
  if (setting.path[2] == "enabled") {
    settings.enabled = setting.value.boolean();
    return;
  }
  ControllerSettings member;
  member.config = to_text(Json::object({{setting.path[3], setting.value}}));
  lay_over(member, settings);
}

}  // namespace

void take_upstream_flag(const FoundFlag& found, std::span<const std::string> values,
                        RunOptions& options) {
  const UpstreamFlag& flag = *found.flag;
  const Result<Json> value = read_flag(flag, values);
  if (!value) {
    options.problems.push_back(value.error().message());
    return;
  }
  if (flag.use == FlagUse::kNoEffect) {
    if (is_default(flag, *value)) return;
    options.warnings.push_back(found.warning());
    return;
  }
  if (flag.name == kFeatureGates) {
    for (const Json::Member& gate : value->members()) {
      options.feature_gates[gate.key] = gate.value.boolean();
    }
    return;
  }
  if (auto change = change_by(flag, *value)) options.changes.push_back(std::move(change));
  for (const ManifestValue& each : manifest_values(flag, *value)) {
    if (each.path.front() == kControllerSettings) set_controller(each, options);
  }
}

}  // namespace davit::host
