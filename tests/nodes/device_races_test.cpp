// Device claims while the results of writes are not known yet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/nodes/device_world.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

/// One node with one device.
SimulationOptions one_device() {
  SimulationOptions options = with_devices(1);
  options.nodes.plans = plan_nodes("node", 1, 1);
  return options;
}

bool is_allocation(const HttpServerRequest& request, const std::string& claim) {
  return request.method == "PATCH" &&
         request.target.find("/resourceclaims/" + claim + "/status") != std::string::npos;
}

/// A request that the server carries out only when the test lets it.
class Held final : public HttpDeferredResponse {
 public:
  Held(DeviceWorld& world, HttpServerRequest request, std::shared_ptr<bool> go)
      : world_(world), request_(std::move(request)), go_(std::move(go)) {}

  std::optional<HttpServerResponse> take() override {
    if (!*go_) return std::nullopt;
    return world_.sandbox.server->handle(request_);
  }
  [[nodiscard]] Time next_take() const override { return world_.sandbox.clock.now() + seconds(1); }

 private:
  DeviceWorld& world_;
  const HttpServerRequest request_;
  const std::shared_ptr<bool> go_;
};

/// Holds the allocation of a claim until the flag is set.
std::shared_ptr<bool> hold_allocation(DeviceWorld& world, const std::string& claim) {
  auto go = std::make_shared<bool>(false);
  world.server.intercept =
      [&world, claim, go](const HttpServerRequest& request) -> std::optional<HttpServerResponse> {
    if (!is_allocation(request, claim) || *go) return std::nullopt;
    HttpServerResponse response;
    response.deferred = std::make_unique<Held>(world, request, go);
    return response;
  };
  return go;
}

void remove_pod(DeviceWorld& world, const std::string& name) {
  world.sandbox.remove("/api/v1/namespaces/default/pods/" + name);
  world.run_until_idle();
}

TEST(DeviceRacesTest, ADeviceIsNotGivenAwayWhileADeletedPodsWriteMayStillSucceed) {
  DeviceWorld world(one_device());
  world.create_claim("a");
  world.create_claim("b");
  const std::shared_ptr<bool> go = hold_allocation(world, "a");
  world.create_user("p", "a");
  remove_pod(world, "p");
  ASSERT_TRUE(world.gone("p"));
  world.create_user("q", "b");
  world.pass(seconds(20));
  EXPECT_THAT(world.devices("b"), IsEmpty());

  *go = true;
  world.pass(seconds(20));
  EXPECT_THAT(world.devices("a"), ElementsAre("node-1/gpu-0"));
  EXPECT_THAT(world.devices("b"), IsEmpty()) << "one device, two claims";
  EXPECT_EQ(world.node_of("q"), "");

  world.release("a");
  world.pass(seconds(20));
  EXPECT_EQ(world.phase("q"), "Running");
}

TEST(DeviceRacesTest, ADeviceIsGivenAwayOnceADeletedPodsWriteHasFailed) {
  DeviceWorld world(one_device());
  world.create_claim("a");
  world.create_claim("b");
  const std::shared_ptr<bool> go = hold_allocation(world, "a");
  world.create_user("p", "a");
  remove_pod(world, "p");
  world.create_user("q", "b");
  world.merge(DeviceWorld::claim_path("a"), R"({"metadata":{"labels":{"new":"version"}}})");

  *go = true;
  world.pass(seconds(20));
  EXPECT_THAT(world.devices("a"), IsEmpty()) << "the write was for an older version";
  EXPECT_EQ(world.phase("q"), "Running");
}

TEST(DeviceRacesTest, AClaimWithAWriteUnderWayIsNotAllocatedForAnotherPod) {
  DeviceWorld world(one_device());
  world.create_claim("a");
  const std::shared_ptr<bool> go = hold_allocation(world, "a");
  world.create_user("p", "a");
  remove_pod(world, "p");
  world.create_user("q", "a");
  world.pass(seconds(5));
  EXPECT_EQ(world.refusal("q"),
            "0/1 nodes are available: resource claim default/a is in the process of being "
            "allocated.");

  *go = true;
  world.pass(seconds(20));
  EXPECT_EQ(world.phase("q"), "Running");
}

/// Has the allocation of the claim carried out, but its response lost; reads of the claim fail
/// while `is_down`.
void lose_response(DeviceWorld& world, const std::string& claim, const bool& is_down) {
  bool is_lost = false;
  world.server.intercept =
      [&world, claim, &is_down,
       is_lost](const HttpServerRequest& request) mutable -> std::optional<HttpServerResponse> {
    HttpServerResponse failure;
    failure.status = 503;
    if (is_allocation(request, claim) && !is_lost) {
      is_lost = true;
      (void)world.sandbox.server->handle(request);
      return failure;
    }
    const bool reads = request.method == "GET" &&
                       request.target.ends_with("/namespaces/default/resourceclaims/" + claim);
    if (reads && is_down) return failure;
    return std::nullopt;
  };
}

TEST(DeviceRacesTest, TheResultOfALostResponseIsReadFromTheClaim) {
  DeviceWorld world(one_device());
  world.create_claim("a");
  bool is_down = false;
  lose_response(world, "a", is_down);
  world.create_user("p", "a");
  world.pass(seconds(30));
  EXPECT_EQ(world.phase("p"), "Running");
  EXPECT_THAT(world.devices("a"), ElementsAre("node-1/gpu-0"));
}

TEST(DeviceRacesTest, APodWhoseWriteHasNoResultWaitsUntilTheClaimCanBeRead) {
  DeviceWorld world(one_device());
  world.create_claim("a");
  bool is_down = true;
  lose_response(world, "a", is_down);
  world.create_user("p", "a");
  world.pass(seconds(30));
  EXPECT_EQ(world.node_of("p"), "");

  is_down = false;
  world.pass(seconds(30));
  EXPECT_EQ(world.phase("p"), "Running");
}

TEST(DeviceRacesTest, ADeletedPodsLostWriteKeepsTheDeviceUntilTheClaimCanBeRead) {
  DeviceWorld world(one_device());
  world.create_claim("a");
  world.create_claim("b");
  bool is_down = true;
  bool is_refused = true;  // The write is not carried out.
  world.server.intercept =
      [&](const HttpServerRequest& request) -> std::optional<HttpServerResponse> {
    const bool reads =
        request.method == "GET" && request.target.ends_with("/namespaces/default/resourceclaims/a");
    const bool fails = (is_allocation(request, "a") && is_refused) || (reads && is_down);
    if (!fails) return std::nullopt;
    HttpServerResponse failure;
    failure.status = 500;
    return failure;
  };
  world.create_user("p", "a");
  remove_pod(world, "p");
  world.create_user("q", "b");
  world.pass(seconds(30));
  EXPECT_THAT(world.devices("b"), IsEmpty());

  is_down = false;
  world.pass(seconds(30));
  EXPECT_EQ(world.phase("q"), "Running");
}

}  // namespace
}  // namespace davit::sandbox
