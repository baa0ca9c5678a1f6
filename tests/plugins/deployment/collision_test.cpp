#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/deployment/world.hpp"

namespace davit::deployment {
namespace {

using davit::testing::Fault;
using davit::testing::Json;
using davit::testing::Verb;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CreateErrorTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_THAT(world.cluster().violations(), IsEmpty()); }
  void reject_creates(int times) {
    world.cluster().fail_next({.verb = Verb::kCreate,
                               .resource = "replicasets",
                               .http_status = 403,
                               .reason = "Forbidden",
                               .message = "exceeded quota: none",
                               .times = times});
  }
  World world;
};

TEST_F(CreateErrorTest, D32TemplateOfTheSetEditedByHandMakesACollision) {
  world.create(1, "a");
  world.run_until_idle();
  const std::string first(world.set("a").name());
  world.cluster().merge<ReplicaSet>(
      {"default", first}, R"({"spec":{"template":{"metadata":{"annotations":{"by":"hand"}}}}})");
  world.run_until_idle();
  EXPECT_EQ(world.deployment().collision_count(), 1);
  ASSERT_EQ(world.sets().size(), 2U);
  EXPECT_EQ(world.sets()[0].replicas(), 0);
  EXPECT_EQ(world.sets()[1].replicas(), 1);
  EXPECT_NE(world.sets()[1].label("pod-template-hash"), world.sets()[0].label("pod-template-hash"));
  EXPECT_EQ(world.sets()[1].annotation("deployment.kubernetes.io/revision"), "2");
}

TEST_F(CreateErrorTest, D33ForeignSetOfThatNameMakesACollisionWithoutEvent) {
  // Another world shows the name that the set would get.
  World oracle;
  oracle.create(1, "a");
  oracle.run_until_idle();
  world.create(1, "a");
  world.seed({.name = std::string(oracle.set("a").name()), .image = "x"});
  world.cluster().merge<ReplicaSet>(oracle.set("a").key(),
                                    R"({"metadata":{"labels":null,"ownerReferences":null}})");
  world.run_until_idle();
  EXPECT_EQ(world.deployment().collision_count(), 1);
  EXPECT_EQ(world.size("a"), 1);
  EXPECT_NE(world.set("a").name(), oracle.set("a").name());
  EXPECT_THAT(world.events(), Each(Not(HasSubstr("ReplicaSetCreateError"))));
}

TEST_F(CreateErrorTest, D34D35RejectedCreateIsReportedAndRecoversByRetry) {
  world.create(1, "a");
  reject_creates(3);
  world.sync();
  const std::string body = world.cluster().requests_of(Verb::kCreate, "replicasets")[0].body;
  const std::string message = "Failed to create new replica set \"" +
                              Json::must(body).text_at({"metadata", "name"}) +
                              "\": exceeded quota: none";
  ASSERT_FALSE(world.events().empty());
  EXPECT_EQ(world.events().front(), "Warning ReplicaSetCreateError " + message);
  EXPECT_EQ(world.condition("Progressing"), "False/ReplicaSetCreateError");
  EXPECT_EQ(world.deployment().condition("Progressing")->message(), message);

  world.cluster().advance(std::chrono::seconds(1));
  EXPECT_EQ(world.condition("Progressing"), "True/NewReplicaSetCreated");
  world.run_until_idle();
  EXPECT_EQ(world.condition("Progressing"), "True/NewReplicaSetAvailable");
}

TEST_F(CreateErrorTest, D36TerminatingNamespaceEndsInSilence) {
  world.create(1, "a");
  world.cluster().fail_next({.verb = Verb::kCreate,
                             .resource = "replicasets",
                             .http_status = 403,
                             .reason = "Forbidden",
                             .message = "namespace is being terminated",
                             .causes = {"NamespaceTerminating"},
                             .times = Fault::kAlways});
  world.sync();
  world.cluster().advance(std::chrono::minutes(5));
  EXPECT_EQ(world.cluster().requests_of(Verb::kCreate, "replicasets").size(), 1U);
  EXPECT_THAT(world.events(), IsEmpty());
  EXPECT_EQ(world.condition("Progressing"), "");
}

TEST_F(CreateErrorTest, D37WithoutADeadlineThereIsAnEventOnly) {
  Json deployment = World::blueprint(1, "a");
  deployment["spec"]["progressDeadlineSeconds"] = 2147483647;
  world.create(deployment);
  reject_creates(1);
  world.sync();
  EXPECT_THAT(world.events(), ElementsAre(HasSubstr("ReplicaSetCreateError")));
  EXPECT_EQ(world.condition("Progressing"), "");
}

// Q11
TEST(RetryTest, KeyIsDroppedAfterFifteenFailuresUntilItsNextEvent) {
  World world;
  world.create(1, "a");
  world.cluster().fail_next(
      {.verb = Verb::kCreate, .resource = "replicasets", .times = Fault::kAlways});
  world.sync();
  world.cluster().advance(std::chrono::hours(1));
  const std::size_t tries = world.cluster().requests_of(Verb::kCreate, "replicasets").size();
  EXPECT_GE(tries, 15U);
  EXPECT_LE(tries, 17U);
  world.cluster().clear_faults();
  world.cluster().resync("deployments");
  world.run_until_idle();
  EXPECT_EQ(world.size("a"), 1);
}

TEST(RetryTest, CreateThatTookEffectButFailedIsRecognised) {
  World world;
  world.create(2, "a");
  world.cluster().fail_next({.verb = Verb::kCreate,
                             .resource = "replicasets",
                             .http_status = 504,
                             .reason = "Timeout",
                             .message = "timed out",
                             .effect = davit::testing::Effect::kApplied});
  world.run_until_idle();
  ASSERT_EQ(world.sets().size(), 1U);
  EXPECT_EQ(world.deployment().collision_count(), std::nullopt);
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "1");
}

// A create against a cache that lags ends in AlreadyExists, and then the cached set is taken.
TEST(RetryTest, SetThatTheCacheShowsLateIsTakenWithoutEvent) {
  World world;
  world.create(2, "a");
  world.run_until_idle();
  const std::vector<std::string> before = world.events();
  world.cluster().hold("replicasets");
  world.cluster().merge<Deployment>(World::kDeployment, R"({"metadata":{"labels":{"x":"y"}}})");
  world.cluster().run_until_idle();
  EXPECT_EQ(world.events(), before);
  EXPECT_EQ(world.sets().size(), 1U);
}

}  // namespace
}  // namespace davit::deployment
