#include "plugins/daemonset/failed_pod_backoff.hpp"

#include <algorithm>
#include <utility>

namespace davit::daemonset {

std::optional<Duration> FailedPodBackoff::admit(const std::string& place, Time now) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = pauses_.try_emplace(place, Pause{kFirst, now});
  if (is_new) return std::nullopt;
  Pause& pause = found->second;
  const Duration passed = now - pause.since;
  if (passed > kForgottenAfter) {
    pause = {kFirst, now};
    return std::nullopt;
  }
  if (passed < pause.length) return pause.length;
  pause = {std::min(2 * pause.length, kLongest), now};
  return std::nullopt;
}

void FailedPodBackoff::collect(Time now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(pauses_,
                [now](const auto& each) { return now - each.second.since > kForgottenAfter; });
}

std::size_t FailedPodBackoff::size() const {
  const std::lock_guard lock(mutex_);
  return pauses_.size();
}

void FailedPodBackoff::write(JsonWriter& out) const {
  const std::lock_guard lock(mutex_);
  out.begin_array();
  for (const auto& [place, pause] : pauses_) {
    out.begin_object().member("place", place);
    out.member("pause", static_cast<std::int64_t>(pause.length.count()));
    out.member("since", state_time(pause.since)).end_object();
  }
  out.end_array();
}

Result<FailedPodBackoff::Pauses> FailedPodBackoff::parse(const StateFields& state,
                                                         std::string_view name, Time now) {
  Pauses pauses;
  for (const Value element : state.array(name).elements()) {
    const StateFields each = state.element(element);
    const Duration length(each.integer("pause", {kFirst.count(), kLongest.count()}));
    pauses[each.text("place")] = {length, each.past("since", now)};
  }
  if (!state.status().ok()) return state.status();
  return pauses;
}

void FailedPodBackoff::replace(Pauses pauses) {
  const std::lock_guard lock(mutex_);
  pauses_ = std::move(pauses);
}

}  // namespace davit::daemonset
