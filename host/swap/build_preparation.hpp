/// A new build on its way to serving, beside the build that serves.
#pragma once

#include <stop_token>

#include "host/swap/generation.hpp"
#include "host/swap/retirement.hpp"
#include "host/swap/swap_terms.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// Opens builds and fills their caches. Functions that return false leave the reason in the report;
/// the caller then discards the build. Belongs to the current ExclusiveOperation.
class BuildPreparation {
 public:
  /// The references outlive this. `stopping` ends long waits.
  BuildPreparation(Clock& clock, const ControllerFactory& factory, const SwapLimits& limits,
                   Retirement& retirement, std::stop_token stopping)
      : clock_(clock),
        factory_(factory),
        limits_(limits),
        retirement_(retirement),
        stopping_(std::move(stopping)) {}
  BuildPreparation(const BuildPreparation&) = delete;
  BuildPreparation& operator=(const BuildPreparation&) = delete;

  /// Opens a build and calls its InitFuncs. `out` gets what there is of it, also on failure.
  bool stage(BuildOrder order, Generation& out, SwapReport& report);
  /// Makes the caches keep what the new build reads, beside what serves.
  bool refill(const Generation& made, SwapReport& report);
  /// Opens what the new build reads and waits until its handlers have seen it. After refill().
  bool fill(Generation& made, SwapReport& report);
  /// Instead of refill() and fill(), for a build that replaces none: widens existing caches that
  /// lack declared fields. If that does not finish in time, the controllers get separate informers.
  /// `start` starts the informers.
  bool open_informers(Generation& made, const std::function<Status()>& start, SwapReport& report);

  /// Ends a build that will not serve, or serves no more.
  Retired retire(Generation generation);
  /// The same for a build that never served. Nothing for one that was not opened.
  void discard(Generation made, SwapReport& report);

 private:
  void widen(const Generation& made, SwapReport& report);

  Clock& clock_;
  const ControllerFactory& factory_;
  const SwapLimits& limits_;
  Retirement& retirement_;
  const std::stop_token stopping_;
};

}  // namespace davit::host
