#include "host/run/controller_queue.hpp"

#include <algorithm>
#include <utility>

#include "host/run/code_name.hpp"
#include "host/trace/tracer.hpp"
#include "lib/base/assert.hpp"

namespace davit::host {
namespace {

WorkQueueOptions work_options(const ControllerQueueOptions& options, RunnerMetrics& metrics,
                              std::function<void()> on_change) {
  WorkQueueOptions made;
  made.retry = options.retry;
  made.metrics = options.name.empty() ? nullptr : &metrics.queue_metrics(options.name);
  made.on_change = std::move(on_change);
  return made;
}

std::string why_of(const SyncOutcome& outcome) {
  return outcome.error.empty() ? code_name(outcome.code) : outcome.error;
}

}  // namespace

ControllerQueue::ControllerQueue(ControllerQueueOptions options, const Breadcrumb& crumb,
                                 RunnerMetrics& metrics, Clock& clock, Logger log)
    : options_(std::move(options)),
      crumb_(crumb),
      metrics_(metrics),
      clock_(clock),
      log_(std::move(log)),
      work_(work_options(options_, metrics, [this] { pool_.wake(); })),
      pool_(
          options_.workers, work_, clock,
          [this](const WorkQueue::Lease& lease, const std::stop_token& cancelled) {
            run(lease, cancelled);
          },
          crumb.activity, options_.threads) {
  DAVIT_ASSERT(options_.sync);
  work_.pause();
}

void ControllerQueue::caught_up(std::string_view key) {
  const Time now = clock_.now();
  std::string shard;
  // Under the lock until it is queued, so that take_content() finds the key in one of both.
  MutexLock lock(mutex_);
  const auto held = held_.find(key);
  if (held != held_.end()) {
    shard = std::move(held->second.shard);
    held_.erase(held);
  }
  // Otherwise a worker is about to put the key aside and still holds it: the queue knows its shard.
  work_.add(QueueKey(key, shard), now);
}

bool ControllerQueue::step() {
  add_expired();
  return pool_.step();
}

std::optional<Time> ControllerQueue::next_due() const {
  std::optional<Time> due = work_.next_due();
  MutexLock lock(mutex_);
  for (const auto& [key, held] : held_) due = std::min(due.value_or(held.until), held.until);
  return due;
}

KeyState ControllerQueue::find(std::string_view key) const {
  KeyState state = work_.find(key);
  MutexLock lock(mutex_);
  const auto held = held_.find(key);
  if (held != held_.end()) state.held_until = held->second.until;
  return state;
}

void ControllerQueue::run(const WorkQueue::Lease& lease, const std::stop_token& cancelled) {
  if (held_back(lease)) return;
  SyncOutcome outcome;
  {
    Breadcrumb crumb = crumb_;
    crumb.key = lease.key();
    const BreadcrumbScope scope(crumb);
    outcome = options_.sync(lease.key(), cancelled);
  }
  constexpr int kEachSync = 5;
  if (log_.sink().verbosity() >= kEachSync) {
    log(Severity::kInfo, kEachSync, "Synced", outcome,
        {{"key", lease.key()}, {"generation", crumb_.generation}, {"code", outcome.code}});
  }
  judge(lease.key(), outcome);
  const QueueKey key(lease.key(), lease.shard());
  if (outcome.code == DAVIT_OK) {
    if (outcome.backoff == BackOff::kEnd) work_.succeed(lease.key());
    if (outcome.backoff == BackOff::kRetry) add_rate_limited(key);
    if (outcome.again.count() > 0) add_after(key, outcome.again);
  } else if ((outcome.code == DAVIT_CANCELLED || outcome.cancelled) &&
             (cancelled.stop_requested() || !work_.is_open())) {
    // Our doing, not the key's failure.
    add(key);
  } else if (outcome.retry_after) {
    add_after(key, *outcome.retry_after);
  } else {
    retry(lease, outcome);
  }
}

void ControllerQueue::judge(std::string_view key, const SyncOutcome& outcome) {
  if (outcome.code == DAVIT_OK) return failing_.ended(key);
  // Another writer was faster, or the sync was not let finish: neither says how the key fares.
  if (outcome.code == DAVIT_CONFLICT || outcome.code == DAVIT_CANCELLED || outcome.cancelled) {
    return;
  }
  failing_.failed(key, why_of(outcome), clock_.wall_now());
}

void ControllerQueue::log(Severity severity, int verbosity, std::string_view message,
                          const SyncOutcome& outcome, std::vector<LogPair> fields) const {
  if (!outcome.trace_id.empty()) fields.emplace_back(kTraceIdField, outcome.trace_id);
  log_.write(severity, verbosity, message, fields);
}

void ControllerQueue::retry(const WorkQueue::Lease& lease, const SyncOutcome& outcome) {
  const std::uint32_t before = failures(lease.key());
  const std::string why = why_of(outcome);
  if (options_.retries_max > 0 && before >= options_.retries_max) {
    log(Severity::kError, 0, "Sync failed too often, dropping the key", outcome,
        {{"err", why}, {"key", lease.key()}, {"failures", before + 1}});
    forget(lease.key());
    failing_.ended(lease.key());
    return;
  }
  if (outcome.code == DAVIT_CONFLICT) {
    // Another writer was faster. That is normal; the next sync resolves it.
    log(Severity::kInfo, 2, "Sync failed with a conflict, retrying", outcome,
        {{"err", why}, {"key", lease.key()}});
  } else {
    log(Severity::kError, 0, "Sync failed", outcome,
        {{"err", why},
         {"key", lease.key()},
         {"code", code_name(outcome.code)},
         {"failures", before + 1}});
  }
  add_rate_limited(QueueKey(lease.key(), lease.shard()));
}

QueueContent ControllerQueue::take_content() {
  const Time now = clock_.now();
  MutexLock lock(mutex_);
  QueueContent content = work_.take_content();
  for (auto& [key, held] : held_) content.add(key, std::move(held.shard), now);
  held_.clear();
  return content;
}

bool ControllerQueue::held_back(const WorkQueue::Lease& lease) {
  if (!options_.gate) return false;
  {
    // Before the gate is asked, so that a caught_up() after its response finds either nothing or
    // the new entry.
    MutexLock lock(mutex_);
    held_.erase(lease.key());
  }
  const std::optional<Time> until = options_.gate(lease.key());
  if (!until) return false;
  MutexLock lock(mutex_);
  held_.insert_or_assign(lease.key(), Held{lease.shard(), *until});
  return true;
}

void ControllerQueue::add_expired() {
  const Time now = clock_.now();
  // As in caught_up().
  MutexLock lock(mutex_);
  std::erase_if(held_, [&](const auto& entry) {
    if (entry.second.until > now) return false;
    work_.add(QueueKey(entry.first, entry.second.shard), now);
    return true;
  });
}

std::string ControllerQueue::overdue(Duration limit) const {
  std::string text;
  for (const WorkerPool::Busy& busy : pool_.overdue(limit)) {
    if (!text.empty()) text += ", ";
    text.append(crumb_.activity).append(" ").append(busy.key).append(" has been running for ");
    text += std::to_string(std::chrono::duration_cast<std::chrono::seconds>(busy.time).count());
    text += " s";
  }
  return text;
}

std::size_t ControllerQueue::report(Duration limit) {
  add_expired();
  pool_.catch_up();
  if (!options_.name.empty()) {
    metrics_.queue_running(options_.name, work_.running_work(clock_.now()));
  }
  for (const WorkerPool::Busy& busy : pool_.newly_overdue(limit)) {
    const auto time = std::chrono::duration_cast<std::chrono::seconds>(busy.time);
    log_.error("Sync has not returned",
               {{"key", busy.key}, {"activity", crumb_.activity}, {"runsSeconds", time.count()}});
  }
  return pool_.overdue(limit).size();
}

}  // namespace davit::host
