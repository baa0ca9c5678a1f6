/// The time between causes and their effects.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace davit::bench {

/// The causes and effects that two watches show, matched by keys. Not thread-safe.
class Delays {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  /// Only the first mention of a key counts: a watch shows an object again with each change.
  void note_cause(const std::string& key, Moment at);
  void note_effect(const std::string& key, Moment at);

  /// The milliseconds between causes and their effects, in ascending order: the pairs that are
  /// complete and that no earlier take() has returned. 0 where the watch of effects was faster.
  [[nodiscard]] std::vector<double> take();
  /// The pairs that the next take() returns.
  [[nodiscard]] std::size_t complete() const;

 private:
  struct Pair {
    std::optional<Moment> cause;
    std::optional<Moment> effect;
    bool is_taken = false;

    [[nodiscard]] bool is_complete() const { return cause && effect && !is_taken; }
  };

  std::map<std::string, Pair> pairs_;
};

/// The smallest value that at least `share` (0 to 1) of the values do not exceed; nothing without
/// values.
[[nodiscard]] std::optional<double> percentile(std::span<const double> ascending, double share);

}  // namespace davit::bench
