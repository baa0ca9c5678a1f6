/// A map that forgets what was not used for longest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace davit::host {

/// At most `capacity` entries; memory grows with the most that there were. An entry takes up to 20
/// bytes beside its key and value, and has no allocation of its own: new entries reuse the slots
/// of forgotten ones. References stay valid until the entry is forgotten. Not thread-safe.
template <typename Key, typename T, typename Hash = std::hash<Key>>
class LruMap {
 public:
  explicit LruMap(std::size_t capacity) : capacity_(capacity) {}

  /// The entry of `key`, made with T() when there is none; it is now the last to be pushed out.
  T& at(const Key& key) {
    Place place = find(key);
    if (place != kNone) {
      leave_line(place);
    } else {
      if (size_ >= capacity_) forget_oldest();
      place = take_slot();
      slots_[place].key = key;
      slots_[place].next = std::exchange(first_with(key), place);
      ++size_;
    }
    join_line(place);
    return slots_[place].value;
  }

  /// Forgets entries, the one that was not used for longest first, until `is_over` denies it of
  /// one.
  template <typename IsOver>
  void forget_while(const IsOver& is_over) {
    while (size_ > 0 && is_over(std::as_const(slots_[oldest()].value))) forget_oldest();
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  using Place = std::uint32_t;
  /// No entry; the slot of that number is both ends of the line.
  static constexpr Place kNone = 0;

  struct Slot {
    Key key{};
    T value{};
    // The line of all entries.
    Place newer = kNone;
    Place older = kNone;
    Place next = kNone;  // In the chain of one bucket of first_, or of the free slots.
  };

  [[nodiscard]] Place oldest() const { return slots_[kNone].newer; }

  [[nodiscard]] Place& first_with(const Key& key) {
    return first_[Hash{}(key) & (first_.size() - 1)];
  }

  [[nodiscard]] Place find(const Key& key) {
    Place place = first_with(key);
    while (place != kNone && !(slots_[place].key == key)) place = slots_[place].next;
    return place;
  }

  Place take_slot() {
    if (free_ != kNone) return std::exchange(free_, slots_[free_].next);
    if (slots_.size() > first_.size()) spread();
    slots_.emplace_back();
    return static_cast<Place>(slots_.size() - 1);
  }

  /// Doubles first_. Requires that no slot is free.
  void spread() {
    first_ = std::vector<Place>(first_.size() * 2, kNone);
    for (Place each = 1; each < slots_.size(); ++each) {
      slots_[each].next = std::exchange(first_with(slots_[each].key), each);
    }
  }

  void forget_oldest() {
    const Place gone = oldest();
    Slot& slot = slots_[gone];
    Place* link = &first_with(slot.key);
    while (*link != gone) link = &slots_[*link].next;
    *link = slot.next;
    leave_line(gone);
    static_cast<void>(std::exchange(slot.value, T()));  // Assigned to, a string keeps its memory.
    slot.next = std::exchange(free_, gone);
    --size_;
  }

  void leave_line(Place place) {
    const Slot& slot = slots_[place];
    slots_[slot.newer].older = slot.older;
    slots_[slot.older].newer = slot.newer;
  }

  void join_line(Place place) {
    Slot& ends = slots_[kNone];
    slots_[place].newer = kNone;
    slots_[place].older = ends.older;
    slots_[ends.older].newer = place;
    ends.older = place;
  }

  const std::size_t capacity_;
  std::size_t size_ = 0;
  std::deque<Slot> slots_ = std::deque<Slot>(1);  // Also those that are free.
  std::vector<Place> first_ = {
      kNone};  // Indexed by the low bits of the hash; the size is a power of two.
  Place free_ = kNone;
};

}  // namespace davit::host
