#include "host/run/failing_keys.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <iterator>
#include <utility>

#include "lib/base/utf8.hpp"

namespace davit::host {
void FailingList::add(FailingList from) {
  others += from.others;
  keys.insert(keys.end(), std::make_move_iterator(from.keys.begin()),
              std::make_move_iterator(from.keys.end()));
  std::ranges::stable_sort(keys, {}, &FailingKey::since);
  if (keys.size() <= kShownMax) return;
  others += keys.size() - kShownMax;
  keys.resize(kShownMax);
}

void FailingKeys::failed(std::string_view key, std::string_view error, WallTime now) {
  MutexLock lock(mutex_);
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    const bool is_full = entries_.size() >= FailingList::kShownMax + kKnownMax;
    if (is_full && !mutant("failing-keys-bound")) return;
    found = entries_.emplace(key, Entry{.since = now}).first;
  }
  Entry& entry = found->second;
  ++entry.failures;
  if (!entry.is_shown && shown_ < FailingList::kShownMax) {
    entry.is_shown = true;
    ++shown_;
  }
  if (entry.is_shown) entry.error = utf8_shortened(error, kErrorBytesMax);
}

void FailingKeys::ended(std::string_view key) {
  MutexLock lock(mutex_);
  if (entries_.empty()) return;
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  if (found->second.is_shown) --shown_;
  entries_.erase(found);
}

void FailingKeys::take_over(FailingKeys& from) {
  Entries taken;
  {
    MutexLock lock(from.mutex_);
    taken.swap(from.entries_);
    from.shown_ = 0;
  }
  MutexLock lock(mutex_);
  for (auto& [key, entry] : taken) {
    if (entry.is_shown && shown_ >= FailingList::kShownMax) entry = {entry.since, entry.failures};
    const bool is_shown = entry.is_shown;
    const auto [at, is_new] = entries_.try_emplace(key, std::move(entry));
    if (is_new && is_shown) ++shown_;
  }
}

FailingList FailingKeys::list() const {
  FailingList list;
  {
    MutexLock lock(mutex_);
    for (const auto& [key, entry] : entries_) {
      if (!entry.is_shown) continue;
      list.keys.push_back({.key = utf8_shortened(key, kKeyBytesMax),
                           .error = entry.error,
                           .since = entry.since,
                           .failures = entry.failures});
    }
    list.others = entries_.size() - list.keys.size();
  }
  std::ranges::sort(list.keys, {}, [](const FailingKey& each) {
    return std::pair(each.since, std::string_view(each.key));
  });
  return list;
}

std::size_t FailingKeys::size() const {
  MutexLock lock(mutex_);
  return entries_.size();
}

}  // namespace davit::host
