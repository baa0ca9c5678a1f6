#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/deployment/world.hpp"

namespace davit::deployment {
namespace {

using davit::testing::Json;
using davit::testing::RequestRecord;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string up(std::string_view image, int from, int to) {
  return "Normal ScalingReplicaSet Scaled up replica set <" + std::string(image) + "> from " +
         std::to_string(from) + " to " + std::to_string(to);
}
std::string down(std::string_view image, int from, int to) {
  return "Normal ScalingReplicaSet Scaled down replica set <" + std::string(image) + "> from " +
         std::to_string(from) + " to " + std::to_string(to);
}

class RollingUpdateTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_THAT(world.cluster().violations(), IsEmpty()); }

  void create(std::int64_t replicas, std::string_view surge, std::string_view unavailable) {
    Json deployment = World::blueprint(replicas, "a");
    Json& limits = deployment["spec"]["strategy"]["rollingUpdate"];
    limits["maxSurge"] = Json::must(surge);
    limits["maxUnavailable"] = Json::must(unavailable);
    world.create(deployment);
    world.run_until_idle();
    world.cluster().clear_records();
  }

  World world;
};

TEST_F(RollingUpdateTest, D38OneByOneWithTheDefaults) {
  create(3, R"("25%")", R"("25%")");
  world.set_image("b");
  world.run_until_idle();
  EXPECT_THAT(world.events(), ElementsAre(up("b", 0, 1), down("a", 3, 2), up("b", 1, 2),
                                          down("a", 2, 1), up("b", 2, 3), down("a", 1, 0)));
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "2");
  EXPECT_EQ(world.condition("Progressing"), "True/NewReplicaSetAvailable");
}

TEST_F(RollingUpdateTest, D39StopsWhenTheNewPodsAreNeverReady) {
  create(10, "3", "2");
  world.set_health("b", Health::kNeverReady);
  world.set_image("b");
  world.run_until_idle();
  EXPECT_EQ(world.size("a"), 8);
  EXPECT_EQ(world.size("b"), 5);
  EXPECT_EQ(world.deployment().status_replicas(), 13);
  EXPECT_EQ(world.deployment().available_replicas(), 8);
}

TEST_F(RollingUpdateTest, D40GoingBackRemovesTheCrashingPodsInOneStep) {
  create(10, "3", "2");
  world.set_health("b", Health::kNeverReady);
  world.set_image("b");
  world.run_until_idle();
  world.cluster().clear_records();
  world.set_image("a");
  world.run_until_idle();
  EXPECT_THAT(world.events(), ElementsAre(down("b", 5, 0), up("a", 8, 10)));
  EXPECT_EQ(world.set("a").annotation("deployment.kubernetes.io/revision"), "3");
  EXPECT_EQ(world.set("a").annotation("deployment.kubernetes.io/revision-history"), "1");
}

TEST_F(RollingUpdateTest, D41ShrinksFirstWithoutASurge) {
  create(10, "0", "2");
  world.set_image("b");
  world.sync();
  EXPECT_THAT(world.events(), ElementsAre(down("a", 10, 8), up("b", 0, 2)));
}

TEST_F(RollingUpdateTest, D42GrowsFirstWithoutUnavailability) {
  create(10, "2", "0");
  world.set_image("b");
  world.sync();
  EXPECT_THAT(world.events(), ElementsAre(up("b", 0, 2)));
}

TEST_F(RollingUpdateTest, D44UnhealthyAndHealthyReplicasGoInTwoWrites) {
  Json deployment = World::blueprint(10, "b");
  deployment["spec"]["strategy"]["rollingUpdate"] =
      Json::must(R"({"maxSurge": 0, "maxUnavailable": 2})");
  world.create(deployment);
  world.seed({.name = "d-old", .image = "a", .replicas = 10, .available = 9});
  world.sync();
  ASSERT_GE(world.events().size(), 2U);
  EXPECT_EQ(world.events()[0], down("a", 10, 9));
  EXPECT_EQ(world.events()[1], down("a", 9, 8));
  for (const RequestRecord& each : world.cluster().writes()) EXPECT_TRUE(each.ok()) << each;
}

TEST_F(RollingUpdateTest, D46NewSetThatIsTooLargeShrinksToWhatIsWanted) {
  world.create(10, "a");
  world.seed({.name = "d-a",
              .image = "a",
              .replicas = 11,
              .available = 11,
              .annotations = R"({"deployment.kubernetes.io/desired-replicas": "10",
                                 "deployment.kubernetes.io/max-replicas": "13"})"});
  world.run_until_idle();
  EXPECT_EQ(world.size("a"), 10);
  EXPECT_THAT(world.events(), ElementsAre(down("a", 11, 10)));
}

