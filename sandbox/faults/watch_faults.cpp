#include "sandbox/faults/watch_faults.hpp"

#include <algorithm>

namespace davit::sandbox {

void WatchFaults::arm(const FaultHit& hit, Time now) {
  const FaultKind kind = hit.rule->kind;
  if (kind != FaultKind::kHold && kind != FaultKind::kCut && kind != FaultKind::kStatus) return;
  armed_.push_back({hit, now + hit.rule->after, hit.rule->after_events, std::nullopt});
}

void WatchFaults::disarm(std::uint64_t id) {
  std::erase_if(armed_, [id](const Armed& each) { return each.hit.id == id; });
}

WatchFaults::Verdict WatchFaults::verdict(Time now) {
  std::erase_if(armed_,
                [now](const Armed& each) { return each.held_until && *each.held_until <= now; });
  Verdict out = Verdict::kDeliver;
  for (Armed& each : armed_) {
    if (!due(each, now)) continue;
    const FaultRule& rule = *each.hit.rule;
    // A silent connection may still break.
    if (rule.kind == FaultKind::kCut) return rule.clean ? Verdict::kEnded : Verdict::kCut;
    if (rule.kind == FaultKind::kStatus) {
      out = out == Verdict::kDeliver ? Verdict::kGone : out;
      continue;
    }
    out = Verdict::kHeld;
    if (!each.held_until) {
      each.held_until = rule.hold_for ? now + *rule.hold_for : Time::max();
    }
  }
  return out;
}

void WatchFaults::passed() {
  for (Armed& each : armed_) each.events_left -= each.events_left > 0 ? 1 : 0;
}

Time WatchFaults::next_change(Time now) const {
  Time out = Time::max();
  for (const Armed& each : armed_) {
    if (each.held_until) {
      out = std::min(out, *each.held_until);
    } else if (each.events_left == 0) {
      out = std::min(out, std::max(each.at, now));
    }
  }
  return out;
}

}  // namespace davit::sandbox
