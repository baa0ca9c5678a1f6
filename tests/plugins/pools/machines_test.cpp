/// Machines without a cloud, with the loops of machines beside the provider. Ids:
/// docs/spec/cloud.md.
#include "tests/plugins/pools/fixture.hpp"

namespace davit::pools {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MachineLoopsTest : public PoolsFixture {
 protected:
  /// `more`: further members of the inventory, after a comma.
  [[nodiscard]] static std::string inventory(std::string_view more = "") {
    return R"({"instances":{"kind":"nodes","defaults":{"region":"home"})" + std::string(more) +
           "}}";
  }
  void start_machines(std::string_view more = "") { start_loops(inventory(more)); }
  void start_kind(const std::string& kind) {
    start_loops(R"({"instances":{"kind":")" + kind + R"("}})");
  }
  void start_loops(const std::string& config) {
    ASSERT_TRUE(try_start(config).ok());
    ASSERT_TRUE(cluster_.start("cloud-node-controller", &cloud::CloudNodeController::open).ok());
    ASSERT_TRUE(
        cluster_
            .start("cloud-node-lifecycle-controller", &cloud::CloudNodeLifecycleController::open)
            .ok());
    rest();
  }
  /// As a kubelet with an external provider registers; `ip`: its --node-ip, "": none. `more`:
  /// further annotations.
  void register_node(const std::string& name, const std::string& ip,
                     const std::string& provider_id = "", const std::string& more = "") {
    std::string annotations = more;
    if (!ip.empty()) {
      annotations += std::string(more.empty() ? "" : ",") +
                     R"("alpha.kubernetes.io/provided-node-ip":")" + ip + "\"";
    }
    annotations = "{" + annotations + "}";
    const std::string own = ip.empty() ? "" : R"({"type":"InternalIP","address":")" + ip + "\"},";
    cluster_.add(Json::must(
        R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"(","annotations":)" +
        annotations + R"(},"spec":{"providerID":")" + provider_id +
        R"(","taints":[{"key":"node.cloudprovider.kubernetes.io/uninitialized","value":"true",)"
        R"("effect":"NoSchedule"}]},"status":{"addresses":[)" +
        own + R"({"type":"Hostname","address":")" + name +
        R"("}],"conditions":[{"type":"Ready","status":"False"}]}})"));
    rest();
  }
  void annotate(const std::string& name, const std::string& key, const std::string& value) {
    cluster_.merge<Node>({"", name},
                         R"({"metadata":{"annotations":{")" + key + R"(":")" + value + "\"}}}");
    rest();
  }
  [[nodiscard]] bool is_tainted(const std::string& name) {
    return cluster_.find<Node>({"", name})->taints().count() > 0;
  }
  [[nodiscard]] std::string provider_id(const std::string& name) {
    return std::string(cluster_.find<Node>({"", name})->spec()["providerID"].string());
  }
  [[nodiscard]] std::string addresses(const std::string& name) {
    std::string out;
    const std::optional<Node> node = cluster_.find<Node>({"", name});
    for (const Value each : node->status()["addresses"].elements()) {
      out += (out.empty() ? "" : ",") + std::string(each["address"].string());
    }
    return out;
  }
};

TEST_F(MachineLoopsTest, CLD166_AKubeletWithANodeIpIsInitializedAndKeepsItsAddresses) {
  start_machines();
  register_node("n1", "192.168.1.11");
  EXPECT_FALSE(is_tainted("n1"));
  EXPECT_EQ(provider_id("n1"), "pools://n1");
  EXPECT_EQ(cluster_.find<Node>({"", "n1"})->label("topology.kubernetes.io/region"), "home");
  EXPECT_EQ(addresses("n1"), "192.168.1.11,n1");
  cluster_.clear_records();
  cluster_.advance(20min);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(MachineLoopsTest, CLD166_AKubeletWithoutANodeIpStaysTaintedUntilItIsListedWithAnAddress) {
  start_machines();
  register_node("n1", "");
  cluster_.advance(1min);
  EXPECT_TRUE(is_tainted("n1"));
  EXPECT_THAT(warnings(), Contains(HasSubstr("node n1 has no address: start its kubelet with "
                                             "--node-ip, or list one")));
  ASSERT_TRUE(cluster_
                  .configure(kPools, inventory(R"(,"nodes":[{"name":"n1","addresses":)"
                                               R"([{"type":"InternalIP","address":"10.0.0.1"}]}])"))
                  .ok());
  rest();
  EXPECT_FALSE(is_tainted("n1"));
  EXPECT_EQ(addresses("n1"), "10.0.0.1,n1");
}

TEST_F(MachineLoopsTest, CLD167_ANodeThatGetsListedIsInitializedWithoutAHeartbeat) {
  start_machines(R"(,"unknown":"wait")");
  register_node("n9", "192.168.1.19");
  cluster_.advance(10min);
  EXPECT_TRUE(is_tainted("n9"));
  ASSERT_TRUE(
      cluster_.configure(kPools, inventory(R"(,"unknown":"wait","nodes":[{"name":"n9"}])")).ok());
  rest();
  EXPECT_FALSE(is_tainted("n9"));
  EXPECT_EQ(provider_id("n9"), "pools://n9");
}

TEST_F(MachineLoopsTest, CLD168_ANodeThatIsNotReadyIsNotDeleted) {
  start_machines();
  register_node("n1", "192.168.1.11");
  cluster_.advance(10min);
  EXPECT_TRUE(cluster_.find<Node>({"", "n1"}));
}

TEST_F(MachineLoopsTest, CLD178_ASimulatedMachineThatChangesReachesItsNodeAtOnce) {
  start_kind("sandbox");
  register_node("n1", "192.168.1.11", "", R"("sandbox.davit.dev/node":"running")");
  EXPECT_FALSE(is_tainted("n1"));
  EXPECT_EQ(addresses("n1"), "192.168.1.11,n1");
  annotate("n1", "sandbox.davit.dev/external-ip", "198.51.100.9");
  EXPECT_EQ(addresses("n1"), "192.168.1.11,198.51.100.9,n1");
}

TEST_F(MachineLoopsTest, CLD179_ANodeGoesWithItsSimulatedMachineUnlessItIsReady) {
  start_kind("sandbox");
  register_node("n1", "192.168.1.11", "", R"("sandbox.davit.dev/node":"running")");
  register_node("n2", "192.168.1.12");
  cluster_.advance(10min);
  ASSERT_TRUE(cluster_.find<Node>({"", "n1"}));
  annotate("n1", "sandbox.davit.dev/node", "deleted");
  EXPECT_FALSE(cluster_.find<Node>({"", "n1"})) << "the loop looks at it at once";
  EXPECT_TRUE(cluster_.find<Node>({"", "n2"})) << "it is not simulated";
  EXPECT_TRUE(is_tainted("n2"));
}

TEST_F(MachineLoopsTest, CLD169_ANodeOfAnotherManagerIsNeitherInitializedNorDeleted) {
  start_machines(R"(,"unknown":"delete")");
  register_node("n1", "192.168.1.11", "aws:///eu-west-1a/i-1");
  cluster_.advance(10min);
  ASSERT_TRUE(cluster_.find<Node>({"", "n1"}));
  EXPECT_TRUE(is_tainted("n1"));
  EXPECT_EQ(provider_id("n1"), "aws:///eu-west-1a/i-1");
  register_node("n2", "192.168.1.12");
  cluster_.advance(1min);
  EXPECT_FALSE(cluster_.find<Node>({"", "n2"})) << "a machine that is not listed is gone";
}

}  // namespace
}  // namespace davit::pools
