/// The time until a standby with full caches writes after taking over, and its memory.
#include <algorithm>
#include <cstdio>

#include "tests/live/resilience/resilience_fixture.hpp"
#include "tests/live/resilience/writes.hpp"
#include "tests/live/soak/environment.hpp"
#include "tests/live/support/cost.hpp"
#include "tests/support/holdings.hpp"

namespace davit::live {
namespace {

using std::chrono::seconds;

constexpr int kNodesOfPods = 20;
/// An idle host gives back pages of its program, which come again then, so only the heap is judged.
/// A takeover asks whether the caches are as new as the server, and fills no others: the new leader
/// holds what the old one held at the same work.
constexpr double kNoiseMib = 4;

/// Seconds of the day in "2026-11-23T00:12:01.123456Z".
double seconds_of(const std::string& time) {
  int hours = 0;
  int minutes = 0;
  double rest = 0;
  const std::size_t at = std::min(time.find('T'), time.size());
  if (std::sscanf(time.c_str() + at, "T%d:%d:%lf", &hours, &minutes, &rest) != 3) {
    give_up("no time: " + time);
  }
  return (hours * 60 + minutes) * 60.0 + rest;
}

class TakeoverTest : public ResilienceTest {
 protected:
  [[nodiscard]] ControlPlaneOptions options() override { return audit_.options(); }
  /// The hosts differ in the audit log by their users.
  [[nodiscard]] std::unique_ptr<Process> host(const std::string& user) const {
    return cluster().davit({"--kubeconfig=" + cluster().kubeconfig_for(user + "-token")});
  }

  AuditLog audit_;
};

TEST_F(TakeoverTest, StandbyWithManyPodsWritesSoonAndKeepsItsMemory) {
  const int pods = from_environment("DAVIT_TAKEOVER_PODS", 200);
  make_administrators({"bob", "alice"});
  create_pods(cluster(), pods, kNodesOfPods);
  const auto first = host("bob");
  ASSERT_TRUE(says(*first, "Successfully acquired lease"));
  const auto second = host("alice");
  ASSERT_TRUE(says(*second, "Attempting to acquire leader lease"));
  double leader = 0;
  create_deployments(cluster(), 1, kReplicas);
  ASSERT_TRUE(all_rolled_out(1));
  update_deployments(cluster(), 1, "registry.example.com/app:v1");
  EXPECT_TRUE(eventually(kWaitLimit, [&] {
    leader = std::max(leader, cost_of(first->pid()).anonymous_mib);
    return rolled_out(cluster(), 1, kReplicas);
  }));
  wait_idle(second->pid(), seconds(30));
  forget_peak(second->pid());
  const Cost before = cost_of(second->pid());

  first->signal(SIGKILL);
  update_deployments(cluster(), 1, "registry.example.com/app:v2");

  double heap = 0;
  const auto is_done = [&] {
    heap = std::max(heap, cost_of(second->pid()).anonymous_mib);
    return rolled_out(cluster(), 1, kReplicas);
  };
  EXPECT_TRUE(eventually(kWaitLimit, is_done));
  const std::vector<AuditedWrite> writes = audit_.writes();
  const auto write = std::ranges::find(writes, "alice", &AuditedWrite::user);
  ASSERT_NE(write, writes.end());
  const std::string won = cluster().must({"get", "lease", "davit", "--namespace=kube-system",
                                          "--output", "jsonpath={.spec.acquireTime}"});
  const double took = seconds_of(write->when) - seconds_of(won);
  std::printf(
      "takeover with %d pods: %.3f s from the lease to the first write; anonymous memory %.1f MiB "
      "before and at most %.1f MiB then (the leader before, at the same work: %.1f MiB), resident "
      "%.1f and %.1f MiB\n",
      pods, took, before.anonymous_mib, heap, leader, before.resident_mib,
      cost_of(second->pid()).peak_mib);
  if (test::kMemoryIsTheProgramsOwn) {
    EXPECT_LT(heap, leader + kNoiseMib);
  }
}

}  // namespace
}  // namespace davit::live
