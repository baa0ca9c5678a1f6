/// The note, the configuration, and what a pod is made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/replicaset/fixture.hpp"

namespace davit::replicas {
namespace {

using ::testing::HasSubstr;

class PluginTest : public ReplicaSetTest {};

TEST_F(PluginTest, TheNoteDeclaresOneControllerByBothNames) {
  const Json note = Json::must(note_text<replicaset::declare>());
  const Json& controller = note.find("controllers")->items().front();

  EXPECT_EQ(text(note, {"name"}), "replicaset");
  EXPECT_EQ(text(controller, {"name"}), "replicaset-controller");
  EXPECT_EQ(text(controller, {"clientName"}), "replicaset-controller");
  EXPECT_EQ(controller.find("aliases")->canonical(), R"(["replicaset"])");
  EXPECT_EQ(controller.find("workers")->integer(), 5);
}

TEST_F(PluginTest, AnUnknownOptionIsRefused) {
  const Status status =
      cluster().start(kController, &ReplicaSetController::open, R"({"terminating":"on"})");
  EXPECT_THAT(status.message(), HasSubstr("unknown configuration \"terminating\""));
}

TEST_F(PluginTest, AnUnknownValueIsRefused) {
  const Status status =
      cluster().start(kController, &ReplicaSetController::open, R"({"terminatingReplicas":true})");
  EXPECT_THAT(status.message(), HasSubstr(R"(must be "auto", "on" or "off")"));
}

TEST_F(PluginTest, AScaleDownRecordsTheAgesOfItsVictims) {
  const std::string ready = R"("status":{"conditions":[{"type":"Ready","status":"True"}]})";
  add_pod("old", R"({"metadata":{"creationTimestamp":")" +
                     format_time(now() - std::chrono::hours(3)) + R"("},)" + ready + "}");
  add_pod("young", R"({"metadata":{"creationTimestamp":")" +
                       format_time(now() - std::chrono::hours(1)) + R"("},)" + ready + "}");
  add_set();
  start();

  ASSERT_EQ(cluster().metrics().size(), 1U);
  EXPECT_EQ(cluster().metrics().front().name, "replicaset_controller_sorting_deletion_age_ratio");
  EXPECT_EQ(cluster().metrics().front().value, 1) << "the younger one went";
}

TEST_F(PluginTest, APatchRefusedByANewerServerIsNotAHotLoop) {
  add_set();
  cluster().fail_next({.verb = testing::Verb::kPatch,
                       .resource = "replicasets",
                       .http_status = 422,
                       .times = testing::Fault::kAlways});
  start();
  advance(std::chrono::seconds(1));

  EXPECT_LT(status_writes(), 24U) << "two a try, and the tries back off";
}

}  // namespace
}  // namespace davit::replicas