TEST_F(RollingUpdateTest, D47DefaultsOfFour) {
  create(4, R"("25%")", R"("25%")");
  world.set_image("b");
  world.sync();
  EXPECT_THAT(world.events(), ElementsAre(up("b", 0, 1), down("a", 4, 3), up("b", 1, 2)));
}

TEST_F(RollingUpdateTest, D48SurgeOfOnePercentIsOnePod) {
  create(1, R"("1%")", R"("0%")");
  world.set_image("b");
  world.run_until_idle();
  EXPECT_THAT(world.events(), ElementsAre(up("b", 0, 1), down("a", 1, 0)));
}

TEST_F(RollingUpdateTest, D49OnePodMayBeMissingWhenBothLimitsRoundToNothing) {
  create(2, "0", R"("1%")");
  world.set_image("b");
  world.run_until_idle();
  EXPECT_THAT(world.events(),
              ElementsAre(down("a", 2, 1), up("b", 0, 1), down("a", 1, 0), up("b", 1, 2)));
}

TEST_F(RollingUpdateTest, D50RolloverReplacesTheStuckSetFirst) {
  create(10, "3", "2");
  world.set_health("b", Health::kNeverReady);
  world.set_image("b");
  world.run_until_idle();
  world.cluster().clear_records();
  world.cluster().skip(std::chrono::seconds(1));
  world.set_image("c");
  world.sync();
  ASSERT_GE(world.events().size(), 2U);
  EXPECT_EQ(world.events()[0], down("b", 5, 0)) << "the third set begins without pods, silently";
  EXPECT_EQ(world.events()[1], up("c", 0, 5));
  EXPECT_EQ(world.size("a"), 8);
  world.run_until_idle();
  EXPECT_EQ(world.size("a"), 0);
  EXPECT_EQ(world.size("c"), 10);
}

struct RolloutLimits {
  const char* name;
  std::int64_t replicas;
  const char* surge;
  const char* unavailable;
  std::int64_t wanted_max;
  std::int64_t available_min;
};

class RollingLimitTest : public ::testing::TestWithParam<RolloutLimits> {};

TEST_P(RollingLimitTest, D51NeverMorePodsThanAllowedNorFewerThanNeeded) {
  const RolloutLimits& limit = GetParam();
  World world;
  Json deployment = World::blueprint(limit.replicas, "a");
  Json& limits = deployment["spec"]["strategy"]["rollingUpdate"];
  limits["maxSurge"] = Json::must(limit.surge);
  limits["maxUnavailable"] = Json::must(limit.unavailable);
  world.create(deployment);
  world.run_until_idle();
  std::int64_t most = 0;
  std::int64_t fewest = limit.replicas;
  const auto look = [&] {
    std::int64_t wanted = 0;
    std::int64_t available = 0;
    for (const ReplicaSet& set : world.sets()) {
      wanted += set.replicas();
      available += std::min(set.replicas(), set.available_replicas());
    }
    most = std::max(most, wanted);
    fewest = std::min(fewest, available);
  };
  world.cluster().on_request([&](const RequestRecord&) { look(); });
  world.set_image("b");
  world.run_until_idle();
  look();

  EXPECT_EQ(world.size("b"), limit.replicas);
  EXPECT_EQ(world.size("a"), 0);
  EXPECT_EQ(most, limit.wanted_max) << "what is allowed is used, and no more";
  EXPECT_EQ(fewest, limit.available_min);
}

INSTANTIATE_TEST_SUITE_P(
    Each, RollingLimitTest,
    ::testing::Values(RolloutLimits{"SurgeAndUnavailable", 10, "3", "2", 13, 8},
                      RolloutLimits{"NoSurge", 10, "0", "2", 10, 8},
                      RolloutLimits{"NoneUnavailable", 10, "2", "0", 12, 10},
                      RolloutLimits{"DefaultsOfSeven", 7, R"("25%")", R"("25%")", 9, 6},
                      RolloutLimits{"DoubleForAWhile", 5, R"("100%")", "0", 10, 5},
                      RolloutLimits{"OnePod", 1, "1", "0", 2, 1}),
    [](const auto& each) { return std::string(each.param.name); });

/// Two sets of a Deployment of ten with maxUnavailable 2 and no surge, and one sync.
class OldSetsTest : public RollingUpdateTest {
 protected:
  void run(const SeedSet& old, const SeedSet& fresh) {
    Json deployment = World::blueprint(10, fresh.image);
    deployment["spec"]["strategy"]["rollingUpdate"] =
        Json::must(R"({"maxSurge": 0, "maxUnavailable": 2})");
    world.create(deployment);
    world.seed(old);
    world.seed(fresh);
    world.sync_once();
  }
  static constexpr const char* kMarks = R"({"deployment.kubernetes.io/desired-replicas": "10",
      "deployment.kubernetes.io/max-replicas": "10"})";
};

