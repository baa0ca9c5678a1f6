#include "host/plugin/controller_work.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "host/plugin/call_frame.hpp"
#include "host/plugin/controller_abi.hpp"
#include "host/plugin/guard.hpp"
#include "host/plugin/host_abi.hpp"

namespace davit::host {
namespace {

/// As many threads as a note or an operator may ask for.
constexpr std::uint32_t kWorkersMax = 1000;
/// Keys that one controller may have added at each change of discovery. One is enough for most:
/// such a key stands for "look at everything".
constexpr std::size_t kDiscoveryWakesMax = 64;

}  // namespace

ControllerWork::ControllerWork(const davit_host* host, const ControllerHostOptions& options,
                               const HostServices& services, const Logger& log,
                               ControllerRunner& runner, const ControllerInformers& informers,
                               IntendedWrites& intended)
    : host_(host),
      options_(options),
      services_(services),
      log_(log),
      runner_(runner),
      informers_(informers),
      intended_(intended),
      timer_writes_(WriteTrackerOptions{
          .on_ready = [this](std::vector<std::string> writers) { timers_caught_up(writers); }}) {}

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
  entry->writes = std::make_unique<WriteTracker>(
      WriteTrackerOptions{.on_ready = [entry](std::vector<std::string> keys) {
        for (const std::string& key : keys) entry->keys->caught_up(key);
      }});
  queue.sync = [this, entry](std::string_view key, std::stop_token cancelled) {
    return sync(*entry, key, std::move(cancelled));
  };
  queue.gate = [this, entry](std::string_view key) -> std::optional<Time> {
    if (entry->writes->ready(key, services_.clock.now())) return std::nullopt;
    return entry->writes->deadline(key);
  };
  entry->keys = &runner_.open_queue(std::move(queue));
  opened_.push_back(std::move(hosted));
  out = queues_.insert(entry->keys);
  return DAVIT_OK;
}

SyncOutcome ControllerWork::sync(HostedQueue& queue, std::string_view key,
                                 std::stop_token cancelled) {
  CallFrame frame(host_, Phase::kSync, key, std::move(cancelled));
  if (options_.read_your_writes == ControllerHostOptions::ReadYourWrites::kOn) {
    frame.track_writes(*queue.writes, key);
  }
  davit_sync_result result{};
  result.size = sizeof(result);
  std::string thrown;
  SyncOutcome outcome;
  outcome.code = guarded([&] { return queue.sync(queue.self, lend_view(key), &result); },
                         davit_code{DAVIT_INTERNAL}, thrown);
  outcome.again = milliseconds_of(result.again_ms);
  outcome.cancelled = frame.was_cancelled();
  if (outcome.code == DAVIT_UNDECLARED) frame.note_refusal(informers_.undeclared_read_text());
  outcome.error = thrown.empty() ? frame.error() : thrown;
  if (intended_.mode() != IntendedWrites::Mode::kOff)
    intended_.note_sync(outcome.code, outcome.error);
  if (services_.observer != nullptr) {
    host_->observe_undeclared_read();
    services_.observer->synced(options_.declared.name, key, outcome);
  }
  counter_.ended(outcome.code);
  return outcome;
}

davit_code ControllerWork::start_timer(const davit_timer_options& options, davit_handle& out) {
  if (options.fire == nullptr) return DAVIT_MISUSE;
  // The handle comes first, because the timer may fire before its number is known here.
  const davit_handle handle = timers_.insert(TimerId{});
  const std::string writer = std::to_string(handle);
  TimerOptions timer;
  // What it writes the next run reads, as with the syncs of a key.
  timer.gate = [this, writer]() -> std::optional<Time> {
    if (timer_writes_.ready(writer, services_.clock.now())) return std::nullopt;
    return timer_writes_.deadline(writer);
  };
  timer.first = milliseconds_of(options.first_ms);
  timer.period = milliseconds_of(options.period_ms);
  timer.fire = [this, handle, writer, fire = options.fire, self = options.self,
                once = options.period_ms == 0](std::stop_token cancelled) {
    CallFrame call(host_, Phase::kSync, {}, std::move(cancelled));
    if (!once) call.track_writes(timer_writes_, writer);
    std::string error;
    (void)guarded([&] { return fire(self), 0; }, 0, error);
    host_->observe_undeclared_read();
    if (!error.empty()) {
      counter_.threw();
      log_.error("A timer failed", {{"err", error}});
    }
    if (once) (void)timers_.erase(handle);
  };
  out = handle;
  (void)timers_.replace(handle, runner_.timers().start(std::move(timer)));
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
    davit_handle handle = 0;
    std::from_chars(writer.data(), writer.data() + writer.size(), handle);
    if (const auto timer = timers_.find(handle)) runner_.timers().caught_up(*timer);
  }
}

ControllerWork::HandedOver ControllerWork::take_over(ControllerWork& from) {
  HandedOver handed;
  std::set<const HostedQueue*> taken;
  for (const std::unique_ptr<HostedQueue>& old : from.opened_) {
    QueueContent content = old->keys->take_content();
    HostedQueue* const heir = find(old->name, taken);
    if (heir == nullptr) {
      handed.dropped += content.size();
      continue;
    }
    handed.kept += content.size();
    old->writes->hand_over(*heir->writes);
    heir->keys->adopt(content);
    handed.spent.push_back(std::move(content));
  }
  // Handles count from the same number in every build: timers belong together in the order in which
  // they were started.
  from.timer_writes_.hand_over(timer_writes_);
  return handed;
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
