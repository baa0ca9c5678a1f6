/// A build that runs beside the one that serves, without writing: what would it do otherwise?
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/plugin/intended_writes.hpp"
#include "host/swap/generation.hpp"
#include "host/swap/swap_report.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// The writes that two builds intended from the same moment on. How often each was meant is not
/// compared: the one sees what the other wrote.
struct ShadowDifference {
  /// One of both sides.
  struct Side {
    std::vector<IntendedWrite> only;  ///< Intended by this build alone, in order of the objects.
    std::size_t syncs = 0;
    std::size_t failed = 0;
    std::string last_error;
    std::size_t beyond = 0;  ///< Writes that were too many to be kept: nothing is known of them.
  };
  Side serving;
  Side shadow;
  std::size_t alike = 0;
  /// Intended by one alone, but so recently that the other may still do the same.
  std::size_t pending = 0;

  /// Adds a controller.
  void add(const IntendedWrites::Content& of_serving, const IntendedWrites::Content& of_shadow,
           Time pending_from);
};

struct ShadowReport {
  SwapOutcome outcome = SwapOutcome::kDone;
  std::string plugin;
  std::string text;  ///< One line for people.
  BuildName from;    ///< The serving build's.
  BuildName to;      ///< The shadow's.
  Duration age{0};
  std::size_t keys =
      0;  ///< At the start: that both sync, so that nothing is compared with the past.
  ShadowDifference difference;

  [[nodiscard]] bool ok() const { return outcome == SwapOutcome::kDone; }
  /// Sets how it ended; returns false.
  bool fail(SwapOutcome why, std::string what) {
    outcome = why;
    text = std::move(what);
    return false;
  }
};

/// A shadow that runs. Guarded by the mutex of the PluginRegistry.
struct ShadowRun {
  Generation generation;
  std::filesystem::path file;
  BuildName build;
  Time since{};
  std::size_t keys = 0;
};

}  // namespace davit::host
