/// Two hosts and one lease under load: no pod too many, and never two at work.
#include <algorithm>

#include "tests/live/resilience/resilience_fixture.hpp"
#include "tests/live/resilience/writes.hpp"

namespace davit::live {
namespace {

using testing::IsEmpty;

constexpr int kDeployments = 6;
constexpr char kLeads[] = "Successfully acquired lease";

/// The leader may miss renewals for 12 s, as long as a busy machine may keep a server from its
/// disk. Few requests, so that the leader changes in the midst of the rollouts.
const std::vector<std::string> kLease = {
    "--leader-elect-lease-duration=15s", "--leader-elect-renew-deadline=12s",
    "--leader-elect-retry-period=1s", "--kube-api-qps=10", "--kube-api-burst=10"};

class FailoverTest : public ResilienceTest {
 protected:
  void SetUp() override {
    ResilienceTest::SetUp();
    if (IsSkipped()) return;
    make_administrators({"bob", "alice"});
    seen_ = std::make_unique<Invariants>(cluster(), kMostWanted);
    first_ = host("bob");
    ASSERT_TRUE(says(*first_, kLeads));
    second_ = host("alice");
    ASSERT_TRUE(says(*second_, "Attempting to acquire leader lease"));
    create_deployments(cluster(), kDeployments, kReplicas);
    ASSERT_TRUE(pods_appear(kDeployments * kReplicas / 3));
  }
  [[nodiscard]] ControlPlaneOptions options() override { return audit_.options(); }

  /// The hosts differ in the audit log by their users.
  [[nodiscard]] std::unique_ptr<Process> host(const std::string& user) const {
    std::vector<std::string> flags = kLease;
    flags.push_back("--kubeconfig=" + cluster().kubeconfig_for(user + "-token"));
    return cluster().davit(flags);
  }

  [[nodiscard]] bool pods_appear(std::size_t count) const {
    return eventually(kWaitLimit, [&] { return seen_->pods_seen() >= count; });
  }

  void expect_one_writer_at_a_time() const {
    const std::vector<AuditedWrite> writes = audit_.writes();
    for (const char* user : {"bob", "alice"}) {
      EXPECT_TRUE(std::ranges::any_of(writes, [&](const auto& each) { return each.user == user; }))
          << user << " wrote nothing that the audit log shows";
    }
    EXPECT_THAT(writes_after(writes, "bob", "alice"), IsEmpty());
    EXPECT_THAT(seen_->breaches(), IsEmpty());
    EXPECT_EQ(seen_->pods_seen(), pods_wanted_) << "not one pod too many";
  }

  AuditLog audit_;
  std::unique_ptr<Invariants> seen_;
  std::unique_ptr<Process> first_;
  std::unique_ptr<Process> second_;
  std::size_t pods_wanted_ = kDeployments * kReplicas;
};

TEST_F(FailoverTest, LeaderKilledInARolloutLeavesNoPodTooMany) {
  first_->signal(SIGKILL);

  EXPECT_TRUE(says(*second_, kLeads));
  EXPECT_TRUE(all_rolled_out(kDeployments));
  expect_one_writer_at_a_time();
}

TEST_F(FailoverTest, LeaderThatStoodStillForLongerThanItsLeaseWritesNothingMore) {
  first_->signal(SIGSTOP);
  EXPECT_TRUE(says(*second_, kLeads));
  EXPECT_TRUE(pods_appear(kDeployments * kReplicas / 2));

  first_->signal(SIGCONT);

  EXPECT_NE(first_->wait(kWaitLimit), std::nullopt) << "it must notice that it lost the lease";
  EXPECT_TRUE(all_rolled_out(kDeployments));
  expect_one_writer_at_a_time();
}

}  // namespace
}  // namespace davit::live
