/// The requests, time limits and observers of swaps.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/loading/loader.hpp"
#include "host/run/swap_metrics.hpp"
#include "host/swap/probation.hpp"
#include "host/swap/swap_report.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// Time limits of a swap's phases. Beyond them the swap fails, and the old build keeps serving.
struct SwapLimits {
  /// Copying, opening in another process and in this one, InitFuncs: seconds on a busy machine.
  Duration init = std::chrono::seconds(30);
  /// A healthy server takes some 40 s to list 150,000 pods.
  Duration refill = std::chrono::minutes(2);
  Duration fill = std::chrono::seconds(30);    ///< Its handlers see what the caches hold.
  Duration drain = std::chrono::seconds(30);   ///< Longer than a request to a healthy server takes.
  Duration state = std::chrono::seconds(5);    ///< Handlers end, and the state is handed over.
  Duration config = std::chrono::seconds(10);  ///< The controller takes another configuration.
  Duration retire = std::chrono::seconds(30);  ///< The old build's calls and threads end.
  /// Builds that could not leave memory before swaps are refused: a build is some megabytes, and
  /// one that leaves nothing behind does not count.
  std::size_t residents_max = 16;
  ProbationTerms probation{};     ///< For a swap without its own terms.
  std::filesystem::path staging;  ///< The directory of private copies; empty: see StagingDirectory.
  SignatureSettings signatures{};  ///< Needed by each build that is loaded from a file.
  std::filesystem::path trial{};   ///< Opens each build first; see LoadTerms.
};

struct SwapRequest {
  std::string plugin;
  std::filesystem::path file;  ///< Empty: where the present build came from.
  /// The required digest of this and each later build, or empty; nothing: as before.
  std::optional<std::string> sha256 = {};
  /// Whether the new build gets the old one's state, or starts as after a restart.
  enum class Memory { kHandOver, kLeave };
  Memory memory = Memory::kHandOver;
  std::string digest = {};  ///< The required digest of this build, or empty.
  /// Given: PluginSet::swap() waits for the end of this probation. Else that of SwapLimits, which
  /// continues afterwards.
  std::optional<ProbationTerms> probation{};
};

/// The order of PluginSet::load().
struct LoadOrder {
  std::filesystem::path file;
  std::string sha256 = {};  ///< The required digest of each of its builds, or empty.
  DigestPin pin =
      {};  ///< Used if `sha256` is empty: the required digest, once the plugin's name is known.
  /// The controllers that start; nothing: those that are on by default.
  std::optional<std::vector<std::string>> controllers = {};
};

/// Callbacks of a PluginSet; called without a lock.
struct SetObservers {
  /// A controller came up, or another build of it.
  std::function<void(const std::string& controller)> on_up;
  std::function<void(const std::string& controller)> on_down;
  /// A swap enters a phase.
  std::function<void(SwapPhase phase)> on_phase;
  /// Starts the informers that a controller has opened.
  std::function<Status()> start_informers;
  SwapMetrics* metrics = nullptr;  ///< Borrowed; null: none.
  /// A build failed its probation; `text` says which, why, and what serves now.
  std::function<void(const std::string& text)> on_rolled_back{};
  /// Called when a swap has ended, with any outcome. May be empty.
  std::function<void(const SwapReport& report)> on_swapped{};

  void report_up(const std::vector<std::string>& controllers) const {
    if (!on_up) return;
    for (const std::string& each : controllers) on_up(each);
  }
};

}  // namespace davit::host
