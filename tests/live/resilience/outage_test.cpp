/// The API server or etcd is killed and started again, several times within one rollout.
#include "tests/live/resilience/resilience_fixture.hpp"
#include "tests/live/resilience/writes.hpp"
#include "tests/live/support/nodes.hpp"

namespace davit::live {
namespace {

using std::chrono::seconds;
using testing::IsEmpty;

constexpr int kNodes = 3;
constexpr int kRollouts = 6;
constexpr std::size_t kWanted = kRollouts * kReplicas;
constexpr std::size_t kOutages = 3;
/// About as long as a supervisor takes to start a program again.
constexpr seconds kAway{2};

/// Runs all controllers of davit as user `bob`, so that the audit log identifies their writes.
/// The pods run on simulated nodes, which renew their Leases whenever the server is there.
class OutageTest : public ResilienceTest {
 protected:
  void SetUp() override {
    ResilienceTest::SetUp();
    if (IsSkipped()) return;
    make_administrators({"bob"});
    // Without election: an outage of the server outlasts a lease, as upstream's. Few requests, so
    // that each outage finds a rollout in its midst.
    davit_ = cluster().davit({"--leader-elect=false", "--kube-api-qps=8", "--kube-api-burst=8",
                              "--kubeconfig=" + cluster().kubeconfig_for("bob-token")});
    // The ttl controller annotates each node once, which is no harm.
    ASSERT_TRUE(eventually(kWaitLimit, [this] {
      return nodes_are_well() && count(audit_.writes(), "bob", "patch nodes") >= kNodes;
    }));
    before_ = audit_.writes().size();
  }
  [[nodiscard]] ControlPlaneOptions options() override { return audit_.options(); }
  [[nodiscard]] std::unique_ptr<Process> run_pods() override {
    return cluster().nodes({"--nodes=" + std::to_string(kNodes)});
  }

  [[nodiscard]] bool nodes_are_well() const { return well_nodes(cluster()) == kNodes; }

  /// Kills and launches what `kill` and `launch` say, after each eighth of `writes` writes of a
  /// kind. Nothing waits until the server is healthy, because davit continues as soon as it can.
  template <typename Kill, typename Launch>
  void interrupt(const std::string& what, std::size_t writes, Kill kill, Launch launch) {
    for (std::size_t i = 1; i <= kOutages; ++i) {
      // Early enough that a busy machine still finds the rollout in its midst.
      const std::size_t share = writes * i / (2 * kOutages + 2);
      ASSERT_TRUE(
          eventually(kWaitLimit, [&] { return count(audit_.writes(), "bob", what) >= share; }))
          << what << ": " << share << " expected";
      ASSERT_LT(count(audit_.writes(), "bob", what), writes) << "in the midst of the rollout";
      kill();
      static_cast<void>(eventually(kAway, [] { return false; }));
      launch();
    }
    cluster().await_health();
  }

  /// Pods were created and deleted once, and no node was written to.
  void expect_no_harm(std::size_t created, std::size_t deleted) const {
    const std::vector<AuditedWrite> writes = audit_.writes_after_first(before_);
    // A creation that is cut off before its response is made again, as upstream's; the pod too many
    // goes again. What was stored in the moment of a kill may be missing in the log.
    EXPECT_LE(count(writes, "bob", "create pods"), created + kOutages);
    EXPECT_LE(count(writes, "bob", "delete pods"), deleted + kOutages);
    EXPECT_THAT(repeated(writes, "bob"), IsEmpty());
    EXPECT_THAT(verdicts_on_nodes(writes, "bob"), IsEmpty());
    EXPECT_TRUE(nodes_are_well());
    EXPECT_TRUE(davit_->running());
  }

  AuditLog audit_;
  std::unique_ptr<Process> davit_;
  std::size_t before_ = 0;
};

TEST_F(OutageTest, RolloutsContinueAfterEachKillOfTheApiServer) {
  create_deployments(cluster(), kRollouts, kReplicas);
  interrupt(
      "create pods", kWanted, [this] { cluster().stop_apiserver(SIGKILL); },
      [this] { cluster().launch_apiserver(); });

  EXPECT_TRUE(all_rolled_out(kRollouts));
  expect_no_harm(kWanted, 0);
}

TEST_F(OutageTest, RolloutsContinueAfterEachKillOfEtcd) {
  create_deployments(cluster(), kRollouts, kReplicas);
  ASSERT_TRUE(all_rolled_out(kRollouts));

  update_deployments(cluster(), kRollouts, "registry.example.com/app:v2");
  interrupt(
      "delete pods", kWanted, [this] { cluster().kill_etcd(); },
      [this] { cluster().launch_etcd(); });

  EXPECT_TRUE(all_rolled_out(kRollouts));
  expect_no_harm(2 * kWanted, kWanted);
}

}  // namespace
}  // namespace davit::live
