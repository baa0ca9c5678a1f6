#include "host/election/leader_elector.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <utility>

#include "lib/base/assert.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

constexpr Duration kShortestTimeout = std::chrono::seconds(1);
constexpr Duration::rep kNever = Duration::min().count();

bool is_daily(Code code) { return code == Code::kConflict || code == Code::kAlreadyExists; }

}  // namespace

LeaderElector::LeaderElector(LeaderElectionOptions options, LeaseApi& api, Clock& clock,
                             Random& random, LeaderElectionMetrics& metrics, EventRecorder* events,
                             Logger log, LeaderElectionHandlers handlers)
    : options_(std::move(options)),
      api_(api),
      clock_(clock),
      random_(random),
      metrics_(metrics),
      events_(events),
      log_(std::move(log)),
      handlers_(std::move(handlers)),
      election_(options_) {
  DAVIT_ASSERT(LeaderElection::check(options_).ok());
  DAVIT_ASSERT(handlers_.on_started_leading && handlers_.on_stopped_leading);
  metrics_.leader_election_role(options_.name, LeaderElectionMetrics::Role::kStandby);
}

LeaderElector::~LeaderElector() { stop(Release::kNo); }

Status LeaderElector::start(Stand stand) {
  DAVIT_ASSERT(!thread_.joinable());
  {
    MutexLock lock(mutex_);
    stands_ = stand == Stand::kAtOnce;
  }
  if (start_thread(thread_, "elector", [this](const std::stop_token& stop) { run(stop); }))
    return {};
  return {Code::kUnavailable, "cannot start a thread for leader election"};
}

void LeaderElector::stand() {
  MutexLock lock(mutex_);
  stands_ = true;
  wake_.notify_all();
}

void LeaderElector::stop(Release release) {
  if (!thread_.joinable()) return;
  // Relaxed: the stop request below orders it.
  if (release == Release::kYes) release_.store(true, std::memory_order_relaxed);
  thread_.request_stop();
  thread_.join();
}

std::string LeaderElector::holder() const {
  MutexLock lock(mutex_);
  return holder_;
}

Status LeaderElector::health(Duration tolerance) const {
  if (!is_leader()) return {};
  MutexLock lock(mutex_);
  if (clock_.now() - observed_ <= options_.lease_duration + tolerance) return {};
  return {Code::kUnavailable, "failed election to renew leadership on lease " + options_.name};
}

void LeaderElector::run(const std::stop_token& stop) {
  State state = State::kWaiting;
  bool led = false;
  while (state != State::kStopped && state != State::kLost) {
    switch (state) {
      case State::kWaiting:
        state = watch(stop);
        break;
      case State::kAcquiring:
        state = acquire(stop);
        break;
      case State::kLeading:
        led = true;
        state = lead(stop);
        break;
      case State::kStopped:
      case State::kLost:
        break;
    }
  }
  // The fence first: no write may go out once others may lead.
  leader_until_.store(kNever, std::memory_order_relaxed);
  leading_.store(false, std::memory_order_release);
  metrics_.leader_election_role(options_.name, LeaderElectionMetrics::Role::kStandby);
  if (led) {
    if (release_.load(std::memory_order_relaxed) && !mutant("lease-release")) release_lease();
    record("stopped leading");
  }
  handlers_.on_stopped_leading(state == State::kLost ? ElectionEnd::kLost : ElectionEnd::kStopped);
}

LeaderElector::State LeaderElector::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      MutexLock lock(mutex_);
      if (stands_) return State::kAcquiring;
    }
    const Result<std::string> read = send({LeaderElection::Verb::kGet, {}}, Time::max(), stop);
    election_.observe(read, clock_.now());
    log_request_error(stop);
    publish();
    report_history();
    rest(clock_.now() + random_.jitter(options_.retry_period, LeaderElectionOptions::kJitter), stop,
         Until::kStanding);
  }
  return State::kStopped;
}

LeaderElector::State LeaderElector::acquire(const std::stop_token& stop) {
  const std::string lock = options_.ns + "/" + options_.name;
  log_.info(0, "Attempting to acquire leader lease...",
            {{"lock", lock}, {"identity", options_.identity}});
  std::string awaited;
  while (!stop.stop_requested()) {
    if (attempt(Time::max(), stop) == LeaderElection::Outcome::kHeld) {
      log_.info(0, "Successfully acquired lease",
                {{"lock", lock}, {"identity", options_.identity}});
      record("became leader");
      metrics_.leader_election_role(options_.name, LeaderElectionMetrics::Role::kLeader);
      leading_.store(true, std::memory_order_release);
      handlers_.on_started_leading();
      return State::kLeading;
    }
    const std::string& holder = election_.holder();
    if (!holder.empty() && holder != std::exchange(awaited, holder)) {
      log_.info(0, "Waiting for the lease",
                {{"lock", lock}, {"holder", holder}, {"identity", options_.identity}});
    }
    rest(clock_.now() + random_.jitter(options_.retry_period, LeaderElectionOptions::kJitter),
         stop);
  }
  return State::kStopped;
}

