#include "host/process/manifest_follower.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "host/loading/catalog.hpp"
#include "host/loading/staging.hpp"
#include "lib/base/absolute_path.hpp"
#include "lib/base/assert.hpp"

namespace davit::host {
namespace {

using Step = PluginStep::Kind;

const DesiredPlugin* find(const DesiredState& state, const std::string& plugin) {
  for (const DesiredPlugin& each : state.plugins) {
    if (each.name == plugin) return &each;
  }
  return nullptr;
}

/// The configuration of one of its controllers.
template <typename Plugin>
auto& config_of(Plugin& plugin, const std::string& controller) {
  const auto found = std::find_if(plugin.controllers.begin(), plugin.controllers.end(),
                                  [&](const auto& each) { return each.name == controller; });
  DAVIT_ASSERT(found != plugin.controllers.end());  // The steps come from its controllers.
  return found->config;
}

/// The same in a state that has the plugin.
std::string& config_of(DesiredState& state, const std::string& plugin,
                       const std::string& controller) {
  const auto found = std::find_if(state.plugins.begin(), state.plugins.end(),
                                  [&](const auto& each) { return each.name == plugin; });
  DAVIT_ASSERT(found != state.plugins.end());
  return config_of(*found, controller);
}

/// `state` with one plugin as `wanted` says, or without it.
DesiredState with(DesiredState state, const std::string& plugin, const DesiredPlugin* wanted) {
  std::erase_if(state.plugins, [&](const DesiredPlugin& each) { return each.name == plugin; });
  if (wanted != nullptr) state.plugins.push_back(*wanted);
  return state;
}

std::set<std::filesystem::path> listing_directories(const Manifest& manifest) {
  if (manifest.plugins) return {};
  std::set<std::filesystem::path> out;
  for (const std::string& each : plugin_directories(manifest)) {
    std::error_code ignored;
    const std::filesystem::path directory = absolute_path(each);
    if (std::filesystem::is_directory(directory, ignored)) out.insert(directory);
  }
  return out;
}

}  // namespace

ManifestFollower::ManifestFollower(HostProcess& host, Reader read_settings,
                                   const RunSettings& started_with, DesiredState applied,
                                   Logger log)
    : host_(host),
      read_settings_(std::move(read_settings)),
      manifest_path_(absolute_path(started_with.manifest_path)),
      manifest_(started_with.manifest),
      log_(log.named("manifest")),
      applied_(std::move(applied)),
      directories_(listing_directories(manifest_)) {}

std::vector<std::filesystem::path> ManifestFollower::files() const {
  std::set<std::filesystem::path> files = directories_;
  if (!manifest_path_.empty()) files.insert(manifest_path_);
  for (const DesiredPlugin& each : applied_.plugins) files.insert(each.file);
  for (const PluginState& each : host_.plugins().serving().state().plugins) files.insert(each.file);
  return {files.begin(), files.end()};
}

void ManifestFollower::changed(const std::filesystem::path& file) {
  if (file == manifest_path_) {
    settings_changed("The manifest is invalid and was not applied");
  } else if (directories_.contains(file) || is_new(file)) {
    settings_changed("A plugin directory is invalid; nothing was loaded or unloaded");
  } else {
    plugin_changed(file);
  }
}

bool ManifestFollower::is_new(const std::filesystem::path& file) const {
  return directories_.contains(file.parent_path()) &&
         std::none_of(applied_.plugins.begin(), applied_.plugins.end(),
                      [&](const DesiredPlugin& each) { return each.file == file; });
}

bool ManifestFollower::is_quarantined(const std::string& plugin) const {
  const std::vector<QuarantinedPlugin> all = host_.quarantined();
  return std::any_of(all.begin(), all.end(),
                     [&](const QuarantinedPlugin& each) { return each.plugin == plugin; });
}

void ManifestFollower::plugin_changed(const std::filesystem::path& file) {
  do {
    met_another_ = false;
    try_plugin(file);
  } while (met_another_ && host_.plugins().serving().wait_idle());
}

void ManifestFollower::settings_changed(std::string_view mistake) {
  do {
    met_another_ = false;
    try_settings(mistake);
  } while (met_another_ && host_.plugins().serving().wait_idle());
}

SwapReport ManifestFollower::watched(SwapReport report) {
  met_another_ = met_another_ || report.outcome == SwapOutcome::kBusy;
  return report;
}

void ManifestFollower::try_plugin(const std::filesystem::path& file) {
  const Result<TrustedFile> now = read_plugin_file(file);
  for (const PluginState& each : host_.plugins().serving().state().plugins) {
    const bool changed = !now || now->digest != each.build.digest;
    if (each.file == file && changed) (void)watched(host_.plugins().swap({each.name, file}));
  }
  for (const QuarantinedPlugin& each : host_.quarantined()) {
    if (each.file != file || !now || now->digest.starts_with(each.why.build)) continue;
    const SwapReport report = watched(host_.load(file));
    if (!report.ok()) log_.error("Plugin not loaded", {{"err", report.text}});
  }
}

void ManifestFollower::try_settings(std::string_view mistake) {
  const SettingsResult merged = read_settings_();
  std::vector<Mistake> mistakes = merged.mistakes;
  DesiredState wanted;
  if (merged.ok()) {
    wanted = desired_state(merged.settings);
    mistakes = wanted.mistakes;
  }
  std::vector<std::string> notes;
  for (const Mistake& each : mistakes) {
    log_.error(mistake, {{"err", each.str()}});
    notes.push_back(each.str() + ": not applied");
  }
  if (mistakes.empty()) {
    directories_ = listing_directories(merged.settings.manifest);
    notes = apply(wanted);
    for (const std::string& each :
         fixed_settings_that_differ(manifest_, merged.settings.manifest)) {
      log_.warning("A setting of the manifest needs a restart of the host", {{"key", each}});
      notes.push_back(each + " has changed: restart the host to apply it");
    }
  }
  host_.checks().note("manifest", std::move(notes));
}

std::vector<std::string> ManifestFollower::apply(const DesiredState& wanted) {
  std::vector<std::string> failures;
  const auto one = [&](const DesiredPlugin* plugin, const std::string& name) {
    const std::string failure = apply(plugin, name);
    if (!failure.empty()) failures.push_back(failure);
  };
  // Those that go come first: another plugin may bring what they had.
  const std::vector<DesiredPlugin> before = applied_.plugins;
  for (const DesiredPlugin& each : before) {
    if (find(wanted, each.name) == nullptr) one(nullptr, each.name);
  }
  for (const DesiredPlugin& each : wanted.plugins) one(&each, each.name);
  return failures;
}

std::string ManifestFollower::apply(const DesiredPlugin* wanted, const std::string& name) {
  const std::vector<PluginStep> steps = steps_between(find(applied_, name), wanted);
  DesiredState next = with(applied_, name, wanted);
  // Builds that are made from here on get the new settings.
  host_.want(next);
  std::string refused;
  if (!is_quarantined(name)) {
    for (const PluginStep& step : steps) {
      const SwapReport report = watched(carry_out(step, wanted));
      log_.info(0, "The manifest has changed",
                {{"order", to_string(step.kind)},
                 {"name", step.name},
                 {"outcome", to_string(report.outcome)},
                 {"text", report.text}});
      if (step.kind == Step::kConfigure) {
        // A controller that refuses does not keep the others from what they take.
        DesiredState& adapted = report.ok() ? applied_ : next;
        config_of(adapted, name, step.name) =
            config_of(report.ok() ? next : applied_, name, step.name);
        if (report.ok()) continue;
        host_.want(next);
        refused += (refused.empty() ? "" : "; ") + report.text;
        continue;
      }
      // A controller that no longer runs need not be stopped: a davit ctl command was faster.
      const bool ends = step.kind == Step::kUnload || step.kind == Step::kDisable;
      if (report.ok() || (ends && report.outcome == SwapOutcome::kUnknown)) continue;
      host_.want(applied_);
      return "plugin " + name + ": " + report.text;
    }
  }
  applied_ = std::move(next);
  return refused.empty() ? "" : "plugin " + name + ": " + refused;
}

SwapReport ManifestFollower::carry_out(const PluginStep& step, const DesiredPlugin* wanted) {
  PluginSet& plugins = host_.plugins();
  switch (step.kind) {
    case Step::kUnload:
      return plugins.unload(step.name);
    case Step::kDisable:
      return plugins.disable(step.name);
    case Step::kSwap:
      return plugins.swap({step.name, wanted->file, wanted->sha256});
    case Step::kConfigure:
      return plugins.configure(step.name, config_of(*wanted, step.name));
    case Step::kEnable:
      return plugins.enable(step.name);
    case Step::kLoad:
      break;
  }
  return host_.load(wanted->file);
}

Result<std::unique_ptr<PluginWatch>> watch_files(ManifestFollower& follower) {
  constexpr std::chrono::milliseconds kQuiet{200};
  return PluginWatch::open(
      follower.files(), kQuiet,
      [&follower](const std::filesystem::path& file) { follower.changed(file); },
      [&follower] { return follower.files(); });
}

}  // namespace davit::host
