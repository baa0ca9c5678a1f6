/// New Nodes and their addresses. Ids: docs/spec/cloud.md.
#include "tests/plugins/cloud/machines_fixture.hpp"

namespace davit::cloud {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""min;

constexpr std::string_view kNodeLoop = "cloud-node-controller";

CloudMetadata machine_facts() {
  return {.provider_id = "t://1",
          .instance_type = "big",
          .zone = "z",
          .region = "r",
          .addresses = {{"InternalIP", "10.0.0.4"}},
          .labels = {{"example.com/a", "b"}}};
}

class NewNodesTest : public MachineFixture {
 protected:
  void start_nodes(std::string_view config = "{}") {
    start(kNodeLoop, &CloudNodeController::open, config);
  }
  void begin(const CloudMetadata& facts) {
    machines.usual["metadata"] = CloudReply::with(facts);
    start_nodes();
  }
  /// A kubelet with an external provider registers.
  void register_node(const std::string& name, std::string_view patch = "{}") {
    Json node = Json::must(
        R"({"spec":{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"},)"
        R"({"key":"node.cloudprovider.kubernetes.io/uninitialized","value":"true",)"
        R"("effect":"NoSchedule"}]},"status":{"addresses":[{"type":"Hostname","address":")" +
        name + R"("}]}})");
    testing::merge_patch(node, Json::must(patch));
    add_node(name, node.dump());
  }
  [[nodiscard]] static std::string with_ip(std::string_view ip) {
    return R"({"metadata":{"annotations":{"alpha.kubernetes.io/provided-node-ip":")" +
           std::string(ip) + R"("}}})";
  }
  [[nodiscard]] bool is_tainted(const std::string& name) {
    return taints(name).find("uninitialized") != std::string::npos;
  }
  [[nodiscard]] std::string label(const std::string& name, std::string_view key) {
    return std::string(node(name).label(key).value_or("(none)"));
  }
  /// The errors of the syncs.
  [[nodiscard]] std::vector<std::string> errors() const {
    std::vector<std::string> out;
    for (const auto& each : cluster_.syncs()) {
      if (!each.ok()) out.push_back(each.error);
    }
    return out;
  }
};

TEST_F(NewNodesTest, CLD004_WithoutInstancesTheNodeLoopIsSkipped) {
  machines.has_instances = false;
  const Status started = try_start(kNodeLoop, &CloudNodeController::open);
  EXPECT_EQ(started.code(), Code::kUnsupported);
  EXPECT_EQ(started.message(),
            "failed to start cloud node controller: cloud provider does not support instances");
}

TEST_F(NewNodesTest, CLD097_ANewNodeGetsTheFactsOfItsMachine) {
  begin(machine_facts());
  register_node("n3");
  EXPECT_THAT(write_texts(), ElementsAre("patch nodes/n3 200", "patch nodes/n3/status 200"));
  EXPECT_EQ(node("n3").spec()["providerID"].string(), "t://1");
  for (const char* const key :
       {"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"}) {
    EXPECT_EQ(label("n3", key), "big");
  }
  for (const char* const key :
       {"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"}) {
    EXPECT_EQ(label("n3", key), "z");
  }
  for (const char* const key :
       {"topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"}) {
    EXPECT_EQ(label("n3", key), "r");
  }
  EXPECT_EQ(label("n3", "example.com/a"), "b");
  EXPECT_EQ(taints("n3"), R"([{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}])");
  EXPECT_EQ(addresses("n3"), "InternalIP=10.0.0.4 Hostname=n3");
  EXPECT_THAT(cluster_.event_texts(), ElementsAre("Normal Synced Node synced successfully"));
  std::vector<std::string> names;
  for (const auto& each : cluster_.metrics()) names.push_back(each.name);
  EXPECT_THAT(names, ElementsAre("node_controller_cloud_provider_taint_removal_delay_seconds",
                                 "node_controller_initial_node_sync_delay_seconds"));
}

