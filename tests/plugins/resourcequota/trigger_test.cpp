/// Rows RQ03 to RQ09 and RQ47: which changes are counted at once, and the server's own charges.
#include <algorithm>

#include "tests/plugins/resourcequota/fixture.hpp"

namespace davit::resourcequota {
namespace {

using ::testing::HasSubstr;

class TriggerTest : public QuotaTest {
 protected:
  testing::RawReply create_pod(const std::string& name) {
    return send("POST", "/api/v1/namespaces/t/pods",
                R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                    R"("},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  }
  /// A pod on a node without a kubelet, deleted with a grace of two seconds.
  void lose_a_pod() {
    cluster_.add(pod("a").on_node("n"));
    start();
    quota(R"({"pods":"5"})");
    cluster_.remove<Pod>({"t", "a"}, {.grace_seconds = 2});
    cluster_.advance(3s);
    ASSERT_EQ(used(), "pods=1") << "RQ07: charged until twice its grace is over";
  }
  /// Counts after the server has charged for a pod, before the cache shows it. Then it does.
  void lower_a_charge() {
    start();
    quota(R"({"pods":"5"})");
    cluster_.hold("pods");
    ASSERT_EQ(create_pod("a").http_status, 201);
    run();
    ASSERT_EQ(used(), "pods=1") << "charged by the server";
    quota(R"({"pods":"6"})");
    cluster_.advance(1s);
    ASSERT_EQ(used(), "pods=0") << "counted without the pod";
    cluster_.release("pods");
    run();
  }
  /// The usage of a running pod that ends in this phase.
  std::string used_after(const std::string& phase) {
    cluster_.add(pod_with("a", R"("cpu":"100m")"));
    start();
    quota(R"({"pods":"5","count/pods":"5","requests.cpu":"1"})");
    EXPECT_EQ(used(), "count/pods=1 pods=1 requests.cpu=100m");
    cluster_.merge<Pod>({"t", "a"}, R"({"status":{"phase":")" + phase + "\"}}");
    run();
    return used();
  }
};

TEST_F(TriggerTest, RQ03_TheServerChargesWhatItAdmits) {
  start();
  quota(R"({"pods":"1"})");
  EXPECT_EQ(create_pod("a").http_status, 201);
  run();
  EXPECT_EQ(used(), "pods=1");
  const testing::RawReply refused = create_pod("b");
  EXPECT_EQ(refused.http_status, 403);
  EXPECT_THAT(refused.body,
              HasSubstr("exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1"));
  EXPECT_EQ(used(), "pods=1");
}

TEST_F(TriggerTest, RQ04_ADeletionMakesRoomAtOnce) {
  start();
  quota(R"({"pods":"1"})");
  ASSERT_EQ(create_pod("a").http_status, 201);
  run();
  erase("/api/v1/namespaces/t/pods/a");
  run();
  EXPECT_EQ(used(), "pods=0");
  EXPECT_EQ(create_pod("b").http_status, 201);
}

TEST_F(TriggerTest, RQ05_AFinishedPodOnlyCountsAsAnObject) {
  EXPECT_EQ(used_after("Succeeded"), "count/pods=1 pods=0 requests.cpu=0");
}

TEST_F(TriggerTest, RQ06_SoDoesAFailedOne) {
  EXPECT_EQ(used_after("Failed"), "count/pods=1 pods=0 requests.cpu=0");
}

TEST_F(TriggerTest, RQ07_APodOnADeadNodeIsChargedForTwiceItsGrace) {
  for (const char* name : {"a", "b", "c"}) cluster_.add(pod(name).on_node("n"));
  start();
  quota(R"({"pods":"5"})");
  cluster_.remove<Pod>({"t", "a"}, {.grace_seconds = 2});
  cluster_.advance(3s);
  ASSERT_TRUE(cluster_.erase<Pod>({"t", "b"}));
  run();
  EXPECT_EQ(used(), "pods=2") << "counted again, and still charged";
  cluster_.advance(2s);
  ASSERT_TRUE(cluster_.erase<Pod>({"t", "c"}));
  run();
  EXPECT_EQ(used(), "pods=0");
}

TEST_F(TriggerTest, RQ08_ALostPodCountsUntilTheRecalculation) {
  lose_a_pod();
  cluster_.advance(1min);
  EXPECT_EQ(used(), "pods=1");
  recalculate();
  EXPECT_EQ(used(), "pods=0");
}

TEST_F(TriggerTest, RQ09_AChangeOfALostPodIsNoReasonToCount) {
  lose_a_pod();
  cluster_.advance(10s);
  cluster_.merge<Pod>({"t", "a"}, R"({"metadata":{"annotations":{"touched":"yes"}}})");
  run();
  EXPECT_EQ(used(), "pods=1");
  recalculate();
  EXPECT_EQ(used(), "pods=0");
}

TEST_F(TriggerTest, RQ47_AnObjectPastTheServersAdmissionCountsLater) {
  start();
  quota(R"({"configmaps":"5"})");
  add("v1", "ConfigMap", "a");
  run();
  EXPECT_EQ(used(), "configmaps=0");
  recalculate();
  EXPECT_EQ(used(), "configmaps=1");
}

TEST_F(TriggerTest, ASuccessorOfTheSameNameMeansThatThereWasADeletion) {
  cluster_.add(pod_with("a", R"("cpu":"500m")"));
  start();
  quota(R"({"requests.cpu":"1"})");
  cluster_.hold("pods");
  ASSERT_TRUE(cluster_.erase<Pod>({"t", "a"}));
  cluster_.add(pod_with("a", R"("cpu":"100m")"));
  cluster_.release("pods");
  run();
  EXPECT_EQ(used(), "requests.cpu=100m");
}

TEST_F(TriggerTest, APodThatTheCacheDoesNotShowYetIsCountedSoonAfterItsChargeWasLowered) {
  lower_a_charge();
  EXPECT_EQ(used(), "pods=0") << "a creation is no reason to count";
  cluster_.advance(10s);
  EXPECT_EQ(used(), "pods=1");
}

TEST_F(TriggerTest, ALoweredUsageIsCountedAgainAlthoughTheResponseToItsWriteIsLost) {
  cluster_.fail_next({.verb = Verb::kUpdate,
                      .resource = "resourcequotas",
                      .http_status = 504,
                      .skip = 1,
                      .effect = testing::Effect::kApplied});
  lower_a_charge();
  cluster_.advance(11s);
  EXPECT_EQ(used(), "pods=1");
}

TEST_F(TriggerTest, AUsageThatWasRightlyLoweredIsCountedOnceMoreWithoutAWrite) {
  for (const char* name : {"a", "b"}) cluster_.add(pod(name));
  start();
  quota(R"({"pods":"5"})");
  ASSERT_TRUE(cluster_.erase<Pod>({"t", "a"}));
  run();
  ASSERT_EQ(used(), "pods=1");
  cluster_.clear_records();
  cluster_.advance(1min);
  const auto is_of_quota = [](const testing::SyncRecord& each) { return each.key == "t/q"; };
  EXPECT_EQ(std::ranges::count_if(cluster_.syncs(), is_of_quota), 1);
  EXPECT_THAT(writes(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace davit::resourcequota
