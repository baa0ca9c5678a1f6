// The number of requests and conflicts of davit in a small story.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/system/world.hpp"

namespace davit::test {
namespace {

constexpr int kConflict = 409;
constexpr char kAllNamespaces[] = "/api/v1/namespaces";
constexpr char kShopDeployments[] = "/apis/apps/v1/namespaces/shop/deployments";

WorldOptions story_options() {
  WorldOptions options{.nodes = 1, .host = {}};
  options.cluster.garbage_collector = sandbox::Switch::kOff;
  options.cluster.namespaces = sandbox::Switch::kOff;
  options.host.controllers = {"*"};
  options.host.plugin_directories = {
      DAVIT_DEPLOYMENT_DIRECTORY, DAVIT_REPLICASET_DIRECTORY,       DAVIT_ENDPOINT_DIRECTORY,
      DAVIT_NAMESPACE_DIRECTORY,  DAVIT_GARBAGECOLLECTOR_DIRECTORY, DAVIT_RESOURCEQUOTA_DIRECTORY};
  return options;
}

std::string text_of(const std::vector<RecordedRequest>& requests) {
  std::string out;
  for (const RecordedRequest& each : requests) {
    out += std::to_string(each.at.time_since_epoch() / std::chrono::milliseconds(1)) + " ms " +
           each.method + " " + each.path + " " + std::to_string(each.status) + "\n";
  }
  return out;
}

std::vector<RecordedRequest> discovery_of(const World& world) {
  std::vector<RecordedRequest> out = world.traffic().since(Time{}, "GET");
  std::erase_if(
      out, [](const RecordedRequest& each) { return each.path != "/api" && each.path != "/apis"; });
  return out;
}

std::vector<RecordedRequest> conflicts_of(const World& world) {
  std::vector<RecordedRequest> out = world.traffic().since(Time{});
  std::erase_if(out, [](const RecordedRequest& each) { return each.status != kConflict; });
  return out;
}

/// Creates a namespace with a Deployment of three pods and a Service, scales it, and deletes all.
void tell_story(World& world) {
  const auto has = [&world](int pods) {
    return [&world, pods] {
      const Json web = world.send("GET", std::string(kShopDeployments) + "/web");
      return web.get("status").get("availableReplicas").integer_or(0) == pods &&
             web.get("status").get("replicas").integer_or(0) == pods;
    };
  };
  world.send("POST", kAllNamespaces, R"({"metadata":{"name":"shop"}})");
  world.send(
      "POST", std::string(kAllNamespaces) + "/shop/services",
      R"({"metadata":{"name":"web"},"spec":{"selector":{"app":"web"},"ports":[{"port":80}]}})");
  world.send("POST", kShopDeployments,
             R"({"metadata":{"name":"web"},"spec":{"replicas":3,
                 "selector":{"matchLabels":{"app":"web"}},"template":{
                 "metadata":{"labels":{"app":"web"}},
                 "spec":{"containers":[{"name":"c","image":"web:1"}]}}}})");
  world.await("three pods", has(3));
  world.send("PATCH", std::string(kShopDeployments) + "/web", R"({"spec":{"replicas":5}})");
  world.await("five pods", has(5));
  world.send("PATCH", std::string(kShopDeployments) + "/web", R"({"spec":{"replicas":2}})");
  world.await("two pods", has(2));
  world.send("DELETE", std::string(kAllNamespaces) + "/shop");
  world.await("an end", [&world] {
    const Json all = world.send("GET", kAllNamespaces);
    const Json::Items& left = all.get("items").items();
    return std::none_of(left.begin(), left.end(), [](const Json& each) {
      return each.text_at({"metadata", "name"}) == "shop";
    });
  });
}

// Issue 29, 2.12: collector and quota asked the server each for itself, at the start, then every 30
// seconds, and the host once more.
TEST(RequestsTest, AllControllersShareOneDiscoveryEveryThirtySeconds) {
  World world(story_options());
  constexpr Duration kStory = std::chrono::seconds(82);
  const auto since_start = [&world] { return world.clock().now() - Time{}; };
  world.pass(std::chrono::seconds(5));
  // The host's start; then collector and quota, which must know what is offered since they began
  // to act, and share a request or meet one that began before.
  EXPECT_LE(discovery_of(world).size(), 2U + 2 * 2U) << text_of(discovery_of(world));

  tell_story(world);
  const std::size_t before = discovery_of(world).size();
  if (since_start() < kStory) world.pass(kStory - since_start());

  // The namespace that was emptied asked, too, once a sync; no refresh is due within half a minute.
  EXPECT_LE(before, 6U + 2 * 2U) << text_of(discovery_of(world));
  EXPECT_LE(discovery_of(world).size(), before + 2 * 2U) << text_of(discovery_of(world));
}

TEST(RequestsTest, ADeploymentThatIsScaledAndDeletedMeetsNoConflict) {
  World world(story_options());
  world.pass(std::chrono::seconds(5));
  tell_story(world);

  EXPECT_EQ(text_of(conflicts_of(world)), "");
}

}  // namespace
}  // namespace davit::test
