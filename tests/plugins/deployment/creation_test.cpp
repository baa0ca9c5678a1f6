#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/deployment/world.hpp"

namespace davit::deployment {
namespace {

using davit::testing::Json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CreationTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_THAT(world.cluster().violations(), IsEmpty()); }
  World world;
};

TEST_F(CreationTest, D01MakesOneReplicaSetWithTheHashInAllItsPlaces) {
  world.create(3, "a");
  world.run_until_idle();

  ASSERT_EQ(world.sets().size(), 1U);
  const ReplicaSet set = world.set("a");
  const std::string hash(set.label("pod-template-hash").value_or(""));
  EXPECT_THAT(hash, ::testing::MatchesRegex("[bcdfghjklmnpqrstvwxz2456789]+"));
  EXPECT_EQ(set.name(), "d-" + hash);
  EXPECT_EQ(set.selector()["matchLabels"]["pod-template-hash"].string(), hash);
  EXPECT_EQ(set.selector()["matchLabels"]["app"].string(), "d");
  EXPECT_EQ(set.pod_template()["metadata"]["labels"]["pod-template-hash"].string(), hash);
  EXPECT_EQ(set.label("app"), "d");
  EXPECT_EQ(set.replicas(), 3);
  const auto owner = set.controller();
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->api_version(), "apps/v1");
  EXPECT_EQ(owner->kind(), "Deployment");
  EXPECT_EQ(owner->name(), "d");
  EXPECT_EQ(owner->uid(), world.deployment().uid());
  EXPECT_TRUE(owner->value()["blockOwnerDeletion"].is_true());
}

TEST_F(CreationTest, D02MarksRevisionAndSizes) {
  world.create(3, "a");
  world.run_until_idle();
  const ReplicaSet set = world.set("a");
  EXPECT_EQ(set.annotation("deployment.kubernetes.io/revision"), "1");
  EXPECT_EQ(set.annotation("deployment.kubernetes.io/desired-replicas"), "3");
  EXPECT_EQ(set.annotation("deployment.kubernetes.io/max-replicas"), "4");
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "1");
  EXPECT_EQ(world.deployment().generation(), 1) << "written through the status endpoint";
}

TEST_F(CreationTest, D03ReportsTheFirstSizeOnce) {
  world.create(3, "a");
  world.run_until_idle();
  EXPECT_THAT(world.events(),
              ElementsAre("Normal ScalingReplicaSet Scaled up replica set <a> from 0 to 3"));
}

TEST_F(CreationTest, FirstSyncMakesTheSetAndReportsInOneRequest) {
  world.create(3, "a");
  world.sync();
  EXPECT_THAT(world.writes(),
              ElementsAre("create replicasets/<a> 201", "patch deployments/d/status 200"));
  EXPECT_EQ(world.condition("Progressing"), "True/NewReplicaSetCreated");
  EXPECT_EQ(world.condition("Available"), "False/MinimumReplicasUnavailable");
  EXPECT_EQ(world.deployment().observed_generation(), 1);
  EXPECT_EQ(world.deployment().unavailable_replicas(), 3);
}

