#include "host/swap/plugin_set.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "lib/base/assert.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

std::unique_ptr<PluginSlot> make_slot(std::string name, std::filesystem::path file,
                                      std::string sha256, Generation now) {
  auto slot = std::make_unique<PluginSlot>();
  slot->name = std::move(name);
  slot->file = std::move(file);
  slot->sha256 = std::move(sha256);
  slot->now = std::move(now);
  return slot;
}

}  // namespace

PluginSet::PluginSet(Clock& clock, Logger log, ControllerFactory factory, SetObservers observers,
                     SwapLimits limits)
    : clock_(clock),
      log_(log.named("plugins")),
      factory_(std::move(factory)),
      observers_(std::move(observers)),
      limits_(std::move(limits)),
      retirement_(clock, log_),
      preparation_(clock, factory_, limits_, retirement_, registry_.stop.get_token()),
      serving_(registry_, clock, log_, observers_.metrics),
      shadows_(registry_, retirement_, preparation_, clock, limits_),
      probations_(registry_, clock, [this](const FailedProbation& each) { roll_back(each); }) {}

PluginSet::~PluginSet() {
  std::vector<std::unique_ptr<PluginSlot>> slots;  // Ended without the lock.
  MutexLock lock(registry_.mutex);
  slots.swap(registry_.slots);
}

SwapParts PluginSet::parts() {
  return {clock_, limits_, observers_, registry_, retirement_, preparation_, shadows_, probations_};
}

void PluginSet::add(std::shared_ptr<const LoadedPlugin> plugin, std::string sha256) {
  MutexLock lock(registry_.mutex);
  const std::string name = plugin->declaration().name;
  if (registry_.find(name) != nullptr) return;
  const std::filesystem::path file = plugin->file().path;
  Generation first;
  first.plugin = std::move(plugin);
  registry_.slots.push_back(make_slot(name, file, std::move(sha256), std::move(first)));
}

void PluginSet::add(std::string_view plugin, std::unique_ptr<ControllerHost> controller) {
  MutexLock lock(registry_.mutex);
  PluginSlot* const slot = registry_.find(plugin);
  DAVIT_ASSERT(slot != nullptr);
  slot->now.controllers.push_back(std::make_unique<HostedController>(std::move(controller)));
}

void PluginSet::start(std::optional<Time> now) {
  std::vector<Beginning> beginnings;
  {
    MutexLock lock(registry_.mutex);
    registry_.started = now;
    for (const auto& slot : registry_.slots) {
      for (const auto& each : slot->now.controllers) {
        beginnings.push_back(registry_.begin(*slot, *each, now));
      }
    }
  }
  std::vector<std::string> names;
  for (const Beginning& each : beginnings) {
    names.push_back(each.host->name());
    log_.info(1, "Controller starting...", {{"controller", each.host->name()}});
    each.host->start();
    each.carry_out();
  }
  observers_.report_up(names);
}

void PluginSet::lead(std::optional<Time> won, ControllerLease lease) {
  // An operation may replace one of them before it is called: the build that it puts there leads as
  // well, and the old one stays paused.
  std::vector<Beginning> beginnings;
  {
    MutexLock lock(registry_.mutex);
    beginnings = registry_.lead(won, lease);
  }
  for (const Beginning& each : beginnings) each.carry_out();
}

void PluginSet::lose() {
  MutexLock lock(registry_.mutex);
  registry_.leading = false;
  registry_.leading_migrated = false;
}

void PluginSet::begin_stop(const Quiesce& wait, std::vector<std::jthread>& waits) {
  std::vector<std::pair<ControllerHost*, std::shared_ptr<Gate::Pass>>> serving;
  {
    MutexLock lock(registry_.mutex);
    registry_.stopping = true;
    registry_.stop.request_stop();
    registry_.idle.notify_all();
    for (const auto& slot : registry_.slots) {
      probations_.end(*slot, Probation::End::kSuperseded, "the host is stopping");
      if (registry_.busy.empty()) continue;
      for (const auto& each : slot->now.controllers) {
        std::optional<Gate::Pass> stays = each->probes.enter();
        if (!stays) continue;
        serving.emplace_back(each->host.get(), std::make_shared<Gate::Pass>(*std::move(stays)));
      }
    }
  }
  for (const auto& [host, stays] : serving) {
    const auto end = [&wait, host = host, stays = stays] { (void)host->stop(wait); };
    if (!start_thread(waits.emplace_back(), "stop", end)) end();
  }
}

