#include "host/swap/plugin_set.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "host/swap/exclusive_operation.hpp"
#include "lib/base/assert.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {

PluginSet::PluginSet(Clock& clock, Log log, ControllerFactory factory, SetObservers observers,
                     SwapLimits limits)
    : clock_(clock),
      log_(log.named("plugins")),
      factory_(std::move(factory)),
      observers_(std::move(observers)),
      limits_(limits),
      retirement_(clock, log_) {}

PluginSet::~PluginSet() { clear(); }

void PluginSet::add(std::shared_ptr<const LoadedPlugin> plugin, std::string sha256) {
  MutexLock lock(mutex_);
  if (find(plugin->declaration().name) != nullptr) return;
  slots_.push_back(std::make_unique<Slot>());
  Slot& slot = *slots_.back();
  slot.name = plugin->declaration().name;
  slot.file = plugin->file().path;
  slot.sha256 = std::move(sha256);
  slot.now.plugin = std::move(plugin);
}

void PluginSet::add(std::string_view plugin, std::unique_ptr<ControllerHost> controller) {
  MutexLock lock(mutex_);
  Slot* const slot = find(plugin);
  DAVIT_ASSERT(slot != nullptr);
  slot->now.controllers.push_back(std::make_unique<HostedController>(std::move(controller)));
}

void PluginSet::start() {
  std::vector<std::string> names;
  {
    MutexLock lock(mutex_);
    for (const auto& slot : slots_) {
      for (const auto& each : slot->now.controllers) {
        names.push_back(each->host->name());
        log_.info(1, "Controller starting...", {{"controller", each->host->name()}});
        each->host->start();
        begin(*slot, *each);
      }
    }
  }
  report_up(names);
}

void PluginSet::begin(const Slot& slot, HostedController& controller) {
  if (is_paused(slot, controller.host->name())) controller.host->pause();
  if (controller.host->declared().without_leadership) return controller.host->begin_syncing();
  if (leading_) won_ ? controller.host->lead(*won_) : controller.host->begin_syncing();
}

void PluginSet::lead(std::optional<Time> won) {
  MutexLock lock(mutex_);
  leading_ = true;
  won_ = won;
  for (const auto& slot : slots_) {
    for (const auto& each : slot->now.controllers) {
      won ? each->host->lead(*won) : each->host->begin_syncing();
    }
  }
}

void PluginSet::lose() {
  MutexLock lock(mutex_);
  leading_ = false;
}

void PluginSet::report() {
  for (const std::string& name : controllers()) {
    if (const std::optional<ControllerGuard> guarded = guard_controller(name))
      guarded->host->report();
  }
  if (observers_.metrics == nullptr) return;
  const SetState now = state();
  for (const PluginState& each : now.plugins) {
    observers_.metrics->plugin_generation(each.name, each.build.generation);
  }
  observers_.metrics->resident_generations(now.residents.size());
}

bool PluginSet::stop(const Quiesce& wait) {
  std::vector<ControllerHost*> hosts;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    stop_.request_stop();
    idle_.notify_all();
    for (const auto& slot : slots_) {
      end_probation(*slot, Probation::End::kSuperseded, "the host stops");
    }
    // What is under way has limits of its own, and sees that the host stops before it switches.
    while (!busy_.empty()) {
      if (clock_.now() >= wait.give_up_at) return false;
      clock_.wait_until(idle_, mutex_, wait.give_up_at);
    }
    for (const auto& slot : slots_) {
      for (const auto& each : slot->now.controllers) hosts.push_back(each->host.get());
      if (slot->shadow == nullptr) continue;
      for (const auto& each : slot->shadow->generation.controllers) {
        hosts.push_back(each->host.get());
      }
    }
  }
  std::atomic<bool> all_ended{true};
  std::vector<std::jthread> waits;
  waits.reserve(hosts.size());
  for (ControllerHost* host : hosts) {
    const auto end = [&, host] {
      if (host->stop(wait)) return;
      log_.error("A controller did not end in time", {{"controller", host->name()}});
      all_ended.store(false);
    };
    // Without a thread they end one after the other.
    if (!start_thread(waits.emplace_back(), "stop", end)) end();
  }
  waits.clear();
  retirement_.sweep();
  return all_ended.load() && !retirement_.runs_stray_code();
}

void PluginSet::clear() {
  std::vector<std::unique_ptr<Slot>> slots;
  {
    MutexLock lock(mutex_);
    slots.swap(slots_);
  }
}

