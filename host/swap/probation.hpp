/// Judges the new build after a swap. Pure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "host/loading/staging.hpp"
#include "host/plugin/sync_tally.hpp"
#include "host/swap/swap_report.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

struct ProbationTerms {
  /// Fewer syncs are judged at the end only: one of two may have had a passing failure.
  static constexpr std::uint64_t kSyncsMin = 10;

  Duration time{0};                 ///< Zero: no probation.
  unsigned error_percent_max = 20;  ///< The share of failed syncs.
};

struct ProbationResult {
  enum class Verdict { kWait, kPassed, kFailed };
  Verdict verdict = Verdict::kWait;
  std::string why{};  ///< The reason of kFailed.
};

/// One fault always fails the probation. The share of errors is judged after kSyncsMin syncs, and
/// at the end regardless of their number.
[[nodiscard]] ProbationResult judge(const ProbationTerms& terms, const SyncTally& tally,
                                    Duration passed);

/// A build on probation. `end` and `text` are guarded by the mutex of the PluginRegistry.
struct Probation {
  ProbationTerms terms;
  Time since;
  BuildName build;
  std::shared_ptr<const KeptCopy> before;  ///< The build to go back to,
  std::filesystem::path before_file;       ///< where it came from,
  std::string before_version;
  enum class End { kNone, kPassed, kRolledBack, kFailed, kSuperseded };
  End end = End::kNone;
  std::string text{};  ///< The outcome, for people.
};

}  // namespace davit::host
