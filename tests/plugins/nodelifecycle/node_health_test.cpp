/// Rows 1 to 19, 42 and 43: events of nodes, and when a node is taken for dead.
#include "plugins/nodelifecycle/node_health.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <utility>

#include "tests/plugins/nodelifecycle/node_fixture.hpp"

namespace davit::nodelifecycle {
namespace {

constexpr const char* kNodeNotReady = "Normal NodeNotReady Node n1 status is now: NodeNotReady";

class NodeHealthTest : public NodeTest {
 protected:
  NodeHealthTest() { add_ready("ok"); }

  void add_silent(std::string_view patch = "{}") {
    add_ready("n1", patch);
    start();
    live(2);
    stop("n1");
  }
  [[nodiscard]] std::vector<std::string> condition_types() const {
    std::vector<std::string> types;
    const Json n1 = node();
    if (const Json* all = n1.at({"status", "conditions"})) {
      for (const Json& each : all->items()) types.push_back(each.text_at({"type"}));
    }
    return types;
  }
  [[nodiscard]] std::string of(std::string_view type, std::string_view member) const {
    return condition(node(), type).text_at({member});
  }
};

TEST_F(NodeHealthTest, N01_ANewNodeIsRegistered) {
  start();
  add_node("n1");
  live(1);

  const testing::EventRecord& event = cluster().events().back();
  EXPECT_EQ(event.text(), "Normal RegisteredNode Node n1 event: Registered Node n1 in Controller");
  EXPECT_EQ(event.kind, "Node");
  EXPECT_EQ(event.name, "n1");
  EXPECT_EQ(event.ns, "");
  EXPECT_EQ(event.uid, node().text_at({"metadata", "uid"}));
}

TEST_F(NodeHealthTest, N02_ADeletedNodeIsRemoved) {
  add_node("n1");
  start();
  const std::string uid = node().text_at({"metadata", "uid"});
  cluster().erase<Node>({"", "n1"});
  live(1);

  const testing::EventRecord& event = cluster().events().back();
  EXPECT_EQ(event.text(), "Normal RemovingNode Node n1 event: Removing Node n1 from Controller");
  EXPECT_EQ(event.uid, uid);
}

// Issue 11, 1.2: the host, not the node, has lost its connection.
TEST_F(NodeHealthTest, ANodeIsNotJudgedByACacheThatNothingConfirms) {
  start();
  add_ready("n1");
  live(3);
  cluster().hold("leases");
  live(60);
  EXPECT_EQ(ready("n1"), "True");
  EXPECT_GT(cluster().verifications("leases"), 0);

  cluster().release("leases");
  live(10);
  EXPECT_EQ(ready("n1"), "True");
  stop("n1");
  outlive();
  EXPECT_EQ(ready("n1"), "Unknown");
}

TEST_F(NodeHealthTest, ASilentNodeIsJudgedAsSoonAsTheCacheIsConfirmed) {
  start();
  add_ready("n1");
  live(3);
  stop("n1");
  cluster().hold("leases");
  live(20);
  EXPECT_EQ(ready("n1"), "True");
  cluster().release("leases");
  live(1);
  EXPECT_EQ(ready("n1"), "Unknown");
}

TEST_F(NodeHealthTest, AnOutageOfTheHostGivesNodesTheirWholeGrace) {
  start();
  add_ready("n1");
  live(3);
  cluster().begin_outage("leases");
  stop("n1");  // Nor could the node reach the server.
  live(20);
  cluster().end_outage("leases");
  live(5);
  EXPECT_EQ(ready("n1"), "True");
  live(3);
  EXPECT_EQ(ready("n1"), "Unknown");
}

TEST_F(NodeHealthTest, N03_AtStartupOnlyTheTaintOfAdmissionGoes) {
  start();
  add_node("n1", R"({"spec":{"taints":[{"key":"node.kubernetes.io/not-ready",
      "effect":"NoSchedule"}]}})");
  live(7);

  EXPECT_FALSE(has("n1", kNotReadyKey, kNoSchedule));
  EXPECT_TRUE(condition_types().empty());
}

