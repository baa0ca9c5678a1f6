// Class E of the regressions, continued: EndpointSlices, and Endpoints that are too large.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/system/regressions/services.hpp"
#include "tests/system/regressions/worlds.hpp"

namespace davit::test {
namespace {

WorldOptions with_slices() {
  return only({"deployment-controller", "replicaset-controller", "endpointslice-controller"});
}

// kubernetes/kubernetes#107583: whether somebody who reads the log learns that a controller does
// not work, and what it lacks.
bool is_told(const std::vector<std::string>& log) {
  return std::ranges::any_of(log, [](const std::string& line) {
    return line.starts_with("E informer") && line.find("services") != std::string::npos &&
           line.find("forbidden") != std::string::npos;
  });
}

TEST(SlicesRegressionTest, E5ControllerThatCannotBeginIsReportedAndBeginsWhenItCan) {
  WorldOptions options = with_slices();
  options.faults = R"({"fault":"status","code":403,
      "target":{"verb":["list","watch"],"resource":"services"}})";
  World world(options);
  expose(world, "web");
  world.deploy("web", 2);
  world.await_rollout("web", 2);
  EXPECT_TRUE(is_told(world.log().lines()));
  EXPECT_TRUE(slices(world, "web").empty());

  world.heal();
  world.await("it has begun", [&] { return !slices(world, "web").empty(); });
}

// kubernetes/kubernetes PR#99345: slices of a Service whose pods change while nothing is heard of
// slices.
TEST(SlicesRegressionTest, E6OwnSlicesThatAreNotSeenYetAreNotMadeTwice) {
  World world(with_slices());
  world.deploy("web", 2);
  world.await_pods("web", 2);
  world.pass(std::chrono::seconds(5));
  world.play(R"({"fault":"hold","for":"12m","target":{"verb":"watch",
      "resource":"endpointslices.discovery.k8s.io"}})");
  expose(world, "web");
  world.pass(std::chrono::seconds(5));
  world.patch("web", R"({"spec":{"replicas":6}})");
  world.pass(std::chrono::minutes(13));
  EXPECT_EQ(slices(world, "web").size(), 1U);
  world.heal();
  world.await("six endpoints",
              [&] { return slices(world, "web").front().get("endpoints").items().size() == 6; });
}

/// So many pods "web" that no node runs, each with an address.
void plant_pods(World& world, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string name = "web-" + std::to_string(i);
    const std::string ip = "10.9." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1);
    sandbox::Draft draft;
    draft.ns = "default";
    draft.name = name;
    draft.object =
        json_literal(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                     R"(","namespace":"default","uid":"uid-)" + name +
                     R"(","labels":{"app":"web"}},"spec":{"nodeName":"elsewhere","containers":[]},)"
                     R"("status":{"phase":"Running","podIP":")" +
                     ip + R"(","podIPs":[{"ip":")" + ip +
                     R"("}],"conditions":[{"type":"Ready","status":"True"}]}})");
    EXPECT_TRUE(world.store().create({"", "pods"}, draft));
  }
}

constexpr std::size_t kMost = 1000;

/// Whether Endpoints of so many pods are cut at the limit and annotated as truncated.
bool is_truncated_right(const Json& endpoints, std::size_t pods) {
  const Json* mark =
      endpoints.at({"metadata", "annotations", "endpoints.kubernetes.io/over-capacity"});
  return addresses(endpoints) == std::min(pods, kMost) &&
         (pods > kMost) == (mark != nullptr && mark->text() == "truncated");
}

TEST(SlicesRegressionTest, E7EndpointsOfMoreThanAThousandPodsAreCutAndSaySo) {
  constexpr int kPods = kMost + 1;
  World world(only({"endpoints-controller"}));
  plant_pods(world, kPods);
  expose(world, "web");
  world.await("they are cut",
              [&] { return is_truncated_right(world.record().find("Endpoints", "web"), kPods); });
  for (int i = 0; i < 2; ++i) {
    const std::string name = "web-" + std::to_string(i);
    world.send("DELETE", "/api/v1/namespaces/default/pods/" + name + "?gracePeriodSeconds=0");
  }
  world.await("they are whole", [&] {
    return is_truncated_right(world.record().find("Endpoints", "web"), kPods - 2);
  });
}

}  // namespace
}  // namespace davit::test