TEST_F(CreationTest, D04CopiesAnnotationsButNotItsOwn) {
  Json deployment = World::blueprint(1, "a");
  deployment["metadata"]["annotations"]["test"] = "x";
  deployment["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = "y";
  world.create(deployment);
  world.run_until_idle();
  EXPECT_EQ(world.set("a").annotation("test"), "x");
  EXPECT_FALSE(world.set("a").annotation("kubectl.kubernetes.io/last-applied-configuration"));
}

TEST_F(CreationTest, D05KeepsTheExpressionsOfTheSelector) {
  Json deployment = World::blueprint(1, "a");
  deployment["spec"]["selector"] = Json::must(
      R"({"matchExpressions": [{"key": "app", "operator": "In", "values": ["d", "e"]}]})");
  world.create(deployment);
  world.run_until_idle();
  const ReplicaSet set = world.set("a");
  EXPECT_EQ(set.selector()["matchExpressions"].json(),
            R"([{"key":"app","operator":"In","values":["d","e"]}])");
  EXPECT_EQ(set.selector()["matchLabels"]["pod-template-hash"].string(),
            set.label("pod-template-hash"));
}

TEST_F(CreationTest, D06CutsALongName) {
  const std::string name(250, 'a');
  Json deployment = World::blueprint(1, "a");
  deployment["metadata"]["name"] = Json(name);
  world.create(deployment);
  world.sync();
  const std::string set(world.sets().front().name());
  const std::string hash(world.sets().front().label("pod-template-hash").value_or(""));
  EXPECT_EQ(set, std::string(252 - hash.size(), 'a') + "-" + hash);
  EXPECT_EQ(set.size(), 253U);
}

TEST_F(CreationTest, D07NoReplicasMeansASetWithoutEventAndACompleteRollout) {
  world.create(0, "a");
  world.run_until_idle();
  EXPECT_EQ(world.size("a"), 0);
  EXPECT_THAT(world.events(), IsEmpty());
  EXPECT_EQ(world.condition("Progressing"), "True/NewReplicaSetAvailable");
  EXPECT_EQ(world.condition("Available"), "True/MinimumReplicasAvailable");
}

TEST_F(CreationTest, D08PassesMinReadySecondsOn) {
  Json deployment = World::blueprint(1, "a");
  deployment["spec"]["minReadySeconds"] = 4;
  world.create(deployment);
  world.run_until_idle();
  EXPECT_EQ(world.set("a").min_ready(), std::chrono::seconds(4));
}

// D09, D10
TEST_F(CreationTest, D09D10CopiesANewAnnotationAndKeepsARemovedOne) {
  world.create(1, "a");
  world.run_until_idle();
  const std::int64_t generation = world.deployment().generation();

  world.merge(R"({"metadata": {"annotations": {"a": "b"}}})");
  world.run_until_idle();
  EXPECT_EQ(world.set("a").annotation("a"), "b");
  EXPECT_EQ(world.set("a").generation(), 1);
  EXPECT_EQ(world.deployment().generation(), generation + 1);
  EXPECT_EQ(world.deployment().observed_generation(), generation + 1);

  world.merge(R"({"metadata": {"annotations": {"a": null}}})");
  world.run_until_idle();
  EXPECT_EQ(world.set("a").annotation("a"), "b");
}

TEST_F(CreationTest, D11ChangesMinReadySecondsInPlace) {
  world.create(1, "a");
  world.run_until_idle();
  world.merge(R"({"spec": {"minReadySeconds": 7}})");
  world.run_until_idle();
  ASSERT_EQ(world.sets().size(), 1U);
  EXPECT_EQ(world.set("a").min_ready(), std::chrono::seconds(7));
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "1");
}

TEST_F(CreationTest, D12ReplacesAHashLabelOfTheUsers) {
  Json deployment = World::blueprint(1, "a");
  deployment["spec"]["template"]["metadata"]["labels"]["pod-template-hash"] = "zzz";
  world.create(deployment);
  world.run_until_idle();
  ASSERT_EQ(world.sets().size(), 1U);
  const std::string_view hash = world.set("a").label("pod-template-hash").value_or("");
  EXPECT_NE(hash, "zzz");
  EXPECT_EQ(world.set("a").pod_template()["metadata"]["labels"]["pod-template-hash"].string(),
            hash);
}

TEST_F(CreationTest, UnreadFieldsOfTheTemplateReachTheSet) {
  Json deployment = World::blueprint(1, "a");
  deployment["spec"]["template"]["spec"]["hostAliases"] =
      Json::must(R"([{"ip":"10.0.0.1","hostnames":["a","b"]}])");
  world.create(deployment);
  world.run_until_idle();
  EXPECT_EQ(world.set("a").pod_template()["spec"]["hostAliases"].json(),
            R"([{"ip":"10.0.0.1","hostnames":["a","b"]}])");
}

}  // namespace
}  // namespace davit::deployment
