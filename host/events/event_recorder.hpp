/// Kubernetes Events from controllers to the API server (k8s.io/client-go/tools/record).
#pragma once

#include <cstddef>
#include <deque>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/events/event.hpp"
#include "host/events/event_api.hpp"
#include "host/events/event_correlator.hpp"
#include "host/events/event_sink.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/random.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {

struct EventRecorderOptions {
  std::string host = {};  ///< source.host and reportingInstance: this machine's name.
  /// Events that wait to be written. Upstream's number; at about 500 bytes each a bound of half a
  /// megabyte.
  std::size_t waiting_max = 1000;
  Threads threads = Threads::kOwn;
};

/// Takes events from any thread and writes them, in order and correlated, on a separate thread that
/// starts with the first event. Recording never blocks: if too many events wait, further ones are
/// dropped with a log line. Every event is logged as `Event occurred` at verbosity 3.
class EventRecorder {
 public:
  /// The references must outlive the recorder.
  EventRecorder(EventApi& api, Clock& clock, Random& random, Logger log,
                EventRecorderOptions options);
  /// Drops what is not written yet; flush() first to keep it.
  ~EventRecorder();

  /// Notes one event. `type` is "Normal" or "Warning", anything else is refused with a log line, as
  /// is a reference without kind or name. `component` names the controller and becomes the event's
  /// source. Thread-safe.
  void record(const Reference& regarding, std::string_view type, std::string_view reason,
              std::string_view message, std::string_view component) EXCLUDES(mutex_);

  /// Waits until everything recorded so far is written or given up; false when `deadline` comes
  /// first.
  bool flush(Time deadline) EXCLUDES(mutex_);

  /// Writes what waits on the calling thread. Only with Threads::kNone.
  void write_waiting() EXCLUDES(mutex_);

  /// Ends the sink thread; what waits is dropped with a log line, as is what is recorded later.
  /// Idempotent.
  void stop() EXCLUDES(mutex_);

 private:
  enum class Enqueued { kYes, kFirstDropped, kDropped, kStopped };
  Enqueued enqueue(Event event) EXCLUDES(mutex_);
  /// Now, or a little later: events of one instant are not to get one name.
  WallTime name_stamp() EXCLUDES(mutex_);
  void run(const std::stop_token& stop) EXCLUDES(mutex_);
  void write(std::vector<Event> events, const std::stop_token& stop) EXCLUDES(mutex_);
  /// Waits for events and takes those at the head of the line; none when the recorder stops.
  std::vector<Event> next(const std::stop_token& stop) EXCLUDES(mutex_);

  // Fixed after construction.
  Clock& clock_;
  Random& random_;
  const Logger log_;
  const EventRecorderOptions options_;

  // Used by the sink thread only.
  EventCorrelator correlator_;
  EventSink sink_;

  Mutex mutex_;
  CondVar changed_;  // An event came, was written, or the recorder stops.
  std::deque<Event> waiting_ GUARDED_BY(mutex_);
  std::size_t writing_ GUARDED_BY(mutex_) = 0;  // The sink holds so many, no longer in waiting_.
  bool stopped_ GUARDED_BY(mutex_) = false;
  WallTime named_at_ GUARDED_BY(mutex_){};
  std::size_t dropped_ GUARDED_BY(mutex_) = 0;  // Since the sink last took an event.

  std::jthread thread_;  // Started under mutex_ unless stopped_; joined once stopped_.
};

}  // namespace davit::host
