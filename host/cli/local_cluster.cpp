#include "host/cli/local_cluster.hpp"

#include <utility>

namespace davit::host {

Result<std::unique_ptr<LocalCluster>> LocalCluster::open(const Seams& seams,
                                                         const sandbox::SimulationOptions& nodes) {
  auto cluster = std::make_unique<LocalCluster>(Private{}, seams);
  Result<std::unique_ptr<sandbox::ApiServer>> server =
      sandbox::ApiServer::open({cluster->store_, seams.clock, seams.random, seams.log});
  if (!server) return server.error();
  cluster->server_ = std::move(*server);
  cluster->transport_ = std::make_unique<sandbox::InProcessTransport>(
      *cluster->server_, seams.clock, sandbox::InProcessTransport::Driver::kOwnThread);
  cluster->nodes_ = std::make_unique<sandbox::SimulationThread>(
      sandbox::SimulationSeams{*cluster->transport_, seams.clock, seams.random, seams.log}, nodes);
  return cluster;
}

}  // namespace davit::host
