#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

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
    world.run_until_idle();
    world.set_health("b", Health::kNeverReady);
    world.set_image("b");
    world.run_until_idle();
    world.cluster().clear_records();
  }

  static std::string marks(std::int64_t desired, std::int64_t max) {
    return R"({"deployment.kubernetes.io/desired-replicas": ")" + std::to_string(desired) +
           R"(", "deployment.kubernetes.io/max-replicas": ")" + std::to_string(max) + R"("})";
  }
  /// A Deployment of `image` that wants `replicas`, and one sync of it. The sets are given oldest
  /// first.
  void rescale(std::string_view image, std::int64_t replicas, std::string_view limits,
               const std::vector<SeedSet>& sets) {
    Json deployment = World::blueprint(replicas, image);
    deployment["spec"]["strategy"]["rollingUpdate"] = Json::must(limits);
    rescale(deployment, sets);
  }
  void rescale(const Json& deployment, const std::vector<SeedSet>& sets) {
    world.create(deployment);
    for (SeedSet each : sets) {
      each.name = "d-" + each.image;
      each.hash = each.image;
      world.seed(each);
    }
    world.sync_once();
  }
  /// Sizes of the sets, oldest first.
  [[nodiscard]] std::vector<std::int64_t> sizes() {
    std::vector<std::int64_t> out;
    for (const ReplicaSet& each : world.sets()) out.push_back(each.replicas());
    return out;
  }

  static constexpr const char* kNoSurge = R"({"maxSurge": 0, "maxUnavailable": 1})";

  World world;
};

TEST_F(ScalingTest, D52OnlySetFollows) {
  world.create(10, "a");
  world.run_until_idle();
  world.cluster().clear_records();
  world.scale(12);
  world.run_until_idle();
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

TEST_F(ScalingTest, D53EachSetGrowsByItsShare) {
  rescale("b", 10, kNoSurge,
          {{.image = "a", .replicas = 3, .annotations = marks(5, 5)},
           {.image = "b", .replicas = 2, .annotations = marks(5, 5)}});
  EXPECT_THAT(sizes(), ElementsAre(6, 4));
}

TEST_F(ScalingTest, D54EachSetShrinksByItsShare) {
  rescale("c", 8, kNoSurge,
          {{.image = "a", .replicas = 3, .annotations = marks(13, 13)},
           {.image = "b", .replicas = 8, .annotations = marks(13, 13)},
           {.image = "c", .replicas = 2, .annotations = marks(13, 13)}});
  EXPECT_THAT(sizes(), ElementsAre(2, 5, 1));
}

TEST_F(ScalingTest, D55AmongEqualsTheNewestGrows) {
  rescale("c", 4, kNoSurge,
          {{.image = "a", .replicas = 1, .annotations = marks(3, 3)},
           {.image = "b", .replicas = 1, .annotations = marks(3, 3)},
           {.image = "c", .replicas = 1, .annotations = marks(3, 3)}});
  EXPECT_THAT(sizes(), ElementsAre(1, 1, 2));
}

TEST_F(ScalingTest, D56AmongEqualsTheOldestShrinks) {
  rescale("c", 2, kNoSurge,
          {{.image = "a", .replicas = 1, .annotations = marks(3, 3)},
           {.image = "b", .replicas = 1, .annotations = marks(3, 3)},
           {.image = "c", .replicas = 1, .annotations = marks(3, 3)}});
  EXPECT_THAT(sizes(), ElementsAre(0, 1, 1));
}

TEST_F(ScalingTest, D57WithoutANewSetTheNewestOldOneGrows) {
  Json deployment = World::blueprint(5, "c");
  deployment["spec"]["paused"] = true;
  deployment["spec"]["strategy"]["rollingUpdate"] = Json::must(kNoSurge);
  rescale(deployment, {{.image = "a", .replicas = 2, .annotations = marks(4, 4)},
                       {.image = "b", .replicas = 2, .annotations = marks(4, 4)}});
  EXPECT_THAT(sizes(), ElementsAre(2, 3));
}

TEST_F(ScalingTest, D58TheSurgeIsSharedToo) {
  rescale("b", 20, R"({"maxSurge": 2, "maxUnavailable": 1})",
          {{.image = "a", .replicas = 6, .annotations = marks(10, 12)},
           {.image = "b", .replicas = 6, .annotations = marks(10, 12)}});
  EXPECT_THAT(sizes(), ElementsAre(11, 11));
  expect_marks("a", "20", "22");
  expect_marks("b", "20", "22");
}

TEST_F(ScalingTest, D59SizeAndSurgeChangeTogether) {
  get_stuck();
  world.merge(R"({"spec":{"replicas":50,"strategy":{"rollingUpdate":{"maxSurge":6}}}})");
  world.sync();
  EXPECT_EQ(world.size("a"), 34);
  EXPECT_EQ(world.size("b"), 22);
  expect_marks("a", "50", "56");
}

TEST_F(ScalingTest, D60ASetThatIsNeverReadyGetsItsShare) {
  rescale("b", 120, R"({"maxSurge": 20, "maxUnavailable": 0})",
          {{.image = "a", .replicas = 100, .available = 100, .annotations = marks(100, 120)},
           {.image = "b", .replicas = 20, .annotations = marks(100, 120)}});
  EXPECT_THAT(sizes(), ElementsAre(117, 23));
  expect_marks("a", "120", "140");
  expect_marks("b", "120", "140");
}

TEST_F(ScalingTest, D61ToZeroAllGo) {
  rescale("c", 0, kNoSurge,
          {{.image = "a", .replicas = 3, .annotations = marks(6, 6)},
           {.image = "b", .replicas = 2, .annotations = marks(6, 6)},
           {.image = "c", .replicas = 1, .annotations = marks(6, 6)}});
  EXPECT_THAT(sizes(), ElementsAre(0, 0, 0));
}

TEST_F(ScalingTest, D62FromZeroOnlyTheNewSetGrows) {
  get_stuck();
  world.scale(0);
  world.run_until_idle();
  world.scale(6);
  world.run_until_idle();
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
  world.run_until_idle();
  EXPECT_EQ(world.size("a"), 0);
  EXPECT_EQ(world.size("b"), 2);
}

TEST_F(ScalingTest, D64WhatTheSurgeAllowsKeepsItsSizes) {
  rescale("b", 2, R"({"maxSurge": 1, "maxUnavailable": 1})",
          {{.image = "a", .replicas = 1, .available = 1, .annotations = marks(9, 10)},
           {.image = "b", .replicas = 2, .annotations = marks(2, 3)}});
  EXPECT_THAT(sizes(), ElementsAre(1, 2)) << "the new set has its size but is not available";
  expect_marks("a", "2", "3");
}

TEST_F(ScalingTest, D65WithoutItsMarkASetsShareIsThatOfTheReportedReplicas) {
  Json deployment = World::blueprint(120, "b");
  deployment["spec"]["strategy"]["rollingUpdate"] = Json::must(kNoSurge);
  deployment["status"]["replicas"] = 100;
  rescale(deployment, {{.image = "a",
                        .replicas = 50,
                        .annotations = R"({"deployment.kubernetes.io/desired-replicas": "100"})"},
                       {.image = "b", .replicas = 50, .annotations = marks(100, 100)}});
  EXPECT_THAT(sizes(), ElementsAre(60, 60));
}

// Q9
TEST_F(ScalingTest, SizeAndTemplateInOneUpdateScaleFirst) {
  world.create(3, "a");
  world.run_until_idle();
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
