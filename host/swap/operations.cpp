/// PluginSet: plugins that come and go, and single controllers of those that are there.
#include <algorithm>
#include <utility>

#include "host/config/yaml.hpp"
#include "host/swap/exclusive_operation.hpp"

namespace davit::host {
namespace {

SwapReport failed(SwapReport report, SwapOutcome outcome, std::string text) {
  report.outcome = outcome;
  report.text = std::move(text);
  return report;
}

bool is_named(const DeclaredController& declared, std::string_view name) {
  return declared.name == name || std::find(declared.aliases.begin(), declared.aliases.end(),
                                            name) != declared.aliases.end();
}

}  // namespace

SwapReport PluginSet::load(const LoadOrder& wanted) {
  SwapReport report;
  const ExclusiveOperation operation(*this, "the loading of " + wanted.file.string());
  if (!operation.held()) return failed(std::move(report), operation.refused(), operation.why());
  BuildOrder order;
  order.file = wanted.file;
  order.sha256 = wanted.sha256;
  if (wanted.sha256.empty()) order.pin = wanted.pin;
  order.staging = limits_.staging;
  order.select = wanted.controllers ? BuildOrder::Select::kNamed : BuildOrder::Select::kOnByDefault;
  order.controllers = wanted.controllers.value_or(std::vector<std::string>());
  Generation made;
  if (!build_limited(std::move(order), made, report)) return discard(std::move(made), report);
  report.plugin = made.plugin->declaration().name;
  const bool by_name = wanted.sha256.empty() && wanted.pin;
  const std::string sha256 = by_name ? wanted.pin(report.plugin) : wanted.sha256;
  {
    MutexLock lock(mutex_);
    if (find(report.plugin) != nullptr) {
      report = failed(std::move(report), SwapOutcome::kUnknown,
                      "the plugin " + report.plugin + " is loaded already: swap it");
    }
    for (const auto& each : made.controllers) {
      if (!report.ok() || !declaring(each->host->name())) continue;
      report = failed(std::move(report), SwapOutcome::kUnknown,
                      "another plugin has the controller " + each->host->name() + " too");
    }
  }
  if (!report.ok() || !open_informers(made, report)) return discard(std::move(made), report);
  std::vector<std::string> names;
  {
    MutexLock lock(mutex_);
    slots_.push_back(std::make_unique<Slot>());
    Slot& slot = *slots_.back();
    slot.name = report.plugin;
    slot.file = wanted.file;
    slot.sha256 = sha256;
    slot.now = std::move(made);
    for (const auto& each : slot.now.controllers) {
      names.push_back(each->host->name());
      each->host->start();
      begin(slot, *each);
    }
  }
  report_up(names);
  report.text = "the plugin " + report.plugin + " is loaded";
  return report;
}

SwapReport PluginSet::unload(const std::string& plugin) {
  SwapReport report;
  report.plugin = plugin;
  const ExclusiveOperation operation(*this, "the unloading of " + plugin);
  if (!operation.held()) return failed(std::move(report), operation.refused(), operation.why());
  std::string ignored;  // A shadow that stays in memory is counted.
  (void)end_shadow(plugin, ignored);
  std::vector<std::string> names;
  {
    MutexLock lock(mutex_);
    const Slot* const slot = find(plugin);
    if (slot == nullptr) {
      return failed(std::move(report), SwapOutcome::kUnknown, "no plugin " + plugin + " is loaded");
    }
    for (const auto& each : slot->now.controllers) names.push_back(each->host->name());
  }
  for (const std::string& name : names) {
    if (!end_controller(name, report)) return report;
  }
  Generation old;
  {
    MutexLock lock(mutex_);
    Slot& slot = *find(plugin);
    end_probation(slot, Probation::End::kSuperseded, "the plugin is unloaded");
    old = std::move(slot.now);
    const PluginFile& file = old.plugin->file();
    report.from = {file.declaration.version, file.digest, old.number};
    std::erase_if(slots_, [&](const auto& each) { return each->name == plugin; });
  }
  if (observers_.metrics != nullptr) observers_.metrics->plugin_generation(plugin, 0);
  report.note(retirement_.retire(std::move(old), clock_.now() + limits_.retire));
  report.residents = retirement_.residents().size();
  report.text = "the plugin " + plugin + " is unloaded";
  return report;
}

SwapReport PluginSet::enable(const std::string& controller) {
  SwapReport report;
  const ExclusiveOperation operation(*this, "the enabling of " + controller);
  if (!operation.held()) return failed(std::move(report), operation.refused(), operation.why());
  BuildOrder order;
  {
    MutexLock lock(mutex_);
    Result<Declared> declared = declaring(controller);
    if (!declared) {
      return failed(std::move(report), SwapOutcome::kUnknown, declared.error().message());
    }
    const Slot& slot = *declared->slot;
    report.plugin = slot.name;
    if (slot.now.find(declared->name) != nullptr) {
      report.text = declared->name + " runs already";
      return report;
    }
    order.controllers.push_back(std::move(declared->name));
    order.loaded = slot.now.plugin;
    order.generation = slot.now.number;
  }
  const std::string name = order.controllers[0];
  std::string ignored;
  (void)end_shadow(report.plugin, ignored);
  Generation made;
  if (!build_limited(std::move(order), made, report) || !open_informers(made, report)) {
    return discard(std::move(made), report);
  }
  {
    MutexLock lock(mutex_);
    Slot& slot = *find(report.plugin);
    slot.now.controllers.push_back(std::move(made.controllers.front()));
    slot.now.controllers.back()->host->start();
    begin(slot, *slot.now.controllers.back());
  }
  report_up({name});
  report.text = name + " runs";
  return report;
}

SwapReport PluginSet::disable(const std::string& controller) {
  SwapReport report;
  const ExclusiveOperation operation(*this, "the disabling of " + controller);
  if (!operation.held()) return failed(std::move(report), operation.refused(), operation.why());
  std::string name;
  {
    MutexLock lock(mutex_);
    Result<Declared> found = running(controller);
    if (!found) return failed(std::move(report), SwapOutcome::kUnknown, found.error().message());
    report.plugin = found->slot->name;
    name = std::move(found->name);
  }
  std::string ignored;
  (void)end_shadow(report.plugin, ignored);
  if (end_controller(name, report)) report.text = name + " is off";
  return report;
}

bool PluginSet::end_controller(const std::string& name, SwapReport& report) {
  ControllerHost* host = nullptr;
  {
    MutexLock lock(mutex_);
    host = slot_of(name)->now.find(name)->host.get();
  }
  const Time deadline = clock_.now() + limits_.drain;
  if (!host->drain(deadline)) {
    MutexLock lock(mutex_);
    if (!is_paused(*slot_of(name), name)) host->resume();
    report = failed(std::move(report), SwapOutcome::kDrainTimedOut,
                    "a sync of " + name + " did not end in time");
    return false;
  }
  Generation ended;
  {
    MutexLock lock(mutex_);
    Slot& slot = *slot_of(name);
    auto& all = slot.now.controllers;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const auto& each) { return each->host->name() == name; });
    ended.number = slot.now.number;
    ended.plugin = slot.now.plugin;  // Open as long as a call into the controller may run.
    ended.controllers.push_back(std::move(*found));
    all.erase(found);
    std::erase(slot.paused, name);
  }
  if (observers_.on_down) observers_.on_down(name);
  (void)host->stop({.cancel_at = deadline, .give_up_at = deadline});
  (void)retirement_.retire(std::move(ended), clock_.now() + limits_.retire);
  return true;
}