TEST_F(NewNodesTest, CLD098_ANodeIsNeverUntaintedWithoutItsZoneAndProviderId) {
  begin(machine_facts());
  register_node("n3");
  Json body = cluster_.writes().front().json();
  EXPECT_EQ(body["spec"]["providerID"].dump(), R"("t://1")");
  EXPECT_THAT(body["metadata"]["labels"].dump(), HasSubstr(R"("topology.kubernetes.io/zone":"z")"));
  EXPECT_THAT(body["metadata"].dump(), HasSubstr("resourceVersion"));
  EXPECT_EQ(body["spec"]["taints"].dump(),
            R"([{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}])");
}

TEST_F(NewNodesTest, CLD099_AProviderIdThatIsThereStays) {
  begin(machine_facts());
  register_node("n3", R"({"spec":{"providerID":"t://0"}})");
  EXPECT_EQ(node("n3").spec()["providerID"].string(), "t://0");
  EXPECT_FALSE(is_tainted("n3"));
}

TEST_F(NewNodesTest, CLD100_LabelsOfKubernetesAreNotTheProviders) {
  CloudMetadata facts = machine_facts();
  facts.labels = {{"kubernetes.io/x", "1"},
                  {"a.k8s.io/y", "1"},
                  {"node.kubernetes.io/z", "1"},
                  {"mykubernetes.io/w", "1"}};
  begin(facts);
  register_node("n3");
  EXPECT_EQ(label("n3", "kubernetes.io/x"), "(none)");
  EXPECT_EQ(label("n3", "a.k8s.io/y"), "(none)");
  EXPECT_EQ(label("n3", "node.kubernetes.io/z"), "(none)");
  EXPECT_EQ(label("n3", "mykubernetes.io/w"), "1");
}

TEST_F(NewNodesTest, CLD101_LabelsOfTheNodeStayExceptThoseOfItsPlace) {
  begin(machine_facts());
  register_node(
      "n3", R"({"metadata":{"labels":{"example.com/a":"c","topology.kubernetes.io/zone":"old"}}})");
  EXPECT_EQ(label("n3", "example.com/a"), "c");
  EXPECT_EQ(label("n3", "topology.kubernetes.io/zone"), "z");
  EXPECT_THAT(log_texts(), Contains("Discarding node label node=n3 label=example.com/a"));
}

TEST_F(NewNodesTest, CLD102_WithoutAProviderIdANodeStaysTainted) {
  CloudMetadata facts = machine_facts();
  facts.provider_id.clear();
  begin(facts);
  register_node("n3");
  advance(5ms);
  EXPECT_THAT(cluster_.event_texts(), IsEmpty());
  advance(10ms);
  EXPECT_TRUE(is_tainted("n3"));
  constexpr const char* kWhy =
      "failed to get instance metadata for node n3: cloud provider does not set node provider ID "
      "for node n3";
  EXPECT_THAT(errors(), AllOf(SizeIs(3), Each(HasSubstr(kWhy))));
  EXPECT_THAT(cluster_.event_texts(),
              ElementsAre(std::string("Warning CloudNodeNotInitialized ") + kWhy));
  clear();
  advance(4min);
  EXPECT_THAT(cluster_.event_texts(), IsEmpty());
  advance(10min);
  EXPECT_THAT(cluster_.event_texts(), Each(HasSubstr(kWhy)));
  EXPECT_THAT(cluster_.event_texts(), Not(IsEmpty()));
}

TEST_F(NewNodesTest, CLD103_AMachineThatIsNotKnownYetIsAskedAboutWithTheNextHeartbeat) {
  machines.answers["metadata"] = {CloudReply::done(), CloudReply::not_ours()};
  begin(machine_facts());
  register_node("n3");
  EXPECT_TRUE(is_tainted("n3"));
  EXPECT_THAT(errors(), IsEmpty());
  advance(60s);
  EXPECT_THAT(machines.calls, ElementsAre("metadata n3"));
  change_node("n3", R"({"metadata":{"annotations":{"heartbeat":"1"}}})");
  EXPECT_TRUE(is_tainted("n3")) << "it belongs to another manager";
  change_node("n3", R"({"metadata":{"annotations":{"heartbeat":"2"}}})");
  EXPECT_FALSE(is_tainted("n3"));
}

TEST_F(NewNodesTest, CLD104_AMachineThatIsNotFoundIsTriedAgain) {
  machines.answers["metadata"] = {CloudReply::not_found()};
  begin(machine_facts());
  register_node("n3");
  EXPECT_THAT(errors(), ElementsAre(HasSubstr("failed to get instance metadata for node n3: ")));
  EXPECT_TRUE(exists("n3"));
  advance(5ms);
  EXPECT_FALSE(is_tainted("n3"));
}

TEST_F(NewNodesTest, CLD105_TheAddressOfTheKubeletComesFirst) {
  CloudMetadata facts = machine_facts();
  facts.addresses = {
      {"InternalIP", "10.0.0.4"}, {"InternalIP", "10.0.0.5"}, {"ExternalIP", "1.2.3.4"}};
  begin(facts);
  register_node("n3", with_ip("10.0.0.5"));
  EXPECT_EQ(addresses("n3"), "InternalIP=10.0.0.5 ExternalIP=1.2.3.4 Hostname=n3");
}

TEST_F(NewNodesTest, CLD106_AnAddressThatTheMachineLacksKeepsTheTaint) {
  begin(machine_facts());
  register_node("n3", with_ip("10.0.0.9"));
  EXPECT_TRUE(is_tainted("n3"));
  EXPECT_EQ(addresses("n3"), "Hostname=n3");
  EXPECT_THAT(errors(),
              Contains(HasSubstr("failed to get node modifiers from cloud provider: provided node "
                                 "ip for node \"n3\" is not valid: failed to get node address from "
                                 "cloud provider that matches ip: 10.0.0.9")));
}

TEST_F(NewNodesTest, CLD107_AKubeletMayHaveOneAddressOfEachFamily) {
  CloudMetadata facts = machine_facts();
  facts.addresses = {
      {"ExternalIP", "1.2.3.4"}, {"InternalIP", "fd00::5"}, {"InternalIP", "10.0.0.5"}};
  begin(facts);
  register_node("n3", with_ip("10.0.0.5,fd00::5"));
  EXPECT_EQ(addresses("n3"),
            "InternalIP=10.0.0.5 InternalIP=fd00::5 ExternalIP=1.2.3.4 "
            "Hostname=n3");
  register_node("n4", with_ip("x"));
  register_node("n5", with_ip("10.0.0.5,10.0.0.6"));
  register_node("n6", with_ip("0.0.0.0,fd00::5"));
  EXPECT_TRUE(is_tainted("n4"));
  EXPECT_TRUE(is_tainted("n5"));
  EXPECT_THAT(errors(),
              Contains(HasSubstr("failed to parse node IP \"x\": could not parse \"x\"")));
  EXPECT_THAT(errors(), Contains(HasSubstr("failed to parse node IP \"10.0.0.5,10.0.0.6\": must "
                                           "contain either a single IP or a dual-stack pair of "
                                           "IPs")));
  EXPECT_THAT(errors(), Contains(HasSubstr("dual-stack node IP cannot include '0.0.0.0' or '::'")));
}

TEST_F(NewNodesTest, CLD108_AValueThatIsNoLabelKeepsTheTaint) {
  CloudMetadata facts = machine_facts();
  facts.zone = "eu west";
  begin(facts);
  register_node("n3");
  EXPECT_TRUE(is_tainted("n3"));
  EXPECT_THAT(errors(), Contains(HasSubstr("a valid label must be")));
  machines.usual["metadata"] = CloudReply::with(machine_facts());
  advance(1s);
  EXPECT_FALSE(is_tainted("n3"));
}

TEST_F(NewNodesTest, CLD109_TheTaintGoesWithEachEffect) {
  begin(machine_facts());
  add_node("n3", R"({"spec":{"taints":[)"
                 R"({"key":"node.cloudprovider.kubernetes.io/uninitialized","effect":"NoExecute"},)"
                 R"({"key":"a","effect":"NoSchedule"},)"
                 R"({"key":"node.cloudprovider.kubernetes.io/uninitialized",)"
                 R"("effect":"NoSchedule"}]}})");
  EXPECT_EQ(taints("n3"), R"([{"key":"a","effect":"NoSchedule"}])");
}

TEST_F(NewNodesTest, CLD110_ConflictsAreTriedAgain) {
  begin(machine_facts());
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "nodes",
                      .http_status = 409,
                      .reason = "Conflict",
                      .times = 5});
  register_node("n3");
  EXPECT_FALSE(is_tainted("n3"));
  EXPECT_THAT(machines.calls, ElementsAre("metadata n3"));
}