bool PluginSet::stop(const Quiesce& wait) {
  std::vector<std::jthread> waits;
  // The operation in progress checks for `stopping` before it switches, and may wait for syncs that
  // end only when they are cancelled.
  begin_stop(wait, waits);
  std::vector<ControllerHost*> hosts;
  {
    MutexLock lock(registry_.mutex);
    while (!registry_.busy.empty()) {
      if (clock_.now() >= wait.give_up_at) return false;
      clock_.wait_until(registry_.idle, registry_.mutex, wait.give_up_at);
    }
    for (const auto& slot : registry_.slots) {
      for (const auto& each : slot->now.controllers) hosts.push_back(each->host.get());
      if (slot->shadow == nullptr) continue;
      for (const auto& each : slot->shadow->generation.controllers) {
        hosts.push_back(each->host.get());
      }
    }
  }
  std::atomic<bool> all_ended{true};
  for (ControllerHost* host : hosts) {
    const auto end = [&, host] {
      if (host->stop(wait)) return;
      log_.error("A controller did not stop in time", {{"controller", host->name()}});
      all_ended.store(false);
    };
    // Without a thread they end one after the other.
    if (!start_thread(waits.emplace_back(), "stop", end)) end();
  }
  waits.clear();
  retirement_.sweep();
  return all_ended.load() && !retirement_.runs_stray_code();
}

SwapReport PluginSet::swap(const SwapRequest& request) {
  SwapReport report;
  report.plugin = request.plugin;
  std::shared_ptr<Probation> probation;
  {
    const ExclusiveOperation operation(registry_, retirement_, "the swap of " + request.plugin);
    if (operation.held(report)) {
      Swap swap(parts(), request);
      swap.run();
      report = std::move(swap.report());
      probation = swap.probation();
    }
  }
  if (request.probation && probation != nullptr) probations_.await(*probation, report);
  publish(report);
  return report;
}

SwapReport PluginSet::commit_shadow(const std::string& plugin) {
  const Result<SwapRequest> request = shadows_.commit(plugin);
  if (request) return swap(*request);
  SwapReport report;
  report.plugin = plugin;
  report.fail(SwapOutcome::kUnknown, request.error().message());
  return report;
}

void PluginSet::roll_back(const FailedProbation& failed) {
  const Probation& probation = *failed.probation;
  SwapReport report;
  {
    const ExclusiveOperation operation(registry_, retirement_, "the rollback of " + failed.plugin);
    // The operation in progress ends the probation, or the probation is judged again.
    if (!operation.held(report)) return;
    SwapRequest request{.plugin = failed.plugin, .file = probation.before_file};
    const auto swap_back = [&] {
      Swap swap(parts(), request, probation.before);
      swap.run();
      report = std::move(swap.report());
    };
    swap_back();
    const bool is_state = report.outcome == SwapOutcome::kStateRefused ||
                          report.outcome == SwapOutcome::kStateTimedOut;
    if (is_state) {
      // The state of a failed build is not worth keeping the build.
      request.memory = SwapRequest::Memory::kLeave;
      swap_back();
    }
  }
  std::string text = "generation " + std::to_string(probation.build.generation) + " (" +
                     probation.build.version + ") failed its probation: " + failed.why;
  const bool is_back = report.ok();
  text += is_back ? "; generation " + std::to_string(report.to.generation) + " is " +
                        probation.before_version + " again"
                  : "; the rollback to the previous build failed: " + report.text;
  report.fail(is_back ? SwapOutcome::kRolledBack : report.outcome, text);
  probations_.finish(failed, is_back ? Probation::End::kRolledBack : Probation::End::kFailed, text);
  publish(report);
  if (observers_.on_rolled_back) observers_.on_rolled_back(failed.plugin + ": " + text);
}

bool PluginSet::check_new(const Generation& made, SwapReport& report) {
  MutexLock lock(registry_.mutex);
  if (registry_.find(report.plugin) != nullptr) {
    return report.fail(SwapOutcome::kUnknown,
                       "the plugin " + report.plugin + " is already loaded: swap it");
  }
  for (const auto& each : made.controllers) {
    if (!registry_.declaring(each->host->name())) continue;
    return report.fail(SwapOutcome::kUnknown,
                       "another plugin also has the controller " + each->host->name());
  }
  return true;
}

