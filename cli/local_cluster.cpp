#include "cli/local_cluster.hpp"

#include <utility>

namespace davit::host {

Result<std::unique_ptr<LocalCluster>> LocalCluster::open(const Seams& seams,
                                                         const sandbox::SimulationOptions& nodes) {
  auto cluster = std::make_unique<LocalCluster>(Private{}, seams);
  Result<std::unique_ptr<sandbox::ApiServer>> server =
      sandbox::ApiServer::open({cluster->store_, seams.clock, seams.random, seams.log});
  if (!server) return server.error();
  cluster->server_ = std::move(*server);
  auto transport = sandbox::InProcessTransport::open(*cluster->server_, seams.clock);
  if (!transport) return transport.error();
  cluster->transport_ = std::move(*transport);
  auto simulation = sandbox::SimulationThread::open(
      {*cluster->transport_, seams.clock, seams.random, seams.log}, nodes);
  if (!simulation) return simulation.error();
  cluster->nodes_ = std::move(*simulation);
  return cluster;
}

}  // namespace davit::host
