/// Rows 30 to 41: zones that are disrupted, and the rate of NoExecute taints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugins/nodelifecycle/taint_queue.hpp"
#include "plugins/nodelifecycle/zones.hpp"
#include "tests/plugins/nodelifecycle/node_fixture.hpp"

namespace davit::nodelifecycle {
namespace {

using namespace std::chrono_literals;

class NodeZoneTest : public NodeTest {
 protected:
  /// Nodes n1 to n<count> in one zone, and `ok` outside of it.
  void add_zone(int count) {
    add_ready("ok");
    for (int i = 1; i <= count; ++i) add_in_zone("n" + std::to_string(i), "a");
  }
  void stop_first(int count) {
    live(2);
    for (int i = 1; i <= count; ++i) stop("n" + std::to_string(i));
    // They fall silent together; the pass that sees it ends before their first taint.
    for (int i = 0; i < 100 && ready("n1") == "True"; ++i) live_for(100ms);
  }
  [[nodiscard]] int evicting(int count) const {
    int evicting = 0;
    for (int i = 1; i <= count; ++i) evicting += is_evicting("n" + std::to_string(i)) ? 1 : 0;
    return evicting;
  }
  [[nodiscard]] double last_metric(std::string_view name, const std::string& zone) {
    double value = -1;
    for (const testing::MetricSample& each : cluster().metrics()) {
      if (each.name == name && each.labels == std::vector<std::string>{zone}) value = each.value;
    }
    return value;
  }
};

TEST_F(NodeZoneTest, N30_TheOnlyNodeIsNeverTaintedNoExecute) {
  add_ready("n1");
  start();
  live(2);
  stop("n1");
  live(20);

  EXPECT_EQ(ready("n1"), "Unknown");
  EXPECT_TRUE(has("n1", kUnreachableKey, kNoSchedule));
  EXPECT_FALSE(is_evicting("n1"));
}

TEST_F(NodeZoneTest, N31_WhenTheLastZoneGoesDownTheTaintsAreTakenBack) {
  add_ready("n1");
  add_ready("n2");
  start();
  live(2);
  stop("n1");
  outlive();
  ASSERT_TRUE(is_evicting("n1"));

  stop("n2");
  outlive();

  EXPECT_EQ(ready("n2"), "Unknown");
  EXPECT_FALSE(is_evicting("n1"));
  EXPECT_FALSE(is_evicting("n2"));
}

/// Taints are written beside the pass that judges the zones.
class LastZoneTest : public NodeZoneTest {
 protected:
  static bool is_taint_of(const testing::RequestRecord& request, const std::string& node) {
    return request.verb == testing::Verb::kPatch && request.resource == "nodes" &&
           request.name == node && request.body.find(kNoExecute) != std::string::npos;
  }
  /// Does `work` at the first request for the taint of `node`.
  void at_the_taint_of(const std::string& node, std::function<void()> work) {
    cluster().on_request([=, this, done = false](const testing::RequestRecord& request) mutable {
      if (is_taint_of(request, node) && !std::exchange(done, true)) work();
    });
  }
};

TEST_F(LastZoneTest, ManyNodesThatFallSilentTogetherGetNoTaint) {
  constexpr int kMoreThanABatch = 300;
  for (int i = 0; i < kMoreThanABatch; ++i) add_ready("n" + std::to_string(i));
  start();
  live(2);
  for (int i = 0; i < kMoreThanABatch; ++i) stop("n" + std::to_string(i));
  bool is_nested = false;
  int unknown = 0;
  cluster().on_request([&](const testing::RequestRecord& request) {
    if (request.subresource == "status") ++unknown;
    if (request.subresource != "status" || std::exchange(is_nested, true)) return;
    cluster().skip(100ms);
    run_until_idle();
    is_nested = false;
  });
  cluster().clear_records();
  outlive();

  EXPECT_EQ(unknown, kMoreThanABatch);
  for (const testing::RequestRecord& each : cluster().requests()) {
    EXPECT_FALSE(is_taint_of(each, each.name)) << each.body;
  }
}

TEST_F(LastZoneTest, ATaintThatIsOnItsWayWhenItGoesDownIsTakenBack) {
  for (const char* each : {"n1", "n2"}) add_ready(each);
  start();
  live(2);
  at_the_taint_of("n1", [this] {
    stop("n2");
    outlive();
  });
  stop("n1");
  outlive();

  EXPECT_EQ(ready("n2"), "Unknown");
  EXPECT_FALSE(is_evicting("n1"));
  EXPECT_FALSE(is_evicting("n2"));
}

TEST_F(LastZoneTest, ATaintThatTheCacheDoesNotShowYetIsTakenBack) {
  for (const char* each : {"n1", "n2"}) add_ready(each);
  start();
  live(2);
  at_the_taint_of("n1", [this] { cluster().hold("nodes"); });
  stop("n1");
  outlive();
  ASSERT_TRUE(is_evicting("n1"));
  stop("n2");
  outlive();

  EXPECT_EQ(ready("n2"), "Unknown");
  EXPECT_FALSE(is_evicting("n1"));
}

TEST_F(NodeZoneTest, N32_WhenANodeReturnsTheOthersAreTaintedAfterOneToken) {
  add_ready("n1");
  add_ready("n2");
  start(R"({"nodeEvictionRate":0.25})");
  live(2);
  stop("n1");
  stop("n2");
  live(20);
  ASSERT_FALSE(is_evicting("n1"));

  revive("n2");
  live(4);
  EXPECT_FALSE(is_evicting("n1")) << "a token takes four seconds";
  live(4);
  EXPECT_TRUE(is_evicting("n1"));
}

TEST_F(NodeZoneTest, N33_AZoneThatIsDownIsTaintedAtTheNormalRateWhileAnotherIsUp) {
  add_in_zone("n1", "a");
  add_in_zone("n2", "a");
  add_in_zone("n3", "b");
  start(R"({"nodeEvictionRate":0.2,"secondaryNodeEvictionRate":0.01})");
  stop_first(2);
  live_for(300ms);
  EXPECT_EQ(evicting(2), 1) << "the bucket was full";
  live_for(4s);
  EXPECT_EQ(evicting(2), 1) << "a token takes five seconds";
  live_for(2s);
  EXPECT_EQ(evicting(2), 2);
}

TEST_F(NodeZoneTest, N34_PartialDisruptionOfASmallZoneStopsTheTaints) {
  add_zone(5);
  start(R"({"nodeEvictionRate":0.2})");
  stop_first(3);
  live(60);

  for (const char* name : {"n1", "n2", "n3"}) EXPECT_EQ(ready(name), "Unknown");
  EXPECT_EQ(evicting(5), 0) << "the zone is judged before the first taint";

  revive("n3");
  live(20);
  EXPECT_EQ(evicting(5), 2) << "the disruption was all that stood against it";
}

TEST_F(NodeZoneTest, N35_TheyContinueWhenTheZoneIsNormalAgain) {
  add_zone(5);
  start(R"({"nodeEvictionRate":0.2})");
  stop_first(3);
  live(10);
  const int before = evicting(3);

  revive("n3");
  live(5);
  EXPECT_LE(evicting(2), before) << "the first token takes five seconds";
  live(12);
  EXPECT_EQ(evicting(2), 2);
}

TEST_F(NodeZoneTest, N36_TwoNodesOfThreeAreNotADisruption) {
  add_zone(3);
  start();
  stop_first(2);
  live(3);

  EXPECT_EQ(evicting(2), 2);
}

TEST_F(NodeZoneTest, N37_TheRateSpacesTheTaints) {
  add_zone(3);
  start(R"({"nodeEvictionRate":0.1})");
  stop_first(2);
  live(1);
  EXPECT_EQ(evicting(2), 1);
  live(8);
  EXPECT_EQ(evicting(2), 1);
  live(3);
  EXPECT_EQ(evicting(2), 2);
}

TEST_F(NodeZoneTest, N38_ALargeZoneContinuesAtTheSecondaryRate) {
  add_zone(5);
  start(R"({"largeClusterSizeThreshold":3,"secondaryNodeEvictionRate":0.5})");
  stop_first(3);
  live(1);
  EXPECT_LE(evicting(3), 1);
  live(8);
  EXPECT_EQ(evicting(3), 3);
}

TEST_F(NodeZoneTest, N39_AnExcludedNodeDoesNotKeepItsZoneUp) {
  add_ready("ok", R"({"metadata":{"labels":{"node.kubernetes.io/exclude-disruption":""}}})");
  add_ready("n1");
  add_ready("n2");
  start();
  live(2);
  stop("n1");
  stop("n2");
  live(20);

  EXPECT_EQ(ready("n1"), "Unknown");
  EXPECT_EQ(evicting(2), 0);
}

TEST_F(NodeZoneTest, N40_TheDeprecatedLabelWins) {
  add_ready("ok");
  add_ready("n1", R"({"metadata":{"labels":{"failure-domain.beta.kubernetes.io/zone":"z1",
      "topology.kubernetes.io/zone":"z2"}}})");
  start();
  live(2);
  const std::string zone("\0:z1", 4);

  EXPECT_EQ(last_metric("node_collector_zone_size", ":" + zone), 1);
  EXPECT_EQ(last_metric("node_collector_zone_health", ":" + zone), 100);
  stop("n1");
  outlive();
  EXPECT_EQ(last_metric("node_collector_unhealthy_nodes_in_zone", ":" + zone), 1);
  EXPECT_EQ(last_metric("node_collector_zone_health", ":" + zone), 0);
}

