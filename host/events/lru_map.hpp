/// A map that forgets what was not used for longest.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace davit::host {

/// At most `capacity` entries; memory grows with what is in it. References stay valid until the
/// entry is pushed out. Not thread-safe.
template <typename T>
class LruMap {
 public:
  explicit LruMap(std::size_t capacity) : capacity_(capacity) {}

  /// The entry of `key`, made with T() when there is none; it is now the last to be pushed out.
  T& at(std::string_view key) {
    const auto found = index_.find(key);
    if (found != index_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return found->second->second;
    }
    if (entries_.size() >= capacity_) {
      index_.erase(entries_.back().first);
      entries_.pop_back();
    }
    entries_.emplace_front(std::string(key), T());
    index_.emplace(entries_.front().first, entries_.begin());
    return entries_.front().second;
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  void clear() {
    index_.clear();
    entries_.clear();
  }

 private:
  using Entries = std::list<std::pair<std::string, T>>;
  const std::size_t capacity_;
  Entries entries_;  // Most recently used first.
  std::unordered_map<std::string_view, typename Entries::iterator>
      index_;  // Keys are views of entries_.
};

}  // namespace davit::host