std::optional<PluginSet::ControllerGuard> PluginSet::guard_controller(std::string_view controller) {
  MutexLock lock(mutex_);
  const Slot* slot = slot_of(controller);
  if (slot == nullptr) return std::nullopt;
  HostedController* const found = slot->now.find(controller);
  std::optional<Gate::Pass> pass = found->probes.enter();
  if (!pass) return std::nullopt;
  return ControllerGuard{found->host.get(), std::move(*pass)};
}

Status PluginSet::health(std::string_view controller) {
  const std::optional<ControllerGuard> guarded = guard_controller(controller);
  return guarded ? guarded->host->health() : Status(Code::kNotFound, "does not run");
}

bool PluginSet::has_debug_page(std::string_view controller) {
  const std::optional<ControllerGuard> guarded = guard_controller(controller);
  return guarded && guarded->host->has_debug_page();
}

Result<std::string> PluginSet::debug_page(std::string_view controller, std::string_view path,
                                          std::string_view query) {
  const std::optional<ControllerGuard> guarded = guard_controller(controller);
  if (!guarded) return Status(Code::kNotFound, "does not run");
  return guarded->host->debug_page(path, query);
}

Status PluginSet::caches_filled() {
  MutexLock lock(mutex_);
  for (const auto& slot : slots_) {
    for (const auto& each : slot->now.controllers) {
      if (each->host->caches_ready()) continue;
      return Status(Code::kUnavailable,
                    "the caches of " + each->host->name() + " are not filled yet");
    }
  }
  return {};
}

std::vector<std::string> PluginSet::controllers() const {
  MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& slot : slots_) {
    for (const auto& each : slot->now.controllers) names.push_back(each->host->name());
  }
  return names;
}

PluginSet::Slot* PluginSet::find(std::string_view plugin) {
  for (const auto& slot : slots_) {
    if (slot->name == plugin) return slot.get();
  }
  return nullptr;
}

PluginSet::Slot* PluginSet::slot_of(std::string_view controller) {
  for (const auto& slot : slots_) {
    if (slot->now.find(controller) != nullptr) return slot.get();
  }
  return nullptr;
}

bool PluginSet::is_paused(const Slot& slot, std::string_view controller) const {
  return std::find(slot.paused.begin(), slot.paused.end(), controller) != slot.paused.end();
}

PluginState PluginSet::describe(const Slot& slot) const {
  PluginState state;
  state.name = slot.name;
  state.file = slot.file;
  const PluginFile& file = slot.now.plugin->file();
  state.build = {file.declaration.version, file.digest, slot.now.number};
  if (slot.probation) {
    state.probation = slot.probation->since + slot.probation->terms.time - clock_.now();
  }
  state.grade = overall(file.findings);
  for (const Finding& each : file.findings) state.grade_reasons.push_back(each.text);
  if (slot.shadow) state.shadow = slot.shadow->build;
  for (const DeclaredController& declared : file.declaration.controllers) {
    ControllerState controller{declared.name, "off", 0};
    if (const HostedController* found = slot.now.find(declared.name)) {
      const ControllerHost& host = *found->host;
      controller.waiting = host.waiting();
      controller.state = is_paused(slot, declared.name)                   ? "paused"
                         : !host.caches_ready()                           ? "filling"
                         : leading_ || host.declared().without_leadership ? "running"
                                                                          : "standby";
    }
    state.controllers.push_back(std::move(controller));
  }
  return state;
}

SetState PluginSet::state() {
  SetState state;
  MutexLock lock(mutex_);
  for (const auto& slot : slots_) state.plugins.push_back(describe(*slot));
  state.residents = residents_;
  state.busy = busy_;
  return state;
}

bool PluginSet::wait_idle() {
  MutexLock lock(mutex_);
  while (!busy_.empty() && !stopping_) idle_.wait(mutex_);
  return !stopping_;
}

Status PluginSet::pause(std::string_view controller) {
  MutexLock lock(mutex_);
  const Result<Declared> found = running(controller);
  if (!found) return found.error();
  Slot& slot = *found->slot;
  if (is_paused(slot, found->name)) return {};
  slot.paused.push_back(found->name);
  slot.now.find(found->name)->host->pause();
  return {};
}

Status PluginSet::resume(std::string_view controller) {
  MutexLock lock(mutex_);
  const Result<Declared> found = running(controller);
  if (!found) return found.error();
  if (std::erase(found->slot->paused, found->name) == 0) return {};
  // What is under way may hold its keys back, and looks at what is paused when it lets go.
  if (busy_.empty()) found->slot->now.find(found->name)->host->resume();
  return {};
}

}  // namespace davit::host
