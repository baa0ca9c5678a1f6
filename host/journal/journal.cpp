#include "host/journal/journal.hpp"

namespace davit::host {

ControllerJournal* Journal::of(std::string_view controller) {
  if (bytes_max_ == 0) return nullptr;
  MutexLock lock(mutex_);
  auto found = journals_.find(controller);
  if (found == journals_.end()) {
    found =
        journals_.emplace(std::string(controller), std::make_unique<ControllerJournal>(bytes_max_))
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
  MutexLock lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [name, journal] : journals_) sum += journal->bytes();
  return sum;
}

}  // namespace davit::host
