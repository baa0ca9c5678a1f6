#include "host/swap/build_preparation.hpp"

#include <memory>
#include <utility>

#include "host/cache/cache_refill.hpp"

namespace davit::host {
namespace {

std::vector<CacheNeed> needs_of(const Generation& made) {
  std::vector<CacheNeed> needs;
  for (const auto& each : made.controllers) {
    for (CacheNeed& need : each->host->abi().informers.needs()) needs.push_back(std::move(need));
  }
  return needs;
}

}  // namespace

bool BuildPreparation::stage(BuildOrder order, Generation& out, SwapReport& report) {
  const std::uint64_t number = order.generation;
  auto builder = std::make_unique<GenerationBuilder>(std::move(order), factory_, clock_);
  if (!builder->wait(clock_.now() + limits_.init)) {
    Generation none;
    none.number = number;
    (void)retirement_.retire(std::move(none), clock_.now(), std::move(builder));
    return report.fail(SwapOutcome::kInitTimedOut,
                       "opening the new build and running its InitFuncs took too long");
  }
  GenerationBuilder::Built built = builder->take();
  out = std::move(built.generation);
  if (out.plugin != nullptr) {
    const PluginFile& file = out.plugin->file();
    report.to = out.build();
    report.grade = overall(file.findings);
    for (const Finding& each : file.findings) report.grade_reasons.push_back(each.text);
  }
  if (built.outcome == SwapOutcome::kDone) return true;
  report.is_skipped = built.is_skipped;
  return report.fail(built.outcome, std::move(built.text));
}

bool BuildPreparation::refill(const Generation& made, SwapReport& report) {
  const std::vector<CacheNeed> needs = needs_of(made);
  if (needs.empty()) return true;
  InformerFactory& informers = made.controllers.front()->host->abi().services.informers;
  CacheRefill refill(informers, clock_);
  if (Status s = refill.begin(needs); !s.ok()) {
    return report.fail(SwapOutcome::kRefillFailed, s.message());
  }
  const std::string what = "the new build reads more than the caches keep";
  switch (refill.wait(clock_.now() + limits_.refill, stopping_)) {
    case CacheRefill::End::kServing:
      report.listed = refill.resources();
      return true;
    case CacheRefill::End::kRefused:
      return report.fail(SwapOutcome::kRefillFailed,
                         what + ", and the server refuses the list: " + refill.missing());
    case CacheRefill::End::kTimedOut:
      return report.fail(SwapOutcome::kRefillTimedOut,
                         what + ", and the list did not arrive in time: " + refill.missing());
    case CacheRefill::End::kStopped:
      break;
  }
  return report.fail(SwapOutcome::kStopping, "the host is stopping");
}

bool BuildPreparation::fill(Generation& made, SwapReport& report) {
  for (const auto& each : made.controllers) {
    const Status committed = each->host->commit(Reach::kRunning);
    if (committed.ok()) continue;
    return report.fail(SwapOutcome::kRefillFailed,
                       "controller " + each->host->name() + ": " + committed.message());
  }
  const Time deadline = clock_.now() + limits_.fill;
  for (const auto& each : made.controllers) each->host->start();
  for (const auto& each : made.controllers) {
    if (each->host->runner().wait_caches(deadline, stopping_)) continue;
    if (stopping_.stop_requested()) {
      return report.fail(SwapOutcome::kStopping, "the host is stopping");
    }
    return report.fail(SwapOutcome::kFillTimedOut,
                       "the handlers of the new " + each->host->name() +
                           " did not receive the content of the caches in time");
  }
  return true;
}

bool BuildPreparation::open_informers(Generation& made, const std::function<Status()>& start,
                                      SwapReport& report) {
  widen(made, report);
  Status status;
  for (const auto& each : made.controllers) {
    if (status.ok()) status = each->host->commit().with_context(each->host->name());
  }
  if (status.ok() && start) status = start();
  return status.ok() || report.fail(SwapOutcome::kInitFailed, status.message());
}

void BuildPreparation::widen(const Generation& made, SwapReport& report) {
  std::vector<CacheNeed> needs = needs_of(made);
  if (needs.empty()) return;
  InformerFactory& informers = made.controllers.front()->host->abi().services.informers;
  // A resource without an informer gets one as at a start, which waits without a limit.
  std::erase_if(needs, [&](const CacheNeed& need) {
    return informers.serves(need) || informers.running(need.spec) == nullptr;
  });
  CacheRefill refill(informers, clock_);
  if (needs.empty() || !refill.begin(needs).ok()) return;
  const auto end = refill.wait(clock_.now() + limits_.refill, stopping_);
  if (end == CacheRefill::End::kServing) report.listed = refill.resources();
}

Retired BuildPreparation::retire(Generation generation) {
  return retirement_.retire(std::move(generation), clock_.now() + limits_.retire);
}

void BuildPreparation::discard(Generation made, SwapReport& report) {
  if (made.plugin != nullptr) (void)retire(std::move(made));
  report.residents = retirement_.residents().size();
}

}  // namespace davit::host
