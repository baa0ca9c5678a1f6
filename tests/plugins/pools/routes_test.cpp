/// Routes to pods as lines of a ConfigMap. Ids: docs/spec/cloud.md.
#include "tests/plugins/pools/fixture.hpp"

namespace davit::pools {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RoutesTest : public PoolsFixture {
 protected:
  static constexpr const char* kRouteLoop = "node-route-controller";
  static constexpr const char* kTable = R"({"routes":{"kind":"table"}})";

  void start_routes(std::string_view cidrs = "10.244.0.0/16") {
    ASSERT_TRUE(try_start(kTable).ok());
    ASSERT_TRUE(cluster_
                    .start(kRouteLoop, &cloud::NodeRouteController::open,
                           R"({"clusterCIDR":")" + std::string(cidrs) + "\"}")
                    .ok());
    rest();
  }
  void add_routed(const std::string& name, const std::string& cidr, const std::string& address) {
    cluster_.add(Json::must(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
                            R"("},"spec":{"podCIDRs":[")" + cidr +
                            R"("]},"status":{"addresses":[{"type":"Hostname","address":")" + name +
                            R"("},{"type":"InternalIP","address":")" + address + "\"}]}}"));
  }
  void begin() {
    add_routed("n2", "10.244.2.0/24", "192.168.1.12");
    add_routed("n1", "10.244.1.0/24", "192.168.1.11");
    start_routes();
  }
  [[nodiscard]] std::string lines() {
    const auto map = cluster_.find<ConfigMap>({"kube-system", "davit-pod-routes"});
    return map ? std::string(map->value()["data"]["routes"].string()) : "none";
  }
  [[nodiscard]] std::string condition(const std::string& node) {
    const auto found = cluster_.find<Node>({"", node})->condition("NetworkUnavailable");
    return found ? std::string(found->status()) : "";
  }
  /// The next pass.
  void pass() { cluster_.advance(10s); }

  static constexpr const char* kBoth =
      "10.244.1.0/24 192.168.1.11 n1\n10.244.2.0/24 192.168.1.12 n2\n";
};

TEST_F(RoutesTest, CLD161_TheTableHasALineForEachNode) {
  begin();
  EXPECT_EQ(lines(), kBoth);
  EXPECT_EQ(condition("n1"), "False");
  EXPECT_EQ(condition("n2"), "False");
  cluster_.clear_records();
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.writes(), IsEmpty()) << "nothing is written again";
}

TEST_F(RoutesTest, CLD162_ATableThatIsDeletedIsRestored) {
  begin();
  cluster_.erase<ConfigMap>({"kube-system", "davit-pod-routes"});
  pass();
  EXPECT_EQ(lines(), kBoth);
}

TEST_F(RoutesTest, CLD162_ALineThatSomebodyEditsIsPutRight) {
  begin();
  cluster_.merge<ConfigMap>({"kube-system", "davit-pod-routes"},
                            R"({"data":{"routes":"10.244.1.0/24 192.168.1.99 n1\njunk\n"}})");
  pass();
  EXPECT_EQ(lines(), kBoth);
}

TEST_F(RoutesTest, CLD162_ALineFollowsTheAddressOfItsNode) {
  begin();
  cluster_.merge<Node>(
      {"", "n1"}, R"({"status":{"addresses":[{"type":"InternalIP","address":"192.168.1.21"}]}})");
  pass();
  EXPECT_EQ(lines(), "10.244.1.0/24 192.168.1.21 n1\n10.244.2.0/24 192.168.1.12 n2\n");
  cluster_.clear_records();
  cluster_.merge<Node>({"", "n1"}, R"({"status":{"addresses":[
      {"type":"InternalIP","address":"192.168.1.21"},{"type":"Hostname","address":"other"}]}})");
  pass();
  EXPECT_THAT(cluster_.writes(), IsEmpty()) << "its next hop is the same";
}

TEST_F(RoutesTest, CLD162_TheLineOfANodeThatIsGoneGoes) {
  begin();
  cluster_.erase<Node>({"", "n2"});
  pass();
  EXPECT_EQ(lines(), "10.244.1.0/24 192.168.1.11 n1\n");
}

TEST_F(RoutesTest, CLD163_ANodeWithoutAnAddressOfTheFamilyHasNoRoute) {
  add_routed("n1", "fd00:1::/64", "192.168.1.11");
  start_routes("fd00::/16");
  EXPECT_EQ(lines(), "none");
  EXPECT_EQ(condition("n1"), "True");
  EXPECT_THAT(warnings(),
              Contains(HasSubstr("node n1 has no address of the family of fd00:1::/64")));
}

