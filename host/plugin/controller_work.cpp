#include "host/plugin/controller_work.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "host/plugin/controller_abi.hpp"
#include "host/plugin/guard.hpp"
#include "host/plugin/host_abi.hpp"
#include "host/run/code_name.hpp"

namespace davit::host {
namespace {

/// As many threads as a note or an operator may ask for.
constexpr std::uint32_t kWorkersMax = 1000;
/// Keys that one controller may have added at each change of discovery. One is enough for most:
/// such a key stands for "look at everything".
constexpr std::size_t kDiscoveryWakesMax = 64;

/// Runs `call`, which calls the plugin. Without memory for that the key is tried again.
template <typename Call>
SyncOutcome kept(Call call) {
  return shielded(call, SyncOutcome{.code = DAVIT_INTERNAL, .error = {}}, [](std::string_view) {});
}

}  // namespace

ControllerWork::ControllerWork(ControllerAbi& controller, const ControllerHostOptions& options,
                               const HostServices& services, const Logger& log,
                               ControllerRunner& runner, const ControllerInformers& informers,
                               IntendedWrites& intended)
    : controller_(controller),
      options_(options),
      services_(services),
      log_(log),
      runner_(runner),
      informers_(informers),
      intended_(intended),
      timer_writes_(WriteTrackerOptions{
          .on_ready = [this](std::vector<std::string> writers) { timers_caught_up(writers); }}) {}

ControllerWork::~ControllerWork() {
  for (const std::unique_ptr<HostedQueue>& each : opened_) {
    for (davit_waker* const waker : each->wakers) {
      waker->point_to(nullptr);
      waker->release();
    }
  }
}

davit_waker* ControllerWork::open_waker(davit_handle queue) {
  const auto found = std::find_if(opened_.begin(), opened_.end(),
                                  [queue](const auto& each) { return each->handle == queue; });
  if (queue == 0 || found == opened_.end()) return nullptr;
  HostedQueue& hosted = **found;
  MutexLock lock(wakers_mutex_);
  hosted.wakers.reserve(hosted.wakers.size() + 1);
  if (hosted.wakers.empty()) {
    hosted.wakers.push_back(std::make_unique<davit_waker>(*hosted.keys).release());
  }
  hosted.wakers.front()->retain();
  return hosted.wakers.front();
}

davit_code ControllerWork::open_queue(const davit_queue_options& options, davit_handle& out) {
  if (options.sync == nullptr) return DAVIT_MISUSE;
  ControllerQueueOptions queue;
  queue.name = view(options.name);
  // A queue that names a number needs it, for example to sync one key at a time.
  queue.workers = options.workers != 0 ? std::min(options.workers, kWorkersMax)
                                       : options_.workers.value_or(options_.declared.workers);
  if (options.base_ms != 0) queue.retry.base = milliseconds_of(options.base_ms);
  if (options.max_ms != 0) queue.retry.max = milliseconds_of(options.max_ms);
  queue.retries_max = options.retries_max;
  opened_.reserve(opened_.size() + 1);  // The runner keeps pointers to the entry.
  auto hosted = std::make_unique<HostedQueue>();
  HostedQueue* const entry = hosted.get();
  entry->name = queue.name;
  entry->self = options.self;
  entry->sync = options.sync;
  entry->writes = std::make_unique<WriteTracker>(WriteTrackerOptions{
      .on_ready =
          [entry](std::vector<std::string> keys) {
            for (const std::string& key : keys) entry->keys->caught_up(key);
          },
      .on_held_back =
          [this](const ResourceId& resource) {
            services_.metrics.stale_sync_skipped(options_.declared.name, resource);
          }});
  queue.sync = [this, entry](std::string_view key, std::stop_token cancelled) {
    return kept([&] { return sync(*entry, key, std::move(cancelled)); });
  };
  queue.gate = [this, entry](std::string_view key) -> std::optional<Time> {
    if (entry->writes->ready(key, services_.clock.now())) return std::nullopt;
    return entry->writes->deadline(key);
  };
  entry->keys = &runner_.open_queue(std::move(queue));
  opened_.push_back(std::move(hosted));
  entry->handle = queues_.insert(entry->keys);
  out = entry->handle;
  return DAVIT_OK;
}

std::size_t ControllerWork::unseen_writes() const {
  std::size_t sum = timer_writes_.size();
  for (const std::unique_ptr<HostedQueue>& each : opened_) sum += each->writes->size();
  return sum;
}

std::vector<ControllerWork::QueuedKey> ControllerWork::find_key(std::string_view key) const {
  std::vector<QueuedKey> found;
  for (const std::unique_ptr<HostedQueue>& each : opened_) {
    KeyState state = each->keys->find(key);
    const bool is_idle = !state.state && !state.due && !state.held_until && state.failures == 0;
    if (!is_idle) found.push_back({each->name, state});
  }
  return found;
}

CallDetails ControllerWork::details(davit_handle source, std::string_view key,
                                    std::uint32_t attempt, std::stop_token cancelled) const {
  return {.source = source,
          .key = key,
          .attempt = attempt,
          .deadline = services_.clock.now() + options_.sync_limit,
          .stop = std::move(cancelled)};
}

std::optional<WorkTrace> ControllerWork::begin_trace(std::string_view kind, std::string_view queue,
                                                     const CallDetails& details) const {
  if (services_.tracer == nullptr) return std::nullopt;
  return WorkTrace(*services_.tracer, {.kind = kind,
                                       .controller = options_.declared.name,
                                       .plugin = options_.plugin,
                                       .build = options_.build_id,
                                       .generation = options_.generation,
                                       .queue = queue,
                                       .key = details.key,
                                       .failures = details.attempt});
}

void ControllerWork::begin_record(std::optional<JournaledWork>& record, JournaledWork::Start start,
                                  CallDetails& details) const {
  ControllerJournal* const journal = controller_.journal;
  if (journal == nullptr || controller_.is_shadow()) return;
  start.generation = options_.generation;
  start.queue_handle = details.source;
  start.key = details.key;
  start.attempt = details.attempt;
  record.emplace(*journal, start, services_.clock.now());
  details.journal = &*record;
}

void ControllerWork::end_record(std::optional<JournaledWork>& record,
                                const SyncOutcome& outcome) const {
  if (!record) return;
  const bool has_failed = outcome.code != DAVIT_OK && !outcome.retry_after;
  record->end({.code = outcome.code,
               .error = outcome.error,
               .again = outcome.retry_after.value_or(outcome.again),
               .is_retried = has_failed || outcome.backoff == BackOff::kRetry},
              services_.clock.now());
}

void ControllerWork::end_trace(std::optional<WorkTrace>& trace, SyncOutcome& outcome) {
  if (!trace) return;
  if (trace->context().is_sampled()) outcome.trace_id = trace->context().trace_id;
  // A call that ends because the host stops has not failed.
  const bool failed = outcome.code != DAVIT_OK && !outcome.cancelled;
  trace->end(code_name(outcome.code), failed ? Span::Outcome::kError : Span::Outcome::kUnset,
             outcome.error);
}

template <typename Call>
SyncOutcome ControllerWork::run(CallFrame& frame, Call call) const {
  davit_sync_result result{};
  result.size = sizeof(result);
  std::string thrown;
  SyncOutcome outcome;
  outcome.code = guarded([&] { return call(&result); }, davit_code{DAVIT_INTERNAL}, thrown);
  outcome.again = milliseconds_of(result.again_ms);
  outcome.backoff = static_cast<BackOff>(result.backoff);
  if (outcome.code == DAVIT_OK &&
      (result.backoff < DAVIT_BACKOFF_END || result.backoff > DAVIT_BACKOFF_RETRY)) {
    outcome.code =
        frame.fail(Status(Code::kMisuse, "unknown back-off " + std::to_string(result.backoff) +
                                             " in the result of a sync or timer"));
  }
  outcome.cancelled = frame.was_cancelled();
  if (outcome.code == DAVIT_UNDECLARED) frame.note_refusal(informers_.undeclared_read_text());
  outcome.error = thrown.empty() ? frame.error() : thrown;
  // Those of other codes are logged as failures, with this text.
  const bool is_quiet = outcome.code == DAVIT_OK || outcome.code == DAVIT_CONFLICT ||
                        outcome.code == DAVIT_CANCELLED || outcome.cancelled;
  frame.log_refusals(log_, is_quiet ? std::string_view() : outcome.error);
  controller_.observe_undeclared_read();
  return outcome;
}

SyncOutcome ControllerWork::sync(HostedQueue& queue, std::string_view key,
                                 std::stop_token cancelled) {
  CallDetails call = details(queue.handle, key, queue.keys->failures(key), std::move(cancelled));
  std::optional<WorkTrace> trace = begin_trace("sync", queue.name, call);
  call.trace = trace ? &*trace : nullptr;
  std::optional<JournaledWork> record;
  begin_record(record, {.queue = queue.name}, call);
  CallFrame frame(controller_, Phase::kSync, std::move(call));
  if (options_.read_your_writes == ControllerHostOptions::ReadYourWrites::kOn) {
    frame.track_writes(*queue.writes, key);
  }
  SyncOutcome outcome = run(frame, [&](davit_sync_result* result) {
    return queue.sync(queue.self, frame.call(), frame.call()->key, result);
  });
  end_trace(trace, outcome);
  end_record(record, outcome);
  if (intended_.mode() != IntendedWrites::Mode::kOff)
    intended_.note_sync(outcome.code, outcome.error);
  if (services_.observer != nullptr) {
    services_.observer->synced(options_.declared.name, key, outcome);
  }
  counter_.ended(outcome.code);
  return outcome;
}

SyncOutcome ControllerWork::fire(const HostedTimer& timer, std::uint32_t failures,
                                 std::stop_token cancelled) {
  CallDetails call = details(timer.handle, {}, failures, std::move(cancelled));
  std::optional<WorkTrace> trace = begin_trace("timer", {}, call);
  call.trace = trace ? &*trace : nullptr;
  std::optional<JournaledWork> record;
  begin_record(record, {.is_timer = true}, call);
  CallFrame frame(controller_, Phase::kTimer, std::move(call));
  frame.track_writes(timer_writes_, timer.writer);
  SyncOutcome outcome = run(frame, [&](davit_sync_result* result) {
    return timer.fire(timer.self, frame.call(), result);
  });
  end_trace(trace, outcome);
  end_record(record, outcome);
  if (outcome.code == DAVIT_OK) {
    const bool runs_again = outcome.again.count() > 0 || outcome.backoff == BackOff::kRetry;
    if (timer.is_once && !runs_again) (void)timers_.erase(timer.handle);
  } else if (!outcome.cancelled) {
    if (outcome.code == DAVIT_INTERNAL) counter_.threw();
    const std::string why = outcome.error.empty() ? code_name(outcome.code) : outcome.error;
    std::vector<LogPair> fields = {{"err", why}, {"failures", failures + 1}};
    frame.add_trace(fields);
    log_.write(Severity::kError, 0, "A timer failed", fields);
  }
  return outcome;
}

davit_code ControllerWork::start_timer(const davit_timer_options& options, davit_handle& out) {
  if (options.fire == nullptr) return DAVIT_MISUSE;
  // The handle comes first, because the timer may fire before its number is known here.
  HostedTimer hosted;
  hosted.handle = timers_.insert(TimerId{});
  hosted.writer = std::to_string(hosted.handle);
  hosted.is_once = options.period_ms == 0;
  hosted.self = options.self;
  hosted.fire = options.fire;
  TimerOptions timer;
  // The next run reads its writes, as with the syncs of a key.
  timer.gate = [this, writer = hosted.writer]() -> std::optional<Time> {
    if (timer_writes_.ready(writer, services_.clock.now())) return std::nullopt;
    return timer_writes_.deadline(writer);
  };
  timer.first = milliseconds_of(options.first_ms);
  timer.period = milliseconds_of(options.period_ms);
  timer.fire = [this, hosted](std::stop_token cancelled, std::uint32_t failures) {
    return kept([&] { return fire(hosted, failures, std::move(cancelled)); });
  };
  out = hosted.handle;
  (void)timers_.replace(hosted.handle, runner_.timers().start(std::move(timer)));
  return DAVIT_OK;
}

davit_code ControllerWork::stop_timer(davit_handle timer) {
  const std::optional<TimerId> known = timers_.erase(timer);
  if (!known) return DAVIT_STALE;
  // A timer that fired just now is gone already, as the caller requested.
  (void)runner_.timers().stop(*known);
  return DAVIT_OK;
}

Status ControllerWork::DiscoveryWakes::add(ControllerQueue& queue, std::string_view key) {
  bool is_first = false;
  {
    MutexLock lock(mutex_);
    Wake wake{&queue, std::string(key)};
    if (std::find(wakes_.begin(), wakes_.end(), wake) != wakes_.end()) return {};
    if (wakes_.size() >= kDiscoveryWakesMax) {
      return Status(Code::kUnsupported, "a controller may have " +
                                            std::to_string(kDiscoveryWakesMax) +
                                            " keys added when discovery changes");
    }
    is_first = wakes_.empty();
    wakes_.push_back(std::move(wake));
  }
  if (is_first) discovery_.add_listener(*this);
  queue.add(QueueKey(key, {}));
  return {};
}

void ControllerWork::DiscoveryWakes::discovery_changed() {
  MutexLock lock(mutex_);
  for (const Wake& each : wakes_) each.queue->add(QueueKey(each.key, {}));
}

void ControllerWork::timers_caught_up(const std::vector<std::string>& writers) {
  for (const std::string& writer : writers) {
    if (const auto timer = timer_of(writer)) runner_.timers().caught_up(*timer);
  }
}

std::optional<TimerId> ControllerWork::timer_of(std::string_view writer) const {
  davit_handle handle = 0;
  std::from_chars(writer.data(), writer.data() + writer.size(), handle);
  return timers_.find(handle);
}

ControllerWork::HandedOver ControllerWork::take_over(ControllerWork& from) {
  HandedOver handed;
  std::set<const HostedQueue*> taken;
  for (const std::unique_ptr<HostedQueue>& old : from.opened_) {
    HostedQueue* const successor = find(old->name, taken);
    // Before the content: a key that comes meanwhile is in one of both.
    hand_over_wakers(from, *old, successor);
    QueueContent content = old->keys->take_content();
    if (successor == nullptr) {
      handed.dropped += content.size();
      handed.has_lost_writes = handed.has_lost_writes || old->writes->size() > 0;
      continue;
    }
    handed.kept += content.size();
    old->writes->hand_over(*successor->writes);
    successor->keys->adopt(content);
    successor->keys->failing().take_over(old->keys->failing());
    handed.spent.push_back(std::move(content));
  }
  // Handles count from the same number in every build: timers belong together in the order in which
  // they were started.
  from.timer_writes_.hand_over(timer_writes_);
  const std::vector<std::string> writers = timer_writes_.keys();
  handed.has_lost_writes = handed.has_lost_writes || std::any_of(writers.begin(), writers.end(),
                                                                 [this](const std::string& writer) {
                                                                   return !timer_of(writer);
                                                                 });
  return handed;
}

void ControllerWork::hand_over_wakers(ControllerWork& from, HostedQueue& old,
                                      HostedQueue* successor) {
  std::vector<davit_waker*> wakers;
  {
    MutexLock lock(from.wakers_mutex_);
    wakers.swap(old.wakers);
  }
  for (davit_waker* const waker : wakers)
    waker->point_to(successor == nullptr ? nullptr : successor->keys);
  if (successor == nullptr) {
    for (davit_waker* const waker : wakers) waker->release();
    return;
  }
  MutexLock lock(wakers_mutex_);
  successor->wakers.insert(successor->wakers.end(), wakers.begin(), wakers.end());
}

std::size_t ControllerWork::mirror_keys(ControllerWork& serving) {
  std::size_t keys = 0;
  std::set<const HostedQueue*> taken;
  for (const std::unique_ptr<HostedQueue>& own : opened_) {
    const HostedQueue* const other = serving.find(own->name, taken);
    if (other == nullptr) continue;
    QueueContent content = own->keys->take_content();
    keys += content.waiting().size();
    for (const auto* each : content.waiting()) {
      other->keys->add(QueueKey{each->first, each->second.shard});
    }
    own->keys->adopt(content);
  }
  return keys;
}

ControllerWork::HostedQueue* ControllerWork::find(std::string_view name,
                                                  std::set<const HostedQueue*>& taken) const {
  // Queues of one name, above all those without one, belong together in their order.
  const auto found = std::find_if(opened_.begin(), opened_.end(), [&](const auto& each) {
    return each->name == name && !taken.contains(each.get());
  });
  if (found == opened_.end()) return nullptr;
  taken.insert(found->get());
  return found->get();
}

}  // namespace davit::host