TEST_F(NodeZoneTest, N41_ARestartTakesTheTaintsAwayAndBringsThemBack) {
  add_ready("ok");
  add_ready("n1");
  start();
  live(2);
  stop("n1");
  outlive();
  const std::string first = time_added("n1", kUnreachableKey);
  ASSERT_NE(first, "");
  cluster().skip(2s);
  cluster().clear_records();

  restart();
  EXPECT_FALSE(is_evicting("n1"));
  live(2);

  EXPECT_GT(time_added("n1", kUnreachableKey), first);
}

TEST_F(NodeZoneTest, TheFirstTaintDoesNotWaitForThePodsThatAreMarked) {
  add_ready("ok");
  add_ready("n1");
  start();
  for (int i = 0; i < 3000; ++i) add_ready_pod("p" + std::to_string(i));
  live(2);
  stop("n1");
  // Each request of a pod takes its time, in which everything else continues.
  std::optional<Time> unknown;
  std::optional<Time> tainted;
  bool is_nested = false;
  cluster().on_request([&](const testing::RequestRecord& request) {
    if (request.resource == "nodes" && request.subresource == "status") unknown = cluster().now();
    if (request.resource != "pods" || std::exchange(is_nested, true)) return;
    cluster().skip(50ms);
    run_until_idle();
    is_nested = false;
    if (!tainted && is_evicting("n1")) tainted = cluster().now();
  });
  outlive();

  ASSERT_TRUE(unknown);
  ASSERT_TRUE(tainted);
  EXPECT_LE(*tainted - *unknown, 200ms);
}

