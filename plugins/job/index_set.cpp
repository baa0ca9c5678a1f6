#include "plugins/job/index_set.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace davit::job {

std::optional<std::int64_t> parse_decimal(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

IndexSet::IndexSet(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.first < b.first; });
  for (const Interval& each : intervals) {
    if (!intervals_.empty() && each.first <= intervals_.back().last + 1) {
      intervals_.back().last = std::max(intervals_.back().last, each.last);
    } else {
      intervals_.push_back(each);
    }
  }
}

IndexSet IndexSet::of(std::vector<std::int64_t> indexes) {
  std::vector<Interval> intervals;
  intervals.reserve(indexes.size());
  for (const std::int64_t index : indexes) intervals.push_back({index, index});
  return IndexSet(std::move(intervals));
}

IndexSet IndexSet::parse(std::string_view text, std::int64_t limit) {
  std::vector<Interval> intervals;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    const std::size_t dash = item.find('-');
    const std::optional<std::int64_t> first = parse_decimal(item.substr(0, dash));
    const std::optional<std::int64_t> last =
        dash == std::string_view::npos ? first : parse_decimal(item.substr(dash + 1));
    if (!first || !last || *last < *first) continue;
    if (*first >= limit) break;
    intervals.push_back({*first, std::min(*last, limit - 1)});
  }
  return IndexSet(std::move(intervals));
}

std::string IndexSet::text() const {
  std::string out;
  for (const Interval& each : intervals_) {
    if (!out.empty()) out += ',';
    out += std::to_string(each.first);
    if (each.last == each.first) continue;
    out += each.last == each.first + 1 ? ',' : '-';
    out += std::to_string(each.last);
  }
  return out;
}

std::int64_t IndexSet::size() const {
  std::int64_t size = 0;
  for (const Interval& each : intervals_) size += each.last - each.first + 1;
  return size;
}

bool IndexSet::contains(std::int64_t index) const {
  const auto after =
      std::upper_bound(intervals_.begin(), intervals_.end(), index,
                       [](std::int64_t value, const Interval& each) { return value < each.first; });
  return after != intervals_.begin() && index <= std::prev(after)->last;
}

IndexSet IndexSet::united_with(const IndexSet& other) const {
  std::vector<Interval> both = intervals_;
  both.insert(both.end(), other.intervals_.begin(), other.intervals_.end());
  return IndexSet(std::move(both));
}

std::int64_t IndexSet::common_with(const IndexSet& other) const {
  std::int64_t common = 0;
  auto theirs = other.intervals_.begin();
  for (const Interval& ours : intervals_) {
    while (theirs != other.intervals_.end() && theirs->last < ours.first) ++theirs;
    for (auto each = theirs; each != other.intervals_.end() && each->first <= ours.last; ++each) {
      common += std::min(ours.last, each->last) - std::max(ours.first, each->first) + 1;
    }
  }
  return common;
}

std::vector<std::int64_t> IndexSet::first_missing(std::size_t count, std::int64_t limit) const {
  std::vector<std::int64_t> missing;
  std::int64_t next = 0;
  const auto take_below = [&](std::int64_t end) {
    for (; next < std::min(end, limit) && missing.size() < count; ++next) missing.push_back(next);
  };
  for (const Interval& each : intervals_) {
    take_below(each.first);
    next = std::max(next, each.last + 1);
  }
  take_below(limit);
  return missing;
}

}  // namespace davit::job
