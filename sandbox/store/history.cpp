#include "sandbox/store/history.hpp"

#include <algorithm>

namespace davit::sandbox {

void History::push(Change change, Time now, const StoreLimits& limits) {
  entries_.push_back({std::move(change), now});
  const auto excessive = [&] {
    if (entries_.size() > limits.changes_max) return true;
    return entries_.size() > limits.changes_min && now - entries_.front().at > limits.age_min;
  };
  while (excessive()) {
    floor_ = entries_.front().revision();
    entries_.pop_front();
  }
}

void History::forget(Revision revision) {
  floor_ = std::max(floor_, revision);
  entries_.erase(entries_.begin(), first_after(revision));
}

std::vector<Change> History::after(Revision after, std::size_t max) const {
  std::vector<Change> out;
  for (auto each = first_after(after); each != entries_.end() && out.size() < max; ++each) {
    out.push_back(each->change);
  }
  return out;
}

std::deque<History::Entry>::const_iterator History::first_after(Revision revision) const {
  return std::upper_bound(
      entries_.begin(), entries_.end(), revision,
      [](Revision wanted, const Entry& entry) { return wanted < entry.revision(); });
}

}  // namespace davit::sandbox
