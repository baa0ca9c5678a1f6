/// The cost of a piece of work for a peer and the servers behind it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bench/compare/counters.hpp"
#include "tests/live/support/control_plane.hpp"

namespace davit::bench {

/// A peer at work.
struct RunningPeer {
  std::string name;
  std::unique_ptr<live::Process> process;
  std::string metrics_url;  ///< Readable without credentials.
};

/// CPU seconds of the servers since they began.
struct ServersCpu {
  double apiserver = 0;
  double etcd = 0;
};

[[nodiscard]] ServersCpu cpu_of_servers(const live::ControlPlane& cluster);

/// All counts include what the peer does for itself meanwhile, such as renewing its lease.
struct Spent {
  double seconds = 0;  ///< Until the work was done.
  double cpu_seconds = 0;
  ServersCpu servers = {};
  double requests = 0;  ///< Sent by the peer.
  double context_switches = 0;
  std::optional<double> system_calls = std::nullopt;  ///< Nothing when perf cannot count them.
  RequestCounts served = {};  ///< Requests that the API server served, to all clients.
};

/// Runs `work`, which returns once the work is done, and waits until the peer is idle again.
[[nodiscard]] Spent measure(const live::ControlPlane& cluster, const RunningPeer& peer,
                            const std::function<void()>& work);

/// Why Spent::system_calls is missing here; "" when perf can count them.
[[nodiscard]] std::string why_no_system_calls();

}  // namespace davit::bench
