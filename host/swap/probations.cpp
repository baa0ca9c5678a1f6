#include "host/swap/probations.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

/// Between two looks at the builds on probation: soon enough for people, and nothing to a machine.
constexpr Duration kCheckPeriod = std::chrono::milliseconds(200);

}  // namespace

bool Probations::ensure_thread() {
  MutexLock lock(registry_.mutex);
  if (thread_.joinable()) return true;
  return start_thread(thread_, "probation", [this](const std::stop_token& stop) { watch(stop); });
}

void Probations::begin(PluginSlot& slot, std::shared_ptr<Probation> probation) {
  slot.probation = std::move(probation);
  changed_.notify_all();
}

void Probations::end(PluginSlot& slot, Probation::End how, std::string text) {
  if (slot.probation == nullptr) return;
  slot.probation->end = how;
  slot.probation->text = std::move(text);
  slot.probation.reset();
  changed_.notify_all();
}

void Probations::finish(const FailedProbation& failed, Probation::End how,
                        const std::string& text) {
  MutexLock lock(registry_.mutex);
  failed.probation->end = how;
  failed.probation->text = text;
  PluginSlot* const slot = registry_.find(failed.plugin);
  if (slot != nullptr && slot->probation == failed.probation) slot->probation.reset();
  changed_.notify_all();
}

void Probations::await(const Probation& probation, SwapReport& report) {
  MutexLock lock(registry_.mutex);
  while (probation.end == Probation::End::kNone) changed_.wait(registry_.mutex);
  if (probation.end == Probation::End::kRolledBack) {
    report.fail(SwapOutcome::kRolledBack, probation.text);
  } else {
    report.text += "; " + probation.text;
  }
}

void Probations::watch(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] {
    MutexLock lock(registry_.mutex);
    changed_.notify_all();
  });
  while (!stop.stop_requested()) {
    std::optional<FailedProbation> failed;
    {
      MutexLock lock(registry_.mutex);
      const bool any = std::any_of(registry_.slots.begin(), registry_.slots.end(),
                                   [](const auto& slot) { return slot->probation != nullptr; });
      if (any) {
        clock_.wait_until(changed_, registry_.mutex, clock_.now() + kCheckPeriod);
      } else if (!stop.stop_requested()) {
        changed_.wait(registry_.mutex);
      }
      // An operation under way comes first; it may end the probation.
      if (registry_.busy.empty() && !registry_.stopping) failed = judge_all();
    }
    if (failed) on_failed_(*failed);
  }
}

std::optional<FailedProbation> Probations::judge_all() {
  for (const auto& slot : registry_.slots) {
    if (slot->probation == nullptr) continue;
    SyncTally tally;
    for (const auto& each : slot->now.controllers)
      tally += each->host->abi().work.counter().tally();
    const Duration passed = clock_.now() - slot->probation->since;
    const ProbationResult judged = judge(slot->probation->terms, tally, passed);
    if (judged.verdict == ProbationResult::Verdict::kFailed) {
      return FailedProbation{slot->name, slot->probation, judged.why};
    }
    if (judged.verdict == ProbationResult::Verdict::kPassed) {
      end(*slot, Probation::End::kPassed, "it passed its probation");
    }
  }
  return std::nullopt;
}

}  // namespace davit::host
