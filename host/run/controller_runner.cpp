#include "host/run/controller_runner.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/assert.hpp"

namespace davit::host {
namespace {

Breadcrumb with_activity(Breadcrumb crumb, std::string_view activity) {
  crumb.activity = activity;
  return crumb;
}

}  // namespace

ControllerRunner::ControllerRunner(RunnerOptions options, DeltaSource* deltas,
                                   RunnerMetrics& metrics, Clock& clock, Logger log)
    : options_(std::move(options)),
      metrics_(metrics),
      clock_(clock),
      log_(log.named(options_.controller)),
      crumb_{options_.plugin, options_.build_id, options_.generation, options_.controller, {}, {}},
      timers_(with_activity(crumb_, "timer"), metrics, clock, log_, options_.threads) {
  queues_.push_back(&timers_.queue());
  if (deltas == nullptr) return;
  dispatcher_.emplace(*deltas, with_activity(crumb_, "on_event"), clock,
                      [this] { lift(kCachesFilling); });
}

ControllerRunner::~ControllerRunner() { (void)stop({clock_.now(), Time::max()}); }

ControllerQueue& ControllerRunner::open_queue(ControllerQueueOptions options) {
  options.threads = options_.threads;
  auto queue = std::make_unique<ControllerQueue>(std::move(options), with_activity(crumb_, "sync"),
                                                 metrics_, clock_, log_);
  MutexLock lock(mutex_);
  if (holds_ == 0) queue->resume();
  if ((holds_ & kStopped) != 0) queue->shut_down();
  ControllerQueue& opened = *opened_.emplace_back(std::move(queue));
  queues_.insert(queues_.end() - 1, &opened);
  return opened;
}

void ControllerRunner::start() {
  {
    MutexLock lock(mutex_);
    if ((holds_ & kNotStarted) == 0 || (holds_ & kStopped) != 0) return;
    start_dispatcher();
  }
  if (!dispatcher_) lift(kCachesFilling);
  lift(kNotStarted);
}

void ControllerRunner::begin_syncing() { lift(kNotLeading); }

void ControllerRunner::start_dispatcher() {
  if (dispatcher_ && options_.threads == Threads::kOwn) dispatcher_->start();
}

bool ControllerRunner::step(Work what) {
  DAVIT_ASSERT(options_.threads == Threads::kNone);
  if (what == Work::kTimer) return timers_.queue().step();
  if (what == Work::kSync) {
    const std::vector<ControllerQueue*> all = queues();
    return std::any_of(all.begin(), all.end() - 1,
                       [](ControllerQueue* each) { return each->step(); });
  }
  std::stop_source at_once;
  at_once.request_stop();
  return dispatcher_ && dispatcher_->step(at_once.get_token());
}

std::optional<Time> ControllerRunner::next_due() const {
  std::optional<Time> due;
  for (const ControllerQueue* queue : queues()) {
    if (const std::optional<Time> at = queue->next_due()) due = std::min(due.value_or(*at), *at);
  }
  return due;
}

void ControllerRunner::lift(Hold why) {
  // A swap reports the build that it starts.
  const int verbosity = options_.generation == 1 ? 0 : 1;
  if (why == kCachesFilling && dispatcher_) log_.info(verbosity, "Caches are synced");
  {
    MutexLock lock(mutex_);
    const unsigned before = holds_;
    holds_ &= ~static_cast<unsigned>(why);
    if (why == kCachesFilling) filled_.notify_all();
    if (before == 0 || holds_ != 0) return;
    // Under the lock, so that a pause that comes now is not undone. The queues only wake workers.
    for (ControllerQueue* queue : queues_) queue->resume();
    timers_.begin();
  }
  metrics_.controller_running(options_.controller, RunnerMetrics::Running::kYes);
  const bool was_running = why == kPaused || why == kSuspended;
  was_running ? log_.info(1, "Controller resumed") : log_.info(verbosity, "Started workers");
}

void ControllerRunner::hold(Hold why) {
  MutexLock lock(mutex_);
  holds_ |= why;
  for (ControllerQueue* queue : queues_) {
    why == kStopped ? queue->shut_down() : queue->pause();
  }
}

bool ControllerRunner::pause(const Quiesce& wait) {
  hold(kPaused);
  return quiesce(wait);
}

void ControllerRunner::resume() { lift(kPaused); }

void ControllerRunner::suspend(std::string_view call) {
  {
    MutexLock lock(mutex_);
    suspending_call_ = call;
    suspended_since_ = clock_.now();
  }
  hold(kSuspended);
}

void ControllerRunner::end_suspension() { lift(kSuspended); }

bool ControllerRunner::is_suspended() const {
  MutexLock lock(mutex_);
  return (holds_ & kSuspended) != 0;
}

bool ControllerRunner::has_begun() const {
  MutexLock lock(mutex_);
  return (holds_ & kNotLeading) == 0;
}

bool ControllerRunner::wait_caches(Time deadline, const std::stop_token& stop) {
  // Before the lock: a callback for a stop that has come already runs here, and takes it.
  const std::stop_callback wake(stop, [this] {
    MutexLock lock(mutex_);
    filled_.notify_all();
  });
  MutexLock lock(mutex_);
  while ((holds_ & kCachesFilling) != 0) {
    if (stop.stop_requested() || clock_.now() >= deadline) return false;
    clock_.wait_until(filled_, mutex_, deadline);
  }
  return true;
}

std::size_t ControllerRunner::waiting() const {
  std::size_t sum = 0;
  MutexLock lock(mutex_);
  for (const auto& queue : opened_) sum += queue->waiting();
  return sum;
}

ControllerRunner::Use ControllerRunner::use() const {
  Use use;
  if (dispatcher_) {
    use.cpu = dispatcher_->cpu_time();
    use.pending_changes = dispatcher_->pending();
  }
  MutexLock lock(mutex_);
  for (const ControllerQueue* const queue : queues_) {
    use.cpu += queue->cpu_time();
    use.failing += queue->failing().size();
  }
  for (const auto& queue : opened_) {
    use.waiting += queue->waiting();
    use.delayed += queue->delayed();
    use.running += queue->running();
    use.backing_off += queue->backing_off();
  }
  return use;
}

FailingList ControllerRunner::failing() const {
  FailingList all;
  MutexLock lock(mutex_);
  for (const ControllerQueue* const queue : queues_) {
    FailingList list = queue->failing().list();
    const bool is_of_timers = queue == queues_.back();
    for (FailingKey& each : list.keys) {
      each.queue = queue->name();
      if (is_of_timers) each.key.clear();  // It is a number that says nothing.
    }
    all.add(std::move(list));
  }
  return all;
}

bool ControllerRunner::stop(const Quiesce& wait, Successor successor) {
  const bool was_running = [this] {
    MutexLock lock(mutex_);
    return (holds_ & (kStopped | kNotStarted)) == 0;
  }();
  hold(kStopped);
  if (dispatcher_) dispatcher_->request_stop();
  const bool idle = quiesce(wait);
  const bool ended = (!dispatcher_ || dispatcher_->wait_stopped(wait.give_up_at)) && idle;
  if (was_running && successor == Successor::kNone) {
    metrics_.controller_running(options_.controller, RunnerMetrics::Running::kNo);
    if (ended) log_.info(1, "Controller terminated");
  }
  return ended;
}

bool ControllerRunner::quiesce(const Quiesce& wait) {
  const std::vector<ControllerQueue*> all = queues();
  const auto idle_by = [&all](Time deadline) {
    return std::all_of(all.begin(), all.end(),
                       [deadline](ControllerQueue* queue) { return queue->wait_idle(deadline); });
  };
  if (idle_by(std::min(wait.cancel_at, wait.give_up_at))) return true;
  if (wait.cancel_at == Time::max()) return false;
  for (ControllerQueue* queue : all) queue->cancel();
  return idle_by(wait.give_up_at);
}

Status ControllerRunner::overdue(Duration limit, Duration suspended) const {
  {
    MutexLock lock(mutex_);
    const Duration time = clock_.now() - suspended_since_;
    if ((holds_ & kSuspended) != 0 && time >= suspended) {
      return {Code::kUnavailable, "syncs are suspended: " + suspending_call_ +
                                      " has been running for " +
                                      std::to_string(whole_seconds(time)) + " s"};
    }
  }
  std::string why;
  if (const auto time = dispatcher_ ? dispatcher_->overdue(limit) : std::nullopt) {
    why = "on_event has been running for " + std::to_string(whole_seconds(*time)) + " s";
  }
  for (const ControllerQueue* queue : queues()) {
    const std::string overdue = queue->overdue(limit);
    if (!why.empty() && !overdue.empty()) why += ", ";
    why += overdue;
  }
  if (why.empty()) return {};
  return {Code::kUnavailable, std::move(why)};
}

void ControllerRunner::report() {
  std::size_t overdue = 0;
  if (dispatcher_) {
    {
      MutexLock lock(mutex_);
      // The system may have had no thread for it before.
      if ((holds_ & (kNotStarted | kStopped)) == 0) start_dispatcher();
    }
    if (dispatcher_->overdue(options_.sync_limit)) ++overdue;
    if (const auto stuck = dispatcher_->newly_overdue(options_.sync_limit)) {
      log_.error("Handler has not returned",
                 {{"activity", "on_event"}, {"runsSeconds", whole_seconds(*stuck)}});
    }
  }
  for (ControllerQueue* queue : queues()) overdue += queue->report(options_.sync_limit);
  metrics_.overdue_syncs(options_.controller, overdue);
}

std::vector<ControllerQueue*> ControllerRunner::queues() const {
  MutexLock lock(mutex_);
  return queues_;
}

}  // namespace davit::host
