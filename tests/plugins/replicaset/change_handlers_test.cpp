/// The ReplicaSets that each change queues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/plugins/replicaset/fixture.hpp"

namespace davit::replicas {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class ChangeHandlersTest : public ReplicaSetTest {
 protected:
  /// Two idle sets: "rs", which wants the label app=web, and "db", which wants app=db.
  void start_two() {
    add_set();
    add_set(R"({"metadata":{"name":"db"},"spec":{"selector":{"matchLabels":{"app":"db"}},
                "template":{"metadata":{"labels":{"app":"db"}}}}})");
    start();
    cluster().clear_records();
  }
  /// The keys that were synced since, each once.
  [[nodiscard]] std::vector<std::string> synced() {
    run_until_idle();
    std::vector<std::string> keys;
    for (const testing::SyncRecord& each : cluster().syncs()) keys.push_back(each.key);
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
  }
  [[nodiscard]] std::string pod_of(std::string_view set_name) {
    for (const std::string& name : pod_names()) {
      if (name.starts_with(std::string(set_name) + "-")) return name;
    }
    return {};
  }
};

TEST_F(ChangeHandlersTest, APodsStatusQueuesItsSet) {
  start_two();
  edit_pod(pod_of("rs"), R"({"status":{"phase":"Running"}})");
  EXPECT_THAT(synced(), ElementsAre("ns/rs"));
}

TEST_F(ChangeHandlersTest, AnOrphanQueuesEachSetThatMatches) {
  start_two();
  add_set(R"({"metadata":{"name":"rs2"}})");
  run_until_idle();
  cluster().clear_records();
  add_pod("orphan");
  EXPECT_THAT(synced(), UnorderedElementsAre("ns/rs", "ns/rs2"));
}

TEST_F(ChangeHandlersTest, AnOrphanWithoutLabelsQueuesNone) {
  start_two();
  add_set(R"({"metadata":{"name":"all"},"spec":{"replicas":0,"selector":{}}})");
  run_until_idle();
  cluster().clear_records();
  add_pod("orphan", R"({"metadata":{"labels":null}})");
  EXPECT_THAT(synced(), IsEmpty());
}

TEST_F(ChangeHandlersTest, AnEmptySelectorFindsNoOrphans) {
  start_two();
  add_set(R"({"metadata":{"name":"all"},"spec":{"replicas":0,"selector":{}}})");
  run_until_idle();
  cluster().clear_records();
  add_pod("orphan", R"({"metadata":{"labels":{"app":"other"}}})");
  EXPECT_THAT(synced(), IsEmpty());
}

TEST_F(ChangeHandlersTest, AnOrphansStatusQueuesNone) {
  add_pod("orphan", R"({"metadata":{"labels":{"app":"other"}}})");
  start_two();
  edit_pod("orphan", R"({"status":{"phase":"Failed"}})");
  EXPECT_THAT(synced(), IsEmpty());
}

TEST_F(ChangeHandlersTest, APodWhoseReferenceIsTakenAwayQueuesTheOldOwner) {
  start_two();
  edit_pod(pod_of("rs"), R"({"metadata":{"ownerReferences":null,"labels":{"app":"other"}}})");
  EXPECT_THAT(synced(), ElementsAre("ns/rs"));
}

TEST_F(ChangeHandlersTest, APodHandedOverQueuesBothOwners) {
  start_two();
  const std::string uid = text(set("db"), {"metadata", "uid"});
  edit_pod(pod_of("rs"), R"({"metadata":{"labels":{"app":"db"},"ownerReferences":[)" +
                             controller("ReplicaSet", "db", uid) + "]}}");
  EXPECT_THAT(synced(), UnorderedElementsAre("ns/rs", "ns/db"));
}

TEST_F(ChangeHandlersTest, ADeletedPodQueuesItsSet) {
  start_two();
  force_remove_pod(pod_of("db"));
  EXPECT_THAT(synced(), ElementsAre("ns/db"));
}

TEST_F(ChangeHandlersTest, PodsOfOtherKindsOfOwnersQueueNone) {
  start_two();
  const std::string uid = text(set(), {"metadata", "uid"});
  add_pod("job", R"({"metadata":{"ownerReferences":[)" + controller("Job", "rs", uid) + "]}}");
  add_pod("stale", R"({"metadata":{"ownerReferences":[)" +
                       controller("ReplicaSet", "rs", "older-uid") + "]}}");
  EXPECT_THAT(synced(), IsEmpty());
}

TEST_F(ChangeHandlersTest, AResyncOfPodsQueuesNoneOfSetsQueuesAll) {
  start_two();
  cluster().resync("pods");
  EXPECT_THAT(synced(), IsEmpty());
  cluster().resync("replicasets");
  EXPECT_THAT(synced(), UnorderedElementsAre("ns/rs", "ns/db"));
}

TEST_F(ChangeHandlersTest, ADeletionSeenTwiceCountsOnce) {
  add_set(R"({"spec":{"replicas":3,"template":{"spec":{"nodeName":"n1"}}}})");
  start();
  edit_set(R"({"spec":{"replicas":1}})");
  run_until_idle();
  ASSERT_EQ(deleted(), 2U);
  for (const std::string& name : pod_names()) {
    if (pod(name).at({"metadata", "deletionTimestamp"}) != nullptr) force_remove_pod(name);
  }
  run_until_idle();

  EXPECT_EQ(deleted(), 2U);
  EXPECT_EQ(status("replicas"), 1);
  EXPECT_EQ(status("terminatingReplicas"), 0);
}

TEST_F(ChangeHandlersTest, ADeletedSetLeavesNothingBehind) {
  start_two();
  remove_set();
  EXPECT_THAT(synced(), ElementsAre("ns/rs"));
  EXPECT_THAT(cluster().writes(), IsEmpty());
}

}  // namespace
}  // namespace davit::replicas
