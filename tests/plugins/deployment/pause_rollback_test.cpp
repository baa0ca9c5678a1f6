#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/deployment/world.hpp"

namespace davit::deployment {
namespace {

using davit::testing::Json;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kRollback = "deprecated.deployment.rollback.to";

class PausedTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_THAT(world.cluster().violations(), IsEmpty()); }
  void pause() { world.merge(R"({"spec":{"paused":true}})"); }
  void resume() { world.merge(R"({"spec":{"paused":null}})"); }
  World world;
};

// D72, D73
TEST_F(PausedTest, D72D73PausedFromTheStartMakesNothingUntilResumed) {
  Json deployment = World::blueprint(1, "a");
  deployment["spec"]["paused"] = true;
  world.create(deployment);
  world.run_until_idle();
  EXPECT_TRUE(world.sets().empty());
  EXPECT_EQ(world.condition("Progressing"), "Unknown/DeploymentPaused");
  EXPECT_EQ(world.deployment().observed_generation(), world.deployment().generation());
  world.cluster().clear_records();
  world.cluster().resync("deployments");
  world.run_until_idle();
  EXPECT_THAT(world.writes(), IsEmpty()) << "nothing to say twice";

  resume();
  world.sync();
  EXPECT_EQ(world.set("a").annotation("deployment.kubernetes.io/revision"), "1");
  world.run_until_idle();
  EXPECT_EQ(world.condition("Progressing"), "True/NewReplicaSetAvailable");
}

TEST_F(PausedTest, D73ResumingRestartsTheClockOfAnUnfinishedRollout) {
  world.set_health("a", Health::kNeverReady);
  world.create(1, "a");
  world.run_until_idle();
  pause();
  world.run_until_idle();
  EXPECT_EQ(world.condition("Progressing"), "Unknown/DeploymentPaused");
  resume();
  world.sync();
  EXPECT_EQ(world.condition("Progressing"), "Unknown/DeploymentResumed");
}

TEST_F(PausedTest, D74NewTemplateWaits) {
  world.create(1, "a");
  world.run_until_idle();
  pause();
  world.set_image("b");
  world.run_until_idle();
  EXPECT_EQ(world.sets().size(), 1U);
  EXPECT_EQ(world.deployment().updated_replicas(), 0);
  EXPECT_EQ(world.deployment().observed_generation(), world.deployment().generation());
}

TEST_F(PausedTest, D75SizesChange) {
  world.create(1, "a");
  world.run_until_idle();
  pause();
  world.scale(10);
  world.run_until_idle();
  EXPECT_EQ(world.size("a"), 10);
}

TEST_F(PausedTest, D57WithoutANewSetTheNewerOldOneGrows) {
  Json deployment = World::blueprint(5, "c");
  deployment["spec"]["strategy"]["rollingUpdate"] =
      Json::must(R"({"maxSurge": 0, "maxUnavailable": 1})");
  deployment["spec"]["paused"] = true;
  world.create(deployment);
  const std::string marks = R"({"deployment.kubernetes.io/desired-replicas": "4",
                                "deployment.kubernetes.io/max-replicas": "4"})";
  world.seed({.name = "d-a", .image = "a", .replicas = 2, .available = 2, .annotations = marks});
  world.seed({.name = "d-b", .image = "b", .replicas = 2, .available = 2, .annotations = marks});
  world.run_until_idle();
  EXPECT_EQ(world.size("a"), 2);
  EXPECT_EQ(world.size("b"), 3);
}

TEST_F(PausedTest, D76PauseInMidRolloutGivesTheRoomToTheLargestSet) {
  Json deployment = World::blueprint(10, "b");
  deployment["spec"]["strategy"]["rollingUpdate"] =
      Json::must(R"({"maxSurge": 3, "maxUnavailable": 2})");
  deployment["spec"]["paused"] = true;
  world.create(deployment);
  const std::string marks = R"({"deployment.kubernetes.io/desired-replicas": "10",
                                "deployment.kubernetes.io/max-replicas": "13"})";
  world.seed({.name = "d-a", .image = "a", .replicas = 8, .available = 8, .annotations = marks});
  world.seed({.name = "d-b", .image = "b", .replicas = 3, .annotations = marks});
  world.sync();
  EXPECT_EQ(world.size("a"), 10);
  EXPECT_EQ(world.size("b"), 3);
}

TEST_F(PausedTest, D77TimedOutStaysTimedOut) {
  Json deployment = World::blueprint(1, "a");
  deployment["spec"]["progressDeadlineSeconds"] = 3;
  world.set_health("a", Health::kNeverReady);
  world.create(deployment);
  world.run_until_idle();
  world.cluster().advance(std::chrono::seconds(10));
  ASSERT_EQ(world.condition("Progressing"), "False/ProgressDeadlineExceeded");
  pause();
  world.run_until_idle();
  EXPECT_EQ(world.condition("Progressing"), "False/ProgressDeadlineExceeded");
}

class RollbackTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_THAT(world.cluster().violations(), IsEmpty()); }
  void roll(std::string_view image) {
    world.set_image(image);
    world.cluster().skip(std::chrono::seconds(1));
    world.run_until_idle();
  }
  void request(std::string_view revision) {
    world.cluster().clear_records();
    world.edit([&](Json& d) { d["metadata"]["annotations"][kRollback] = Json(revision); });
    world.run_until_idle();
    EXPECT_FALSE(world.deployment().annotation(kRollback)) << "answered once";
  }
  World world;
};

