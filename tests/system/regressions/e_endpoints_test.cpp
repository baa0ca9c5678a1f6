// Class E of the regressions: Endpoints.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/system/regressions/services.hpp"
#include "tests/system/regressions/worlds.hpp"

namespace davit::test {
namespace {

WorldOptions with_endpoints() {
  return only({"deployment-controller", "replicaset-controller", "endpoints-controller"});
}

void await_addresses(World& world, const std::string& name, std::size_t count) {
  world.await(std::to_string(count) + " addresses",
              [&] { return addresses(world.record().find("Endpoints", name)) == count; });
}

std::size_t fewest_addresses(const World& world, sandbox::Revision since) {
  std::size_t out = addresses(world.record().find("Endpoints", "web"));
  for (const Step& step : world.record().steps()) {
    if (step.revision <= since || step.kind != "Endpoints") continue;
    out = std::min(out, step.deleted ? 0 : addresses(step.object));
  }
  return out;
}

// kubernetes/kubernetes#23034
TEST(EndpointsRegressionTest, E1RestartDoesNotEmptyThem) {
  World world(with_endpoints());
  expose(world, "web");
  world.deploy("web", 3);
  world.await_rollout("web", 3);
  await_addresses(world, "web", 3);
  const sandbox::Revision before = world.record().revision();

  world.stop_host();
  world.play(R"({"fault":"delay","delay":"20s","target":{"verb":"list","resource":"pods"}})");
  world.play(R"({"fault":"hold","for":"20s","target":{"verb":"watch","resource":"pods"}})");
  world.start_host();
  world.pass(std::chrono::minutes(1));

  EXPECT_EQ(fewest_addresses(world, before), 3U);
}

/// Endpoints that no Service's selector makes.
void write_endpoints(World& world, const std::string& name, const std::string& annotations) {
  world.send("POST", kEndpoints,
             R"({"metadata":{"name":")" + name + R"(","annotations":{)" + annotations +
                 R"(}},"subsets":[{"addresses":[{"ip":"192.0.2.1"}],"ports":[{"port":80}]}]})");
}

// kubernetes/kubernetes#78933, #115801, #45585: those of a Service without a selector, and those
// that are somebody's lock.
TEST(EndpointsRegressionTest, E2OnesWithoutSelectorAreLeftAloneWhenTheLeaderChanges) {
  WorldOptions options = with_endpoints();
  options.host.election = HostOptions::Election::kOn;
  World world(options);
  world.start_host();  // It stands by.
  world.send("POST", kServices, R"({"metadata":{"name":"manual"},"spec":{"ports":[{"port":80}]}})");
  write_endpoints(world, "manual", "");
  write_endpoints(world, "lock", R"("control-plane.alpha.kubernetes.io/leader":"{}")");
  world.pass(std::chrono::minutes(1));
  const Time changed = world.clock().now();
  world.stop_host();
  world.pass(std::chrono::minutes(1));

  expose(world, "web");
  world.await("the next leader works",
              [&] { return !world.record().find("Endpoints", "web").is_null(); });
  EXPECT_EQ(addresses(world.record().find("Endpoints", "manual")), 1U);
  EXPECT_EQ(addresses(world.record().find("Endpoints", "lock")), 1U);
  EXPECT_TRUE(world.traffic().since(changed, "", "/endpoints/manual").empty());
  EXPECT_TRUE(world.traffic().since(changed, "", "/endpoints/lock").empty());
}

// kubernetes/kubernetes#127429, #125638, #47711: now and then one stayed as it was before. An API
// server deletes the Endpoints of a Service with it, and that may come late.
TEST(EndpointsRegressionTest, E3RecreatedServiceHasTheRightAddressesEachTime) {
  World world(with_endpoints());
  world.play(R"({"rules":[
      {"fault":"status","code":409,"probability":0.2,"target":{"resource":"endpoints",
       "verb":["create","update","patch","delete"]}},
      {"fault":"hold","after":"3s","for":"2s",
       "target":{"verb":"watch","resource":"endpoints"}}]})");
  world.deploy("web", 2);
  world.await_rollout("web", 2);
  for (int i = 0; i < 10; ++i) {
    expose(world, "web");
    await_addresses(world, "web", 2);
    world.send("DELETE", std::string(kServices) + "/web");
    if (i % 2 == 0) await_addresses(world, "web", 0);
    if (i % 3 != 0) continue;
    expose(world, "web");
    await_addresses(world, "web", 2);
    world.send("DELETE", std::string(kEndpoints) + "/web");
    await_addresses(world, "web", 2);
    world.send("DELETE", std::string(kServices) + "/web");
  }
  await_addresses(world, "web", 0);
}

// kubernetes/kubernetes#108077: how long a new Service has no addresses when everything is looked
// at again for a resync at the same moment.
TEST(EndpointsRegressionTest, E4ResyncDelaysNoSync) {
  constexpr int kOthers = 60;
  World world(with_endpoints());
  world.deploy("web", 2);
  world.await_pods("web", 2);
  for (int i = 0; i < kOthers; ++i) expose(world, "other-" + std::to_string(i));
  world.await("all have Endpoints", [&] {
    return !world.record().find("Endpoints", "other-" + std::to_string(kOthers - 1)).is_null();
  });
  world.pass(std::chrono::minutes(1));
  world.clock().leap(std::chrono::hours(25));  // The longest time between two resyncs is shorter.
  const Time resync = world.clock().now();
  expose(world, "web");
  await_addresses(world, "web", 2);

  EXPECT_LE(world.clock().now() - resync, std::chrono::seconds(1));
  EXPECT_EQ(world.traffic().since(world.clock().now() - std::chrono::seconds(1)).size(), 1U)
      << "what has not changed costs no request";
}

}  // namespace
}  // namespace davit::test
