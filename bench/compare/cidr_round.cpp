// The round "cidrs".
#include <string>

#include "bench/compare/rounds.hpp"
#include "bench/compare/tally.hpp"
#include "tests/live/support/cost.hpp"
#include "tests/live/support/load.hpp"

namespace davit::bench {

void measure_cidrs(const Peer& peer, const Options& options, Report& report) {
  using std::chrono::seconds;
  live::ControlPlane cluster(wide_server());
  const RunningPeer running = peer.start(cluster, std::string(kNodeCidrs));
  (void)live::wait_idle(running.process->pid(), seconds(60));
  const Tally served(cluster, {"", "v1", "nodes", "", "", ""},
                     [](host::Value node) { return !node["spec"]["podCIDR"].string().empty(); });
  const Step step{cluster, running, report};
  run_step(
      step, "give " + std::to_string(options.watched_nodes) + " new nodes their pod CIDRs",
      [&] { live::create_nodes(cluster, options.watched_nodes); },
      [&] { return served.count() == options.watched_nodes; });
  add_footprint(cluster, running, "after the pod CIDRs", report.figures);
  stop_peer(running);
}

}  // namespace davit::bench
