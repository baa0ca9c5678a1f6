#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/deployment/world.hpp"

namespace davit::deployment {
namespace {

using davit::testing::Json;
using davit::testing::RequestRecord;
using davit::testing::Verb;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class OwnershipTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_THAT(world.cluster().violations(), IsEmpty()); }

  /// A set that matches the Deployment and has these references.
  void seed_owned_by(const SeedSet& set, std::string_view references) {
    world.seed(set);
    world.cluster().modify<ReplicaSet>({"default", set.name}, [&](Json& json) {
      json["metadata"]["ownerReferences"] = Json::must(references);
    });
  }
  [[nodiscard]] ReplicaSet named(std::string_view name) {
    return *world.cluster().find<ReplicaSet>({"default", std::string(name)});
  }
  [[nodiscard]] std::vector<RequestRecord> adoptions() {
    std::vector<RequestRecord> found;
    for (RequestRecord& each : world.cluster().requests_of(Verb::kPatch, "replicasets")) {
      if (each.patch_type == PatchType::kStrategic) found.push_back(std::move(each));
    }
    return found;
  }

  World world;
};

TEST_F(OwnershipTest, D21OrphanWithTheSameTemplateIsAdoptedAndNoSecondSetMade) {
  world.create(2, "a");
  seed_owned_by({.name = "d-old", .image = "a", .replicas = 2, .available = 2}, "[]");
  const std::string uid(named("d-old").uid());
  world.run_until_idle();
  ASSERT_EQ(world.sets().size(), 1U);
  EXPECT_EQ(named("d-old").uid(), uid);
  EXPECT_TRUE(named("d-old").is_controlled_by(world.deployment()));
  ASSERT_EQ(adoptions().size(), 1U);
  EXPECT_EQ(adoptions().front().body,
            R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment",)"
            R"("name":"d","uid":")" +
                std::string(world.deployment().uid()) +
                R"(","controller":true,"blockOwnerDeletion":true}],"uid":")" + uid + R"("}})");
}

TEST_F(OwnershipTest, D22OrphanWithAnotherTemplateIsAdoptedAsOld) {
  world.create(1, "b");
  seed_owned_by({.name = "d-old", .image = "a", .replicas = 1, .available = 1}, "[]");
  world.run_until_idle();
  EXPECT_TRUE(named("d-old").is_controlled_by(world.deployment()));
  EXPECT_EQ(named("d-old").replicas(), 0);
  EXPECT_EQ(world.size("b"), 1);
  EXPECT_THAT(world.events(),
              ElementsAre("Normal ScalingReplicaSet Scaled up replica set <b> from 0 to 1",
                          "Normal ScalingReplicaSet Scaled down replica set <a> from 1 to 0"));
}

// D23, D24
TEST_F(OwnershipTest, D23D24SetThatNoLongerMatchesIsReleasedAndTakenBackLater) {
  world.create(1, "a");
  world.run_until_idle();
  const std::string first(world.set("a").name());

  world.cluster().merge<ReplicaSet>({"default", first}, R"({"metadata":{"labels":{"app":"x"}}})");
  world.run_until_idle();
  EXPECT_FALSE(named(first).controller());
  EXPECT_EQ(world.deployment().collision_count(), 1);
  ASSERT_EQ(world.sets().size(), 2U);
  const std::string second(world.sets()[1].name());
  EXPECT_NE(second, first);

  world.cluster().merge<ReplicaSet>({"default", first}, R"({"metadata":{"labels":{"app":"d"}}})");
  world.run_until_idle();
  EXPECT_TRUE(named(first).is_controlled_by(world.deployment()));
  EXPECT_EQ(named(first).replicas(), 1) << "the oldest equal one is the new one";
  EXPECT_EQ(named(second).replicas(), 0);
}

TEST_F(OwnershipTest, D25PlainReferenceBecomesTheControllers) {
  world.create(1, "a");
  seed_owned_by({.name = "d-old", .image = "a", .replicas = 1},
                R"([{"apiVersion":"apps/v1","kind":"Deployment","name":"d","controller":false,)"
                R"("uid":")" +
                    std::string(world.deployment().uid()) + "\"}]");
  world.run_until_idle();
  EXPECT_EQ(named("d-old").owner_references().count(), 1U);
  EXPECT_TRUE(named("d-old").is_controlled_by(world.deployment()));
}

TEST_F(OwnershipTest, D26ReferenceOfAnotherKindStays) {
  world.create(1, "a");
  seed_owned_by({.name = "d-old", .image = "a", .replicas = 1},
                R"([{"apiVersion":"v1","kind":"ConfigMap","name":"c","uid":"u-c"}])");
  world.run_until_idle();
  EXPECT_EQ(named("d-old").owner_references().count(), 2U);
  EXPECT_EQ(named("d-old").owner_references().at(1)["kind"].string(), "ConfigMap");
  EXPECT_TRUE(named("d-old").is_controlled_by(world.deployment()));
}

