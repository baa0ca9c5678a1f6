/// HPA65, HPA68 and HPA166 to HPA178: the autoscaler on `davit sandbox`, as a user sees it
/// (docs/spec/hpa.md, section 27). Needs kubectl. The autoscaler runs beside the sandbox, with a
/// period of a second; docs/sandbox.md, which CI runs too, has it in the sandbox's process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr char kSandboxControllers[] = "--controllers=gc,namespace,nodes,scheduler";

std::vector<std::string> davit_flags(int port, const std::string& gates) {
  return {
      "--controllers=deployment-controller,replicaset-controller,"
      "horizontal-pod-autoscaler-controller",
      "--port=" + std::to_string(port),
      "--leader-elect=false",
      "--kube-api-qps=200",
      "--horizontal-pod-autoscaler-sync-period=1s",
      "--feature-gates=" + gates};
}

class AutoscaleTest : public testing::Test {
 protected:
  /// `flags` are the sandbox's, `gates` those of davit.
  explicit AutoscaleTest(std::vector<std::string> flags = {kSandboxControllers},
                         const std::string& gates = "HPAScaleToZero=false")
      : sandbox_(flags), davit_(sandbox_.davit(davit_flags(port_, gates))) {}

  std::string run(const std::vector<std::string>& args, const std::string& input = "") {
    const Outcome outcome = sandbox_.kubectl(args, input);
    EXPECT_EQ(outcome.code, 0) << args.front() << ": " << outcome.err;
    return outcome.out;
  }
  std::string refused(const std::vector<std::string>& args) {
    const Outcome outcome = sandbox_.kubectl(args);
    EXPECT_NE(outcome.code, 0) << outcome.out;
    return outcome.err;
  }
  void add_rule(const std::string& rule) {
    run({"create", "--raw=/sandbox/metrics", "-f", "-"}, rule);
  }
  void set_rules(const std::string& rules) {
    run({"replace", "--raw=/sandbox/metrics", "-f", "-"}, rules);
  }
  /// A Deployment of pods that request 500m. `annotation` is of the pods.
  void create(const std::string& name, int replicas, const std::string& annotation = "") {
    run({"create", "-f", "-"},
        R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" + name +
            R"("},"spec":{"replicas":)" + std::to_string(replicas) +
            R"(,"selector":{"matchLabels":{"app":")" + name +
            R"("}},"template":{"metadata":{"labels":{"app":")" + name + R"("},"annotations":{)" +
            annotation + R"(}},"spec":{"containers":[{"name":"c","image":"i",
            "resources":{"requests":{"cpu":"500m"}}}]}}}})");
  }
  /// One of this number of pods, which is `web`, once they are ready.
  void create_web(const std::string& annotation = "", int replicas = 1) {
    create("web", replicas, annotation);
    run({"rollout", "status", "deployment/web", "--timeout=240s"});
  }
  /// An autoscaler of a Deployment, with its name, that scales in at once, down to `min`.
  void autoscale(const std::string& metric, const std::string& name = "web", int min = 1) {
    run({"create", "-f", "-"},
        R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":")" +
            name + R"("},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",
        "name":")" +
            name + R"("},"minReplicas":)" + std::to_string(min) + R"(,"maxReplicas":10,
        "behavior":{"scaleDown":{"stabilizationWindowSeconds":0}},"metrics":[)" +
            metric + "]}}");
  }
  std::string hpa(const std::string& path, const std::string& name = "web") {
    return sandbox_.kubectl({"get", "hpa", name, "-o=jsonpath={" + path + "}"}).out;
  }
  /// The page of davit's metrics.
  std::string metrics() const {
    return live::run({"kubectl", "--kubeconfig=/dev/null",
                      "--server=http://127.0.0.1:" + std::to_string(port_), "get",
                      "--raw=/metrics"})
        .out;
  }
  /// The number that the Deployment wants, once the autoscaler has seen `utilization` with it.
  bool settles(const std::string& replicas, const std::string& utilization) {
    return eventually(minutes(4), [&] {
      return hpa(".status.currentReplicas") == replicas &&
             hpa(".status.desiredReplicas") == replicas &&
             hpa(".status.currentMetrics[0].resource.current.averageUtilization") == utilization;
    });
  }
  std::string condition(const std::string& type, const std::string& member) {
    return hpa(".status.conditions[?(@.type==\"" + type + "\")]." + member);
  }

  const int port_ = free_port();
  Sandbox sandbox_;
  const std::unique_ptr<Process> davit_;
};

