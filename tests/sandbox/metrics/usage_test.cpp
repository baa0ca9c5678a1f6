/// metrics.k8s.io of simulated usage: docs/spec/hpa.md, sections 26.3 and 26.4.
#include <davit/kube/time.hpp>

#include "tests/sandbox/metrics/metrics_world.hpp"

namespace davit::sandbox {
namespace {

using testing::HasSubstr;

class UsageTest : public MetricsTest {
 protected:
  void label(const std::string& pod, const std::string& labels) {
    EXPECT_EQ(world.sandbox
                  .patch("/api/v1/namespaces/default/pods/" + pod, "merge",
                         R"({"metadata":{"labels":{)" + labels + "}}}")
                  .code,
              200);
  }
  void annotate(const std::string& pod, const std::string& annotations) {
    EXPECT_EQ(world.sandbox
                  .patch("/api/v1/namespaces/default/pods/" + pod, "merge",
                         R"({"metadata":{"annotations":{)" + annotations + "}}}")
                  .code,
              200);
  }
};

constexpr char kRequests[] =
    R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"200m"}}}])";

TEST_F(UsageTest, RunningPodHasTheDefault) {
  world.create_pod("a");
  EXPECT_EQ(pods(), "a c=1m/8Mi");
  const Json item = get(std::string(kPodsOfDefault) + "/a").body;
  EXPECT_EQ(item.text_at({"kind"}), "PodMetrics");
  EXPECT_EQ(item.text_at({"apiVersion"}), "metrics.k8s.io/v1beta1");
  EXPECT_EQ(item.text_at({"window"}), "15s");
  EXPECT_EQ(item.text_at({"timestamp"}), format_time(world.sandbox.clock.wall_now()));
}

TEST_F(UsageTest, AnnotationsSayWhatAPodUses) {
  world.create_pod("a", kRequests);
  annotate("a", R"("sandbox.davit.dev/usage-cpu":"150%","sandbox.davit.dev/usage-memory":"64Mi")");
  EXPECT_EQ(pods(), "a c=300m/64Mi");
  annotate("a", R"-("sandbox.davit.dev/usage-cpu":"step(250m, 2, 10s)")-");
  EXPECT_EQ(pods(), "a c=250m/64Mi");
  world.pass(std::chrono::seconds(10));
  EXPECT_EQ(pods(), "a c=2/64Mi");
  annotate("a", R"("sandbox.davit.dev/usage-cpu":"nonsense")");
  EXPECT_EQ(pods(), "a c=1m/64Mi") << "a mistake has no effect";
}

TEST_F(UsageTest, AnnotationsHaveTwoNames) {
  world.create_pod("a");
  annotate("a", R"("metrics.sandbox.davit.dev/cpu":"250m",
                   "metrics.sandbox.davit.dev/memory":"64Mi")");
  EXPECT_EQ(pods(), "a c=250m/64Mi");
  annotate("a", R"("sandbox.davit.dev/usage-cpu":"300m")");
  EXPECT_EQ(pods(), "a c=300m/64Mi");
}

TEST_F(UsageTest, HPA172_PodWithoutMetricsIsMissing) {
  world.create_pod("a");
  world.create_pod("b", "", R"("sandbox.davit.dev/usage":"none")");
  EXPECT_EQ(pods(), "a c=1m/8Mi");
  EXPECT_EQ(get(std::string(kPodsOfDefault) + "/b").message(),
            R"(podmetrics.metrics.k8s.io "default/b" not found)");
  EXPECT_EQ(get(std::string(kPodsOfDefault) + "/x").message(), R"(pods "x" not found)");
}

TEST_F(UsageTest, NewestRuleWins) {
  world.create_pod("a", kRequests);
  label("a", R"("app":"web")");
  add(R"({"type":"resource","namespace":"default","cpu":"1","memory":"1Gi"})");
  const std::string id =
      add(R"({"type":"resource","namespace":"default","selector":"app=web","cpu":"50%"})");
  EXPECT_EQ(pods(), "a c=100m/1Gi");
  EXPECT_EQ(
      world.sandbox
          .put("/sandbox/metrics/" + id, R"({"type":"resource","namespace":"other","cpu":"3"})")
          .code,
      200);
  EXPECT_EQ(pods(), "a c=1/1Gi");
  world.sandbox.remove("/sandbox/metrics");
  EXPECT_EQ(pods(), "a c=1m/8Mi");
}

TEST_F(UsageTest, HPA169_TotalIsDividedAmongReadyPods) {
  for (const char* name : {"a", "b", "d"}) {
    world.create_pod(name, "", name[0] == 'd' ? R"("sandbox.davit.dev/ready":"false")" : "");
    label(name, R"("app":"web")");
  }
  add(R"({"type":"resource","namespace":"default","selector":"app=web","cpu":"1000000001n",
          "share":"total"})");
  EXPECT_EQ(pods(), "a c=500000001n/8Mi, b c=500m/8Mi, d c=0/8Mi");
  label("a", R"("app":"other")");
  EXPECT_EQ(pods(), "a c=1m/8Mi, b c=1000000001n/8Mi, d c=0/8Mi");
  label("b", R"("app":"other")");
  EXPECT_EQ(pods("?labelSelector=app%3Dweb"), "d c=1000000001n/8Mi") << "none is Ready";
}