bool PluginSet::build_limited(BuildOrder order, Generation& out, SwapReport& report) {
  const std::uint64_t number = order.generation;
  auto builder = std::make_unique<GenerationBuilder>(std::move(order), factory_, clock_);
  if (!builder->wait(clock_.now() + limits_.init)) {
    Generation none;
    none.number = number;
    (void)retirement_.retire(std::move(none), clock_.now(), std::move(builder));
    report = failed(std::move(report), SwapOutcome::kInitTimedOut,
                    "opening the new build and its InitFuncs did not end in time");
    return false;
  }
  GenerationBuilder::Built built = builder->take();
  out = std::move(built.generation);
  if (out.plugin != nullptr) {
    const PluginFile& file = out.plugin->file();
    report.to = {file.declaration.version, file.digest, out.number};
    report.grade = overall(file.findings);
    for (const Finding& each : file.findings) report.grade_reasons.push_back(each.text);
  }
  if (built.outcome == SwapOutcome::kDone) return true;
  report = failed(std::move(report), built.outcome, std::move(built.text));
  return false;
}

bool PluginSet::open_informers(Generation& made, SwapReport& report) {
  widen(made, report);
  Status status;
  for (const auto& each : made.controllers) {
    if (status.ok()) status = each->host->commit().with_context(each->host->name());
  }
  if (status.ok() && observers_.start_informers) status = observers_.start_informers();
  if (status.ok()) return true;
  report = failed(std::move(report), SwapOutcome::kInitFailed, status.message());
  return false;
}

SwapReport PluginSet::discard(Generation made, SwapReport report) {
  if (made.plugin != nullptr) {
    (void)retirement_.retire(std::move(made), clock_.now() + limits_.retire);
  }
  report.residents = retirement_.residents().size();
  return report;
}

Result<PluginSet::Declared> PluginSet::declaring(std::string_view controller) {
  std::vector<std::string> names;
  for (const auto& slot : slots_) {
    for (const DeclaredController& each : slot->now.plugin->declaration().controllers) {
      if (is_named(each, controller)) return Declared{slot.get(), each.name};
      names.push_back(each.name);
      names.insert(names.end(), each.aliases.begin(), each.aliases.end());
    }
  }
  std::string text = "no loaded plugin has a controller " + std::string(controller);
  if (const std::string meant = nearest(controller, names); !meant.empty()) {
    text += "; did you mean " + meant + "?";
  }
  return Status(Code::kNotFound, std::move(text));
}

Result<PluginSet::Declared> PluginSet::running(std::string_view controller) {
  Result<Declared> declared = declaring(controller);
  if (!declared || declared->slot->now.find(declared->name) != nullptr) return declared;
  return Status(Code::kNotFound,
                declared->name + " does not run; start it with davit ctl enable " + declared->name);
}

void PluginSet::report_up(const std::vector<std::string>& controllers) const {
  if (!observers_.on_up) return;
  for (const std::string& each : controllers) observers_.on_up(each);
}

}  // namespace davit::host
