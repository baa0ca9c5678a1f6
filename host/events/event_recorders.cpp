#include "host/events/event_recorders.hpp"

#include <utility>

namespace davit::host {

struct EventRecorders::Entry {
  Entry(std::unique_ptr<EventApi> made, Clock& clock, Random& random, const Logger& log,
        const EventRecorderOptions& options)
      : api(std::move(made)), recorder(*api, clock, random, log, options) {}

  const std::unique_ptr<EventApi> api;
  EventRecorder recorder;
};

EventRecorders::EventRecorders(MakeApi make_api, Clock& clock, Random& random, Logger log,
                               EventRecorderOptions options)
    : make_api_(std::move(make_api)),
      clock_(clock),
      random_(random),
      log_(std::move(log)),
      options_(std::move(options)) {}

EventRecorders::~EventRecorders() = default;

EventRecorder& EventRecorders::of(std::string_view client) {
  {
    MutexLock lock(mutex_);
    const auto found = entries_.find(client);
    if (found != entries_.end()) return found->second->recorder;
  }
  // Outside the lock, because it calls the caller's function. A second thread that comes meanwhile
  // makes one in vain.
  auto made = std::make_unique<Entry>(make_api_(client), clock_, random_, log_, options_);
  MutexLock lock(mutex_);
  return entries_.emplace(client, std::move(made)).first->second->recorder;
}

std::vector<EventRecorder*> EventRecorders::all() {
  std::vector<EventRecorder*> out;
  MutexLock lock(mutex_);
  for (const auto& [controller, entry] : entries_) out.push_back(&entry->recorder);
  return out;
}

bool EventRecorders::flush(Time deadline) {
  bool written = true;
  for (EventRecorder* each : all()) written = each->flush(deadline) && written;
  return written;
}

void EventRecorders::stop() {
  for (EventRecorder* each : all()) each->stop();
}

}  // namespace davit::host
