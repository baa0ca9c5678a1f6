#include "sandbox/store/history.hpp"

#include <algorithm>

namespace davit::sandbox {
namespace {

std::size_t bytes_of(const Pairs& pairs) {
  std::size_t bytes = pairs.capacity() * sizeof(Pairs::value_type);
  for (const auto& [key, value] : pairs) bytes += key.capacity() + value.capacity();
  return bytes;
}

std::size_t bytes_of(const Version& version) {
  return sizeof(version) + version.ns.capacity() + version.name.capacity() +
         version.uid.capacity() + bytes_of(version.labels) + bytes_of(version.fields) +
         version.text.capacity();
}

/// Each version is the `previous` of at most one change, so none is counted twice.
std::size_t bytes_of(const History::Entry& entry) {
  std::size_t bytes = sizeof(entry);
  if (entry.change.previous != nullptr) bytes += bytes_of(*entry.change.previous);
  if (entry.change.type == ChangeType::kDeleted) bytes += bytes_of(*entry.change.object);
  return bytes;
}

}  // namespace

void History::push(Change change, Time now, const StoreLimits& limits) {
  entries_.push_back({std::move(change), now});
  bytes_ += bytes_of(entries_.back());
  const auto excessive = [&] {
    if (entries_.size() > limits.changes_max) return true;
    return entries_.size() > limits.changes_min && now - entries_.front().at > limits.age_min;
  };
  while (excessive()) forget_oldest();
}

void History::forget_oldest() {
  floor_ = entries_.front().revision();
  bytes_ -= bytes_of(entries_.front());
  entries_.pop_front();
}

void History::forget(Revision revision) {
  while (!entries_.empty() && entries_.front().revision() <= revision) forget_oldest();
  floor_ = std::max(floor_, revision);
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
