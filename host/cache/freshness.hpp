/// The freshness of a cache: how far its content may lag behind the server.
#pragma once

#include <chrono>
#include <davit/result.hpp>
#include <optional>

#include "lib/base/clock.hpp"

namespace davit::host {

/// The age of a reflector's content. Plain data.
struct Freshness {
  /// Requests that have failed for so long make the cache stale. The longest back-off with its
  /// jitter takes a minute, and a quiet watch that works again needs another one to prove it by a
  /// bookmark.
  static constexpr Duration kFailingMax = std::chrono::minutes(2);
  /// Silence without a failure makes it stale after this time. A watch without bookmarks and events
  /// lasts up to ten minutes and 30 s of slack (ReflectorOptions) before its end confirms the
  /// content.
  static constexpr Duration kSilentMax = std::chrono::minutes(11);

  /// When the connection was last known to work: a list was complete, a watch delivered something,
  /// or the server ended a watch properly. It says nothing about what a lagging server has not
  /// delivered; `verified` does. Empty before the first content.
  std::optional<Time> confirmed{};
  /// The view of the server was not interrupted by an outage since then: not by failing requests
  /// for more than a few seconds, nor by a watch that was found stalled.
  std::optional<Time> followed_since{};
  /// The latest time as of which the content is known to show everything, because a consistent
  /// read that was sent then said how far the server was.
  std::optional<Time> verified{};
  /// The first failure after `confirmed`, if there is one.
  std::optional<Time> failing_since{};
  Status failure{};  ///< The last one; ok while nothing fails.

  /// Whether the content must no longer be treated as current.
  [[nodiscard]] bool is_stale(Time now) const {
    if (failing_since && now - *failing_since > kFailingMax) return true;
    return confirmed && now - *confirmed > kSilentMax;
  }
};

}  // namespace davit::host