TEST_F(NodeHealthTest, N04_AfterTheStartupGraceFourConditionsAreUnknown) {
  start();
  add_node("n1");
  const std::string created = format_time(now());
  live(10);

  EXPECT_EQ(condition_types(),
            (std::vector<std::string>{"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}));
  for (const std::string& type : condition_types()) {
    EXPECT_EQ(of(type, "status"), "Unknown");
    EXPECT_EQ(of(type, "reason"), "NodeStatusNeverUpdated");
    EXPECT_EQ(of(type, "message"), "Kubelet never posted node status.");
    EXPECT_EQ(of(type, "lastHeartbeatTime"), created);
  }
}

TEST_F(NodeHealthTest, N05_ItIsTaintedWithoutAnEvent) {
  start();
  add_node("n1");
  live(11);

  EXPECT_TRUE(has("n1", kUnreachableKey, kNoSchedule));
  EXPECT_TRUE(is_evicting("n1"));
  EXPECT_NE(time_added("n1", kUnreachableKey), "");
  EXPECT_EQ(count_events(kNodeNotReady), 0);
}

TEST_F(NodeHealthTest, N06_ARenewedLeaseIsEnoughAtStartup) {
  start();
  add_node("n1");
  for (int i = 0; i < 20; ++i) {
    renew("n1");
    live(1);
  }

  EXPECT_TRUE(condition_types().empty());
}

TEST_F(NodeHealthTest, N07_ASilentNodeBecomesUnknown) {
  add_silent(R"({"status":{"conditions":[{"type":"Ready","status":"True",
      "lastHeartbeatTime":"2024-05-01T11:59:00Z","lastTransitionTime":"2024-05-01T11:59:00Z"},
      {"type":"DiskPressure","status":"False","lastHeartbeatTime":"2024-05-01T11:58:00Z"}]}})");
  outlive();

  for (const char* type : {"Ready", "DiskPressure"}) {
    EXPECT_EQ(of(type, "status"), "Unknown");
    EXPECT_EQ(of(type, "reason"), "NodeStatusUnknown");
    EXPECT_EQ(of(type, "message"), "Kubelet stopped posting node status.");
  }
  EXPECT_EQ(of("Ready", "lastHeartbeatTime"), "2024-05-01T11:59:00Z");
  EXPECT_EQ(of("DiskPressure", "lastHeartbeatTime"), "2024-05-01T11:58:00Z");
  EXPECT_GT(of("Ready", "lastTransitionTime"), "2024-05-01T12:00:06Z");
  EXPECT_EQ(of("MemoryPressure", "reason"), "NodeStatusNeverUpdated");
  EXPECT_EQ(of("PIDPressure", "reason"), "NodeStatusNeverUpdated");
}

TEST_F(NodeHealthTest, N07_ItIsMarkedWithinASecondOfItsDeadlineWhateverThePeriod) {
  add_ready("n1");
  start(R"({"nodeMonitorPeriod":"30s"})");
  live(1);
  stop("n1");
  live(5);
  ASSERT_EQ(ready("n1"), "True");
  live(2);

  EXPECT_EQ(ready("n1"), "Unknown");
}

TEST_F(NodeHealthTest, N07_NodesThatDieTogetherAreAllMarkedWithinASecondOfTheirDeadline) {
  constexpr int kNodes = 100;
  const auto name = [](int i) { return "dead" + std::to_string(i); };
  for (int i = 0; i < kNodes; ++i) {
    add_ready(name(i));
    stop(name(i));
  }
  start(R"({"nodeMonitorPeriod":"30s"})");
  live(5);
  for (int i = 0; i < kNodes; ++i) ASSERT_EQ(ready(name(i)), "True");
  live(2);

  for (int i = 0; i < kNodes; ++i) EXPECT_EQ(ready(name(i)), "Unknown") << name(i);
}

TEST_F(NodeHealthTest, N08_OneEventReportsIt) {
  add_silent();
  live(30);

  EXPECT_EQ(count_events(kNodeNotReady), 1);
}

TEST_F(NodeHealthTest, N11_NetworkUnavailableIsNotTouched) {
  add_silent(R"({"status":{"conditions":[{"type":"Ready","status":"True"},
      {"type":"NetworkUnavailable","status":"False","reason":"R"}]}})");
  outlive();

  EXPECT_EQ(of("Ready", "status"), "Unknown");
  EXPECT_EQ(of("NetworkUnavailable", "status"), "False");
  EXPECT_EQ(of("NetworkUnavailable", "reason"), "R");
}

TEST_F(NodeHealthTest, N12_HeartbeatsInTheStatusAreEnough) {
  add_silent();
  for (int i = 0; i < 20; ++i) {
    set_condition("n1", "Ready", "True");
    live(1);
  }

  EXPECT_EQ(ready("n1"), "True");
}

TEST_F(NodeHealthTest, N13_ARenewedLeaseIsEnough) {
  add_ready("n1");
  start();
  live(20);

  EXPECT_EQ(ready("n1"), "True");
}

TEST_F(NodeHealthTest, N14_ChangesWithoutANewHeartbeatAreNotASignOfLife) {
  add_silent();
  for (int i = 0; i < 8; ++i) {
    cluster().modify<Node>({"", "n1"}, [i](Json& node) {
      node["status"]["conditions"].items().front()["message"] = std::to_string(i);
    });
    live(1);
  }

  EXPECT_EQ(ready("n1"), "Unknown");
}

