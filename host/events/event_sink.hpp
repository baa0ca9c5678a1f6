/// Writes one correlated event, with upstream's rules for failures.
#pragma once

#include <stop_token>

#include "host/base/clock.hpp"
#include "host/base/log.hpp"
#include "host/base/mutex.hpp"
#include "host/base/random.hpp"
#include "host/events/event_api.hpp"
#include "host/events/event_correlator.hpp"

namespace davit::host {

/// Used by one thread, which it blocks while the server cannot be reached.
class EventSink {
 public:
  /// References outlive the sink.
  EventSink(EventApi& api, Clock& clock, Random& random, Log log)
      : api_(api), clock_(clock), random_(random), log_(std::move(log)) {}

  /// Writes the event or gives it up: at once when the server refuses it, after 12 attempts 10 s
  /// apart (the first pause is random) when there is no answer, and when `stop` is requested.
  void write(const CorrelatedEvent& event, const std::stop_token& stop) EXCLUDES(mutex_);

 private:
  enum class Fate { kDone, kAgain };
  Fate attempt(const CorrelatedEvent& event, const std::stop_token& stop);
  void rest(Duration time, const std::stop_token& stop) EXCLUDES(mutex_);

  EventApi& api_;
  Clock& clock_;
  Random& random_;
  const Log log_;
  Mutex mutex_;  // For waiting; guards nothing.
  CondVar wake_;
};

}  // namespace davit::host
