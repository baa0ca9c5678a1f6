#include "host/election/leader_election.hpp"

#include <algorithm>
#include <davit/kube/time.hpp>
#include <davit/mutant.hpp>
#include <utility>

#include "host/cache/resource_id.hpp"
#include "lib/base/assert.hpp"

namespace davit::host {

Status LeaderElection::check(const LeaderElectionOptions& options) {
  const auto invalid = [](const char* why) { return Status(Code::kInvalid, why); };
  if (options.lease_duration <= options.renew_deadline) {
    return invalid("leader election: lease duration must be greater than renew deadline");
  }
  if (options.retry_period.count() < 1) {
    return invalid("leader election: retry period must be greater than zero");
  }
  if (static_cast<double>(options.renew_deadline.count()) <=
      LeaderElectionOptions::kJitter * static_cast<double>(options.retry_period.count())) {
    return invalid("leader election: renew deadline must be greater than 1.2 times retry period");
  }
  if (whole_seconds(options.lease_duration) < 1) {
    return invalid("leader election: lease duration must be at least one second");
  }
  if (options.identity.empty()) return invalid("leader election: identity must not be empty");
  if (options.name.empty()) return invalid("leader election: resource name must not be empty");
  if (options.ns.empty()) return invalid("leader election: resource namespace must not be empty");
  return {};
}

LeaseRecord LeaderElection::record(WallTime wall) const {
  return {options_.identity, whole_seconds(options_.lease_duration), format_micro_time(wall),
          format_micro_time(wall), 0};
}

bool LeaderElection::lease_valid(Time now) const {
  return observed_at_ + std::chrono::seconds(observed_.duration_seconds) > now;
}

bool LeaderElection::holder_departed() const {
  return std::find(options_.departed.begin(), options_.departed.end(), observed_.holder) !=
         options_.departed.end();
}

LeaderElection::Request LeaderElection::begin(Time now, WallTime wall, BootTime boot) {
  outcome_ = Outcome::kNotHeld;
  slow_path_ = false;
  request_error_ = Status();
  began_ = now;
  sent_ = boot;
  led_ = is_leader();
  desired_ = record(wall);
  if (led_ && lease_valid(now)) {
    desired_.acquire_time = observed_.acquire_time;
    desired_.transitions = observed_.transitions;
    if (Result<std::string> body = with_record(document_, desired_)) {
      phase_ = Phase::kFastUpdate;
      return {Verb::kUpdate, std::move(*body)};
    }
  }
  phase_ = Phase::kGet;
  return {Verb::kGet, {}};
}

std::optional<LeaderElection::Request> LeaderElection::on_response(const Result<std::string>& reply,
                                                                   Time now) {
  DAVIT_ASSERT(phase_ != Phase::kIdle);
  if (phase_ == Phase::kGet) return on_read(reply, now);
  if (reply) {
    on_written(*reply, now);
    return finish(Outcome::kHeld);
  }
  request_error_ = reply.error();
  if (phase_ != Phase::kFastUpdate) return finish(Outcome::kNotHeld);
  phase_ = Phase::kGet;
  return Request{Verb::kGet, {}};
}

std::optional<LeaderElection::Request> LeaderElection::on_read(const Result<std::string>& reply,
                                                               Time now) {
  if (reply.error().code() == Code::kNotFound) {
    const bool ran_out = sent_ >= renewed_ + std::chrono::seconds(observed_.duration_seconds);
    if (led_ && ran_out && !mutant("won-of-new-host")) {
      released(now);
      return finish(Outcome::kLost);
    }
    phase_ = Phase::kCreate;
    return Request{Verb::kCreate, lease_json(options_.ns, options_.name, desired_)};
  }
  Result<Lease> lease = reply ? parse_lease(*reply) : Result<Lease>(reply.error());
  if (!lease) {
    request_error_ = lease.error();
    return finish(Outcome::kNotHeld);
  }
  const bool has_lost =
      led_ && !is_same_term(lease->record, observed_) && !mutant("won-of-new-host");
  take(*std::move(lease), *reply, now);

  if (has_lost) return finish(Outcome::kLost);
  const bool is_held = !observed_.holder.empty() && !is_leader() && lease_valid(began_);
  if (is_held && !holder_departed()) {
    return finish(led_ ? Outcome::kLost : Outcome::kNotHeld);
  }
  if (is_leader()) {
    slow_path_ = true;
    desired_.acquire_time = observed_.acquire_time;
    desired_.transitions = observed_.transitions;
  } else {
    desired_.acquire_time = desired_.renew_time;
    desired_.transitions = observed_.transitions + 1;
  }
  Result<std::string> body = with_record(document_, desired_);
  if (!body) {
    request_error_ = body.error();
    return finish(Outcome::kNotHeld);
  }
  phase_ = Phase::kUpdate;
  return Request{Verb::kUpdate, std::move(*body)};
}

void LeaderElection::observe(const Result<std::string>& reply, Time now) {
  DAVIT_ASSERT(phase_ == Phase::kIdle);
  request_error_ = Status();
  slow_path_ = false;
  if (reply.error().code() == Code::kNotFound) return;
  Result<Lease> lease = reply ? parse_lease(*reply) : Result<Lease>(reply.error());
  if (lease) return take(*std::move(lease), *reply, now);
  request_error_ = lease.error();
}

void LeaderElection::take(Lease lease, const std::string& document, Time now) {
  note_version(lease.resource_version);
  document_ = document;
  if (lease.raw != lease_.raw) {
    observed_ = lease.record;
    observed_at_ = now;
  }
  lease_ = std::move(lease);
}

void LeaderElection::on_written(const std::string& reply, Time now) {
  observed_ = desired_;
  observed_at_ = now;
  renewed_ = sent_;
  Result<Lease> lease = parse_lease(reply);
  // A response that cannot be read does not put the write in doubt; the next attempt begins with a
  // read.
  document_ = lease ? reply : "";
  if (!lease) return;
  note_version(lease->resource_version);
  lease_ = std::move(*lease);
}

/// Also if the Lease was deleted and created again, its versions grow.
void LeaderElection::note_version(const std::string& version) {
  const std::optional<std::uint64_t> known = parse_version(lease_.resource_version);
  const std::optional<std::uint64_t> shown = parse_version(version);
  if (known && shown && *shown < *known && !went_back_ && !mutant("restored-lease")) {
    went_back_ = {lease_.resource_version, version};
  }
}

std::optional<LeaderElection::Request> LeaderElection::finish(Outcome outcome) {
  phase_ = Phase::kIdle;
  outcome_ = outcome;
  return std::nullopt;
}

Result<std::optional<LeaderElection::Request>> LeaderElection::release_update(
    const Result<std::string>& reply, WallTime wall) const {
  if (!reply) return reply.error();
  const Result<Lease> lease = parse_lease(*reply);
  if (!lease) return lease.error();
  // Only ours is ours to give back.
  if (lease->record.holder != options_.identity) return std::optional<Request>();
  LeaseRecord free;
  free.duration_seconds = 1;
  free.acquire_time = format_micro_time(wall);
  free.renew_time = free.acquire_time;
  free.transitions = lease->record.transitions;
  Result<std::string> body = with_record(*reply, free);
  if (!body) return body.error();
  return std::optional<Request>(Request{Verb::kUpdate, std::move(*body)});
}

void LeaderElection::released(Time now) {
  observed_ = LeaseRecord();
  observed_at_ = now;
  document_.clear();
}

}  // namespace davit::host
