#include "plugins/endpoint/zone_memory.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <string>

namespace davit::endpoint {

namespace {

/// A part of one, as short as it can be and still the same.
std::string text_of(double ratio) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), ratio).ptr};
}

double read_ratio(const StateFields& state) {
  const std::string text = state.text("ratio");
  double ratio = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, ratio);
  if (error == std::errc() && rest == end && ratio >= 0 && ratio <= 1) return ratio;
  state.refuse("ratio", "a part of one");
  return 0;
}

ZoneCounts read_counts(const StateFields& state) {
  ZoneCounts counts;
  for (const Value element : state.array("zones").elements()) {
    const StateFields zone = state.element(element);
    const std::int64_t count =
        zone.integer("endpoints", {0, std::numeric_limits<std::int32_t>::max()});
    counts.insert_or_assign(zone.text("zone"), static_cast<std::size_t>(count));
  }
  return counts;
}

}  // namespace

std::optional<ZoneRatios> ZoneMemory::ratios() const {
  const std::lock_guard lock(mutex_);
  return now_.ratios;
}

void ZoneMemory::set_ratios(std::optional<ZoneRatios> ratios) {
  const std::lock_guard lock(mutex_);
  now_.ratios = std::move(ratios);
}

bool ZoneMemory::has_hints(const Key& service) const {
  const std::lock_guard lock(mutex_);
  return now_.hinted.contains(service);
}

ZoneMemory::Seen ZoneMemory::remember(const Key& service, IpFamily type, ZoneCounts allocated) {
  const std::lock_guard lock(mutex_);
  now_.allocated.insert_or_assign({service, type}, std::move(allocated));
  return now_.hinted.insert(service).second ? Seen::kFirst : Seen::kBefore;
}

void ZoneMemory::forget(const Key& service, IpFamily type) {
  const std::lock_guard lock(mutex_);
  now_.allocated.erase({service, type});
  now_.hinted.erase(service);
}

void ZoneMemory::write(JsonWriter& out) const {
  const std::lock_guard lock(mutex_);
  out.begin_object();
  if (now_.ratios) {
    out.key("ratios").begin_array();
    for (const auto& [zone, ratio] : *now_.ratios) {
      out.begin_object().member("zone", zone).member("ratio", text_of(ratio)).end_object();
    }
    out.end_array();
  }
  out.key("allocated").begin_array();
  for (const auto& [place, counts] : now_.allocated) {
    out.begin_object().member("service", place.first.text());
    out.member("type", place.second == IpFamily::kIPv4 ? "IPv4" : "IPv6");
    out.key("zones").begin_array();
    for (const auto& [zone, count] : counts) {
      out.begin_object().member("zone", zone);
      out.member("endpoints", static_cast<std::int64_t>(count)).end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().key("hinted").begin_array();
  for (const Key& each : now_.hinted) out.string(each.text());
  out.end_array().end_object();
}

ZoneMemory::Content ZoneMemory::read(const StateFields& state) {
  Content content;
  content.ratios.reset();
  if (state.has("ratios")) {
    content.ratios.emplace();
    for (const Value element : state.array("ratios").elements()) {
      const StateFields zone = state.element(element);
      content.ratios->insert_or_assign(zone.text("zone"), read_ratio(zone));
    }
  }
  for (const Value element : state.array("allocated").elements()) {
    const StateFields each = state.element(element);
    const std::optional<IpFamily> type = ip::family_of(each.text("type"));
    if (!type) each.refuse("type", "IPv4 or IPv6");
    const Key service = Key::parse(each.text("service"));
    content.allocated.insert_or_assign({service, type.value_or(IpFamily::kIPv4)},
                                       read_counts(each));
  }
  for (const std::string& each : state.texts("hinted")) content.hinted.insert(Key::parse(each));
  return content;
}

void ZoneMemory::replace(Content content) {
  const std::lock_guard lock(mutex_);
  now_ = std::move(content);
}

std::vector<Key> ZoneMemory::overloaded() const {
  const std::lock_guard lock(mutex_);
  std::set<Key> out;
  for (const auto& [place, counts] : now_.allocated) {
    if (is_overloaded(counts, now_.ratios)) out.insert(place.first);
  }
  return {out.begin(), out.end()};
}

}  // namespace davit::endpoint
