/// Section 3: which changes queue which sets.
#include "tests/plugins/statefulset/fixture.hpp"

namespace davit::statefulset {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ChangeHandlersTest : public StatefulSetTest {
 protected:
  void SetUp() override {
    start();
    uid_ = add_set(1);
    make_ready("web-0");
    cluster_.clear_records();
  }
  /// The keys of the syncs since the last call.
  std::vector<std::string> synced() {
    run();
    std::vector<std::string> keys;
    for (const auto& each : cluster_.syncs()) keys.push_back(each.key);
    cluster_.clear_records();
    return keys;
  }

  std::string uid_;
};

TEST_F(ChangeHandlersTest, AChangeOfAPodQueuesItsSet) {
  cluster_.merge<Pod>({"ns", "web-0"}, R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_THAT(synced(), ElementsAre("ns/web"));
}

TEST_F(ChangeHandlersTest, AResyncOfPodsQueuesNothing) {
  cluster_.resync("pods");
  EXPECT_THAT(synced(), IsEmpty());
}

TEST_F(ChangeHandlersTest, AResyncOfSetsQueuesThem) {
  cluster_.resync("statefulsets");
  EXPECT_THAT(synced(), ElementsAre("ns/web"));
}

TEST_F(ChangeHandlersTest, AnOrphanQueuesTheSetsThatMatch) {
  add_pod("other-1");
  EXPECT_THAT(synced(), ElementsAre("ns/web"));
  add_pod("other-2", R"({"metadata":{"labels":{"app":"y"}}})");
  EXPECT_THAT(synced(), IsEmpty());
  cluster_.merge<Pod>({"ns", "other-2"}, R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_THAT(synced(), IsEmpty()) << "neither labels nor owner changed";
  cluster_.merge<Pod>({"ns", "other-2"}, R"({"metadata":{"labels":{"app":"x"}}})");
  EXPECT_THAT(synced(), ElementsAre("ns/web"));
  cluster_.erase<Pod>({"ns", "other-2"});
  EXPECT_THAT(synced(), IsEmpty()) << "a deleted orphan";
}

TEST_F(ChangeHandlersTest, APodOfAnotherUidIsNotTheSets) {
  add_owned_pod("web-9", "earlier");
  EXPECT_THAT(synced(), IsEmpty());
}

TEST_F(ChangeHandlersTest, AnotherOwnerQueuesTheOldOne) {
  cluster_.merge<Pod>({"ns", "web-0"}, R"({"metadata":{"ownerReferences":null,
      "labels":{"app":"y"}}})");
  EXPECT_THAT(synced(), Contains("ns/web"));
}

TEST_F(ChangeHandlersTest, ATerminatingPodThatLosesItsOwnerQueuesTheOldOne) {
  cluster_.merge<Pod>({"ns", "web-0"}, R"({"metadata":{"finalizers":["example.com/wait"]}})");
  cluster_.remove<Pod>({"ns", "web-0"});
  EXPECT_THAT(synced(), Contains("ns/web"));
  cluster_.merge<Pod>({"ns", "web-0"}, R"({"metadata":{"ownerReferences":null}})");
  EXPECT_THAT(synced(), Contains("ns/web"));
}

TEST_F(ChangeHandlersTest, ChangesOfClaimsAndRevisionsQueueNothing) {
  add_claim("data-web-0");
  cluster_.merge<history::ControllerRevision>({"ns", revision_names().front()},
                                              R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_THAT(synced(), IsEmpty());
}

TEST_F(ChangeHandlersTest, AClaimThatGoesQueuesTheSetOfThePodThatOwnedIt) {
  add_claim("data-web-3", R"({"metadata":{"ownerReferences":[
      {"apiVersion":"v1","kind":"Pod","name":"web-3","uid":"gone"}]}})");
  EXPECT_THAT(synced(), IsEmpty());
  cluster_.erase<PersistentVolumeClaim>({"ns", "data-web-3"});
  EXPECT_THAT(synced(), ElementsAre("ns/web"));
}

// Issue 30, 4.5: each of these queued a key, the first one without a name.
TEST_F(ChangeHandlersTest, AClaimOfAnEphemeralVolumeThatGoesQueuesNothing) {
  const auto lose = [this](const std::string& claim, const std::string& pod) {
    add_claim(claim, R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":")" +
                         pod + R"(","uid":"gone"}]}})");
    run();
    cluster_.erase<PersistentVolumeClaim>({"ns", claim});
  };
  lose("front-7d4b9c6f5d-x2x7k-scratch", "front-7d4b9c6f5d-x2x7k");  // A Deployment's.
  lose("scratch-front-7d4b9c6f5d-x2x7k", "front-7d4b9c6f5d-x2x7k");
  lose("agent-31415-scratch", "agent-31415");  // A DaemonSet's, with digits by chance.
  lose("data-agent-31415", "agent-31415");
  lose("web-0-scratch", "web-0");  // The set's own pod's.
  EXPECT_THAT(synced(), IsEmpty());
}

// Issue 30, 4.5: as FindMinNextPodAvailabilityCheck has it.
TEST_F(ChangeHandlersTest, EachPodIsCountedAtTheInstantAtWhichItBecomesAvailable) {
  edit_set(R"({"spec":{"minReadySeconds":30,"replicas":3}})");
  make_unready("web-0");
  make_ready("web-0");
  cluster_.advance(30s);
  make_ready("web-1");
  cluster_.advance(30s);
  make_ready("web-2");
  cluster_.advance(10s);
  make_unready("web-0");
  make_ready("web-0");  // The wake-up of web-2 comes first, and this one is not lost with it.
  ASSERT_EQ(status("availableReplicas"), 1);

  EXPECT_EQ(cluster_.next_due_in(), 20s);
  cluster_.advance(20s);
  EXPECT_EQ(status("availableReplicas"), 2);
  EXPECT_EQ(cluster_.next_due_in(), 10s);
  cluster_.advance(10s);
  EXPECT_EQ(status("availableReplicas"), 3);
}

TEST_F(ChangeHandlersTest, APodThatBecomesReadyBringsALaterSync) {
  edit_set(R"({"spec":{"minReadySeconds":30}})");
  make_unready("web-0");
  make_ready("web-0");
  ASSERT_TRUE(cluster_.next_due_in());
  EXPECT_LE(*cluster_.next_due_in(), 30s);
}

}  // namespace
}  // namespace davit::statefulset
