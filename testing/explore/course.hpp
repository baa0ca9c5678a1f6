/// The course of an undisturbed run: the places at which another run differs from it for the first
/// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "testing/explore/world.hpp"

namespace davit::explore {

/// Single-threaded.
class Course {
 public:
  /// `undisturbed` outlives this.
  explicit Course(const RunResult& undisturbed);

  /// The points whose choices are tried: all, or of thousands evenly spaced ones of each kind
  /// (point and request), so that a kind that is rare has one.
  [[nodiscard]] std::vector<const PassedPoint*> points() const;

  /// Whether an end of the process at a point leads to the same run as one at an earlier point.
  [[nodiscard]] bool is_known_end(const PassedPoint& point) const;
  /// Whether controllers that end at a turn begin again from what they would begin from at an
  /// earlier one.
  [[nodiscard]] bool is_known_stop(const PassedPoint& point) const;
  /// Whether it is the first turn before a change that the scenario makes when nothing is left to
  /// do.
  [[nodiscard]] bool is_before_a_change(const PassedPoint& point) const;
  /// Whether no earlier turn is of the same step and time.
  [[nodiscard]] bool is_first_of_moment(const PassedPoint& point) const;
  /// Whether caches that show nothing new from a point on show what they would show from an earlier
  /// one on; one resource, or all if it is empty.
  [[nodiscard]] bool is_known_hold(const PassedPoint& point, const std::string& resource) const;
  /// The same of all caches but one.
  [[nodiscard]] bool is_known_hold_of_others(const PassedPoint& point,
                                             const std::string& resource) const;

  /// Caches that lack a change and all that follow, until nothing else is left to do.
  struct Stop {
    struct Turn {
      int number = 0;
      int behind = 0;  ///< The changes that they lack there.
    };
    /// The turns that come before nothing else is left to do, and one more.
    std::vector<Turn> turns;
    /// Whether the first of these comes before nothing else is left to do.
    bool is_met = false;
    /// Whether the scenario has made the first change that they lack.
    bool hides_step = false;
    /// Whether hold() at a turn leads to it.
    bool is_at_turn = false;
  };
  /// One for each change that the caches may lack; of one resource, or of all if it is empty.
  [[nodiscard]] std::vector<Stop> stops(const std::string& resource) const;

  /// The numbers of changes that the caches may lack right after a write, from 1; of one resource,
  /// or of all if it is empty. Those of one are left out where all caches lack the same.
  [[nodiscard]] std::vector<int> lacks(const PassedPoint& write, const std::string& resource) const;

 private:
  using Numbers = std::map<std::uint64_t, int>;
  /// A moment, a resource and a number of changes.
  using Hold = std::tuple<std::uint64_t, std::string, std::size_t>;

  [[nodiscard]] std::vector<const PassedPoint*> turns() const;

  const RunResult& run_;
  // The first turns, by what is_known_stop() and the others compare.
  Numbers stops_;
  Numbers changes_;
  Numbers moments_;
  std::map<Hold, int> holds_;
  std::map<Hold, int> holds_of_others_;
  // The first points at which the process could end in a state, and where points are.
  std::map<std::uint64_t, std::size_t> ends_;
  std::map<std::pair<Point, int>, std::size_t> places_;
};

/// The distance between those of many equal things that stand for the others: 1 for up to a few
/// hundred.
[[nodiscard]] std::size_t stride_of(std::size_t count);

/// The changes of resources before a turn of the undisturbed run; after its last turn: before the
/// last rest.
[[nodiscard]] std::size_t changes_before(const RunResult& undisturbed, int turn,
                                         const std::set<std::string>& resources);

}  // namespace davit::explore