TEST_F(NodeZoneTest, ATaintIsWrittenDespiteAnOlderNodeInTheCache) {
  add_ready("ok");
  add_ready("n1");
  start(R"({"nodeEvictionRate":0.1})");
  live(2);
  stop("n1");
  cluster().on_request([this](const testing::RequestRecord& request) {
    if (request.resource == "nodes" && request.subresource == "status") cluster().hold("nodes");
  });
  for (int i = 0;
       i < 100 && cluster().requests_of(testing::Verb::kPatch, "nodes", "status").empty(); ++i) {
    live_for(100ms);
  }
  live_for(200ms);

  EXPECT_TRUE(is_evicting("n1")) << "the cache had True, and the only token of ten seconds";
}

TEST_F(NodeZoneTest, AZoneWithoutNodesIsReportedHealthyAndForgotten) {
  add_ready("ok");
  add_in_zone("n1", "a");
  start();
  live(1);
  cluster().erase<Node>({"", "n1"});
  stop("n1");
  live(2);

  const std::string key = std::string(":") + '\0' + ":a";
  EXPECT_EQ(last_metric("node_collector_zone_size", key), 0);
  EXPECT_EQ(last_metric("node_collector_zone_health", key), 100);
}

struct StateCase {
  const char* name;
  ZoneCount count;
  ZoneState expected;
};

constexpr StateCase kStateCases[] = {
    {"NoneReady", {0, 1}, ZoneState::kFullDisruption},
    {"AllReady", {5, 0}, ZoneState::kNormal},
    {"TwoOfThree", {1, 2}, ZoneState::kNormal},
    {"ThreeOfFive", {2, 3}, ZoneState::kPartialDisruption},
    {"ElevenOfTwenty", {9, 11}, ZoneState::kPartialDisruption},
    {"FiveOfTen", {5, 5}, ZoneState::kNormal},
};

TEST(ZoneStateTest, FollowsUpstreamsRules) {
  for (const StateCase& each : kStateCases) {
    EXPECT_EQ(zone_state(each.count, {}), each.expected) << each.name;
  }
}

TEST(ZoneStateTest, TheRateDependsOnStateAndSize) {
  const ZoneOptions options;
  EXPECT_EQ(zone_rate(ZoneState::kNormal, 500, options), options.rate);
  EXPECT_EQ(zone_rate(ZoneState::kFullDisruption, 500, options), options.rate);
  EXPECT_EQ(zone_rate(ZoneState::kPartialDisruption, 51, options), options.secondary_rate);
  EXPECT_EQ(zone_rate(ZoneState::kPartialDisruption, 50, options), 0);
}

constexpr Time kZoneStart{1h};

TEST(TaintLimiterTest, ATokenIsRefilledAfterItsTime) {
  TaintLimiter limiter(0.1F, kZoneStart);
  EXPECT_TRUE(limiter.take(kZoneStart));
  EXPECT_FALSE(limiter.take(kZoneStart + 9s));
  EXPECT_TRUE(limiter.take(kZoneStart + 10s));
  EXPECT_FALSE(limiter.take(kZoneStart + 11s));
}

