// The same life of a Deployment under every kind of injected fault between davit and the server.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/system/world.hpp"

namespace davit::test {
namespace {

struct InjectedFaults {
  const char* name;
  const char* script;

  friend std::ostream& operator<<(std::ostream& out, const InjectedFaults& self) {
    return out << self.name;
  }
};

// clang-format off
constexpr InjectedFaults kInjectedFaults[] = {
    {"WatchesAreCut", R"({"fault":"cut","after":"300ms","count":15,
        "target":{"verb":"watch"}})"},
    {"WatchesExpire", R"({"fault":"status","code":410,"after":"300ms","count":10,
        "target":{"verb":"watch"}})"},
    {"WritesConflict", R"({"fault":"status","code":409,"probability":0.2,
        "target":{"verb":["update","patch"]}})"},
    {"WritesAreTooMany", R"({"fault":"status","code":429,"probability":0.2,
        "target":{"verb":["create","update","patch","delete"]}})"},
    {"WritesFail", R"({"fault":"status","code":500,"probability":0.2,
        "target":{"verb":["create","update","patch","delete"]}})"},
    {"AnswersOfUpdatesAreLost", R"({"fault":"lost","probability":0.2,
        "target":{"verb":["update","patch","delete"]}})"},
    {"ConnectionsAreReset", R"({"fault":"reset","probability":0.1,
        "target":{"verb":["get","list","create","update","patch","delete"]}})"},
    {"WatchOfPodsIsStalled", R"({"fault":"hold","for":"5s","count":3,
        "target":{"verb":"watch","resource":"pods"}})"},
    {"WatchOfReplicaSetsIsStalled", R"({"fault":"hold","for":"5s","count":3,
        "target":{"verb":"watch","resource":"replicasets.apps"}})"},
    {"ReadsAreStale", R"({"rules":[
        {"fault":"stale","revisionsBack":15,"probability":0.5,
         "target":{"verb":["get","list"]}},
        {"fault":"cut","after":"300ms","count":10,"target":{"verb":"watch"}}]})"},
    {"AllAtOnce", R"({"rules":[
        {"fault":"cut","after":"500ms","count":10,"target":{"verb":"watch"}},
        {"fault":"status","code":410,"after":"1s","count":10,
         "target":{"verb":"watch"}},
        {"fault":"status","code":409,"probability":0.1,
         "target":{"verb":["update","patch"]}},
        {"fault":"status","code":500,"probability":0.1,
         "target":{"verb":["create","update","patch","delete"]}},
        {"fault":"delay","delay":"200ms","probability":0.2,"target":{}}]})"},
};
// clang-format on

class InjectedFaultsTest
    : public testing::TestWithParam<std::tuple<InjectedFaults, std::uint64_t>> {};

TEST_P(InjectedFaultsTest, DeploymentLivesItsLife) {
  const auto& [faults, seed] = GetParam();
  World world(seed);
  world.play(faults.script);

  world.deploy("web", 4);
  world.await_rollout("web", 4);
  world.set_image("web", "web:2");
  world.patch("web", R"({"spec":{"replicas":7}})");
  world.await_rollout("web", 7);
  world.set_image("web", "web:1");
  world.await_rollout("web", 7);
  EXPECT_EQ(world.images("web"), "web:1");
  EXPECT_EQ(world.record().replica_sets().size(), 2U);
  world.expect_order("web");

  world.heal();
  world.expect_silence("web");
  world.send("DELETE", "/apis/apps/v1/namespaces/default/deployments/web");
  world.await_end("web");
}

INSTANTIATE_TEST_SUITE_P(All, InjectedFaultsTest,
                         testing::Combine(testing::ValuesIn(kInjectedFaults), testing::Values(1)),
                         [](const auto& each) {
                           return std::string(std::get<0>(each.param).name) + "Seed" +
                                  std::to_string(std::get<1>(each.param));
                         });

}  // namespace
}  // namespace davit::test
