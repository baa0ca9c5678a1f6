/// Routes to the pods of Nodes. Ids: docs/spec/cloud.md.
#include "tests/plugins/cloud/machines_fixture.hpp"

namespace davit::cloud {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;

constexpr std::string_view kRouteLoop = "node-route-controller";
constexpr std::string_view kRouteConfig = R"({"clusterCIDR":"10.244.0.0/16"})";
constexpr std::string_view kRoutesCreated = "False RouteCreated RouteController created a route";
constexpr std::string_view kNoRoute =
    "True NoRouteCreated RouteController failed to create a route";

const CloudReply kLimit = CloudReply::failed(Status(Code::kUnavailable, "limit"));

class RoutesTest : public MachineFixture {
 protected:
  void start_routes(std::string_view config = kRouteConfig) {
    start(kRouteLoop, &NodeRouteController::open, config);
  }
  [[nodiscard]] Status try_routes(std::string_view config) {
    return try_start(kRouteLoop, &NodeRouteController::open, config);
  }
  void add_routed(const std::string& name, const std::string& cidrs,
                  const std::string& address = "192.0.2.1") {
    add_node(name, R"({"spec":{"podCIDRs":[)" + cidrs +
                       R"(]},"status":{"addresses":[{"type":"InternalIP","address":")" + address +
                       R"("}]}})");
  }
  /// Two Nodes whose routes exist.
  void begin() {
    add_routed("n1", R"("10.244.1.0/24")", "192.0.2.1");
    add_routed("n2", R"("10.244.2.0/24")", "192.0.2.2");
    start_routes();
  }
  void begin_routed() {
    begin();
    clear();
  }
  /// The next such call has to end, because the replica does not lead any more.
  void cut(const std::string& function) {
    machines.answers[function] = {kLimit};
    machines.during = [this, function](const std::string& call) {
      if (call.starts_with(function)) cluster_.stand_by();
    };
  }
  void begin_cut(const std::string& function) {
    cut(function);
    begin();
  }
  void lead_again() {
    machines.during = {};
    cluster_.lead();
  }
  void list(const CloudRoute& route) { machines.routes.push_back(route); }
  [[nodiscard]] std::string condition(const std::string& name) {
    const auto found = node(name).condition("NetworkUnavailable");
    if (!found) return "";
    return std::string(found->status()) + " " + std::string(found->reason()) + " " +
           std::string(found->message());
  }
  [[nodiscard]] std::vector<std::string> removals() const {
    std::vector<std::string> out;
    for (const std::string& each : machines.calls) {
      if (each.starts_with("remove ")) out.push_back(each);
    }
    return out;
  }
};

TEST_F(RoutesTest, CLD001_WithoutAProviderTheRouteLoopIsSkipped) {
  const Status started = cluster_.start(kRouteLoop, &NodeRouteController::open, "{}");
  EXPECT_EQ(started.code(), Code::kUnsupported);
  EXPECT_EQ(started.message(), "there is no cloud provider");
}

TEST_F(RoutesTest, CLD004_WithoutRoutesTheRouteLoopIsSkipped) {
  machines.has_routes = false;
  const Status started = try_routes("{}");
  EXPECT_EQ(started.code(), Code::kUnsupported);
  EXPECT_EQ(started.message(),
            "--configure-cloud-routes is set, but cloud provider does not support routes. Will not "
            "configure cloud provider routes.");
}

TEST_F(RoutesTest, CLD006_RoutesThatTheOperatorDoesNotWantAreNotListed) {
  const Status started = try_routes(R"({"configureCloudRoutes":false})");
  EXPECT_EQ(started.code(), Code::kUnsupported);
  EXPECT_EQ(started.message(),
            "Will not configure cloud provider routes, --configure-cloud-routes: false");
  advance(30s);
  EXPECT_THAT(machines.calls, IsEmpty());
}

TEST_F(RoutesTest, CLD007_AWrongClusterCidrEndsTheStart) {
  EXPECT_EQ(try_routes("{}").message(), "invalid CIDR[0]: <nil> (invalid CIDR address: )");
  cluster_.stop(kMachines);
  EXPECT_EQ(try_routes(R"({"clusterCIDR":"10.0.0.0/8,11.0.0.0/8"})").message(),
            "len of ClusterCIDRs==2 and they are not configured as dual stack (at least one from "
            "each IPFamily");
}

