// The rounds "claims" and "volumes".
#include <atomic>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/compare/rounds.hpp"
#include "bench/compare/tally.hpp"
#include "host/api/rest_client.hpp"
#include "tests/live/support/cost.hpp"
#include "tests/live/support/load.hpp"

namespace davit::bench {
namespace {

using host::ApiRequest;
using host::Value;
using host::Verb;
using live::ControlPlane;
using std::chrono::seconds;

constexpr char kSpace[] = "default";
const host::ResourcePath kPods = {"", "v1", "pods", "", kSpace, ""};
const host::ResourcePath kNodes = {"", "v1", "nodes", "", "", ""};
const host::ResourcePath kVolumes = {"", "v1", "persistentvolumes", "", "", ""};
const host::ResourcePath kClaims = {"", "v1", "persistentvolumeclaims", "", kSpace, ""};
constexpr char kBinders[] = "persistentvolume-binder,pvc-protection,pv-protection";

Tally::Matches in_phase(std::string phase) {
  return [phase = std::move(phase)](Value object) {
    return object["status"]["phase"].string() == phase;
  };
}

/// Running pods whose names begin so.
Tally::Matches runs(std::string prefix) {
  return [prefix = std::move(prefix)](Value pod) {
    return pod["status"]["phase"].string() == "Running" && !pod["metadata"]["deletionTimestamp"] &&
           pod["metadata"]["name"].string().starts_with(prefix);
  };
}

std::string volume_body(const std::string& name) {
  return R"({"metadata":{"name":")" + name +
         R"("},"spec":{"storageClassName":"bench","capacity":{"storage":"1Gi"},"accessModes":)"
         R"(["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Retain","hostPath":{"path":"/x"}}})";
}

std::string claim_body(const std::string& name, const std::string& storage_class) {
  return R"({"metadata":{"name":")" + name + R"("},"spec":{"storageClassName":")" + storage_class +
         R"(","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})";
}

std::string claim_of_pod(int pod, int volume) {
  return "c" + std::to_string(pod) + "-" + std::to_string(volume);
}

/// With the two claims of the pod of this number.
std::string pod_body(const std::string& name, int pod) {
  std::string volumes;
  for (int i = 0; i < 2; ++i) {
    volumes += std::string(volumes.empty() ? "" : ",") + R"({"name":"v)" + std::to_string(i) +
               R"(","persistentVolumeClaim":{"claimName":")" + claim_of_pod(pod, i) + R"("}})";
  }
  return R"({"metadata":{"name":")" + name +
         R"("},"spec":{"containers":[{"name":"c","image":"c:1"}],)"
         R"("volumes":[)" +
         volumes + "]}}";
}

/// A node takes so many volumes of the simulated driver.
constexpr int kVolumesOfANode = 32;

/// Cordons a third of the nodes, deletes their pods, and creates others with the same claims.
/// Returns how many.
int drain_third(const ControlPlane& cluster, int nodes, const Tally& pods) {
  std::vector<ApiRequest> cordons;
  for (int i = 1; i <= nodes / 3; ++i) {
    cordons.push_back(to(Verb::kPatch, kNodes, "node-" + std::to_string(i),
                         R"({"spec":{"unschedulable":true}})"));
  }
  live::send_all(cluster.client(), cordons);
  std::vector<ApiRequest> ends;
  std::vector<ApiRequest> successors;
  for (const auto& [name, node] : pods.nodes()) {
    if (std::stoi(node.substr(node.find('-') + 1)) > nodes / 3) continue;
    ends.push_back(to(Verb::kDelete, kPods, name));
    const int number = std::stoi(name.substr(1));
    successors.push_back(
        to(Verb::kCreate, kPods, "", pod_body("q" + std::to_string(number), number)));
  }
  live::send_all(cluster.client(), ends);
  live::send_all(cluster.client(), successors);
  return static_cast<int>(successors.size());
}

}  // namespace

void measure_claims(const Peer& peer, const Options& options, Report& report) {
  ControlPlane cluster(wide_server());
  std::vector<ApiRequest> volumes;
  std::vector<ApiRequest> claims;
  std::vector<ApiRequest> ends;
  for (int i = 0; i < options.claims; ++i) {
    const std::string number = std::to_string(i);
    volumes.push_back(to(Verb::kCreate, kVolumes, "", volume_body("v" + number)));
    claims.push_back(to(Verb::kCreate, kClaims, "", claim_body("c" + number, "bench")));
    ends.push_back(to(Verb::kDelete, kClaims, "c" + number));
  }
  live::send_all(cluster.client(), volumes);
  const RunningPeer running = peer.start(cluster, kBinders);
  (void)live::wait_idle(running.process->pid(), seconds(60));
  const Tally bound(cluster, kClaims, in_phase("Bound"));
  const Tally released(cluster, kVolumes, in_phase("Released"));
  const Tally present(cluster, kClaims, [](Value) { return true; });
  const Step step{cluster, running, report};
  const std::string count = std::to_string(options.claims);
  run_step(
      step, "bind " + count + " claims to equal volumes",
      [&] { live::send_all(cluster.client(), claims); },
      [&] { return bound.count() == options.claims; });
  run_step(
      step, "release " + count + " claims", [&] { live::send_all(cluster.client(), ends); },
      [&] { return released.count() == options.claims && present.count() == 0; });
  add_footprint(cluster, running, "after the claims", report.figures);
  stop_peer(running);
}

void measure_volumes(const Peer& peer, const Options& options, Report& report) {
  const int left = options.volume_nodes - options.volume_nodes / 3;
  if (2 * options.volume_pods > left * kVolumesOfANode) {
    live::give_up("--volume-nodes: two thirds of them take " +
                  std::to_string(left * kVolumesOfANode / 2) + " pods");
  }
  ControlPlane cluster(wide_server());
  const auto nodes = cluster.nodes({"--nodes=" + std::to_string(options.volume_nodes), "--storage",
                                    "--no-pod-events", "--zones=0"});
  std::vector<ApiRequest> claims;
  std::vector<ApiRequest> pods;
  for (int i = 0; i < options.volume_pods; ++i) {
    for (int each = 0; each < 2; ++each) {
      claims.push_back(
          to(Verb::kCreate, kClaims, "", claim_body(claim_of_pod(i, each), "sandbox")));
    }
    pods.push_back(to(Verb::kCreate, kPods, "", pod_body("p" + std::to_string(i), i)));
  }
  const RunningPeer running = peer.start(cluster, std::string(kBinders) + ",attachdetach");
  (void)live::wait_idle(running.process->pid(), seconds(60));
  const Tally first(cluster, kPods, runs("p"));
  const Tally second(cluster, kPods, runs("q"));
  const Step step{cluster, running, report};
  run_step(
      step,
      "start " + std::to_string(options.volume_pods) + " pods with two volumes each on " +
          std::to_string(options.volume_nodes) + " nodes",
      [&] {
        live::send_all(cluster.client(), claims);
        live::send_all(cluster.client(), pods);
      },
      [&] { return first.count() == options.volume_pods; });
  int moved = -1;
  run_step(
      step, "drain a third of the nodes, and start the pods elsewhere",
      [&] { moved = drain_third(cluster, options.volume_nodes, first); },
      [&] { return second.count() == moved; });
  add_footprint(cluster, running, "after the drain", report.figures);
  stop_peer(running);
}

}  // namespace davit::bench
