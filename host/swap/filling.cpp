/// PluginSet: a new build gets what it reads, while the old one serves.
#include <utility>

#include "host/cache/cache_refill.hpp"
#include "host/swap/plugin_set.hpp"

namespace davit::host {
namespace {

bool fail(SwapReport& report, SwapOutcome outcome, std::string text) {
  report.outcome = outcome;
  report.text = std::move(text);
  return false;
}

std::vector<CacheNeed> needs_of(const Generation& made) {
  std::vector<CacheNeed> needs;
  for (const auto& each : made.controllers) {
    for (CacheNeed& need : each->host->cache_needs()) needs.push_back(std::move(need));
  }
  return needs;
}

}  // namespace

bool PluginSet::refill(const Generation& made, SwapReport& report) {
  enter(SwapPhase::kRefill);
  const std::vector<CacheNeed> needs = needs_of(made);
  if (needs.empty()) return true;
  InformerFactory& informers = made.controllers.front()->host->services().informers;
  CacheRefill refill(informers, clock_);
  if (Status s = refill.begin(needs); !s.ok()) {
    return fail(report, SwapOutcome::kRefillFailed, s.message());
  }
  const std::string what = "the new build reads more than the caches keep";
  switch (refill.wait(clock_.now() + limits_.refill, stop_.get_token())) {
    case CacheRefill::End::kServing:
      report.listed = refill.resources();
      return true;
    case CacheRefill::End::kRefused:
      return fail(report, SwapOutcome::kRefillFailed,
                  what + ", and the server does not give it: " + refill.missing());
    case CacheRefill::End::kTimedOut:
      return fail(report, SwapOutcome::kRefillTimedOut,
                  what + ", and this did not come in time: " + refill.missing());
    case CacheRefill::End::kStopped:
      break;
  }
  return fail(report, SwapOutcome::kStopping, "the host is stopping");
}

void PluginSet::widen(const Generation& made, SwapReport& report) {
  std::vector<CacheNeed> needs = needs_of(made);
  if (needs.empty()) return;
  InformerFactory& informers = made.controllers.front()->host->services().informers;
  // What nobody reads yet gets its informer as at a start, which waits for as long as it takes.
  std::erase_if(needs, [&](const CacheNeed& need) {
    return informers.serves(need) || informers.running(need.spec) == nullptr;
  });
  CacheRefill refill(informers, clock_);
  if (needs.empty() || !refill.begin(needs).ok()) return;
  const auto end = refill.wait(clock_.now() + limits_.refill, stop_.get_token());
  if (end == CacheRefill::End::kServing) report.listed = refill.resources();
}

bool PluginSet::fill(Generation& made, SwapReport& report) {
  enter(SwapPhase::kFill);
  for (const auto& each : made.controllers) {
    const Status committed = each->host->commit(ControllerHost::Reach::kRunning);
    if (committed.ok()) continue;
    return fail(report, SwapOutcome::kRefillFailed,
                "controller " + each->host->name() + ": " + committed.message());
  }
  const Time deadline = clock_.now() + limits_.fill;
  for (const auto& each : made.controllers) each->host->start();
  for (const auto& each : made.controllers) {
    if (each->host->wait_caches(deadline)) continue;
    return fail(report, SwapOutcome::kFillTimedOut,
                "the handlers of the new " + each->host->name() +
                    " have not seen what the caches hold in time");
  }
  return true;
}

}  // namespace davit::host
