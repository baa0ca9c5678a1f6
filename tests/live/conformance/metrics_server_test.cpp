/// An autoscaler with metrics APIs behind APIServices of a real API server, and no other controller
/// manager: kube-controller-manager and davit do the same (docs/spec/hpa.md).
#include "tests/live/support/metrics_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/live/support/control_plane.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;

enum class Manager : std::uint8_t { kDavit, kOriginal };

/// APIServices with the versions that these metrics have, and autoscaling/v2.
constexpr int kMinorMin = 36;
constexpr char kPodMetrics[] = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods";
constexpr char kQueuePath[] = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue";

class MetricsServerTest : public testing::TestWithParam<Manager> {
 protected:
  void SetUp() override {
    if (assets().empty()) GTEST_SKIP() << no_assets();
    if (server_minor() < kMinorMin) GTEST_SKIP() << "the server is older than v1.36";
    cluster_.emplace();
    metrics_.emplace();
    metrics_->serve_for(cluster_->client());
    nodes_ = cluster_->nodes({"--nodes=2"});
    const std::vector<std::string> flags = {
        "--horizontal-pod-autoscaler-sync-period=1s",
        "--horizontal-pod-autoscaler-downscale-stabilization=1s",
        "--horizontal-pod-autoscaler-cpu-initialization-period=0s",
        "--horizontal-pod-autoscaler-initial-readiness-delay=0s"};
    manager_ =
        GetParam() == Manager::kOriginal
            ? cluster_->controller_manager("deployment,replicaset,horizontalpodautoscaling", flags)
            : cluster_->davit(with(flags,
                                   "--controllers=deployment-controller,"
                                   "replicaset-controller,"
                                   "horizontal-pod-autoscaler-controller"));
  }

  static std::vector<std::string> with(std::vector<std::string> flags, const char* another) {
    flags.emplace_back(another);
    return flags;
  }
  [[nodiscard]] std::string get(const std::string& what, const std::string& path) const {
    return cluster_->kubectl({"get", what, "-o=jsonpath={" + path + "}"}).out;
  }
  /// Each of the pods of `web` uses this.
  void use(const std::string& cpu) {
    const std::string names = get("pods", ".items[*].metadata.name");
    std::string items;
    for (std::size_t begin = 0; begin < names.size();) {
      const std::size_t end = std::min(names.find(' ', begin), names.size());
      items += std::string(items.empty() ? "" : ",") + R"({"metadata":{"name":")" +
               names.substr(begin, end - begin) +
               R"("},"timestamp":"2026-01-01T00:00:00Z","window":"15s","containers":[{"name":"c",)"
               R"("usage":{"cpu":")" +
               cpu + R"("}}]})";
      begin = end + 1;
    }
    metrics_->set(kPodMetrics, 200,
                  R"({"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1",)"
                  R"("metadata":{},"items":[)" +
                      items + "]}");
  }
  /// Whether the Deployment has as many pods, all of them ready.
  [[nodiscard]] bool has_pods(const std::string& count) const {
    return eventually(minutes(3), [&] {
      return get("deployment/web", ".spec.replicas") == count &&
             get("deployment/web", ".status.readyReplicas") == count &&
             get("deployment/web", ".status.replicas") == count;
    });
  }
  [[nodiscard]] std::string why() const { return get("hpa/web", ".status") + manager_->output(); }

  std::optional<ControlPlane> cluster_;
  std::optional<MetricsServer> metrics_;
  std::unique_ptr<Process> nodes_;
  std::unique_ptr<Process> manager_;
};

constexpr char kWeb[] = R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},
  "spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{
  "app":"web"}},"spec":{"containers":[{"name":"c","image":"c:1","resources":{"requests":{
  "cpu":"100m"}}}]}}}})";
constexpr char kScaler[] = R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler",
  "metadata":{"name":"web"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",
  "name":"web"},"minReplicas":1,"maxReplicas":6,"metrics":[
  {"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization",
   "averageUtilization":100}}},
  {"type":"External","external":{"metric":{"name":"queue"},"target":{"type":"AverageValue",
   "averageValue":"10"}}}]}})";

void set_queue(MetricsServer& metrics, const std::string& length) {
  metrics.set(kQueuePath, 200,
              R"({"kind":"ExternalMetricValueList","apiVersion":"external.metrics.k8s.io/v1beta1",)"
              R"("metadata":{},"items":[{"metricName":"queue","metricLabels":{},)"
              R"("timestamp":"2026-01-01T00:00:00Z","value":")" +
                  length + "\"}]}");
}

TEST_P(MetricsServerTest, HPA58_DeploymentFollowsTheMetricsOfAnotherServer) {
  cluster_->must({"create", "-f", "-"}, kWeb);
  ASSERT_TRUE(has_pods("2")) << why();
  use("150m");
  set_queue(*metrics_, "10");
  cluster_->must({"create", "-f", "-"}, kScaler);
  ASSERT_TRUE(has_pods("3")) << why();
  const MetricsServer::Asked asked = metrics_->last_asked(kPodMetrics);
  EXPECT_EQ(asked.target, std::string(kPodMetrics) + "?labelSelector=app%3Dweb");
  EXPECT_TRUE(asked.user_agent.ends_with("/horizontal-pod-autoscaler")) << asked.user_agent;

  use("100m");
  set_queue(*metrics_, "45");
  EXPECT_TRUE(has_pods("5")) << why();

  metrics_->set(kQueuePath, 500,
                R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":500,
                                "reason":"InternalError","message":"boom"})");
  use("10m");
  EXPECT_TRUE(eventually(minutes(3), [&] {
    return get("hpa/web", R"(.status.conditions[?(@.type=="ScalingActive")].message)")
        .ends_with("boom");
  })) << why();
  EXPECT_EQ(get("deployment/web", ".spec.replicas"), "5") << "a broken metric blocks the way down";

  set_queue(*metrics_, "5");
  EXPECT_TRUE(has_pods("1")) << why();
  EXPECT_THAT(get("events", ".items[*].message"),
              HasSubstr("New size: 1; reason: All metrics below target"));
}

std::string manager_name(const testing::TestParamInfo<Manager>& each) {
  return each.param == Manager::kDavit ? "Davit" : "KubeControllerManager";
}

INSTANTIATE_TEST_SUITE_P(Of, MetricsServerTest,
                         testing::Values(Manager::kDavit, Manager::kOriginal), manager_name);

}  // namespace
}  // namespace davit::live
