#include "plugins/endpoint/service_selectors.hpp"

#include <optional>

namespace davit::endpoint {
namespace {

/// Neither a namespace nor a label contains these separators where they stand here. A selector
/// without labels selects all pods, and has the place of the empty label.
std::string place(std::string_view ns, std::string_view label, std::string_view value) {
  return std::string(ns).append("/").append(label).append("=").append(value);
}

}  // namespace

void ServiceSelectors::put(const Service& service) {
  const Key key = service.key();
  const Value selector = service.selector();
  const std::lock_guard lock(mutex_);
  erase_locked(key);
  if (selector.kind() != Kind::kObject) return;
  std::string chosen = place(service.ns(), {}, {});
  std::optional<std::size_t> fewest;
  for (const Member& each : selector.members()) {
    std::string candidate = place(service.ns(), each.key, each.value.string());
    const auto found = places_.find(candidate);
    const std::size_t others = found == places_.end() ? 0 : found->second.size();
    if (fewest && others >= *fewest) continue;
    fewest = others;
    chosen = std::move(candidate);
  }
  places_[chosen].insert(key);
  place_of_[key] = std::move(chosen);
}

void ServiceSelectors::erase(const Service& service) {
  const Key key = service.key();
  const std::lock_guard lock(mutex_);
  erase_locked(key);
}

void ServiceSelectors::erase_locked(const Key& key) {
  const auto known = place_of_.find(key);
  if (known == place_of_.end()) return;
  const auto found = places_.find(known->second);
  found->second.erase(key);
  if (found->second.empty()) places_.erase(found);
  place_of_.erase(known);
}

std::set<Key> ServiceSelectors::candidates(std::string_view ns, const Labels& labels) const {
  std::set<Key> out;
  const std::lock_guard lock(mutex_);
  const auto take = [&](const std::string& text) {
    const auto found = places_.find(text);
    if (found != places_.end()) out.insert(found->second.begin(), found->second.end());
  };
  take(place(ns, {}, {}));
  for (const auto& [label, value] : labels) take(place(ns, label, value));
  return out;
}

}  // namespace davit::endpoint
