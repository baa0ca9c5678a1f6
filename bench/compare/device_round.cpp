// The round "devices".
#include <string>
#include <utility>
#include <vector>

#include "bench/compare/rounds.hpp"
#include "bench/compare/tally.hpp"
#include "tests/live/support/cost.hpp"
#include "tests/live/support/load.hpp"

namespace davit::bench {
namespace {

using host::ApiRequest;
using host::ResourcePath;
using host::Value;
using host::Verb;
using live::ControlPlane;

constexpr char kGroup[] = "resource.k8s.io";
/// resource.k8s.io/v1 came with this release.
constexpr int kMinorOfDevices = 34;
const ResourcePath kPods = {"", "v1", "pods", "", "default", ""};
const ResourcePath kClaims = {kGroup, "v1", "resourceclaims", "", "default", ""};

std::string name_of(int pod) { return "p" + std::to_string(pod); }

/// On a node, since only pods that a scheduler did not bind get their reservation from the
/// controller.
std::string pod_body(int pod) {
  return R"({"metadata":{"name":")" + name_of(pod) +
         R"("},"spec":{"nodeName":"bench","containers":[{"name":"c","image":"c:1"}],)"
         R"("resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"gpu"}]}})";
}

ResourcePath status_of(ResourcePath path) {
  path.subresource = "status";
  return path;
}

/// A class that selects nothing, and the template of all claims.
void create_template(const ControlPlane& cluster) {
  const std::string spec =
      R"({"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"bench"}}]}})";
  live::send_all(cluster.client(),
                 {to(Verb::kCreate, {kGroup, "v1", "deviceclasses", "", "", ""}, "",
                     R"({"metadata":{"name":"bench"},"spec":{}})"),
                  to(Verb::kCreate, {kGroup, "v1", "resourceclaimtemplates", "", "default", ""}, "",
                     R"({"metadata":{"name":"gpu"},"spec":{"spec":)" + spec + "}}")});
}

/// Gives each claim a device, as a scheduler does that leaves the reservation to the controller.
void allocate(const ControlPlane& cluster, const Tally& claims) {
  std::vector<ApiRequest> finalizers;
  std::vector<ApiRequest> allocations;
  for (const auto& [name, node] : claims.nodes()) {
    finalizers.push_back(
        to(Verb::kPatch, kClaims, name,
           R"({"metadata":{"finalizers":["resource.kubernetes.io/delete-protection"]}})"));
    allocations.push_back(
        to(Verb::kPatch, status_of(kClaims), name,
           R"({"status":{"allocation":{"devices":{"results":[{"request":"r","driver":)"
           R"("bench.example.com","pool":"bench","device":"gpu-)" +
               std::to_string(allocations.size()) + R"("}]}}}})"));
  }
  live::send_all(cluster.client(), finalizers);
  live::send_all(cluster.client(), allocations);
}

}  // namespace

void measure_devices(const Peer& peer, const Options& options, Report& report) {
  if (live::server_minor() < kMinorOfDevices) {
    live::give_up("the round of devices needs resource.k8s.io/v1");
  }
  ControlPlane cluster(wide_server());
  create_template(cluster);
  std::vector<ApiRequest> creations;
  std::vector<ApiRequest> ends;
  for (int i = 0; i < options.device_pods; ++i) {
    creations.push_back(to(Verb::kCreate, kPods, "", pod_body(i)));
    ends.push_back(
        to(Verb::kPatch, status_of(kPods), name_of(i), R"({"status":{"phase":"Succeeded"}})"));
  }
  const RunningPeer running = peer.start(cluster, std::string(kDeviceClaims));
  (void)live::wait_idle(running.process->pid(), std::chrono::seconds(60));
  const Tally named(cluster, kPods,
                    [](Value pod) { return pod["status"]["resourceClaimStatuses"].count() > 0; });
  const Tally present(cluster, kClaims, [](Value) { return true; });
  const Tally reserved(cluster, kClaims,
                       [](Value claim) { return claim["status"]["reservedFor"].count() > 0; });
  // allocate() gives the first claims their finalizers. kube-controller-manager makes claims for
  // pods that have ended, too, and deletes them, again and again: these have none.
  const Tally held(cluster, kClaims,
                   [](Value claim) { return claim["metadata"]["finalizers"].count() > 0; });
  const Step step{cluster, running, report};
  const int all = options.device_pods;
  run_step(
      step, "make the claims of " + std::to_string(all) + " pods from a template",
      [&] { live::send_all(cluster.client(), creations); },
      [&] { return named.count() == all && present.count() == all; });
  run_step(
      step, "reserve the claims, which get their devices", [&] { allocate(cluster, present); },
      [&] { return reserved.count() == all; });
  run_step(
      step, "release and delete the claims of pods that end",
      [&] { live::send_all(cluster.client(), ends); }, [&] { return held.count() == 0; });
  add_footprint(cluster, running, "after the claims of devices", report.figures);
  stop_peer(running);
}

}  // namespace davit::bench
