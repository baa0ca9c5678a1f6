// davit, not the cluster, has lost its connection, has a wrong wall clock, or takes over with
// caches that lag.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/system/regressions/nodes.hpp"

namespace davit::test {
namespace {

std::size_t steps_of_unknown(const World& world, sandbox::Revision since) {
  std::size_t count = 0;
  for (const Step& step : world.record().steps()) {
    if (step.revision > since && step.kind == "Node" && readiness(step.object) == "Unknown") {
      ++count;
    }
  }
  return count;
}

// Issue 11, 1.2: all nodes were Unknown after 50 to 55 s.
TEST(LostConnectionTest, StalledWatchesMakeNoNodeUnknownAndEvictNothing) {
  World world(with_nodes());
  deploy_impatient(world);
  world.pass(std::chrono::minutes(1));
  const sandbox::Revision before = world.record().revision();
  world.play(R"({"fault":"hold","for":"10m","count":4,"target":{"verb":"watch"}})");
  world.pass(std::chrono::minutes(4));
  EXPECT_EQ(steps_of_unknown(world, before), 0U);
  EXPECT_EQ(pods_deleted_since(world, before), 0U);
}

TEST(LostConnectionTest, EveryWatchThatStaysStalledMakesNoNodeUnknown) {
  World world(with_nodes());
  world.pass(std::chrono::minutes(1));
  const sandbox::Revision before = world.record().revision();
  world.play(R"({"fault":"hold","for":"3m","target":{"verb":"watch"}})");
  world.pass(std::chrono::minutes(3));
  EXPECT_EQ(steps_of_unknown(world, before), 0U);
  world.heal();
  world.pass(std::chrono::minutes(2));
  EXPECT_EQ(steps_of_unknown(world, before), 0U);
  switch_node(world, "node-1", "stopped");
  await_unknown(world, "node-1");
}

// Issue 30, 1.8: the proper end of each watch counted as a look at the Leases.
TEST(LostConnectionTest, ServerWhoseCacheOfLeasesStandsStillMakesNoNodeUnknown) {
  World world(with_nodes());
  world.pass(std::chrono::minutes(1));
  const sandbox::Revision before = world.record().revision();
  // Watches show no renewal, and end properly before a bookmark is due.
  world.play(R"({"rules":[
      {"fault":"gap","events":["MODIFIED"],"target":{"verb":"watch","resource":"leases"}},
      {"fault":"cut","after":"10s","clean":true,
       "target":{"verb":"watch","resource":"leases"}}]})");
  world.pass(std::chrono::minutes(3));
  EXPECT_EQ(steps_of_unknown(world, before), 0U);
  switch_node(world, "node-1", "stopped");
  await_unknown(world, "node-1");
  EXPECT_EQ(readiness(world.record().find("Node", "node-2")), "True");
}

// Issue 30, 1.8, its sibling: the taint of the cache was gone from the server.
TEST(LostConnectionTest, ServerWhoseCacheOfNodesStandsStillEvictsNoPodForATaintThatIsGone) {
  World world(with_nodes());
  deploy_impatient(world, std::chrono::seconds(60));
  switch_node(world, "node-1", "stopped");
  world.await("it is tainted", [&] { return is_tainted(world, "node-1"); });
  const sandbox::Revision before = world.record().revision();
  world.play(R"({"rules":[
      {"fault":"gap","events":["MODIFIED"],"target":{"verb":"watch","resource":"nodes"}},
      {"fault":"cut","after":"10s","clean":true,
       "target":{"verb":"watch","resource":"nodes"}}]})");
  world.pass(std::chrono::seconds(40));  // The watch that runs is renewed.
  switch_node(world, "node-1", "running");
  world.send("PATCH", "/api/v1/nodes/node-1", R"({"spec":{"taints":null}})");
  world.pass(std::chrono::minutes(2));
  EXPECT_EQ(pods_deleted_since(world, before), 0U);
}

TEST(LostConnectionTest, ServerThatIsAwayAgainAndAgainMakesNoNodeUnknown) {
  World world(with_nodes());
  world.pass(std::chrono::minutes(1));
  const sandbox::Revision before = world.record().revision();
  for (int i = 0; i < 5; ++i) {
    world.play(R"({"rules":[{"fault":"reset","target":{}},
                            {"fault":"cut","after":"1ms","target":{"verb":"watch"}}]})");
    world.pass(std::chrono::seconds(25));
    world.heal();
    world.pass(std::chrono::seconds(15));
  }
  world.pass(std::chrono::minutes(2));
  EXPECT_EQ(steps_of_unknown(world, before), 0U);
}

TEST(LostConnectionTest, WallClockThatJumpsByAnHourCostsNeitherTheLeaseNorANode) {
  WorldOptions options = with_nodes();
  options.host.election = HostOptions::Election::kOn;
  World world(options);
  deploy_impatient(world);
  world.pass(std::chrono::minutes(1));
  world.start_host();  // A standby, which would take the lease.
  world.pass(std::chrono::seconds(30));
  const sandbox::Revision before = world.record().revision();
  const auto lease = [&world] {
    return world.send("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/davit")
        .get("spec");
  };
  const std::string leader = lease().text_at({"holderIdentity"});

  for (const int hours : {1, -1, 0}) {
    world.set_image("web", "web:" + std::to_string(hours + 2));
    world.host_clock().set_wall(std::chrono::hours(hours));
    world.pass(std::chrono::seconds(90));
    world.await_rollout("web", 3);
  }

  EXPECT_EQ(lease().text_at({"holderIdentity"}), leader);
  EXPECT_EQ(lease().get("leaseTransitions").integer_or(0), 0);
  EXPECT_EQ(steps_of_unknown(world, before), 0U);
}

