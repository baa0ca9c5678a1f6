/// Priority and fairness leaves the host two seats and refuses what finds them taken: 429.
#include "tests/live/resilience/resilience_fixture.hpp"

namespace davit::live {
namespace {

using testing::HasSubstr;
using testing::Not;

/// User `bob` has two seats without a queue. Leases are exempt, as those of upstream's leaders have
/// a level of their own.
constexpr char kTwoSeats[] = R"(
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: two-seats}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 1
    lendablePercent: 0
    borrowingLimitPercent: 0
    limitResponse: {type: Reject}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: two-seats}
spec:
  priorityLevelConfiguration: {name: two-seats}
  matchingPrecedence: 101
  rules:
  - subjects: [{kind: User, user: {name: bob}}]
    resourceRules:
    - {verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*']}
    nonResourceRules:
    - {verbs: ['*'], nonResourceURLs: ['*']}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: leases-of-bob}
spec:
  priorityLevelConfiguration: {name: exempt}
  matchingPrecedence: 100
  rules:
  - subjects: [{kind: User, user: {name: bob}}]
    resourceRules:
    - {verbs: ['*'], apiGroups: [coordination.k8s.io], resources: [leases], namespaces: ['*']}
)";

class FairnessTest : public ResilienceTest {
 protected:
  void SetUp() override {
    ResilienceTest::SetUp();
    if (IsSkipped()) return;
    make_administrators({"bob"});
    cluster().must({"apply", "-f", "-"}, kTwoSeats);
  }
  /// Together they are the seats that all levels share. One share is two of them.
  [[nodiscard]] ControlPlaneOptions options() override {
    return {
        .apiserver_flags = {"--max-requests-inflight=150", "--max-mutating-requests-inflight=150"}};
  }
};

TEST_F(FairnessTest, RolloutsFinishOnTwoSeats) {
  const int port = free_port();
  const auto davit = cluster().davit({"--port=" + std::to_string(port), "--kube-api-qps=200",
                                      "--kube-api-burst=200",
                                      "--kubeconfig=" + cluster().kubeconfig_for("bob-token")});
  ASSERT_TRUE(says(*davit, "Successfully acquired lease"));
  create_deployments(cluster(), 1, kReplicas);

  EXPECT_TRUE(all_rolled_out(1));

  const std::string url = "http://127.0.0.1:" + std::to_string(port);
  const std::string metrics = cluster().kubectl({"--server", url, "get", "--raw", "/metrics"}).out;
  EXPECT_THAT(metrics, HasSubstr("rest_client_requests_total{code=\"429\""));
  EXPECT_TRUE(davit->running());
  EXPECT_THAT(davit->output(), Not(HasSubstr("leaderelection lost")));
}

}  // namespace
}  // namespace davit::live
