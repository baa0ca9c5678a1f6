/// A swap in progress: one build of a plugin replaces another.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/swap/build_preparation.hpp"
#include "host/swap/plugin_registry.hpp"
#include "host/swap/probations.hpp"
#include "host/swap/shadows.hpp"
#include "host/swap/state_hand_over.hpp"
#include "host/swap/swap_terms.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// The dependencies of a swap; every reference outlives it.
struct SwapParts {
  Clock& clock;
  const SwapLimits& limits;
  const SetObservers& observers;
  PluginRegistry& registry;
  Retirement& retirement;
  BuildPreparation& preparation;
  Shadows& shadows;
  Probations& probations;
};

/// Its phases are those of docs/HOT_SWAP.md, in that order:
///
///   stage → refill → fill → drain → state → hand-over → serve → retire
///     └────────┴───────┴──────┴───────┴────────┘                  ▲
///              a phase that fails: the way back ──────────────────┘
///
/// If a phase before serve fails, the old build keeps serving with its keys. Belongs to the thread
/// that holds the ExclusiveOperation.
class Swap {
 public:
  /// With `copy` this is a way back: the new build comes from these bytes and gets no probation.
  Swap(const SwapParts& parts, SwapRequest request, std::shared_ptr<const KeptCopy> copy = nullptr);
  Swap(const Swap&) = delete;
  Swap& operator=(const Swap&) = delete;

  /// Carries out the next phase; if it fails, goes back and leaves only retire. False when the swap
  /// has ended. A swap that is not admitted ends before its first phase.
  bool step();
  void run() {
    while (step()) {
    }
  }

  [[nodiscard]] SwapReport& report() { return report_; }
  /// The probation that the swap began, or null.
  [[nodiscard]] const std::shared_ptr<Probation>& probation() const { return probation_; }

 private:
  struct Phase {
    SwapPhase name;
    bool (Swap::*act)();
    void (Swap::*undo)();  // Null: nothing but the new build has to go.
  };
  static const std::array<Phase, 8> kPhases;
  /// A controller's old and new build.
  struct StatePair {
    HostedController& from;
    HostedController& to;
  };

  bool admit();
  void go_back();
  bool stage();
  bool refill();
  bool fill();
  bool drain();
  void undo_drain();
  bool hand_state();
  bool hand_over();
  bool serve();
  bool retire();

  [[nodiscard]] std::vector<StatePair> state_pairs();
  bool judge_states();
  /// Whether the swap continues after the hand-over of a controller's state.
  bool note(const std::string& controller, const StateHandOver& state);
  /// The terms of the probation that the swap begins; nothing: it begins none.
  [[nodiscard]] std::optional<Time> beginning(const HostedController& old,
                                              const HostedController& next,
                                              const ControllerHandOver::HandedOver& handed) const
      REQUIRES(parts_.registry.mutex);
  [[nodiscard]] std::optional<ProbationTerms> probation_terms() const;
  void begin_probation() REQUIRES(parts_.registry.mutex);

  const SwapParts parts_;
  SwapRequest request_;
  const std::shared_ptr<const KeptCopy> copy_;
  SwapReport report_;
  std::size_t next_phase_ = 0;
  PluginSlot* slot_ = nullptr;  // Stays: only an ExclusiveOperation removes a plugin.
  Generation next_;             // The new build; the old one once they have changed places.
  std::shared_ptr<Probation> probation_;
  bool was_leading_ = false;
  Time drain_began_{};
  Time drained_{};
};

}  // namespace davit::host