TEST_F(OldSetsTest, D43UnavailableReplicasGoFirst) {
  run({.name = "d-a", .image = "a", .replicas = 10, .available = 8, .annotations = kMarks},
      {.name = "d-b", .image = "b", .annotations = kMarks, .hash = "b"});
  EXPECT_EQ(world.size("a"), 8);
  EXPECT_EQ(world.size("b"), 0);
  EXPECT_THAT(world.events(), ElementsAre(down("a", 10, 8)));
}

TEST_F(OldSetsTest, D45NothingIsTakenAwayWhileTheNewPodsAreNotAvailable) {
  run({.name = "d-a", .image = "a", .replicas = 8, .available = 8, .annotations = kMarks},
      {.name = "d-b", .image = "b", .replicas = 2, .annotations = kMarks, .hash = "b"});
  EXPECT_EQ(world.size("a"), 8);
  EXPECT_EQ(world.size("b"), 2);
  EXPECT_THAT(world.events(), IsEmpty());
}

TEST_F(RollingUpdateTest, ConflictIsRetriedAndNothingIsWrittenTwice) {
  create(3, R"("25%")", R"("25%")");
  world.cluster().fail_next({.verb = davit::testing::Verb::kPatch,
                             .resource = "replicasets",
                             .http_status = 409,
                             .reason = "Conflict",
                             .message = "the object has been modified",
                             .times = 2});
  world.set_image("b");
  world.run_until_idle();
  EXPECT_EQ(world.size("b"), 3);
  EXPECT_EQ(world.size("a"), 0);
  EXPECT_EQ(world.events().size(), 6U);
}

TEST_F(RollingUpdateTest, WorkBeforeAnErrorIsReported) {
  create(10, "3", "2");
  world.cluster().fail_next({.verb = davit::testing::Verb::kPatch,
                             .resource = "replicasets",
                             .http_status = 409,
                             .reason = "Conflict",
                             .message = "the object has been modified"});
  world.set_image("b");
  world.cluster().run_one_sync();
  EXPECT_THAT(world.writes(), ElementsAre("create replicasets/<b> 201", "patch replicasets/<a> 409",
                                          "patch deployments/d/status 200"));
  EXPECT_EQ(world.condition("Progressing"), "True/NewReplicaSetCreated");
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "2");
}

TEST_F(RollingUpdateTest, ARefusedScaleDownKeepsNeitherStatusNorDeadlineBack) {
  create(3, "1", "0");
  world.cluster().fail_next({.verb = davit::testing::Verb::kPatch,
                             .resource = "replicasets",
                             .name = world.name_of("a"),
                             .http_status = 403,
                             .reason = "Forbidden",
                             .message = "denied by a webhook",
                             .times = davit::testing::Fault::kAlways});
  world.set_image("b");
  world.run_until_idle();
  EXPECT_EQ(world.size("a"), 3);
  EXPECT_EQ(world.deployment().updated_replicas(), 1);
  EXPECT_EQ(world.deployment().observed_generation(), world.deployment().generation());
  EXPECT_EQ(world.condition("Progressing"), "True/ReplicaSetUpdated");

  world.cluster().advance(std::chrono::seconds(700));
  EXPECT_EQ(world.condition("Progressing"), "False/ProgressDeadlineExceeded");
}

TEST_F(RollingUpdateTest, StatusThatMeetsAConflictIsNotSentTwice) {
  create(3, R"("25%")", R"("25%")");
  world.cluster().fail_next({.verb = davit::testing::Verb::kPatch,
                             .resource = "deployments",
                             .subresource = "status",
                             .http_status = 409,
                             .reason = "Conflict",
                             .message = "the object has been modified"});
  world.scale(4);
  world.cluster().run_one_sync();
  EXPECT_THAT(world.writes(),
              ElementsAre("patch replicasets/<a> 200", "patch deployments/d/status 409"));
}

TEST_F(RollingUpdateTest, EveryWriteOfARolloutSucceedsAtOnce) {
  create(10, "3", "2");
  world.set_image("b");
  world.run_until_idle();
  for (const RequestRecord& each : world.cluster().writes()) EXPECT_TRUE(each.ok()) << each;
}

TEST_F(RollingUpdateTest, UnreadableLimitIsAnError) {
  create(3, R"("25%")", R"("25%")");
  world.merge(R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":"lots"}}}})");
  world.sync();
  EXPECT_FALSE(world.cluster().syncs().back().ok());
}

TEST_F(RollingUpdateTest, UnknownStrategyIsAnError) {
  create(1, "1", "0");
  world.merge(R"({"spec":{"strategy":{"type":"BlueGreen"}}})");
  world.sync();
  ASSERT_FALSE(world.cluster().syncs().empty());
  EXPECT_EQ(world.cluster().syncs().front().error,
            "unexpected deployment strategy type: BlueGreen");
}

}  // namespace
}  // namespace davit::deployment
