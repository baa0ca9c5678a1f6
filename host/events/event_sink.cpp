#include "host/events/event_sink.hpp"

#include <algorithm>

namespace davit::host {
namespace {

constexpr int kAttempts = 12;
constexpr Duration kPause = std::chrono::seconds(10);
constexpr std::string_view kTerminating = "NamespaceTerminating";

}  // namespace

void EventSink::write(std::span<const CorrelatedEvent> events, const std::stop_token& stop) {
  while (!events.empty() && !stop.stop_requested()) {
    const auto patch = std::find_if(events.begin(), events.end(), [](const CorrelatedEvent& each) {
      return each.write == CorrelatedEvent::Write::kPatch;
    });
    const auto creations = static_cast<std::size_t>(patch - events.begin());
    if (creations > 1) {
      create_all(events.first(creations), stop);
      events = events.subspan(creations);
    } else {
      retry(events.front(), 0, stop);
      events = events.subspan(1);
    }
  }
}

void EventSink::create_all(std::span<const CorrelatedEvent> events, const std::stop_token& stop) {
  std::vector<Event> bodies;
  bodies.reserve(events.size());
  for (const CorrelatedEvent& each : events) bodies.push_back(each.event);
  const std::vector<Status> responses = api_.create_all(bodies, stop);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (judge(bodies[i], responses[i], stop) == Verdict::kAgain) retry(events[i], 1, stop);
  }
}

// Retries after `tries` failed attempts.
void EventSink::retry(const CorrelatedEvent& event, int tries, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (tries == kAttempts) {
      log_.error("Unable to write event (retry limit exceeded!)",
                 {{"event", event.event.ns + "/" + event.event.name}});
      return;
    }
    if (tries > 0) {
      // The first pause is random, so that many hosts do not retry at once.
      const auto share =
          static_cast<Duration::rep>(random_.unit() * static_cast<double>(kPause.count()));
      rest(tries == 1 ? Duration(share) : kPause, stop);
      if (stop.stop_requested()) return;
    }
    if (attempt(event, stop) == Verdict::kDone) return;
    ++tries;
  }
}

EventSink::Verdict EventSink::attempt(const CorrelatedEvent& event, const std::stop_token& stop) {
  Status status;
  if (event.write == CorrelatedEvent::Write::kPatch) status = api_.patch(event.event, stop);
  // The server forgets events after an hour.
  if (event.write == CorrelatedEvent::Write::kCreate || status.code() == Code::kNotFound) {
    status = api_.create(event.event, stop);
  }
  return judge(event.event, status, stop);
}

EventSink::Verdict EventSink::judge(const Event& event, const Status& status,
                                    const std::stop_token& stop) const {
  if (status.ok()) return Verdict::kDone;
  const std::string name = event.ns + "/" + event.name;
  if (status.detail() != nullptr) {
    if (status.code() == Code::kAlreadyExists || status.has_cause(kTerminating)) {
      log_.info(5, "Server rejected event (will not retry!)",
                {{"err", status.message()}, {"event", name}});
    } else {
      log_.error("Server rejected event (will not retry!)",
                 {{"err", status.message()}, {"event", name}});
    }
    return Verdict::kDone;
  }
  if (status.code() == Code::kMisuse) {
    log_.error("Unable to construct event (will not retry!)",
               {{"err", status.message()}, {"event", name}});
    return Verdict::kDone;
  }
  if (!stop.stop_requested()) {
    log_.error("Unable to write event (may retry after sleeping)",
               {{"err", status.message()}, {"event", name}});
  }
  return Verdict::kAgain;
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