TEST_F(RoutesTest, AFailedWriteIsAFailedRoute) {
  cluster_.fail_next({.verb = Verb::kPatch, .resource = "configmaps", .times = Fault::kAlways});
  begin();
  EXPECT_EQ(condition("n1"), "True");
  cluster_.clear_faults();
  pass();
  EXPECT_EQ(lines(), kBoth);
  EXPECT_EQ(condition("n1"), "False");
}

TEST_F(RoutesTest, CLD162_ALineOfAnotherNodeIsReplaced) {
  begin();
  cluster_.merge<ConfigMap>({"kube-system", "davit-pod-routes"},
                            R"({"data":{"routes":"10.244.1.0/24 192.168.1.12 n2\n"}})");
  pass();
  EXPECT_EQ(lines(), kBoth);
}

TEST_F(RoutesTest, ASwapChangesNoLine) {
  begin();
  cluster_.clear_records();
  ASSERT_TRUE(cluster_.swap(kPools, &PoolsController::open, kTable).ok());
  cluster_.advance(30s);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_EQ(lines(), kBoth);
}

TEST_F(RoutesTest, WithoutRoutesTheLoopIsSkipped) {
  ASSERT_TRUE(try_start(R"({"routes":{"kind":"none"}})").ok());
  const Status started = cluster_.start(kRouteLoop, &cloud::NodeRouteController::open,
                                        R"({"clusterCIDR":"10.244.0.0/16"})");
  EXPECT_EQ(started.code(), Code::kUnsupported);
}

TEST_F(RoutesTest, WrongKindsAreRefused) {
  EXPECT_THAT(try_start(R"({"routes":{"kind":"cloud"}})").message(),
              HasSubstr("routes.kind: must be none, table or kernel"));
  EXPECT_THAT(try_start(R"({"routes":{"table":1}})").message(), HasSubstr("routes: unknown"));
  EXPECT_THAT(try_start(R"({"routes":{"kind":"kernel","table":0}})").message(),
              HasSubstr("routes.table: must be from 1"));
  EXPECT_THAT(try_start(R"({"routes":{"kind":"kernel","protocol":4}})").message(),
              HasSubstr("routes.protocol: must be from 5"));
}

TEST_F(RoutesTest, TheProtocolsOfOtherProgramsAreRefused) {
  const auto read = [this](int protocol) {
    return read_route_settings(
        cluster_.value(R"({"kind":"kernel","protocol":)" + std::to_string(protocol) + "}"));
  };
  for (const int each : {8, 12, 18, 42, 99, 186, 189, 192}) {
    EXPECT_THAT(read(each).error().message(),
                HasSubstr("routes.protocol: " + std::to_string(each) + " belongs to"));
  }
  for (const int each : {5, 7, 19, 41, 157, 185, 190, 191, 193, 255}) {
    EXPECT_TRUE(read(each)) << each;
  }
}

TEST(RouteTableTest, LinesOfAnotherFormAreLeftOut) {
  const RouteTable table = parse_routes(
      "10.244.1.0/24 192.168.1.11 n1\n"
      "junk\n\n10.244.2.0/24 n2\n10.244.3.0/24 192.168.1.13 n3 more\n10.244.4.0/24 192.168.1.14 ");
  EXPECT_EQ(routes_text(table), "10.244.1.0/24 192.168.1.11 n1\n");
}

TEST(RouteTableTest, TheNextHopIsTheFirstInternalAddressOfTheFamily) {
  const std::vector<CloudAddress> all = {{"Hostname", "n1"},
                                         {"ExternalIP", "198.51.100.1"},
                                         {"InternalIP", "fd00::1"},
                                         {"InternalIP", "192.168.1.11"},
                                         {"InternalIP", "192.168.1.12"}};
  EXPECT_EQ(next_hop(all, "10.244.1.0/24"), "192.168.1.11");
  EXPECT_EQ(next_hop(all, "fd00:1::/64"), "fd00::1");
  EXPECT_EQ(next_hop({all[1]}, "10.244.1.0/24"), "198.51.100.1");
  EXPECT_EQ(next_hop({all[1]}, "fd00:1::/64"), std::nullopt);
}

}  // namespace
}  // namespace davit::pools
