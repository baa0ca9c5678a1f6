/// Rows of the specifications in which controllers, recorder of events and API server have a part
/// each: R06, R07, R26 and D66.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "tests/system/invariants.hpp"
#include "tests/system/world.hpp"

namespace davit::test {
namespace {

constexpr const char* kReplicaSets = "/apis/apps/v1/namespaces/default/replicasets";
constexpr const char* kWeb = "/apis/apps/v1/namespaces/default/deployments/web";

/// Makes a ReplicaSet whose pods have the label app=rs.
void make_set(World& world, const std::string& name, int replicas) {
  world.send("POST", kReplicaSets,
             R"({"metadata":{"name":")" + name + R"("},"spec":{"replicas":)" +
                 std::to_string(replicas) +
                 R"(,"selector":{"matchLabels":{"app":"rs"}},"template":{"metadata":{"labels":)"
                 R"({"app":"rs"}},"spec":{"containers":[{"name":"c","image":"rs:1"}]}}}})");
}

void set_scale(World& world, const std::string& target, int replicas) {
  Json scale = world.send("GET", target + "/scale");
  scale["spec"]["replicas"] = replicas;
  world.send("PUT", target + "/scale", to_text(scale));
}

TEST(RowsTest, R06ANameOf60CharactersIsCutTo58InThoseOfItsPods) {
  World world(1);
  make_set(world, std::string(60, 'a'), 1);
  world.await_pods("rs", 1);

  const std::string name = world.record().pods().begin()->second.text_at({"metadata", "name"});
  EXPECT_EQ(name.size(), 63U) << name;
  EXPECT_EQ(name.substr(0, 58), std::string(58, 'a'));
  EXPECT_EQ(name.find_first_not_of("bcdfghjklmnpqrstvwxz2456789", 58), std::string::npos) << name;
}

TEST(RowsTest, R07TwentyPodsAreNineEventsAndOneOfEleven) {
  World world(1);
  make_set(world, "rs", 20);
  world.await_pods("rs", 20);
  world.pass(std::chrono::seconds(30));

  constexpr std::string_view kCombined = "(combined from similar events): Created pod: rs-";
  std::size_t single = 0;
  std::int64_t combined = 0;
  const Json events = world.send("GET", "/api/v1/namespaces/default/events");
  for (const Json& event : events.get("items").items()) {
    if (event.text_at({"reason"}) != "SuccessfulCreate") continue;
    if (event.text_at({"message"}).starts_with(kCombined)) {
      EXPECT_EQ(combined, 0) << "there is one of them";
      combined = event.get("count").integer_or(0);
      EXPECT_EQ(event.text_at({"reportingComponent"}), "");
    } else {
      ++single;
      EXPECT_EQ(event.text_at({"message"}).substr(0, 16), "Created pod: rs-");
      EXPECT_EQ(event.text_at({"reportingComponent"}), "replicaset-controller");
    }
  }
  EXPECT_EQ(single, 9U);
  EXPECT_EQ(combined, 11);
}

TEST(RowsTest, R26PodsFollowTheScaleSubresource) {
  World world(1);
  make_set(world, "rs", 1);
  world.await_pods("rs", 1);
  const std::string target = std::string(kReplicaSets) + "/rs";

  set_scale(world, target, 3);
  EXPECT_EQ(world.send("GET", target).get("spec").get("replicas").integer_or(-1), 3);
  world.await_pods("rs", 3);
  set_scale(world, target, 0);
  EXPECT_EQ(world.send("GET", target).get("spec").get("replicas").integer_or(-1), 0);
  world.await_pods("rs", 0);
}

TEST(RowsTest, D66TheScaleSubresourceOfADeploymentIsAnOrdinaryUpdate) {
  World world(1);
  world.deploy("web", 1);
  world.await_rollout("web", 1);
  const Json before = world.send("GET", kWeb);

  set_scale(world, kWeb, 3);
  world.await_rollout("web", 3);

  const Json after = world.send("GET", kWeb);
  EXPECT_EQ(after.get("spec").get("replicas").integer_or(0), 3);
  EXPECT_EQ(after.get("metadata").get("generation").integer_or(0),
            before.get("metadata").get("generation").integer_or(0) + 1);
  EXPECT_EQ(world.record().replica_sets().size(), 1U);
}

}  // namespace
}  // namespace davit::test
