// Device claims of pods from the scheduler to the kubelet, on a whole server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nodes/device_world.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr char kFinalizer[] = "resource.kubernetes.io/delete-protection";

/// Has the first writes to a claim's status refused with `code`.
void refuse_status_writes(DeviceWorld& world, int times, int code) {
  world.server.intercept =
      [times, code](const HttpServerRequest& request) mutable -> std::optional<HttpServerResponse> {
    const bool status = request.method == "PATCH" &&
                        request.target.find("/resourceclaims/") != std::string::npos &&
                        request.target.find("/status") != std::string::npos;
    if (!status || times-- <= 0) return std::nullopt;
    HttpServerResponse response;
    response.status = code;
    return response;
  };
}

TEST(DeviceClaimsTest, TheSchedulerAllocatesAndReservesBeforeItBinds) {
  DeviceWorld world;
  world.create_claim("c");
  world.create_user("p", "c");
  EXPECT_EQ(world.phase("p"), "Running");
  const std::string node = world.node_of("p");
  EXPECT_THAT(world.devices("c"), ElementsAre(node + "/gpu-0"));
  EXPECT_THAT(world.consumers("c"), ElementsAre("p"));
  const Json claim = world.claim("c");
  EXPECT_EQ(to_text(claim.get("metadata").get("finalizers")),
            R"([")" + std::string(kFinalizer) + R"("])");
  EXPECT_EQ(claim.text_at({"status", "allocation", "devices"}), "");
  EXPECT_NE(claim.text_at({"status", "allocation", "allocationTimestamp"}), "");
  EXPECT_THAT(to_text(claim.get("status").get("allocation").get("nodeSelector")),
              HasSubstr(R"("values":[")" + node + R"("])"));
}

TEST(DeviceClaimsTest, TheDriverReportsPreparedDevicesUntilTheyAreReleased) {
  DeviceWorld world;
  world.create_claim("c");
  world.create_user("p", "c");
  const Json devices = world.claim("c").get("status").get("devices");
  ASSERT_EQ(devices.size(), 1U);
  const Json& device = devices.items()[0];
  EXPECT_EQ(device.get("driver").text(), "devices.sandbox.davit.dev");
  EXPECT_EQ(device.get("device").text(), "gpu-0");
  EXPECT_EQ(device.get("conditions").items().at(0).get("type").text(), "Ready");
  world.sandbox.remove("/api/v1/namespaces/default/pods/p");
  world.pass(seconds(1));
  ASSERT_TRUE(world.gone("p"));
  world.release("c");
  EXPECT_EQ(world.claim("c").get("status").get("devices").size(), 0U);
}

TEST(DeviceClaimsTest, NoTwoClaimsGetOneDevice) {
  DeviceWorld world;
  for (const std::string name : {"a", "b", "c", "d"}) world.create_claim(name);
  for (const std::string name : {"a", "b", "c", "d"}) {
    world.create_user("p-" + name, name);
  }
  std::set<std::string> all;
  for (const std::string name : {"a", "b", "c", "d"}) {
    EXPECT_EQ(world.phase("p-" + name), "Running");
    for (const std::string& each : world.devices(name)) all.insert(each);
  }
  EXPECT_EQ(all.size(), 4U);
}

TEST(DeviceClaimsTest, APodWaitsWithTheSchedulersWordsUntilADeviceIsFree) {
  DeviceWorld world;
  world.create_claim("all", R"(,"count":2)");
  world.create_claim("all2", R"(,"count":2)");
  world.create_user("p", "all");
  world.create_user("q", "all2");
  world.create_claim("more");
  world.create_user("r", "more");
  const std::string wanted = "0/2 nodes are available: 2 cannot allocate all claims.";
  EXPECT_EQ(world.refusal("r"), wanted);
  EXPECT_EQ(World::condition(world.pod("r"), "PodScheduled", "reason"), "Unschedulable");
  EXPECT_THAT(world.events("r"), ElementsAre("FailedScheduling " + wanted));
  world.sandbox.remove("/api/v1/namespaces/default/pods/p");
  world.pass(seconds(1));
  world.release("all");
  world.pass(seconds(30));
  EXPECT_EQ(world.phase("r"), "Running");
}

