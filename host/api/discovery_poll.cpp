#include "host/api/discovery_poll.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <memory>
#include <utility>

#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

/// When the catalog is old enough for a refresh, after any fetch; Time::min() without one.
Time next_due(Discovery& discovery, const std::stop_token& stop) {
  const std::shared_ptr<const ApiCatalog> known = known_catalog(discovery, stop);
  const bool is_unknown = known == nullptr || mutant("shared-poll");
  return is_unknown ? Time::min() : known->fetched + DiscoveryPoll::kPeriod;
}

}  // namespace

DiscoveryPoll::DiscoveryPoll(Discovery& discovery, Clock& clock, Logger log)
    : discovery_(discovery), clock_(clock), log_(std::move(log)) {}

Status DiscoveryPoll::start() {
  const auto body = [this](const std::stop_token& stop) { run(stop); };
  if (start_thread(thread_, "discovery", body)) return {};
  return {Code::kUnavailable, "cannot start a thread for discovery"};
}

Time DiscoveryPoll::step(const std::stop_token& stop) {
  const Time now = clock_.now();
  if (now < earliest_) return earliest_;
  const bool is_requested = discovery_.take_request();
  if (!is_requested && now < repeat_) {
    if (now >= due_) due_ = next_due(discovery_, stop);
    if (now < due_) return std::min(due_, repeat_);
  }
  const Status refreshed = discovery_.refresh(stop);
  const Time end = clock_.now();
  due_ = end + kPeriod;
  earliest_ = end + kGapMin;
  repeat_ = is_requested && !mutant("second-look") ? end + kSecondLook : Time::max();
  if (refreshed.ok()) {
    failure_.clear();
  } else if (refreshed.code() != Code::kCancelled && refreshed.message() != failure_) {
    failure_ = refreshed.message();
    log_.warning("Discovery failed; the last known API stays in use", {{"err", failure_}});
  }
  return std::min(due_, repeat_);
}

void DiscoveryPoll::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Time next = step(stop);
    discovery_.await_request(clock_, earliest_, next, stop);
  }
}

}  // namespace davit::host
