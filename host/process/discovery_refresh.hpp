/// Keeps a host's view of the API current.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "host/api/discovery.hpp"
#include "host/api/discovery_poll.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Forgets what was discovered every 30 seconds, so that lookups fetch again. Once a controller
/// subscribes to changes, a thread fetches instead. One thread.
class DiscoveryRefresh {
 public:
  /// The RESTMapper is reset this often (kube-controller-manager, controller context).
  static constexpr Duration kPeriod = std::chrono::seconds(30);

  /// The references must outlive this.
  DiscoveryRefresh(Discovery& discovery, Clock& clock, Logger log)
      : discovery_(discovery), clock_(clock), log_(std::move(log)) {}

  /// The API has just been discovered.
  void begin() { due_ = clock_.now() + kPeriod; }
  /// Call it every second. Returns whether the period is over.
  bool tick();
  /// Ends the thread, if there is one.
  void stop() { poll_.reset(); }

 private:
  Discovery& discovery_;
  Clock& clock_;
  const Logger log_;
  Time due_{};
  std::optional<DiscoveryPoll> poll_;  // Since a controller listens.
};

}  // namespace davit::host
