/// Changes that cause a sync; rules of section 3 beside those of the rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/daemonset/fixture.hpp"

namespace davit::daemonset {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ChangeHandlersTest : public DaemonSetTest {
 protected:
  /// One node with a running pod; all records are cleared.
  void start_one() {
    add_nodes(1);
    add_set();
    start();
    start_pods();
    cluster().clear_records();
  }
  [[nodiscard]] std::vector<std::string> synced() {
    std::vector<std::string> keys;
    for (const testing::SyncRecord& each : cluster().syncs()) keys.push_back(each.key);
    return keys;
  }
  [[nodiscard]] std::string revision() { return newest_revision().text_at({"metadata", "name"}); }
};

TEST_F(ChangeHandlersTest, AnyChangeOfAnOwnPodCausesASync) {
  start_one();
  edit_pod(pod_on("n1"), R"({"status":{"phase":"Unknown"}})");

  EXPECT_THAT(synced(), ElementsAre("ns/ds"));
}

TEST_F(ChangeHandlersTest, APodOfAnotherKindOfControllerCausesNone) {
  start_one();
  add_pod("foreign", "n1",
          R"({"metadata":{"ownerReferences":[)" + controller("ReplicaSet", "ds", "u") + "]}}");
  run_until_idle();
  edit_pod("foreign", R"({"metadata":{"labels":{"a":"b"}}})");
  cluster().erase<Pod>({"ns", "foreign"});
  run_until_idle();

  EXPECT_THAT(synced(), IsEmpty());
}

TEST_F(ChangeHandlersTest, AnOrphanWithoutLabelsCausesNone) {
  start_one();
  add_pod("orphan", "n1", R"({"metadata":{"labels":null}})");
  run_until_idle();

  EXPECT_THAT(synced(), IsEmpty());
}

TEST_F(ChangeHandlersTest, AnOrphanIsLookedAtAgainOnlyIfItsLabelsChange) {
  start_one();
  add_pod("orphan", "n1", R"({"metadata":{"labels":{"app":"other"}}})");
  edit_pod("orphan", R"({"status":{"phase":"Pending"}})");
  EXPECT_THAT(synced(), IsEmpty());
}

TEST_F(ChangeHandlersTest, ADeletedRevisionCausesASync) {
  start_one();
  cluster().erase<ControllerRevision>({"ns", revision()});
  run_until_idle();

  EXPECT_FALSE(revisions().empty());
  EXPECT_FALSE(synced().empty());
}

TEST_F(ChangeHandlersTest, AResyncOfRevisionsCausesNone) {
  start_one();
  cluster().resync("controllerrevisions");
  run_until_idle();

  EXPECT_THAT(synced(), IsEmpty());
}

TEST_F(ChangeHandlersTest, ARevisionThatIsHandedOverCausesASyncOfItsOldOwner) {
  start_one();
  const std::string name = revision();
  cluster().merge<ControllerRevision>(
      {"ns", name},
      R"({"metadata":{"ownerReferences":[)" + controller("StatefulSet", "web", "u-web") + "]}}");
  run_until_idle();

  EXPECT_FALSE(synced().empty());
}

TEST_F(ChangeHandlersTest, ATaintThatChangesItsValueCausesASyncOfTheNode) {
  start_one();
  taint("n1", "k", "PreferNoSchedule");
  EXPECT_THAT(synced(), ElementsAre("n1"));
  edit_node("n1", R"({"spec":{"taints":[{"key":"k","effect":"PreferNoSchedule","value":"v"}]}})");
  EXPECT_THAT(synced(), ElementsAre("n1", "n1"));
}

TEST_F(ChangeHandlersTest, AnEmptyMapOfLabelsIsNoChange) {
  start_one();
  edit_node("n1", R"({"metadata":{"labels":{}},"spec":{"taints":[]}})");

  EXPECT_THAT(synced(), IsEmpty());
}

TEST_F(ChangeHandlersTest, ADeletedNodeCausesNone) {
  start_one();
  remove_node("n1");

  EXPECT_THAT(synced(), IsEmpty());
}

TEST_F(ChangeHandlersTest, APodFirstSeenWhileItIsDeletedIsNotACreation) {
  add_nodes(1);
  add_set();
  cluster().fail_next({.verb = testing::Verb::kCreate,
                       .resource = "pods",
                       .http_status = 403,
                       .causes = {"NamespaceTerminating"},
                       .times = 1});
  start();
  add_own_pod("leaving", "n1", R"({"metadata":{"deletionTimestamp":"2024-01-01T00:00:00Z"},
      "status":{"phase":"Failed"}})");
  run_until_idle();

  EXPECT_EQ(created(), 1U) << "the expected creation is still to come";
}

}  // namespace
}  // namespace davit::daemonset
