#include "host/swap/swap_report.hpp"

#include <utility>

namespace davit::host {

std::string Retired::reason() const {
  std::string out;
  for (const Finding& each : blockers) out += (out.empty() ? "it " : "; it ") + each.text;
  return out;
}

void SwapReport::note(Retired retired) {
  resident = retired.reason();
  blockers = std::move(retired.blockers);
  left_behind = std::move(retired.left_behind);
}

std::string_view to_string(SwapOutcome outcome) {
  switch (outcome) {
    case SwapOutcome::kDone:
      return "done";
    case SwapOutcome::kBusy:
      return "busy";
    case SwapOutcome::kStopping:
      return "stopping";
    case SwapOutcome::kUnknown:
      return "unknown";
    case SwapOutcome::kTooManyResident:
      return "too-many-resident";
    case SwapOutcome::kNotStaged:
      return "not-staged";
    case SwapOutcome::kRefused:
      return "refused";
    case SwapOutcome::kOtherPlugin:
      return "other-plugin";
    case SwapOutcome::kLacksController:
      return "lacks-controller";
    case SwapOutcome::kInitFailed:
      return "init-failed";
    case SwapOutcome::kInitTimedOut:
      return "init-timed-out";
    case SwapOutcome::kRefillFailed:
      return "refill-failed";
    case SwapOutcome::kRefillTimedOut:
      return "refill-timed-out";
    case SwapOutcome::kFillTimedOut:
      return "fill-timed-out";
    case SwapOutcome::kDrainTimedOut:
      return "drain-timed-out";
    case SwapOutcome::kStateRefused:
      return "state-refused";
    case SwapOutcome::kStateTimedOut:
      return "state-timed-out";
    case SwapOutcome::kConfigRefused:
      return "config-refused";
    case SwapOutcome::kConfigTimedOut:
      return "config-timed-out";
    case SwapOutcome::kLeadershipLost:
      return "leadership-lost";
    case SwapOutcome::kRolledBack:
      return "rolled-back";
  }
  return "unknown";
}

std::string_view to_string(SwapPhase phase) {
  switch (phase) {
    case SwapPhase::kStage:
      return "stage";
    case SwapPhase::kRefill:
      return "refill";
    case SwapPhase::kFill:
      return "fill";
    case SwapPhase::kDrain:
      return "drain";
    case SwapPhase::kState:
      return "state";
    case SwapPhase::kHandOver:
      return "hand-over";
    case SwapPhase::kServe:
      return "serve";
    case SwapPhase::kRetire:
      return "retire";
  }
  return "unknown";
}

}  // namespace davit::host
