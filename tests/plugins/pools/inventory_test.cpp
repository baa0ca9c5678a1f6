/// Machines without a cloud. Ids: docs/spec/cloud.md.
#include "plugins/pools/inventory.hpp"

#include "tests/plugins/pools/fixture.hpp"

namespace davit::pools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class InventoryTest : public PoolsFixture {
 protected:
  /// `more`: further members, after a comma.
  [[nodiscard]] Inventory inventory(const std::string& more = "") {
    const Result<Inventory> read =
        read_inventory(cluster_.value(R"({"kind":"nodes")" + more + "}"));
    EXPECT_TRUE(read) << read.error().message();
    return *read;
  }
  [[nodiscard]] Node node(const std::string& name, const std::string& spec = "{}",
                          const std::string& addresses = "[]",
                          const std::string& annotations = "{}") {
    return cluster_.view_of<Node>(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" +
                                  name + R"(","annotations":)" + annotations + R"(},"spec":)" +
                                  spec + R"(,"status":{"addresses":)" + addresses + "}}");
  }
  [[nodiscard]] CloudMetadata facts(const CloudReply& reply) {
    EXPECT_TRUE(reply.status.ok()) << reply.status.message();
    return reply.text ? CloudMetadata::read(cluster_.value(*reply.text)) : CloudMetadata();
  }

  static constexpr const char* kIp = R"([{"type":"InternalIP","address":"192.168.1.11"},)"
                                     R"({"type":"Hostname","address":"n1"}])";
};

TEST_F(InventoryTest, CLD166_ANodeThatIsNotListedGetsTheDefaults) {
  const Inventory of = inventory(R"(,"defaults":{"region":"home"})");
  const CloudMetadata got = facts(of.metadata(node("n1", "{}", kIp)));
  EXPECT_EQ(got.provider_id, "pools://n1");
  EXPECT_EQ(got.region, "home");
  EXPECT_THAT(got.addresses, ElementsAre(CloudAddress{"InternalIP", "192.168.1.11"}));
}

TEST_F(InventoryTest, CLD166_ANodeWithoutAnAddressStaysTainted) {
  const Inventory of = inventory(
      R"(,"nodes":[{"name":"n2","addresses":[{"type":"InternalIP","address":"192.168.1.12"}]}])");
  const CloudReply none = of.metadata(node("n1"));
  EXPECT_EQ(none.status.code(), Code::kUnavailable);
  EXPECT_EQ(none.status.message(),
            "node n1 has no address: start its kubelet with --node-ip, or list one");
  EXPECT_THAT(facts(of.metadata(node("n2"))).addresses,
              ElementsAre(CloudAddress{"InternalIP", "192.168.1.12"}));
  EXPECT_THAT(
      facts(of.metadata(node("n3", "{}", "[]",
                             R"({"alpha.kubernetes.io/provided-node-ip":"10.0.0.5,fd00::5"})")))
          .addresses,
      ElementsAre(CloudAddress{"InternalIP", "10.0.0.5"}, CloudAddress{"InternalIP", "fd00::5"}));
}

TEST_F(InventoryTest, TheListStandsOverTheDefaults) {
  const Inventory of = inventory(R"(,"providerIDPrefix":"home://",)"
                                 R"("defaults":{"region":"home","zone":"z","instanceType":"pc"},)"
                                 R"("nodes":[{"name":"n1","zone":"rack-a","instanceType":"nuc",)"
                                 R"("labels":{"example.com/ups":"a"}}])");
  const CloudMetadata got = facts(of.metadata(node("n1", "{}", kIp)));
  EXPECT_EQ(got.provider_id, "home://n1");
  EXPECT_EQ(got.zone, "rack-a");
  EXPECT_EQ(got.region, "home");
  EXPECT_EQ(got.instance_type, "nuc");
  EXPECT_EQ(got.labels.at("example.com/ups"), "a");
}