TEST(DeviceClaimsTest, AMissingClassIsNamed) {
  DeviceWorld world;
  world.must(world.sandbox.post(
      DeviceWorld::kClaims,
      R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r","exactly":)"
      R"({"deviceClassName":"nope"}}]}}})"));
  world.create_user("p", "c");
  EXPECT_EQ(world.refusal("p"),
            "0/2 nodes are available: request r: device class nope does not exist.");
  world.must(world.sandbox.post("/apis/resource.k8s.io/v1/deviceclasses",
                                R"({"metadata":{"name":"nope"},"spec":{}})"));
  world.pass(seconds(30));
  EXPECT_EQ(world.phase("p"), "Running");
}

TEST(DeviceClaimsTest, AnExpressionThatFailsIsASchedulerError) {
  DeviceWorld world;
  world.create_claim("c", R"(,"selectors":[{"cel":{"expression":)"
                          R"("device.attributes[\"devices.sandbox.davit.dev\"].nope == 1"}}])");
  world.create_user("p", "c");
  EXPECT_EQ(World::condition(world.pod("p"), "PodScheduled", "reason"), "SchedulerError");
  EXPECT_EQ(world.refusal("p"),
            "running \"DynamicResources\" filter plugin: claim default/c: selector #0: CEL "
            "runtime error: no such key: nope");
}

TEST(DeviceClaimsTest, APodWhoseClaimIsMissingWaitsInSilence) {
  DeviceWorld world;
  world.create_user("p", "c");
  EXPECT_EQ(World::condition(world.pod("p"), "PodScheduled"), "none");
  EXPECT_THAT(world.events("p"), IsEmpty());
  world.create_claim("c");
  EXPECT_EQ(world.phase("p"), "Running");
}

