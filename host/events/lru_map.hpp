/// A map that forgets what was not used for longest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace davit::host {

/// At most `capacity` entries; memory grows with the highest number so far. Entries have no
/// separate allocation: new ones reuse the slots of dropped ones. References stay valid until the
/// entry is dropped. Not thread-safe.
///
/// It is ours for its memory: with a key and a value of 16 bytes each, an entry takes 56 bytes, in
/// boost::multi_index_container 93, and in std::list with std::unordered_map 122. That is at least
/// 0.4 MiB less for a controller whose correlator is full (three maps of 4,096 entries).
template <typename Key, typename T, typename Hash = std::hash<Key>>
class LruMap {
 public:
  explicit LruMap(std::size_t capacity) : capacity_(capacity) {}

  /// The entry of `key`, made with T() when there is none; it is now the last to be pushed out.
  T& at(const Key& key) {
    Index index = find(key);
    if (index != kNone) {
      unlink(index);
    } else {
      if (size_ >= capacity_) forget_oldest();
      index = take_slot();
      slots_[index].key = key;
      slots_[index].next = std::exchange(first_with(key), index);
      ++size_;
    }
    link_newest(index);
    return slots_[index].value;
  }

  /// Forgets entries, the one that was not used for longest first, until `is_over` denies it of
  /// one.
  template <typename IsOver>
  void forget_while(const IsOver& is_over) {
    while (size_ > 0 && is_over(std::as_const(slots_[oldest()].value))) forget_oldest();
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  using Index = std::uint32_t;
  /// No entry; the slot of that number is both ends of the line.
  static constexpr Index kNone = 0;

  struct Slot {
    Key key{};
    T value{};
    // The line of all entries.
    Index newer = kNone;
    Index older = kNone;
    Index next = kNone;  // In the chain of one bucket of first_, or of the free slots.
  };

  [[nodiscard]] Index oldest() const { return slots_[kNone].newer; }

  [[nodiscard]] Index& first_with(const Key& key) {
    return first_[Hash{}(key) & (first_.size() - 1)];
  }

  [[nodiscard]] Index find(const Key& key) {
    Index index = first_with(key);
    while (index != kNone && !(slots_[index].key == key)) index = slots_[index].next;
    return index;
  }

  Index take_slot() {
    if (free_ != kNone) return std::exchange(free_, slots_[free_].next);
    if (slots_.size() > first_.size()) spread();
    slots_.emplace_back();
    return static_cast<Index>(slots_.size() - 1);
  }

  /// Doubles first_. Requires that no slot is free.
  void spread() {
    first_ = std::vector<Index>(first_.size() * 2, kNone);
    for (Index each = 1; each < slots_.size(); ++each) {
      slots_[each].next = std::exchange(first_with(slots_[each].key), each);
    }
  }

  void forget_oldest() {
    const Index gone = oldest();
    Slot& slot = slots_[gone];
    Index* link = &first_with(slot.key);
    while (*link != gone) link = &slots_[*link].next;
    *link = slot.next;
    unlink(gone);
    static_cast<void>(std::exchange(slot.value, T()));  // Assigned to, a string keeps its memory.
    slot.next = std::exchange(free_, gone);
    --size_;
  }

  void unlink(Index index) {
    const Slot& slot = slots_[index];
    slots_[slot.newer].older = slot.older;
    slots_[slot.older].newer = slot.newer;
  }

  void link_newest(Index index) {
    Slot& ends = slots_[kNone];
    slots_[index].newer = kNone;
    slots_[index].older = ends.older;
    slots_[ends.older].newer = index;
    ends.older = index;
  }

  const std::size_t capacity_;
  std::size_t size_ = 0;
  std::deque<Slot> slots_ = std::deque<Slot>(1);  // Also those that are free.
  std::vector<Index> first_ = {
      kNone};  // Indexed by the low bits of the hash; the size is a power of two.
  Index free_ = kNone;
};

}  // namespace davit::host
