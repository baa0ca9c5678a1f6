// Pods as the API shows them while nodes run them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/kube/time.hpp>
#include <set>

#include "tests/nodes/world.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsSupersetOf;

const std::string kPods = "/api/v1/namespaces/default/pods";

SimulationOptions slow_pods() {
  SimulationOptions options = two_nodes();
  options.pods.start = seconds(2);
  options.pods.ready = seconds(3);
  options.pods.stop = seconds(4);
  return options;
}

TEST(SimulatedPodsTest, PodIsScheduledStartedAndReadyEachAtItsTime) {
  World world(slow_pods());
  world.create_pod("web");
  EXPECT_EQ(world.phase("web"), "Pending");
  EXPECT_EQ(World::condition(world.pod("web"), "PodScheduled"), "True");
  EXPECT_EQ(World::condition(world.pod("web"), "Ready", "reason"), "ContainersNotReady");

  world.pass(seconds(2));
  EXPECT_EQ(world.phase("web"), "Running");
  EXPECT_EQ(World::condition(world.pod("web"), "Ready"), "False");

  world.pass(seconds(3));
  EXPECT_EQ(World::condition(world.pod("web"), "Ready"), "True");
}

TEST(SimulatedPodsTest, SchedulerSpreadsPodsAndReportsIt) {
  World world(two_nodes());
  world.create_pod("a");
  world.create_pod("b");

  EXPECT_NE(world.pod("a").text_at({"spec", "nodeName"}),
            world.pod("b").text_at({"spec", "nodeName"}));
  const Json events = world.read("/apis/events.k8s.io/v1/namespaces/default/events");
  ASSERT_EQ(events.get("items").size(), 2U);
  EXPECT_EQ(events.get("items").items()[0].text_at({"note"}).substr(0, 35),
            "Successfully assigned default/a to ");
}

TEST(SimulatedPodsTest, PodThatIsMadeToCrashHasNoRestartsOfTheTimeBefore) {
  World world(two_nodes());
  world.create_pod("web");
  world.pass(std::chrono::hours(1));
  const auto container = [&world] {
    return world.pod("web").get("status").get("containerStatuses").items().front();
  };

  const Reply response =
      world.sandbox.patch("/api/v1/namespaces/default/pods/web", "merge",
                          R"({"metadata":{"annotations":{"sandbox.davit.dev/exit-code":"1"}}})");
  ASSERT_EQ(response.code, 200) << response.text;
  world.run_until_idle();

  // The first restart is at once, the next one after ten seconds.
  EXPECT_EQ(container().get("restartCount").text(), "1");
  EXPECT_EQ(container().text_at({"state", "waiting", "reason"}), "CrashLoopBackOff");
  EXPECT_EQ(container().text_at({"lastState", "terminated", "finishedAt"}),
            format_time(world.sandbox.clock.wall_now()));
  world.pass(seconds(9));
  EXPECT_EQ(container().get("restartCount").text(), "1");
  world.pass(seconds(1));
  EXPECT_EQ(container().get("restartCount").text(), "2");
}

/// `count reason field: message` of each Event of kind Pod, in the order of their names.
std::vector<std::string> told_by_kubelets(World& world) {
  std::vector<std::string> out;
  const Json list = world.read("/api/v1/namespaces/default/events");
  for (const Json& each : list.get("items").items()) {
    if (each.text_at({"source", "component"}) != "kubelet") continue;
    EXPECT_EQ(each.text_at({"source", "host"}), "node-1");
    EXPECT_EQ(each.text_at({"reportingInstance"}), "node-1");
    out.push_back(each.get("count").text() + ' ' + each.get("reason").text() + ' ' +
                  each.text_at({"involvedObject", "fieldPath"}) + ": " +
                  each.get("message").text());
  }
  return out;
}