TEST_F(UsageTest, AbsentPodsAndContainersHaveNoSamples) {
  world.create_pod("a", R"("containers":[{"name":"c","image":"i"},{"name":"s","image":"i"}])");
  world.create_pod("b");
  add(R"({"type":"resource","namespace":"default","container":"s","absent":true})");
  EXPECT_EQ(pods(), "a c=1m/8Mi, b c=1m/8Mi");
  add(R"({"type":"resource","namespace":"default","absent":true})");
  EXPECT_EQ(pods(), "");
  add(R"({"type":"resource","namespace":"default","container":"s","cpu":"3"})");
  EXPECT_EQ(pods(), "a s=3/8Mi") << "a newer rule brings it back";
}

TEST_F(UsageTest, RulesSetAgeAndWindow) {
  world.create_pod("a");
  add(R"({"type":"resource","namespace":"default","age":"20s","window":"1m"})");
  const Json item = get(std::string(kPodsOfDefault) + "/a").body;
  EXPECT_EQ(item.text_at({"window"}), "1m0s");
  EXPECT_EQ(item.text_at({"timestamp"}),
            format_time(world.sandbox.clock.wall_now() - std::chrono::seconds(20)));
}

TEST_F(UsageTest, PodsMadeByHandNeedARule) {
  put_pod("p1", R"("app":"web")");
  EXPECT_EQ(pods(), "");
  add(R"({"type":"resource","namespace":"default","selector":"app=web","cpu":"150m"})");
  EXPECT_EQ(pods(), "p1 c=150m/8Mi");
}

TEST_F(UsageTest, HPA176_StoppedNodeAndItsPodsVanish) {
  world.create_pod("a");
  const std::string node = world.pod("a").text_at({"spec", "nodeName"});
  EXPECT_EQ(get("/apis/metrics.k8s.io/v1beta1/nodes").names(), "node-1 node-2");
  world.annotate_node(node, "stopped");
  EXPECT_EQ(pods(), "");
  EXPECT_EQ(get("/apis/metrics.k8s.io/v1beta1/nodes").body.get("items").size(), 1u);
  EXPECT_EQ(get("/apis/metrics.k8s.io/v1beta1/nodes/" + node).message(),
            "nodemetrics.metrics.k8s.io \"" + node + "\" not found");
  EXPECT_EQ(get("/apis/metrics.k8s.io/v1beta1/nodes/x").message(), R"(nodes "x" not found)");
  add(R"({"type":"resource","namespace":"default","cpu":"150m"})");
  EXPECT_EQ(pods(), "") << "a rule brings no pod of a stopped node back";
}

TEST_F(UsageTest, HPA167_NodesHaveTheSumOfTheirPods) {
  world.create_pod("a");
  const std::string node = world.pod("a").text_at({"spec", "nodeName"});
  add(R"({"type":"resource","namespace":"default","cpu":"1500m","memory":"512Mi"})");
  const Json shown = get("/apis/metrics.k8s.io/v1beta1/nodes/" + node).body;
  EXPECT_EQ(shown.text_at({"kind"}), "NodeMetrics");
  EXPECT_EQ(shown.text_at({"usage", "cpu"}), "1600m");
  EXPECT_EQ(shown.text_at({"usage", "memory"}), "1Gi");
  add(R"({"type":"resource","node":")" + node + R"(","cpu":"7"})");
  EXPECT_EQ(get("/apis/metrics.k8s.io/v1beta1/nodes/" + node).body.text_at({"usage", "cpu"}), "7");
}

