#include "host/isolation/isolated_plugin.hpp"

#include <sys/eventfd.h>

#include <utility>

#include "lib/base/await_stop.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

/// The host's lease is renewed every two seconds, and the child's permission follows it.
constexpr std::chrono::milliseconds kStep{500};

}  // namespace

Time RestartPolicy::next_start(Time began, Time ended) {
  if (ended - began >= kHealthyAfter) {
    backoff_.reset();
    is_first_ = true;
  }
  return std::exchange(is_first_, false) ? ended : ended + backoff_.next(random_);
}

Result<std::unique_ptr<IsolatedPlugin>> IsolatedPlugin::open(Terms terms,
                                                             IsolatedProcessSeams seams,
                                                             Random& random) {
  auto made = std::make_unique<IsolatedPlugin>(std::move(terms), std::move(seams), random);
  IsolatedPlugin& plugin = *made;
  const auto run = [&plugin](const std::stop_token& stop) { plugin.run(stop); };
  if (start_thread(plugin.thread_, "isolated", run)) return made;
  return Status(Code::kUnavailable, "no thread is left for an isolated plugin");
}

IsolatedPlugin::IsolatedPlugin(Terms terms, IsolatedProcessSeams seams, Random& random)
    : terms_(std::move(terms)),
      seams_(std::move(seams)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      policy_(random),
      begins_(terms_.process.begin == IsolatedProcessTerms::Begin::kAtOnce) {}

IsolatedPlugin::~IsolatedPlugin() { stop(); }

void IsolatedPlugin::lead() {
  MutexLock lock(mutex_);
  leads_ = true;
  changed_.notify_all();
}

void IsolatedPlugin::begin() {
  MutexLock lock(mutex_);
  begins_ = true;
  wake();
}

void IsolatedPlugin::wake() const { (void)eventfd_write(wake_.get(), 1); }

void IsolatedPlugin::drain(Duration limit) {
  MutexLock lock(mutex_);
  drain_limit_ = limit;
  thread_.request_stop();
  changed_.notify_all();
  wake();
}

void IsolatedPlugin::stop() {
  if (!thread_.joinable()) return;
  if (!thread_.get_stop_token().stop_requested()) drain(Duration::zero());
  thread_.join();
}

IsolatedPluginState IsolatedPlugin::state() const {
  MutexLock lock(mutex_);
  return state_;
}

bool IsolatedPlugin::await_running(Time deadline) {
  MutexLock lock(mutex_);
  while (state_.phase != Phase::kRunning) {
    if (state_.ends > 0 || state_.phase == Phase::kStopped) return false;
    if (seams_.clock.now() >= deadline) return false;
    seams_.clock.wait_until(changed_, mutex_, deadline);
  }
  return true;
}

Result<Answered> IsolatedPlugin::ask(Question question, Time deadline) {
  MutexLock lock(mutex_);
  if (state_.phase != Phase::kRunning)
    return Status(Code::kUnavailable, "its process does not run");
  if (wishes_.size() >= kWaitingMax) {
    return Status(Code::kThrottled, "its process has too many questions to answer");
  }
  const std::uint64_t number = ++next_wish_;
  wishes_.emplace(number, Wish{std::move(question)});
  wake();
  while (!wishes_.at(number).answer && seams_.clock.now() < deadline) {
    seams_.clock.wait_until(changed_, mutex_, deadline);
  }
  Wish wish = std::move(wishes_.extract(number).mapped());
  if (wish.answer) return *std::move(wish.answer);
  return Status(Code::kUnavailable, "its process did not answer in time");
}

void IsolatedPlugin::ask_process(IsolatedProcess& process) {
  const Time now = seams_.clock.now();
  if (process.state().phase != IsolatedProcessState::Phase::kReady) return;
  if (metrics_id_ == 0 && now >= metrics_due_) {
    metrics_due_ = now + kMetricsPeriod;
    metrics_id_ = process.ask({.text = "/metrics", .answer_bytes_max = kMetricsBytesMax});
  }
  for (auto& [number, question] : take_questions()) {
    const std::uint32_t id = process.ask(std::move(question));
    MutexLock lock(mutex_);
    if (const auto wish = wishes_.find(number); wish != wishes_.end()) wish->second.id = id;
  }
}

std::map<std::uint64_t, Question> IsolatedPlugin::take_questions() {
  std::map<std::uint64_t, Question> out;
  MutexLock lock(mutex_);
  for (auto& [number, wish] : wishes_) {
    if (!wish.question) continue;
    out.emplace(number, *std::move(wish.question));
    wish.question.reset();
  }
  return out;
}

void IsolatedPlugin::take_answers(IsolatedProcess& process) {
  std::map<std::uint32_t, Answered> answers = process.take_answers();
  if (answers.empty()) return;
  MutexLock lock(mutex_);
  if (const auto metrics = answers.find(metrics_id_); metrics != answers.end()) {
    metrics_id_ = 0;
    constexpr int kOk = 200;
    metrics_ = metrics->second.status == kOk ? std::move(metrics->second.body) : "";
  }
  for (auto& [number, wish] : wishes_) {
    const auto found = answers.find(wish.id);
    if (found != answers.end()) wish.answer = std::move(found->second);
  }
  changed_.notify_all();
}

void IsolatedPlugin::end_wishes() {
  metrics_id_ = 0;
  metrics_due_ = {};
  MutexLock lock(mutex_);
  metrics_.clear();
  for (auto& [number, wish] : wishes_) {
    if (!wish.answer) wish.answer = Status(Code::kUnavailable, "its process has ended");
  }
  changed_.notify_all();
}

std::string IsolatedPlugin::metrics() const {
  MutexLock lock(mutex_);
  return metrics_;
}

void IsolatedPlugin::publish(Phase phase, const IsolatedProcessState& process) {
  MutexLock lock(mutex_);
  if (state_.phase != phase) changed_.notify_all();
  state_.phase = phase;
  state_.process = process;
  if (phase == Phase::kBackingOff || phase == Phase::kQuarantined) ++state_.ends;
}

Duration IsolatedPlugin::drain_limit() const {
  MutexLock lock(mutex_);
  return drain_limit_;
}

bool IsolatedPlugin::may_begin() const {
  MutexLock lock(mutex_);
  return begins_;
}

void IsolatedPlugin::await_lead(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!leads_ && !stop.stop_requested()) {
    seams_.clock.wait_until(changed_, mutex_, Time::max());
  }
}

