#include "host/cache/slot_index.hpp"

#include "lib/base/assert.hpp"

namespace davit::host {

void SlotIndex::insert(std::uint32_t hash, std::uint32_t slot) {
  if ((size_ + 1) * 4 > entries_.size() * 3) {
    rehash(entries_.empty() ? kEntriesMin : entries_.size() * 2);
  }
  put({hash, slot});
  ++size_;
}

void SlotIndex::erase(std::uint32_t hash, std::uint32_t slot) {
  DAVIT_ASSERT(!entries_.empty());
  const std::size_t mask = entries_.size() - 1;
  std::size_t hole = hash & mask;
  while (entries_[hole].slot != slot) {
    DAVIT_ASSERT(entries_[hole].slot != kNone);
    hole = (hole + 1) & mask;
  }
  // Moves back what was pushed behind the hole, so that every entry can still be reached from its
  // home.
  for (std::size_t at = (hole + 1) & mask; entries_[at].slot != kNone; at = (at + 1) & mask) {
    const std::size_t home = entries_[at].hash & mask;
    if (((at - home) & mask) >= ((at - hole) & mask)) {
      entries_[hole] = entries_[at];
      hole = at;
    }
  }
  entries_[hole] = Entry{};
  --size_;
  if (entries_.size() > kEntriesMin && size_ * 8 < entries_.size()) rehash(entries_.size() / 2);
}

void SlotIndex::rehash(std::size_t places) {
  std::vector<Entry> former(places);
  former.swap(entries_);
  for (const Entry& entry : former) {
    if (entry.slot != kNone) put(entry);
  }
}

void SlotIndex::put(Entry entry) {
  const std::size_t mask = entries_.size() - 1;
  std::size_t at = entry.hash & mask;
  while (entries_[at].slot != kNone) at = (at + 1) & mask;
  entries_[at] = entry;
}

}  // namespace davit::host
