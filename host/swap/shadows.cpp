#include "host/swap/shadows.hpp"

#include <utility>
#include <vector>

namespace davit::host {
namespace {

/// A build that sees an event needs far less than this to mean its writes; both have their own
/// workers and back-offs.
constexpr Duration kCompareDelay = std::chrono::seconds(5);

std::string describe(const PluginSlot& slot, const ShadowRun& run) {
  return "generation " + std::to_string(run.build.generation) + " of " + slot.name +
         " runs in the shadow of generation " + std::to_string(slot.now.number);
}

}  // namespace

bool Shadows::order(const SwapRequest& request, BuildOrder& out, ShadowReport& report) {
  out.plugin = request.plugin;
  out.file = request.file;
  out.staging = limits_.staging;
  out.role = BuildOrder::Role::kShadow;
  MutexLock lock(registry_.mutex);
  PluginSlot* const slot = registry_.find(request.plugin);
  if (slot == nullptr) {
    return report.fail(SwapOutcome::kUnknown, "no plugin " + request.plugin + " is loaded");
  }
  if (slot->shadow) {
    return report.fail(SwapOutcome::kBusy, "a shadow of " + request.plugin +
                                               " is already running: commit or drop it first");
  }
  if (!registry_.leading) {
    return report.fail(SwapOutcome::kLeadershipLost,
                       "this host is not the leader: it has no syncs to compare");
  }
  if (out.file.empty()) out.file = slot->file;
  out.terms.sha256 = slot->sha256;
  out.terms.name = request.plugin;
  out.terms.signatures = limits_.signatures;
  out.terms.trial = limits_.trial;
  out.generation = ++slot->generations;
  out.controllers = slot->controllers();
  return true;
}

ShadowReport Shadows::start(const SwapRequest& request) {
  ShadowReport report;
  report.plugin = request.plugin;
  const ExclusiveOperation operation(registry_, retirement_,
                                     "the start of a shadow of " + request.plugin);
  BuildOrder wanted;
  if (!operation.held(report) || !order(request, wanted, report)) return report;
  auto run = std::make_unique<ShadowRun>();
  run->file = wanted.file;
  SwapReport built;
  if (!preparation_.stage(std::move(wanted), run->generation, built) ||
      !preparation_.refill(run->generation, built) || !preparation_.fill(run->generation, built)) {
    preparation_.discard(std::move(run->generation), built);
    report.fail(built.outcome, std::move(built.text));
    return report;
  }
  run->build = built.to;
  report.to = built.to;
  begin(request.plugin, std::move(run), report);
  return report;
}

void Shadows::begin(const std::string& plugin, std::unique_ptr<ShadowRun> run,
                    ShadowReport& report) {
  std::vector<Beginning> beginnings;
  {
    MutexLock lock(registry_.mutex);
    PluginSlot& slot = *registry_.find(plugin);
    report.from = slot.now.build();
    for (const auto& each : run->generation.controllers) {
      const HostedController& original = *slot.now.find(each->host->name());
      ControllerHost& serving = *original.host;
      serving.abi().intended.begin(IntendedWrites::Mode::kRecord);
      // Both builds sync every object once, so that their first writes can be compared.
      run->keys += each->host->hand_over().mirror_keys(serving.hand_over());
      beginnings.push_back(registry_.begin(slot, *each, original.began));
    }
    run->since = clock_.now();
    report.keys = run->keys;
    report.text = describe(slot, *run);
    slot.shadow = std::move(run);
  }
  for (const Beginning& each : beginnings) each.carry_out();
}

ShadowReport Shadows::compare(const std::string& plugin) {
  ShadowReport report;
  report.plugin = plugin;
  MutexLock lock(registry_.mutex);
  const PluginSlot* const slot = registry_.find(plugin);
  if (slot == nullptr || !slot->shadow) {
    report.fail(SwapOutcome::kUnknown,
                "no shadow of " + plugin + " is running: start one with a FILE");
    return report;
  }
  const ShadowRun& run = *slot->shadow;
  report.from = slot->now.build();
  report.to = run.build;
  report.age = clock_.now() - run.since;
  report.keys = run.keys;
  report.text = describe(*slot, run);
  for (const auto& each : run.generation.controllers) {
    const HostedController* const serving = slot->now.find(each->host->name());
    if (serving == nullptr) continue;
    report.difference.add(serving->host->abi().intended.content(),
                          each->host->abi().intended.content(), clock_.now() - kCompareDelay);
  }
  return report;
}

Result<SwapRequest> Shadows::commit(const std::string& plugin) {
  MutexLock lock(registry_.mutex);
  const PluginSlot* const slot = registry_.find(plugin);
  if (slot == nullptr || !slot->shadow) {
    return Status(Code::kNotFound, "no shadow of " + plugin + " is running");
  }
  SwapRequest request{.plugin = plugin, .file = slot->shadow->file};
  request.digest = slot->shadow->build.digest;
  return request;
}

SwapReport Shadows::drop(const std::string& plugin) {
  SwapReport report;
  report.plugin = plugin;
  const ExclusiveOperation operation(registry_, retirement_, "the end of the shadow of " + plugin);
  if (!operation.held(report)) return report;
  if (!end(plugin, report.resident)) {
    report.fail(SwapOutcome::kUnknown, "no shadow of " + plugin + " is running");
    return report;
  }
  report.residents = retirement_.residents().size();
  report.text = "the shadow of " + plugin + " is dropped";
  return report;
}

bool Shadows::end(const std::string& plugin, std::string& resident) {
  std::unique_ptr<ShadowRun> run;
  {
    MutexLock lock(registry_.mutex);
    PluginSlot* const slot = registry_.find(plugin);
    if (slot == nullptr || !slot->shadow) return false;
    run = std::move(slot->shadow);
    for (const auto& each : slot->now.controllers) {
      each->host->abi().intended.begin(IntendedWrites::Mode::kOff);
    }
  }
  resident = preparation_.retire(std::move(run->generation)).reason();
  return true;
}

}  // namespace davit::host