TEST(DeviceClaimsTest, AGeneratedClaimMustBelongToThePod) {
  DeviceWorld world;
  world.create_pod("p", R"("resourceClaims":[{"name":"d","resourceClaimTemplateName":"t"}])");
  const std::string uid = world.pod("p").text_at({"metadata", "uid"});
  const auto point_to = [&](const std::string& name) {
    EXPECT_EQ(world.sandbox
                  .patch("/api/v1/namespaces/default/pods/p/status", "merge",
                         R"({"status":{"resourceClaimStatuses":[{"name":"d",)"
                         R"("resourceClaimName":")" +
                             name + R"("}]}})")
                  .code,
              200);
    world.run_until_idle();
  };
  world.create_claim("foreign");
  point_to("foreign");
  world.pass(seconds(30));
  EXPECT_EQ(world.node_of("p"), "");
  world.must(world.sandbox.post(
      DeviceWorld::kClaims,
      R"({"metadata":{"name":"own","ownerReferences":[{"apiVersion":"v1","kind":"Pod",)"
      R"("name":"p","controller":true,"uid":")" +
          uid +
          R"("}]},"spec":{"devices":{"requests":[{"name":"r","exactly":{)"
          R"("deviceClassName":"sandbox"}}]}}})"));
  point_to("own");
  EXPECT_EQ(world.phase("p"), "Running");
  EXPECT_THAT(world.devices("foreign"), IsEmpty());
}

TEST(DeviceClaimsTest, PodsThatShareAClaimMeetOnItsNode) {
  DeviceWorld world;
  world.create_claim("c");
  world.create_user("p", "c");
  world.create_user("q", "c");
  world.pass(seconds(10));
  EXPECT_EQ(world.phase("q"), "Running");
  EXPECT_EQ(world.node_of("p"), world.node_of("q"));
  EXPECT_THAT(world.consumers("c"), ElementsAre("p", "q"));
  EXPECT_EQ(world.claim("c").get("status").get("devices").size(), 1U);
}

TEST(DeviceClaimsTest, AnAllocatedClaimWhoseNodeIsFullMovesToAnother) {
  DeviceWorld world;
  world.create_claim("c");
  world.create_user("p", "c");
  const std::string node = world.node_of("p");
  world.sandbox.remove("/api/v1/namespaces/default/pods/p");
  world.pass(seconds(1));
  world.merge(DeviceWorld::claim_path("c") + "/status", R"({"status":{"reservedFor":null}})");
  world.merge("/api/v1/nodes/" + node, R"({"spec":{"unschedulable":true}})");
  world.create_user("q", "c");
  world.pass(seconds(30));
  EXPECT_EQ(world.phase("q"), "Running");
  EXPECT_NE(world.node_of("q"), node);
  EXPECT_THAT(world.devices("c"), ElementsAre(world.node_of("q") + "/gpu-0"));
}

TEST(DeviceClaimsTest, AConflictOfAWriteIsTriedAgainOnTheSameNode) {
  DeviceWorld world;
  world.create_claim("c");
  refuse_status_writes(world, 1, 409);
  world.create_user("p", "c");
  world.pass(seconds(2));
  EXPECT_EQ(world.phase("p"), "Running");
  EXPECT_THAT(world.events("p"), Not(Contains(StartsWith("FailedScheduling"))));
}

TEST(DeviceClaimsTest, AFailureOfAWriteGivesTheDevicesBack) {
  DeviceWorld world;
  world.create_claim("c", R"(,"count":2)");
  refuse_status_writes(world, 1, 500);
  world.create_user("p", "c");
  world.pass(seconds(30));
  EXPECT_EQ(world.phase("p"), "Running");
  EXPECT_EQ(world.devices("c").size(), 2U);
}

TEST(DeviceClaimsTest, ABindingThatFailsTakesThePodOffItsClaims) {
  DeviceWorld world;
  world.create_claim("c");
  bool refuse = true;
  world.server.intercept =
      [&refuse](const HttpServerRequest& request) -> std::optional<HttpServerResponse> {
    if (!refuse || request.target.find("/binding") == std::string::npos) return std::nullopt;
    HttpServerResponse response;
    response.status = 500;
    return response;
  };
  world.create_user("p", "c");
  EXPECT_THAT(world.consumers("c"), IsEmpty());
  EXPECT_EQ(world.devices("c").size(), 1U) << "the allocation stays";
  refuse = false;
  world.pass(seconds(30));
  EXPECT_EQ(world.phase("p"), "Running");
  EXPECT_THAT(world.consumers("c"), ElementsAre("p"));
}

TEST(DeviceClaimsTest, ANodeThatOffersTheBetterAlternativeIsChosen) {
  DeviceWorld world;
  world.create_pod("busy", R"("nodeName":"node-2")");
  world.annotate("node-1", "devices", "1");
  world.must(world.sandbox.post(
      DeviceWorld::kClaims,
      R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r","firstAvailable":[)"
      R"({"name":"best","deviceClassName":"sandbox","count":2},)"
      R"({"name":"good","deviceClassName":"sandbox"}]}]}}})"));
  world.create_user("p", "c");
  EXPECT_EQ(world.node_of("p"), "node-2") << "although it has more pods";
  EXPECT_THAT(world.devices("c"), ElementsAre("node-2/gpu-0", "node-2/gpu-1"));
}

TEST(DeviceClaimsTest, TaintedDevicesGetNoNewClaims) {
  DeviceWorld world;
  world.annotate("node-1", "withdrawn-devices", "*");
  world.annotate("node-2", "withdrawn-devices", "gpu-0");
  world.create_claim("c");
  world.create_user("p", "c");
  EXPECT_THAT(world.devices("c"), ElementsAre("node-2/gpu-1"));
}

TEST(DeviceClaimsTest, ATaintRuleKeepsDevicesFromNewClaimsUntilItIsDeleted) {
  ApiServerOptions served;
  served.kind_gates.device_taint_rules = true;
  DeviceWorld world(with_devices(), served);
  const std::string rules = "/apis/resource.k8s.io/v1beta2/devicetaintrules";
  world.must(world.sandbox.post(
      rules,
      R"({"apiVersion":"resource.k8s.io/v1beta2","kind":"DeviceTaintRule","metadata":{"name":"r"},)"
      R"("spec":{"deviceSelector":{"driver":"devices.sandbox.davit.dev"},)"
      R"("taint":{"key":"k","effect":"NoSchedule"}}})"));
  world.create_claim("c");
  world.create_claim("tolerant", R"(,"tolerations":[{"key":"k","operator":"Exists"}])");
  world.create_user("p", "c");
  world.create_user("q", "tolerant");
  EXPECT_EQ(world.refusal("p"), "0/2 nodes are available: 2 cannot allocate all claims.");
  EXPECT_EQ(world.phase("q"), "Running");
  world.sandbox.remove(rules + "/r");
  world.pass(seconds(30));
  EXPECT_EQ(world.phase("p"), "Running");
}

constexpr char kSharedNic[] =
    R"([{"name":"nic","allowMultipleAllocations":true,"capacity":{"bandwidth":{"value":"10Gi"}}}])";

TEST(DeviceClaimsTest, PodsShareADeviceUntilItsCapacityIsUsedUp) {
  DeviceWorld world(with_devices(0));
  world.annotate("node-1", "devices", kSharedNic);
  const std::string part = R"(,"capacity":{"requests":{"bandwidth":"4Gi"}})";
  for (const std::string name : {"a", "b", "c"}) {
    world.create_claim(name, part);
    world.create_user("p-" + name, name);
  }
  EXPECT_EQ(world.phase("p-a"), "Running");
  EXPECT_EQ(world.phase("p-b"), "Running");
  EXPECT_EQ(world.refusal("p-c"), "0/2 nodes are available: 2 cannot allocate all claims.");
  const Json status = world.claim("a").get("status");
  const Json& result = status.get("allocation").get("devices").get("results").items().at(0);
  EXPECT_EQ(result.text_at({"consumedCapacity", "bandwidth"}), "4Gi");
  EXPECT_EQ(status.get("devices").items().at(0).get("shareID"), result.get("shareID"))
      << "the driver reports the share";

  world.sandbox.remove("/api/v1/namespaces/default/pods/p-a?gracePeriodSeconds=0");
  world.release("a");
  world.pass(seconds(30));
  EXPECT_EQ(world.phase("p-c"), "Running");
}

constexpr char kHalves[] =
    R"([{"name":"half-0","consumesCounters":[{"counterSet":"gpu","counters":{"m":{"value":"1"}}}]},
        {"name":"half-1","consumesCounters":[{"counterSet":"gpu","counters":{"m":{"value":"1"}}}]},
        {"name":"all","consumesCounters":[{"counterSet":"gpu","counters":{"m":{"value":"2"}}}]}])";

