// Parts of a real server that users look for, by the reports that missed them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "sandbox/server/request_metrics.hpp"
#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

std::string warnings(const Reply& reply) {
  std::string out;
  for (const auto& [name, value] : reply.headers) {
    if (name == "Warning") out += value + '\n';
  }
  return out;
}

std::string deployment(const std::string& name, const std::string& pod) {
  return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" + name +
         R"("},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},"template":{
            "metadata":{"labels":{"a":"b"}},"spec":{)" +
         pod + R"("containers":[{"name":"c","image":"i"}]}}}})";
}

const std::string kDeployments = "/apis/apps/v1/namespaces/default/deployments";
const std::string kPods = "/api/v1/namespaces/default/pods";

// Report sandbox-warnings.
TEST(BelievedTest, TemplatesOfWorkloadsAreWarnedOfAsPodsAre) {
  Sandbox sandbox;
  const Reply made = sandbox.post(
      kDeployments, deployment("web", R"("nodeSelector":{"beta.kubernetes.io/os":"linux"},)"));
  EXPECT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(warnings(made),
            "299 - \"spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since "
            "v1.14; use \\\"kubernetes.io/os\\\" instead\"\n");
}

// Report sandbox-warnings.
TEST(BelievedTest, AnUpdateIsWarnedOfWhenItChangesTheSpec) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox
                .post(kDeployments,
                      deployment("a.b", R"("nodeSelector":{"beta.kubernetes.io/os":"linux"},)"))
                .code,
            201);
  const Reply labelled =
      sandbox.patch(kDeployments + "/a.b", "merge", R"({"metadata":{"labels":{"x":"y"}}})");
  const Reply scaled = sandbox.patch(kDeployments + "/a.b", "merge", R"({"spec":{"replicas":2}})");

  EXPECT_EQ(warnings(labelled), "");
  EXPECT_NE(warnings(scaled).find("beta.kubernetes.io/os"), std::string::npos);
  EXPECT_EQ(warnings(scaled).find("metadata.name"), std::string::npos) << "said when it was made";
}

// Reports sandbox-defaults and sandbox-warnings.
TEST(BelievedTest, AnAppArmorAnnotationSetsTheFieldAndIsWarnedOf) {
  Sandbox sandbox;
  const Reply made = sandbox.post(kPods, R"({"metadata":{"name":"p","annotations":{
          "container.apparmor.security.beta.kubernetes.io/c":"runtime/default",
          "container.apparmor.security.beta.kubernetes.io/d":"localhost/mine",
          "seccomp.security.alpha.kubernetes.io/pod":"runtime/default"}},
          "spec":{"containers":[{"name":"c","image":"i"},{"name":"d","image":"i"}]}})");

  EXPECT_EQ(made.code, 201) << made.text;
  const Json::Items& containers = made.body.get("spec").get("containers").items();
  EXPECT_EQ(containers[0].get("securityContext"),
            json_literal(R"({"appArmorProfile":{"type":"RuntimeDefault"}})"));
  EXPECT_EQ(containers[1].get("securityContext"),
            json_literal(R"({"appArmorProfile":{"type":"Localhost","localhostProfile":"mine"}})"));
  const std::string said = warnings(made);
  EXPECT_NE(said.find("io/c]: deprecated since v1.30; use the \\\"appArmorProfile\\\" field"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("pod]: non-functional in v1.27+; use the \\\"seccompProfile\\\" field"),
            std::string::npos)
      << said;
}

// Report sandbox-warnings.
TEST(BelievedTest, FormatsThatNothingChecksAreWarnedOfOnce) {
  Sandbox sandbox;
  const Reply made =
      sandbox.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                   R"({"metadata":{"name":"as.b.c"},"spec":{"group":"b.c","scope":"Namespaced",
          "names":{"plural":"as","kind":"A"},"versions":[{"name":"v1","served":true,"storage":true,
          "schema":{"openAPIV3Schema":{"type":"object","properties":{
            "n":{"type":"integer","format":"int64"},"d":{"type":"string","format":"date-time"},
            "s":{"type":"string","format":"int64"},"t":{"type":"string","format":"int64"}}}}}]}})");
  EXPECT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(warnings(made), "299 - \"unrecognized format \\\"int64\\\"\"\n");
}

