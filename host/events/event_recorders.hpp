/// One event recorder for each client of the API server (upstream: one broadcaster each).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "host/events/event_recorder.hpp"

namespace davit::host {

/// Owns the recorders of a process. Each has its own client and sink thread, so that an event that
/// cannot be written delays only the events of that client, usually of one controller. A recorder
/// outlives the builds of its controllers. Thread-safe.
class EventRecorders {
 public:
  /// The requests of one client's events, with a separate rate limit.
  using MakeApi = std::function<std::unique_ptr<EventApi>(std::string_view client)>;

  /// The references must outlive the recorders.
  EventRecorders(MakeApi make_api, Clock& clock, Random& random, Logger log,
                 EventRecorderOptions options);
  /// Drops what is not written yet; flush() first to keep it.
  ~EventRecorders();

  /// The recorder of `client`, made when it is first asked for. Lives as long as this.
  [[nodiscard]] EventRecorder& of(std::string_view client) EXCLUDES(mutex_);

  /// EventRecorder::flush() and stop(), for all recorders.
  bool flush(Time deadline) EXCLUDES(mutex_);
  void stop() EXCLUDES(mutex_);

 private:
  struct Entry;
  /// The recorders created so far. Entries are never removed.
  [[nodiscard]] std::vector<EventRecorder*> all() EXCLUDES(mutex_);

  const MakeApi make_api_;
  Clock& clock_;
  Random& random_;
  const Logger log_;
  const EventRecorderOptions options_;

  Mutex mutex_;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
