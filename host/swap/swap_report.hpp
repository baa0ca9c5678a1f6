/// The report of a swap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/loading/elf_findings.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// The steps of a swap, in order.
enum class SwapPhase {
  kStage,     ///< Copy, judge and open the new build, call its InitFuncs.
  kRefill,    ///< The caches fill with what only the new build reads, while the old one serves.
  kFill,      ///< Its handlers see the present content of the caches.
  kDrain,     ///< The old build gets no key any more; its running syncs end.
  kState,     ///< The old build passes its state to the new one.
  kHandOver,  ///< Keys go to the new build.
  kServe,     ///< The new build serves.
  kRetire,    ///< The old build is ended and closed.
};

/// The outcome of a swap, load or unload. After every outcome but kDone, the previous state serves.
enum class SwapOutcome {
  kDone,
  kBusy,             ///< Another operation is in progress.
  kStopping,         ///< The host stops.
  kUnknown,          ///< No plugin or controller of that name is loaded, or it is loaded already.
  kTooManyResident,  ///< Too many builds could not be unloaded.
  kNotStaged,        ///< The file cannot be read or copied.
  kRefused,          ///< The file is not a plugin that may be loaded.
  kOtherPlugin,      ///< The file is another plugin.
  kLacksController,  ///< The new build does not have a controller that runs.
  kInitFailed,       ///< An InitFunc did not return STARTED.
  kInitTimedOut,     ///< Opening it, or an InitFunc, did not return in time.
  kRefillFailed,     ///< The server does not give what it reads and the caches do not keep.
  kRefillTimedOut,   ///< That did not come in time.
  kFillTimedOut,     ///< Caches were not filled, or its handlers did not return, in time.
  kDrainTimedOut,    ///< A sync of the old build did not return in time.
  kStateRefused,     ///< One of the builds did not give or take the state.
  kStateTimedOut,    ///< Handing over the state did not finish in time.
  kConfigRefused,    ///< The controller does not accept its new configuration.
  kConfigTimedOut,   ///< Its changed() has not returned.
  kLeadershipLost,   ///< In the middle of it.
  kRolledBack,       ///< The new build served, failed its probation, and the one before serves.
};

/// "done", "init-failed", ...; stable, for programs.
[[nodiscard]] std::string_view to_string(SwapOutcome outcome);
[[nodiscard]] std::string_view to_string(SwapPhase phase);

/// One build of a plugin in this process.
struct BuildName {
  std::string version;
  std::string digest;            ///< SHA-256 of the file; empty: none.
  std::uint64_t generation = 0;  ///< Counts the builds of this plugin in this process, from 1.
};

/// The remains of a build that no longer serves.
struct Retired {
  std::vector<Finding>
      blockers;  ///< The reasons why the old build stays in memory; empty: it is unmapped.
  std::vector<std::string> left_behind;  ///< Libraries that came with it and have not left.

  /// The blockers in one line; empty: it has left.
  [[nodiscard]] std::string reason() const;
};

struct SwapReport {
  SwapOutcome outcome = SwapOutcome::kDone;
  std::string plugin;
  std::string text;  ///< One line for people: what happened, or why not and what to do.
  BuildName from;
  BuildName to;
  Grade grade = Grade::kSwappable;         ///< The new build's.
  std::vector<std::string> grade_reasons;  ///< Why it is not swappable.
  std::vector<std::string> not_started;  ///< Controllers of the new build that did not run before.
  std::vector<std::string> listed;       ///< Resources that the caches keep more of since then.
  std::size_t keys = 0;                  ///< Waiting keys that were kept.
  std::size_t keys_dropped = 0;          ///< Keys of queues that the new build does not have.
  Duration drain{0};                     ///< From the last key handed out to the last sync's end.
  Duration pause{0};                     ///< From there to the first key that could go out again.
  std::size_t state_bytes = 0;           ///< The size of the states that the new build took over.
  std::vector<std::string> state_left;   ///< Controllers whose state the new build takes none of.
  std::string
      resident;  ///< The reason why the old build is still in memory; empty: it is unmapped.
  std::vector<Finding> blockers;         ///< The same, reason by reason.
  std::vector<std::string> left_behind;  ///< Libraries that came with it and have not left.
  std::size_t residents = 0;             ///< Builds in memory that serve no more.
  bool is_skipped = false;               ///< With kInitFailed: a controller has nothing to do.

  [[nodiscard]] bool ok() const { return outcome == SwapOutcome::kDone; }
  /// Sets how it ended; returns false.
  bool fail(SwapOutcome why, std::string what) {
    outcome = why;
    text = std::move(what);
    return false;
  }
  /// Takes over what retiring the old build said.
  void note(Retired retired);
};

}  // namespace davit::host
