#include "host/events/event_recorder.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/base/assert.hpp"
#include "lib/base/uuid.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kDefaultNamespace = "default";
constexpr int kEventVerbosity = 3;  // Same as upstream's controllers.
// Taken at once; few against what the controllers themselves have in flight.
constexpr std::size_t kTogetherMax = 16;

std::string object_text(const Reference& reference) {
  return reference.ns.empty() ? reference.name : reference.ns + "/" + reference.name;
}

}  // namespace

EventRecorder::EventRecorder(EventApi& api, Clock& clock, Random& random, Logger log,
                             EventRecorderOptions options)
    : clock_(clock),
      random_(random),
      log_(std::move(log)),
      options_(std::move(options)),
      sink_(api, clock, random, log_) {}

EventRecorder::~EventRecorder() { stop(); }

void EventRecorder::record(const Reference& regarding, std::string_view type,
                           std::string_view reason, std::string_view message,
                           std::string_view component) {
  if (type != "Normal" && type != "Warning") {
    log_.error("Unsupported event type", {{"type", type}, {"reason", reason}});
    return;
  }
  if (regarding.kind.empty() || regarding.name.empty()) {
    log_.error("Could not construct reference, will not report event",
               {{"type", type}, {"reason", reason}, {"message", message}});
    return;
  }
  log_.info(kEventVerbosity, "Event occurred",
            {{"object", object_text(regarding)},
             {"fieldPath", regarding.field_path},
             {"kind", regarding.kind},
             {"apiVersion", regarding.api_version},
             {"type", type},
             {"reason", reason},
             {"message", message}});
  Event event;
  event.ns = regarding.ns.empty() ? std::string(kDefaultNamespace) : regarding.ns;
  event.regarding = regarding;
  event.type = type;
  event.reason = reason;
  event.message = message;
  event.component = component;
  event.host = options_.host;
  event.first_seen = clock_.wall_now();
  event.last_seen = event.first_seen;
  event.name = event_name(regarding.name, name_stamp(), random_uuid(random_));
  if (enqueue(std::move(event)) == Enqueued::kFirstDropped) {
    log_.error("Unable to record event: too many queued events, dropped event",
               {{"object", object_text(regarding)}, {"reason", reason}});
  }
}

WallTime EventRecorder::name_stamp() {
  MutexLock lock(mutex_);
  named_at_ = std::max(clock_.wall_now(), named_at_ + std::chrono::nanoseconds(1));
  return named_at_;
}

EventRecorder::Enqueued EventRecorder::enqueue(Event event) {
  MutexLock lock(mutex_);
  if (stopped_) return Enqueued::kStopped;
  if (waiting_.size() >= options_.waiting_max) {
    return dropped_++ == 0 ? Enqueued::kFirstDropped : Enqueued::kDropped;
  }
  waiting_.push_back(std::move(event));
  changed_.notify_all();
  if (options_.threads == Threads::kOwn && !thread_.joinable()) {
    // Without a thread the event waits; the next one tries again.
    (void)start_thread(thread_, "events", [this](const std::stop_token& stop) { run(stop); });
  }
  return Enqueued::kYes;
}

void EventRecorder::run(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] {
    MutexLock lock(mutex_);
    changed_.notify_all();
  });
  for (std::vector<Event> events = next(stop); !events.empty(); events = next(stop)) {
    write(std::move(events), stop);
  }
}

void EventRecorder::write(std::vector<Event> events, const std::stop_token& stop) {
  std::vector<CorrelatedEvent> to_write;
  for (Event& event : events) {
    const WallTime now = clock_.wall_now();
    const FreshEvent fresh{event_name(event.regarding.name, name_stamp(), random_uuid(random_)),
                           now};
    std::optional<CorrelatedEvent> correlated =
        correlator_.correlate(std::move(event), clock_.now(), fresh);
    if (correlated) to_write.push_back(*std::move(correlated));
  }
  sink_.write(to_write, stop);
}

void EventRecorder::write_waiting() {
  DAVIT_ASSERT(options_.threads == Threads::kNone);
  std::vector<Event> events;
  {
    MutexLock lock(mutex_);
    events.assign(std::make_move_iterator(waiting_.begin()),
                  std::make_move_iterator(waiting_.end()));
    waiting_.clear();
  }
  write(std::move(events), {});
}

std::vector<Event> EventRecorder::next(const std::stop_token& stop) {
  std::size_t dropped = 0;
  std::vector<Event> events;
  {
    MutexLock lock(mutex_);
    writing_ = 0;
    changed_.notify_all();
    while (waiting_.empty() && !stop.stop_requested()) changed_.wait(mutex_);
    if (stop.stop_requested()) return {};
    while (!waiting_.empty() && events.size() < kTogetherMax) {
      events.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    writing_ = events.size();
    dropped = std::exchange(dropped_, 0);
  }
  if (dropped > 1) log_.error("Dropped events, too many were queued", {{"count", dropped}});
  return events;
}

bool EventRecorder::flush(Time deadline) {
  MutexLock lock(mutex_);
  while (!stopped_ && (writing_ > 0 || !waiting_.empty())) {
    if (clock_.now() >= deadline) return false;
    clock_.wait_until(changed_, mutex_, deadline);
  }
  return true;
}

void EventRecorder::stop() {
  std::size_t lost = 0;
  {
    MutexLock lock(mutex_);
    if (stopped_) return;
    stopped_ = true;
    lost = waiting_.size() + writing_;
    waiting_.clear();
    changed_.notify_all();
  }
  // From here on only this function touches the thread: enqueue() starts none when stopped.
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  if (lost > 0) log_.error("Events lost at shutdown", {{"count", lost}});
}

}  // namespace davit::host
