#include "plugins/garbagecollector/absent_owners.hpp"

namespace davit::garbage {

void AbsentOwners::add(const Identity& owner) {
  if (touch(owner)) return;
  if (order_.size() == kMax) {
    places_.erase(order_.back());
    order_.pop_back();
  }
  order_.push_front(owner);
  places_.emplace(owner, order_.begin());
}

bool AbsentOwners::contains(const Reference& reference, std::string_view ns) {
  return touch(owner_of(reference, {})) || touch(owner_of(reference, ns));
}

void AbsentOwners::forget(std::string_view uid) {
  const auto [first, end] = places_.equal_range(uid);
  for (auto at = first; at != end; ++at) order_.erase(at->second);
  places_.erase(first, end);
}

bool AbsentOwners::touch(const Identity& owner) {
  const auto found = places_.find(owner);
  if (found == places_.end()) return false;
  order_.splice(order_.begin(), order_, found->second);
  return true;
}

}  // namespace davit::garbage
