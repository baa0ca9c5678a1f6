#include "host/queue/work_queue.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <utility>

#include "lib/base/assert.hpp"

namespace davit::host {
namespace {

/// Calls `undo` at the end of the scope unless dismiss() came first. For containers that belong
/// together: when the second one has no memory left, the first one must not keep its part.
template <typename Undo>
class OnFailure {
 public:
  explicit OnFailure(Undo undo) : undo_(std::move(undo)) {}
  OnFailure(const OnFailure&) = delete;
  OnFailure& operator=(const OnFailure&) = delete;
  ~OnFailure() {
    if (armed_) undo_();
  }
  void dismiss() { armed_ = false; }

 private:
  Undo undo_;
  bool armed_ = true;
};

}  // namespace

WorkQueue::WorkQueue(WorkQueueOptions options)
    : options_(std::move(options)),
      metrics_(options_.metrics != nullptr ? *options_.metrics : no_metrics_),
      limiter_(options_.retry) {}

void WorkQueue::add(const QueueKey& key, Time now) {
  Added added = Added::kNothing;
  {
    MutexLock lock(mutex_);
    if (phase_ == Phase::kShutDown) return;
    added = enqueue(key, now);
  }
  if (added == Added::kNothing) return;
  metrics_.added();
  if (added == Added::kQueued) changed();
}

void WorkQueue::add_after(const QueueKey& key, Duration delay_time, Time now) {
  Added added = Added::kNothing;
  {
    MutexLock lock(mutex_);
    if (phase_ == Phase::kShutDown) return;
    if (delay_time <= Duration(0)) {
      added = enqueue(key, now);
    } else {
      delay(key, delay_time > Time::max() - now ? Time::max() : now + delay_time);
    }
  }
  metrics_.retried();
  if (added != Added::kNothing) metrics_.added();
  changed();
}

void WorkQueue::add_rate_limited(const QueueKey& key, Time now) {
  Duration wait{};
  {
    MutexLock lock(mutex_);
    if (phase_ == Phase::kShutDown) return;
    wait = limiter_.next(key.key, now);
    const auto entry = entries_.find(key.key);
    if (entry != entries_.end()) entry->second.is_backing_off = true;
  }
  add_after(key, wait, now);
}

void WorkQueue::forget(std::string_view key) {
  MutexLock lock(mutex_);
  limiter_.forget(key);
}

void WorkQueue::succeed(std::string_view key) {
  MutexLock lock(mutex_);
  const auto entry = entries_.find(key);
  if (entry == entries_.end() || !entry->second.is_backing_off) limiter_.forget(key);
}

std::uint32_t WorkQueue::failures(std::string_view key) const {
  MutexLock lock(mutex_);
  return limiter_.failures(key);
}

std::optional<WorkQueue::Lease> WorkQueue::take(Time now) {
  std::size_t began = 0;
  std::optional<Lease> lease;
  {
    MutexLock lock(mutex_);
    if (phase_ != Phase::kOpen) return std::nullopt;
    began = queue_due(now);
    while (!ready_.empty() && !lease) {
      QueueEntries::value_type* entry = ready_.front();
      ready_.pop_front();
      const std::string& shard = entry->second.shard;
      if (!shard.empty()) {
        const auto [busy, is_free] = busy_shards_.try_emplace(shard);
        if (!is_free) {
          busy->second.push_back(entry);
          continue;
        }
      }
      entry->second.state = State::kRunning;
      entry->second.started = now;
      entry->second.is_backing_off = false;
      --queued_;
      ++running_;
      lease.emplace(Lease(*this, entry->first, shard, now, now - entry->second.queued));
    }
  }
  for (std::size_t i = 0; i < began; ++i) metrics_.added();
  if (lease) metrics_.taken(lease->waited());
  return lease;
}

void WorkQueue::release(const std::string& key, Time now) {
  Duration worked{};
  bool notifies = false;
  {
    MutexLock lock(mutex_);
    const auto it = entries_.find(key);
    DAVIT_ASSERT(it != entries_.end() && it->second.state != State::kQueued);
    worked = now - it->second.started;
    --running_;
    const bool again = it->second.state == State::kStale && phase_ != Phase::kShutDown;
    const auto busy = busy_shards_.find(it->second.shard);
    if (!it->second.shard.empty() && busy != busy_shards_.end()) {
      // Keys that waited behind this one are older than those queued meanwhile.
      notifies = !busy->second.empty();
      ready_.insert(ready_.begin(), busy->second.begin(), busy->second.end());
      busy_shards_.erase(busy);
    }
    if (again) {
      it->second.state = State::kQueued;
      ready_.push_back(&*it);
      ++queued_;
    } else {
      entries_.erase(it);
    }
    if (again || (phase_ != Phase::kOpen && running_ == 0)) notifies = true;
  }
  metrics_.done(worked);
  if (notifies) changed();
}

WorkQueue::Added WorkQueue::enqueue(const QueueKey& key, Time now) {
  const auto it = entries_.find(key.key);
  if (it == entries_.end()) {
    const auto added = entries_.emplace(
        std::string(key.key), QueueEntry{.queued = now, .shard = std::string(shard_of(key))});
    // An entry that is in no line would never be taken, and no later add would help it.
    OnFailure forget_it([&]() REQUIRES(mutex_) { entries_.erase(added.first); });
    ready_.push_back(&*added.first);
    forget_it.dismiss();
    ++queued_;
    return Added::kQueued;
  }
  if (it->second.state != State::kRunning) return Added::kNothing;
  if (mutant("added-while-running")) return Added::kNothing;
  it->second.state = State::kStale;
  it->second.queued = now;
  return Added::kStale;
}

std::string_view WorkQueue::shard_of(const QueueKey& key) const {
  if (!key.shard.empty()) return key.shard;
  if (const auto held = entries_.find(key.key); held != entries_.end()) return held->second.shard;
  const auto delayed = delayed_.find(key.key);
  return delayed == delayed_.end() ? std::string_view() : delayed->second.shard;
}

void WorkQueue::delay(const QueueKey& key, Time due) {
  auto it = delayed_.find(key.key);
  if (it == delayed_.end()) {
    it = delayed_.emplace(std::string(key.key), DelayedKey{due, std::string(shard_of(key))}).first;
    OnFailure forget_it([&]() REQUIRES(mutex_) { delayed_.erase(it); });
    due_.emplace(due, it->first);
    forget_it.dismiss();
    return;
  }
  if (it->second.due <= due) return;
  due_.emplace(due, it->first);  // First what may fail.
  due_.erase({it->second.due, it->first});
  it->second.due = due;
}

std::size_t WorkQueue::queue_due(Time now) {
  std::size_t began = 0;
  while (!due_.empty() && due_.begin()->first <= now) {
    const auto it = delayed_.find(due_.begin()->second);
    if (enqueue(QueueKey(it->first, it->second.shard), now) != Added::kNothing) ++began;
    due_.erase(due_.begin());
    delayed_.erase(it);
  }
  return began;
}

std::optional<Time> WorkQueue::next_due() const {
  MutexLock lock(mutex_);
  if (phase_ != Phase::kOpen || due_.empty()) return std::nullopt;
  return due_.begin()->first;
}

void WorkQueue::pause() {
  MutexLock lock(mutex_);
  if (phase_ == Phase::kOpen) phase_ = Phase::kPaused;
}

void WorkQueue::resume() {
  {
    MutexLock lock(mutex_);
    if (phase_ != Phase::kPaused) return;
    phase_ = Phase::kOpen;
  }
  changed();
}

void WorkQueue::shut_down() {
  std::size_t dropped = 0;
  {
    MutexLock lock(mutex_);
    phase_ = Phase::kShutDown;
    dropped = queued_;
    ready_.clear();
    due_.clear();
    delayed_.clear();
    for (auto& [shard, parked] : busy_shards_) parked.clear();
    std::erase_if(entries_, [](const auto& entry) { return entry.second.state == State::kQueued; });
    queued_ = 0;
  }
  metrics_.dropped(dropped);
  changed();
}

bool WorkQueue::is_shut_down() const {
  MutexLock lock(mutex_);
  return phase_ == Phase::kShutDown;
}

bool WorkQueue::is_open() const {
  MutexLock lock(mutex_);
  return phase_ == Phase::kOpen;
}

QueueContent WorkQueue::take_content() {
  QueueContent content;
  {
    MutexLock lock(mutex_);
    DAVIT_ASSERT(phase_ != Phase::kOpen && running_ == 0);
    content.entries_.swap(entries_);
    content.waiting_.swap(ready_);
    content.delayed_.swap(delayed_);
    content.failures_ = limiter_.take_failures();
    due_.clear();
    queued_ = 0;
  }
  metrics_.dropped(content.waiting_.size());
  return content;
}

void WorkQueue::adopt(QueueContent& content) {
  std::size_t began = 0;
  {
    MutexLock lock(mutex_);
    DAVIT_ASSERT(running_ == 0);
    if (phase_ == Phase::kShutDown) return;
    QueueOrder order;
    for (QueueEntries::value_type* each : content.waiting_) {
      auto it = entries_.find(each->first);
      if (it == entries_.end()) {
        it = entries_.insert(content.entries_.extract(each->first)).position;
        ++began;
      } else {
        it->second.is_inherited = true;
        it->second.queued = std::min(it->second.queued, each->second.queued);
      }
      order.push_back(&*it);
    }
    for (QueueEntries::value_type* each : ready_) {
      if (!std::exchange(each->second.is_inherited, false)) order.push_back(each);
    }
    ready_.swap(order);
    queued_ = ready_.size();
    for (const auto& [key, delayed] : content.delayed_) {
      delay(QueueKey(key, delayed.shard), delayed.due);
    }
    limiter_.adopt(std::move(content.failures_));
    content.waiting_.clear();  // Some of them are here now.
  }
  for (std::size_t i = 0; i < began; ++i) metrics_.added();
  changed();
}

std::size_t WorkQueue::size() const {
  MutexLock lock(mutex_);
  return queued_;
}

std::size_t WorkQueue::delayed() const {
  MutexLock lock(mutex_);
  return due_.size();
}

std::size_t WorkQueue::backing_off() const {
  MutexLock lock(mutex_);
  return limiter_.size();
}

std::size_t WorkQueue::running() const {
  MutexLock lock(mutex_);
  return running_;
}

RunningWork WorkQueue::running_work(Time now) const {
  MutexLock lock(mutex_);
  RunningWork work;
  if (running_ == 0) return work;
  for (const auto& [key, entry] : entries_) {
    if (entry.state == State::kQueued) continue;
    const Duration time = now - entry.started;
    work.total += time;
    work.longest = std::max(work.longest, time);
  }
  return work;
}

KeyState WorkQueue::find(std::string_view key) const {
  MutexLock lock(mutex_);
  KeyState found;
  found.failures = limiter_.failures(key);
  if (const auto it = entries_.find(key); it != entries_.end()) {
    found.state = it->second.state;
    found.since = it->second.state == State::kQueued ? it->second.queued : it->second.started;
  }
  if (const auto it = delayed_.find(key); it != delayed_.end()) found.due = it->second.due;
  return found;
}

std::vector<std::string> WorkQueue::pending() const {
  MutexLock lock(mutex_);
  std::vector<std::string> keys;
  for (const auto& [key, entry] : entries_) {
    if (entry.state != State::kRunning) keys.push_back(key);
  }
  for (const auto& [key, delayed] : delayed_) {
    const auto it = entries_.find(key);
    if (it == entries_.end() || it->second.state == State::kRunning) keys.push_back(key);
  }
  return keys;
}

void WorkQueue::changed() const {
  if (options_.on_change) options_.on_change();
}

WorkQueue::Lease::Lease(Lease&& other) noexcept
    : queue_(std::exchange(other.queue_, nullptr)),
      key_(std::move(other.key_)),
      shard_(std::move(other.shard_)),
      started_(other.started_),
      waited_(other.waited_) {}

WorkQueue::Lease& WorkQueue::Lease::operator=(Lease&& other) noexcept {
  if (this == &other) return *this;
  if (queue_ != nullptr) finish(started_);
  queue_ = std::exchange(other.queue_, nullptr);
  key_ = std::move(other.key_);
  shard_ = std::move(other.shard_);
  started_ = other.started_;
  waited_ = other.waited_;
  return *this;
}

WorkQueue::Lease::~Lease() {
  if (queue_ != nullptr) finish(started_);
}

void WorkQueue::Lease::finish(Time now) {
  DAVIT_ASSERT(queue_ != nullptr);
  std::exchange(queue_, nullptr)->release(key_, now);
}

}  // namespace davit::host
