/// Tries the runs of a scenario that differ from the undisturbed one, set by set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "lib/base/clock.hpp"
#include "testing/explore/course.hpp"
#include "testing/explore/plan.hpp"
#include "testing/explore/run.hpp"
#include "testing/explore/scenario.hpp"
#include "testing/explore/subject.hpp"

namespace davit::explore {

/// A fault of a controller, by the shortest plan that shows it.
struct Finding {
  std::string scenario;
  Plan plan;
  std::vector<Violation> violations;
  std::vector<std::string> story;
  std::string replay;  ///< The line that replays it.
  /// Whether the plan failed when it was played again. If not, this is about the first run.
  bool repeats = true;
};

struct ExplorerOptions {
  bool singles = true;  ///< Each choice at each point, on fresh caches.
  /// Each takeover and restart with each number of changes that the caches lack, each swap and
  /// enabling after each number of syncs without news, each older state of the server.
  bool stale = true;
  /// Two choices, where the second meets a state that no run has had before.
  bool pairs = false;
  /// The choices of the sets above that are tried; empty: all.
  std::vector<Choice> choices{};
  std::size_t walks = 0;   ///< Runs with two to four choices by chance.
  std::uint64_t seed = 1;  ///< For these, and for `runs_max`.
  /// Only the runs of one share, by a sum of their text: all shares together are all runs. Walks
  /// are not shared.
  std::size_t share = 0;
  std::size_t shares = 1;
  /// At most so many runs of each set, chosen by a sum of their text and `seed`.
  std::size_t runs_max = 100'000;
  std::size_t findings_max = 10;  ///< Others are only counted.
  /// The exploration ends with this failure.
  std::size_t failures_max = std::numeric_limits<std::size_t>::max();
  /// Called before each run, also before those that shorten a finding. May be empty.
  std::function<void(const Plan& plan)> before_run{};
  /// Called with each finding as soon as it is made. May be empty.
  std::function<void(const Finding& finding)> on_finding{};
  /// Asked after each run, with the number of runs so far; false ends the exploration. May be
  /// empty.
  std::function<bool(std::size_t runs)> go_on{};
};

struct Summary {
  std::string scenario;
  std::size_t points = 0;    ///< That the undisturbed run passes.
  std::size_t possible = 0;  ///< Runs of the chosen sets, without those that were cut.
  std::size_t runs = 0;      ///< Runs of the chosen sets that were played.
  std::size_t cut = 0;       ///< Pairs whose second choice meets a state that was met before.
  std::size_t states = 0;    ///< Distinct states at the points of all runs.
  std::size_t failures = 0;  ///< Runs that failed.
  Duration time{0};
  std::vector<Finding> findings;
};

/// Single-threaded.
class Explorer {
 public:
  /// The references outlive this. `clock` measures.
  Explorer(const Scenario& scenario, const Subject& subject, Clock& clock)
      : scenario_(scenario), subject_(subject), clock_(clock) {}

  [[nodiscard]] Summary explore(const ExplorerOptions& options);
  /// The undisturbed run, and one with these decisions.
  [[nodiscard]] RunResult replay(const Plan& plan);

 private:
  /// A choice at a point from a state.
  using Met = std::tuple<std::uint64_t, std::string, Decision>;

  void explore_undisturbed(const ExplorerOptions& options, Summary& summary);
  void add_singles(const PassedPoint& point, std::vector<Decision>& out) const;
  void add_stale(const PassedPoint& point, std::vector<Decision>& out) const;
  /// Caches that stop showing anything new, at turns.
  void add_stops(std::vector<Decision>& out) const;
  [[nodiscard]] std::vector<Decision> choices_of(std::size_t place,
                                                 const std::vector<Decision>& stops) const;
  /// The resources of which the caches may lack changes: each alone, and all (an empty name).
  [[nodiscard]] std::vector<std::string> resources() const;
  /// All runs of the sets for single choices.
  [[nodiscard]] std::vector<Plan> plans(const ExplorerOptions& options) const;
  [[nodiscard]] bool is_wanted(Choice choice, const ExplorerOptions& options) const;
  /// Whether the scenario has it so.
  [[nodiscard]] bool is_left_out(Choice choice) const;
  /// Whether a choice at a point of the undisturbed run leads to that run again, or to another one
  /// that is played.
  [[nodiscard]] bool is_pointless(Choice choice, const PassedPoint& point) const;
  /// Plays those of `plans` that the options allow. False: the exploration ends.
  bool run_all(std::vector<Plan> plans, const ExplorerOptions& options, Summary& summary);
  /// Plays pairs of which the first is one of these; it plays each of these alone before.
  bool run_pairs(const std::vector<Plan>& first, const ExplorerOptions& options, Summary& summary);
  bool run_walks(const ExplorerOptions& options, Summary& summary);
  bool run_one(const Plan& plan, const ExplorerOptions& options, Summary& summary);
  void find(const Plan& plan, const RunResult& run, const ExplorerOptions& options,
            Summary& summary);
  [[nodiscard]] RunResult run(const Plan& plan) const;
  [[nodiscard]] Plan reduced(const Plan& plan, const std::string& oracle) const;
  [[nodiscard]] bool fails(const Plan& plan, const std::string& oracle) const;
  void note_states(const RunResult& run);

  const Scenario& scenario_;
  const Subject& subject_;
  Clock& clock_;
  std::function<void(const Plan& plan)> before_run_;
  RunResult undisturbed_;
  std::optional<Course> course_;  // Its.
  std::set<std::uint64_t> states_;
  std::set<std::string> found_;  // Mistakes, with oracles and their texts.
  RunResult last_;               // The last run of run_one().
};

}  // namespace davit::explore
