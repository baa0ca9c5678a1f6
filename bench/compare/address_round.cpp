// The round "addresses".
#include <string>
#include <vector>

#include "bench/compare/rounds.hpp"
#include "bench/compare/tally.hpp"
#include "tests/live/support/cost.hpp"
#include "tests/live/support/load.hpp"

namespace davit::bench {
namespace {

using host::ApiRequest;
using host::Value;
using host::Verb;
using live::ControlPlane;

const host::ResourcePath kServices = {"", "v1", "services", "", "default", ""};
/// Enough for each Service, of which the usual range has too few.
constexpr char kClusterAddresses[] = "--service-cluster-ip-range=10.0.0.0/16";

std::string service_body(int number) {
  return R"({"metadata":{"name":"s)" + std::to_string(number) +
         R"("},"spec":{"type":"LoadBalancer","selector":{"app":"web"},"ports":[{"port":80}]}})";
}

bool is_balanced(Value service) {
  return service["spec"]["type"].string() == "LoadBalancer" &&
         service["status"]["loadBalancer"]["ingress"].count() > 0;
}

}  // namespace

void measure_addresses(const Peer& peer, const Options& options, Report& report) {
  live::ControlPlaneOptions server = wide_server();
  server.apiserver_flags.emplace_back(kClusterAddresses);
  ControlPlane cluster(server);
  std::vector<ApiRequest> creations;
  std::vector<ApiRequest> ends;
  for (int i = 0; i < options.services; ++i) {
    creations.push_back(to(Verb::kCreate, kServices, "", service_body(i)));
    ends.push_back(to(Verb::kDelete, kServices, "s" + std::to_string(i)));
  }
  const RunningPeer running = peer.start(cluster, std::string(kBalancers));
  (void)live::wait_idle(running.process->pid(), std::chrono::seconds(60));
  // kube-controller-manager gives none: its figures are what the Services cost without an address.
  const bool gives = peer.name == "davit";
  const Tally balanced(cluster, kServices, is_balanced);
  const Tally present(cluster, kServices, [](Value service) {
    return service["spec"]["type"].string() == "LoadBalancer";
  });
  const Step step{cluster, running, report};
  const std::string count = std::to_string(options.services);
  run_step(
      step, "create " + count + " Services of type LoadBalancer",
      [&] { live::send_all(cluster.client(), creations); },
      [&] { return (gives ? balanced : present).count() == options.services; });
  run_step(
      step, "delete them", [&] { live::send_all(cluster.client(), ends); },
      [&] { return present.count() == 0; });
  add_footprint(cluster, running, "after the addresses", report.figures);
  stop_peer(running);
}

}  // namespace davit::bench