constexpr char kUtilization60[] =
    R"({"type":"Resource","resource":{"name":"cpu",
        "target":{"type":"Utilization","averageUtilization":60}}})";
/// The window is short, as a pod counts from one after it became ready.
constexpr char kLoad[] =
    R"({"type":"resource","namespace":"default","selector":"app=web","share":"total",
        "window":"1s","cpu":)";
constexpr char kQueue[] =
    R"({"type":"External","external":{"metric":{"name":"queue"},
        "target":{"type":"Value","value":"10"}}})";

TEST_F(AutoscaleTest, HPA65_MetricsThatHangHoldTwoWorkersAndNoOtherAutoscaler) {
  run({"create", "--raw=/sandbox/faults", "-f", "-"},
      R"({"fault":"delay","delay":"10m","target":{"resource":"queue.external.metrics.k8s.io"}})");
  create("a", 1);
  create("b", 1);
  create_web();
  autoscale(kQueue, "a");
  autoscale(kQueue, "b");
  add_rule(std::string(kLoad) + R"("1200m"})");
  autoscale(kUtilization60);
  EXPECT_TRUE(settles("4", "60")) << hpa(".status") << davit_->output();
  // A request that was given up is sent again.
  const std::regex two_at_least(R"re("hits":([2-9]|[1-9]\d))re");
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return std::regex_search(run({"get", "--raw=/sandbox/faults"}), two_at_least);
  })) << "both are asked for and hang";
}

TEST_F(AutoscaleTest, HPA68_SeriesOfADeletedAutoscalerIsGone) {
  const std::string series =
      R"(autoscaler_controller_desired_replicas{hpa_name="web",namespace="default"})";
  const std::string number = "horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers ";
  create_web();
  add_rule(std::string(kLoad) + R"("300m"})");
  autoscale(kUtilization60);
  EXPECT_TRUE(eventually(minutes(4), [&] { return metrics().find(series) != std::string::npos; }))
      << metrics();
  EXPECT_THAT(metrics(), HasSubstr(number + "1"));
  run({"delete", "hpa", "web"});
  EXPECT_TRUE(
      eventually(minutes(4), [&] { return metrics().find(number + "0") != std::string::npos; }));
  // A sync that had begun before may write it again; the next one removes it.
  EXPECT_TRUE(eventually(minutes(4), [&] {
    const std::string page = metrics();
    return page.find(number + "0") != std::string::npos && page.find(series) == std::string::npos;
  })) << "D4";
}

TEST_F(AutoscaleTest, HPA169_HPA170_LoadThatPodsShareSettlesTheNumberOfPods) {
  create_web();
  add_rule(std::string(kLoad) + R"("1200m"})");
  autoscale(kUtilization60);
  EXPECT_TRUE(settles("4", "60")) << hpa(".status") << davit_->output();
  set_rules("[" + std::string(kLoad) + R"("300m"}])");
  EXPECT_TRUE(settles("1", "60")) << hpa(".status") << davit_->output();
}

TEST_F(AutoscaleTest, HPA171_PodsThatAreNotReadyDoNotMakeItOvershoot) {
  const std::vector<std::string> make_ready = {"annotate", "pods", "--selector=app=web",
                                               "--overwrite", "sandbox.davit.dev/ready=true"};
  create("web", 1, R"("sandbox.davit.dev/ready":"false")");
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return sandbox_.kubectl(make_ready).code == 0 &&
           run({"get", "deployment", "web", "-o=jsonpath={.status.readyReplicas}"}) == "1";
  }));
  add_rule(std::string(kLoad) + R"("1200m"})");
  autoscale(kUtilization60);
  // The ready pod alone has the load, and the new ones, which use nothing, are not averaged in.
  EXPECT_TRUE(settles("4", "240")) << hpa(".status") << davit_->output();
  run(make_ready);
  EXPECT_TRUE(settles("4", "60")) << hpa(".status") << davit_->output();
  std::string events;
  EXPECT_TRUE(eventually(minutes(4), [&] {
    events = run({"get", "events", "-o=jsonpath={.items[*].message}"});
    return events.find("New size: 4;") != std::string::npos;
  })) << events;
  EXPECT_THAT(events, AllOf(Not(HasSubstr("New size: 5;")), Not(HasSubstr("New size: 8;"))));
}

