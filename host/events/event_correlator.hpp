/// Decides which events to write (k8s.io/client-go/tools/record, EventCorrelator).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "host/events/event.hpp"
#include "host/events/lru_map.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// The numbers are upstream's.
struct CorrelatorLimits {
  std::size_t keys_max = 4096;  ///< Remembered in each of the three steps, at most.
  /// From so many different messages on, events of one reason become one.
  static constexpr std::size_t kMessagesMax = 10;
  Duration aggregate_for = std::chrono::seconds(600);
  double burst = 25;  ///< Events of one source about one object at once …
  Duration refill = std::chrono::seconds(300);  ///< … and one more in each such time.
};

/// The write that an event leads to.
struct CorrelatedEvent {
  enum class Write { kCreate, kPatch };
  Write write = Write::kCreate;
  Event event;
};

/// The fields that an aggregated event replaces.
struct FreshEvent {
  std::string name;
  WallTime time{};
};

/// Aggregates events that differ only in their message, counts repetitions, and drops what floods.
/// Pure: time comes in with the event. Its keys are 128-bit hashes, so that an entry is small
/// regardless of the message, and an entry without information is dropped. Not thread-safe.
class EventCorrelator {
 public:
  explicit EventCorrelator(CorrelatorLimits limits = {});

  /// Returns the write for an event; nothing if the event is dropped as spam. `fresh` is for an
  /// event that replaces several: like upstream's, it has new times and no reporting fields.
  [[nodiscard]] std::optional<CorrelatedEvent> correlate(Event event, Time now,
                                                         const FreshEvent& fresh);

  /// Entries of all three steps together.
  [[nodiscard]] std::size_t size() const { return groups_.size() + seen_.size() + buckets_.size(); }

 private:
  /// A hash of what events have in common.
  struct Key {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return key.low; }
  };
  struct Group {
    /// Whether there are now as many as that they become one; then the first is forgotten.
    bool add(std::string_view message);

    // Hashes, each once, in place: a vector that grows leaves small holes all over the heap.
    std::array<std::uint64_t, CorrelatorLimits::kMessagesMax - 1> messages{};
    std::size_t count = 0;
    Time last{};
  };
  struct Seen {
    std::string name;
    WallTime first_seen{};
    std::int64_t count = 0;  // 0: not seen yet.
  };
  struct Bucket {
    double tokens = -1;  // Below zero: new, hence full.
    Time filled{};
  };

  static Key key_of(std::initializer_list<std::string_view> parts);
  static Key aggregate_key(const Event& event);
  static Key full_key(const Event& event);
  static Key spam_key(const Event& event);

  /// Returns the key under which the event is counted.
  Key aggregate(Event& event, Time now, const FreshEvent& fresh);
  /// The tokens in a bucket at `now`.
  [[nodiscard]] double tokens(const Bucket& bucket, Time now) const;
  [[nodiscard]] bool allow(const Event& event, Time now);

  const CorrelatorLimits limits_;
  LruMap<Key, Group, KeyHash> groups_;
  LruMap<Key, Seen, KeyHash> seen_;
  LruMap<Key, Bucket, KeyHash> buckets_;
};

}  // namespace davit::host
