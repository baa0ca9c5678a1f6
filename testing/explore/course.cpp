#include "testing/explore/course.hpp"

#include <algorithm>

namespace davit::explore {
namespace {

bool is_watched(const RunResult& run, const std::string& resource) {
  return std::ranges::binary_search(run.watched, resource);
}

/// Whether a change of `each` is one of a resource, or of those that the caches follow if it is
/// empty.
bool counts(const RunResult& run, const std::string& each, const std::string& resource) {
  return resource.empty() ? is_watched(run, each) : each == resource;
}

/// The changes before a point: of a resource, or of all that the caches follow if it is empty.
std::size_t seen(const RunResult& run, const PassedPoint& point, const std::string& resource) {
  std::size_t count = 0;
  for (const auto& [each, number] : point.changed) {
    if (counts(run, each, resource)) count += number;
  }
  return count;
}

/// The same of all resources but one, followed or not.
std::size_t seen_of_others(const PassedPoint& point, const std::string& resource) {
  std::size_t count = 0;
  for (const auto& [each, number] : point.changed) count += each == resource ? 0 : number;
  return count;
}

/// Whether a turn has an earlier one.
template <typename Key>
bool is_after(const std::map<Key, int>& first, const Key& key, const PassedPoint& point) {
  const auto found = first.find(key);
  return found != first.end() && found->second < point.number;
}

}  // namespace

Course::Course(const RunResult& undisturbed) : run_(undisturbed) {
  std::vector<std::string> resources = run_.watched;
  resources.emplace_back();
  for (std::size_t i = 0; i < run_.points.size(); ++i) {
    const PassedPoint& each = run_.points[i];
    places_.emplace(std::pair(each.point, each.number), i);
    if (each.point == Point::kRequest) {
      ends_.emplace(each.before, i);
      if (each.is_write) ends_.emplace(each.after, i);
    }
    if (each.point != Point::kTurn) continue;
    stops_.emplace(each.before, each.number);
    changes_.emplace(each.quiet_changes, each.number);
    moments_.emplace(each.moment, each.number);
    for (const std::string& resource : resources) {
      holds_.emplace(Hold(each.moment, resource, seen(run_, each, resource)), each.number);
      holds_of_others_.emplace(Hold(each.moment, resource, seen_of_others(each, resource)),
                               each.number);
    }
  }
}

std::vector<const PassedPoint*> Course::points() const {
  // Evenly spaced points of a run stand for the others if it has more than 256 times so many.
  constexpr std::size_t kPointsOfMany = 16;
  const std::size_t stride = stride_of(run_.points.size() / kPointsOfMany);
  // Counted together, a controller that reads and writes in turn might lose all its writes.
  std::map<std::pair<Point, std::string>, std::size_t> passed;
  std::vector<const PassedPoint*> out;
  for (const PassedPoint& each : run_.points) {
    if (passed[{each.point, each.what}]++ % stride == 0) out.push_back(&each);
  }
  return out;
}

bool Course::is_known_end(const PassedPoint& point) const {
  const auto known = ends_.find(point.before);
  if (known == ends_.end()) return false;
  const auto here = places_.find({point.point, point.number});
  return here == places_.end() || known->second < here->second;
}

bool Course::is_known_stop(const PassedPoint& point) const {
  return is_after(stops_, point.before, point);
}

bool Course::is_before_a_change(const PassedPoint& point) const {
  const bool is_first = !is_after(changes_, std::uint64_t{point.quiet_changes}, point);
  return is_first && point.quiet_changes < run_.quiet_changes;
}

bool Course::is_first_of_moment(const PassedPoint& point) const {
  return !is_after(moments_, point.moment, point);
}

bool Course::is_known_hold(const PassedPoint& point, const std::string& resource) const {
  return is_after(holds_, Hold(point.moment, resource, seen(run_, point, resource)), point);
}

bool Course::is_known_hold_of_others(const PassedPoint& point, const std::string& resource) const {
  return is_after(holds_of_others_, Hold(point.moment, resource, seen_of_others(point, resource)),
                  point);
}

std::vector<const PassedPoint*> Course::turns() const {
  std::vector<const PassedPoint*> out;
  for (const PassedPoint& each : run_.points) {
    if (each.point == Point::kTurn) out.push_back(&each);
  }
  return out;
}

std::vector<Course::Stop> Course::stops(const std::string& resource) const {
  const std::vector<const PassedPoint*> turns = this->turns();
  std::vector<std::size_t> before;  // The changes of the resource before each turn.
  for (const PassedPoint* each : turns) before.push_back(seen(run_, *each, resource));
  const int end = turns.empty() ? 1 : turns.back()->number + 1;
  std::set<std::string> resources = {resource};
  if (resource.empty()) resources = {run_.watched.begin(), run_.watched.end()};
  const std::size_t all = changes_before(run_, end, resources);
  const std::size_t stride = stride_of(all);
  std::vector<Stop> out;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < run_.made.size(); ++i) {
    const MadeChange& hidden = run_.made[i];
    if (!counts(run_, hidden.resource, resource)) continue;
    const std::size_t here = shown++;
    if (i < run_.made_before_start || here % stride != 0) continue;
    auto at = static_cast<std::size_t>(std::ranges::upper_bound(before, here) - before.begin());
    // Controllers work in the moment of their change, or after the step that makes it.
    const bool is_after_step = !moments_.contains(hidden.moment) && at < turns.size();
    const std::uint64_t moment = is_after_step ? turns[at]->moment : hidden.moment;
    const auto is_later = [&](const PassedPoint* each) { return each->moment != moment; };
    const auto later =
        std::find_if(turns.begin() + static_cast<std::ptrdiff_t>(at), turns.end(), is_later);
    const auto last = static_cast<std::size_t>(later - turns.begin());
    Stop stop;
    stop.is_met = last > at;
    stop.hides_step = hidden.writer == Writer::kScenario;
    stop.is_at_turn = holds_.contains(Hold(moment, resource, here));
    for (const std::size_t step = stride_of(last - at); at < last; at += step) {
      stop.turns.push_back({turns[at]->number, static_cast<int>(before[at] - here)});
    }
    const bool is_end = last == turns.size();
    stop.turns.push_back({is_end ? end : turns[last]->number,
                          static_cast<int>((is_end ? all : before[last]) - here)});
    out.push_back(std::move(stop));
  }
  return out;
}

