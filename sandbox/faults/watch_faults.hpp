/// The faults of one open watch. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "sandbox/faults/fault_plan.hpp"

namespace davit::sandbox {

/// The pending and active faults of a watch. Not thread-safe.
class WatchFaults {
 public:
  enum class Verdict {
    kDeliver,
    kHeld,   ///< Nothing may pass now.
    kEnded,  ///< The watch ends as after its timeout.
    kCut,    ///< The connection breaks off.
    kGone,   ///< An ERROR event with 410, then the end.
  };

  /// kHold, kCut and kStatus only; others are ignored.
  void arm(const FaultHit& hit, Time now);
  /// Forgets what rule `id` did here; what it held is free.
  void disarm(std::uint64_t id);
  [[nodiscard]] bool empty() const { return armed_.empty(); }

  /// Decides about the next event, or about the watch if there is none.
  [[nodiscard]] Verdict verdict(Time now);
  /// An event has come by, whether or not it was lost on the way.
  void passed();
  /// When verdict() changes by itself; Time::max(): never.
  [[nodiscard]] Time next_change(Time now) const;

 private:
  struct Armed {
    FaultHit hit;
    Time at;                         ///< Not before.
    std::uint64_t events_left;       ///< Not before so many have passed.
    std::optional<Time> held_until;  ///< The end of a hold that has begun.
  };
  [[nodiscard]] static bool due(const Armed& armed, Time now) {
    return armed.events_left == 0 && now >= armed.at;
  }

  std::vector<Armed> armed_;
};

}  // namespace davit::sandbox
