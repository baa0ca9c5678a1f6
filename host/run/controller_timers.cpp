#include "host/run/controller_timers.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "lib/base/assert.hpp"

namespace davit::host {
namespace {

/// Timers of a controller that run at once. Its periodic passes are few; a stuck one must not stop
/// the others.
constexpr std::uint32_t kTimerWorkers = 4;

/// The wait of a timer that had failed this many times in a row before it failed now.
Duration back_off(std::uint32_t failures, Duration period) {
  constexpr Duration kFirst = std::chrono::seconds(1);
  constexpr Duration kLongest = std::chrono::seconds(1000);  // As that of keys.
  constexpr std::uint32_t kDoublingsMax = 10;
  const Duration longest = period.count() > 0 ? period : kLongest;
  return std::min(kFirst * (1 << std::min(failures, kDoublingsMax)), longest);
}

std::string key_of(std::uint32_t timer) { return std::to_string(timer); }

std::uint32_t timer_number(std::string_view key) {
  std::uint32_t number = 0;
  std::from_chars(key.data(), key.data() + key.size(), number);
  return number;
}

}  // namespace

ControllerTimers::ControllerTimers(const Breadcrumb& crumb, RunnerMetrics& metrics, Clock& clock,
                                   Logger log, Threads threads)
    : queue_(queue_options(*this, threads), crumb, metrics, clock, std::move(log)) {}

ControllerQueueOptions ControllerTimers::queue_options(ControllerTimers& timers, Threads threads) {
  ControllerQueueOptions options;
  options.threads = threads;
  options.workers = kTimerWorkers;
  options.sync = [&timers](std::string_view key, const std::stop_token& cancelled) {
    return timers.run(key, cancelled);
  };
  options.gate = [&timers](std::string_view key) -> std::optional<Time> {
    const std::optional<Timer> timer = timers.find(key);
    return timer && timer->options->gate ? timer->options->gate() : std::nullopt;
  };
  return options;
}

TimerId ControllerTimers::start(TimerOptions options) {
  DAVIT_ASSERT(options.fire);
  auto shared = std::make_shared<const TimerOptions>(std::move(options));
  MutexLock lock(mutex_);
  const std::uint32_t id = next_++;
  Timer& timer = timers_.emplace(id, Timer{.options = std::move(shared)}).first->second;
  if (begun_) arm(id, timer);
  return TimerId(id);
}

Status ControllerTimers::stop(TimerId timer) {
  MutexLock lock(mutex_);
  if (timers_.erase(static_cast<std::uint32_t>(timer)) == 0) {
    return {Code::kNotFound, "no such timer"};
  }
  return {};
}

void ControllerTimers::caught_up(TimerId timer) {
  queue_.caught_up(key_of(static_cast<std::uint32_t>(timer)));
}

void ControllerTimers::begin() {
  MutexLock lock(mutex_);
  begun_ = true;
  for (auto& [id, timer] : timers_) {
    if (!timer.armed) arm(id, timer);
  }
}

void ControllerTimers::arm(std::uint32_t id, Timer& timer) {
  queue_.add_after(key_of(id), timer.options->first);
  timer.armed = true;
}

std::optional<ControllerTimers::Timer> ControllerTimers::find(std::string_view key) const {
  MutexLock lock(mutex_);
  const auto found = timers_.find(timer_number(key));
  if (found == timers_.end()) return std::nullopt;
  return found->second;
}

SyncOutcome ControllerTimers::run(std::string_view key, const std::stop_token& cancelled) {
  const std::optional<Timer> timer = find(key);
  if (!timer) return {};
  const Duration period = timer->options->period;
  SyncOutcome outcome = timer->options->fire(cancelled, timer->failures);
  MutexLock lock(mutex_);
  const auto found = timers_.find(timer_number(key));
  if (found == timers_.end()) return {};
  if (outcome.code == DAVIT_OK) {
    const BackOff backoff = std::exchange(outcome.backoff, BackOff::kEnd);
    if (backoff == BackOff::kEnd) found->second.failures = 0;
    if (backoff == BackOff::kRetry) {
      const Duration wait = back_off(found->second.failures++, period);
      outcome.again = outcome.again.count() > 0 ? std::min(outcome.again, wait) : wait;
    }
    if (outcome.again.count() <= 0) outcome.again = period;
    if (outcome.again.count() <= 0) timers_.erase(found);
    return outcome;
  }
  outcome.retry_after = back_off(timer->failures, period);
  if (!outcome.cancelled) ++found->second.failures;
  return outcome;
}

}  // namespace davit::host
