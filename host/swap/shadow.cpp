#include "host/swap/shadow.hpp"

#include <utility>

#include "host/swap/exclusive_operation.hpp"

namespace davit::host {
namespace {

/// A build that sees an event needs far less than this to mean its writes; both have their own
/// workers and back-offs.
constexpr Duration kSettleTime = std::chrono::seconds(5);

ShadowReport failed(ShadowReport report, SwapOutcome outcome, std::string text) {
  report.outcome = outcome;
  report.text = std::move(text);
  return report;
}

void add_side(const IntendedWrites::Content& own, const IntendedWrites::Content& other,
              Time settled_before, ShadowDifference& all, ShadowDifference::Side& side) {
  side.syncs += own.syncs;
  side.failed += own.failed;
  if (!own.last_error.empty()) side.last_error = own.last_error;
  side.beyond += own.beyond;
  for (const auto& [write, since] : own.writes) {
    if (other.writes.contains(write)) continue;
    if (since >= settled_before) {
      ++all.pending;
    } else {
      side.only.push_back(write);
    }
  }
}

}  // namespace

void ShadowDifference::add(const IntendedWrites::Content& of_serving,
                           const IntendedWrites::Content& of_shadow, Time settled_before) {
  add_side(of_serving, of_shadow, settled_before, *this, serving);
  add_side(of_shadow, of_serving, settled_before, *this, shadow);
  for (const auto& [write, since] : of_serving.writes) {
    if (of_shadow.writes.contains(write)) ++alike;
  }
}

ShadowReport PluginSet::start_shadow(const SwapRequest& request) {
  ShadowReport report;
  report.plugin = request.plugin;
  const ExclusiveOperation operation(*this, "the start of a shadow of " + request.plugin);
  if (!operation.held()) return failed(std::move(report), operation.refused(), operation.why());
  BuildOrder order;
  order.plugin = request.plugin;
  order.file = request.file;
  order.staging = limits_.staging;
  order.role = BuildOrder::Role::kShadow;
  {
    MutexLock lock(mutex_);
    Slot* const slot = find(request.plugin);
    if (slot == nullptr) {
      return failed(std::move(report), SwapOutcome::kUnknown,
                    "no plugin " + request.plugin + " is loaded");
    }
    if (slot->shadow) {
      return failed(std::move(report), SwapOutcome::kBusy,
                    "a shadow of " + request.plugin + " runs already: commit or drop it first");
    }
    if (!leading_) {
      return failed(std::move(report), SwapOutcome::kLeadershipLost,
                    "this host does not lead: nothing is synced that could be compared");
    }
    if (order.file.empty()) order.file = slot->file;
    order.sha256 = slot->sha256;
    order.generation = ++slot->generations;
    for (const auto& each : slot->now.controllers) order.controllers.push_back(each->host->name());
  }
  auto run = std::make_unique<ShadowRun>();
  run->file = order.file;
  SwapReport built;
  if (!build_limited(std::move(order), run->generation, built) || !refill(run->generation, built) ||
      !fill(run->generation, built)) {
    (void)discard(std::move(run->generation), {});
    return failed(std::move(report), built.outcome, std::move(built.text));
  }
  run->build = built.to;
  report.to = built.to;
  begin_shadow(request.plugin, std::move(run), report);
  return report;
}

void PluginSet::begin_shadow(const std::string& plugin, std::unique_ptr<ShadowRun> run,
                             ShadowReport& report) {
  MutexLock lock(mutex_);
  Slot& slot = *find(plugin);
  const PluginFile& file = slot.now.plugin->file();
  report.from = {file.declaration.version, file.digest, slot.now.number};
  for (const auto& each : run->generation.controllers) {
    ControllerHost& serving = *slot.now.find(each->host->name())->host;
    serving.writes().begin(IntendedWrites::Mode::kRecord);
    // What the shadow would do first, it does for every object. The build that serves does the same
    // again, so that the two can be compared.
    run->keys += each->host->mirror_keys(serving);
    begin(slot, *each);
  }
  run->since = clock_.now();
  report.keys = run->keys;
  report.text = "generation " + std::to_string(run->build.generation) + " of " + plugin +
                " runs in the shadow of generation " + std::to_string(slot.now.number);
  slot.shadow = std::move(run);
}

ShadowReport PluginSet::shadow(const std::string& plugin) {
  ShadowReport report;
  report.plugin = plugin;
  MutexLock lock(mutex_);
  const Slot* const slot = find(plugin);
  if (slot == nullptr || !slot->shadow) {
    return failed(std::move(report), SwapOutcome::kUnknown,
                  "no shadow of " + plugin + " runs: start one with a FILE");
  }
  const ShadowRun& run = *slot->shadow;
  const PluginFile& file = slot->now.plugin->file();
  report.from = {file.declaration.version, file.digest, slot->now.number};
  report.to = run.build;
  report.age = clock_.now() - run.since;
  report.keys = run.keys;
  report.text = "generation " + std::to_string(run.build.generation) + " of " + plugin +
                " runs in the shadow of generation " + std::to_string(slot->now.number);
  for (const auto& each : run.generation.controllers) {
    const HostedController* const serving = slot->now.find(each->host->name());
    if (serving == nullptr) continue;
    report.difference.add(serving->host->writes().content(), each->host->writes().content(),
                          clock_.now() - kSettleTime);
  }
  return report;
}

SwapReport PluginSet::commit_shadow(const std::string& plugin) {
  SwapRequest request{.plugin = plugin, .file = {}};
  {
    MutexLock lock(mutex_);
    const Slot* const slot = find(plugin);
    if (slot == nullptr || !slot->shadow) {
      SwapReport report;
      report.plugin = plugin;
      report.outcome = SwapOutcome::kUnknown;
      report.text = "no shadow of " + plugin + " runs";
      return report;
    }
    request.file = slot->shadow->file;
    request.digest = slot->shadow->build.digest;
  }
  return swap(request);
}

SwapReport PluginSet::drop_shadow(const std::string& plugin) {
  SwapReport report;
  report.plugin = plugin;
  const ExclusiveOperation operation(*this, "the end of the shadow of " + plugin);
  if (!operation.held()) {
    report.outcome = operation.refused();
    report.text = operation.why();
    return report;
  }
  if (!end_shadow(plugin, report.resident)) {
    report.outcome = SwapOutcome::kUnknown;
    report.text = "no shadow of " + plugin + " runs";
    return report;
  }
  report.residents = retirement_.residents().size();
  report.text = "the shadow of " + plugin + " is dropped";
  return report;
}

bool PluginSet::end_shadow(const std::string& plugin, std::string& resident) {
  std::unique_ptr<ShadowRun> run;
  {
    MutexLock lock(mutex_);
    Slot* const slot = find(plugin);
    if (slot == nullptr || !slot->shadow) return false;
    run = std::move(slot->shadow);
    for (const auto& each : slot->now.controllers) {
      each->host->writes().begin(IntendedWrites::Mode::kOff);
    }
  }
  resident = retirement_.retire(std::move(run->generation), clock_.now() + limits_.retire).reason();
  return true;
}

}  // namespace davit::host
