#include "host/run/controller_runner.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "host/base/assert.hpp"

namespace davit::host {
namespace {

/// Timers of a controller that run at once. Its periodic passes are few; a stuck one must not stop
/// the others.
constexpr std::uint32_t kTimerWorkers = 4;

Status no_such_queue() { return {Code::kMisuse, "no such queue"}; }

}  // namespace

ControllerRunner::ControllerRunner(RunnerOptions options, ChangeFeed* feed, RunnerMetrics& metrics,
                                   Clock& clock, Log log)
    : options_(std::move(options)),
      feed_(feed),
      metrics_(metrics),
      clock_(clock),
      log_(log.named(options_.controller)),
      crumb_{options_.plugin, options_.build_id, options_.generation, options_.controller, {}, {}} {
  ControllerQueueOptions timers;
  timers.workers = kTimerWorkers;
  timers.sync = [this](std::string_view key, const std::stop_token& cancelled) {
    return run_timer(key, cancelled);
  };
  timer_queue_ = make_queue(std::move(timers), "timer");
}

ControllerRunner::~ControllerRunner() { (void)stop({clock_.now(), Time::max()}); }

std::unique_ptr<ControllerQueue> ControllerRunner::make_queue(ControllerQueueOptions options,
                                                              std::string_view activity) const {
  Breadcrumb crumb = crumb_;
  crumb.activity = activity;
  return std::make_unique<ControllerQueue>(std::move(options), crumb, metrics_, clock_, log_);
}

QueueId ControllerRunner::open_queue(ControllerQueueOptions options) {
  std::unique_ptr<ControllerQueue> queue = make_queue(std::move(options), "sync");
  MutexLock lock(mutex_);
  if (holds_ == 0) queue->resume();
  if ((holds_ & kStopped) != 0) queue->shut_down();
  queues_.push_back(std::move(queue));
  return QueueId(static_cast<std::uint32_t>(queues_.size() - 1));
}

Status ControllerRunner::add(QueueId queue, const QueueKey& key) {
  ControllerQueue* const found = find(queue);
  if (found == nullptr) return no_such_queue();
  found->add(key);
  return {};
}

Status ControllerRunner::add_after(QueueId queue, const QueueKey& key, Duration delay) {
  ControllerQueue* const found = find(queue);
  if (found == nullptr) return no_such_queue();
  found->add_after(key, delay);
  return {};
}

Status ControllerRunner::add_rate_limited(QueueId queue, const QueueKey& key) {
  ControllerQueue* const found = find(queue);
  if (found == nullptr) return no_such_queue();
  found->add_rate_limited(key);
  return {};
}

Status ControllerRunner::forget(QueueId queue, std::string_view key) {
  ControllerQueue* const found = find(queue);
  if (found == nullptr) return no_such_queue();
  found->forget(key);
  return {};
}

std::uint32_t ControllerRunner::failures(QueueId queue, std::string_view key) const {
  const ControllerQueue* const found = find(queue);
  return found == nullptr ? 0 : found->failures(key);
}

Status ControllerRunner::caught_up(QueueId queue, std::string_view key) {
  ControllerQueue* const found = find(queue);
  if (found == nullptr) return no_such_queue();
  found->caught_up(key);
  return {};
}

TimerId ControllerRunner::start_timer(TimerOptions options) {
  DAVIT_ASSERT(options.fire);
  MutexLock lock(mutex_);
  const std::uint32_t id = next_timer_++;
  timers_[id].options = std::make_shared<const TimerOptions>(std::move(options));
  if ((holds_ & ~static_cast<unsigned>(kPaused)) == 0) arm_timers();
  return TimerId(id);
}

Status ControllerRunner::stop_timer(TimerId timer) {
  MutexLock lock(mutex_);
  if (timers_.erase(static_cast<std::uint32_t>(timer)) == 0) {
    return {Code::kNotFound, "no such timer"};
  }
  return {};
}

void ControllerRunner::arm_timers() {
  for (auto& [id, timer] : timers_) {
    if (timer.armed) continue;
    timer.armed = true;
    timer_queue_->add_after(std::to_string(id), timer.options->first);
  }
}

void ControllerRunner::start() {
  {
    MutexLock lock(mutex_);
    if ((holds_ & kNotStarted) == 0 || (holds_ & kStopped) != 0) return;
    dispatching_ = feed_ != nullptr;
  }
  if (feed_ == nullptr) {
    lift(kCachesFilling);
  } else {
    dispatcher_ = std::jthread([this](const std::stop_token& stop) { dispatch(stop); });
  }
  lift(kNotStarted);
}

void ControllerRunner::begin_syncing() { lift(kNotLeading); }

void ControllerRunner::dispatch(const std::stop_token& stop) {
  bool filling = true;
  while (!stop.stop_requested()) {
    // Asked first: a feed of nothing is ready and never has anything to deliver.
    if (filling && feed_->ready()) {
      filling = false;
      lift(kCachesFilling);
    }
    // One change at a time, so that a stop is noticed and ready() is asked soon.
    if (!feed_->wait(stop)) continue;
    {
      MutexLock lock(mutex_);
      handling_since_ = clock_.now();
    }
    Breadcrumb crumb = crumb_;
    crumb.activity = "on_event";
    const BreadcrumbScope scope(crumb);
    feed_->deliver();
    MutexLock lock(mutex_);
    handling_since_.reset();
    handler_reported_ = false;
  }
  MutexLock lock(mutex_);
  dispatching_ = false;
  dispatched_.notify_all();
}

void ControllerRunner::lift(Hold why) {
  {
    MutexLock lock(mutex_);
    const unsigned before = holds_;
    holds_ &= ~static_cast<unsigned>(why);
    if (why == kCachesFilling) filled_.notify_all();
    if (before == 0 || holds_ != 0) return;
    // Under the lock, so that a pause that comes now is not undone. The queues only wake workers.
    for (const auto& queue : queues_) queue->resume();
    timer_queue_->resume();
    arm_timers();
  }
  metrics_.controller_running(options_.controller, RunnerMetrics::Running::kYes);
  log_.info(1, why == kPaused ? "Controller resumed" : "Controller starting...");
}

void ControllerRunner::hold(Hold why) {
  MutexLock lock(mutex_);
  holds_ |= why;
  for (const auto& queue : queues_) {
    why == kStopped ? queue->shut_down() : queue->pause();
  }
  why == kStopped ? timer_queue_->shut_down() : timer_queue_->pause();
}

bool ControllerRunner::pause(const Quiesce& wait) {
  hold(kPaused);
  return quiesce(wait);
}

void ControllerRunner::resume() { lift(kPaused); }

bool ControllerRunner::wait_caches(Time deadline) {
  MutexLock lock(mutex_);
  while ((holds_ & kCachesFilling) != 0) {
    if (clock_.now() >= deadline) return false;
    clock_.wait_until(filled_, mutex_, deadline);
  }
  return true;
}

QueueContent ControllerRunner::take_content(QueueId queue) {
  ControllerQueue* const found = find(queue);
  DAVIT_ASSERT(found != nullptr);
  return found->take_content();
}

void ControllerRunner::adopt(QueueId queue, QueueContent& content) {
  ControllerQueue* const found = find(queue);
  DAVIT_ASSERT(found != nullptr);
  found->adopt(content);
}

std::size_t ControllerRunner::waiting() const {
  std::size_t sum = 0;
  MutexLock lock(mutex_);
  for (const auto& queue : queues_) sum += queue->waiting();
  return sum;
}

bool ControllerRunner::retire(const Quiesce& wait) {
  hold(kStopped);
  dispatcher_.request_stop();
  const bool idle = quiesce(wait);
  return dispatcher_ended(wait.give_up_at) && idle;
}

bool ControllerRunner::stop(const Quiesce& wait) {
  const bool was_running = [this] {
    MutexLock lock(mutex_);
    return (holds_ & (kStopped | kNotStarted)) == 0;
  }();
  const bool ended = retire(wait);
  if (was_running) {
    metrics_.controller_running(options_.controller, RunnerMetrics::Running::kNo);
    if (ended) log_.info(1, "Controller terminated");
  }
  return ended;
}

bool ControllerRunner::quiesce(const Quiesce& wait) {
  const std::vector<ControllerQueue*> queues = all_queues();
  const auto idle_by = [&queues](Time deadline) {
    return std::all_of(queues.begin(), queues.end(),
                       [deadline](ControllerQueue* queue) { return queue->wait_idle(deadline); });
  };
  if (idle_by(std::min(wait.cancel_at, wait.give_up_at))) return true;
  if (wait.cancel_at == Time::max()) return false;
  for (ControllerQueue* queue : queues) queue->cancel();
  return idle_by(wait.give_up_at);
}

bool ControllerRunner::dispatcher_ended(Time deadline) {
  MutexLock lock(mutex_);
  while (dispatching_) {
    if (clock_.now() >= deadline) return false;
    clock_.wait_until(dispatched_, mutex_, deadline);
  }
  return true;
}

SyncOutcome ControllerRunner::run_timer(std::string_view key, const std::stop_token& cancelled) {
  std::uint32_t id = 0;
  std::from_chars(key.data(), key.data() + key.size(), id);
  std::shared_ptr<const TimerOptions> timer;
  {
    MutexLock lock(mutex_);
    const auto found = timers_.find(id);
    if (found == timers_.end()) return {};
    timer = found->second.options;
  }
  timer->fire(cancelled);
  MutexLock lock(mutex_);
  if (timer->period.count() <= 0) timers_.erase(id);
  SyncOutcome outcome;
  outcome.again = timer->period;
  return outcome;
}

bool ControllerRunner::syncing() const {
  MutexLock lock(mutex_);
  return holds_ == 0;
}

std::optional<Duration> ControllerRunner::handler_overdue(Duration limit) const {
  if (!handling_since_) return std::nullopt;
  const Duration time = clock_.now() - *handling_since_;
  return time >= limit ? std::optional(time) : std::nullopt;
}

Status ControllerRunner::overdue(Duration limit) const {
  std::string why;
  {
    MutexLock lock(mutex_);
    if (const std::optional<Duration> time = handler_overdue(limit)) {
      why = "on_event runs for " + std::to_string(whole_seconds(*time)) + " s";
    }
  }
  for (const ControllerQueue* queue : all_queues()) {
    const std::string overdue = queue->overdue(limit);
    if (!why.empty() && !overdue.empty()) why += ", ";
    why += overdue;
  }
  if (why.empty()) return {};
  return {Code::kUnavailable, std::move(why)};
}

void ControllerRunner::report() {
  std::size_t overdue = 0;
  std::optional<Duration> stuck;
  {
    MutexLock lock(mutex_);
    const std::optional<Duration> time = handler_overdue(options_.sync_limit);
    if (time) ++overdue;
    if (time && !std::exchange(handler_reported_, true)) stuck = time;
  }
  if (stuck) {
    log_.error("Handler does not end",
               {{"activity", "on_event"}, {"runsSeconds", whole_seconds(*stuck)}});
  }
  for (ControllerQueue* queue : all_queues()) overdue += queue->report(options_.sync_limit);
  metrics_.overdue_syncs(options_.controller, overdue);
}

ControllerQueue* ControllerRunner::find(QueueId queue) const {
  const auto index = static_cast<std::size_t>(queue);
  MutexLock lock(mutex_);
  return index < queues_.size() ? queues_[index].get() : nullptr;
}

std::vector<ControllerQueue*> ControllerRunner::all_queues() const {
  MutexLock lock(mutex_);
  std::vector<ControllerQueue*> all;
  all.reserve(queues_.size() + 1);
  for (const auto& queue : queues_) all.push_back(queue.get());
  all.push_back(timer_queue_.get());
  return all;
}

}  // namespace davit::host
