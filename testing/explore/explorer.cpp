#include "testing/explore/explorer.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "lib/base/random.hpp"
#include "testing/explore/replay.hpp"

namespace davit::explore {
namespace {

constexpr std::size_t kWalkMin = 2;
constexpr std::size_t kWalkMax = 4;
/// A text in which numbers and generated parts of names do not count, so that one fault is found
/// once.
std::string sort_of(const Violation& violation) {
  constexpr std::size_t kShown = 120;
  std::string out = violation.oracle + ":";
  for (const char each : violation.text) {
    if (std::isdigit(static_cast<unsigned char>(each)) == 0) out += each;
  }
  return out.substr(0, kShown);
}

bool is_same_point(const Decision& one, const Decision& other) {
  return one.point == other.point && one.number == other.number;
}

}  // namespace

RunResult Explorer::replay(const Plan& plan) {
  if (undisturbed_.log.empty()) undisturbed_ = play(scenario_, subject_, {}, nullptr);
  return plan.empty() ? undisturbed_ : play(scenario_, subject_, plan, &undisturbed_);
}

Summary Explorer::explore(const ExplorerOptions& options) {
  Summary summary;
  summary.scenario = scenario_.name;
  const Time began = clock_.now();
  before_run_ = options.before_run;
  explore_undisturbed(options, summary);
  if (summary.findings.empty()) {
    course_.emplace(undisturbed_);
    const std::vector<Plan> plans = this->plans(options);
    const bool goes_on = run_all(plans, options, summary) &&
                         (!options.pairs || run_pairs(plans, options, summary)) &&
                         run_walks(options, summary);
    static_cast<void>(goes_on);
  }
  summary.states = states_.size();
  summary.time = clock_.now() - began;
  return summary;
}

std::vector<Plan> Explorer::plans(const ExplorerOptions& options) const {
  std::vector<Plan> out;
  std::vector<Decision> chosen;
  const auto take_chosen = [&] {
    for (Decision& each : chosen) {
      if (is_wanted(each.choice, options)) out.push_back({std::move(each)});
    }
    chosen.clear();
  };
  for (const PassedPoint* each : course_->points()) {
    if (options.singles) add_singles(*each, chosen);
    if (options.stale) add_stale(*each, chosen);
    take_chosen();
  }
  if (options.stale) add_stops(chosen);
  take_chosen();
  return out;
}

bool Explorer::is_wanted(Choice choice, const ExplorerOptions& options) const {
  const bool is_chosen = options.choices.empty() ||
                         std::ranges::find(options.choices, choice) != options.choices.end();
  return is_chosen && !is_left_out(choice);
}

bool Explorer::is_left_out(Choice choice) const {
  return std::ranges::find(scenario_.left_out, to_text(choice)) != scenario_.left_out.end();
}

std::vector<std::string> Explorer::resources() const {
  std::vector<std::string> out = {""};
  if (undisturbed_.watched.size() > 1) {
    out.insert(out.end(), undisturbed_.watched.begin(), undisturbed_.watched.end());
  }
  return out;
}

/// Twice: what a controller takes from elsewhere shows as a difference.
void Explorer::explore_undisturbed(const ExplorerOptions& options, Summary& summary) {
  if (before_run_) before_run_({});
  undisturbed_ = play(scenario_, subject_, {}, nullptr);
  if (before_run_) before_run_({});
  const RunResult again = play(scenario_, subject_, {}, nullptr);
  summary.runs += 2;
  summary.possible += 2;
  summary.points = undisturbed_.points.size();
  note_states(undisturbed_);
  const auto [one, other] = std::ranges::mismatch(undisturbed_.log, again.log);
  const bool is_same = one == undisturbed_.log.end() && other == again.log.end();
  if (!is_same) {
    const std::string first = one == undisturbed_.log.end() ? "the end" : *one;
    const std::string second = other == again.log.end() ? "the end" : *other;
    undisturbed_.violations.push_back(
        {"not-deterministic", "one run has \"" + first + "\" where the other one has \"" + second +
                                  "\": the controller depends on the wall clock, on chance, on "
                                  "addresses or on other threads"});
  }
  const std::string difference = first_difference(undisturbed_.end, again.end);
  if (is_same && !difference.empty()) {
    undisturbed_.violations.push_back(
        {"not-deterministic",
         "two runs send the same requests, but of the second one " + difference});
  }
  if (undisturbed_.ok()) return;
  ++summary.failures;
  find({}, undisturbed_, options, summary);
}

bool Explorer::is_pointless(Choice choice, const PassedPoint& point) const {
  switch (choice) {
    case Choice::kTakeoverBefore:
    case Choice::kTakeoverAfter:
    case Choice::kRestore:
      return true;  // add_stale() has them.
    case Choice::kConflict:
      return !point.is_update;
    case Choice::kCrashAfter:
    case Choice::kSuspend:
      return !point.is_write;
    case Choice::kCrashBefore:
      return course_->is_known_end(point);
    case Choice::kHold:
    case Choice::kLate:
      return course_->is_known_hold(point, "");
    case Choice::kEnable:
      return course_->is_known_stop(point);
    case Choice::kDisable:
    case Choice::kUnload:
      return !course_->is_before_a_change(point);
    case Choice::kReverse:
      return subject_.controllers.size() < 2 || !course_->is_first_of_moment(point);
    default:
      return false;
  }
}

void Explorer::add_singles(const PassedPoint& point, std::vector<Decision>& out) const {
  // With fewer caches it is kHold of the other one.
  constexpr std::size_t kOnlyMin = 3;
  for (const Choice each : choices_at(point.point)) {
    const bool has_resource =
        each == Choice::kOnly || each == Choice::kHold || each == Choice::kLate;
    if (each != Choice::kOnly && !is_pointless(each, point)) {
      out.push_back({point.point, point.number, each});
    }
    if (!has_resource) continue;
    if (each == Choice::kOnly && undisturbed_.watched.size() < kOnlyMin) continue;
    for (const std::string& resource : undisturbed_.watched) {
      const bool is_known = each == Choice::kOnly
                                ? course_->is_known_hold_of_others(point, resource)
                                : course_->is_known_hold(point, resource);
      if (!is_known) out.push_back({point.point, point.number, each, 0, resource});
    }
  }
}

void Explorer::add_stale(const PassedPoint& point, std::vector<Decision>& out) const {
  if (point.point == Point::kTurn) {
    // One change, and all since the scenario's last one.
    const int lost = static_cast<int>(point.own_changes);
    if (lost > 0) out.push_back({point.point, point.number, Choice::kRestore, 1});
    if (lost > 1) out.push_back({point.point, point.number, Choice::kRestore, lost});
  }
  if (point.point == Point::kDiscovery) {
    for (const Choice each : choices_at(point.point)) {
      out.push_back({point.point, point.number, each, 1});
    }
  }
  if (point.point != Point::kRequest || !point.is_write) return;
  for (const Choice each : {Choice::kLostResponse, Choice::kErrorAfter, Choice::kNoMetadata}) {
    out.push_back({point.point, point.number, each, 1});
  }
  if (!course_->is_known_end(point)) {
    out.push_back({point.point, point.number, Choice::kTakeoverBefore});
  }
  out.push_back({point.point, point.number, Choice::kTakeoverAfter});
  for (const std::string& resource : resources()) {
    for (const int behind : course_->lacks(point, resource)) {
      out.push_back({point.point, point.number, Choice::kTakeoverAfter, behind, resource});
      out.push_back({point.point, point.number, Choice::kCrashAfter, behind, resource});
    }
  }
}

void Explorer::add_stops(std::vector<Decision>& out) const {
  for (const std::string& resource : resources()) {
    for (const Course::Stop& stop : course_->stops(resource)) {
      const auto add = [&](const Course::Stop::Turn& turn, Choice choice) {
        out.push_back({Point::kTurn, turn.number, choice, turn.behind, resource});
      };
      if (stop.hides_step && !scenario_.prompt.empty()) {
        // Controllers that begin at the first turn have not synced, as after a crash. At a later
        // one they would meet all objects again, in another order.
        if (stop.turns.front().number == 1) add(stop.turns.front(), Choice::kEnable);
        continue;
      }
      for (const Course::Stop::Turn& each : stop.turns) {
        add(each, Choice::kSwap);
        add(each, Choice::kEnable);
      }
      if (!stop.is_met || stop.is_at_turn) continue;
      add(stop.turns.front(), Choice::kHold);
      add(stop.turns.front(), Choice::kLate);
    }
  }
}

bool Explorer::run_all(std::vector<Plan> plans, const ExplorerOptions& options, Summary& summary) {
  summary.possible += plans.size();
  const auto sum = [](const std::string& text) { return std::hash<std::string>()(text); };
  std::erase_if(plans, [&](const Plan& each) {
    return sum(to_text(each)) % options.shares != options.share;
  });
  if (plans.size() > options.runs_max) {
    const std::string seed = std::to_string(options.seed);
    std::vector<std::pair<std::size_t, std::size_t>> order;  // Sums and places.
    for (std::size_t i = 0; i < plans.size(); ++i)
      order.emplace_back(sum(seed + to_text(plans[i])), i);
    std::ranges::sort(order);
    order.resize(options.runs_max);
    std::vector<Plan> chosen;
    for (const auto& [first, place] : order) chosen.push_back(std::move(plans[place]));
    plans = std::move(chosen);
  }
  return std::ranges::all_of(plans,
                             [&](const Plan& each) { return run_one(each, options, summary); });
}

bool Explorer::run_one(const Plan& plan, const ExplorerOptions& options, Summary& summary) {
  last_ = run(plan);
  ++summary.runs;
  note_states(last_);
  if (!last_.ok()) {
    ++summary.failures;
    find(plan, last_, options, summary);
  }
  if (summary.failures >= options.failures_max) return false;
  return !options.go_on || options.go_on(summary.runs);
}

bool Explorer::run_pairs(const std::vector<Plan>& first, const ExplorerOptions& options,
                         Summary& summary) {
  std::set<Met> met;
  std::vector<Plan> pairs;
  const auto add = [&](const RunResult& run, std::size_t from, const Plan& taken) {
    for (std::size_t i = from; i < run.points.size(); ++i) {
      std::vector<Decision> seconds;
      add_singles(run.points[i], seconds);
      for (const Decision& each : seconds) {
        if (is_left_out(each.choice)) continue;
        if (!taken.empty() && is_same_point(taken.front(), each)) continue;
        Decision anywhere = each;
        anywhere.number = 0;
        if (!met.emplace(run.points[i].state, run.points[i].what, anywhere).second) {
          ++summary.cut;
        } else if (!taken.empty()) {
          pairs.push_back({taken.front(), each});
        }
      }
    }
  };
  add(undisturbed_, 0, {});
  summary.cut = 0;
  for (const Plan& each : first) {
    const RunResult run = this->run(each);
    if (options.go_on && !options.go_on(summary.runs)) return false;
    if (!run.ok()) continue;  // Found already.
    const auto at = std::ranges::find_if(run.points, [&](const PassedPoint& point) {
      return point.point == each.front().point && point.number == each.front().number;
    });
    // Caches stop before the turn of their decision, which may not come; what precedes is met.
    const bool is_at_point = at != run.points.end() && !stops_caches(each.front());
    add(run, is_at_point ? static_cast<std::size_t>(at - run.points.begin()) + 1 : std::size_t{0},
        each);
  }
  return run_all(std::move(pairs), options, summary);
}

/// Those of a place among the points of the undisturbed run, or of the one behind the last.
std::vector<Decision> Explorer::choices_of(std::size_t place,
                                           const std::vector<Decision>& stops) const {
  const std::vector<PassedPoint>& points = undisturbed_.points;
  std::vector<Decision> out;
  const bool is_end = place == points.size();
  if (!is_end) {
    add_singles(points[place], out);
    add_stale(points[place], out);
  }
  const auto is_here = [&](const Decision& stop) {
    const auto is_its_turn = [&stop](const PassedPoint& each) {
      return each.point == Point::kTurn && each.number == stop.number;
    };
    return is_end ? std::ranges::none_of(points, is_its_turn) : is_its_turn(points[place]);
  };
  std::ranges::copy_if(stops, std::back_inserter(out), is_here);
  std::erase_if(out, [this](const Decision& each) { return is_left_out(each.choice); });
  return out;
}

bool Explorer::run_walks(const ExplorerOptions& options, Summary& summary) {
  const std::unique_ptr<Random> random = make_seeded_random(options.seed);
  const auto below = [&random](std::size_t end) { return random->next() % end; };
  std::vector<Decision> stops;
  add_stops(stops);
  for (std::size_t i = 0; i < options.walks && !undisturbed_.points.empty(); ++i) {
    Plan plan;
    const std::size_t length = kWalkMin + below(kWalkMax - kWalkMin + 1);
    while (plan.size() < length) {
      const std::vector<Decision> choices =
          choices_of(below(undisturbed_.points.size() + 1), stops);
      if (!choices.empty()) plan.push_back(choices[below(choices.size())]);
    }
    ++summary.possible;
    if (!run_one(plan, options, summary)) return false;
  }
  return true;
}

void Explorer::find(const Plan& plan, const RunResult& run, const ExplorerOptions& options,
                    Summary& summary) {
  const Violation& first = run.violations.front();
  if (!found_.insert(std::string(mistake_of(plan)) + ": " + sort_of(first)).second) return;
  if (summary.findings.size() >= options.findings_max) return;
  Plan shortest = plan.empty() ? plan : reduced(plan, first.oracle);
  RunResult shown = plan.empty() ? run : this->run(shortest);
  const bool repeats = !shown.ok();
  if (!repeats) {
    shortest = plan;
    shown = run;
  }
  summary.findings.push_back({scenario_.name, shortest, shown.violations, story_of(shown),
                              replay_line(scenario_, subject_, shortest), repeats});
  if (!repeats) summary.findings.back().story.emplace_back("! played again, it has not failed");
  if (options.on_finding) options.on_finding(summary.findings.back());
}

bool Explorer::fails(const Plan& plan, const std::string& oracle) const {
  const RunResult run = this->run(plan);
  return !run.ok() && run.violations.front().oracle == oracle;
}

RunResult Explorer::run(const Plan& plan) const {
  if (before_run_) before_run_(plan);
  return play(scenario_, subject_, plan, &undisturbed_);
}

/// Leaves out decisions one by one, and then makes what is left as small as it can be.
Plan Explorer::reduced(const Plan& plan, const std::string& oracle) const {
  Plan out = plan;
  for (std::size_t i = 0; i < out.size() && out.size() > 1;) {
    Plan less = out;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
    if (fails(less, oracle)) {
      out = std::move(less);
    } else {
      ++i;
    }
  }
  for (Decision& each : out) {
    const Decision whole = each;
    for (each.behind = 0; each.behind < whole.behind; ++each.behind) {
      // No resource's cache lacks nothing, and a swap without old caches is another choice.
      each.resource = each.behind == 0 ? std::string() : whole.resource;
      const bool is_other = each.point == Point::kTurn && each.behind == 0;
      if (!is_other && fails(out, oracle)) break;
    }
    if (each.behind == whole.behind) each.resource = whole.resource;
  }
  return out;
}

void Explorer::note_states(const RunResult& run) {
  for (const PassedPoint& each : run.points) {
    states_.insert(each.state ^ std::hash<std::string>()(each.what));
  }
}

}  // namespace davit::explore
