#include "host/cache/slot_index.hpp"

#include "lib/base/assert.hpp"

namespace davit::host {

void SlotIndex::insert(std::uint32_t hash, std::uint32_t slot) {
  if ((size_ + 1) * 4 > places_.size() * 3) {
    rehash(places_.empty() ? kPlacesMin : places_.size() * 2);
  }
  place({hash, slot});
  ++size_;
}

void SlotIndex::erase(std::uint32_t hash, std::uint32_t slot) {
  DAVIT_ASSERT(!places_.empty());
  const std::size_t mask = places_.size() - 1;
  std::size_t hole = hash & mask;
  while (places_[hole].slot != slot) {
    DAVIT_ASSERT(places_[hole].slot != kNone);
    hole = (hole + 1) & mask;
  }
  // Moves back what was pushed behind the hole, so that every entry can still be reached from its
  // home.
  for (std::size_t at = (hole + 1) & mask; places_[at].slot != kNone; at = (at + 1) & mask) {
    const std::size_t home = places_[at].hash & mask;
    if (((at - home) & mask) >= ((at - hole) & mask)) {
      places_[hole] = places_[at];
      hole = at;
    }
  }
  places_[hole] = Place{};
  --size_;
  if (places_.size() > kPlacesMin && size_ * 8 < places_.size()) rehash(places_.size() / 2);
}

void SlotIndex::rehash(std::size_t places) {
  std::vector<Place> former(places);
  former.swap(places_);
  for (const Place& entry : former) {
    if (entry.slot != kNone) place(entry);
  }
}

void SlotIndex::place(Place entry) {
  const std::size_t mask = places_.size() - 1;
  std::size_t at = entry.hash & mask;
  while (places_[at].slot != kNone) at = (at + 1) & mask;
  places_[at] = entry;
}

}  // namespace davit::host
