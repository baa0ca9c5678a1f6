/// The metrics of swaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/base/clock.hpp"

namespace davit::host {

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
  /// davit_plugin_generation; 0: it is not loaded any more.
  virtual void plugin_generation(std::string_view plugin, std::uint64_t generation) = 0;
  /// davit_plugin_resident_generations.
  virtual void resident_generations(std::size_t count) = 0;
};

}  // namespace davit::host