TEST_F(InventoryTest, CLD167_ANodeThatIsNotListedMayHaveToWait) {
  const Inventory of = inventory(R"(,"unknown":"wait")");
  const CloudReply reply = of.metadata(node("n9", "{}", kIp));
  EXPECT_TRUE(reply.status.ok());
  EXPECT_FALSE(reply.text);
  EXPECT_TRUE(of.exists(node("n9")).exists);
}

TEST_F(InventoryTest, CLD167_AChangeNamesTheNodesThatItConcerns) {
  const Inventory before = inventory(R"(,"unknown":"wait","nodes":[{"name":"n1"},{"name":"n2"}])");
  EXPECT_THAT(changed_nodes(before, before), IsEmpty());
  EXPECT_THAT(changed_nodes(before, inventory(R"(,"unknown":"wait","nodes":[{"name":"n1",)"
                                              R"("shutdown":true},{"name":"n9"}])")),
              ElementsAre("n1", "n9", "n2"));
  EXPECT_THAT(changed_nodes(before, inventory()), ElementsAre(""));
}

TEST_F(InventoryTest, CLD168_NoMachineIsEverGoneUnlessTheConfigurationAllowsIt) {
  EXPECT_TRUE(inventory().exists(node("n1")).exists);
  const Inventory of = inventory(R"(,"unknown":"delete","nodes":[{"name":"n1"}])");
  EXPECT_TRUE(of.exists(node("n1")).exists);
  EXPECT_EQ(of.exists(node("n2")).status.code(), Code::kNotFound);
  EXPECT_EQ(of.metadata(node("n2")).status.code(), Code::kNotFound);
}

