/// The journal of the host: what its controllers did, and why.
#pragma once

#include <array>
#include <atomic>
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

/// Enough for the last hundred thousand syncs or so, and little beside the host itself.
inline constexpr std::size_t kJournalBytes = std::size_t{8} * 1024 * 1024;

/// One limit for all controllers, which take of it what they need: whenever the memory exceeds it,
/// the oldest records of all controllers go. Thread-safe. A journal of a controller lives as long
/// as this, also while its plugin is not loaded.
class Journal {
 public:
  /// `bytes_max`: for all controllers together, as the allocator counts; 0: nothing is kept. A
  /// quarter is for syncs that did nothing, an eighth for wakes that wait for their sync.
  explicit Journal(std::size_t bytes_max = kJournalBytes) : bytes_max_(bytes_max) {}
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// That of a controller, which is made if there is none. Null: nothing is kept.
  [[nodiscard]] ControllerJournal* of(std::string_view controller) EXCLUDES(mutex_);
  /// The same, null if there is none.
  [[nodiscard]] const ControllerJournal* find(std::string_view controller) const EXCLUDES(mutex_);
  /// The names of the controllers that have one, in order.
  [[nodiscard]] std::vector<std::string> controllers() const EXCLUDES(mutex_);
  /// The memory that all of them may have.
  [[nodiscard]] std::size_t bytes_max() const { return bytes_max_; }
  /// The memory that all of them have.
  [[nodiscard]] std::size_t bytes() const;

 private:
  friend class ControllerJournal;
  friend class JournaledWork;
  static constexpr std::size_t kParts = 3;
  static constexpr std::size_t kIdleShare = 4;
  static constexpr std::size_t kPendingShare = 8;
  /// The part of the limit that a chunk of records takes, up to kChunkBytesMax: what is forgotten
  /// at once.
  static constexpr std::size_t kChunkShare = 128;
  static constexpr std::size_t kChunkBytesMax = std::size_t{64} * 1024;

  [[nodiscard]] std::size_t bytes_max(JournalPart part) const;
  [[nodiscard]] std::atomic<std::size_t>& bytes_of(JournalPart part) {
    return bytes_[static_cast<std::size_t>(part)];
  }
  void count(JournalPart part, std::size_t bytes) {
    bytes_of(part).fetch_add(bytes, std::memory_order_relaxed);
  }
  void uncount(JournalPart part, std::size_t bytes) {
    bytes_of(part).fetch_sub(bytes, std::memory_order_relaxed);
  }
  /// Forgets the oldest of `part` until it is within its limit. Call it without a lock.
  void keep_to_limit(JournalPart part) EXCLUDES(mutex_);
  /// False: there is nothing to forget.
  bool forget_one(JournalPart part) REQUIRES(mutex_);

  const std::size_t bytes_max_;
  // Relaxed: the sums are independent and guard no other memory.
  std::array<std::atomic<std::size_t>, kParts> bytes_{};
  mutable Mutex mutex_;
  std::map<std::string, std::unique_ptr<ControllerJournal>, std::less<>> journals_
      GUARDED_BY(mutex_);
};

}  // namespace davit::host