TEST_F(NodeHealthTest, N15_ALeaseWrittenWithItsOldTimeIsNotASignOfLife) {
  add_silent();
  const Json lease = cluster().json<Lease>({"kube-node-lease", "n1"});
  for (int i = 0; i < 8; ++i) {
    Json again = lease;
    again["metadata"]["labels"]["n"] = std::to_string(i);
    cluster().add(std::move(again));
    live(1);
  }

  EXPECT_EQ(ready("n1"), "Unknown");
}

TEST_F(NodeHealthTest, N16_AHeartbeatTakesTheTaintsAway) {
  add_silent();
  add_ready_pod("p");
  outlive();
  ASSERT_TRUE(is_evicting("n1"));
  const std::size_t before = events().size();

  revive("n1");
  live(2);

  EXPECT_FALSE(is_evicting("n1"));
  EXPECT_FALSE(has("n1", kUnreachableKey, kNoSchedule));
  EXPECT_EQ(events().size(), before);
  EXPECT_EQ(condition(pod("p"), "Ready").text_at({"status"}), "False");
}

TEST_F(NodeHealthTest, N17_AKubeletThatIsNotReadyIsTaintedWithoutEvents) {
  add_ready("n1");
  start();
  add_ready_pod("p");
  live(1);
  revive("n1", "False");

  EXPECT_TRUE(has("n1", kNotReadyKey, kNoSchedule));
  live(2);
  EXPECT_TRUE(has("n1", kNotReadyKey, kNoExecute));
  EXPECT_EQ(count_events(kNodeNotReady), 0);
  EXPECT_EQ(condition(pod("p"), "Ready").text_at({"status"}), "True");
}

TEST_F(NodeHealthTest, N18_WhenItFallsSilentTheTaintsAreReplaced) {
  add_ready("n1");
  start();
  add_ready_pod("p");
  live(1);
  revive("n1", "False");
  live(2);
  stop("n1");
  outlive();

  EXPECT_EQ(ready("n1"), "Unknown");
  for (const std::string_view effect : {kNoExecute, kNoSchedule}) {
    EXPECT_TRUE(has("n1", kUnreachableKey, effect));
    EXPECT_FALSE(has("n1", kNotReadyKey, effect));
  }
  EXPECT_EQ(count_events(kNodeNotReady), 0);
  EXPECT_EQ(condition(pod("p"), "Ready").text_at({"status"}), "True");
}

TEST_F(NodeHealthTest, N19_ANodeThatReturnsNotReadySwapsItsTaints) {
  add_silent();
  outlive();
  ASSERT_TRUE(is_evicting("n1"));
  revive("n1", "False");
  live(1);

  EXPECT_FALSE(is_evicting("n1"));
  EXPECT_TRUE(has("n1", kNotReadyKey, kNoExecute));
}

TEST_F(NodeHealthTest, N42_ARestartGivesAFullGracePeriod) {
  add_node("n1", R"({"status":{"conditions":[{"type":"Ready","status":"True",
      "lastHeartbeatTime":"2024-05-01T11:00:00Z","lastTransitionTime":"2024-05-01T11:00:00Z"}]}})");
  start();
  live(6);
  ASSERT_EQ(ready("n1"), "True");
  live(1);

  EXPECT_EQ(ready("n1"), "Unknown");
}

TEST_F(NodeHealthTest, N43_UnknownBySomebodyElseIsLeftAsItIs) {
  add_silent(R"({"status":{"conditions":[{"type":"Ready","status":"Unknown","reason":"X"},
      {"type":"MemoryPressure","status":"False"}]}})");
  live(20);

  EXPECT_EQ(of("Ready", "reason"), "X");
  EXPECT_EQ(of("MemoryPressure", "status"), "False");
}

TEST_F(NodeHealthTest, BadObjectsHarmNoOtherNode) {
  add_node("odd", R"({"metadata":{"creationTimestamp":"2200-01-01T00:00:00Z","labels":7},
      "spec":{"taints":"none"},"status":{"conditions":[5,{"type":"Ready","status":3,
      "lastHeartbeatTime":"soon"}]}})");
  cluster().add(Json::must(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
      "metadata":{"namespace":"kube-node-lease","name":"odd"},"spec":{"renewTime":5}})"));
  add_silent();
  outlive();

  EXPECT_EQ(ready("n1"), "Unknown");
  EXPECT_EQ(ready("ok"), "True");
}

TEST_F(NodeHealthTest, AConflictLeadsToOneReadAndOneMoreWrite) {
  add_silent();
  cluster().fail_next({.verb = testing::Verb::kPatch,
                       .resource = "nodes",
                       .subresource = "status",
                       .http_status = 409,
                       .reason = "Conflict"});
  outlive();

  EXPECT_EQ(ready("n1"), "Unknown");
  EXPECT_EQ(count_events(kNodeNotReady), 1);
  EXPECT_EQ(cluster().requests_of(testing::Verb::kPatch, "nodes", "status").size(), 2U);
}