TEST_F(AutoscaleTest, HPA173_CustomMetricOfPodsDoublesThem) {
  create_web();
  add_rule(R"({"type":"custom","namespace":"default","resource":"pods","selector":"app=web",
               "metric":"hits","value":20})");
  EXPECT_THAT(run({"get", "--raw=/apis/custom.metrics.k8s.io/v1beta2"}),
              HasSubstr(R"("name":"pods/hits")"));
  autoscale(R"({"type":"Pods","pods":{"metric":{"name":"hits"},
                "target":{"type":"AverageValue","averageValue":"10"}}})");
  EXPECT_TRUE(eventually(minutes(4), [&] { return hpa(".status.desiredReplicas") == "2"; }))
      << hpa(".status") << davit_->output();
}

TEST_F(AutoscaleTest, HPA174_ExternalMetricOfOtherLabelsIsNone) {
  create_web();
  add_rule(R"({"type":"external","namespace":"default","metric":"queue","labels":{"env":"p"},
               "value":25})");
  autoscale(R"({"type":"External","external":{"metric":{"name":"queue",
                "selector":{"matchLabels":{"env":"q"}}},"target":{"type":"Value","value":"10"}}})");
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return condition("ScalingActive", "message")
               .find("no metrics returned from external metrics API") != std::string::npos;
  })) << hpa(".status");
}

TEST_F(AutoscaleTest, HPA178_FaultOfTheMetricsHeals) {
  create_web();
  run({"create", "--raw=/sandbox/faults", "-f", "-"},
      R"({"fault":"status","code":503,"message":"boom",
          "target":{"resource":"pods.metrics.k8s.io"}})");
  autoscale(kUtilization60);
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return condition("ScalingActive", "reason") == "FailedGetResourceMetric";
  })) << hpa(".status");
  EXPECT_THAT(condition("ScalingActive", "message"), EndsWith("resource metrics API: boom"));
  run({"delete", "--raw=/sandbox/faults/1"});
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return condition("ScalingActive", "status") == "True";
  })) << hpa(".status");
}

TEST_F(AutoscaleTest, HPA166_HPA177_KubectlAutoscaleWorksAndTheNamespaceGoes) {
  run({"create", "namespace", "x"});
  run({"create", "deployment", "web", "--image=i", "--namespace=x"});
  // kubectl 1.36 warns of the flag of the old ones, which do not know its own.
  const bool is_new = run({"autoscale", "--help"}).find("--cpu=") != std::string::npos;
  EXPECT_EQ(run({"autoscale", "deployment", "web", "--min=2", "--max=5",
                 is_new ? "--cpu=80%" : "--cpu-percent=80", "--namespace=x"}),
            "horizontalpodautoscaler.autoscaling/web autoscaled\n");
  EXPECT_EQ(
      run({"get", "hpa", "web", "--namespace=x",
           "-o=jsonpath={.apiVersion} {.spec.metrics[0].resource.target.averageUtilization}"}),
      "autoscaling/v2 80");
  add_rule(R"({"type":"custom","namespace":"x","resource":"pods","metric":"hits","value":20})");
  // A request for the deletion of metrics would be refused with 405, and the namespace would stay.
  run({"delete", "namespace", "x", "--timeout=240s"});
}

