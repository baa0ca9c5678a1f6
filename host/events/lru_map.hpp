/// A map that forgets what was not used for longest.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <unordered_set>
#include <utility>

namespace davit::host {

/// At most `capacity` entries; memory grows with what is in it. References stay valid until the
/// entry is pushed out. Not thread-safe.
template <typename Key, typename T, typename Hash = std::hash<Key>>
class LruMap {
 public:
  explicit LruMap(std::size_t capacity) : capacity_(capacity) {}

  /// The entry of `key`, made with T() when there is none; it is now the last to be pushed out.
  T& at(const Key& key) {
    const auto found = index_.find(key);
    if (found != index_.end()) {
      entries_.splice(entries_.begin(), entries_, *found);
      return entries_.front().second;
    }
    if (entries_.size() >= capacity_) forget_last();
    entries_.emplace_front(key, T());
    index_.insert(entries_.begin());
    return entries_.front().second;
  }

  /// Forgets entries, the one that was not used for longest first, until `is_over` denies it of
  /// one.
  template <typename IsOver>
  void forget_while(const IsOver& is_over) {
    while (!entries_.empty() && is_over(std::as_const(entries_.back().second))) forget_last();
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<Key, T>>;
  using Place = typename Entries::iterator;

  // The index finds places by the keys that stand there, so each key is held once.
  struct PlaceHash {
    using is_transparent = void;
    std::size_t operator()(const Key& key) const { return Hash{}(key); }
    std::size_t operator()(const Place& place) const { return Hash{}(place->first); }
  };
  struct PlaceEqual {
    using is_transparent = void;
    bool operator()(const Place& a, const Place& b) const { return a->first == b->first; }
    bool operator()(const Key& a, const Place& b) const { return a == b->first; }
    bool operator()(const Place& a, const Key& b) const { return a->first == b; }
  };

  void forget_last() {
    index_.erase(std::prev(entries_.end()));
    entries_.pop_back();
  }

  const std::size_t capacity_;
  Entries entries_;  // Most recently used first.
  std::unordered_set<Place, PlaceHash, PlaceEqual> index_;
};

}  // namespace davit::host