TEST_F(UsageTest, HPA167_SelectorsChooseAndTablesHaveColumns) {
  world.create_pod("a");
  world.create_pod("b");
  label("b", R"("app":"web")");
  EXPECT_EQ(pods("?labelSelector=app"), "b c=1m/8Mi");
  EXPECT_EQ(pods("?fieldSelector=metadata.name%3Da"), "a c=1m/8Mi");
  EXPECT_EQ(get("/apis/metrics.k8s.io/v1beta1/pods").names(), "a b");
  EXPECT_EQ(get("/apis/metrics.k8s.io/v1beta1/pods?fieldSelector=spec.nodeName%3Da").code, 400);
  EXPECT_EQ(get("/apis/metrics.k8s.io/v1beta1/pods?labelSelector=a%20in%20(").code, 400);
  const Reply table = world.sandbox.send(
      "GET", kPodsOfDefault, "", {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  EXPECT_EQ(table.body.text_at({"kind"}), "Table");
  EXPECT_EQ(to_text(table.body.get("rows").items()[0].get("cells")), R"(["a","1m","8Mi","15s"])");
  EXPECT_EQ(get("/apis/metrics.k8s.io/v1beta1/services").code, 404);
  EXPECT_EQ(world.sandbox.remove(std::string(kPodsOfDefault) + "/a").code, 405);
  EXPECT_EQ(get(std::string(kPodsOfDefault) + "?watch=true").code, 405);
}

TEST_F(UsageTest, ShareOfATemplateIsDividedAmongItsPods) {
  const std::string replica_set =
      R"({"metadata":{"name":"r"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{
          "metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})";
  const std::string owner =
      world.sandbox.post("/apis/apps/v1/namespaces/default/replicasets", replica_set)
          .body.text_at({"metadata", "uid"});
  for (const char* name : {"a", "b"}) {
    Json pod = json_literal(
        R"-({"metadata":{"annotations":{"sandbox.davit.dev/usage-cpu":"share(1)"},
             "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r",
                                 "controller":true}]},
             "spec":{"containers":[{"name":"c","image":"i"}]}})-");
    pod["metadata"].set("name", name);
    pod["metadata"]["ownerReferences"].make_array().front().set("uid", owner);
    EXPECT_EQ(world.sandbox.post("/api/v1/namespaces/default/pods", to_text(pod)).code, 201);
  }
  world.run_until_idle();
  EXPECT_EQ(pods(), "a c=500m/8Mi, b c=500m/8Mi");
}

class ConsumerTest : public UsageTest {
 protected:
  void SetUp() override {
    world.create_pod("a");
    world.create_pod("b");
    label("a", R"("app":"web")");
    label("b", R"("app":"web")");
    EXPECT_EQ(world.sandbox
                  .post("/api/v1/namespaces/default/services",
                        R"({"metadata":{"name":"web"},"spec":{"selector":{"app":"web"},
                            "ports":[{"port":80}]}})")
                  .code,
              201);
  }
  Reply consume(const std::string& target, const std::string& body = "") {
    return world.sandbox.send("POST", "/api/v1/namespaces/default/" + target, body,
                              {{"Content-Type", "application/x-www-form-urlencoded"}});
  }
};

TEST_F(ConsumerTest, PodsOfAServiceShareItsLoadUntilItEnds) {
  const Reply reply = consume("services/web/proxy/ConsumeCPU", "millicores=600&durationSec=30");
  EXPECT_EQ(reply.code, 200) << reply.text;
  EXPECT_EQ(reply.text, "ConsumeCPU\n600 millicores\n30 durationSec\n");
  EXPECT_EQ(pods(), "a c=301m/8Mi, b c=301m/8Mi");
  label("b", R"("app":"other")");
  EXPECT_EQ(pods(), "a c=601m/8Mi, b c=1m/8Mi") << "one pod has it all";
  world.pass(std::chrono::seconds(30));
  EXPECT_EQ(pods(), "a c=1m/8Mi, b c=1m/8Mi");
}

TEST_F(ConsumerTest, LoadOfAPodIsItsOwn) {
  EXPECT_EQ(consume("pods/http:a:8080/proxy/ConsumeMem?megabytes=56&durationSec=30").text,
            "ConsumeMem\n56 megabytes\n30 durationSec\n");
  EXPECT_EQ(pods(), "a c=1m/64Mi, b c=1m/8Mi");
}

TEST_F(ConsumerTest, BumpedMetricIsACustomMetricOfThePods) {
  EXPECT_EQ(consume("services/web/proxy/BumpMetric", "metric=qps&delta=10&durationSec=30").text,
            "BumpMetric\nqps metric\n10 delta\n30 durationSec\n");
  const Json list = get("/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/qps").body;
  ASSERT_EQ(list.get("items").size(), 2u);
  EXPECT_EQ(list.get("items").items()[0].text_at({"value"}), "5");
}

TEST_F(ConsumerTest, WrongCallsAreRefusedAsTheImageDoes) {
  EXPECT_EQ(get("/api/v1/namespaces/default/services/web/proxy/ConsumeCPU").text,
            "Bad request. Not a POST request\n");
  EXPECT_EQ(consume("services/web/proxy/ConsumeCPU", "millicores=600").text,
            "not given function argument\n");
  EXPECT_EQ(consume("services/web/proxy/ConsumeCPU", "millicores=x&durationSec=1").text,
            "incorrect function argument\n");
  EXPECT_EQ(consume("services/web/proxy/Nope", "").code, 404);
  EXPECT_EQ(consume("services/none/proxy/ConsumeCPU").message(), R"(services "none" not found)");
  label("a", R"("app":"x")");
  label("b", R"("app":"x")");
  const Reply none = consume("services/web/proxy/ConsumeCPU", "millicores=1&durationSec=1");
  EXPECT_EQ(none.code, 503);
  EXPECT_THAT(none.message(), HasSubstr("no endpoints available for service \"web\""));
}

}  // namespace
}  // namespace davit::sandbox
