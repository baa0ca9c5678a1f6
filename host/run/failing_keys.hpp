/// The keys of one queue whose last sync failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/key_hash.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// A key that fails.
struct FailingKey {
  std::string queue = {};      ///< The name of its queue; may be empty.
  std::string key = {};        ///< Its beginning if it is long; empty: a timer.
  std::string error = {};      ///< The last failure; its beginning if it is long.
  WallTime since{};            ///< The first of these failures.
  std::uint64_t failures = 1;  ///< Failures since the key last synced well.
};

/// The keys that fail, as operators see them.
struct FailingList {
  std::vector<FailingKey> keys;  ///< Those that have failed longest, first.
  std::size_t others = 0;        ///< Further ones.

  [[nodiscard]] std::size_t size() const { return keys.size() + others; }
  /// Takes those of another queue in. Keeps kShownMax keys, the others are counted.
  void add(FailingList from);

  /// As many as a person reads.
  static constexpr std::size_t kShownMax = 20;
};

/// Keeps the text of the first FailingList::kShownMax keys that fail and the time of the next
/// kKnownMax. One of those takes a place that becomes free when it fails again. Thread-safe; one
/// look at an empty map for each sync of a queue in which nothing fails.
class FailingKeys {
 public:
  /// Enough to say that much is wrong. Further keys are not counted.
  static constexpr std::size_t kKnownMax = 1000;
  /// The message of a server with the name of what it forbids fits; a body does not.
  static constexpr std::size_t kErrorBytesMax = 300;
  /// A namespace and a name fit.
  static constexpr std::size_t kKeyBytesMax = 400;

  FailingKeys() = default;
  FailingKeys(const FailingKeys&) = delete;
  FailingKeys& operator=(const FailingKeys&) = delete;

  /// A sync of `key` failed at `now`.
  void failed(std::string_view key, std::string_view error, WallTime now) EXCLUDES(mutex_);
  /// A sync of `key` succeeded, or the key was dropped.
  void ended(std::string_view key) EXCLUDES(mutex_);
  /// Takes the keys of a queue whose keys this one takes over; none is left there.
  void take_over(FailingKeys& from) EXCLUDES(mutex_);

  [[nodiscard]] FailingList list() const EXCLUDES(mutex_);
  [[nodiscard]] std::size_t size() const EXCLUDES(mutex_);

 private:
  struct Entry {
    WallTime since{};
    std::uint64_t failures = 0;
    bool is_shown = false;
    std::string error = {};  // If it is shown.
  };

  using Entries = std::unordered_map<std::string, Entry, KeyHash, std::equal_to<>>;

  mutable Mutex mutex_;
  Entries entries_ GUARDED_BY(mutex_);
  std::size_t shown_ GUARDED_BY(mutex_) = 0;
};

}  // namespace davit::host
