/// custom.metrics.k8s.io and external.metrics.k8s.io: docs/spec/hpa.md, sections 26.2 and 26.4.
#include "tests/sandbox/metrics/metrics_world.hpp"

namespace davit::sandbox {
namespace {

constexpr char kCustom[] = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/";
constexpr char kExternal[] = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/";

class ValueApiTest : public MetricsTest {
 protected:
  /// "web 20, …" of a MetricValueList.
  std::string values(const std::string& path) {
    const Reply reply = get(kCustom + path);
    if (reply.code != 200) return reply.message();
    EXPECT_EQ(reply.body.text_at({"kind"}), "MetricValueList");
    std::string out;
    for (const Json& each : reply.body.get("items").items()) {
      out += (out.empty() ? "" : ", ") + each.text_at({"describedObject", "name"}) + ' ' +
             each.text_at({"value"});
    }
    return out;
  }
};

TEST_F(ValueApiTest, HPA173_CustomMetricHasAnItemForEachPod) {
  for (const char* name : {"p1", "p2", "p3"}) {
    put_pod(name, name == std::string("p3") ? "" : R"("app":"web")");
  }
  EXPECT_EQ(values("pods/*/hits"), "the server could not find the metric hits for pods");
  add(R"({"type":"custom","namespace":"default","resource":"pods","selector":"app=web",
          "metric":"hits","value":20})");
  EXPECT_EQ(values("pods/*/hits"), "p1 20, p2 20");
  EXPECT_EQ(values("pods/%2A/hits?labelSelector=app%3Dx"), "") << "known, but none matches";
  EXPECT_EQ(values("pods/p1/hits"), "p1 20");
  EXPECT_EQ(values("pods/p3/hits"), "the server could not find the metric hits for pods p3");
  const Json item = get(kCustom + std::string("pods/p1/hits")).body.get("items").items()[0];
  EXPECT_EQ(to_text(item.get("describedObject")),
            R"({"kind":"Pod","namespace":"default","name":"p1","apiVersion":"v1"})");
  EXPECT_EQ(to_text(item.get("metric")), R"({"name":"hits","selector":null})");
  const Json list = get("/apis/custom.metrics.k8s.io/v1beta2").body;
  EXPECT_EQ(to_text(list.get("resources")),
            R"([{"name":"pods/hits","singularName":"","namespaced":true,"kind":"MetricValueList",)"
            R"("verbs":["get"]}])");
}

TEST_F(ValueApiTest, OldVersionHasItsOwnMembers) {
  put_pod("p1");
  add(R"({"type":"custom","namespace":"default","resource":"pods","metric":"hits","value":"250m",
          "windowSeconds":60})");
  const Json item = get("/apis/custom.metrics.k8s.io/v1beta1/namespaces/default/pods/p1/hits")
                        .body.get("items")
                        .items()[0];
  EXPECT_EQ(item.text_at({"metricName"}), "hits");
  EXPECT_EQ(item.text_at({"window"}), "60");
  EXPECT_EQ(item.text_at({"value"}), "250m");
}

TEST_F(ValueApiTest, NamedObjectsNeedNotExist) {
  add(R"([{"type":"custom","namespace":"default","group":"networking.k8s.io",
           "resource":"ingresses","name":"web","metric":"hits","value":7,"labels":{"verb":"GET"}},
          {"type":"custom","namespace":"default","resource":"namespaces","metric":"hits","value":8},
          {"type":"custom","namespace":"default","resource":"nodes","name":"node-1","metric":"load",
           "value":"-1"}])");
  EXPECT_EQ(values("ingresses.networking.k8s.io/web/hits"), "web 7");
  EXPECT_EQ(values("ingresses.networking.k8s.io/web/hits?metricLabelSelector=verb%3DPUT"),
            "the server could not find the metric hits for ingresses.networking.k8s.io web");
  EXPECT_EQ(values("metrics/hits"), "default 8");
  EXPECT_EQ(values("nodes/node-1/load"), "node-1 -1");
  EXPECT_EQ(get("/apis/custom.metrics.k8s.io/v1beta2/nodes/node-1/load").code, 200);
}

TEST_F(ValueApiTest, HPA174_ExternalMetricIsChosenByItsLabels) {
  add(R"([{"type":"external","namespace":"default","metric":"Queue","labels":{"env":"p"},
           "value":25},
          {"type":"external","namespace":"*","metric":"queue","labels":{"env":"p"},
           "value":"9e15"}])");
  const Json all = get(kExternal + std::string("queue")).body;
  ASSERT_EQ(all.get("items").size(), 2u);
  EXPECT_EQ(all.text_at({"kind"}), "ExternalMetricValueList");
  EXPECT_EQ(all.get("items").items()[1].text_at({"value"}), "9P");
  EXPECT_EQ(to_text(all.get("items").items()[0].get("metricLabels")), R"({"env":"p"})");
  const Reply none = get(kExternal + std::string("queue?labelSelector=env%3Dq"));
  EXPECT_EQ(none.code, 200);
  EXPECT_EQ(none.body.get("items").size(), 0u);
  EXPECT_EQ(get(kExternal + std::string("other")).body.get("items").size(), 0u);
  EXPECT_EQ(get("/apis/external.metrics.k8s.io/v1beta1/queue").code, 404);
}

TEST_F(ValueApiTest, RawRuleIsTheResponse) {
  add(R"({"type":"raw","path":"/apis/metrics.k8s.io/v1beta1/namespaces/default/pods","code":500,
          "body":{"kind":"Status","message":"boom"}})");
  const Reply reply = get(std::string(kPodsOfDefault) + "?labelSelector=a");
  EXPECT_EQ(reply.code, 500);
  EXPECT_EQ(reply.message(), "boom");
}

}  // namespace
}  // namespace davit::sandbox