TEST_F(OwnershipTest, D27SetOfAnotherControllerIsLeftAlone) {
  world.create(1, "b");
  seed_owned_by({.name = "theirs", .image = "a", .replicas = 1},
                R"([{"apiVersion":"apps/v1","kind":"Deployment","name":"d","uid":"another",)"
                R"("controller":true}])");
  const std::string version(named("theirs").resource_version());
  world.sync();
  EXPECT_EQ(named("theirs").resource_version(), version);
  EXPECT_EQ(world.sets().size(), 2U) << "its own set is made as if that one were not there";
}

TEST_F(OwnershipTest, D28NothingIsAdoptedForADeploymentThatIsGoneOnTheServer) {
  world.create(1, "a");
  world.merge(R"({"metadata":{"finalizers":["example.com/wait"]}})");
  world.run_until_idle();
  world.cluster().hold("deployments");
  world.cluster().remove<Deployment>(World::kDeployment);
  seed_owned_by({.name = "orphan", .image = "b", .replicas = 1}, "[]");
  world.cluster().clear_records();

  world.cluster().run_until_idle();

  EXPECT_THAT(adoptions(), IsEmpty());
  EXPECT_EQ(world.cluster().requests_of(Verb::kGet, "deployments").size(), 1U);
  ASSERT_FALSE(world.cluster().syncs().empty());
  EXPECT_FALSE(world.cluster().syncs().back().ok()) << "tried again later";
  EXPECT_THAT(world.cluster().syncs().back().error,
              ::testing::HasSubstr("default/d has just been deleted at"));
}

TEST_F(OwnershipTest, D29NothingIsReleasedByADeploymentBeingDeleted) {
  world.create(1, "a");
  world.run_until_idle();
  const std::string set(world.set("a").name());
  world.cluster().remove<Deployment>(World::kDeployment, {.propagation = Propagation::kForeground});
  world.cluster().merge<ReplicaSet>({"default", set}, R"({"metadata":{"labels":{"app":"x"}}})");
  world.run_until_idle();
  EXPECT_TRUE(named(set).is_controlled_by(world.deployment()));
}

TEST_F(OwnershipTest, D30TwoDeploymentsWithOneSelectorKeepToTheirOwn) {
  world.create(2, "a");
  world.cluster().skip(std::chrono::seconds(1));
  Json other = World::blueprint(1, "b");
  other["metadata"]["name"] = "e";
  world.create(other);
  world.run_until_idle();
  ASSERT_EQ(world.sets().size(), 2U);
  EXPECT_EQ(world.size("a"), 2);
  EXPECT_EQ(world.size("b"), 1);
  EXPECT_EQ(world.set("b").controller()->name(), "e");
  world.cluster().clear_records();
  world.cluster().resync("deployments");
  world.run_until_idle();
  EXPECT_THAT(world.writes(), IsEmpty());
}

TEST_F(OwnershipTest, D31LabelsThatChangeWakeTheDeployment) {
  world.create(1, "a");
  world.seed({.name = "orphan", .image = "b", .replicas = 1});
  world.cluster().merge<ReplicaSet>(
      {"default", "orphan"}, R"({"metadata":{"labels":{"app":"x"},"ownerReferences":null}})");
  world.run_until_idle();
  ASSERT_FALSE(named("orphan").controller());
  world.cluster().merge<ReplicaSet>({"default", "orphan"},
                                    R"({"metadata":{"labels":{"app":"d"}}})");
  world.cluster().run_until_idle();
  EXPECT_TRUE(named("orphan").is_controlled_by(world.deployment()));
}

// The way back to a consistent cache is the adoption's own event: no conflict on the way.
TEST_F(OwnershipTest, AdoptionMakesNoConflict) {
  world.create(3, "b");
  seed_owned_by({.name = "d-old", .image = "a", .replicas = 3, .available = 3}, "[]");
  world.run_until_idle();
  for (const RequestRecord& each : world.cluster().writes()) EXPECT_TRUE(each.ok()) << each;
  EXPECT_EQ(world.size("b"), 3);
}

TEST(SelectorTest, EmptySelectorIsRefused) {
  World world;
  Json deployment = World::blueprint(1, "a");
  deployment["spec"]["selector"] = Json::object();
  world.create(deployment);
  world.sync();
  ASSERT_FALSE(world.events().empty());
  EXPECT_EQ(world.events().front(),
            "Warning SelectingAll This deployment is selecting all pods. A non-empty selector is "
            "required.");
  EXPECT_TRUE(world.sets().empty());
  EXPECT_EQ(world.deployment().observed_generation(), 1);
}

TEST(SelectorTest, InvalidSelectorIsAnErrorThatNamesTheDeployment) {
  World world;
  Json deployment = World::blueprint(1, "a");
  deployment["spec"]["selector"] =
      Json::must(R"({"matchExpressions": [{"key": "app", "operator": "Like"}]})");
  world.create(deployment);
  world.sync();
  ASSERT_FALSE(world.cluster().syncs().empty());
  EXPECT_THAT(world.cluster().syncs().front().error,
              ::testing::StartsWith("deployment default/d has invalid label selector: "));
  EXPECT_TRUE(world.sets().empty());
}

}  // namespace
}  // namespace davit::deployment
