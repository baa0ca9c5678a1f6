/// PluginSet: after a swap the new build is on probation for a while; if it does badly, the build
/// before comes back.
#include <utility>

#include "host/swap/exclusive_operation.hpp"
#include "host/swap/swap.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

/// Between two looks at the builds on probation: soon enough for people, and nothing to a machine.
constexpr Duration kLook = std::chrono::milliseconds(200);

}  // namespace

std::optional<ProbationTerms> PluginSet::probation_of(const Swap& swap) const {
  // A rolled-back build gets no probation, and roll_back() ends the other one's.
  if (swap.copy != nullptr) return std::nullopt;
  const ProbationTerms terms = swap.request.probation.value_or(limits_.probation);
  if (terms.time <= Duration::zero()) return std::nullopt;
  return terms;
}

bool PluginSet::start_prober() {
  if (prober_.joinable()) return true;
  return start_thread(prober_, "probation",
                      [this](const std::stop_token& stop) { watch_probations(stop); });
}

void PluginSet::put_on_probation(Swap& swap) {
  if (swap.copy != nullptr) return;
  Slot& slot = *swap.slot;
  end_probation(slot, Probation::End::kSuperseded, "another build took its place");
  const std::optional<ProbationTerms> terms = probation_of(swap);
  if (!terms) return;
  // The two have changed places: the old build is `next` now.
  const LoadedPlugin& before = *swap.next.plugin;
  slot.probation =
      std::make_shared<Probation>(Probation{*terms, clock_.now(), swap.report.to, before.copy(),
                                            before.file().path, before.declaration().version});
  swap.probation = slot.probation;
  probation_changed_.notify_all();
}

void PluginSet::end_probation(Slot& slot, Probation::End end, std::string text) {
  if (slot.probation == nullptr) return;
  slot.probation->end = end;
  slot.probation->text = std::move(text);
  slot.probation.reset();
  probation_changed_.notify_all();
}

void PluginSet::await_probation(Swap& swap) {
  if (swap.probation == nullptr) return;
  MutexLock lock(mutex_);
  const Probation& probation = *swap.probation;
  while (probation.end == Probation::End::kNone) probation_changed_.wait(mutex_);
  if (probation.end == Probation::End::kRolledBack) {
    swap.fail(SwapOutcome::kRolledBack, probation.text);
  } else {
    swap.report.text += "; " + probation.text;
  }
}

void PluginSet::watch_probations(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] {
    MutexLock lock(mutex_);
    probation_changed_.notify_all();
  });
  while (!stop.stop_requested()) {
    std::optional<Failed> failed;
    {
      MutexLock lock(mutex_);
      bool any = false;
      for (const auto& slot : slots_) any = any || slot->probation != nullptr;
      if (any) {
        clock_.wait_until(probation_changed_, mutex_, clock_.now() + kLook);
      } else if (!stop.stop_requested()) {
        probation_changed_.wait(mutex_);
      }
      // What is under way comes first; it may end the probation.
      if (busy_.empty() && !stopping_) failed = judge_probations();
    }
    if (failed) roll_back(*failed);
  }
}

std::optional<PluginSet::Failed> PluginSet::judge_probations() {
  for (const auto& slot : slots_) {
    if (slot->probation == nullptr) continue;
    const std::shared_ptr<Probation> probation = slot->probation;
    SyncTally tally;
    for (const auto& each : slot->now.controllers) tally += each->host->tally();
    const Duration passed = clock_.now() - probation->since;
    const ProbationResult judged = judge(probation->terms, tally, passed);
    if (judged.verdict == ProbationResult::Verdict::kFailed) {
      return Failed{slot->name, probation, judged.why};
    }
    if (judged.verdict == ProbationResult::Verdict::kPassed) {
      end_probation(*slot, Probation::End::kPassed, "it passed its probation");
    }
  }
  return std::nullopt;
}

void PluginSet::roll_back(const Failed& failed) {
  const Probation& probation = *failed.probation;
  Swap swap;
  swap.copy = probation.before;
  swap.report.plugin = failed.plugin;
  swap.request.plugin = failed.plugin;
  swap.request.file = probation.before_file;
  swap.request.probation.emplace();
  {
    const ExclusiveOperation operation(*this, "the way back of " + failed.plugin);
    // Who has the turn ends the probation, or it is looked at again.
    if (!operation.held()) return;
    run_swap(swap);
    const bool is_state = swap.report.outcome == SwapOutcome::kStateRefused ||
                          swap.report.outcome == SwapOutcome::kStateTimedOut;
    if (is_state) {
      // A build that does badly has nothing that is worth staying with it.
      swap.report = SwapReport{};
      swap.report.plugin = failed.plugin;
      swap.next = Generation{};
      swap.request.memory = SwapRequest::Memory::kLeave;
      run_swap(swap);
    }
  }
  std::string text = "generation " + std::to_string(probation.build.generation) + " (" +
                     probation.build.version + ") failed its probation: " + failed.why;
  const bool is_back = swap.report.ok();
  text += is_back ? "; generation " + std::to_string(swap.report.to.generation) + " is " +
                        probation.before_version + " again"
                  : "; the build before does not come back: " + swap.report.text;
  swap.fail(is_back ? SwapOutcome::kRolledBack : swap.report.outcome, text);
  {
    MutexLock lock(mutex_);
    const auto end = is_back ? Probation::End::kRolledBack : Probation::End::kFailed;
    failed.probation->end = end;
    failed.probation->text = text;
    Slot* const slot = find(failed.plugin);
    if (slot != nullptr && slot->probation == failed.probation) slot->probation.reset();
    probation_changed_.notify_all();
  }
  publish_report(swap.report);
  if (observers_.on_rolled_back) observers_.on_rolled_back(failed.plugin + ": " + text);
}

}  // namespace davit::host
