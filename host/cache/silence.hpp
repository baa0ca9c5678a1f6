/// The silence after which a watch is renewed.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "lib/base/clock.hpp"

namespace davit::host {

/// Learns how often something comes through the watches of one resource. Pure; not thread-safe.
class SilenceGauge {
 public:
  /// A busy watch that is silent for so many of its usual pauses is renewed: heartbeats that are
  /// due every 10 s may miss one.
  static constexpr double kPauses = 2.5;
  /// Shorter silences are never suspicious: a renewal costs a connection and a request.
  static constexpr Duration kShortest = std::chrono::seconds(20);
  /// The limit never exceeds this. Servers end a watch within minutes, so that longer pauses are
  /// those of a server that does not answer.
  static constexpr Duration kLongest = std::chrono::hours(24);
  /// The number of pauses that make a habit.
  static constexpr int kPausesKnown = 4;

  /// An event or bookmark came.
  void received(Time now) {
    renewals_ = 0;
    if (last_) {
      const Duration pause = now - *last_;
      // Rises at once, and sinks slowly: the pauses of a resource vary.
      usual_ = std::max(pause, usual_ - usual_ / 16);
      known_ = std::min(known_ + 1, kPausesKnown);
    }
    last_ = now;
  }

  /// Records that a watch was renewed because it was silent. Each time in a row doubles the next
  /// limit, so that an idle resource costs few requests.
  void renewed() { renewals_ = std::min(renewals_ + 1, 16); }

  /// The silence after which to renew, or nothing while the habit is unknown.
  [[nodiscard]] std::optional<Duration> limit() const {
    if (known_ < kPausesKnown) return std::nullopt;
    if (usual_ >= kLongest) return kLongest;
    const auto pauses = std::chrono::duration_cast<Duration>(usual_ * kPauses);
    Duration limit = std::max(pauses, kShortest);
    // Step by step: the whole product may be too large for a Duration.
    for (int i = 0; i < renewals_ && limit < kLongest; ++i) limit *= 2;
    return std::min(limit, kLongest);
  }

 private:
  std::optional<Time> last_;
  Duration usual_{0};
  int known_ = 0;
  int renewals_ = 0;
};

}  // namespace davit::host