TEST_F(InventoryTest, CLD169_ANodeOfAnotherManagerIsLeftAlone) {
  const Inventory of = inventory(R"(,"unknown":"delete")");
  const Node foreign = node("n1", R"({"providerID":"aws:///eu/i-1"})", kIp);
  EXPECT_TRUE(of.exists(foreign).elsewhere);
  EXPECT_TRUE(of.shutdown(foreign).elsewhere);
  EXPECT_TRUE(of.metadata(foreign).elsewhere);
  const Node own = node("n1", R"({"providerID":"pools://other"})", kIp);
  EXPECT_EQ(facts(inventory().metadata(own)).provider_id, "pools://other");
}

TEST_F(InventoryTest, AMachineIsOffIfItsOperatorSaysThat) {
  const Inventory of = inventory(R"(,"nodes":[{"name":"n1","shutdown":true}])");
  EXPECT_TRUE(of.shutdown(node("n1")).exists);
  EXPECT_FALSE(of.shutdown(node("n2")).exists);
}

class SimulatedMachinesTest : public InventoryTest {
 protected:
  /// `annotations`: further ones, after a comma.
  [[nodiscard]] Node simulated(const std::string& state, const std::string& annotations = "",
                               const std::string& spec = "{}") {
    return node("n1", spec, kIp,
                R"({"sandbox.davit.dev/node":")" + state + "\"" + annotations + "}");
  }
  [[nodiscard]] Inventory simulation() {
    const Result<Inventory> read = read_inventory(cluster_.value(R"({"kind":"sandbox"})"));
    EXPECT_TRUE(read) << read.error().message();
    return *read;
  }
};

TEST_F(SimulatedMachinesTest, CLD178_TheFactsOfASimulatedMachineAreTheAnnotationsOfItsNode) {
  const CloudMetadata got = facts(simulation().metadata(
      simulated("running", R"(,"sandbox.davit.dev/zone":"zone-b",)"
                           R"("sandbox.davit.dev/region":"not a label",)"
                           R"("sandbox.davit.dev/instance-type":"sandbox.8-32Gi",)"
                           R"("sandbox.davit.dev/external-ip":"198.51.100.9")")));
  EXPECT_EQ(got.provider_id, "pools://n1");
  EXPECT_EQ(got.zone, "zone-b");
  EXPECT_EQ(got.region, "");
  EXPECT_EQ(got.instance_type, "sandbox.8-32Gi");
  EXPECT_THAT(got.addresses, ElementsAre(CloudAddress{"InternalIP", "192.168.1.11"},
                                         CloudAddress{"ExternalIP", "198.51.100.9"}));
  EXPECT_THAT(
      facts(simulation().metadata(simulated("running", R"(,"sandbox.davit.dev/external-ip":"x")")))
          .addresses,
      ElementsAre(CloudAddress{"InternalIP", "192.168.1.11"}));
}

TEST_F(SimulatedMachinesTest, CLD179_AMachineIsOffOrGoneIfItsStateSaysThat) {
  const Inventory of = simulation();
  EXPECT_TRUE(of.exists(simulated("running")).exists);
  EXPECT_FALSE(of.shutdown(simulated("not-ready")).exists);
  EXPECT_TRUE(of.exists(simulated("stopped")).exists);
  EXPECT_TRUE(of.shutdown(simulated("stopped")).exists);
  EXPECT_EQ(of.exists(simulated("deleted")).status.code(), Code::kNotFound);
  EXPECT_EQ(of.metadata(simulated("deleted")).status.code(), Code::kNotFound);
}

TEST_F(SimulatedMachinesTest, CLD179_ANodeThatIsNotSimulatedIsLeftAlone) {
  const Inventory of = simulation();
  EXPECT_TRUE(of.exists(node("n1", "{}", kIp)).elsewhere);
  EXPECT_TRUE(of.metadata(node("n1", "{}", kIp)).elsewhere);
  EXPECT_TRUE(of.exists(simulated("deleted", "", R"({"providerID":"aws:///eu/i-1"})")).elsewhere);
}

TEST_F(InventoryTest, MistakesAreRefusedWithTheirPlace) {
  const std::pair<const char*, const char*> kCases[] = {
      {R"({"kind":"cloud"})", "instances.kind: must be none, nodes or sandbox"},
      {R"({"kind":"sandbox","nodes":[]})", "instances.nodes: is only for the kind nodes"},
      {R"({"kind":"sandbox","unknown":"wait"})", "instances.unknown: is only for the kind nodes"},
      {R"({"kind":"nodes","node":[]})", "instances: unknown configuration \"node\""},
      {R"({"kind":"nodes","defaults":{"zone":"eu west"}})",
       "instances.defaults.zone: \"eu west\" is not a valid label value"},
      {R"({"kind":"nodes","nodes":[{}]})", "instances.nodes[0]: it has no name"},
      {R"({"kind":"nodes","nodes":[{"name":"a"},{"name":"a"}]})", "two Nodes are named a"},
      {R"({"kind":"nodes","nodes":[{"name":"a",)"
       R"("addresses":[{"type":"InternalIP","address":"x"}]}]})",
       "instances.nodes[0].addresses: \"x\" is not an address"},
      {R"({"kind":"nodes","nodes":[{"name":"a","addresses":"10.0.0.1"}]})",
       "instances.nodes[0].addresses: must be a list of addresses"},
      {R"({"kind":"nodes","nodes":[{"name":"a","addresses":[{"type":"InternalIP"}]}]})",
       "each address has a type and an address"},
      {R"({"kind":"nodes","nodes":[{"name":"a","labels":{"a b":"c"}}]})",
       "\"a b\" is not a valid label"},
      {R"({"kind":"nodes","nodes":[{"name":"a","shutdown":"no"}]})", "must be true or false"},
      {R"({"kind":"nodes","unknown":"keep"})",
       "instances.unknown: must be accept, wait or delete"}};
  for (const auto& [text, why] : kCases) {
    const Result<Inventory> read = read_inventory(cluster_.value(text));
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message(), HasSubstr(why)) << text;
  }
}

TEST_F(InventoryTest, MachinesAreOfferedWithoutPools) {
  ASSERT_TRUE(try_start(R"({"instances":{"kind":"nodes"}})").ok());
  EXPECT_EQ(cluster_.configure(kPools, R"({"instances":{"kind":"none"}})").code(),
            Code::kUnsupported);
  EXPECT_TRUE(
      cluster_.configure(kPools, R"({"instances":{"kind":"nodes","unknown":"wait"}})").ok());
}

}  // namespace
}  // namespace davit::pools