TEST(BelievedTest, ADeletionCostHasNoLeadingZero) {
  Sandbox sandbox;
  constexpr std::pair<const char*, int> kCosts[] = {
      {"0", 201}, {"-5", 201}, {"007", 422}, {"+7", 422}};
  for (const auto& [cost, code] : kCosts) {
    const Reply made = sandbox.post(
        kPods + "?dryRun=All",
        R"({"metadata":{"name":"p","annotations":{"controller.kubernetes.io/pod-deletion-cost":")" +
            std::string(cost) + R"("}},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    EXPECT_EQ(made.code, code) << cost;
  }
}

TEST(BelievedTest, AnEvictionMarksAPodThatIsAlreadyEnding) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox
                .post(kPods, R"({"metadata":{"name":"p"},"spec":{"nodeName":"n",
                                 "containers":[{"name":"c","image":"i"}]}})")
                .code,
            201);
  ASSERT_EQ(sandbox.remove(kPods + "/p").code, 200);

  const Reply evicted =
      sandbox.post(kPods + "/p/eviction",
                   R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"}})");

  EXPECT_EQ(evicted.code, 201) << evicted.text;
  const Reply now = sandbox.get(kPods + "/p");
  const Json::Items& conditions = now.body.get("status").get("conditions").items();
  ASSERT_EQ(conditions.size(), 1u) << now.text;
  EXPECT_EQ(conditions[0].get("type").text(), "DisruptionTarget");
}

TEST(BelievedTest, ComponentStatusesAreServedWithAWarning) {
  Sandbox sandbox;
  const Reply all = sandbox.get("/api/v1/componentstatuses");
  EXPECT_EQ(all.names(), "controller-manager etcd-0 scheduler");
  EXPECT_EQ(warnings(all), "299 - \"v1 ComponentStatus is deprecated in v1.19+\"\n");
  EXPECT_EQ(sandbox.get("/api/v1/componentstatuses/etcd-0").body.get("conditions"),
            json_literal(R"([{"type":"Healthy","status":"True","message":"ok"}])"));
  EXPECT_EQ(sandbox.post("/api/v1/componentstatuses", "{}").code, 405);
}

TEST(BelievedTest, EveryServedVersionHasAnApiService) {
  Sandbox sandbox;
  const std::string path = "/apis/apiregistration.k8s.io/v1/apiservices";
  const Reply apps = sandbox.get(path + "/v1.apps");
  EXPECT_EQ(apps.body.get("spec"), json_literal(R"({"group":"apps","version":"v1",
      "groupPriorityMinimum":17800,"versionPriority":15})"))
      << apps.text;
  EXPECT_EQ(apps.body.get("metadata").get("labels"),
            json_literal(R"({"kube-aggregator.kubernetes.io/automanaged":"onstart"})"));
  EXPECT_EQ(apps.body.get("status").get("conditions").items().at(0).get("reason").text(), "Local");
  EXPECT_EQ(sandbox.get(path + "/v1.").body.get("spec").contains("group"), false);
}

TEST(BelievedTest, ApiServicesOfCustomResourcesComeAndGoWithTheirDefinition) {
  Sandbox sandbox;
  const std::string definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const std::string service = "/apis/apiregistration.k8s.io/v1/apiservices/v1.b.c";
  ASSERT_EQ(sandbox
                .post(definitions, R"({"metadata":{"name":"as.b.c"},"spec":{"group":"b.c",
                    "scope":"Namespaced","names":{"plural":"as","kind":"A"},"versions":[{
                    "name":"v1","served":true,"storage":true,
                    "schema":{"openAPIV3Schema":{"type":"object"}}}]}})")
                .code,
            201);
  const Reply made = sandbox.get(service);
  EXPECT_EQ(made.body.text_at({"metadata", "labels", "kube-aggregator.kubernetes.io/automanaged"}),
            "true")
      << made.text;

  ASSERT_EQ(sandbox.remove(definitions + "/as.b.c").code, 200);

  EXPECT_EQ(sandbox.get(service).code, 404);
}