SwapReport PluginSet::load(const LoadOrder& wanted) {
  SwapReport report;
  const ExclusiveOperation operation(registry_, retirement_,
                                     "the loading of " + wanted.file.string());
  if (!operation.held(report)) return report;
  // Earlier owners of this work have ended by now. An informer that is opened below is newer.
  const Time began = clock_.now();
  BuildOrder order;
  order.file = wanted.file;
  order.terms.sha256 = wanted.sha256;
  if (wanted.sha256.empty()) order.terms.pin = wanted.pin;
  order.terms.signatures = limits_.signatures;
  order.terms.trial = limits_.trial;
  order.staging = limits_.staging;
  order.select = wanted.controllers ? BuildOrder::Select::kNamed : BuildOrder::Select::kOnByDefault;
  order.controllers = wanted.controllers.value_or(std::vector<std::string>());
  Generation made;
  bool is_ready = preparation_.stage(std::move(order), made, report);
  if (is_ready) {
    report.plugin = made.plugin->declaration().name;
    is_ready = check_new(made, report) &&
               preparation_.open_informers(made, observers_.start_informers, report);
  }
  if (!is_ready) {
    preparation_.discard(std::move(made), report);
    return report;
  }
  const bool by_name = wanted.sha256.empty() && wanted.pin;
  // Before the slot shows them to other threads: lead() expects controllers that have started.
  for (const auto& each : made.controllers) each->host->start();
  std::vector<std::string> names;
  std::vector<Beginning> beginnings;
  {
    MutexLock lock(registry_.mutex);
    registry_.slots.push_back(make_slot(report.plugin, wanted.file,
                                        by_name ? wanted.pin(report.plugin) : wanted.sha256,
                                        std::move(made)));
    PluginSlot& slot = *registry_.slots.back();
    names = slot.controllers();
    for (const auto& each : slot.now.controllers) {
      beginnings.push_back(registry_.begin(slot, *each, registry_.beginning(*each->host, began)));
    }
  }
  for (const Beginning& each : beginnings) each.carry_out();
  observers_.report_up(names);
  report.text = "the plugin " + report.plugin + " is loaded";
  return report;
}

SwapReport PluginSet::unload(const std::string& plugin) {
  SwapReport report;
  report.plugin = plugin;
  const ExclusiveOperation operation(registry_, retirement_, "the unloading of " + plugin);
  if (!operation.held(report)) return report;
  shadows_.end(plugin);
  std::vector<std::string> names;
  {
    MutexLock lock(registry_.mutex);
    const PluginSlot* const slot = registry_.find(plugin);
    if (slot == nullptr) {
      report.fail(SwapOutcome::kUnknown, "no plugin " + plugin + " is loaded");
      return report;
    }
    names = slot->controllers();
  }
  for (const std::string& name : names) {
    if (!end_controller(name, report)) return report;
  }
  Generation old;
  {
    MutexLock lock(registry_.mutex);
    PluginSlot& slot = *registry_.find(plugin);
    probations_.end(slot, Probation::End::kSuperseded, "the plugin is unloaded");
    report.from = slot.now.build();
    old = std::move(slot.now);
    std::erase_if(registry_.slots, [&](const auto& each) { return each->name == plugin; });
  }
  if (observers_.metrics != nullptr) {
    observers_.metrics->plugin_generation(plugin, 0);
    observers_.metrics->plugin_mapped(plugin, 0);
  }
  report.note(preparation_.retire(std::move(old)));
  report.residents = retirement_.residents().size();
  report.text = "the plugin " + plugin + " is unloaded";
  return report;
}

bool PluginSet::find_order(const std::string& controller, BuildOrder& order, SwapReport& report) {
  MutexLock lock(registry_.mutex);
  Result<PluginRegistry::Declared> declared = registry_.declaring(controller);
  if (!declared) return report.fail(SwapOutcome::kUnknown, declared.error().message());
  const PluginSlot& slot = *declared->slot;
  report.plugin = slot.name;
  if (slot.now.find(declared->name) != nullptr) {
    report.text = declared->name + " runs already";
    return false;
  }
  order.controllers.push_back(std::move(declared->name));
  order.loaded = slot.now.plugin;
  order.generation = slot.now.number;
  return true;
}

