#include "plugins/shared/endpoint/slice_generations.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <limits>
#include <utility>

namespace davit::endpoint {

std::optional<Key> service_of(const EndpointSlice& slice) {
  const std::string_view name = slice.service_name();
  if (name.empty()) return std::nullopt;
  return Key{std::string(slice.ns()), std::string(name)};
}

void SliceGenerations::wrote(const Key& service, std::string_view uid, std::int64_t generation) {
  note(service, uid, generation);
}

void SliceGenerations::removed(const Key& service, std::string_view uid) {
  note(service, uid, kToVanish);
}

void SliceGenerations::note(const Key& service, std::string_view uid, std::int64_t generation) {
  const std::lock_guard lock(mutex_);
  services_[service].insert_or_assign(std::string(uid), generation);
}

bool SliceGenerations::should_sync(const EndpointSlice& slice) const {
  const std::optional<Key> key = service_of(slice);
  if (!key) return true;
  const std::lock_guard lock(mutex_);
  const auto service = services_.find(*key);
  if (service == services_.end()) return true;
  const auto known = service->second.find(slice.uid());
  return known == service->second.end() || slice.generation() > known->second;
}

bool SliceGenerations::is_stale(const Key& service, std::span<const EndpointSlice> listed) const {
  const std::lock_guard lock(mutex_);
  const auto found = services_.find(service);
  if (found == services_.end() || mutant("slice-generations")) return false;
  const ByUid& known = found->second;
  std::size_t seen = 0;
  for (const EndpointSlice& each : listed) {
    const auto one = known.find(each.uid());
    if (one == known.end()) continue;
    if (one->second == kToVanish || one->second > each.generation()) return true;
    ++seen;
  }
  const auto expected = std::count_if(known.begin(), known.end(),
                                      [](const auto& each) { return each.second != kToVanish; });
  return seen != static_cast<std::size_t>(expected);
}

SliceGenerations::Deletion SliceGenerations::handle_deletion(const EndpointSlice& slice) {
  const std::optional<Key> key = service_of(slice);
  const std::lock_guard lock(mutex_);
  const auto service = key ? services_.find(*key) : services_.end();
  if (service == services_.end()) return Deletion::kExpected;
  const auto known = service->second.find(slice.uid());
  if (known == service->second.end()) return Deletion::kExpected;
  const bool expected = known->second == kToVanish;
  service->second.erase(known);
  return expected ? Deletion::kExpected : Deletion::kUnexpected;
}

void SliceGenerations::handle_relabeling(const EndpointSlice& before) {
  static_cast<void>(handle_deletion(before));
}

void SliceGenerations::write(JsonWriter& out) const {
  const std::lock_guard lock(mutex_);
  out.begin_array();
  for (const auto& [service, slices] : services_) {
    out.begin_object().member("service", service.text()).key("slices").begin_array();
    for (const auto& [uid, generation] : slices) {
      out.begin_object().member("uid", uid).member("generation", generation).end_object();
    }
    out.end_array().end_object();
  }
  out.end_array();
}

SliceGenerations::Content SliceGenerations::read(const StateFields& state, std::string_view name) {
  constexpr StateFields::Range kGenerations = {kToVanish, std::numeric_limits<std::int64_t>::max()};
  Content content;
  for (const Value element : state.array(name).elements()) {
    const StateFields service = state.element(element);
    ByUid& slices = content[Key::parse(service.text("service"))];
    for (const Value each : service.array("slices").elements()) {
      const StateFields slice = state.element(each);
      slices.insert_or_assign(slice.text("uid"), slice.integer("generation", kGenerations));
    }
  }
  return content;
}

void SliceGenerations::replace(Content content) {
  const std::lock_guard lock(mutex_);
  services_ = std::move(content);
}

void SliceGenerations::forget(const Key& service) {
  const std::lock_guard lock(mutex_);
  services_.erase(service);
}

}  // namespace davit::endpoint
