/// The wall clock of the host's machine jumps in the midst of rollouts.
#include <ctime>
#include <fstream>

#include "tests/live/resilience/resilience_fixture.hpp"
#include "tests/live/resilience/writes.hpp"
#include "tests/live/support/nodes.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::IsEmpty;

constexpr int kNodeCount = 3;
constexpr int kRolledOut = 2;
constexpr std::size_t kPodsOfRollout = kRolledOut * kReplicas;
/// A look of the node lifecycle controller at its nodes comes every 5 s.
constexpr seconds kOneLook{6};

/// Runs all controllers of davit as user `bob` under a clock that can be shifted, with a standby
/// under the right clock, and pods on simulated nodes.
class ClockTest : public ResilienceTest {
 protected:
  void SetUp() override {
    ResilienceTest::SetUp();
    if (IsSkipped()) return;
    make_administrators({"bob", "alice"});
    write_file(shift_file(), std::string(sizeof(long long), '\0'));
    davit_ = cluster().davit(flags_of("bob"), shiftable());
    ASSERT_TRUE(says(*davit_, "Successfully acquired lease"));
    standby_ = cluster().davit(flags_of("alice"));
    ASSERT_TRUE(eventually(kWaitLimit, [this] { return well_nodes(cluster()) == kNodeCount; }));
  }
  [[nodiscard]] ControlPlaneOptions options() override { return audit_.options(); }
  [[nodiscard]] std::unique_ptr<Process> run_pods() override {
    return cluster().nodes({"--nodes=" + std::to_string(kNodeCount)});
  }

  /// A lease that a busy machine does not lose. Few requests, so that the clock jumps in the midst
  /// of a rollout.
  [[nodiscard]] std::vector<std::string> flags_of(const std::string& user) const {
    return {"--leader-elect-lease-duration=60s",
            "--leader-elect-renew-deadline=50s",
            "--leader-elect-retry-period=1s",
            "--kube-api-qps=10",
            "--kube-api-burst=10",
            "--kubeconfig=" + cluster().kubeconfig_for(user + "-token")};
  }
  [[nodiscard]] std::filesystem::path shift_file() const { return folder_.path() / "shift"; }
  [[nodiscard]] std::vector<std::string> shiftable() const {
    const char* sanitizer = std::getenv("ASAN_OPTIONS");
    return {"LD_PRELOAD=" DAVIT_SHIFTED_CLOCK, "DAVIT_TEST_WALL_CLOCK=" + shift_file().string(),
            std::string("ASAN_OPTIONS=") + (sanitizer == nullptr ? "" : sanitizer) +
                ":verify_asan_link_order=0"};
  }
  /// From now on davit's wall clock differs by so much from the right one.
  void shift_clock(seconds by) const {
    const auto count = static_cast<long long>(by.count());
    std::fstream file(shift_file(), std::ios::in | std::ios::out | std::ios::binary);
    file.write(reinterpret_cast<const char*>(&count), sizeof count);  // In place: it is mapped.
  }

  [[nodiscard]] std::size_t created() const { return count(audit_.writes(), "bob", "create pods"); }
  [[nodiscard]] std::string lease(const std::string& fields) const {
    return cluster().must(
        {"get", "lease", "davit", "--namespace=kube-system", "--output", "jsonpath=" + fields});
  }
  [[nodiscard]] std::string leader() const {
    return lease("{.spec.holderIdentity} {.spec.leaseTransitions}");
  }
  /// Whether davit comes to write the time of a clock that differs by so much from the right one.
  [[nodiscard]] bool writes_time_shifted_by(minutes by) const {
    return eventually(kWaitLimit, [&] {
      const std::string written = lease("{.spec.renewTime}");
      const auto now = std::chrono::system_clock::now() + by;
      return utc(now - minutes(5)) < written && written < utc(now + minutes(5));
    });
  }
  /// "2026-11-23T00:12:01", which sorts as the time.
  [[nodiscard]] static std::string utc(std::chrono::system_clock::time_point time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::string out(32, '\0');
    out.resize(std::strftime(out.data(), out.size(), "%Y-%m-%dT%H:%M:%S", &parts));
    return out;
  }

  ScratchDir folder_;
  AuditLog audit_;
  std::unique_ptr<Process> davit_;
  std::unique_ptr<Process> standby_;
};

TEST_F(ClockTest, WallClockThatJumpsInARolloutCostsNeitherLeaseNorNodeNorPod) {
  const Invariants seen(cluster(), kMostWanted);
  create_deployments(cluster(), kRolledOut, kReplicas);
  ASSERT_TRUE(all_rolled_out(kRolledOut));
  const std::string before_jumps = leader();
  const std::size_t before = audit_.writes().size();

  // An hour before its start the certificate of the server is not valid yet.
  std::size_t wanted = kPodsOfRollout;
  for (const minutes shift : {minutes(60), minutes(-59)}) {
    update_deployments(cluster(), kRolledOut, "nginx:" + std::to_string(shift.count() + 100));
    ASSERT_TRUE(eventually(kWaitLimit, [&] { return created() >= wanted + kPodsOfRollout / 4; }));
    shift_clock(shift);
    ASSERT_LT(created(), wanted + kPodsOfRollout) << "in the midst of the rollout";
    EXPECT_TRUE(all_rolled_out(kRolledOut));
    EXPECT_TRUE(writes_time_shifted_by(shift));
    wanted += kPodsOfRollout;
    static_cast<void>(eventually(kOneLook, [] { return false; }));
  }

  EXPECT_EQ(created(), wanted) << "no pod too many";
  EXPECT_EQ(leader(), before_jumps);
  EXPECT_EQ(well_nodes(cluster()), kNodeCount);
  const std::vector<AuditedWrite> writes = audit_.writes_after_first(before);
  EXPECT_THAT(verdicts_on_nodes(writes, "bob"), IsEmpty());
  for (const AuditedWrite& each : writes) EXPECT_NE(each.user, "alice") << each.what;
  EXPECT_THAT(seen.breaches(), IsEmpty());
  EXPECT_TRUE(davit_->running());
}

}  // namespace
}  // namespace davit::live
