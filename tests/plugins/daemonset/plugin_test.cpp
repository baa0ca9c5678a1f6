/// The note, the configuration, and objects that make no sense.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/daemonset/fixture.hpp"

namespace davit::daemonset {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PluginTest : public DaemonSetTest {
 protected:
  /// Stores a set as it is, without the server's judgement.
  void add_raw(const std::string& name, std::string_view spec) {
    cluster().add(R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":")" + name +
                  R"(","namespace":"ns"},"spec":)" + std::string(spec) + "}");
  }
};

TEST_F(PluginTest, TheNoteDeclaresOneControllerByBothNames) {
  const Json note = Json::must(note_text<declare>());
  const Json& controller = note.find("controllers")->items().front();

  EXPECT_EQ(note.text_at({"name"}), "daemonset");
  EXPECT_EQ(controller.text_at({"name"}), "daemonset-controller");
  EXPECT_EQ(controller.find("aliases")->canonical(), R"(["daemonset"])");
  EXPECT_EQ(controller.find("workers")->integer(), 2);
}

TEST_F(PluginTest, ConfigurationThatIsUnknownOrWrongIsRefused) {
  const auto start = [this](std::string_view config) {
    return cluster().start(kController, &DaemonSetController::open, config).message();
  };
  EXPECT_THAT(start(R"({"burst":1})"),
              HasSubstr("unknown configuration \"burst\"; known: writeWindow"));
  EXPECT_THAT(start(R"({"writeWindow":"1h"})"), HasSubstr("writeWindow must be a duration"));
}

TEST_F(PluginTest, ObjectsOfWrongTypesDoNotStopTheSetsOfOthers) {
  add_nodes(2);
  const std::string selector = R"("selector":{"matchLabels":{"app":"x"}})";
  add_raw("no-spec", "null");
  add_raw("text", R"("spec")");
  add_raw("template", "{" + selector + R"(,"template":7})");
  add_raw("selector", R"({"selector":{"matchExpressions":[{"key":"a b","operator":"In"}]},
      "template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[]}}})");
  add_raw("numbers", "{" + selector + R"(,"minReadySeconds":9223372036854775807,
      "revisionHistoryLimit":-9223372036854775808,
      "updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1.5}},
      "template":{"metadata":{"labels":{"app":"x"}},
                  "spec":{"tolerations":{},"affinity":[],"nodeSelector":[7],
                          "containers":[{"name":"c","image":"nginx:1"}]}}})");
  cluster().add(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"odd"},
      "spec":{"taints":{"key":7}}})");
  const std::string uid = add_set();
  start();
  start_pods();
  advance(std::chrono::seconds(5));

  int own = 0;
  for (const std::string& name : pod_names()) own += controller_uid(pod(name)) == uid ? 1 : 0;
  EXPECT_EQ(own, 3);
  EXPECT_EQ(status("numberReady"), 3);
  bool is_named = false;
  for (const testing::SyncRecord& each : cluster().syncs()) {
    is_named = is_named || (!each.ok() && each.key == "ns/selector" &&
                            each.error.find("not a valid label key") != std::string::npos);
  }
  EXPECT_TRUE(is_named) << "the log has the key and the reason";
}

TEST_F(PluginTest, APodThatFitsNowhereIsLeftToTheScheduler) {
  add_nodes(3);
  add_set(R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"nginx:1",
      "resources":{"requests":{"cpu":"100000"}}}]}}}})");
  start();
  advance(std::chrono::hours(1));

  EXPECT_EQ(created(), 3U);
  EXPECT_EQ(deleted(), 0U);
  EXPECT_THAT(counters(), ElementsAre(3, 3, 0, 0, 3, 0, 3));
}

TEST_F(PluginTest, TheNoteAllowsNothingSuperfluous) {
  add_nodes(2);
  add_set(R"({"spec":{"revisionHistoryLimit":0}})");
  add_pod("orphan", "n1");
  start();
  start_pods();
  set_image("nginx:2");
  finish_rollout();
  set_image("nginx:3");
  set_image("nginx:2");
  finish_rollout();
  cluster().merge<ControllerRevision>(
      {"ns", newest_revision().text_at({"metadata", "name"})},
      R"({"metadata":{"labels":{"controller-revision-hash":null},"ownerReferences":null}})");
  run_until_idle();
  cluster().fail_next({.verb = testing::Verb::kPatch,
                       .resource = "daemonsets",
                       .http_status = 409,
                       .reason = "Conflict",
                       .times = 1});
  set_image("nginx:4");

  cluster().merge<ControllerRevision>({"ns", newest_revision().text_at({"metadata", "name"})},
                                      R"({"metadata":{"labels":{"app":"other"}}})");
  run_until_idle();

  EXPECT_THAT(cluster().unused_declarations(), Each(HasSubstr(R"("resource":"events")")));
}

}  // namespace
}  // namespace davit::daemonset
