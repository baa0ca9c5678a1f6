/// The eviction of before v1.27, which `legacyEviction` switches on.
#include "plugins/nodelifecycle/pod_eviction.hpp"

#include <gmock/gmock.h>

#include "tests/plugins/nodelifecycle/node_fixture.hpp"

namespace davit::nodelifecycle {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class PodEvictionTest : public NodeTest {
 protected:
  static constexpr const char* kMarking =
      "Normal NodeControllerEviction Marking for deletion Pod p from Node n1";

  /// n1 with the pod "p" is silent for as long as its grace period; "ok" is alive.
  void fall_silent(std::string_view more_config = "{}") {
    add_ready("ok");
    add_ready("n1");
    add_ready_pod("p");
    Json config = Json::must(R"({"legacyEviction":true,"podEvictionTimeout":"20s"})");
    testing::merge_patch(config, Json::must(more_config));
    start(config.canonical());
    live(2);
    stop("n1");
    outlive();
    ASSERT_EQ(ready("n1"), "Unknown");
  }
  [[nodiscard]] std::string reason(const std::string& name) const {
    return pod(name).text_at({"status", "reason"});
  }
};

TEST_F(PodEvictionTest, PodsGoAfterTheTimeoutAndNodesAreNotTaintedNoExecute) {
  fall_silent();
  live(8);
  EXPECT_FALSE(is_evicted("p"));
  live(6);

  EXPECT_TRUE(is_evicted("p"));
  EXPECT_EQ(reason("p"), "NodeLost");
  EXPECT_EQ(pod("p").text_at({"status", "message"}),
            "Node n1 which was running pod p is unresponsive");
  EXPECT_EQ(count_events("Normal DeletingAllPods Node n1 event: Deleting all Pods from Node n1."),
            1);
  EXPECT_EQ(count_events(kMarking), 1);
  EXPECT_TRUE(has("n1", kUnreachableKey, kNoSchedule));
  EXPECT_FALSE(is_evicting("n1"));
}

TEST_F(PodEvictionTest, ItIsOffByDefaultWhateverTheTimeout) {
  fall_silent(R"({"legacyEviction":false,"podEvictionTimeout":"1s"})");
  live(30);

  EXPECT_FALSE(is_evicted("p"));
  EXPECT_TRUE(is_evicting("n1"));
}

TEST_F(PodEvictionTest, ANodeThatReturnsKeepsItsPods) {
  fall_silent();
  live(5);
  revive("n1");
  live(60);

  EXPECT_FALSE(is_evicted("p"));
  EXPECT_EQ(reason("p"), "");
}

TEST_F(PodEvictionTest, AKubeletThatIsNotReadyForLongLosesItsPods) {
  add_ready("ok");
  add_ready("n1");
  add_ready_pod("p");
  start(R"({"legacyEviction":true,"podEvictionTimeout":"20s"})");
  live(2);
  set_condition("n1", "Ready", "False");
  live(19);
  EXPECT_FALSE(is_evicted("p"));
  live(4);

  EXPECT_TRUE(is_evicted("p"));
  EXPECT_FALSE(has("n1", kNotReadyKey, kNoExecute));
}

TEST_F(PodEvictionTest, PodsOfADaemonSetStay) {
  add_pod("d", "", R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet",
      "name":"d","uid":"u","controller":true}]}})");
  fall_silent();
  live(30);

  EXPECT_TRUE(is_evicted("p"));
  EXPECT_FALSE(is_evicted("d"));
  EXPECT_EQ(reason("d"), "NodeLost");
}

TEST_F(PodEvictionTest, APodThatComesAfterwardsGoesInTheNextPassAndTheOthersCostNothing) {
  fall_silent();
  live(20);
  ASSERT_TRUE(is_evicted("p"));
  cluster().clear_records();
  live(5);
  EXPECT_THAT(cluster().requests_of(testing::Verb::kGet, "pods"), ::testing::IsEmpty());

  add_ready_pod("late");
  live(2);

  EXPECT_TRUE(is_evicted("late"));
}