void IsolatedPlugin::run(const std::stop_token& stop) {
  await_lead(stop);
  while (!stop.stop_requested()) {
    const Time began = seams_.clock.now();
    run_process(stop);
    if (stop.stop_requested()) break;
    const IsolatedProcessState last = state().process;
    const bool is_crash = last.end == IsolatedProcessState::End::kCrash;
    const bool is_out = is_crash && terms_.on_crash(last) == Terms::Restart::kNo;
    publish(is_out ? Phase::kQuarantined : Phase::kBackingOff, last);
    seams_.log.error("An isolated plugin has ended", {{"plugin", terms_.process.settings.plugin},
                                                      {"reason", last.why_ended},
                                                      {"quarantined", is_out}});
    const Time next = policy_.next_start(began, seams_.clock.now());
    (void)await_stop(seams_.clock, is_out ? Time::max() : next, stop);
  }
  publish(Phase::kStopped, state().process);
}

void IsolatedPlugin::run_process(const std::stop_token& stop) {
  IsolatedProcessSeams seams = seams_;
  seams.wake = wake_.get();
  Result<std::unique_ptr<IsolatedProcess>> started =
      IsolatedProcess::start(terms_.process, std::move(seams), terms_.plugin);
  if (!started) {
    IsolatedProcessState failed;
    failed.phase = IsolatedProcessState::Phase::kEnded;
    failed.end = IsolatedProcessState::End::kFailed;
    failed.why_ended = "it cannot be started: " + started.error().message();
    publish(Phase::kStarting, failed);
    return;
  }
  drive(**started, stop);
  end_wishes();
}

void IsolatedPlugin::drive(IsolatedProcess& process, const std::stop_token& stop) {
  bool is_draining = false;
  while (process.state().phase != IsolatedProcessState::Phase::kEnded) {
    if (stop.stop_requested() && !std::exchange(is_draining, true)) {
      process.drain(drain_limit());
    }
    if (may_begin()) process.begin();
    ask_process(process);
    process.step(kStep);
    take_answers(process);
    const bool is_ready = process.state().phase == IsolatedProcessState::Phase::kReady;
    publish(is_ready ? Phase::kRunning : Phase::kStarting, process.state());
  }
}

std::string_view to_string(IsolatedPluginState::Phase phase) {
  switch (phase) {
    case IsolatedPluginState::Phase::kStandby:
      return "standby";
    case IsolatedPluginState::Phase::kStarting:
      return "starting";
    case IsolatedPluginState::Phase::kRunning:
      return "running";
    case IsolatedPluginState::Phase::kBackingOff:
      return "backing off";
    case IsolatedPluginState::Phase::kQuarantined:
      return "quarantined";
    case IsolatedPluginState::Phase::kStopped:
      break;
  }
  return "stopped";
}

}  // namespace davit::host
