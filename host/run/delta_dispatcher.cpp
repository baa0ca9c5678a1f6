#include "host/run/delta_dispatcher.hpp"

#include <davit/mutant.hpp>
#include <utility>

#include "lib/base/start_thread.hpp"

namespace davit::host {

DeltaDispatcher::DeltaDispatcher(DeltaSource& source, const Breadcrumb& crumb, Clock& clock,
                                 std::function<void()> on_ready)
    : source_(source), crumb_(crumb), clock_(clock), on_ready_(std::move(on_ready)) {}

void DeltaDispatcher::start() {
  MutexLock lock(mutex_);
  if (thread_.joinable()) return;
  running_ =
      start_thread(thread_, "dispatch", [this](const std::stop_token& stop) { dispatch(stop); });
}

void DeltaDispatcher::request_stop() {
  MutexLock lock(mutex_);
  thread_.request_stop();
}

bool DeltaDispatcher::wait_stopped(Time deadline) {
  MutexLock lock(mutex_);
  while (running_) {
    if (clock_.now() >= deadline) return false;
    clock_.wait_until(stopped_, mutex_, deadline);
  }
  return true;
}

bool DeltaDispatcher::step(const std::stop_token& stop) {
  // Asked first: a source of nothing is ready and never has anything to deliver.
  if (filling_ && (source_.ready() || mutant("cache-sync"))) {
    filling_ = false;
    on_ready_();
  }
  // One change at a time, so that a stop is noticed and ready() is asked soon.
  if (!source_.wait(stop)) return false;
  deliver();
  return true;
}

void DeltaDispatcher::dispatch(const std::stop_token& stop) {
  while (!stop.stop_requested()) (void)step(stop);
  MutexLock lock(mutex_);
  running_ = false;
  stopped_.notify_all();
}

void DeltaDispatcher::deliver() {
  {
    MutexLock lock(mutex_);
    handling_since_ = clock_.now();
  }
  const BreadcrumbScope scope(crumb_);
  source_.deliver();
  MutexLock lock(mutex_);
  handling_since_.reset();
  reported_ = false;
}

std::optional<Duration> DeltaDispatcher::running_for(Duration limit) const {
  if (!handling_since_) return std::nullopt;
  const Duration time = clock_.now() - *handling_since_;
  return time >= limit ? std::optional(time) : std::nullopt;
}

Duration DeltaDispatcher::cpu_time() const {
  MutexLock lock(mutex_);
  return thread_cpu_time(thread_);
}

std::optional<Duration> DeltaDispatcher::overdue(Duration limit) const {
  MutexLock lock(mutex_);
  return running_for(limit);
}

std::optional<Duration> DeltaDispatcher::newly_overdue(Duration limit) {
  MutexLock lock(mutex_);
  const std::optional<Duration> time = running_for(limit);
  if (!time || std::exchange(reported_, true)) return std::nullopt;
  return time;
}

}  // namespace davit::host
