#include "host/journal/journal.hpp"

#include <algorithm>
#include <optional>

namespace davit::host {

ControllerJournal* Journal::of(std::string_view controller) {
  if (bytes_max_ == 0) return nullptr;
  MutexLock lock(mutex_);
  auto found = journals_.find(controller);
  if (found == journals_.end()) {
    const std::size_t chunk_bytes = std::min(bytes_max_ / kChunkShare, kChunkBytesMax);
    found = journals_
                .emplace(std::string(controller),
                         std::make_unique<ControllerJournal>(*this, chunk_bytes))
                .first;
  }
  return found->second.get();
}

const ControllerJournal* Journal::find(std::string_view controller) const {
  MutexLock lock(mutex_);
  const auto found = journals_.find(controller);
  return found == journals_.end() ? nullptr : found->second.get();
}

std::vector<std::string> Journal::controllers() const {
  MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, journal] : journals_) names.push_back(name);
  return names;
}

std::size_t Journal::bytes() const {
  std::size_t sum = 0;
  for (const auto& each : bytes_) sum += each.load(std::memory_order_relaxed);
  return sum;
}

std::size_t Journal::bytes_max(JournalPart part) const {
  switch (part) {
    case JournalPart::kIdle:
      return bytes_max_ / kIdleShare;
    case JournalPart::kPending:
      return bytes_max_ / kPendingShare;
    case JournalPart::kActs:
      break;
  }
  return bytes_max_ - bytes_max_ / kIdleShare - bytes_max_ / kPendingShare;
}

void Journal::keep_to_limit(JournalPart part) {
  const auto is_over = [&] {
    return bytes_of(part).load(std::memory_order_relaxed) > bytes_max(part);
  };
  if (!is_over()) return;
  MutexLock lock(mutex_);
  while (is_over() && forget_one(part)) {
  }
}

bool Journal::forget_one(JournalPart part) {
  ControllerJournal* chosen = nullptr;
  if (part == JournalPart::kPending) {
    // Wakes have no order among controllers. Those of the controller with the longest queue go.
    std::size_t most = 0;
    for (const auto& [name, journal] : journals_) {
      const std::size_t bytes = journal->pending_bytes();
      if (bytes > most) chosen = journal.get();
      most = std::max(most, bytes);
    }
    if (chosen != nullptr) chosen->forget_pending();
    return chosen != nullptr;
  }
  std::optional<Time> oldest;
  for (const auto& [name, journal] : journals_) {
    const std::optional<Time> its = journal->oldest(part);
    if (!its || (oldest && *oldest <= *its)) continue;
    oldest = its;
    chosen = journal.get();
  }
  if (chosen != nullptr) chosen->forget_oldest(part);
  return chosen != nullptr;
}

}  // namespace davit::host
