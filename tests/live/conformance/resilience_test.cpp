/// Failures that the host survives: another host, a lost server, a compacted history.
#include "tests/live/conformance/fixture.hpp"

namespace davit::live {
namespace {

using testing::HasSubstr;

class ResilienceTest : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (!IsSkipped()) kubelet_ = cluster().kubelet();
  }

  static testing::AssertionResult rolls_out(const std::string& name) {
    const Outcome outcome = cluster().kubectl(
        {"rollout", "status", "deployment/" + name, kRolloutTimeout, "--namespace", ns()});
    if (outcome.code == 0) return testing::AssertionSuccess();
    return testing::AssertionFailure() << outcome.out << outcome.err;
  }

  std::unique_ptr<Process> kubelet_;
};

TEST_F(ResilienceTest, AStandbyTakesOverWhenTheLeaderIsKilled) {
  const auto first = cluster().davit({"--leader-elect-resource-name=pair"});
  ASSERT_TRUE(prints(*first, "Successfully acquired lease"));
  const auto second = cluster().davit({"--leader-elect-resource-name=pair"});
  ASSERT_TRUE(prints(*second, "Attempting to acquire leader lease"));

  first->signal(SIGKILL);
  kubectl({"create", "deployment", "web", "--image=nginx:1", "--replicas=3"});
  EXPECT_TRUE(rolls_out("web"));
  EXPECT_TRUE(prints(*second, "Successfully acquired lease"));
}

TEST_F(ResilienceTest, AStandbyTakesOverAtOnceWhenTheLeaderStops) {
  // No test would wait for the end of such a lease: the next leader has found it released.
  const std::vector<std::string> flags = {"--leader-elect-resource-name=calm",
                                          "--leader-elect-lease-duration=1h",
                                          "--leader-elect-renew-deadline=10m"};
  const auto first = cluster().davit(flags);
  ASSERT_TRUE(prints(*first, "Successfully acquired lease"));
  const auto second = cluster().davit(flags);
  ASSERT_TRUE(prints(*second, "Attempting to acquire leader lease"));

  first->signal(SIGTERM);
  EXPECT_EQ(first->wait(kWaitLimit), 0) << first->output();
  EXPECT_TRUE(prints(*second, "Successfully acquired lease"));
}

TEST_F(ResilienceTest, WorkContinuesAfterTheServerWasRestarted) {
  const auto davit =
      cluster().davit({"--leader-elect-resource-name=restart", "--leader-elect-lease-duration=15m",
                       "--leader-elect-renew-deadline=10m"});
  // A host that starts gives up on a server that is not healthy for ten seconds, as upstream.
  ASSERT_TRUE(prints(*davit, "Successfully acquired lease"));
  for (const char* name : {"one", "two", "three"}) {
    kubectl({"create", "deployment", name, "--image=nginx:1", "--replicas=10"});
  }
  cluster().stop_apiserver(SIGKILL);
  cluster().start_apiserver();
  for (const char* name : {"one", "two", "three"}) EXPECT_TRUE(rolls_out(name));
  kubectl({"set", "image", "deployment/one", "nginx=nginx:2"});
  EXPECT_TRUE(rolls_out("one"));
  EXPECT_TRUE(davit->running()) << davit->output();
}

TEST_F(ResilienceTest, ACompactedHistoryLeadsToARelist) {
  const auto davit = cluster().davit({"--leader-elect=false"});
  kubectl({"create", "deployment", "web", "--image=nginx:1", "--replicas=3"});
  ASSERT_TRUE(rolls_out("web"));

  // While the server is away the host cannot follow, and when it is back its watch cache knows no
  // history.
  cluster().stop_apiserver(SIGKILL);  // SIGTERM waits a minute for its watches.
  cluster().compact();
  cluster().start_apiserver();
  kubectl({"delete", "pods", "--all", "--wait=false"});
  EXPECT_TRUE(becomes("deployment/web", "{.status.readyReplicas}", "3"));
  EXPECT_TRUE(davit->running()) << davit->output();
}

TEST_F(ResilienceTest, AChosenSubsetLeavesTheRestAlone) {
  const auto davit = cluster().davit({"--leader-elect=false", "--controllers=replicaset"});
  ASSERT_TRUE(prints(*davit, "controller is disabled"));
  kubectl({"create", "deployment", "web", "--image=nginx:1"});
  create_replica_set("set");
  EXPECT_TRUE(becomes("replicaset/set", "{.status.readyReplicas}", "2"));
  EXPECT_EQ(field("deployment/web", "{.status}"), "{}");
  EXPECT_EQ(field("replicasets", "{.items[*].metadata.name}"), "set");
}

TEST_F(ResilienceTest, ADryRunWritesNothing) {
  const auto davit = cluster().davit({"--dry-run"});
  kubectl({"create", "deployment", "web", "--image=nginx:1"});
  ASSERT_TRUE(prints(*davit, "dryRun"));
  ASSERT_TRUE(prints(*davit, "replicasets"));
  EXPECT_EQ(field("replicasets", "{.items}"), "[]");
}

}  // namespace
}  // namespace davit::live
