/// A swap under way. Internal to host/swap.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "host/swap/plugin_set.hpp"
#include "host/swap/state_hand_over.hpp"

namespace davit::host {

struct PluginSet::Swap {
  SwapRequest request;
  SwapReport report;
  Slot* slot = nullptr;  // Stays: only an exclusive operation removes a plugin.
  Generation next;       // The new build; the old one once they have changed places.
  bool was_leading = false;
  std::shared_ptr<const KeptCopy> copy;  // To go back to; null: a build of the operator's.
  std::shared_ptr<PluginSet::Probation> probation;  // That the swap began.
  Time drain_began{};
  Time drained{};

  bool fail(SwapOutcome outcome, std::string text) {
    report.outcome = outcome;
    report.text = std::move(text);
    return false;
  }
  /// Whether the swap goes on.
  bool note(const std::string& controller, const StateHandOver& state) {
    using End = StateHandOver::End;
    if (state.end != End::kRefused && state.end != End::kTimedOut) return true;
    const bool is_late = state.end == End::kTimedOut;
    return fail(is_late ? SwapOutcome::kStateTimedOut : SwapOutcome::kStateRefused,
                "controller " + controller + ": " + state.text);
  }
};

}  // namespace davit::host
