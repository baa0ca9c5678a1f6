/// Status writes of the Deployment controller with its default configuration.
#include <gmock/gmock.h>

#include "tests/plugins/deployment/plugin_under_test.hpp"
#include "tests/plugins/deployment/world.hpp"

namespace davit::deployment {
namespace {

using std::chrono::milliseconds;

class DeploymentWindowTest : public ::testing::Test {
 protected:
  /// Ten pods are wanted, two are available, and no window is open.
  DeploymentWindowTest() {
    world_.set_health("a", Health::kNeverReady);
    world_.create(10, "a");
    world_.run_until_idle();
    set_available(2);
    world_.cluster().advance(std::chrono::seconds(1));
    world_.cluster().clear_records();
  }

  void set_available(int count) {
    const std::string number = std::to_string(count);
    world_.cluster().merge<ReplicaSet>(
        world_.set("a").key(),
        R"({"status":{"readyReplicas":)" + number + R"(,"availableReplicas":)" + number + "}}");
    world_.sync();
  }
  [[nodiscard]] std::size_t status_writes() {
    return world_.cluster().requests_of(testing::Verb::kPatch, "deployments", "status").size();
  }

  World world_{""};
};

TEST_F(DeploymentWindowTest, AFirstChangeIsWrittenAtOnce) {
  set_available(3);

  EXPECT_EQ(status_writes(), 1U);
  EXPECT_EQ(world_.deployment().available_replicas(), 3);
}

TEST_F(DeploymentWindowTest, CountsSoonAfterAWriteAreWrittenTogetherAtTheEndOfItsWindow) {
  for (const int count : {3, 4, 5}) set_available(count);
  EXPECT_EQ(status_writes(), 1U);

  world_.cluster().advance(milliseconds(99));
  EXPECT_EQ(status_writes(), 1U);
  world_.cluster().advance(milliseconds(1));
  EXPECT_EQ(status_writes(), 2U);
  EXPECT_EQ(world_.deployment().available_replicas(), 5);
}

TEST_F(DeploymentWindowTest, AConditionThatTurnsDoesNotWait) {
  set_available(3);
  set_available(8);  // Two of ten may be missing.
  EXPECT_EQ(world_.condition("Available"), "True/MinimumReplicasAvailable");

  set_available(10);
  EXPECT_EQ(world_.condition("Progressing"), "True/NewReplicaSetAvailable");
}

TEST_F(DeploymentWindowTest, ANewSetAndItsRevisionDoNotWait) {
  set_available(3);
  world_.set_image("b");
  world_.sync();

  EXPECT_EQ(world_.sets().size(), 2U);
  EXPECT_EQ(world_.deployment().annotation("deployment.kubernetes.io/revision"), "2");
}

TEST(DeploymentOptionsTest, AnUnknownOptionAndABadWindowAreRefused) {
  testing::Cluster cluster({.note = declared_note()});
  const auto refusal = [&](std::string_view config) {
    return cluster.start("deployment-controller", controller_init(), config).message();
  };

  EXPECT_THAT(refusal(R"({"window":"1s"})"),
              ::testing::HasSubstr("unknown configuration \"window\"; known: writeWindow"));
  EXPECT_THAT(refusal(R"({"writeWindow":"1 second"})"),
              ::testing::HasSubstr("writeWindow must be a duration from \"0s\" to \"10s\""));
}

}  // namespace
}  // namespace davit::deployment