SwapReport PluginSet::enable(const std::string& controller) {
  SwapReport report;
  const ExclusiveOperation operation(registry_, retirement_, "the enabling of " + controller);
  BuildOrder order;
  if (!operation.held(report) || !find_order(controller, order, report)) return report;
  const Time began = clock_.now();
  const std::string name = order.controllers[0];
  shadows_.end(report.plugin);
  Generation made;
  if (!preparation_.stage(std::move(order), made, report) ||
      !preparation_.open_informers(made, observers_.start_informers, report)) {
    preparation_.discard(std::move(made), report);
    return report;
  }
  made.controllers.front()->host->start();  // First, as in load().
  std::optional<Beginning> beginning;
  {
    MutexLock lock(registry_.mutex);
    PluginSlot& slot = *registry_.find(report.plugin);
    slot.now.controllers.push_back(std::move(made.controllers.front()));
    HostedController& enabled = *slot.now.controllers.back();
    beginning.emplace(registry_.begin(slot, enabled, registry_.beginning(*enabled.host, began)));
  }
  beginning->carry_out();
  observers_.report_up({name});
  report.text = name + " runs";
  return report;
}

SwapReport PluginSet::configure(const std::string& controller, const std::string& config) {
  SwapReport report;
  if (offer_config(controller, config, report) == ConfigChange::End::kNeedsBuild) {
    return swap({.plugin = report.plugin, .file = {}});
  }
  return report;
}

ConfigChange::End PluginSet::offer_config(const std::string& controller, const std::string& config,
                                          SwapReport& report) {
  using End = ConfigChange::End;
  const ExclusiveOperation operation(registry_, retirement_, "the configuration of " + controller);
  if (!operation.held(report)) return End::kRefused;
  HostedController* hosted = nullptr;
  {
    MutexLock lock(registry_.mutex);
    const Result<PluginRegistry::Declared> found = registry_.running(controller);
    if (!found) {
      report.fail(SwapOutcome::kUnknown, found.error().message());
      return End::kRefused;
    }
    report.plugin = found->slot->name;
    hosted = found->slot->now.find(found->name);
  }
  // Its writes are compared with those of a build that has the old one.
  shadows_.end(report.plugin);
  const ConfigChange change = change_config(*hosted, config, clock_, clock_.now() + limits_.config);
  if (change.end == End::kTaken) report.text = controller + " has its new configuration";
  if (change.end == End::kTaken || change.end == End::kNeedsBuild) return change.end;
  const bool is_late = change.end == End::kTimedOut;
  report.fail(is_late ? SwapOutcome::kConfigTimedOut : SwapOutcome::kConfigRefused,
              "controller " + controller + " keeps its old configuration: " + change.text);
  log_.error("Configuration not changed", {{"controller", controller}, {"err", change.text}});
  return change.end;
}

SwapReport PluginSet::disable(const std::string& controller) {
  SwapReport report;
  const ExclusiveOperation operation(registry_, retirement_, "the disabling of " + controller);
  if (!operation.held(report)) return report;
  std::string name;
  {
    MutexLock lock(registry_.mutex);
    Result<PluginRegistry::Declared> found = registry_.running(controller);
    if (!found) {
      report.fail(SwapOutcome::kUnknown, found.error().message());
      return report;
    }
    report.plugin = found->slot->name;
    name = std::move(found->name);
  }
  shadows_.end(report.plugin);
  if (end_controller(name, report)) report.text = name + " is off";
  return report;
}

bool PluginSet::end_controller(const std::string& name, SwapReport& report) {
  ControllerHost* host = nullptr;
  {
    MutexLock lock(registry_.mutex);
    host = registry_.slot_of(name)->now.find(name)->host.get();
  }
  const Time deadline = clock_.now() + limits_.drain;
  // The end of the operation resumes it.
  if (!host->drain(deadline)) {
    return report.fail(SwapOutcome::kDrainTimedOut,
                       "a sync of " + name + " did not return in time");
  }
  Generation ended;
  {
    MutexLock lock(registry_.mutex);
    PluginSlot& slot = *registry_.slot_of(name);
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
  (void)preparation_.retire(std::move(ended));
  return true;
}

void PluginSet::publish(const SwapReport& report) const {
  if (observers_.on_swapped) observers_.on_swapped(report);
  if (report.ok()) {
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
  } else {
    log_.error(
        "Plugin not swapped",
        {{"plugin", report.plugin}, {"outcome", to_string(report.outcome)}, {"err", report.text}});
  }
  SwapMetrics* const metrics = observers_.metrics;
  // The name of a plugin that is not loaded does not become a label.
  if (metrics == nullptr || report.outcome == SwapOutcome::kUnknown) return;
  metrics->plugin_swapped(report.plugin, to_string(report.outcome));
  if (report.ok()) metrics->plugin_paused(report.plugin, report.pause);
}

}  // namespace davit::host
