#include "host/isolation/isolated_plugin.hpp"

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
    : terms_(std::move(terms)), seams_(std::move(seams)), policy_(random) {}

IsolatedPlugin::~IsolatedPlugin() { stop(); }

void IsolatedPlugin::lead() {
  MutexLock lock(mutex_);
  leads_ = true;
  changed_.notify_all();
}

void IsolatedPlugin::drain(Duration limit) {
  MutexLock lock(mutex_);
  drain_limit_ = limit;
  thread_.request_stop();
  changed_.notify_all();
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

void IsolatedPlugin::publish(Phase phase, const IsolatedProcessState& process) {
  MutexLock lock(mutex_);
  state_.phase = phase;
  state_.process = process;
  if (phase == Phase::kBackingOff || phase == Phase::kQuarantined) ++state_.ends;
}

Duration IsolatedPlugin::drain_limit() const {
  MutexLock lock(mutex_);
  return drain_limit_;
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
  Result<std::unique_ptr<IsolatedProcess>> started =
      IsolatedProcess::start(terms_.process, seams_, terms_.plugin);
  if (!started) {
    IsolatedProcessState failed;
    failed.phase = IsolatedProcessState::Phase::kEnded;
    failed.end = IsolatedProcessState::End::kFailed;
    failed.why_ended = "it cannot be started: " + started.error().message();
    publish(Phase::kStarting, failed);
    return;
  }
  IsolatedProcess& process = **started;
  bool is_draining = false;
  while (process.state().phase != IsolatedProcessState::Phase::kEnded) {
    if (stop.stop_requested() && !std::exchange(is_draining, true)) {
      process.drain(drain_limit());
    }
    process.step(kStep);
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
