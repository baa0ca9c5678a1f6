/// Controllers change hands between kube-controller-manager and davit during rollouts, and back, as
/// docs/MIGRATION.md says: nothing is lost, and never do both write.
#include "tests/live/resilience/lease_history.hpp"
#include "tests/live/resilience/resilience_fixture.hpp"
#include "tests/live/resilience/writes.hpp"

namespace davit::live {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kHandedOver = 3;
constexpr std::size_t kPodsHandedOver = std::size_t{kHandedOver} * kReplicas;
constexpr char kSharedLease[] = "davit-migration";
constexpr char kMigrated[] = "deployment-controller,replicaset-controller";
constexpr char kOthers[] = "*,-deployment-controller,-replicaset-controller";
/// The clients of the controllers that change hands, in both programs.
const std::vector<std::string> kHandedOverAccounts = {
    "system:serviceaccount:kube-system:deployment-controller",
    "system:serviceaccount:kube-system:replicaset-controller"};

/// The file of the guide, with davit as the component of the two controllers. The last entry keeps
/// a controller out of davit that --controllers cannot switch off.
constexpr char kMigratedFile[] = R"(apiVersion: controllermanager.config.k8s.io/v1
kind: LeaderMigrationConfiguration
leaderName: davit-migration
controllerLeaders:
- {name: deployment-controller, component: davit}
- {name: replicaset-controller, component: davit}
- {name: serviceaccount-token-controller, component: kube-controller-manager}
)";

class MigrationTest : public ResilienceTest {
 protected:
  void SetUp() override {
    ResilienceTest::SetUp();
    if (IsSkipped()) return;
    seen_ = std::make_unique<Invariants>(cluster(), kMostWanted);
    history_ = std::make_unique<LeaseHistory>(cluster(), kSharedLease);
    write_file(pod_file(), static_pod());
    write_file(cluster().scratch() / "migrated.yaml", kMigratedFile);
  }
  [[nodiscard]] ControlPlaneOptions options() override { return audit_.options(); }
  [[nodiscard]] std::unique_ptr<Process> run_pods() override {
    auto kubelet = cluster().kubelet();
    kubelet_ = kubelet.get();
    return kubelet;
  }

  /// Flags of a static pod as kubeadm writes it. The holder of a lease may miss renewals for 12 s,
  /// as long as a busy machine may keep a server from its disk.
  [[nodiscard]] std::vector<std::string> pod_flags() const {
    const std::string certificate = cluster().ca_file();
    const std::string key = (cluster().scratch() / "certs" / "apiserver.key").string();
    return {"--allocate-node-cidrs=true",
            "--authentication-kubeconfig=" + cluster().kubeconfig(),
            "--authorization-kubeconfig=" + cluster().kubeconfig(),
            "--bind-address=127.0.0.1",
            "--client-ca-file=" + certificate,
            "--cluster-cidr=10.244.0.0/16",
            "--cluster-name=kubernetes",
            "--cluster-signing-cert-file=" + certificate,
            "--cluster-signing-key-file=" + key,
            "--kubeconfig=" + cluster().kubeconfig(),
            "--leader-elect=true",
            "--leader-elect-lease-duration=15s",
            "--leader-elect-renew-deadline=12s",
            "--leader-elect-retry-period=1s",
            "--requestheader-client-ca-file=" + certificate,
            "--root-ca-file=" + certificate,
            "--service-account-private-key-file=" + cluster().account_key_file(),
            "--service-cluster-ip-range=10.0.0.0/24",
            "--use-service-account-credentials=true"};
  }
  [[nodiscard]] std::filesystem::path pod_file() const {
    return cluster().scratch() / "kube-controller-manager.yaml";
  }
  [[nodiscard]] std::string static_pod() const {
    std::string text =
        "apiVersion: v1\nkind: Pod\n"
        "metadata: {name: kube-controller-manager, namespace: kube-system}\n"
        "spec:\n  hostNetwork: true\n  containers:\n  - name: kube-controller-manager\n"
        "    image: registry.k8s.io/kube-controller-manager:v1.36.2\n"
        "    command:\n    - kube-controller-manager\n"
        "    - --controllers=*,bootstrapsigner,tokencleaner\n";
    for (const std::string& each : pod_flags()) text += "    - " + each + "\n";
    return text;
  }

