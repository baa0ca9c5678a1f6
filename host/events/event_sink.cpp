#include "host/events/event_sink.hpp"

namespace davit::host {
namespace {

constexpr int kAttempts = 12;
constexpr Duration kPause = std::chrono::seconds(10);
constexpr std::string_view kTerminating = "NamespaceTerminating";

}  // namespace

void EventSink::write(const CorrelatedEvent& event, const std::stop_token& stop) {
  for (int tries = 1; !stop.stop_requested(); ++tries) {
    if (attempt(event, stop) == Fate::kDone) return;
    if (tries == kAttempts) {
      log_.error("Unable to write event (retry limit exceeded!)",
                 {{"event", event.event.ns + "/" + event.event.name}});
      return;
    }
    // The first pause is random, so that many hosts do not come back at once.
    rest(tries == 1 ? Duration(static_cast<Duration::rep>(random_.unit() *
                                                          static_cast<double>(kPause.count())))
                    : kPause,
         stop);
  }
}

EventSink::Fate EventSink::attempt(const CorrelatedEvent& event, const std::stop_token& stop) {
  Status status;
  if (event.write == CorrelatedEvent::Write::kPatch) status = api_.patch(event.event, stop);
  // The server forgets events after an hour.
  if (event.write == CorrelatedEvent::Write::kCreate || status.code() == Code::kNotFound) {
    status = api_.create(event.event, stop);
  }
  if (status.ok()) return Fate::kDone;
  const std::string name = event.event.ns + "/" + event.event.name;
  if (status.detail() != nullptr) {
    if (status.code() == Code::kAlreadyExists || status.has_cause(kTerminating)) {
      log_.info(5, "Server rejected event (will not retry!)",
                {{"err", status.message()}, {"event", name}});
    } else {
      log_.error("Server rejected event (will not retry!)",
                 {{"err", status.message()}, {"event", name}});
    }
    return Fate::kDone;
  }
  if (status.code() == Code::kMisuse) {
    log_.error("Unable to construct event (will not retry!)",
               {{"err", status.message()}, {"event", name}});
    return Fate::kDone;
  }
  if (!stop.stop_requested()) {
    log_.error("Unable to write event (may retry after sleeping)",
               {{"err", status.message()}, {"event", name}});
  }
  return Fate::kAgain;
}

void EventSink::rest(Duration time, const std::stop_token& stop) {
  const Time until = clock_.now() + time;
  // Before the lock: a callback for a stop that has come already runs here, and takes it.
  const std::stop_callback wake(stop, [this] {
    MutexLock lock(mutex_);
    wake_.notify_all();
  });
  MutexLock lock(mutex_);
  while (!stop.stop_requested() && clock_.now() < until) clock_.wait_until(wake_, mutex_, until);
}

}  // namespace davit::host