TEST_F(AutoscaleTest, HPA167_KubectlTopShowsPodsAndNodes) {
  create_web(R"("sandbox.davit.dev/usage-cpu":"250m","sandbox.davit.dev/usage-memory":"64Mi")");
  EXPECT_THAT(run({"top", "pods"}), AllOf(HasSubstr("250m"), HasSubstr("64Mi")));
  EXPECT_THAT(run({"top", "pods", "-A", "--containers"}), HasSubstr("250m"));
  EXPECT_THAT(run({"top", "pods", "-l", "app=web"}), HasSubstr("250m"));
  EXPECT_THAT(sandbox_.kubectl({"top", "pods", "-l", "app=x"}).err,
              HasSubstr("No resources found"));
  EXPECT_THAT(run({"top", "nodes"}), AllOf(HasSubstr("350m"), HasSubstr("4%"), HasSubstr("576Mi")));
}

TEST_F(AutoscaleTest, HPA176_PodsOfAStoppedNodeAreMissing) {
  create_web("", 2);
  const auto usage = [this](const std::string& cpu) {
    set_rules(R"([{"type":"resource","namespace":"default","selector":"app=web","window":"1s",
                   "cpu":")" +
              cpu + "\"}]");
  };
  usage("500m");
  autoscale(R"({"type":"Resource","resource":{"name":"cpu",
                "target":{"type":"Utilization","averageUtilization":100}}})");
  EXPECT_TRUE(settles("2", "100")) << hpa(".status");
  const std::string node = run({"get", "pods", "-o=jsonpath={.items[0].spec.nodeName}"});
  const auto power = [&](const std::string& state) {
    run({"annotate", "node", node, "--overwrite", "sandbox.davit.dev/node=" + state});
  };
  power("stopped");
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return run({"top", "nodes", "--no-headers"}).find(node + " ") == std::string::npos ||
           run({"top", "nodes", "--no-headers"}).find("<unknown>") != std::string::npos;
  }));
  EXPECT_EQ(sandbox_.kubectl({"top", "pods", "--no-headers"}).out.find('\n'),
            sandbox_.kubectl({"top", "pods", "--no-headers"}).out.rfind('\n'))
      << "one pod";
  // A missing pod counts as one at its target: 20 and 100 need 1.2 pods, not 0.4.
  usage("100m");
  EXPECT_TRUE(settles("2", "20")) << hpa(".status");
  power("running");
  EXPECT_TRUE(settles("1", "20")) << hpa(".status");
}

class NoMetricsTest : public AutoscaleTest {
 protected:
  NoMetricsTest() : AutoscaleTest({kSandboxControllers, "--metrics=none"}) {}
};

TEST_F(NoMetricsTest, HPA168_WithoutMetricsNothingIsServed) {
  EXPECT_THAT(refused({"top", "nodes"}), HasSubstr("Metrics API not available"));
  create_web();
  autoscale(kUtilization60);
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return condition("ScalingActive", "message")
        .ends_with("the server could not find the requested resource (get pods.metrics.k8s.io)");
  })) << hpa(".status");
}

class ScaleToZeroTest : public AutoscaleTest {
 protected:
  static constexpr char kGate[] = "HPAScaleToZero=true";
  ScaleToZeroTest()
      : AutoscaleTest({kSandboxControllers, std::string("--feature-gates=") + kGate}, kGate) {}
};

TEST_F(ScaleToZeroTest, HPA152_HPA153_LastPodGoesWithTheQueueAndReturnsWithIt) {
  const auto set_queue = [this](const std::string& length) {
    set_rules(R"([{"type":"external","namespace":"default","metric":"queue","value":)" + length +
              "}]");
  };
  create_web("", 3);
  set_queue("0");
  autoscale(R"({"type":"External","external":{"metric":{"name":"queue"},
                "target":{"type":"AverageValue","averageValue":"10"}}})",
            "web", 0);
  EXPECT_TRUE(eventually(minutes(4), [&] { return condition("ScaledToZero", "status") == "True"; }))
      << hpa(".status") << davit_->output();
  EXPECT_EQ(run({"get", "deployment", "web", "-o=jsonpath={.spec.replicas}"}), "0");
  set_queue("25");
  EXPECT_TRUE(
      eventually(minutes(4), [&] { return condition("ScaledToZero", "status") == "False"; }))
      << hpa(".status") << davit_->output();
  EXPECT_TRUE(eventually(minutes(4), [&] { return hpa(".status.currentReplicas") == "3"; }))
      << hpa(".status") << davit_->output();
}

}  // namespace
}  // namespace davit::live
