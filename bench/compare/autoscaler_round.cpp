// The round "autoscalers".
#include <string>
#include <thread>
#include <vector>

#include "bench/compare/rounds.hpp"
#include "host/api/rest_client.hpp"
#include "tests/live/support/cost.hpp"
#include "tests/live/support/load.hpp"
#include "tests/live/support/metrics_server.hpp"

namespace davit::bench {
namespace {

using host::ApiRequest;
using host::Verb;
using live::ControlPlane;
using std::chrono::seconds;

constexpr char kSpace[] = "default";
constexpr char kPodMetrics[] = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods";

ApiRequest create(host::ResourcePath path, std::string body) {
  ApiRequest out;
  out.path = std::move(path);
  out.verb = Verb::kCreate;
  out.body = std::move(body);
  return out;
}

ApiRequest set_status(host::ResourcePath path, const std::string& status) {
  ApiRequest out;
  out.path = std::move(path);
  out.path.subresource = "status";
  out.verb = Verb::kPatch;
  out.patch_type = host::PatchType::kMerge;
  out.body = R"({"status":)" + status + "}";
  return out;
}

/// A target without a controller, with its autoscaler, which is content with it.
struct Scaled {
  std::string name;
  int pods = 0;

  [[nodiscard]] std::string pod(int index) const { return name + "-" + std::to_string(index); }
  [[nodiscard]] std::string labels() const { return R"({"app":")" + name + R"("})"; }
};

void add_target(const Scaled& target, std::vector<ApiRequest>& objects,
                std::vector<ApiRequest>& statuses) {
  const std::string count = std::to_string(target.pods);
  const std::string contents =
      R"("containers":[{"name":"c","image":"c:1","resources":{"requests":{"cpu":"100m"}}}])";
  objects.push_back(create({"", "v1", "replicationcontrollers", "", kSpace, ""},
                           R"({"metadata":{"name":")" + target.name + R"("},"spec":{"replicas":)" +
                               count + R"(,"selector":)" + target.labels() +
                               R"(,"template":{"metadata":{"labels":)" + target.labels() +
                               R"(},"spec":{)" + contents + "}}}}"));
  statuses.push_back(set_status({"", "v1", "replicationcontrollers", "", kSpace, target.name},
                                R"({"replicas":)" + count + "}"));
  for (int i = 0; i < target.pods; ++i) {
    objects.push_back(create({"", "v1", "pods", "", kSpace, ""},
                             R"({"metadata":{"name":")" + target.pod(i) + R"(","labels":)" +
                                 target.labels() + R"(},"spec":{)" + contents + "}}"));
    statuses.push_back(
        set_status({"", "v1", "pods", "", kSpace, target.pod(i)},
                   R"({"phase":"Running","startTime":"2026-01-01T00:00:00Z","conditions":[{)"
                   R"("type":"Ready","status":"True",)"
                   R"("lastTransitionTime":"2026-01-01T00:01:00Z"}]})"));
  }
}

ApiRequest autoscaler_of(const Scaled& target) {
  return create({"autoscaling", "v2", "horizontalpodautoscalers", "", kSpace, ""},
                R"({"metadata":{"name":")" + target.name +
                    R"("},"spec":{"scaleTargetRef":{)"
                    R"("apiVersion":"v1","kind":"ReplicationController","name":")" +
                    target.name +
                    R"("},"minReplicas":1,"maxReplicas":100,"metrics":[{"type":"Resource",)"
                    R"("resource":{"name":"cpu","target":{"type":"Utilization",)"
                    R"("averageUtilization":100}}}]}})");
}

std::string usage_of(const Scaled& target) {
  std::string items;
  for (int i = 0; i < target.pods; ++i) {
    items += std::string(items.empty() ? "" : ",") + R"({"metadata":{"name":")" + target.pod(i) +
             R"("},"timestamp":"2026-01-01T00:00:00Z","window":"15s","containers":[{"name":"c",)"
             R"("usage":{"cpu":"100m","memory":"64Mi"}}]})";
  }
  return R"({"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},)"
         R"("items":[)" +
         items + "]}";
}

}  // namespace

void measure_autoscalers(const Peer& peer, const Options& options, Report& report) {
  progress(peer.name + ": autoscalers");
  ControlPlane cluster(wide_server());
  live::MetricsServer metrics;
  metrics.serve_for(cluster.client());
  std::vector<ApiRequest> objects;
  std::vector<ApiRequest> statuses;
  std::vector<ApiRequest> autoscalers;
  for (int i = 0; i < options.autoscalers; ++i) {
    const Scaled target{"a" + std::to_string(i), options.autoscaled_pods / options.autoscalers};
    add_target(target, objects, statuses);
    autoscalers.push_back(autoscaler_of(target));
    metrics.set(std::string(kPodMetrics) + "?labelSelector=app=" + target.name, 200,
                usage_of(target));
  }
  live::send_all(cluster.client(), objects);
  live::send_all(cluster.client(), statuses);
  live::send_all(cluster.client(), autoscalers);
  const std::string what = std::to_string(options.autoscalers) + " autoscalers of " +
                           std::to_string(options.autoscaled_pods) + " pods, " +
                           std::to_string(options.autoscaler_seconds) + " s";
  const RunningPeer running = peer.start(cluster, "horizontalpodautoscaling");
  // The first two periods: caches are filled, and each status is written once.
  std::this_thread::sleep_for(seconds(40));
  const Spent spent = measure(
      cluster, running, [&] { std::this_thread::sleep_for(seconds(options.autoscaler_seconds)); });
  Table& figures = report.figures;
  figures.add(peer.name, what + ": CPU", "s", spent.cpu_seconds);
  figures.add(peer.name, what + ": API server's CPU", "s", spent.servers.apiserver);
  figures.add(peer.name, what + ": time", "s", spent.seconds);
  for (const auto& [name, count] : spent.served) {
    report.requests.add(peer.name, what + ": " + name, "requests", count);
  }
  figures.add(peer.name, what + ": resident", "MiB",
              live::cost_of(running.process->pid()).resident_mib);
}

}  // namespace davit::bench