TEST(DeviceClaimsTest, PartsOfADeviceAreTakenWhileItsCountersLast) {
  DeviceWorld world(with_devices(0));
  world.annotate("node-1", "shared-counters", R"([{"name":"gpu","counters":{"m":{"value":"2"}}}])");
  world.annotate("node-1", "devices", kHalves);
  world.create_claim("two", R"(,"count":2)");
  world.create_claim("one");
  world.create_user("p", "two");
  world.create_user("q", "one");
  EXPECT_THAT(world.devices("two"), ElementsAre("node-1/half-0", "node-1/half-1"));
  EXPECT_EQ(world.refusal("q"), "0/2 nodes are available: 2 cannot allocate all claims.");
  world.sandbox.remove("/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0");
  world.release("two");
  world.pass(seconds(30));
  EXPECT_THAT(world.devices("one"), ElementsAre("node-1/half-0"));
}

constexpr char kSlowDevice[] =
    R"([{"name":"slow","bindingConditions":["ready"],"bindingFailureConditions":["broken"]}])";

/// The driver reports the one device of the claim.
void report(DeviceWorld& world, const std::string& claim, const std::string& condition) {
  world.merge(DeviceWorld::claim_path(claim) + "/status",
              R"({"status":{"devices":[{"driver":"devices.sandbox.davit.dev","pool":"node-1",)"
              R"("device":"slow","conditions":[{"type":")" +
                  condition +
                  R"(","status":"True","reason":"R","message":"",)"
                  R"("lastTransitionTime":"2026-01-01T00:00:00Z"}]}]}})");
}

