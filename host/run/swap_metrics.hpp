/// The metrics of swaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/base/clock.hpp"

namespace davit::host {

/// The share of a controller in the host's memory, and all that grows without an end if it leaks.
/// Memory that a plugin allocates itself is not in it.
struct ControllerHoldings {
  std::size_t objects = 0;        ///< References to objects beyond the call that gave them.
  std::size_t object_bytes = 0;   ///< Their objects, which a cache may also hold.
  std::size_t informers = 0;      ///< Opened at run time.
  std::size_t timers = 0;         ///< That have not ended.
  std::size_t backing_off = 0;    ///< Keys whose back-off has not ended.
  std::size_t unseen_writes = 0;  ///< Keys and timers with writes that the caches have not shown.
  std::size_t journal_bytes = 0;  ///< The controller's journal.
};

/// Thread-safe.
class SwapMetrics {
 public:
  SwapMetrics() = default;
  SwapMetrics(const SwapMetrics&) = delete;
  SwapMetrics& operator=(const SwapMetrics&) = delete;
  virtual ~SwapMetrics() = default;

  /// davit_plugin_swaps_total; `outcome` as to_string(SwapOutcome).
  virtual void plugin_swapped(std::string_view plugin, std::string_view outcome) = 0;
  /// davit_plugin_swap_pause_seconds, of a swap that was done.
  virtual void plugin_paused(std::string_view plugin, Duration pause) = 0;
  /// davit_plugin_refused_calls_total; `why` as to_string(Refusal).
  virtual void plugin_calls_refused(std::string_view plugin, std::string_view controller,
                                    std::string_view why, std::uint64_t count) = 0;
  /// davit_plugin_generation; 0: it is not loaded any more.
  virtual void plugin_generation(std::string_view plugin, std::uint64_t generation) = 0;
  /// davit_plugin_mapped_bytes; 0: it is not loaded any more.
  virtual void plugin_mapped(std::string_view plugin, std::size_t bytes) = 0;
  /// davit_plugin_resident_generations.
  virtual void resident_generations(std::size_t count) = 0;

  /// The work of a controller since its build began, and what it has on hand.
  struct ControllerUse {
    std::string_view plugin;
    std::string_view controller;
    std::uint64_t generation = 1;
    Duration cpu{0};
    std::uint64_t syncs = 0;
    std::uint64_t errors = 0;
    std::size_t pending_changes = 0;
    std::size_t delayed_keys = 0;
    std::size_t failing_keys = 0;
    ControllerHoldings held = {};
  };
  /// davit_controller_cpu_seconds_total, davit_controller_syncs_total,
  /// davit_controller_sync_errors_total, davit_controller_pending_changes,
  /// davit_controller_delayed_keys, davit_controller_failing_keys, davit_controller_held and
  /// davit_controller_held_bytes. The counters go on when another generation begins at 0.
  virtual void controller_use(const ControllerUse& use) = 0;
};

}  // namespace davit::host
