#include "host/swap/probation.hpp"

namespace davit::host {

ProbationResult judge(const ProbationTerms& terms, const SyncTally& tally, Duration passed) {
  using Verdict = ProbationResult::Verdict;
  constexpr std::uint64_t kWhole = 100;
  if (tally.faults > 0) {
    return {Verdict::kFailed, "a call into it threw an exception or ended with an internal error"};
  }
  const bool is_over = passed >= terms.time;
  const bool counts = tally.syncs >= ProbationTerms::kSyncsMin || is_over;
  if (counts && tally.errors * kWhole > tally.syncs * terms.error_percent_max) {
    return {Verdict::kFailed, std::to_string(tally.errors) + " of " + std::to_string(tally.syncs) +
                                  " syncs failed, and " + std::to_string(terms.error_percent_max) +
                                  " % may"};
  }
  return {is_over ? Verdict::kPassed : Verdict::kWait};
}

}  // namespace davit::host
