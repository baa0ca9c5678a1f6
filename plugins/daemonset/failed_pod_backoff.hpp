/// The pauses between the deletions of pods that fail again and again on one node.
#pragma once

#include <chrono>
#include <cstddef>
#include <davit/json_writer.hpp>
#include <davit/state_fields.hpp>
#include <davit/time.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace davit::daemonset {

/// A pause for each place: 1 s after the first deletion, twice as long after each further one, at
/// most 15 minutes. A place that is not asked for within 30 minutes begins again. Thread-safe;
/// never reads a clock. Rule: docs/spec/daemonset.md, 12.
class FailedPodBackoff {
 public:
  static constexpr Duration kFirst = std::chrono::seconds(1);
  static constexpr Duration kLongest = std::chrono::minutes(15);
  static constexpr Duration kForgottenAfter = std::chrono::minutes(30);

  /// Nothing: the pod at `place` may be deleted now, and the next pause has begun. Else the length
  /// of the pause that runs.
  [[nodiscard]] std::optional<Duration> admit(const std::string& place, Time now);

  /// Drops the places that are forgotten.
  void collect(Time now);

  [[nodiscard]] std::size_t size() const;

  /// Writes all of it as a list, for a HandedState.
  void write(JsonWriter& out) const;

  struct Pause {
    Duration length;
    Time since;
  };
  /// The pauses by place.
  using Pauses = std::unordered_map<std::string, Pause>;
  /// The list that is the member `name` of `state`; an error if something is not as it should be
  /// there.
  [[nodiscard]] static Result<Pauses> parse(const StateFields& state, std::string_view name,
                                            Time now);
  void replace(Pauses pauses);

 private:
  mutable std::mutex mutex_;
  Pauses pauses_;  // Guarded by mutex_.
};

}  // namespace davit::daemonset
