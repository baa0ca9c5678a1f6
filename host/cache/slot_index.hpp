/// Maps hashes to small integers: the one hash table of the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace davit::host {

/// Open addressing with linear probing, 8 bytes a entry. Holds the hash of each entry, so that it
/// grows and shrinks without looking at the content of the slots. Not thread-safe.
class SlotIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  /// The slot with this hash for which `same(slot)` holds, or kNone.
  template <typename Same>
  [[nodiscard]] std::uint32_t find(std::uint32_t hash, Same&& same) const {
    if (entries_.empty()) return kNone;
    const std::size_t mask = entries_.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      const Entry& entry = entries_[at];
      if (entry.slot == kNone) return kNone;
      if (entry.hash == hash && same(entry.slot)) return entry.slot;
    }
  }
  /// Adds an entry that is not there yet.
  void insert(std::uint32_t hash, std::uint32_t slot);
  /// Takes out an entry that is there.
  void erase(std::uint32_t hash, std::uint32_t slot);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return entries_.capacity() * sizeof(Entry); }

 private:
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t slot = kNone;
  };
  static constexpr std::size_t kEntriesMin = 8;

  void rehash(std::size_t places);
  void put(Entry entry);

  std::vector<Entry> entries_;  // A power of two, at most 3/4 full.
  std::size_t size_ = 0;
};

}  // namespace davit::host