TEST_F(NewNodesTest, AWriteWithoutAnAnswerIsFollowedByTheAddresses) {
  begin(machine_facts());
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "nodes",
                      .http_status = 0,
                      .effect = testing::Effect::kApplied});
  register_node("n3");
  advance(1s);
  EXPECT_FALSE(is_tainted("n3"));
  EXPECT_EQ(addresses("n3"), "InternalIP=10.0.0.4 Hostname=n3");
}

TEST_F(NewNodesTest, AFailedWriteOfAddressesIsTriedAgain) {
  begin(machine_facts());
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "nodes",
                      .subresource = "status",
                      .http_status = 409,
                      .reason = "Conflict",
                      .times = 3});
  register_node("n3");
  advance(1s);
  EXPECT_EQ(addresses("n3"), "InternalIP=10.0.0.4 Hostname=n3");
}

TEST_F(NewNodesTest, ANamesakeDoesNotGetTheFactsOfAnotherMachine) {
  begin(machine_facts());
  cluster_.hold("nodes");
  bool is_first = true;
  machines.during = [&](const std::string&) {
    if (!std::exchange(is_first, false)) return;
    cluster_.erase<Node>({"", "n3"});
    cluster_.add(Json::must(
        R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n3"},"spec":{"taints":[)"
        R"({"key":"node.cloudprovider.kubernetes.io/uninitialized","effect":"NoSchedule"}]}})"));
  };
  register_node("n3");
  cluster_.release_one("nodes");
  cluster_.run_until_idle();
  EXPECT_FALSE(is_first);
  EXPECT_TRUE(is_tainted("n3"));
  EXPECT_EQ(node("n3").spec()["providerID"].string(), "");
}