TEST(BelievedTest, TheApiServiceOfACustomResourceIsNeitherChangedNorDeletedForLong) {
  Sandbox sandbox;
  const std::string services = "/apis/apiregistration.k8s.io/v1/apiservices";
  ASSERT_EQ(sandbox
                .post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                      R"({"metadata":{"name":"as.b.c"},"spec":{"group":"b.c",
                    "scope":"Namespaced","names":{"plural":"as","kind":"A"},"versions":[{
                    "name":"v1","served":true,"storage":true,
                    "schema":{"openAPIV3Schema":{"type":"object"}}}]}})")
                .code,
            201);
  const Json own = sandbox.get(services + "/v1.b.c").body.get("spec");

  ASSERT_EQ(sandbox
                .patch(services + "/v1.b.c", "merge",
                       R"({"spec":{"insecureSkipTLSVerify":true,
                           "service":{"namespace":"a","name":"b"}}})")
                .code,
            200);
  EXPECT_EQ(sandbox.get(services + "/v1.b.c").body.get("spec"), own);
  ASSERT_EQ(sandbox.remove(services + "/v1.b.c").code, 200);
  EXPECT_EQ(sandbox.get(services + "/v1.b.c").body.get("spec"), own);

  // One that claims to be managed and belongs to no definition goes.
  ASSERT_EQ(sandbox
                .post(services, R"({"metadata":{"name":"v1.x.y","labels":{
                    "kube-aggregator.kubernetes.io/automanaged":"true"}},"spec":{"group":"x.y",
                    "version":"v1","groupPriorityMinimum":1,"versionPriority":1}})")
                .code,
            201);
  EXPECT_EQ(sandbox.get(services + "/v1.x.y").code, 404);
}

TEST(BelievedTest, MetricsCountRequestsAndObjects) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.get(kPods).code, 200);
  ASSERT_EQ(sandbox.get(kPods + "/none").code, 404);
  ASSERT_EQ(sandbox.get("/apis/no.such/v1/things").code, 404);

  const Reply page = sandbox.get("/metrics");

  EXPECT_EQ(page.code, 200);
  for (const char* line :
       {"apiserver_request_total{code=\"200\",component=\"apiserver\",dry_run=\"\",group=\"\","
        "resource=\"pods\",scope=\"namespace\",subresource=\"\",verb=\"LIST\",version=\"v1\"} 1\n",
        "apiserver_request_total{code=\"404\",component=\"apiserver\",dry_run=\"\",group=\"\","
        "resource=\"pods\",scope=\"resource\",subresource=\"\",verb=\"GET\",version=\"v1\"} 1\n",
        "apiserver_resource_objects{group=\"\",resource=\"namespaces\"} 4\n",
        "# TYPE apiserver_request_total counter\n", "kubernetes_build_info{git_version=\"v1.36"}) {
    EXPECT_NE(page.text.find(line), std::string::npos) << line;
  }
  EXPECT_EQ(page.text.find("no.such"), std::string::npos) << "what clients make up has no series";
}

TEST(BelievedTest, ADeferredRequestIsCountedOnceByItsLastCode) {
  Sandbox sandbox;
  const std::string future = "?resourceVersion=" + std::to_string(sandbox.store.revision() + 1);
  const auto count_of = [&sandbox](const std::string& code) {
    const std::string page = sandbox.get("/metrics").text;
    const std::string start = "{code=\"" + code +
                              "\",component=\"apiserver\",dry_run=\"\",group=\"\",resource="
                              "\"pods\",scope=\"namespace\",subresource=\"\",verb=\"LIST\"";
    const std::size_t at = page.find(start);
    return at == page.npos ? "" : page.substr(page.find("} ", at) + 2, 1);
  };
  Reply known = sandbox.get(kPods + future);
  ASSERT_NE(known.deferred, nullptr);
  EXPECT_EQ(count_of("504"), "");
  ASSERT_EQ(sandbox.post("/api/v1/namespaces", R"({"metadata":{"name":"n"}})").code, 201);
  sandbox.clock.advance(std::chrono::seconds(1));
  ASSERT_TRUE(known.deferred->take());
  EXPECT_EQ(count_of("200"), "1");
  EXPECT_EQ(count_of("504"), "");

  const Reply late =
      sandbox.get(kPods + "?resourceVersion=" + std::to_string(sandbox.store.revision() + 1000));
  ASSERT_NE(late.deferred, nullptr);
  sandbox.clock.advance(std::chrono::seconds(4));
  ASSERT_TRUE(late.deferred->take());

  EXPECT_EQ(count_of("504"), "1");
}