TEST(DeviceClaimsTest, APodIsBoundOnceItsDevicesReportWhatTheyMust) {
  DeviceWorld world(with_devices(0));
  world.annotate("node-1", "devices", kSlowDevice);
  world.create_claim("c");
  world.create_user("p", "c");
  world.pass(seconds(60));
  EXPECT_EQ(world.node_of("p"), "");
  EXPECT_THAT(world.consumers("c"), ElementsAre("p"));
  EXPECT_THAT(world.events("p"),
              ElementsAre("BindingConditionsPending waiting for binding conditions for device on "
                          "node node-1"));
  report(world, "c", "ready");
  world.pass(seconds(10));
  EXPECT_EQ(world.phase("p"), "Running");
}

TEST(DeviceClaimsTest, ADeviceThatFailsBeforeThePodIsBoundIsGivenUp) {
  DeviceWorld world(with_devices(0));
  world.annotate("node-1", "devices", kSlowDevice);
  world.create_claim("c");
  world.create_user("p", "c");
  EXPECT_THAT(world.devices("c"), ElementsAre("node-1/slow"));
  world.annotate("node-1", "devices", "0");
  report(world, "c", "broken");
  world.pass(seconds(60));
  EXPECT_THAT(world.devices("c"), IsEmpty());
  EXPECT_EQ(world.refusal("p"), "0/2 nodes are available: 2 cannot allocate all claims.");
  EXPECT_EQ(world.node_of("p"), "");
}

TEST(DeviceClaimsTest, ADeviceThatReportsNothingForTenMinutesIsGivenUp) {
  DeviceWorld world(with_devices(0));
  world.annotate("node-1", "devices", kSlowDevice);
  world.create_claim("c");
  world.create_user("p", "c");
  world.annotate("node-1", "devices", "0");
  world.pass(seconds(590));
  EXPECT_THAT(world.devices("c"), ElementsAre("node-1/slow"));
  world.pass(seconds(120));
  EXPECT_THAT(world.devices("c"), IsEmpty());
}

TEST(DeviceClaimsTest, AdminAccessNeedsALabelOfTheNamespace) {
  DeviceWorld world;
  const std::string wanted =
      R"("spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"sandbox",)"
      R"("adminAccess":true}}]}}})";
  const Reply refused =
      world.sandbox.post(DeviceWorld::kClaims, R"({"metadata":{"name":"c"},)" + wanted);
  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(refused.text, HasSubstr("spec.devices.requests[0].adminAccess: Forbidden"));
  world.merge("/api/v1/namespaces/default",
              R"({"metadata":{"labels":{"resource.kubernetes.io/admin-access":"true"}}})");
  world.must(world.sandbox.post(DeviceWorld::kClaims, R"({"metadata":{"name":"c"},)" + wanted));
  world.create_user("p", "c");
  EXPECT_EQ(world.phase("p"), "Running");
}

struct JudgedCase {
  const char* target;
  const char* object;
  const char* fields;  ///< Those of the refusal's causes; empty: accepted.
};
constexpr char kClasses[] = "/apis/resource.k8s.io/v1/deviceclasses";
constexpr char kTemplates[] = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates";

