// Class E of the regressions: Endpoints.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "tests/system/regressions/naive.hpp"

namespace davit::test {
namespace {

using sandbox::Json;

constexpr char kServices[] = "/api/v1/namespaces/default/services";
constexpr char kEndpoints[] = "/api/v1/namespaces/default/endpoints";

WorldOptions with_endpoints() {
  WorldOptions out{.host = {}};
  out.host.controllers = {"deployment-controller", "replicaset-controller", "endpoints-controller"};
  return out;
}

void expose(World& world, const std::string& name) {
  world.send("POST", kServices,
             R"({"metadata":{"name":")" + name + R"("},"spec":{"selector":{"app":")" + name +
                 R"("},"ports":[{"port":80}]}})");
}

std::size_t addresses(const Json& endpoints) {
  std::size_t out = 0;
  for (const Json& subset : endpoints.get("subsets").items()) {
    out += subset.get("addresses").items().size();
  }
  return out;
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
std::size_t fewest_in_restart(World& world, const std::function<void()>& restart) {
  expose(world, "web");
  world.deploy("web", 3);
  world.await_rollout("web", 3);
  await_addresses(world, "web", 3);
  const sandbox::Revision before = world.record().revision();
  restart();
  world.pass(std::chrono::minutes(1));
  return fewest_addresses(world, before);
}

TEST(EndpointsRegressionTest, E1RestartDoesNotEmptyThem) {
  World world(with_endpoints());
  EXPECT_EQ(
      fewest_in_restart(
          world,
          [&] {
            world.stop_host();
            world.play(
                R"({"fault":"delay","delay":"20s","target":{"verb":"list","resource":"pods"}})");
            world.play(
                R"({"fault":"hold","for":"20s","target":{"verb":"watch","resource":"pods"}})");
            world.start_host();
          }),
      3U);
}

TEST(EndpointsRegressionTest, E1IsCaughtInAControllerThatBeginsWithoutPods) {
  World world(with_endpoints());
  EXPECT_LT(fewest_in_restart(world,
                              [&] {
                                world.employ([](World& each) {
                                  if (addresses(each.record().find("Endpoints", "web")) == 0)
                                    return;
                                  each.send("PATCH", std::string(kEndpoints) + "/web",
                                            R"({"subsets":null})");
                                });
                              }),
            3U);
}

// kubernetes/kubernetes#78933, #115801, #45585
TEST(EndpointsRegressionTest, E2OnesWithoutSelectorAreLeftAloneWhenTheLeaderChanges) {
  World world(with_endpoints());
  world.send("POST", kServices, R"({"metadata":{"name":"manual"},"spec":{"ports":[{"port":80}]}})");
  for (const char* name : {"manual", "nobody"}) {
    world.send("POST", kEndpoints,
               std::string(R"({"metadata":{"name":")") + name +
                   R"("},"subsets":[{"addresses":[{"ip":"192.0.2.1"}],"ports":[{"port":80}]}]})");
  }
  world.pass(std::chrono::minutes(1));
  const host::Time restarted = world.clock().now();
  world.stop_host();
  world.start_host();
  world.pass(std::chrono::minutes(1));
  EXPECT_EQ(addresses(world.record().find("Endpoints", "manual")), 1U);
  EXPECT_TRUE(world.traffic().since(restarted, "", "/endpoints/manual").empty());
}

// kubernetes/kubernetes#127429, #125638, #47711: now and then one stayed as it was before.
TEST(EndpointsRegressionTest, E3ServiceMadeAnewHasTheRightAddressesEachTime) {
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
    if (i % 2 == 0) {
      world.await("they are gone",
                  [&] { return world.record().find("Endpoints", "web").is_null(); });
    }
  }
  world.await("they are gone", [&] { return world.record().find("Endpoints", "web").is_null(); });
}

}  // namespace
}  // namespace davit::test
