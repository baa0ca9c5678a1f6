#include "host/run/controller_runner.hpp"

#include <algorithm>
#include <charconv>
#include <davit/mutant.hpp>
#include <utility>

#include "lib/base/assert.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

/// Timers of a controller that run at once. Its periodic passes are few; a stuck one must not stop
/// the others.
constexpr std::uint32_t kTimerWorkers = 4;

/// Timers are keys: their numbers.
std::uint32_t timer_number(std::string_view key) {
  std::uint32_t number = 0;
  std::from_chars(key.data(), key.data() + key.size(), number);
  return number;
}

Status no_such_queue() { return {Code::kMisuse, "no such queue"}; }

}  // namespace

ControllerRunner::ControllerRunner(RunnerOptions options, DeltaSource* deltas,
                                   RunnerMetrics& metrics, Clock& clock, Logger log)
    : options_(std::move(options)),
      deltas_(deltas),
      metrics_(metrics),
      clock_(clock),
      log_(log.named(options_.controller)),
      crumb_{options_.plugin, options_.build_id, options_.generation, options_.controller, {}, {}} {
  ControllerQueueOptions timers;
  timers.workers = kTimerWorkers;
  timers.sync = [this](std::string_view key, const std::stop_token& cancelled) {
    return run_timer(key, cancelled);
  };
  timers.gate = [this](std::string_view key) -> std::optional<Time> {
    const std::shared_ptr<const TimerOptions> timer = timer_of(key);
    return timer && timer->gate ? timer->gate() : std::nullopt;
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
  auto shared = std::make_shared<const TimerOptions>(std::move(options));
  MutexLock lock(mutex_);
  const std::uint32_t id = next_timer_++;
  timers_.emplace(id, Timer{.options = std::move(shared)});
  if ((holds_ & ~static_cast<unsigned>(kPaused | kResting)) == 0) arm_timers();
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
    timer_queue_->add_after(std::to_string(id), timer.options->first);
    timer.armed = true;
  }
}

void ControllerRunner::start() {
  {
    MutexLock lock(mutex_);
    if ((holds_ & kNotStarted) == 0 || (holds_ & kStopped) != 0) return;
    start_dispatcher();
  }
  if (deltas_ == nullptr) lift(kCachesFilling);
  lift(kNotStarted);
}

void ControllerRunner::start_dispatcher() {
  if (deltas_ == nullptr || dispatcher_.joinable()) return;
  dispatching_ = start_thread(dispatcher_, "dispatch",
                              [this](const std::stop_token& stop) { dispatch(stop); });
}

void ControllerRunner::begin_syncing() { lift(kNotLeading); }

void ControllerRunner::dispatch(const std::stop_token& stop) {
  bool filling = true;
  while (!stop.stop_requested()) {
    // Asked first: a feed of nothing is ready and never has anything to deliver.
    if (filling && (deltas_->ready() || mutant("cache-sync"))) {
      filling = false;
      lift(kCachesFilling);
    }
    // One change at a time, so that a stop is noticed and ready() is asked soon.
    if (!deltas_->wait(stop)) continue;
    {
      MutexLock lock(mutex_);
      handling_since_ = clock_.now();
    }
    Breadcrumb crumb = crumb_;
    crumb.activity = "on_event";
    const BreadcrumbScope scope(crumb);
    deltas_->deliver();
    MutexLock lock(mutex_);
    handling_since_.reset();
    handler_reported_ = false;
  }
  MutexLock lock(mutex_);
  dispatching_ = false;
  dispatched_.notify_all();
}

void ControllerRunner::lift(Hold why) {
  // What takes the place of a running build is reported by its swap.
  const int verbosity = options_.generation == 1 ? 0 : 1;
  if (why == kCachesFilling && deltas_ != nullptr) log_.info(verbosity, "Caches are synced");
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
  const bool was_running = why == kPaused || why == kResting;
  was_running ? log_.info(1, "Controller resumed") : log_.info(verbosity, "Started workers");
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

void ControllerRunner::begin_rest(std::string_view call) {
  {
    MutexLock lock(mutex_);
    rest_call_ = call;
    rest_since_ = clock_.now();
  }
  hold(kResting);
}

void ControllerRunner::end_rest() { lift(kResting); }

bool ControllerRunner::resting() const {
  MutexLock lock(mutex_);
  return (holds_ & kResting) != 0;
}

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
  {
    MutexLock lock(mutex_);
    dispatcher_.request_stop();
  }
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

std::shared_ptr<const TimerOptions> ControllerRunner::timer_of(std::string_view key) const {
  MutexLock lock(mutex_);
  const auto found = timers_.find(timer_number(key));
  return found == timers_.end() ? nullptr : found->second.options;
}

SyncOutcome ControllerRunner::run_timer(std::string_view key, const std::stop_token& cancelled) {
  const std::shared_ptr<const TimerOptions> timer = timer_of(key);
  if (!timer) return {};
  timer->fire(cancelled);
  MutexLock lock(mutex_);
  if (timer->period.count() <= 0) timers_.erase(timer_number(key));
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
    if ((holds_ & kResting) != 0) {
      return {Code::kUnavailable, "nothing is synced: " + rest_call_ + " runs for " +
                                      std::to_string(whole_seconds(clock_.now() - rest_since_)) +
                                      " s"};
    }
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
    // The system may have had no thread for it before.
    if ((holds_ & (kNotStarted | kStopped)) == 0) start_dispatcher();
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