TEST_F(NewNodesTest, CLD111_AddressesFollowTheMachine) {
  begin(machine_facts());
  register_node("n3");
  clear();
  CloudMetadata facts = machine_facts();
  facts.addresses = {{"InternalIP", "10.0.0.8"}};
  machines.usual["metadata"] = CloudReply::with(facts);
  advance(5min);
  EXPECT_EQ(addresses("n3"), "InternalIP=10.0.0.8 Hostname=n3");
  EXPECT_THAT(write_texts(), ElementsAre("patch nodes/n3/status 200"));
}

TEST_F(NewNodesTest, CLD112_AddressesThatAreRightAreNotWritten) {
  CloudMetadata facts = machine_facts();
  facts.addresses = {{"InternalIP", "10.0.0.4"}, {"InternalIP", "10.0.0.5"}};
  begin(facts);
  register_node("n3");
  clear();
  advance(20min);
  EXPECT_THAT(machines.calls, SizeIs(4));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(NewNodesTest, CLD113_NoAddressesAndNoFactsChangeNothing) {
  begin(machine_facts());
  register_node("n3");
  clear();
  CloudMetadata facts = machine_facts();
  facts.addresses.clear();
  machines.answers["metadata"] = {CloudReply::with(facts), CloudReply::done()};
  advance(10min);
  EXPECT_THAT(machines.calls, SizeIs(2));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(NewNodesTest, CLD114_AnAddressIsWrittenOnce) {
  CloudMetadata facts = machine_facts();
  facts.addresses = {{"InternalIP", "10.0.0.1"}, {"InternalIP", "10.0.0.1"}};
  begin(facts);
  register_node("n3");
  EXPECT_EQ(addresses("n3"), "InternalIP=10.0.0.1 Hostname=n3");
}

TEST_F(NewNodesTest, AddressesOfAMachineAreNotWrittenToANamesake) {
  begin(machine_facts());
  add_node("n3");
  clear();
  cluster_.hold("nodes");
  cluster_.erase<Node>({"", "n3"});
  add_node("n3");
  advance(5min);
  EXPECT_EQ(addresses("n3"), "");
}

TEST_F(NewNodesTest, CLD115_AnOlderLabelIsTheTruthForTheNewerOne) {
  start_nodes();
  add_node("n3", R"({"metadata":{"labels":{"failure-domain.beta.kubernetes.io/zone":"a",)"
                 R"("topology.kubernetes.io/zone":"b"}}})");
  EXPECT_EQ(label("n3", "topology.kubernetes.io/zone"), "a");
}

TEST_F(NewNodesTest, ANamesakeDoesNotGetTheLabelsOfAnotherNode) {
  start_nodes();
  bool is_first = true;
  cluster_.on_request([&](const testing::RequestRecord& request) {
    if (request.verb != Verb::kPatch || !std::exchange(is_first, false)) return;
    cluster_.erase<Node>({"", "n3"});
    cluster_.add(
        Json::must(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n3"},"spec":{}})"));
  });
  add_node("n3", R"({"metadata":{"labels":{"failure-domain.beta.kubernetes.io/zone":"a"}}})");
  EXPECT_FALSE(is_first);
  EXPECT_EQ(label("n3", "topology.kubernetes.io/zone"), "(none)");
}

TEST_F(NewNodesTest, CLD116_NewerLabelsAloneAreLeftAlone) {
  start_nodes();
  add_node("n3", R"({"metadata":{"labels":{"topology.kubernetes.io/zone":"b"}}})");
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(NewNodesTest, CLD117_AZoneThatChangesLaterChangesNoLabel) {
  begin(machine_facts());
  register_node("n3");
  CloudMetadata facts = machine_facts();
  facts.zone = "other";
  machines.usual["metadata"] = CloudReply::with(facts);
  advance(10min);
  EXPECT_EQ(label("n3", "topology.kubernetes.io/zone"), "z");
}

TEST_F(NewNodesTest, CLD118_FiveHundredNodesAreInitializedOnceEach) {
  constexpr std::size_t kNodes = 500;
  machines.usual["metadata"] = CloudReply::with(machine_facts());
  for (std::size_t i = 0; i < kNodes; ++i) register_node("n" + std::to_string(i));
  start_nodes();
  std::size_t initialized = 0;
  for (const auto& each : cluster_.events()) initialized += each.reason == "Synced" ? 1 : 0;
  EXPECT_EQ(initialized, kNodes);
}

TEST_F(NewNodesTest, TheProviderMayHaveANewNodeLookedAt) {
  machines.answers["metadata"] = {CloudReply::done()};
  begin(machine_facts());
  register_node("n3");
  ASSERT_TRUE(is_tainted("n3"));
  add_node("n4");
  change_node("n4", R"({"metadata":{"annotations":{"again":"n3"}}})");
  EXPECT_FALSE(is_tainted("n3"));
}

TEST_F(NewNodesTest, WhileTheProviderIsNotReadyNewNodesWaitWithoutAFailure) {
  begin(machine_facts());
  cluster_.stop(kMachines);
  register_node("n3");
  advance(10s);
  EXPECT_THAT(errors(), IsEmpty());
  ASSERT_TRUE(cluster_.start(kMachines, &make<ScriptedMachines>).ok());
  advance(1s);
  EXPECT_FALSE(is_tainted("n3"));
}

TEST_F(NewNodesTest, ASwapOfTheNodeLoopInitializesNothingTwice) {
  begin(machine_facts());
  register_node("n3");
  clear();
  ASSERT_TRUE(cluster_.swap(kNodeLoop, &CloudNodeController::open).ok());
  cluster_.run_until_idle();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_THAT(cluster_.event_texts(), IsEmpty());
}

}  // namespace
}  // namespace davit::cloud