TEST_F(RoutesTest, CLD008_APeriodOfZeroIsASecond) {
  start_routes(R"({"clusterCIDR":"10.244.0.0/16","routeReconciliationPeriod":"0s"})");
  clear();
  advance(3s);
  EXPECT_THAT(machines.calls, ElementsAre("list", "list", "list"));
}

TEST_F(RoutesTest, CLD060_EachPodCidrGetsARoute) {
  begin();
  EXPECT_THAT(machines.calls,
              ElementsAre("list", "create 10.244.1.0/24 n1", "create 10.244.2.0/24 n2"));
  EXPECT_THAT(machines.hints, ElementsAre(node("n1").uid(), node("n2").uid()));
  ASSERT_THAT(machines.routes, SizeIs(2));
  EXPECT_THAT(machines.routes[0].addresses, ElementsAre(CloudAddress{"InternalIP", "192.0.2.1"}));
  EXPECT_EQ(condition("n1"), kRoutesCreated);
  EXPECT_EQ(condition("n2"), kRoutesCreated);
}

TEST_F(RoutesTest, CLD061_WhatIsRightIsOnlyListed) {
  begin_routed();
  advance(30s);
  EXPECT_THAT(machines.calls, ElementsAre("list", "list", "list"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_EQ(metric("route_controller_route_sync_total"), 3);
}

TEST_F(RoutesTest, CLD062_ANewNodeGetsItsRouteInTheNextPass) {
  begin_routed();
  add_routed("n3", R"("10.244.3.0/24")");
  EXPECT_THAT(machines.calls, IsEmpty());
  advance(10s);
  EXPECT_THAT(machines.calls, ElementsAre("list", "create 10.244.3.0/24 n3"));
  EXPECT_EQ(condition("n3"), kRoutesCreated);
}

TEST_F(RoutesTest, CLD063_ANodeWithoutPodCidrIsLeftAlone) {
  add_node("n4");
  start_routes();
  EXPECT_THAT(machines.calls, ElementsAre("list"));
  EXPECT_EQ(condition("n4"), "");
}

TEST_F(RoutesTest, ANodeWithoutPodCidrToWhichRoutesLeadHasNoNetwork) {
  add_node("n4");
  list({.name = "r", .node = "n4", .destination = "10.244.9.0/24"});
  start_routes();
  EXPECT_THAT(removals(), ElementsAre("remove 10.244.9.0/24 n4"));
  EXPECT_EQ(condition("n4"), kNoRoute);
}

TEST_F(RoutesTest, CLD064_ARouteToANodeThatIsGoneIsRemoved) {
  list({.name = "r", .node = "n9", .destination = "10.244.9.0/24"});
  begin();
  EXPECT_THAT(removals(), ElementsAre("remove 10.244.9.0/24 n9"));
}

TEST_F(RoutesTest, CLD065_RoutesOutsideTheClusterAreLeftAlone) {
  list({.name = "a", .node = "n9", .destination = "192.168.0.0/24"});
  list({.name = "b", .node = "n9", .destination = "junk"});
  begin();
  EXPECT_THAT(removals(), IsEmpty());
}

TEST_F(RoutesTest, CLD066_ARouteThatContainsTheClusterIsLeftAlone) {
  list({.name = "a", .node = "n9", .destination = "10.0.0.0/8"});
  begin();
  EXPECT_THAT(removals(), IsEmpty());
}

TEST_F(RoutesTest, CLD067_ABlackholeIsRemovedAndMadeAgain) {
  list({.name = "a", .node = "n1", .destination = "10.244.1.0/24", .is_blackhole = true});
  begin();
  EXPECT_THAT(removals(), ElementsAre("remove 10.244.1.0/24 n1"));
  clear();
  advance(10s);
  EXPECT_THAT(machines.calls, ElementsAre("list", "create 10.244.1.0/24 n1"));
}

TEST_F(RoutesTest, CLD068_ARouteWithoutATargetIsRemoved) {
  list({.name = "a", .node = "", .destination = "10.244.7.0/24"});
  begin();
  EXPECT_THAT(removals(), ElementsAre("remove 10.244.7.0/24 "));
}

TEST_F(RoutesTest, CLD069_AFailedCreationIsReportedOnTheNode) {
  machines.answers["create"] = {kLimit};
  begin();
  const std::string uid(node("n1").uid());
  EXPECT_THAT(cluster_.event_texts(),
              ElementsAre("Warning FailedToCreateRoute Could not create route " + uid +
                          " 10.244.1.0/24 for node n1 after 0s: limit"));
  EXPECT_EQ(cluster_.events().front().uid, uid);
  EXPECT_EQ(condition("n1"), kNoRoute);
  EXPECT_EQ(condition("n2"), kRoutesCreated);
}

TEST_F(RoutesTest, CLD070_ACreationIsTriedInEachPass) {
  machines.answers["create"] = {kLimit};
  begin();
  advance(10s);
  EXPECT_EQ(condition("n1"), kRoutesCreated);
}

TEST_F(RoutesTest, CLD071_AFailedListChangesNothing) {
  begin_routed();
  machines.answers["list"] = {kLimit};
  remove_node("n2");
  advance(10s);
  EXPECT_THAT(machines.calls, ElementsAre("list"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_THAT(log_texts(),
              Contains("Couldn't reconcile node routes err=error listing routes: limit"));
  clear();
  advance(10s);
  EXPECT_THAT(machines.calls, ElementsAre("list", "remove 10.244.2.0/24 n2"));
}

TEST_F(RoutesTest, CLD072_AFailedRemovalIsTriedInEachPassAndLeavesConditionsAlone) {
  list({.name = "r", .node = "n9", .destination = "10.244.9.0/24"});
  machines.usual["remove"] = kLimit;
  begin();
  EXPECT_EQ(condition("n1"), kRoutesCreated);
  EXPECT_EQ(metric("route_controller_route_removals_failed"), 1);
  clear();
  advance(20s);
  EXPECT_THAT(removals(), SizeIs(2));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(RoutesTest, CLD073_ARouteFollowsTheAddressesOfItsNodeWhereTheProviderWants) {
  machines.follows_addresses = true;
  begin_routed();
  change_node("n1", R"({"status":{"addresses":[{"type":"InternalIP","address":"192.0.2.100"}]}})");
  advance(10s);
  EXPECT_THAT(machines.calls,
              ElementsAre("list", "remove 10.244.1.0/24 n1", "create 10.244.1.0/24 n1"));
  EXPECT_EQ(machines.routes.back().addresses.front().address, "192.0.2.100");
}

TEST_F(RoutesTest, WhereRoutesFollowAddressesAllRemovalsComeBeforeAllCreations) {
  machines.follows_addresses = true;
  begin_routed();
  remove_node("n2");
  add_routed("n0", R"("10.244.0.0/24")");
  advance(10s);
  EXPECT_THAT(machines.calls,
              ElementsAre("list", "remove 10.244.2.0/24 n2", "create 10.244.0.0/24 n0"));
  EXPECT_EQ(condition("n0"), kRoutesCreated);
}

TEST_F(RoutesTest, CLD074_OtherwiseAddressesDoNotMatter) {
  begin_routed();
  change_node("n1", R"({"status":{"addresses":[{"type":"InternalIP","address":"192.0.2.100"}]}})");
  advance(10s);
  EXPECT_THAT(machines.calls, ElementsAre("list"));
}

TEST_F(RoutesTest, CLD075_ANodeNeedsTheRoutesOfBothFamilies) {
  add_routed("n1", R"("10.244.1.0/24","fd00:1::/64")");
  machines.answers["create"] = {CloudReply::done(), kLimit};
  start_routes(R"({"clusterCIDR":"10.244.0.0/16,fd00::/16"})");
  EXPECT_THAT(machines.calls,
              ElementsAre("list", "create 10.244.1.0/24 n1", "create fd00:1::/64 n1"));
  EXPECT_EQ(condition("n1"), kNoRoute);
}

TEST_F(RoutesTest, CLD076_ADestinationIsCreatedAfterItsRemoval) {
  begin_routed();
  remove_node("n1");
  add_routed("n5", R"("10.244.1.0/24")");
  advance(10s);
  EXPECT_THAT(machines.calls,
              ElementsAre("list", "remove 10.244.1.0/24 n1", "create 10.244.1.0/24 n5"));
}

TEST_F(RoutesTest, CLD077_AConditionThatSomebodyChangesIsPutRight) {
  begin_routed();
  change_node("n1", R"({"status":{"conditions":[{"type":"NetworkUnavailable","status":"True"}]}})");
  advance(10s);
  EXPECT_EQ(condition("n1"), kRoutesCreated);
  EXPECT_THAT(write_texts(), ElementsAre("patch nodes/n1/status 200"));
}

TEST_F(RoutesTest, CLD078_AThousandNodesGetRoutesAndConditionsInOnePass) {
  constexpr int kNodes = 1000;
  for (int i = 0; i < kNodes; ++i) {
    const std::string cidr =
        "\"10.244." + std::to_string(i / 64) + "." + std::to_string(i % 64 * 4) + "/30\"";
    cluster_.add(testing::Json::must(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n)" +
                                     std::to_string(i) + R"("},"spec":{"podCIDRs":[)" + cidr +
                                     "]}}"));
  }
  start_routes();
  EXPECT_THAT(machines.routes, SizeIs(kNodes));
  EXPECT_THAT(write_texts(), SizeIs(kNodes));
  EXPECT_EQ(condition("n0"), kRoutesCreated);
  EXPECT_EQ(condition("n999"), kRoutesCreated);
}

TEST_F(RoutesTest, CLD079_AConflictOfAConditionIsTriedAgain) {
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "nodes",
                      .subresource = "status",
                      .name = "n1",
                      .http_status = 409,
                      .reason = "Conflict",
                      .times = 2});
  begin();
  EXPECT_EQ(condition("n1"), kRoutesCreated);
  EXPECT_THAT(write_texts(),
              UnorderedElementsAre("patch nodes/n1/status 409", "patch nodes/n1/status 409",
                                   "patch nodes/n1/status 200", "patch nodes/n2/status 200"));
}

TEST_F(RoutesTest, CLD080_ALongPassIsFollowedByTheNextAtOnce) {
  begin_routed();
  bool is_long = true;
  machines.during = [&](const std::string&) {
    if (std::exchange(is_long, false)) cluster_.skip(25s);
  };
  advance(10s);
  ASSERT_THAT(machines.calls, ElementsAre("list", "list"));
  EXPECT_EQ(machines.times[1] - machines.times[0], 25s);
}

TEST_F(RoutesTest, ACallThatWasCutShortIsMadeAgain) {
  begin_cut("create");
  EXPECT_EQ(condition("n1"), "") << "the pass is not over";
  lead_again();
  advance(1s);
  EXPECT_EQ(condition("n1"), kRoutesCreated);
  EXPECT_THAT(cluster_.event_texts(), IsEmpty());
}

TEST_F(RoutesTest, ASwapOfTheLoopBeginsAPass) {
  begin_routed();
  ASSERT_TRUE(cluster_.swap(kRouteLoop, &NodeRouteController::open, kRouteConfig).ok());
  cluster_.run_until_idle();
  EXPECT_THAT(machines.calls, ElementsAre("list"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  clear();
  advance(20s);
  EXPECT_THAT(machines.calls, ElementsAre("list", "list"));
}

TEST_F(RoutesTest, ASwapDuringAPassLosesNothing) {
  begin_cut("create");
  lead_again();
  ASSERT_TRUE(cluster_.swap(kRouteLoop, &NodeRouteController::open, kRouteConfig).ok());
  advance(1s);
  EXPECT_EQ(condition("n1"), kRoutesCreated);
  EXPECT_EQ(condition("n2"), kRoutesCreated);
}

TEST_F(RoutesTest, AProviderThatCancelsByItselfEndsNoPasses) {
  machines.usual["create"] = CloudReply::failed(Status(Code::kCancelled, "it gave up"));
  begin();
  EXPECT_EQ(condition("n1"), kNoRoute);
  EXPECT_THAT(cluster_.event_texts(), Contains(HasSubstr("it gave up")));
  clear();
  machines.answers["list"] = {CloudReply::failed(Status(Code::kCancelled, "it gave up"))};
  advance(10s);
  EXPECT_THAT(machines.calls, ElementsAre("list"));
  EXPECT_THAT(log_texts(),
              Contains("Couldn't reconcile node routes err=error listing routes: it gave up"));
}

TEST_F(RoutesTest, TheStepsOfAPassEndWithTheProviderThatListedTheRoutes) {
  begin_routed();
  remove_node("n2");
  cut("remove");
  advance(10s);
  ASSERT_THAT(machines.calls, ElementsAre("list", "remove 10.244.2.0/24 n2"));
  clear();
  ASSERT_TRUE(cluster_.swap(kMachines, &make<ScriptedMachines>).ok());
  lead_again();
  machines.routes.pop_back();  // The next build finds that the route is gone.
  advance(1s);
  EXPECT_THAT(machines.calls, ElementsAre("list"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  advance(10s);
  EXPECT_THAT(machines.calls, ElementsAre("list", "list"));
}

TEST_F(RoutesTest, APassThatIsVoidIsFollowedByTheNextAtOnce) {
  begin_cut("create");
  ASSERT_TRUE(cluster_.swap(kMachines, &make<ScriptedMachines>).ok());
  lead_again();
  clear();
  advance(1s);
  EXPECT_THAT(machines.calls, ElementsAre("list", "create 10.244.1.0/24 n1"));
  EXPECT_EQ(condition("n1"), kRoutesCreated);
  EXPECT_EQ(condition("n2"), kRoutesCreated);
  EXPECT_THAT(cluster_.event_texts(), IsEmpty());
}

TEST_F(RoutesTest, TenThousandRoutesAreListed) {
  constexpr int kRoutes = 10'000;
  for (int i = 0; i < kRoutes; ++i) {
    list({.name = "route-of-another-cluster-" + std::to_string(i),
          .node = "node-" + std::to_string(i) + ".example.com",
          .destination = "10.1." + std::to_string(i / 250) + "." + std::to_string(i % 250) + "/32",
          .addresses = {{"InternalIP", "192.0.2.1"}, {"ExternalIP", "198.51.100.1"}}});
  }
  begin();
  EXPECT_THAT(machines.routes, SizeIs(kRoutes + 2));
  EXPECT_EQ(condition("n1"), kRoutesCreated);
}

TEST_F(RoutesTest, WhileTheProviderIsNotReadyPassesWait) {
  begin_routed();
  cluster_.stop(kMachines);
  advance(20s);
  EXPECT_THAT(machines.calls, IsEmpty());
  ASSERT_TRUE(cluster_.start(kMachines, &make<ScriptedMachines>).ok());
  advance(1s);
  EXPECT_THAT(machines.calls, ElementsAre("list"));
}

TEST_F(RoutesTest, TheProviderMayHaveAPassMadeAtOnce) {
  begin_routed();
  change_node("n1", R"({"metadata":{"annotations":{"again":"routes"}}})");
  EXPECT_THAT(machines.calls, ElementsAre("list"));
}

TEST_F(RoutesTest, ANamesakeDoesNotGetTheConditionOfAnotherNode) {
  add_routed("n1", R"("10.244.1.0/24")");
  cluster_.hold("nodes");
  machines.during = [this](const std::string& call) {
    if (!call.starts_with("create")) return;
    cluster_.erase<Node>({"", "n1"});
    cluster_.add(testing::Json::must(
        R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"spec":{}})"));
  };
  start_routes();
  EXPECT_EQ(condition("n1"), "");
}

TEST_F(RoutesTest, AnUnknownMemberOfTheConfigurationIsRefused) {
  EXPECT_THAT(try_routes(R"({"clusterCidr":"10.244.0.0/16"})").message(),
              HasSubstr("unknown configuration \"clusterCidr\""));
}

}  // namespace
}  // namespace davit::cloud