TEST_F(RollbackTest, D78ZeroMeansTheRevisionBefore) {
  Json deployment = World::blueprint(1, "a");
  deployment["metadata"]["annotations"]["why"] = "first";
  world.create(deployment);
  world.run_until_idle();
  world.merge(R"({"metadata":{"annotations":{"why":"second","only":"here"}}})");
  roll("b");
  world.cluster().merge<ReplicaSet>(world.set("a").key(),
                                    R"({"metadata":{"annotations":{"why":"first"}}})");

  request("0");

  EXPECT_THAT(world.events(), Contains("Normal DeploymentRollback Rolled back deployment \"d\" to "
                                       "revision 1"));
  EXPECT_EQ(world.size("a"), 1);
  EXPECT_EQ(world.size("b"), 0);
  EXPECT_EQ(world.set("a").annotation("deployment.kubernetes.io/revision"), "3");
  EXPECT_EQ(world.set("a").annotation("deployment.kubernetes.io/revision-history"), "1");
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "3");
  EXPECT_EQ(world.deployment().annotation("why"), "first");
  EXPECT_TRUE(
      world.deployment().pod_template()["metadata"]["labels"]["pod-template-hash"].is_absent());
}

TEST_F(RollbackTest, ARollbackKeepsTheRevisionThatItsOwnSyncWrote) {
  world.create(1, "a");
  world.run_until_idle();
  roll("b");
  world.edit([](Json& d) {
    d["spec"]["template"]["spec"]["containers"].items()[0]["image"] = Json("c");
    d["metadata"]["annotations"][kRollback] = Json("1");
  });
  world.cluster().run_one_sync();

  EXPECT_FALSE(world.deployment().annotation(kRollback));
  EXPECT_EQ(world.set("c").annotation("deployment.kubernetes.io/revision"), "3");
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "3");
}

TEST_F(RollbackTest, D79UnknownRevisionIsReportedAndForgotten) {
  world.create(1, "a");
  world.run_until_idle();
  request("7");
  EXPECT_THAT(world.events(),
              Contains("Warning DeploymentRollbackRevisionNotFound Unable to find the revision to "
                       "rollback to."));
}

TEST_F(RollbackTest, D80WithOneRevisionThereIsNoneBefore) {
  world.create(1, "a");
  world.run_until_idle();
  request("0");
  EXPECT_THAT(world.events(),
              Contains("Warning DeploymentRollbackRevisionNotFound Unable to find last revision."));
}

TEST_F(RollbackTest, D81CurrentRevisionIsNotARollback) {
  world.create(1, "a");
  world.run_until_idle();
  request("1");
  EXPECT_THAT(world.events(),
              Contains("Warning DeploymentRollbackTemplateUnchanged The rollback revision contains "
                       "the same template as current deployment \"d\""));
}

// The reference trace of `kubectl rollout undo`, which edits the template.
TEST_F(RollbackTest, OldTemplateBringsTheOldSetBackWithTheNextRevision) {
  world.create(1, "a");
  world.run_until_idle();
  roll("b");
  roll("a");
  EXPECT_EQ(world.sets().size(), 2U);
  EXPECT_EQ(world.set("a").annotation("deployment.kubernetes.io/revision"), "3");
  EXPECT_EQ(world.deployment().annotation("deployment.kubernetes.io/revision"), "3");
  EXPECT_EQ(world.condition("Progressing"), "True/NewReplicaSetAvailable");
}

class HistoryTest : public RollbackTest {};

TEST_F(HistoryTest, D82OldSetGoesOnceTheRolloutIsCompleteAndItIsEmpty) {
  Json deployment = World::blueprint(1, "a");
  deployment["spec"]["revisionHistoryLimit"] = 0;
  world.create(deployment);
  world.run_until_idle();
  world.set_health("b", Health::kNeverReady);
  roll("b");
  EXPECT_EQ(world.sets().size(), 2U) << "not before the new one is there";
  world.set_health("b", Health::kGood);
  world.run_until_idle();
  ASSERT_EQ(world.sets().size(), 1U);
  EXPECT_EQ(world.size("b"), 1);
  EXPECT_THAT(world.events(), Each(Not(HasSubstr("elete")))) << "no event for a deletion";
}

TEST_F(HistoryTest, D83KeepsTheHighestRevisions) {
  Json deployment = World::blueprint(1, "a");
  deployment["spec"]["revisionHistoryLimit"] = 2;
  world.create(deployment);
  world.run_until_idle();
  for (const char* image : {"b", "c", "d", "e"}) roll(image);
  ASSERT_EQ(world.sets().size(), 3U);
  EXPECT_EQ(world.size("a"), -1);
  EXPECT_EQ(world.size("b"), -1);
}

TEST_F(HistoryTest, D85UnlimitedKeepsAll) {
  Json deployment = World::blueprint(1, "a");
  deployment["spec"]["revisionHistoryLimit"] = 2147483647;
  world.create(deployment);
  world.run_until_idle();
  for (const char* image : {"b", "c", "d", "e"}) roll(image);
  EXPECT_EQ(world.sets().size(), 5U);
}

}  // namespace
}  // namespace davit::deployment
