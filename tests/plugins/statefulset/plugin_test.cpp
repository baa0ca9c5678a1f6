/// The note, the configuration, the metrics.
#include "tests/plugins/statefulset/fixture.hpp"

namespace davit::statefulset {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using PluginTest = StatefulSetTest;

TEST_F(PluginTest, TheNoteDeclaresOneControllerByBothNames) {
  const Json note = Json::must(note_text<declare>());
  const Json& controller = note.find("controllers")->items().front();
  EXPECT_EQ(note.text_at({"name"}), "statefulset");
  EXPECT_EQ(controller.text_at({"name"}), "statefulset-controller");
  EXPECT_EQ(controller.find("aliases")->canonical(), R"(["statefulset"])");
  EXPECT_EQ(controller.find("workers")->integer(), 5);
}

TEST_F(PluginTest, UnknownOptionsAndValuesAreRefused) {
  EXPECT_THAT(
      cluster_.start(kController, &StatefulSetController::open, R"({"max":"on"})").message(),
      HasSubstr("unknown configuration \"max\"; known: maxUnavailable"));
  EXPECT_THAT(cluster_.start(kController, &StatefulSetController::open, R"({"maxUnavailable":2})")
                  .message(),
              HasSubstr(R"(maxUnavailable must be "on" or "off")"));
}

TEST_F(PluginTest, ARolloutUsesEveryDeclarationButFinalizers) {
  add_pod("web-0");
  start();
  add_set(2, {kClaims, R"({"spec":{"revisionHistoryLimit":0,
      "persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Delete"}}})"});
  make_all_ready();
  cluster_.erase<Pod>({"ns", "web-0"});
  run();
  make_all_ready();
  const std::string first = revision_names().front();
  Json taken = cluster_.json<history::ControllerRevision>({"ns", first});
  set_image("nginx:2");
  make_all_ready();
  // Its name is taken when the template is reverted, so it is read.
  taken["metadata"]["labels"] = Json::must("{}");
  taken["metadata"].erase("ownerReferences");
  taken["metadata"].erase("uid");
  taken["metadata"].erase("resourceVersion");
  cluster_.add(taken);
  set_image("nginx:1");
  set_image("nginx:3");
  set_image("nginx:2");  // Back to a revision that is still there.
  for (const std::string& each : cluster_.unused_declarations()) {
    // The server checks the right to finalizers where blockOwnerDeletion is set; Events are
    // written by the host.
    EXPECT_TRUE(each.find("finalizers") != std::string::npos ||
                each.find("events") != std::string::npos)
        << each;
  }
}

TEST_F(PluginTest, TheGateBringsItsMetrics) {
  start(R"({"maxUnavailable":"on"})");
  add_ready_set(4, {R"({"spec":{"updateStrategy":{"type":"RollingUpdate",
      "rollingUpdate":{"partition":0,"maxUnavailable":"50%"}}}})"});
  const auto last = [&](std::string_view name) {
    double value = -1;
    for (const testing::MetricSample& each : cluster_.metrics()) {
      if (each.name != name) continue;
      EXPECT_THAT(each.labels, ElementsAre("ns", "web", "OrderedReady"));
      value = each.value;
    }
    return value;
  };
  EXPECT_EQ(last("statefulset_controller_statefulset_max_unavailable"), 2);
  EXPECT_EQ(last("statefulset_controller_statefulset_unavailable_replicas"), 0);
}

TEST_F(PluginTest, WithoutTheGateThereAreNoMetrics) {
  start();
  add_ready_set(1);
  EXPECT_THAT(cluster_.metrics(), IsEmpty());
}

}  // namespace
}  // namespace davit::statefulset
