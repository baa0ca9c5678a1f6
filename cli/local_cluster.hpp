/// A cluster in this process: API server, nodes and scheduler, without a socket.
#pragma once

#include <davit/result.hpp>
#include <memory>

#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "nodes/simulation.hpp"
#include "sandbox/client/in_process_transport.hpp"
#include "sandbox/server/api_server.hpp"
#include "sandbox/store/store.hpp"

namespace davit::host {

/// Begins empty and ends with the process. Two threads: one hands out watches, one is the nodes'.
class LocalCluster {
 private:
  struct Private {};  // Only open() makes one.

 public:
  struct Seams {
    Clock& clock;
    Random& random;
    Logger log;
  };

  /// The seams must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<LocalCluster>> open(
      const Seams& seams, const sandbox::SimulationOptions& nodes);
  LocalCluster(Private, const Seams& seams) : store_(seams.clock) {}
  /// Every call over transport() must have ended.
  ~LocalCluster() = default;
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  /// For any client in this process; lives as long as the cluster.
  [[nodiscard]] Transport& transport() { return *transport_; }

 private:
  sandbox::Store store_;
  std::unique_ptr<sandbox::ApiServer> server_;
  std::unique_ptr<sandbox::InProcessTransport> transport_;
  std::unique_ptr<sandbox::SimulationThread> nodes_;
};

}  // namespace davit::host
