#include "host/swap/serving_plugins.hpp"

#include <algorithm>
#include <utility>

namespace davit::host {
namespace {

ControllerHoldings holdings_of(ControllerHost& host, const ControllerRunner::Use& use) {
  const ControllerAbi& abi = host.abi();
  return {.objects = abi.retained.size(),
          .object_bytes = abi.retained_bytes.load(std::memory_order_relaxed),
          .informers = abi.dynamic.size(),
          .timers = abi.work.timers(),
          .backing_off = use.backing_off,
          .unseen_writes = abi.work.unseen_writes(),
          .journal_bytes = abi.journal == nullptr ? 0 : abi.journal->bytes()};
}

/// A right that is missing is no reason to be ready: a rollout with wrong credentials must stop.
bool waits_for_definition(ControllerHost& host) {
  return std::ranges::any_of(host.abi().informers.unavailable(), [](const auto& each) {
    return each.second.code() == Code::kNotFound;
  });
}

}  // namespace

std::string ServingPlugins::state_of(const PluginSlot& slot,
                                     const DeclaredController& declared) const {
  ControllerHost& host = *slot.now.find(declared.name)->host;
  if (slot.is_paused(declared.name)) return "paused";
  if (!host.runner().overdue().ok()) return "stuck";
  if (!host.runner().caches_ready()) {
    return host.abi().informers.unavailable().empty() ? "filling" : "waiting";
  }
  if (!registry_.leads(host) && !declared.without_leadership) return "standby";
  return host.runner().has_begun() ? "running" : "verifying";
}

PluginState ServingPlugins::describe(const PluginSlot& slot) const {
  PluginState state;
  state.name = slot.name;
  state.file = slot.file;
  state.build = slot.now.build();
  const PluginFile& file = slot.now.plugin->file();
  if (slot.probation) {
    state.probation = slot.probation->since + slot.probation->terms.time - clock_.now();
  }
  state.mapped_bytes = slot.now.plugin->mapped_bytes();
  state.grade = overall(file.findings);
  for (const Finding& each : file.findings) state.grade_reasons.push_back(each.text);
  if (slot.shadow) state.shadow = slot.shadow->build;
  for (const DeclaredController& declared : file.declaration.controllers) {
    ControllerState controller{.name = declared.name, .state = "off"};
    if (const HostedController* found = slot.now.find(declared.name)) {
      ControllerHost& host = *found->host;
      controller.use = host.runner().use();
      controller.waiting = controller.use.waiting;
      controller.syncs = host.abi().work.counter().tally();
      controller.failing = host.runner().failing();
      controller.held = holdings_of(host, controller.use);
      controller.state = state_of(slot, declared);
    }
    state.controllers.push_back(std::move(controller));
  }
  return state;
}

SetState ServingPlugins::state() {
  SetState state;
  MutexLock lock(registry_.mutex);
  for (const auto& slot : registry_.slots) state.plugins.push_back(describe(*slot));
  state.residents = registry_.residents;
  state.busy = registry_.busy;
  return state;
}

std::vector<std::string> ServingPlugins::controllers() {
  MutexLock lock(registry_.mutex);
  std::vector<std::string> names;
  for (const auto& slot : registry_.slots) {
    for (std::string& each : slot->controllers()) names.push_back(std::move(each));
  }
  return names;
}

std::optional<ServingPlugins::Guarded> ServingPlugins::guard(std::string_view controller) {
  MutexLock lock(registry_.mutex);
  const PluginSlot* const slot = registry_.slot_of(controller);
  if (slot == nullptr) return std::nullopt;
  HostedController* const found = slot->now.find(controller);
  std::optional<Gate::Pass> pass = found->probes.enter();
  if (!pass) return std::nullopt;
  return Guarded{found->host.get(), std::move(*pass), slot->name, slot->now.number};
}

Status ServingPlugins::health(std::string_view controller) {
  const std::optional<Guarded> guarded = guard(controller);
  return guarded ? guarded->host->health() : Status(Code::kNotFound, "not running");
}

bool ServingPlugins::has_debug_page(std::string_view controller) {
  const std::optional<Guarded> guarded = guard(controller);
  return guarded && guarded->host->plugin().has_debug_page();
}

Result<DebugResponse> ServingPlugins::debug_page(std::string_view controller, std::string_view path,
                                                 std::string_view query) {
  const std::optional<Guarded> guarded = guard(controller);
  if (!guarded) return Status(Code::kNotFound, "not running");
  return guarded->host->plugin().debug_page(path, query);
}

Status ServingPlugins::caches_filled() {
  MutexLock lock(registry_.mutex);
  for (const auto& slot : registry_.slots) {
    for (const auto& each : slot->now.controllers) {
      if (each->host->runner().caches_ready()) continue;
      if (waits_for_definition(*each->host)) continue;
      return Status(Code::kUnavailable,
                    "the caches of " + each->host->name() + " are not filled yet");
    }
  }
  return {};
}

std::vector<ControllerWait> ServingPlugins::waits() {
  std::vector<ControllerWait> out;
  MutexLock lock(registry_.mutex);
  for (const auto& slot : registry_.slots) {
    for (const auto& each : slot->now.controllers) {
      if (each->host->runner().caches_ready()) continue;
      for (const auto& [resource, why] : each->host->abi().informers.unavailable()) {
        out.push_back({each->host->name(), resource, why});
      }
    }
  }
  return out;
}

std::vector<std::string> ServingPlugins::overdue() {
  std::vector<std::string> out;
  MutexLock lock(registry_.mutex);
  for (const auto& slot : registry_.slots) {
    for (const auto& each : slot->now.controllers) {
      const Status late = each->host->runner().overdue();
      if (!late.ok()) out.push_back(each->host->name() + ": " + late.message());
    }
  }
  return out;
}

std::string ControllerWait::text() const {
  return controller + " cannot begin: it waits for " + resource.text() + ", which the server " +
         (why.code() == Code::kForbidden ? "refuses: " : "does not serve: ") + why.message();
}

void ServingPlugins::report() {
  for (const std::string& name : controllers()) {
    const std::optional<Guarded> guarded = guard(name);
    if (!guarded) continue;
    guarded->host->runner().report();
    guarded->host->abi().http.close_idle();
    report_use(*guarded);
  }
  for (const RefusedCalls& each : refusals_.take()) {
    if (each.plugin.empty()) continue;  // No plugin to name.
    log_.error("A plugin misused a call: its host functions were refused",
               {{"plugin", each.plugin},
                {"controller", each.controller},
                {"why", to_string(each.why)},
                {"times", each.count}});
    if (metrics_ != nullptr) {
      metrics_->plugin_calls_refused(each.plugin, each.controller, to_string(each.why), each.count);
    }
  }
  if (metrics_ == nullptr) return;
  const SetState now = state();
  for (const PluginState& each : now.plugins) {
    metrics_->plugin_generation(each.name, each.build.generation);
    metrics_->plugin_mapped(each.name, each.mapped_bytes);
  }
  metrics_->resident_generations(now.residents.size());
}

void ServingPlugins::report_use(const Guarded& guarded) const {
  if (metrics_ == nullptr) return;
  ControllerHost& host = *guarded.host;
  SwapMetrics::ControllerUse out{.plugin = guarded.plugin, .controller = host.name()};
  out.generation = guarded.generation;

  const SyncTally syncs = host.abi().work.counter().tally();
  out.syncs = syncs.syncs;
  out.errors = syncs.errors;

  const ControllerRunner::Use use = host.runner().use();
  out.cpu = use.cpu;
  out.pending_changes = use.pending_changes;
  out.delayed_keys = use.delayed;
  out.failing_keys = use.failing;
  out.held = holdings_of(host, use);
  metrics_->controller_use(out);
}

Status ServingPlugins::pause(std::string_view controller) {
  MutexLock lock(registry_.mutex);
  const Result<PluginRegistry::Declared> found = registry_.running(controller);
  if (!found) return found.error();
  PluginSlot& slot = *found->slot;
  if (slot.is_paused(found->name)) return {};
  slot.paused.push_back(found->name);
  slot.now.find(found->name)->host->pause();
  return {};
}

Status ServingPlugins::resume(std::string_view controller) {
  MutexLock lock(registry_.mutex);
  const Result<PluginRegistry::Declared> found = registry_.running(controller);
  if (!found) return found.error();
  if (std::erase(found->slot->paused, found->name) == 0) return {};
  // An operation under way may hold its keys back, and resumes it at its end.
  if (registry_.busy.empty()) found->slot->now.find(found->name)->host->runner().resume();
  return {};
}

bool ServingPlugins::wait_idle() {
  MutexLock lock(registry_.mutex);
  while (!registry_.busy.empty() && !registry_.stopping) registry_.idle.wait(registry_.mutex);
  return !registry_.stopping;
}

}  // namespace davit::host
