/// Writes correlated events, with upstream's rules for failures.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "host/events/event_api.hpp"
#include "host/events/event_correlator.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/random.hpp"

namespace davit::host {

/// Used by one thread, which it blocks while the server cannot be reached.
class EventSink {
 public:
  /// References outlive the sink.
  EventSink(EventApi& api, Clock& clock, Random& random, Logger log)
      : api_(api), clock_(clock), random_(random), log_(std::move(log)) {}

  /// Writes each event or gives it up: at once if the server refuses it, after 12 attempts 10 s
  /// apart (the first pause is random) if there is no response, and when `stop` is requested.
  /// Neighbouring creations go out together: a request is cheaper among others, and only a patch
  /// depends on the writes before it.
  void write(std::span<const CorrelatedEvent> events, const std::stop_token& stop) EXCLUDES(mutex_);

 private:
  enum class Verdict { kDone, kAgain };
  void create_all(std::span<const CorrelatedEvent> events, const std::stop_token& stop)
      EXCLUDES(mutex_);
  void retry(const CorrelatedEvent& event, int tries, const std::stop_token& stop) EXCLUDES(mutex_);
  Verdict attempt(const CorrelatedEvent& event, const std::stop_token& stop);
  Verdict judge(const Event& event, const Status& status, const std::stop_token& stop) const;
  void rest(Duration time, const std::stop_token& stop) EXCLUDES(mutex_);

  EventApi& api_;
  Clock& clock_;
  Random& random_;
  const Logger log_;
  Mutex mutex_;  // For waiting; guards nothing.
  CondVar wake_;
};

}  // namespace davit::host
