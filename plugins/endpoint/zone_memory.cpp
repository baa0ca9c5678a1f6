#include "plugins/endpoint/zone_memory.hpp"

namespace davit::endpoint {

std::optional<ZoneRatios> ZoneMemory::ratios() const {
  const std::lock_guard lock(mutex_);
  return ratios_;
}

void ZoneMemory::set_ratios(std::optional<ZoneRatios> ratios) {
  const std::lock_guard lock(mutex_);
  ratios_ = std::move(ratios);
}

bool ZoneMemory::has_hints(const Key& service) const {
  const std::lock_guard lock(mutex_);
  return hinted_.contains(service);
}

ZoneMemory::Seen ZoneMemory::remember(const Key& service, IpFamily type, ZoneCounts allocated) {
  const std::lock_guard lock(mutex_);
  allocated_.insert_or_assign({service, type}, std::move(allocated));
  return hinted_.insert(service).second ? Seen::kFirst : Seen::kBefore;
}

void ZoneMemory::forget(const Key& service, IpFamily type) {
  const std::lock_guard lock(mutex_);
  allocated_.erase({service, type});
  hinted_.erase(service);
}

std::vector<Key> ZoneMemory::overloaded() const {
  const std::lock_guard lock(mutex_);
  std::set<Key> out;
  for (const auto& [place, counts] : allocated_) {
    if (is_overloaded(counts, ratios_)) out.insert(place.first);
  }
  return {out.begin(), out.end()};
}

}  // namespace davit::endpoint
