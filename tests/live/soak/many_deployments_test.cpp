/// Many Deployments at once, with the default and with a raised request rate.
///
/// DAVIT_SOAK_DEPLOYMENTS sets how many (CI: 40; by hand: 1000), DAVIT_SOAK_QPS the request rate of
/// the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <iostream>

#include "host/api/rest_client.hpp"
#include "host/object/parse.hpp"
#include "tests/live/soak/environment.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/invariants.hpp"
#include "tests/live/support/load.hpp"

namespace davit::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::IsEmpty;

constexpr int kReplicas = 10;
/// 25 % of ten, rounded up: a Deployment's default.
constexpr int kMaxSurge = 3;

/// Every resourceVersion of the namespace: changes with any write. Metadata alone, since kubectl
/// took minutes to print it of 13,000 whole objects.
std::string versions(const ControlPlane& cluster) {
  std::string out;
  for (const char* path :
       {"/apis/apps/v1/namespaces/default/deployments",
        "/apis/apps/v1/namespaces/default/replicasets", "/api/v1/namespaces/default/pods"}) {
    host::ApiRequest request;
    request.raw_path = path;
    request.accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    host::ObjectSpace space;
    const Result<host::ObjectRef> list =
        host::parse_object(space, cluster.client().call(request).body);
    EXPECT_TRUE(list) << path;
    if (!list) continue;
    list->root()["items"].each([&](host::Value item) {
      out += std::string(item["metadata"]["resourceVersion"].string()) + ' ';
    });
  }
  return out;
}

TEST(ManyDeploymentsTest, ReachTheirStateWithinTheirBoundsAndThenRest) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  const int count = from_environment("DAVIT_SOAK_DEPLOYMENTS", 40);
  const int qps = from_environment("DAVIT_SOAK_QPS", 200);
  const std::vector<std::string> flags = {"--leader-elect=false",
                                          "--kube-api-qps=" + std::to_string(qps),
                                          "--kube-api-burst=" + std::to_string(qps * 3 / 2)};
  ControlPlane cluster({.apiserver_flags = {"--max-requests-inflight=2000",
                                            "--max-mutating-requests-inflight=1000"}});
  const auto kubelet = cluster.kubelet();
  auto davit = cluster.davit(flags);
  const Invariants invariants(cluster, kReplicas + kMaxSurge);
  const auto reached = [&](const char* what) {
    const auto start = std::chrono::steady_clock::now();
    const bool done = eventually(
        minutes(60), [&] { return rolled_out(cluster, count, kReplicas); }, milliseconds(500));
    std::cout
        << count << " x " << kReplicas << " " << what << " at " << qps << " QPS: "
        << std::chrono::duration_cast<seconds>(std::chrono::steady_clock::now() - start).count()
        << " s" << std::endl;
    return done;
  };

  create_deployments(cluster, count, kReplicas);
  EXPECT_TRUE(reached("created"));
  EXPECT_THAT(invariants.breaches(), IsEmpty());
  EXPECT_EQ(invariants.pods_seen(), static_cast<std::size_t>(count * kReplicas))
      << "not one pod too many while creating";

  update_deployments(cluster, count, "registry.example.com/app:v2");
  EXPECT_TRUE(reached("rolled"));
  EXPECT_THAT(invariants.breaches(), IsEmpty());

  // Clean-up may continue after the rollouts have finished.
  std::string before;
  EXPECT_TRUE(eventually(
      minutes(15), [&] { return std::exchange(before, versions(cluster)) == before; }, seconds(5)));
  EXPECT_FALSE(before.empty());
  davit->signal(SIGTERM);
  EXPECT_EQ(davit->wait(minutes(4)), 0) << davit->output();

  // A second host looks at everything once, and has nothing to write.
  davit = cluster.davit(flags);
  cluster.must({"create", "deployment", "last", "--image=nginx:1", "--namespace=kube-public"});
  cluster.must(
      {"rollout", "status", "deployment/last", "--namespace=kube-public", "--timeout=300s"});
  EXPECT_EQ(versions(cluster), before) << "a second run writes";
}

}  // namespace
}  // namespace davit::live
