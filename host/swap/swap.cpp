/// PluginSet::swap(): one build of a plugin takes the place of another. Everything before the
/// pointers change may fail and leaves the old build serving.
#include "host/swap/swap.hpp"

#include <algorithm>
#include <utility>

#include "host/swap/exclusive_operation.hpp"

namespace davit::host {

SwapReport PluginSet::swap(const SwapRequest& request) {
  Swap swap;
  swap.request = request;
  swap.report.plugin = request.plugin;
  {
    const ExclusiveOperation operation(*this, "the swap of " + request.plugin);
    if (operation.held()) {
      run_swap(swap);
    } else {
      swap.fail(operation.refused(), operation.why());
    }
  }
  if (swap.report.ok() && request.probation) await_probation(swap);
  publish_report(swap.report);
  return std::move(swap.report);
}

void PluginSet::run_swap(Swap& swap) {
  retirement_.sweep();
  swap.report.residents = retirement_.residents().size();
  if (!prepare(swap)) return;
  std::string ignored;  // A shadow that stays in memory is counted.
  (void)end_shadow(swap.request.plugin, ignored);
  const bool serves = build(swap) && judge_states(swap) && refill(swap.next, swap.report) &&
                      fill(swap.next, swap.report) && drain(swap) && hand_state(swap) &&
                      hand_over(swap);
  if (!serves) undo_drain(swap);
  finish(swap);
}

bool PluginSet::prepare(Swap& swap) {
  MutexLock lock(mutex_);
  swap.slot = find(swap.request.plugin);
  if (swap.slot == nullptr) {
    std::string names;
    for (const auto& each : slots_) names += (names.empty() ? "" : ", ") + each->name;
    return swap.fail(SwapOutcome::kUnknown,
                     "no plugin " + swap.request.plugin + " is loaded (loaded: " + names + ")");
  }
  if (swap.request.file.empty()) swap.request.file = swap.slot->file;
  const PluginFile& file = swap.slot->now.plugin->file();
  swap.report.from = {file.declaration.version, file.digest, swap.slot->now.number};
  swap.was_leading = leading_;
  if (swap.report.residents >= limits_.residents_max) {
    return swap.fail(
        SwapOutcome::kTooManyResident,
        std::to_string(swap.report.residents) +
            " builds could not leave memory, and no more are allowed: restart the host "
            "(davit ctl status names them)");
  }
  // Before anything changes: a build that nobody judges must not serve.
  if (!probation_of(swap) || start_prober()) return true;
  return swap.fail(SwapOutcome::kInitFailed,
                   "the system has no thread to judge the new build on: try again");
}

bool PluginSet::build(Swap& swap) {
  enter(SwapPhase::kStage);
  BuildOrder order;
  order.plugin = swap.request.plugin;
  order.file = swap.request.file;
  order.staging = limits_.staging;
  order.copy = swap.copy;
  {
    MutexLock lock(mutex_);
    order.sha256 = swap.request.sha256.value_or(swap.slot->sha256);
    if (!swap.request.digest.empty()) order.sha256 = swap.request.digest;
    order.generation = ++swap.slot->generations;
    for (const auto& each : swap.slot->now.controllers) {
      order.controllers.push_back(each->host->name());
    }
  }
  const std::vector<std::string> running = order.controllers;
  const bool built = build_limited(std::move(order), swap.next, swap.report);
  if (swap.next.plugin == nullptr) return built;
  for (const DeclaredController& each : swap.next.plugin->declaration().controllers) {
    if (std::find(running.begin(), running.end(), each.name) == running.end()) {
      swap.report.not_started.push_back(each.name);
    }
  }
  return built;
}

bool PluginSet::drain(Swap& swap) {
  enter(SwapPhase::kDrain);
  std::vector<ControllerHost*> old;
  {
    MutexLock lock(mutex_);
    for (const auto& each : swap.slot->now.controllers) old.push_back(each->host.get());
  }
  swap.drain_began = clock_.now();
  const Time deadline = swap.drain_began + limits_.drain;
  for (ControllerHost* each : old) {
    if (each->drain(deadline)) continue;
    const Status why = each->overdue(clock_.now() - swap.drain_began);
    return swap.fail(SwapOutcome::kDrainTimedOut, "a sync of " + each->name() +
                                                      " did not end in time" +
                                                      (why.ok() ? "" : " (" + why.message() + ")"));
  }
  swap.drained = clock_.now();
  swap.report.drain = swap.drained - swap.drain_began;
  return true;
}

std::vector<PluginSet::StatePair> PluginSet::state_pairs(Swap& swap) {
  std::vector<StatePair> pairs;
  if (swap.request.memory == SwapRequest::Memory::kLeave) return pairs;
  MutexLock lock(mutex_);
  for (const auto& each : swap.next.controllers) {
    pairs.push_back({*swap.slot->now.find(each->host->name()), *each});
  }
  return pairs;
}

/// Before anything is held up for it.
bool PluginSet::judge_states(Swap& swap) {
  for (const StatePair& each : state_pairs(swap)) {
    const StateHandOver judged = judge_state(*each.from.host, *each.to.host);
    const std::string& name = each.to.host->name();
    if (judged.end == StateHandOver::End::kLeft) swap.report.state_left.push_back(name);
    if (!swap.note(name, judged)) return false;
  }
  return true;
}

bool PluginSet::hand_state(Swap& swap) {
  enter(SwapPhase::kState);
  const Time deadline = clock_.now() + limits_.state;
  for (const StatePair& each : state_pairs(swap)) {
    const StateHandOver handed = davit::host::hand_state(each.from, each.to, clock_, deadline);
    swap.report.state_bytes += handed.bytes;
    if (!swap.note(each.to.host->name(), handed)) return false;
  }
  return true;
}

bool PluginSet::hand_over(Swap& swap) {
  enter(SwapPhase::kHandOver);
  Slot& slot = *swap.slot;
  std::vector<ControllerHost::HandedOver> handed;  // Destroyed when the new build serves.
  {
    MutexLock lock(mutex_);
    if (stopping_) return swap.fail(SwapOutcome::kStopping, "the host is stopping");
    if (swap.was_leading && !leading_) {
      return swap.fail(SwapOutcome::kLeadershipLost, "leadership was lost in the middle of it");
    }
    // Nothing of either build runs a sync now, and whoever asks by name waits for the lock.
    for (const auto& each : swap.next.controllers) {
      handed.push_back(each->host->take_over(*slot.now.find(each->host->name())->host));
      swap.report.keys += handed.back().kept;
      swap.report.keys_dropped += handed.back().dropped;
    }
    std::swap(slot.now, swap.next);
    if (swap.copy == nullptr) slot.file = swap.request.file;
    slot.sha256 = swap.request.sha256.value_or(slot.sha256);
    for (const auto& each : slot.now.controllers) begin(slot, *each);
    put_on_probation(swap);
  }
  swap.report.pause = clock_.now() - swap.drained;
  swap.report.text = "generation " + std::to_string(swap.report.to.generation) + " serves";
  enter(SwapPhase::kServe);
  report_up(controllers());
  return true;
}

void PluginSet::undo_drain(const Swap& swap) {
  MutexLock lock(mutex_);
  for (const auto& each : swap.slot->now.controllers) {
    if (!is_paused(*swap.slot, each->host->name())) each->host->resume();
  }
}

void PluginSet::finish(Swap& swap) {
  enter(SwapPhase::kRetire);
  if (swap.next.plugin != nullptr) {
    swap.report.note(retirement_.retire(std::move(swap.next), clock_.now() + limits_.retire));
  }
  swap.report.residents = retirement_.residents().size();
}

void PluginSet::enter(SwapPhase phase) const {
  if (observers_.on_phase) observers_.on_phase(phase);
}

void PluginSet::publish_report(const SwapReport& report) const {
  log_report(report);
  SwapMetrics* const metrics = observers_.metrics;
  // A name that nobody knows is no label.
  if (metrics == nullptr || report.outcome == SwapOutcome::kUnknown) return;
  metrics->plugin_swapped(report.plugin, to_string(report.outcome));
  if (report.ok()) metrics->plugin_paused(report.plugin, report.pause);
}

void PluginSet::log_report(const SwapReport& report) const {
  if (!report.ok()) {
    log_.error(
        "Plugin not swapped",
        {{"plugin", report.plugin}, {"outcome", to_string(report.outcome)}, {"err", report.text}});
    return;
  }
  const auto micros = [](Duration time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  };
  log_.info(0, "Plugin swapped",
            {{"plugin", report.plugin},
             {"version", report.to.version},
             {"build", report.to.digest.substr(0, 12)},
             {"generation", report.to.generation},
             {"keys", report.keys},
             {"stateBytes", report.state_bytes},
             {"drainMicroseconds", micros(report.drain)},
             {"pauseMicroseconds", micros(report.pause)},
             {"residents", report.residents}});
}

}  // namespace davit::host