std::vector<int> Course::lacks(const PassedPoint& write, const std::string& resource) const {
  std::size_t made = write.own.size();
  for (const auto& [each, number] : write.changed) made += number;
  made = std::min(made, run_.made.size());
  const std::size_t all =
      seen(run_, write, resource) +
      static_cast<std::size_t>(std::ranges::count_if(
          write.own, [&](const std::string& each) { return counts(run_, each, resource); }));
  const std::size_t stride = stride_of(all);
  std::vector<int> out;
  std::size_t lacked = 0;
  bool are_last = !resource.empty();  // The caches of the others lack nothing if they are held.
  for (std::size_t i = made; i > 0; --i) {
    const std::string& each = run_.made[i - 1].resource;
    if (!counts(run_, each, resource)) {
      are_last = are_last && !is_watched(run_, each);
      continue;
    }
    ++lacked;
    const bool is_chosen = lacked % stride == 0 || lacked == all;
    if (is_chosen && !are_last) out.push_back(static_cast<int>(lacked));
  }
  return out;
}

std::size_t stride_of(std::size_t count) {
  constexpr std::size_t kEach = 256;
  return count / kEach + 1;
}

std::size_t changes_before(const RunResult& undisturbed, int turn,
                           const std::set<std::string>& resources) {
  const auto found = std::ranges::find_if(undisturbed.points, [turn](const PassedPoint& each) {
    return each.point == Point::kTurn && each.number == turn;
  });
  std::size_t count = 0;
  if (found == undisturbed.points.end()) {
    for (const MadeChange& each : undisturbed.made) count += resources.count(each.resource);
    return count;
  }
  for (const auto& [each, number] : found->changed) count += resources.count(each) * number;
  return count;
}

}  // namespace davit::explore
