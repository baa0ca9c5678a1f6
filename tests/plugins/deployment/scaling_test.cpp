#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/deployment/world.hpp"

namespace davit::deployment {
namespace {

using davit::testing::Json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ScalingTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_THAT(world.cluster().violations(), IsEmpty()); }

  void expect_marks(std::string_view image, std::string_view desired, std::string_view max) {
    EXPECT_EQ(world.set(image).annotation("deployment.kubernetes.io/desired-replicas"), desired);
    EXPECT_EQ(world.set(image).annotation("deployment.kubernetes.io/max-replicas"), max);
  }
  /// Ten pods of "a", a rollout to "b" that got stuck at 8 and 5.
  void get_stuck() {
    Json deployment = World::blueprint(10, "a");
    deployment["spec"]["strategy"]["rollingUpdate"] =
        Json::must(R"({"maxSurge": 3, "maxUnavailable": 2})");
    world.create(deployment);
    world.settle();
    world.set_health("b", Health::kNeverReady);
    world.set_image("b");
    world.settle();
    world.cluster().clear_records();
  }

  World world;
};

TEST_F(ScalingTest, D52OnlySetFollows) {
  world.create(10, "a");
  world.settle();
  world.cluster().clear_records();
  world.scale(12);
  world.settle();
  EXPECT_EQ(world.size("a"), 12);
  expect_marks("a", "12", "15");
  EXPECT_THAT(world.events(),
              ElementsAre("Normal ScalingReplicaSet Scaled up replica set <a> from 10 to 12"));
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "1");
}

// The reference trace of a scale in mid-rollout.
TEST_F(ScalingTest, EverySetKeepsItsShareInMidRollout) {
  get_stuck();
  world.scale(30);
  world.sync();
  EXPECT_EQ(world.size("a"), 20);
  EXPECT_EQ(world.size("b"), 13);
  expect_marks("a", "30", "33");
  expect_marks("b", "30", "33");
}

TEST_F(ScalingTest, D59SizeAndSurgeChangeTogether) {
  get_stuck();
  world.merge(R"({"spec":{"replicas":50,"strategy":{"rollingUpdate":{"maxSurge":6}}}})");
  world.sync();
  EXPECT_EQ(world.size("a"), 34);
  EXPECT_EQ(world.size("b"), 22);
  expect_marks("a", "50", "56");
}

TEST_F(ScalingTest, D61ToZeroAllGo) {
  get_stuck();
  world.scale(0);
  world.settle();
  EXPECT_EQ(world.size("a"), 0);
  EXPECT_EQ(world.size("b"), 0);
}

TEST_F(ScalingTest, D62FromZeroOnlyTheNewSetGrows) {
  get_stuck();
  world.scale(0);
  world.settle();
  world.scale(6);
  world.settle();
  EXPECT_EQ(world.size("a"), 0);
  EXPECT_EQ(world.size("b"), 6);
}

TEST_F(ScalingTest, D63SaturatedNewSetEndsTheOldOnes) {
  world.create(2, "b");
  world.seed({.name = "d-a",
              .image = "a",
              .replicas = 1,
              .available = 1,
              .annotations = R"({"deployment.kubernetes.io/desired-replicas": "9"})"});
  world.seed({.name = "d-b",
              .image = "b",
              .replicas = 2,
              .available = 2,
              .annotations = R"({"deployment.kubernetes.io/desired-replicas": "2",
                                 "deployment.kubernetes.io/revision": "1"})"});
  world.settle();
  EXPECT_EQ(world.size("a"), 0);
  EXPECT_EQ(world.size("b"), 2);
}

// The API server turns a write of the scale subresource into a new spec.replicas.
TEST_F(ScalingTest, D66ScaleSubresourceIsAnOrdinaryUpdate) {
  world.create(1, "a");
  world.settle();
  const std::int64_t generation = world.deployment().generation();
  world.scale(3);
  world.settle();
  EXPECT_EQ(world.size("a"), 3);
  EXPECT_EQ(world.deployment().generation(), generation + 1);
  EXPECT_EQ(world.deployment().observed_generation(), generation + 1);
}

// Q9
TEST_F(ScalingTest, SizeAndTemplateInOneUpdateScaleFirst) {
  world.create(3, "a");
  world.settle();
  world.cluster().clear_records();
  world.edit([](Json& d) {
    d["spec"]["replicas"] = 5;
    d["spec"]["template"]["metadata"]["annotations"]["new"] = "template";
  });
  world.sync();
  ASSERT_FALSE(world.cluster().events().empty());
  EXPECT_THAT(world.cluster().events().front().message, ::testing::EndsWith("from 3 to 5"));
}

}  // namespace
}  // namespace davit::deployment
