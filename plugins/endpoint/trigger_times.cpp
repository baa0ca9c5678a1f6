#include "plugins/endpoint/trigger_times.hpp"

#include <algorithm>
#include <utility>

namespace davit::endpoint {

namespace {

std::int64_t nanoseconds(WallTime time) { return time.time_since_epoch().count(); }

}  // namespace

std::optional<WallTime> TriggerTimes::next(const Key& key, const Service& service,
                                           std::span<const Pod> pods) {
  const std::lock_guard lock(mutex_);
  const bool known = states_.contains(key);
  State& old = states_[key];
  State now;
  std::optional<WallTime> earliest;
  const auto changed = [&earliest](WallTime time) {
    earliest = earliest ? std::min(*earliest, time) : time;
  };
  for (const Pod& pod : pods) {
    const std::optional<WallTime> time = pod.ready_transition_time();
    if (!time) continue;
    const auto before = old.pods.find(pod.name());
    if (before == old.pods.end() || *time > before->second) changed(*time);
    now.pods.insert_or_assign(std::string(pod.name()), *time);
  }
  now.service = service.creation_time();
  if (now.service && (!old.service || *now.service > *old.service)) changed(*now.service);
  old = std::move(now);
  return known ? earliest : old.service;
}

void TriggerTimes::write(JsonWriter& out) const {
  const std::lock_guard lock(mutex_);
  out.begin_array();
  for (const auto& [service, state] : states_) {
    out.begin_object().member("service", service.text());
    if (state.service) out.member("at", nanoseconds(*state.service));
    out.key("pods").begin_array();
    for (const auto& [pod, time] : state.pods) {
      out.begin_object().member("pod", pod).member("at", nanoseconds(time)).end_object();
    }
    out.end_array().end_object();
  }
  out.end_array();
}

TriggerTimes::Content TriggerTimes::read(const StateFields& state, std::string_view name) {
  Content content;
  for (const Value element : state.array(name).elements()) {
    const StateFields service = state.element(element);
    State& times = content[Key::parse(service.text("service"))];
    if (service.has("at")) times.service = WallTime(Duration(service.integer("at")));
    for (const Value each : service.array("pods").elements()) {
      const StateFields pod = state.element(each);
      times.pods.insert_or_assign(pod.text("pod"), WallTime(Duration(pod.integer("at"))));
    }
  }
  return content;
}

void TriggerTimes::replace(Content content) {
  const std::lock_guard lock(mutex_);
  states_ = std::move(content);
}

void TriggerTimes::forget(const Key& key) {
  const std::lock_guard lock(mutex_);
  states_.erase(key);
}

}  // namespace davit::endpoint
