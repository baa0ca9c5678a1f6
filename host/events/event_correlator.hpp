/// Which events are worth a write (k8s.io/client-go/tools/record, EventCorrelator).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "host/events/event.hpp"
#include "host/events/lru_map.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// The numbers are upstream's.
struct CorrelatorLimits {
  std::size_t keys_max = 4096;  ///< Remembered in each of the three steps.
  std::size_t messages_max =
      10;  ///< From so many different messages on, events of one reason become one.
  Duration aggregate_for = std::chrono::seconds(600);
  double burst = 25;  ///< Events of one source about one object at once …
  Duration refill = std::chrono::seconds(300);  ///< … and one more in each such time.
};

/// What to write for an event.
struct CorrelatedEvent {
  enum class Write { kCreate, kPatch };
  Write write = Write::kCreate;
  Event event;
};

/// What an aggregated event gets of its own.
struct FreshEvent {
  std::string name;
  WallTime time{};
};

/// Aggregates events that differ only in their message, counts repetitions, and drops what floods.
/// Pure: time comes in with the event. Its keys are hashes of 128 bits, so that an entry is small
/// whatever the message. Not thread-safe.
class EventCorrelator {
 public:
  explicit EventCorrelator(CorrelatorLimits limits = {});

  /// What to write; nothing when the event is dropped as spam. `fresh` is for an event that stands
  /// for several: as upstream's, it has times of its own and no reporting fields.
  [[nodiscard]] std::optional<CorrelatedEvent> correlate(Event event, Time now,
                                                         const FreshEvent& fresh);

 private:
  struct Group {
    std::set<std::string> messages;  // Hashes.
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

  /// Returns the key under which the event is counted.
  std::string aggregate(Event& event, Time now, const FreshEvent& fresh);
  [[nodiscard]] bool allow(const Event& event, Time now);

  const CorrelatorLimits limits_;
  LruMap<Group> groups_;
  LruMap<Seen> seen_;
  LruMap<Bucket> buckets_;
};

}  // namespace davit::host