TEST(SimulatedPodsTest, StartsOfContainersHaveTheEventsOfAKubelet) {
  SimulationOptions options;
  options.nodes.plans = plan_nodes("node", 1, 1);
  options.pod_events = PodEventSwitch::kOn;
  World world(options);
  world.create_pod("web", R"("initContainers":[{"name":"first","image":"j"}])",
                   R"("sandbox.davit.dev/init-seconds":"5")");
  const std::string pulled = " already present on machine and can be accessed by the pod";
  EXPECT_THAT(told_by_kubelets(world),
              ElementsAre("1 Pulled spec.initContainers{first}: Container image \"j\"" + pulled,
                          "1 Created spec.initContainers{first}: Container created",
                          "1 Started spec.initContainers{first}: Container started"));

  world.pass(seconds(5));
  EXPECT_THAT(told_by_kubelets(world),
              IsSupersetOf({"1 Pulled spec.containers{c}: Container image \"i\"" + pulled,
                            std::string("1 Started spec.containers{c}: Container started")}));

  world.sandbox.patch("/api/v1/namespaces/default/pods/web", "merge",
                      R"({"metadata":{"annotations":{"sandbox.davit.dev/exit-code":"1"}}})");
  world.pass(seconds(10));
  const std::vector<std::string> told = told_by_kubelets(world);
  EXPECT_EQ(told.size(), 6U);
  EXPECT_THAT(told, IsSupersetOf({"3 Started spec.containers{c}: Container started",
                                  "1 Started spec.initContainers{first}: Container started"}));
}

TEST(SimulatedPodsTest, AddressesAreOfTheNodesRangeAndUnique) {
  World world(two_nodes());
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) world.create_pod("p" + std::to_string(i));

  for (int i = 0; i < 20; ++i) {
    const Json pod = world.pod("p" + std::to_string(i));
    const bool first = pod.text_at({"spec", "nodeName"}) == "node-1";
    EXPECT_EQ(pod.text_at({"status", "podIP"}).substr(0, 9), first ? "10.244.0." : "10.244.1.");
    seen.insert(pod.text_at({"status", "podIP"}));
  }
  EXPECT_EQ(seen.size(), 20U);
}

TEST(SimulatedPodsTest, PodOfTheHostNetworkHasTheNodesAddress) {
  World world(two_nodes());
  world.create_pod("web", R"("hostNetwork":true)");

  const Json pod = world.pod("web");
  EXPECT_EQ(pod.text_at({"status", "podIP"}), pod.text_at({"status", "hostIP"}));
}

TEST(SimulatedPodsTest, PodThatFitsNowhereWaitsForTheClusterToChange) {
  World world(two_nodes());
  world.create_pod("web", R"("nodeSelector":{"disk":"ssd"})");
  EXPECT_EQ(World::condition(world.pod("web"), "PodScheduled", "reason"), "Unschedulable");
  EXPECT_EQ(World::condition(world.pod("web"), "PodScheduled", "message"),
            "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.");

  ASSERT_EQ(world.sandbox
                .patch("/api/v1/nodes/node-2", "merge", R"({"metadata":{"labels":{"disk":"ssd"}}})")
                .code,
            200);
  world.pass(seconds(10));

  EXPECT_EQ(world.pod("web").text_at({"spec", "nodeName"}), "node-2");
  EXPECT_EQ(world.phase("web"), "Running");
}

TEST(SimulatedPodsTest, GatedPodIsLeftAlone) {
  World world(two_nodes());
  world.create_pod("web", R"("schedulingGates":[{"name":"wait"}])");
  EXPECT_EQ(world.pod("web").text_at({"spec", "nodeName"}), "");
}

TEST(SimulatedPodsTest, DeletedPodIsGoneOnceItStopped) {
  World world(slow_pods());
  world.create_pod("web");
  world.pass(seconds(5));

  EXPECT_EQ(world.sandbox.remove(kPods + "/web").code, 200);
  world.run_until_idle();
  world.pass(seconds(3));
  EXPECT_EQ(world.phase("web"), "Running") << "it has four seconds";
  world.pass(seconds(1));

  EXPECT_TRUE(world.gone("web"));
}

TEST(SimulatedPodsTest, FinalizersHoldAPodThatHasStopped) {
  World world(two_nodes());
  world.create_pod("web");
  ASSERT_EQ(world.sandbox
                .patch(kPods + "/web", "merge", R"({"metadata":{"finalizers":["davit.dev/test"]}})")
                .code,
            200);
  world.sandbox.remove(kPods + "/web");
  world.run_until_idle();
  EXPECT_EQ(world.phase("web"), "Failed");

  const int before = world.server.requests;
  world.pass(seconds(5));
  EXPECT_LT(world.server.requests - before, 10) << "nobody asks again and again";

  world.sandbox.patch(kPods + "/web", "merge", R"({"metadata":{"finalizers":null}})");
  EXPECT_TRUE(world.gone("web"));
}