// clang-format off
constexpr JudgedCase kJudged[] = {
    {kClasses, R"("spec":{"selectors":[{}]})", "spec.selectors[0].cel"},
    {kClasses, R"("spec":{"selectors":[{"cel":{"expression":"nope"}}]})",
     "spec.selectors[0].cel.expression"},
    {kClasses, R"("spec":{"config":[{"opaque":{"driver":"d.io","parameters":[1]}}]})",
     "spec.config[0].opaque.parameters"},
    {kClasses, R"("spec":{"extendedResourceName":"gpu"})", "spec.extendedResourceName"},
    {kClasses, R"("spec":{"extendedResourceName":"example.com/gpu"})", ""},
    {DeviceWorld::kClaims, R"("spec":{"devices":{"requests":[{}]}})",
     "spec.devices.requests[0].name spec.devices.requests[0]"},
    {DeviceWorld::kClaims,
     R"("spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c","count":-1,
        "tolerations":[{"operator":"Exists","value":"v"}]}}]}})",
     "spec.devices.requests[0].exactly.count "
     "spec.devices.requests[0].exactly.tolerations[0].value"},
    {DeviceWorld::kClaims,
     R"("spec":{"devices":{"requests":[{"name":"r","firstAvailable":[{"name":"a",
        "deviceClassName":"c"},{"name":"a","deviceClassName":"c"}]}],
        "constraints":[{"requests":["r/b"],"matchAttribute":"x"}]}})",
     "spec.devices.requests[0].firstAvailable[1] spec.devices.constraints[0].requests[0] "
     "spec.devices.constraints[0].matchAttribute"},
    {kTemplates, R"("spec":{"metadata":{"name":"x"},"spec":{"devices":{"config":[{}]}}})",
     "spec.metadata.name spec.spec.devices.config[0].opaque"},
    {DeviceWorld::kSlices, R"("spec":{})",
     "spec.driver spec.pool.name spec.pool.resourceSliceCount spec"},
    {DeviceWorld::kSlices,
     R"("spec":{"driver":"d.io","nodeName":"n","allNodes":true,"pool":{"name":"p",
        "generation":1,"resourceSliceCount":1},"devices":[{"name":"a","nodeName":"n",
        "attributes":{"a-b":{"version":"1.2"}},"bindingConditions":["x"],
        "taints":[{"key":"k","effect":"Foo"}]},{"name":"a"}]})",
     "spec spec.devices[0].attributes spec.devices[0].attributes[a-b].version "
     "spec.devices[0].taints[0].effect spec.devices[0] "
     "spec.devices[0].bindingFailureConditions spec.devices[1]"},
    {DeviceWorld::kSlices,
     R"("spec":{"driver":"d.io","nodeName":"n","pool":{"name":"p/q","generation":1,
        "resourceSliceCount":1},"devices":[{"name":"a","allowMultipleAllocations":true,
        "capacity":{"m":{"value":"4Gi","requestPolicy":{"default":"9Gi",
        "validRange":{"min":"8Gi","max":"6Gi"}}}}}]})",
     "spec.devices[0].capacity[m].requestPolicy.validRange.min "
     "spec.devices[0].capacity[m].requestPolicy.validRange.max "
     "spec.devices[0].capacity[m].requestPolicy.validRange.max "
     "spec.devices[0].capacity[m].requestPolicy.validRange.max"},
};
// clang-format on

std::string causes_of(const Reply& reply) {
  std::string out;
  for (const Json& each : reply.body.get("details").get("causes").items()) {
    out += (out.empty() ? "" : " ") + each.get("field").text();
  }
  return out;
}

TEST(DeviceClaimsTest, ObjectsAreJudgedAsTheRealServerJudgesThem) {
  DeviceWorld world;
  for (const JudgedCase& each : kJudged) {
    const Reply reply =
        world.sandbox.post(std::string(each.target) + "?dryRun=All",
                           R"({"metadata":{"name":"case"},)" + std::string(each.object) + "}");
    EXPECT_EQ(reply.code, *each.fields == '\0' ? 201 : 422) << each.object << reply.text;
    EXPECT_EQ(causes_of(reply), each.fields) << each.object;
  }
}

