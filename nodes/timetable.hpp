/// When which key has something to do.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "lib/base/clock.hpp"

namespace davit::sandbox {

/// Each key has at most one time. Not thread-safe.
class Timetable {
 public:
  /// Replaces the key's earlier time. Time::max(): as drop().
  void set(const std::string& key, Time due) {
    drop(key);
    if (due == Time::max()) return;
    times_.emplace(key, due);
    order_.emplace(due, key);
  }

  void drop(const std::string& key) {
    const auto found = times_.find(key);
    if (found == times_.end()) return;
    order_.erase({found->second, key});
    times_.erase(found);
  }

  /// Takes out the key that is due longest.
  [[nodiscard]] std::optional<std::string> take(Time now) {
    if (order_.empty() || order_.begin()->first > now) return std::nullopt;
    std::string key = order_.begin()->second;
    drop(key);
    return key;
  }

  /// Time::max() when there is nothing.
  [[nodiscard]] Time next() const { return order_.empty() ? Time::max() : order_.begin()->first; }

 private:
  std::unordered_map<std::string, Time> times_;
  std::set<std::pair<Time, std::string>> order_;  // The same, by time.
};

}  // namespace davit::sandbox