  /// Starts kube-controller-manager with the pod's flags and these.
  [[nodiscard]] std::unique_ptr<Process> upstream(std::vector<std::string> flags) {
    std::vector<std::string> argv = pod_flags();
    argv.insert(argv.begin(), assets() + "/kube-controller-manager");
    argv.insert(argv.end(), flags.begin(), flags.end());
    argv.emplace_back("--secure-port=0");
    const std::string log = "controller-manager-" + std::to_string(started_++) + ".log";
    return std::make_unique<Process>(argv, cluster().scratch() / log);
  }
  /// The one that keeps all other controllers. The key of the API server is that of no authority,
  /// so nothing can be signed with it.
  [[nodiscard]] std::unique_ptr<Process> upstream_without_them() {
    return upstream({std::string("--controllers=") + kOthers,
                     "--cluster-signing-cert-file=", "--cluster-signing-key-file="});
  }
  /// The one whose own lease is the shared one.
  [[nodiscard]] std::unique_ptr<Process> upstream_with_shared_lease() {
    return upstream({std::string("--controllers=") + kMigrated,
                     std::string("--leader-elect-resource-name=") + kSharedLease,
                     "--service-account-private-key-file="});
  }
  /// davit with what the static pod stands for, and the roles that it prints for that.
  [[nodiscard]] std::unique_ptr<Process> davit_in_migration() const {
    const std::filesystem::path manifest = cluster().scratch() / "davit.yaml";
    const Outcome made = run({DAVIT_PROGRAM, "manifest", "from-flags", "--file", pod_file(), "--",
                              "--leader-elect-resource-name=davit"});
    EXPECT_EQ(made.code, 0) << made.err;
    write_file(manifest, made.out);
    const Outcome roles = run({DAVIT_PROGRAM, "rbac", "--manifest", manifest});
    EXPECT_EQ(roles.code, 0) << roles.err;
    (void)cluster().must({"apply", "-f", "-"}, roles.out);
    return cluster().davit(
        {"--manifest=" + manifest.string(), std::string("--controllers=") + kMigrated,
         "--enable-leader-migration", "--secure-port=0",
         "--leader-migration-config=" + (cluster().scratch() / "migrated.yaml").string()});
  }

  /// Waits until the shared lease has had so many holders.
  [[nodiscard]] testing::AssertionResult holders_follow(std::size_t count) const {
    if (eventually(kWaitLimit, [&] { return history_->tenures().size() == count; })) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << history_->text();
  }
  [[nodiscard]] bool pods_appear(std::size_t count) const {
    return eventually(kWaitLimit, [&] { return seen_->pods_seen() >= count; });
  }
  /// While the kubelet stands still no new pod becomes ready, so no rollout can end.
  void begin_rollouts_without_kubelet(const std::string& image) const {
    kubelet_->signal(SIGSTOP);
    update_deployments(cluster(), kHandedOver, image);
  }
  /// Waits until the controllers have done all that they can do without ready pods.
  [[nodiscard]] testing::AssertionResult rollouts_wait_for_pods() const {
    const std::string path =
        "jsonpath={range .items[*]}{.status.replicas} {.status.updatedReplicas};{end}";
    const auto status = [&] {
      return cluster().kubectl({"get", "deployments", "--namespace=default", "-o", path}).out;
    };
    // 8 old pods are the fewest, and 13 pods the most.
    const auto waits = [&] { return status() == "13 5;13 5;13 5;"; };
    if (eventually(kWaitLimit, waits, std::chrono::milliseconds(200))) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << status();
  }
  static void end(Process& process) {
    process.signal(SIGTERM);
    ASSERT_NE(process.wait(kWaitLimit), std::nullopt);
  }

  AuditLog audit_;
  std::unique_ptr<Invariants> seen_;
  std::unique_ptr<LeaseHistory> history_;
  Process* kubelet_ = nullptr;
  int started_ = 0;
};

TEST_F(MigrationTest, ControllersChangeHandsDuringRolloutsAndBack) {
  // Given a kube-controller-manager in two processes, and davit beside them.
  const auto others = upstream_without_them();
  auto former = upstream_with_shared_lease();
  ASSERT_TRUE(holders_follow(1));
  create_deployments(cluster(), kHandedOver, kReplicas);
  ASSERT_TRUE(all_rolled_out(kHandedOver));
  const auto davit = davit_in_migration();
  ASSERT_TRUE(says(*davit, std::string("kube-system/") + kSharedLease));

  // When davit takes over while kube-controller-manager writes,
  begin_rollouts_without_kubelet("nginx:2");
  ASSERT_TRUE(pods_appear(kPodsHandedOver + 1));
  end(*former);
  ASSERT_TRUE(holders_follow(2));
  kubelet_->signal(SIGCONT);
  ASSERT_TRUE(all_rolled_out(kHandedOver));

  // and the next rollout is handed back.
  begin_rollouts_without_kubelet("nginx:3");
  ASSERT_TRUE(rollouts_wait_for_pods());
  former = upstream_with_shared_lease();
  ASSERT_TRUE(says(*former, "Attempting to acquire leader lease"));
  end(*davit);
  ASSERT_TRUE(holders_follow(3));
  kubelet_->signal(SIGCONT);
  ASSERT_TRUE(all_rolled_out(kHandedOver));

  // Then each rollout made its pods once, and one program wrote at a time.
  EXPECT_THAT(programs_in_turn(audit_.writes(), kHandedOverAccounts),
              ElementsAre("kube-controller-manager", "davit", "kube-controller-manager"));
  EXPECT_THAT(seen_->breaches(), IsEmpty());
  EXPECT_TRUE(pods_appear(3 * kPodsHandedOver));
  EXPECT_EQ(seen_->pods_seen(), 3 * kPodsHandedOver);
  EXPECT_EQ(history_->tenures().size(), 3U);
  EXPECT_TRUE(history_->tenures()[1].given_back) << "davit gives its lease back";
  EXPECT_TRUE(others->running()) << others->output();
  std::cout << history_->text();
}

}  // namespace
}  // namespace davit::live
