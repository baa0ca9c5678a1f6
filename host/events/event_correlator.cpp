#include "host/events/event_correlator.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <functional>

namespace davit::host {
namespace {

constexpr std::string_view kCombined = "(combined from similar events): ";

std::uint64_t mix(std::uint64_t hash, std::uint64_t seed) {
  hash ^= seed + 0x9E3779B97F4A7C15U + (hash << 6U) + (hash >> 2U);
  hash *= 0xBF58476D1CE4E5B9U;
  return hash ^ (hash >> 31U);
}

}  // namespace

/// Two independent 64-bit hashes. The lengths of the parts separate them.
EventCorrelator::Key EventCorrelator::key_of(std::initializer_list<std::string_view> parts) {
  Key out{0x243F6A8885A308D3U, 0x13198A2E03707344U};
  for (const std::string_view part : parts) {
    const std::uint64_t hash = std::hash<std::string_view>{}(part);
    out.high = mix(out.high, hash);
    out.low = mix(out.low + part.size(), hash ^ 0xA4093822299F31D0U);
  }
  return out;
}

EventCorrelator::Key EventCorrelator::aggregate_key(const Event& event) {
  const Reference& object = event.regarding;
  return key_of({event.component, event.host, object.kind, object.ns, object.name, object.uid,
                 object.api_version, event.type, event.reason});
}

EventCorrelator::Key EventCorrelator::full_key(const Event& event) {
  const Reference& object = event.regarding;
  return key_of({event.component, event.host, object.kind, object.ns, object.name,
                 object.field_path, object.uid, object.api_version, event.type, event.reason,
                 event.message});
}

EventCorrelator::Key EventCorrelator::spam_key(const Event& event) {
  const Reference& object = event.regarding;
  return key_of({event.component, event.host, object.kind, object.ns, object.name, object.uid,
                 object.api_version, event.type});
}

EventCorrelator::EventCorrelator(CorrelatorLimits limits)
    : limits_(limits),
      groups_(limits.keys_max),
      seen_(limits.keys_max),
      buckets_(limits.keys_max) {}

std::optional<CorrelatedEvent> EventCorrelator::correlate(Event event, Time now,
                                                          const FreshEvent& fresh) {
  const Key key = aggregate(event, now, fresh);
  Seen& seen = seen_.at(key);
  if (seen.count > 0) {
    event.name = seen.name;
    event.first_seen = seen.first_seen;
  } else {
    seen.name = event.name;
    seen.first_seen = event.first_seen;
  }
  event.count = ++seen.count;
  if (!allow(event, now)) return std::nullopt;
  const auto write =
      event.count > 1 ? CorrelatedEvent::Write::kPatch : CorrelatedEvent::Write::kCreate;
  return CorrelatedEvent{write, std::move(event)};
}

bool EventCorrelator::Group::add(std::string_view message) {
  const std::uint64_t hash = std::hash<std::string_view>{}(message);
  const auto end = messages.begin() + static_cast<std::ptrdiff_t>(count);
  if (std::find(messages.begin(), end, hash) != end) return false;
  if (count < messages.size()) {
    messages[count++] = hash;
    return false;
  }
  std::shift_left(messages.begin(), end, 1);
  messages.back() = hash;
  return true;
}

EventCorrelator::Key EventCorrelator::aggregate(Event& event, Time now, const FreshEvent& fresh) {
  const Key full = full_key(event);
  const Key group_key = aggregate_key(event);
  groups_.forget_while([&](const Group& each) { return now - each.last > limits_.aggregate_for; });
  Group& group = groups_.at(group_key);
  group.last = now;
  if (!group.add(event.message) || mutant("event-groups")) return full;
  event.message.insert(0, kCombined);
  event.name = fresh.name;
  event.first_seen = event.last_seen = fresh.time;
  event.reporter = Event::Reporter::kUnnamed;
  return group_key;
}

double EventCorrelator::tokens(const Bucket& bucket, Time now) const {
  if (bucket.tokens < 0) return limits_.burst;
  const double refilled = std::chrono::duration<double>(now - bucket.filled).count() /
                          std::chrono::duration<double>(limits_.refill).count();
  return std::min(limits_.burst, bucket.tokens + refilled);
}

bool EventCorrelator::allow(const Event& event, Time now) {
  buckets_.forget_while([&](const Bucket& each) { return tokens(each, now) >= limits_.burst; });
  Bucket& bucket = buckets_.at(spam_key(event));
  bucket.tokens = tokens(bucket, now);
  bucket.filled = now;
  if (bucket.tokens < 1 && !mutant("event-burst")) return false;
  bucket.tokens -= 1;
  return true;
}

}  // namespace davit::host