TEST(BelievedTest, TheSeriesOfTheMetricsAreBounded) {
  RequestMetrics metrics;
  for (int i = 0; i < 9000; ++i) {
    metrics.note({"resource=\"r" + std::to_string(i) + '"', "resource=\"other\""}, 200);
  }
  metrics.note({"resource=\"r0\"", "resource=\"other\""}, 200);

  const std::string page = metrics.requests();

  EXPECT_NE(page.find("{code=\"200\",resource=\"r8191\"} 1\n"), std::string::npos);
  EXPECT_EQ(page.find("r8192"), std::string::npos);
  EXPECT_NE(page.find("{code=\"200\",resource=\"other\"} 808\n"), std::string::npos);
  EXPECT_NE(page.find("{code=\"200\",resource=\"r0\"} 2\n"), std::string::npos);
}

// Report gc-crd-deleted is tested with the collector, job-complete-after-pod-delete with the nodes.

// Report rbac-subject-without-namespace.
TEST(BelievedTest, AServiceAccountOfARoleBindingNeedsNoNamespace) {
  Sandbox sandbox;
  const std::string base = "/apis/rbac.authorization.k8s.io/v1/";
  const std::string body =
      R"({"metadata":{"name":"ledger"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",
          "kind":"ClusterRole","name":"view"},"subjects":[{"kind":"ServiceAccount","name":"l"}]})";
  EXPECT_EQ(sandbox.post(base + "namespaces/default/rolebindings", body).code, 201);
  const Reply whole = sandbox.post(base + "clusterrolebindings", body);
  EXPECT_EQ(whole.code, 422);
  EXPECT_NE(whole.message().find("subjects[0].namespace: Required value"), std::string::npos);
}

// Report indexed-job-name.
TEST(BelievedTest, TheNamesOfAnIndexedJobsPodsMustFit) {
  Sandbox sandbox;
  const std::string name = "settle-the-ledger-of-every-branch-office-in-all-the-countries";
  const Reply made =
      sandbox.post("/apis/batch/v1/namespaces/default/jobs",
                   R"({"metadata":{"name":")" + name + R"("},"spec":{"completionMode":"Indexed",
          "completions":100,"parallelism":1,"template":{"spec":{"restartPolicy":"Never",
          "containers":[{"name":"c","image":"i"}]}}}})");
  EXPECT_EQ(made.code, 422);
  EXPECT_NE(
      made.message().find("will not able to create pod with invalid DNS label: " + name + "-99"),
      std::string::npos)
      << made.message();
}

struct ScheduleCase {
  const char* schedule;
  const char* zone;
  int code;
};

constexpr ScheduleCase kScheduleCases[] = {{"0\\t6 * * *", "", 201},
                                           {"@every -1h", "", 201},
                                           {"@every 1x5h", "", 422},
                                           {"+5 * * * *", "", 201},
                                           {"0 6 * * *", "GB-Eire", 201},
                                           {"0 6 * * *", "Europe/Berln", 422},
                                           {"0 6 * * *", "America/New_york", 422}};

// Report cron-second-parser.
TEST(BelievedTest, SchedulesAndZonesAreReadAsTheControllerReadsThem) {
  Sandbox sandbox;
  for (const ScheduleCase& each : kScheduleCases) {
    const std::string zone =
        *each.zone == '\0' ? "" : R"("timeZone":")" + std::string(each.zone) + R"(",)";
    const Reply made = sandbox.post(
        "/apis/batch/v1/namespaces/default/cronjobs?dryRun=All",
        R"({"metadata":{"name":"c"},"spec":{)" + zone + R"("schedule":")" + each.schedule +
            R"(","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never",
            "containers":[{"name":"c","image":"i"}]}}}}}})");
    EXPECT_EQ(made.code, each.code) << each.schedule << ' ' << zone << made.text;
  }
}

}  // namespace
}  // namespace davit::sandbox