TEST_F(PodEvictionTest, TheRateOfTheZoneSpacesTheNodes) {
  add_ready("n2");
  add_ready_pod("q", "n2");
  fall_silent(R"({"nodeEvictionRate":0.05})");
  stop("n2");
  add_ready("ok2");
  live(14);
  ASSERT_TRUE(is_evicted("p"));
  live(10);
  ASSERT_EQ(ready("n2"), "Unknown");
  EXPECT_FALSE(is_evicted("q"));
  live(20);

  EXPECT_TRUE(is_evicted("q"));
}

TEST_F(PodEvictionTest, WhenEveryZoneIsDownNoPodIsEvicted) {
  fall_silent();
  stop("ok");
  live(60);

  EXPECT_EQ(ready("ok"), "Unknown");
  EXPECT_FALSE(is_evicted("p"));
}

TEST_F(PodEvictionTest, AFailedDeletionIsTriedAgain) {
  cluster().fail_next({.verb = testing::Verb::kDelete, .resource = "pods", .http_status = 500});
  fall_silent();
  live(20);

  EXPECT_TRUE(is_evicted("p"));
  EXPECT_EQ(count_events(kMarking), 2);
}

TEST_F(PodEvictionTest, AConflictLeavesThePodForTheNextTryAndTheOthersGo) {
  add_ready_pod("a");
  fall_silent();
  cluster().fail_next({.verb = testing::Verb::kPatch,
                       .resource = "pods",
                       .name = "a",
                       .http_status = 409,
                       .reason = "Conflict"});
  live(20);

  EXPECT_TRUE(is_evicted("a"));
  EXPECT_TRUE(is_evicted("p"));
  EXPECT_EQ(reason("a"), "NodeLost");
}

TEST_F(PodEvictionTest, APodThatIsGoneIsNotAFailure) {
  cluster().fail_next({.verb = testing::Verb::kGet,
                       .resource = "pods",
                       .http_status = 404,
                       .reason = "NotFound",
                       .times = testing::Fault::kAlways});
  fall_silent();
  live(20);

  EXPECT_FALSE(is_evicted("p"));
  EXPECT_THAT(events(), Not(Contains(HasSubstr("NodeControllerEviction"))));
}

struct VerdictCase {
  const char* name;
  Ready ready;
  seconds since_transition;
  seconds since_probe;
  EvictionVerdict verdict;
};

using V = EvictionVerdict;
// clang-format off
constexpr VerdictCase kVerdictCases[] = {
    // name                         ready            transition   probe        verdict
    {"ReadyCallsItOff",              Ready::kTrue,    seconds(99), seconds(99), V::kCancel},
    {"FalseCountsFromItsTransition", Ready::kFalse,   seconds(31), seconds(0),  V::kEvict},
    {"FalseAtTheTimeoutWaits",       Ready::kFalse,   seconds(30), seconds(99), V::kWait},
    {"UnknownCountsFromTheLastSign", Ready::kUnknown, seconds(0),  seconds(31), V::kEvict},
    {"UnknownAtTheTimeoutWaits",     Ready::kUnknown, seconds(99), seconds(30), V::kWait},
    {"OtherTextDecidesNothing",      Ready::kOther,   seconds(99), seconds(99), V::kWait},
};
// clang-format on

TEST(EvictionVerdictTest, FollowsUpstreamsRules) {
  const Time now = Time(std::chrono::hours(1));
  for (const VerdictCase& each : kVerdictCases) {
    NodeHealth health;
    health.ready_transition = now - each.since_transition;
    health.probe = now - each.since_probe;
    EXPECT_EQ(eviction_verdict(each.ready, health, now, seconds(30)), each.verdict) << each.name;
  }
}

}  // namespace
}  // namespace davit::nodelifecycle
