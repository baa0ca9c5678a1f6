// Class E of the regressions: Endpoints.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "tests/system/regressions/naive.hpp"
#include "tests/system/regressions/services.hpp"

namespace davit::test {
namespace {

using sandbox::Json;

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

// kubernetes/kubernetes#78933, #115801, #45585: what is left of two addresses that somebody wrote.
std::size_t manual_addresses_after_restart(World& world, const std::function<void()>& restart) {
  world.send("POST", kServices, R"({"metadata":{"name":"manual"},"spec":{"ports":[{"port":80}]}})");
  for (const char* name : {"manual", "nobody"}) {
    world.send("POST", kEndpoints,
               std::string(R"({"metadata":{"name":")") + name +
                   R"("},"subsets":[{"addresses":[{"ip":"192.0.2.1"}],"ports":[{"port":80}]}]})");
  }
  world.pass(std::chrono::minutes(1));
  restart();
  world.pass(std::chrono::minutes(1));
  return addresses(world.record().find("Endpoints", "manual"));
}

TEST(EndpointsRegressionTest, E2OnesWithoutSelectorAreLeftAloneWhenTheLeaderChanges) {
  World world(with_endpoints());
  host::Time restarted{};
  EXPECT_EQ(manual_addresses_after_restart(world,
                                           [&] {
                                             restarted = world.clock().now();
                                             world.stop_host();
                                             world.start_host();
                                           }),
            1U);
  EXPECT_TRUE(world.traffic().since(restarted, "", "/endpoints/manual").empty());
}

TEST(EndpointsRegressionTest, E2IsCaughtInAControllerThatRemovesWhatItDoesNotKeep) {
  World world(with_endpoints());
  EXPECT_EQ(manual_addresses_after_restart(
                world, [&] { world.send("DELETE", std::string(kEndpoints) + "/manual"); }),
            0U);
}

// kubernetes/kubernetes#127429, #125638, #47711: now and then one stayed as it was before.
bool is_right_each_time(World& world) {
  const auto reaches = [&world](std::size_t count) {
    return world.reach(std::chrono::minutes(5), [&world, count] {
      return addresses(world.record().find("Endpoints", "web")) == count;
    });
  };
  world.deploy("web", 2);
  world.await_rollout("web", 2);
  for (int i = 0; i < 10; ++i) {
    expose(world, "web");
    if (!reaches(2)) return false;
    world.send("DELETE", std::string(kServices) + "/web");
    if (i % 2 == 0 && !reaches(0)) return false;
  }
  return reaches(0);
}

TEST(EndpointsRegressionTest, E3ServiceMadeAnewHasTheRightAddressesEachTime) {
  World world(with_endpoints());
  world.play(R"({"rules":[
      {"fault":"status","code":409,"probability":0.2,"target":{"resource":"endpoints",
       "verb":["create","update","patch","delete"]}},
      {"fault":"hold","after":"3s","for":"2s",
       "target":{"verb":"watch","resource":"endpoints"}}]})");
  EXPECT_TRUE(is_right_each_time(world));
}

TEST(EndpointsRegressionTest, E3IsCaughtInAControllerThatRemembersByName) {
  World world(1);
  world.employ([wrote = false](World& each) mutable {
    const bool wanted = !each.record().find("Service", "web").is_null();
    if (!wanted && !each.record().find("Endpoints", "web").is_null()) {
      each.send("DELETE", std::string(kEndpoints) + "/web");
    } else if (wanted && !std::exchange(wrote, true)) {
      each.send("POST", kEndpoints, R"({"metadata":{"name":"web"},"subsets":[{"addresses":[
          {"ip":"10.244.0.2"},{"ip":"10.244.1.2"}],"ports":[{"port":80}]}]})");
    }
  });
  EXPECT_FALSE(is_right_each_time(world));
}

// kubernetes/kubernetes#108077: how long a new Service has no addresses when everything is looked
// at anew for a resync at the same moment.
host::Duration delay_at_resync(World& world, const std::function<void()>& begin) {
  constexpr int kOthers = 60;
  world.deploy("web", 2);
  world.await_pods("web", 2);
  for (int i = 0; i < kOthers; ++i) expose(world, "other-" + std::to_string(i));
  world.await("all have Endpoints", [&] {
    return !world.record().find("Endpoints", "other-" + std::to_string(kOthers - 1)).is_null();
  });
  world.pass(std::chrono::minutes(1));
  begin();
  const host::Time resync = world.clock().now();
  expose(world, "web");
  await_addresses(world, "web", 2);
  return world.clock().now() - resync;
}

TEST(EndpointsRegressionTest, E4ResyncDelaysNobody) {
  World world(with_endpoints());
  // Longer than the longest time between two resyncs.
  const host::Duration delay =
      delay_at_resync(world, [&] { world.clock().leap(std::chrono::hours(25)); });
  EXPECT_LE(delay, std::chrono::seconds(1));
  EXPECT_EQ(world.traffic().since(world.clock().now() - std::chrono::seconds(1)).size(), 1U)
      << "what has not changed costs no request";
}

TEST(EndpointsRegressionTest, E4IsCaughtInAControllerThatWritesWhatHasNotChanged) {
  World world(with_endpoints());
  const host::Duration delay = delay_at_resync(world, [&] {
    world.stop_host();
    // Its rate is 20 requests a second, and the new Service is the last in the queue.
    const host::Time ready = world.clock().now() + std::chrono::milliseconds(60 * 50);
    world.employ([ready](World& each) {
      if (each.clock().now() < ready || !each.record().find("Endpoints", "web").is_null()) return;
      each.send("POST", kEndpoints, R"({"metadata":{"name":"web"},"subsets":[{"addresses":[
          {"ip":"10.244.0.2"},{"ip":"10.244.1.2"}],"ports":[{"port":80}]}]})");
    });
  });
  EXPECT_GT(delay, std::chrono::seconds(1));
}

}  // namespace
}  // namespace davit::test