TEST(SimulatedPodsTest, JobsPodThatIsEvictedBeforeItsTimeFails) {
  World world(two_nodes());
  world.create_pod("job", R"("restartPolicy":"Never")", R"("sandbox.davit.dev/run-seconds":"300")");
  ASSERT_EQ(world.sandbox
                .patch(kPods + "/job", "merge", R"({"metadata":{"finalizers":["davit.dev/test"]}})")
                .code,
            200);
  const Reply evicted = world.sandbox.post(
      kPods + "/job/eviction",
      R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"job"}})");
  ASSERT_EQ(evicted.code, 201) << evicted.text;
  world.run_until_idle();

  EXPECT_EQ(world.phase("job"), "Failed");
  const Json pod = world.pod("job");
  EXPECT_EQ(pod.get("status")
                .get("containerStatuses")
                .items()[0]
                .text_at({"state", "terminated", "exitCode"}),
            "143");
}

TEST(SimulatedPodsTest, PodOfTheNodeThatIsDeletedBeforeItStartsFailsAndIsGone) {
  World world(slow_pods());
  world.create_pod("web");
  ASSERT_EQ(world.sandbox
                .patch(kPods + "/web", "merge", R"({"metadata":{"finalizers":["davit.dev/test"]}})")
                .code,
            200);
  world.sandbox.remove(kPods + "/web");
  world.run_until_idle();
  EXPECT_EQ(world.phase("web"), "Failed");

  world.sandbox.patch(kPods + "/web", "merge", R"({"metadata":{"finalizers":null}})");
  EXPECT_TRUE(world.gone("web"));
}

TEST(SimulatedPodsTest, JobsPodSucceedsAndLeavesItsRoom) {
  World world(two_nodes());
  world.create_pod("job", R"("restartPolicy":"Never")", R"("sandbox.davit.dev/run-seconds":"5")");
  EXPECT_EQ(world.phase("job"), "Running");

  world.pass(seconds(5));

  EXPECT_EQ(world.phase("job"), "Succeeded");
}

TEST(SimulatedPodsTest, AnnotatedRunningPodFails) {
  World world(two_nodes());
  world.create_pod("web", R"("restartPolicy":"Never")",
                   R"("sandbox.davit.dev/run-seconds":"1000000")");
  EXPECT_EQ(world.phase("web"), "Running");

  world.sandbox.patch(kPods + "/web", "merge",
                      R"({"metadata":{"annotations":{"sandbox.davit.dev/exit-code":"2",)"
                      R"("sandbox.davit.dev/run-seconds":"0"}}})");
  world.run_until_idle();

  EXPECT_EQ(world.phase("web"), "Failed");
}

TEST(SimulatedPodsTest, PodsOfAStoppedNodeStandStill) {
  World world(two_nodes());
  world.create_pod("web", R"("nodeName":"node-1")");
  world.annotate_node("node-1", "stopped");
  world.sandbox.remove(kPods + "/web");
  world.create_pod("late", R"("nodeName":"node-1")");
  world.pass(minutes(2));
  EXPECT_EQ(world.phase("web"), "Running");
  EXPECT_EQ(world.pod("late").get("status").get("startTime"), Json());

  world.annotate_node("node-1", "running");

  EXPECT_TRUE(world.gone("web"));
  EXPECT_EQ(world.phase("late"), "Running");
}

TEST(SimulatedPodsTest, NewProcessContinuesWithThePodsThatItFinds) {
  World world(two_nodes());
  world.create_pod("web", R"("nodeName":"node-1")");
  const Json before = world.pod("web");
  world.stop();
  world.start();
  EXPECT_EQ(world.pod("web"), before) << "there is nothing to say";

  world.create_pod("next", R"("nodeName":"node-1")");
  EXPECT_NE(world.pod("next").text_at({"status", "podIP"}), before.text_at({"status", "podIP"}));
}

}  // namespace
}  // namespace davit::sandbox