LeaderElector::State LeaderElector::lead(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Time deadline = clock_.now() + options_.renew_deadline;
    for (;;) {
      const Time next = clock_.now() + options_.retry_period;
      const LeaderElection::Outcome outcome = attempt(deadline, stop);
      if (outcome == LeaderElection::Outcome::kHeld) break;
      if (stop.stop_requested()) return State::kStopped;
      if (outcome == LeaderElection::Outcome::kLost) {
        log_.error("Another host took the lease", {{"holder", election_.holder()},
                                                   {"lock", options_.ns + "/" + options_.name},
                                                   {"identity", options_.identity}});
        return State::kLost;
      }
      rest(std::min(next, deadline), stop);
      if (clock_.now() >= deadline) {
        log_.error("Failed to renew lease", {{"err", "timed out waiting for the condition"},
                                             {"lock", options_.ns + "/" + options_.name},
                                             {"identity", options_.identity}});
        return State::kLost;
      }
    }
    rest(clock_.now() + options_.retry_period, stop);
  }
  return State::kStopped;
}

void LeaderElector::report_history() {
  if (!election_.went_back() || std::exchange(has_reported_history_, true)) return;
  if (handlers_.on_went_back) handlers_.on_went_back(*election_.went_back());
}

LeaderElection::Outcome LeaderElector::attempt(Time deadline, const std::stop_token& stop) {
  std::optional<LeaderElection::Request> request =
      election_.begin(clock_.now(), clock_.wall_now(), clock_.boot_now());
  BootTime sent{};
  while (request) {
    sent = clock_.boot_now();
    const Result<std::string> reply = send(*request, deadline, stop);
    request = election_.on_response(reply, clock_.now());
    // Before the next request: this host may lead in the Lease of another history.
    report_history();
  }
  log_request_error(stop);
  if (election_.took_slow_path()) metrics_.leader_election_slow_path(options_.name);
  if (election_.outcome() == LeaderElection::Outcome::kHeld) {
    // Others see the renewal no earlier than we sent it, so that the lease lasts at least until
    // then. They count whole seconds.
    const BootTime until =
        sent + std::chrono::duration_cast<std::chrono::seconds>(options_.lease_duration);
    leader_until_.store(until.time_since_epoch().count(), std::memory_order_relaxed);
  } else if (election_.outcome() == LeaderElection::Outcome::kLost) {
    leader_until_.store(kNever, std::memory_order_relaxed);
  }
  publish();
  return election_.outcome();
}

void LeaderElector::log_request_error(const std::stop_token& stop) const {
  const Status& why = election_.request_error();
  if (why.ok() || stop.stop_requested()) return;
  if (is_daily(why.code())) {
    log_.info(2, "Lease was written by another client", {{"err", why.message()}});
  } else {
    log_.error("Error retrieving or updating lease", {{"err", why.message()}});
  }
}

Result<std::string> LeaderElector::send(const LeaderElection::Request& request, Time deadline,
                                        const std::stop_token& stop) {
  const Duration timeout =
      std::min(std::max(kShortestTimeout, options_.renew_deadline / 2), deadline - clock_.now());
  if (timeout.count() <= 0) return Status(Code::kCancelled, "the renew deadline has passed");
  switch (request.verb) {
    case LeaderElection::Verb::kCreate:
      return api_.create(request.body, timeout, stop);
    case LeaderElection::Verb::kUpdate:
      return api_.update(request.body, timeout, stop);
    case LeaderElection::Verb::kGet:
      break;
  }
  return api_.get(timeout, stop);
}

void LeaderElector::publish() {
  const std::string holder = election_.holder();
  bool changed = false;
  {
    MutexLock lock(mutex_);
    changed = holder_ != holder;
    holder_ = holder;
    observed_ = election_.observed_at();
  }
  if (!changed) return;
  log_.info(1, "Leader changed", {{"holder", holder}, {"identity", options_.identity}});
  if (handlers_.on_new_leader) handlers_.on_new_leader(holder);
}

void LeaderElector::release_lease() {
  const std::stop_token never;
  const Time deadline = clock_.now() + options_.renew_deadline;
  const Result<std::string> read = send(election_.begin_release(), deadline, never);
  Result<std::optional<LeaderElection::Request>> request =
      election_.release_update(read, clock_.wall_now());
  Status status = request.error();
  if (request && *request) status = send(**request, deadline, never).error();
  if (!status.ok()) {
    log_.error("Failed to release lease", {{"err", status.message()}});
    return;
  }
  election_.released(clock_.now());
  publish();
}

void LeaderElector::rest(Time until, const std::stop_token& stop, Until what) {
  // Before the lock: a callback for a stop that has come already runs here, and takes it.
  const std::stop_callback wake(stop, [this] {
    MutexLock lock(mutex_);
    wake_.notify_all();
  });
  MutexLock lock(mutex_);
  const auto is_over = [&]() REQUIRES(mutex_) {
    return (what == Until::kStanding && stands_) || clock_.now() >= until;
  };
  while (!stop.stop_requested() && !is_over()) clock_.wait_until(wake_, mutex_, until);
}

void LeaderElector::record(std::string_view what) {
  if (events_ == nullptr) return;
  const Lease& lease = election_.lease();
  Reference reference;
  reference.api_version = "coordination.k8s.io/v1";
  reference.kind = "Lease";
  reference.ns = options_.ns;
  reference.name = options_.name;
  reference.uid = lease.uid;
  reference.resource_version = lease.resource_version;
  events_->record(reference, "Normal", "LeaderElection",
                  options_.identity + " " + std::string(what), options_.component);
}

}  // namespace davit::host
