/// Discovery, rights, and the rules at run time: docs/spec/hpa.md, section 26.2.
#include <algorithm>

#include "sandbox/auth/rbac.hpp"
#include "tests/sandbox/faults/header_users.hpp"
#include "tests/sandbox/metrics/metrics_world.hpp"

namespace davit::sandbox {
namespace {

using testing::HasSubstr;

class MetricsApiTest : public MetricsTest {
 protected:
  std::vector<std::string> groups() {
    std::vector<std::string> out;
    const Json list = get("/apis").body;
    for (const Json& each : list.get("groups").items()) {
      out.push_back(each.text_at({"name"}));
    }
    return out;
  }
};

TEST_F(MetricsApiTest, GroupsComeLastInDiscovery) {
  const std::vector<std::string> all = groups();
  ASSERT_GT(all.size(), 3u);
  EXPECT_EQ(std::vector(all.end() - 3, all.end()),
            (std::vector<std::string>{"metrics.k8s.io", "custom.metrics.k8s.io",
                                      "external.metrics.k8s.io"}));
  EXPECT_EQ(get("/apis/custom.metrics.k8s.io").body.text_at({"preferredVersion", "version"}),
            "v1beta2");
  EXPECT_EQ(get("/apis/metrics.k8s.io/v1beta1").body.get("resources").size(), 2u);
  EXPECT_EQ(get("/apis/metrics.k8s.io/v1").code, 404);
  EXPECT_EQ(get("/apis/metrics.k8s.io/v1/pods").code, 404);
}

TEST_F(MetricsApiTest, MetricsAreSubresourcesInTheAggregatedDocument) {
  add(R"([{"type":"custom","namespace":"default","resource":"pods","metric":"hits","value":1},
          {"type":"custom","namespace":"default","resource":"pods","metric":"qps","value":1},
          {"type":"external","namespace":"default","metric":"queue","value":1}])");
  const Reply reply = world.sandbox.send(
      "GET", "/apis", "",
      {{"Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}});
  const Json document = json_literal(reply.text);
  const Json::Items& items = document.get("items").items();
  const Json& custom = items[items.size() - 2];
  EXPECT_EQ(custom.text_at({"metadata", "name"}), "custom.metrics.k8s.io");
  const Json& version = custom.get("versions").items()[0];
  ASSERT_EQ(version.get("resources").size(), 1u);
  const Json& pods = version.get("resources").items()[0];
  EXPECT_EQ(pods.text_at({"resource"}), "pods");
  EXPECT_EQ(pods.text_at({"responseKind", "kind"}), "");
  EXPECT_EQ(pods.get("subresources").size(), 2u);
  const Json& queue = items.back().get("versions").items()[0].get("resources").items()[0];
  EXPECT_EQ(queue.text_at({"resource"}), "queue");
}

TEST_F(MetricsApiTest, HPA168_WithoutMetricsThereAreNoGroups) {
  MetricBoard none({.resource = false, .custom = false, .external = false});
  world.sandbox.reopen(serving(none));
  const std::vector<std::string> all = groups();
  EXPECT_EQ(std::ranges::find(all, "metrics.k8s.io"), all.end());
  EXPECT_EQ(get("/apis/metrics.k8s.io/v1beta1/pods").code, 404);
  EXPECT_EQ(get("/apis/external.metrics.k8s.io/v1beta1").code, 404);
}

TEST_F(MetricsApiTest, RulesAreShownReplacedAndRemoved) {
  const std::string rule = R"({"type":"external","namespace":"d","metric":"q","value":1})";
  EXPECT_EQ(add(rule), "1");
  EXPECT_EQ(get("/sandbox/metrics/1").body.text_at({"metric"}), "q");
  EXPECT_EQ(world.sandbox.put("/sandbox/metrics", "[" + rule + "," + rule + "]").code, 200);
  EXPECT_EQ(get("/sandbox/metrics").body.get("items").size(), 2u);
  EXPECT_EQ(get("/sandbox/metrics/1").code, 404);
  EXPECT_EQ(world.sandbox.put("/sandbox/metrics/2", "[]").code, 400);
  EXPECT_EQ(world.sandbox.remove("/sandbox/metrics/2").code, 200);
  EXPECT_EQ(get("/sandbox/metrics/").body.get("items").size(), 1u);
  EXPECT_EQ(world.sandbox.remove("/sandbox/metrics").code, 200);
  EXPECT_EQ(get("/sandbox/metrics").body.get("items").size(), 0u);
  EXPECT_THAT(world.sandbox.post("/sandbox/metrics", R"([{"type":"x"}])").message(),
              HasSubstr("[0].type: must be one of"));
  EXPECT_EQ(world.sandbox.post("/sandbox/metrics", "{").code, 400);
  EXPECT_EQ(world.sandbox.patch("/sandbox/metrics", "merge", "{}").code, 405);
}

TEST(MetricsRightsTest, HPA175_ViewReadsUsageAndSetsNone) {
  MetricBoard board;
  Sandbox sandbox;
  const HeaderUsers users;
  const std::unique_ptr<Authorizer> rbac = make_rbac_authorizer(sandbox.store);
  ApiServerOptions options;
  options.metrics = &board;
  options.authenticator = &users;
  options.authorizer = rbac.get();
  sandbox.reopen(options);
  const Json binding = json_literal(R"({"apiVersion":"rbac.authorization.k8s.io/v1",
      "kind":"ClusterRoleBinding","metadata":{"name":"viewer"},
      "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},
      "subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"viewer"}]})");
  ASSERT_TRUE(sandbox.store.create({"rbac.authorization.k8s.io", "clusterrolebindings"},
                                   {"", "viewer", binding, {}, {}}));
  const HttpHeaders viewer = {{"Test-User", "viewer"}};
  EXPECT_EQ(sandbox.send("GET", kPodsOfDefault, "", viewer).code, 200);
  EXPECT_EQ(sandbox.send("GET", "/apis/metrics.k8s.io/v1beta1/nodes", "", viewer).code, 200);
  EXPECT_EQ(sandbox.send("GET", kPodsOfDefault, "", {{"Test-User", "guest"}}).code, 403);
  EXPECT_EQ(sandbox.send("POST", "/sandbox/metrics", "{}", viewer).code, 403);
  EXPECT_EQ(
      sandbox
          .send("GET", "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue", "", viewer)
          .code,
      403);
}

}  // namespace
}  // namespace davit::sandbox