TEST(TaintLimiterTest, AfterNeverTheFirstTokenTakesItsWholeTime) {
  TaintLimiter limiter(0.5F, kZoneStart);
  limiter.swap(0, kZoneStart);
  EXPECT_FALSE(limiter.take(kZoneStart + 100s));
  limiter.swap(0.5F, kZoneStart + 100s);
  EXPECT_FALSE(limiter.take(kZoneStart + 101s));
  EXPECT_TRUE(limiter.take(kZoneStart + 102s));
}

TEST(TaintLimiterTest, AFullBucketStaysFullWhenTheRateChanges) {
  TaintLimiter limiter(0.5F, kZoneStart);
  limiter.swap(0.1F, kZoneStart);
  EXPECT_TRUE(limiter.take(kZoneStart));
}

TEST(TaintLimiterTest, TheRateOneCannotFollowNever) {
  TaintLimiter limiter(0.5F, kZoneStart);
  limiter.swap(0, kZoneStart);
  limiter.swap(1, kZoneStart);
  EXPECT_FALSE(limiter.take(kZoneStart + 100s));
}

TEST(TaintLimiterTest, ABucketOfTheRateZeroHasOneTokenAndNeverAnother) {
  TaintLimiter limiter(0, kZoneStart);
  limiter.swap(0, kZoneStart);
  EXPECT_TRUE(limiter.take(kZoneStart)) << "the same rate changes nothing";
  EXPECT_FALSE(limiter.take(kZoneStart + 100h));
}

TEST(TaintLimiterTest, TheRateOneCanFollowABucketOfTheRateZero) {
  TaintLimiter limiter(0, kZoneStart);
  limiter.swap(1, kZoneStart);
  EXPECT_TRUE(limiter.take(kZoneStart)) << "the old bucket still had its token";
  EXPECT_TRUE(limiter.take(kZoneStart + 1s));
}

/// Takes all nodes whose turn it is, each with the same outcome; their names.
std::vector<std::string> drain(TaintQueue& queue, Time now, const TaintQueue::Outcome& outcome) {
  std::vector<std::string> names;
  while (const std::optional<std::string> name = queue.take(now)) {
    names.push_back(*name);
    queue.finish(*name, outcome, now);
  }
  return names;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TaintQueueTest, ANodeThatWasHandedOutIsNotAddedAgainBeforeItIsRemoved) {
  TaintQueue queue(100, kZoneStart);
  EXPECT_TRUE(queue.add("n1", kZoneStart));
  EXPECT_FALSE(queue.add("n1", kZoneStart));
  EXPECT_THAT(drain(queue, kZoneStart, TaintQueue::kDone), ElementsAre("n1"));
  EXPECT_FALSE(queue.add("n1", kZoneStart));
  EXPECT_THAT(drain(queue, kZoneStart + 1s, TaintQueue::kDone), IsEmpty());
  EXPECT_TRUE(queue.remove("n1"));
  EXPECT_TRUE(queue.add("n1", kZoneStart + 1s));
  EXPECT_THAT(drain(queue, kZoneStart + 1s, TaintQueue::kDone), ElementsAre("n1"));
}

TEST(TaintQueueTest, AnUnfinishedNodeWaitsAndAnEmptyQueueSpendsNoToken) {
  TaintQueue queue(0.001F, kZoneStart);
  EXPECT_THAT(drain(queue, kZoneStart, 50ms), IsEmpty());
  EXPECT_TRUE(queue.add("n1", kZoneStart));
  EXPECT_THAT(drain(queue, kZoneStart, 50ms), ElementsAre("n1")) << "the token was still there";
  EXPECT_THAT(drain(queue, kZoneStart + 1000s, 50ms), ElementsAre("n1"));
}

TEST(TaintQueueTest, TheWaitCountsFromTheHandingOut) {
  TaintQueue queue(100, kZoneStart);
  EXPECT_TRUE(queue.add("n1", kZoneStart));
  ASSERT_EQ(queue.take(kZoneStart), "n1");
  queue.finish("n1", 50ms, kZoneStart);  // However long the requests took.

  EXPECT_EQ(queue.take(kZoneStart + 50ms), std::nullopt);
  EXPECT_EQ(queue.take(kZoneStart + 70ms), "n1");
}

TEST(TaintQueueTest, ANodeThatWasRemovedInItsTurnDoesNotReturn) {
  TaintQueue queue(100, kZoneStart);
  EXPECT_TRUE(queue.add("n1", kZoneStart));
  ASSERT_EQ(queue.take(kZoneStart), "n1");
  EXPECT_TRUE(queue.remove("n1"));
  queue.finish("n1", 0ms, kZoneStart);

  EXPECT_EQ(queue.take(kZoneStart + 1s), std::nullopt);
}

}  // namespace
}  // namespace davit::nodelifecycle
