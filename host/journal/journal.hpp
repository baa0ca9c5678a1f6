/// The journal of the host: what its controllers did, and why.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/journal/controller_journal.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Enough for the last hundred thousand writes of a controller or so.
inline constexpr std::size_t kJournalBytesPerController = std::size_t{16} * 1024 * 1024;

/// Thread-safe. A journal of a controller lives as long as this, whatever is loaded.
class Journal {
 public:
  /// `bytes_max`: of each controller; 0: nothing is kept.
  explicit Journal(std::size_t bytes_max = kJournalBytesPerController) : bytes_max_(bytes_max) {}
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// That of a controller, which is made if there is none. Null: nothing is kept.
  [[nodiscard]] ControllerJournal* of(std::string_view controller) EXCLUDES(mutex_);
  /// The same, null if there is none.
  [[nodiscard]] const ControllerJournal* find(std::string_view controller) const EXCLUDES(mutex_);
  /// The names of the controllers that have one, in order.
  [[nodiscard]] std::vector<std::string> controllers() const EXCLUDES(mutex_);
  /// The memory that each of them may have.
  [[nodiscard]] std::size_t bytes_max() const { return bytes_max_; }
  /// The memory that all of them have.
  [[nodiscard]] std::size_t bytes() const EXCLUDES(mutex_);

 private:
  const std::size_t bytes_max_;
  mutable Mutex mutex_;
  std::map<std::string, std::unique_ptr<ControllerJournal>, std::less<>> journals_
      GUARDED_BY(mutex_);
};

}  // namespace davit::host
