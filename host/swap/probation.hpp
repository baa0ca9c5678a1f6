/// After a swap: does the new build do as well as it should? Pure.
#pragma once

#include <cstdint>
#include <string>

#include "host/plugin/sync_tally.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

struct ProbationTerms {
  /// So few syncs are judged at the end only: one of two may have met a passing failure.
  static constexpr std::uint64_t kSyncsMin = 10;

  Duration time{0};                 ///< Zero: no probation.
  unsigned error_percent_max = 20;  ///< Of the syncs.
};

struct ProbationResult {
  enum class Verdict { kWait, kPassed, kFailed };
  Verdict verdict = Verdict::kWait;
  std::string why{};  ///< Of kFailed.
};

/// One fault is too much at any time; a share of errors counts from kSyncsMin syncs on, and at the
/// end whatever their number.
[[nodiscard]] ProbationResult judge(const ProbationTerms& terms, const SyncTally& tally,
                                    Duration passed);

}  // namespace davit::host