// Issue 11, 1.3: it acted on what its caches held.
TEST(LostConnectionTest, StandbyWithADelayedWatchMakesNothingThatIsThereAlready) {
  WorldOptions options{.host = {}};
  options.host.election = HostOptions::Election::kOn;
  World world(options);
  world.deploy("web", 2);
  world.await_rollout("web", 2);
  world.start_host();
  world.pass(std::chrono::seconds(10));
  // The watches of the standby, which are the younger ones, are held; so are those of the leader,
  // which has its own writes all the same.
  world.play(R"({"fault":"hold","for":"2m","target":{"verb":"watch","resource":"pods"}})");
  const sandbox::Revision before = world.record().revision();
  world.patch("web", R"({"spec":{"replicas":6}})");
  world.pass(std::chrono::seconds(5));
  const std::size_t made = world.record().pods().size();
  world.stop_host();
  world.pass(std::chrono::seconds(30));
  EXPECT_EQ(made, 6U);
  EXPECT_EQ(world.record().pods().size(), made) << "the next leader has made more";
  EXPECT_EQ(pods_deleted_since(world, before), 0U);
}

// The watch of the pods lags, too, so that the cache does not tell what became of the write.
TEST(LostConnectionTest, CreateWhoseResponseIsLostIsNotMadeTwice) {
  World world(1);
  world.deploy("web", 2);
  world.await_rollout("web", 2);
  const sandbox::Revision before = world.record().revision();
  world.play(R"({"rules":[
      {"fault":"hold","for":"2m","count":1,"target":{"verb":"watch","resource":"pods"}},
      {"fault":"lost","count":1,"target":{"verb":"create","resource":"pods"}}]})");
  world.patch("web", R"({"spec":{"replicas":3}})");
  world.pass(std::chrono::seconds(20));
  EXPECT_EQ(world.record().pods().size(), 3U);
  EXPECT_EQ(pods_deleted_since(world, before), 0U) << "a surplus pod was made";
}

// Issue 11, 1.1: the status and the checks said ok while a cache stood still.
TEST(LostConnectionTest, CacheThatIsNotFreshIsNamedByTheStatusTheCheckAndItsMetric) {
  using testing::AllOf;
  using testing::HasSubstr;
  using testing::Not;
  const std::string stale = R"(davit_informer_stale{group="",name="davit",resource="pods",)";
  const std::string other = R"(davit_informer_stale{group="apps",name="davit",)";
  World world(1);
  world.deploy("web", 2);
  world.await_rollout("web", 2);
  world.pass(std::chrono::minutes(1));
  EXPECT_THAT(world.status(), Not(HasSubstr("not current")));
  EXPECT_THAT(world.page("/readyz?verbose"), HasSubstr("[+]informer-freshness ok"));
  EXPECT_THAT(world.metrics(), HasSubstr(stale + "version=\"v1\"} 0\n"));

  world.play(R"({"rules":[
      {"fault":"status","code":500,"target":{"verb":["list","watch"],"resource":"pods"}},
      {"fault":"cut","after":"1ms","target":{"verb":"watch","resource":"pods"}}]})");
  world.pass(std::chrono::minutes(4));
  EXPECT_THAT(world.status(), AllOf(HasSubstr("\npods not current for "),
                                    Not(HasSubstr("replicasets.apps not current"))));
  EXPECT_THAT(world.page("/readyz?verbose"),
              AllOf(HasSubstr("[-]informer-freshness failed: reason withheld\n"),
                    HasSubstr("readyz check failed")));
  EXPECT_THAT(world.metrics(),
              AllOf(HasSubstr(stale + "version=\"v1\"} 1\n"),
                    HasSubstr(other + "resource=\"replicasets\",version=\"v1\"} 0\n")));

  world.heal();
  world.pass(std::chrono::minutes(3));
  EXPECT_THAT(world.status(), Not(HasSubstr("not current")));
  EXPECT_THAT(world.page("/readyz?verbose"), HasSubstr("[+]informer-freshness ok"));
  EXPECT_THAT(world.metrics(), HasSubstr(stale + "version=\"v1\"} 0\n"));
}

// Each rollout stood for 30 s, until the caches were listed again.
TEST(LostConnectionTest, RolloutFindsItsStalledWatchesInSeconds) {
  World world(1);
  world.deploy("web", 3);
  world.await_rollout("web", 3);
  world.play(R"({"fault":"hold","for":"10m","count":2,
                 "target":{"verb":"watch","resource":["pods","replicasets.apps"]}})");
  world.set_image("web", "web:2");
  EXPECT_TRUE(world.reach(std::chrono::seconds(15), [&world] {
    return world.images("web") == "web:2" && world.record().pods().size() == 3;
  })) << world.images("web");
}

}  // namespace
}  // namespace davit::test