TEST(DeviceClaimsTest, AStatusIsJudgedByTheRequestsOfItsClaim) {
  DeviceWorld world;
  world.create_claim("c");
  const std::string status = DeviceWorld::claim_path("c") + "/status?dryRun=All";
  const Reply wrong = world.sandbox.patch(
      status, "merge",
      R"({"status":{"allocation":{"devices":{"results":[{"request":"s","driver":"d.io",)"
      R"("pool":"p","device":"a.b"}]}},"reservedFor":[{"resource":"pods","name":"p"}],)"
      R"("devices":[{"driver":"d.io","pool":"p","device":"b"}]}})");
  EXPECT_EQ(causes_of(wrong),
            "status.reservedFor[0].uid status.devices[0] "
            "status.allocation.devices.results[0].request "
            "status.allocation.devices.results[0].device");
  const Reply right = world.sandbox.patch(
      status, "merge",
      R"({"metadata":{"labels":{"a":"b"}},"status":{"allocation":{"devices":{"results":[)"
      R"({"request":"r","driver":"d.io","pool":"p","device":"a"}]}}}})");
  EXPECT_EQ(right.code, 200) << right.text;
  EXPECT_EQ(right.body.text_at({"metadata", "labels", "a"}), "") << "a status has no labels";
}

TEST(DeviceClaimsTest, APodThatWasBoundByHandWaitsUntilItsClaimIsReserved) {
  DeviceWorld world;
  world.create_claim("c");
  world.create_user("p", "c", "", R"(,"nodeName":"node-1")");
  world.pass(seconds(5));
  EXPECT_EQ(world.phase("p"), "Pending");
  const std::string pod_uid = world.pod("p").text_at({"metadata", "uid"});
  EXPECT_THAT(world.events("p"),
              Contains("FailedPrepareDynamicResources Failed to prepare dynamic resources: prepare "
                       "dynamic resources: pod p (" +
                       pod_uid + ") is not allowed to use ResourceClaim c (" +
                       world.claim("c").text_at({"metadata", "uid"}) + ")"));
  world.merge(DeviceWorld::claim_path("c") + "/status",
              R"({"status":{"allocation":{"devices":{"results":[{"request":"r","driver":)"
              R"("devices.sandbox.davit.dev","pool":"node-1","device":"gpu-0"}]}},)"
              R"("reservedFor":[{"resource":"pods","name":"p","uid":")" +
                  pod_uid + R"("}]}})");
  EXPECT_EQ(world.phase("p"), "Running");
}

TEST(DeviceClaimsTest, PreparationFailsAndTakesTimeAsAnnotationsAskFor) {
  DeviceWorld world;
  world.create_claim("c");
  world.create_user("p", "c", R"("sandbox.davit.dev/prepare":"fail")");
  world.pass(seconds(5));
  EXPECT_EQ(world.phase("p"), "Pending");
  EXPECT_THAT(world.events("p"),
              Contains(StartsWith("FailedPrepareDynamicResources Failed to prepare dynamic "
                                  "resources: prepare dynamic resources: NodePrepareResources: ")));
  world.merge("/api/v1/namespaces/default/pods/p",
              R"({"metadata":{"annotations":{"sandbox.davit.dev/prepare":null,)"
              R"("sandbox.davit.dev/prepare-seconds":"20"}}})");
  world.pass(seconds(15));
  EXPECT_EQ(world.phase("p"), "Pending");
  world.pass(seconds(10));
  EXPECT_EQ(world.phase("p"), "Running");
}

TEST(DeviceClaimsTest, ARestartKeepsDevicesFromOthers) {
  DeviceWorld world;
  world.create_claim("a", R"(,"count":2)");
  world.create_claim("b", R"(,"count":2)");
  world.create_user("p", "a");
  world.create_user("q", "b");
  world.stop();
  world.start();
  world.create_claim("c");
  world.create_user("r", "c");
  EXPECT_EQ(world.refusal("r"), "0/2 nodes are available: 2 cannot allocate all claims.");
  EXPECT_EQ(world.phase("p"), "Running");
}

TEST(DeviceClaimsTest, WithoutSimulatedDevicesPodsStartWhateverTheirClaimsAre) {
  DeviceWorld world(two_nodes());
  world.create_user("p", "nowhere");
  EXPECT_EQ(world.phase("p"), "Running");
}

}  // namespace
}  // namespace davit::sandbox
