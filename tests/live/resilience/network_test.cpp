/// The network between the host and its server fails in the midst of rollouts.
#include <algorithm>

#include "tests/live/resilience/resilience_fixture.hpp"
#include "tests/live/resilience/writes.hpp"
#include "tests/live/support/tcp_proxy.hpp"

namespace davit::live {
namespace {

using std::chrono::milliseconds;
using testing::IsEmpty;

constexpr int kCreated = 4;
constexpr std::size_t kPodsOfAll = kCreated * kReplicas;
/// Slow enough for many faults in one rollout.
constexpr char kRate[] = "10";
constexpr std::size_t kBreaks = 6;

/// davit as user `bob` behind a proxy; everybody else reaches the server directly.
class NetworkTest : public ResilienceTest {
 protected:
  void SetUp() override {
    ResilienceTest::SetUp();
    if (IsSkipped()) return;
    make_administrators({"bob"});
    proxy_ = std::make_unique<TcpProxy>(cluster().port());
    seen_ = std::make_unique<Invariants>(cluster(), kMostWanted);
    davit_ = cluster().davit({"--leader-elect=false", std::string("--kube-api-qps=") + kRate,
                              std::string("--kube-api-burst=") + kRate, "--kubeconfig",
                              cluster().kubeconfig_through(proxy_->port(), "bob-token")});
    // A start through a network that fails is a start that fails; this is about what comes later.
    ASSERT_TRUE(says(*davit_, "\"Connected\""));
  }
  [[nodiscard]] ControlPlaneOptions options() override { return audit_.options(); }

  [[nodiscard]] std::size_t failed_syncs() const {
    constexpr std::string_view kFailed = "Sync failed";
    const std::string output = davit_->output();
    std::size_t count = 0;
    for (std::size_t at = output.find(kFailed); at != std::string::npos;
         at = output.find(kFailed, at + kFailed.size())) {
      ++count;
    }
    return count;
  }

  void expect_no_pod_too_many() const {
    const std::vector<AuditedWrite> writes = audit_.writes();
    EXPECT_THAT(seen_->breaches(), IsEmpty());
    EXPECT_EQ(count(writes, "bob", "create pods"), kPodsOfAll);
    EXPECT_EQ(count(writes, "bob", "delete pods"), 0U);
    EXPECT_THAT(repeated(writes, "bob"), IsEmpty());
    EXPECT_TRUE(davit_->running());
  }

  AuditLog audit_;
  std::unique_ptr<TcpProxy> proxy_;
  std::unique_ptr<Invariants> seen_;
  std::unique_ptr<Process> davit_;
};

TEST_F(NetworkTest, ConnectionsThatTheServerEndsWhileIdleLoseNoWrite) {
  create_deployments(cluster(), kCreated, kReplicas);

  std::size_t hang_ups = 0;
  const auto is_done = [&] {
    proxy_->hang_up();
    ++hang_ups;
    return rolled_out(cluster(), kCreated, kReplicas);
  };
  EXPECT_TRUE(eventually(kWaitLimit, is_done, milliseconds(50)));

  EXPECT_GT(proxy_->accepted(), 40) << "connections were ended again and again";
  // A connection that ends in the very moment of a write looks like a lost response. On a busy
  // machine the rollout takes longer, so more connections are ended.
  constexpr std::size_t kHangUpsForEachHit = 40;
  EXPECT_LE(failed_syncs(), std::max<std::size_t>(2, hang_ups / kHangUpsForEachHit))
      << hang_ups << " times\n"
      << davit_->output();
  expect_no_pod_too_many();
}

TEST_F(NetworkTest, ConnectionsThatBreakInARolloutLeaveNoPodTooManyAtItsEnd) {
  proxy_->lose(0.3);  // So that requests are under way for long enough to be hit.
  create_deployments(cluster(), kCreated, kReplicas);

  // A key that fails further times waits for minutes, as upstream's.
  for (std::size_t i = 1; i <= kBreaks; ++i) {
    // The last one early enough that a busy machine still finds the rollout in its midst.
    const std::size_t share = kPodsOfAll * i / (kBreaks + 4);
    ASSERT_TRUE(eventually(kWaitLimit, [&] { return seen_->pods_seen() >= share; })) << share;
    proxy_->reset();
  }
  ASSERT_FALSE(rolled_out(cluster(), kCreated, kReplicas)) << "in the midst of the rollout";
  proxy_->lose(0);

  EXPECT_TRUE(all_rolled_out(kCreated));
  // A creation whose response is lost is made again, as upstream's; the pod too many goes again.
  // The audit log may call such a creation a failure, so the pods themselves are counted.
  const auto pods = [this] {
    const std::string names =
        cluster().kubectl({"get", "pods", "--namespace=default", "--output=name"}).out;
    return static_cast<std::size_t>(std::ranges::count(names, '\n'));
  };
  EXPECT_TRUE(eventually(kWaitLimit, [&] { return pods() == kPodsOfAll; })) << pods();
  EXPECT_THAT(repeated(audit_.writes(), "bob"), IsEmpty());
  EXPECT_TRUE(davit_->running());
}

// A cache lags behind the writes when a piece of its watch is lost, and each change of a size is
// acted on meanwhile. Mutant expectations+read-your-writes creates pods twice here.
TEST_F(NetworkTest, NoPodIsCreatedTwiceWhereEveryFifthPieceIsLost) {
  proxy_->lose(0.2);
  create_deployments(cluster(), kCreated, 1);
  for (int replicas = 2; replicas <= kReplicas; ++replicas) {
    cluster().must({"scale", "deployment", "--all", "--namespace=default",
                    "--replicas=" + std::to_string(replicas)});
  }

  EXPECT_TRUE(all_rolled_out(kCreated));
  expect_no_pod_too_many();
}

}  // namespace
}  // namespace davit::live
