/// One change of one object, as the cache reports it.
#pragma once

#include <cstdint>
#include <vector>

#include "host/object/object.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

enum class ChangeType : std::uint8_t { kAdded, kUpdated, kDeleted };

struct Change {
  ChangeType type = ChangeType::kAdded;
  /// kAdded only: part of the content that was there when the listener joined or the cache was
  /// filled.
  bool initial = false;
  /// kDeleted only: the deletion itself was missed and `current` may be older than the last state.
  bool tombstone = false;
  /// kUpdated: the state before. Its UID may differ from that of `current`: deleted and made again
  /// during a gap of the watch. The same object as `current` when nothing changed (periodic
  /// resync). kDeleted: the state before the deletion, if it is known; `current` is the one to look
  /// at.
  ObjectRef old{};
  /// The new state; of kDeleted the last one known. Never empty.
  ObjectRef current{};
};

/// Receives the changes of one informer's cache, on the thread that makes them, one call at a time.
/// It should only record the change: it must not block or call the informer. The store already has
/// `current` or a newer version.
class Listener {
 public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  virtual ~Listener() = default;

  /// The first call, exactly once: the cache is filled, with this content (in no particular order,
  /// maybe empty).
  virtual void on_initial(std::vector<ObjectRef> content) = 0;
  virtual void on_change(const Change& change) = 0;
  /// After one or more on_change(): no more follow at once, so wake up those that wait for them. A
  /// watch delivers up to 64 KiB of events in between.
  virtual void on_pause() {}
  /// The store has moved to a newer version: after each change, and on bookmarks. `version` is 0
  /// when it cannot be compared.
  virtual void on_progress([[maybe_unused]] std::uint64_t version) {}
  /// Reports that listeners have received everything that the server had at `as_of` (see
  /// Informer::verify()).
  virtual void on_verified([[maybe_unused]] Time as_of) {}
  /// Informer::availability() has changed.
  virtual void on_availability() {}
  /// When something was written that this should have heard of by now: asked every few seconds. The
  /// informer has its content verified as of then.
  [[nodiscard]] virtual std::optional<Time> overdue([[maybe_unused]] Time now) {
    return std::nullopt;
  }
};

}  // namespace davit::host
