/// The README's first command: a control plane, davit with its plugins, and a Deployment that rolls
/// out, in one go. Prints what it does and ends by itself; exit code 1 when the rollout does not
/// come to its end.
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/live/support/control_plane.hpp"

namespace davit::live {
namespace {

using std::chrono::seconds;

void say(const std::string& text) { std::cout << "\n==> " << text << std::endl; }

/// Runs kubectl and shows command and answer, as a person would see it.
bool show(const ControlPlane& cluster, const std::vector<std::string>& args) {
  std::cout << "$ kubectl";
  for (const std::string& each : args) std::cout << " " << each;
  std::cout << std::endl;
  const Outcome outcome = cluster.kubectl(args);
  std::cout << outcome.out << outcome.err << std::flush;
  return outcome.code == 0;
}

/// One line for each state that the rollout goes through.
bool watch_rollout(const ControlPlane& cluster, int generation) {
  const std::string columns =
      "jsonpath={.status.observedGeneration} {.spec.replicas} {.status.replicas} "
      "{.status.updatedReplicas} {.status.availableReplicas}";
  std::string last;
  return eventually(seconds(60), [&] {
    const Outcome state = cluster.kubectl({"get", "deployment", "web", "-o", columns});
    const Outcome sets = cluster.kubectl(
        {"get", "replicasets", "--sort-by=.metadata.creationTimestamp", "-o",
         "jsonpath={range .items[*]}{.metadata.name}={.status.replicas}/{.spec.replicas} {end}"});
    const Outcome old = cluster.kubectl({"rollout", "status", "deployment/web", "--watch=false"});
    if (sets.out != last) std::cout << "   " << (last = sets.out) << std::endl;
    return state.out.starts_with(std::to_string(generation) + " ") &&
           old.out.find("successfully rolled out") != std::string::npos;
  });
}

int demo() {
  if (assets().empty()) {
    std::cerr << "the demo needs KUBEBUILDER_ASSETS: a folder with kube-apiserver and etcd\n";
    return 2;
  }
  say("starting etcd and kube-apiserver");
  ControlPlane cluster;
  std::cout << "   " << cluster.server() << std::endl;
  say("starting davit with the plugins deployment and replicaset, and a stand-in for kubelets");
  const auto kubelet = cluster.kubelet();
  const auto davit = cluster.davit();
  if (!eventually(seconds(30),
                  [&] {
                    return davit->output().find("became leader") != std::string::npos ||
                           !davit->running();
                  }) ||
      !davit->running()) {
    std::cerr << "davit did not come up:\n" << davit->output();
    return 1;
  }

  say("a Deployment of four replicas");
  if (!show(cluster, {"create", "deployment", "web", "--image=nginx:1.25"}) ||
      !show(cluster, {"scale", "deployment", "web", "--replicas=4"}) ||
      !watch_rollout(cluster, 2)) {
    return 1;
  }
  (void)show(cluster, {"get", "deployments,replicasets,pods"});

  say("a new image: pods are replaced a few at a time (replica set=now/wanted)");
  if (!show(cluster, {"set", "image", "deployment/web", "nginx=nginx:1.26"}) ||
      !watch_rollout(cluster, 3)) {
    return 1;
  }
  (void)show(cluster, {"get", "deployments,replicasets,pods"});
  (void)show(cluster, {"rollout", "history", "deployment/web"});

  say("stopping davit");
  davit->signal(SIGTERM);
  const std::optional<int> code = davit->wait(seconds(15));
  std::cout << "   exit code " << code.value_or(-1) << std::endl;
  say("what to try next");
  std::cout << "   davit run --kubeconfig ~/.kube/config     on a cluster of your own\n"
               "   davit plugin list                         what is there\n"
               "   davit rbac --manifest davit.yaml          the rights that it needs\n";
  return code == 0 ? 0 : 1;
}

}  // namespace
}  // namespace davit::live

int main() { return davit::live::demo(); }