// The server applies the write, and the response is an error.
class LostStatusTest : public NodeHealthTest {
 protected:
  std::function<void(const testing::RequestRecord&)> applies_the_first_status(bool& is_applied) {
    return [this, &is_applied](const testing::RequestRecord& request) {
      if (request.subresource != "status" || request.resource != "nodes") return;
      if (std::exchange(is_applied, true)) return;
      cluster().modify<Node>({"", "n1"}, [](Json& node) {
        for (Json& each : node["status"]["conditions"].items()) {
          if (each.text_at({"type"}) == "Ready") each["status"] = "Unknown";
        }
      });
    };
  }
};

TEST_F(LostStatusTest, PodsAreMarkedAlthoughTheResponseToTheNodesStatusIsLost) {
  add_silent();
  add_ready_pod("p1");
  run_until_idle();
  bool is_applied = false;
  cluster().on_request(applies_the_first_status(is_applied));
  cluster().fail_next({.verb = testing::Verb::kPatch,
                       .resource = "nodes",
                       .subresource = "status",
                       .http_status = 500,
                       .reason = "InternalError"});
  outlive();

  EXPECT_TRUE(is_applied);
  EXPECT_EQ(ready("n1"), "Unknown");
  EXPECT_EQ(condition(pod("p1"), "Ready").text_at({"status"}), "False");
  EXPECT_EQ(count_events(kNodeNotReady), 1);
}

// The node cannot be read, either, so that a later pass finds it Unknown.
TEST_F(LostStatusTest, PodsAreMarkedByALaterPassIfTheNodeCannotBeReadAfterALostResponse) {
  add_silent();
  add_ready_pod("p1");
  run_until_idle();
  bool is_applied = false;
  cluster().on_request(applies_the_first_status(is_applied));
  for (const testing::Verb verb : {testing::Verb::kPatch, testing::Verb::kGet}) {
    cluster().fail_next(
        {.verb = verb, .resource = "nodes", .http_status = 500, .reason = "InternalError"});
  }
  outlive();
  live(10);

  EXPECT_TRUE(is_applied);
  EXPECT_EQ(ready("n1"), "Unknown");
  EXPECT_EQ(condition(pod("p1"), "Ready").text_at({"status"}), "False");
}

// A kubelet's heartbeat that the cache has not shown yet is not written over: the server refuses.
TEST_F(NodeHealthTest, AStatusIsWrittenOnlyOntoTheNodeThatWasRead) {
  add_silent();
  const std::string read = node().text_at({"metadata", "resourceVersion"});
  outlive();

  const auto writes = cluster().requests_of(testing::Verb::kPatch, "nodes", "status");
  ASSERT_EQ(writes.size(), 1U);
  EXPECT_EQ(writes[0].json().text_at({"metadata", "resourceVersion"}), read);
}

TEST(HealthTest, AStatusHeartbeatCountsTheUnchangedLeaseOnceMore) {
  using namespace std::chrono_literals;
  const GracePeriods grace{.monitor = 6s, .startup = 8s};
  const Time start{1h};
  std::optional<ReadyFacts> ready = ReadyFacts{Ready::kTrue, "1", "1"};
  const std::optional<LeaseFacts> lease = LeaseFacts{WallTime(5s)};
  std::optional<NodeHealth> health;
  const auto look = [&](Time now) { return observe(health, {ready, lease, start}, now, grace); };
  ASSERT_EQ(look(start), Heartbeat::kAlive);
  ready->heartbeat = "2";
  ASSERT_EQ(look(start + 5s), Heartbeat::kAlive);
  EXPECT_EQ(health->probe, start + 5s);

  EXPECT_EQ(look(start + 10s), Heartbeat::kAlive);
  EXPECT_EQ(health->probe, start + 10s) << "upstream drops the lease at a heartbeat";
  EXPECT_EQ(look(start + 16s), Heartbeat::kAlive) << "the instant itself is not yet too late";
  EXPECT_EQ(look(start + 16s + 1ns), Heartbeat::kSilent);
}

TEST(HealthTest, WithoutReadyTheCreationIsTheFirstSignOfLife) {
  using namespace std::chrono_literals;
  const GracePeriods grace{.monitor = 6s, .startup = 8s};
  const Time now{1h};
  const std::optional<ReadyFacts> ready;
  const std::optional<LeaseFacts> lease;
  std::optional<NodeHealth> health;

  EXPECT_EQ(observe(health, {ready, lease, now - 9s}, now, grace), Heartbeat::kSilent);
  EXPECT_EQ(health->probe, now - 9s);
}

}  // namespace
}  // namespace davit::nodelifecycle
