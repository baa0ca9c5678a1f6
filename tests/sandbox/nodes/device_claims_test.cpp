// Device claims of pods from the scheduler to the kubelet, on a whole server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sandbox/nodes/device_world.hpp"

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
