/// `davit sandbox` with its simulated cloud, as a user sees it. Needs kubectl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kService = R"(apiVersion: v1
kind: Service
metadata: {name: NAME}
spec: {type: LoadBalancer, ports: [{port: 80}]}
)";

class SimulatedCloudTest : public testing::Test {
 protected:
  void start(std::vector<std::string> flags) {
    if (std::ranges::none_of(flags, [](const auto& each) { return each.starts_with("--contr"); })) {
      flags.emplace_back("--controllers=*,cloud");
    }
    sandbox_.emplace(flags);
  }
  void create_service(const std::string& name) const {
    std::string text = kService;
    text.replace(text.find("NAME"), 4, name);
    const Outcome made = sandbox_->kubectl({"create", "-f", "-"}, text);
    EXPECT_EQ(made.code, 0) << made.err;
  }
  [[nodiscard]] std::string get(const std::string& kind, const std::string& name,
                                const std::string& path) const {
    return sandbox_->kubectl({"get", kind, name, "--ignore-not-found", "-o=jsonpath=" + path}).out;
  }
  [[nodiscard]] testing::AssertionResult becomes(const std::string& kind, const std::string& name,
                                                 const std::string& path,
                                                 const std::string& wanted) const {
    std::string last;
    if (eventually(minutes(4), [&] { return (last = get(kind, name, path)) == wanted; })) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure()
           << kind << " " << name << " has \"" << last << "\", not \"" << wanted << "\"\n"
           << sandbox_->kubectl({"get", "nodes,services,events", "-o=wide"}).out
           << sandbox_->output();
  }
  /// The tool that the documentation gives a user.
  void switch_node(const std::string& verb, const std::string& name) const {
    const Outcome done =
        run({DAVIT_PROGRAM, "sandbox", "node", verb, name, "--kubeconfig", sandbox_->kubeconfig()});
    EXPECT_EQ(done.code, 0) << done.err;
  }

  static constexpr const char* kAddress = "{.status.loadBalancer.ingress[*].ip}";
  static constexpr const char* kTaints = "{.spec.taints[*].key}";
  std::optional<Sandbox> sandbox_;
};

TEST_F(SimulatedCloudTest, AServiceGetsAnAddressFromTheDocumentedRange) {
  start({});
  create_service("first");
  EXPECT_TRUE(becomes("service", "first", kAddress, "203.0.113.1"));
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return sandbox_->output().find("3 nodes in 3 zones in a simulated cloud") != std::string::npos;
  })) << sandbox_->output();
  create_service("second");
  EXPECT_TRUE(becomes("service", "second", kAddress, "203.0.113.2"));
  EXPECT_EQ(sandbox_->kubectl({"delete", "service", "first", "--timeout=240s"}).code, 0)
      << sandbox_->output();
  create_service("third");
  EXPECT_TRUE(becomes("service", "third", kAddress, "203.0.113.1"));
}

TEST_F(SimulatedCloudTest, TheRangeIsThatOfTheFlagAndItsEndIsReported) {
  start({"--load-balancer-range=198.51.100.7-198.51.100.7"});
  create_service("first");
  EXPECT_TRUE(becomes("service", "first", kAddress, "198.51.100.7"));
  create_service("second");
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return sandbox_->kubectl({"get", "events"}).out.find("no free address in pools sandbox") !=
           std::string::npos;
  })) << sandbox_->output();
  EXPECT_EQ(get("service", "second", kAddress), "");
}

TEST_F(SimulatedCloudTest, NodesGetTheFactsOfTheirMachines) {
  start({"--nodes=2", "--node-cpu=4", "--node-memory=8Gi"});
  for (const std::string name : {"node-1", "node-2"}) {
    ASSERT_TRUE(becomes("node", name,
                        "{.spec.providerID} {.status.conditions[?(@.type=='Ready')]"
                        ".status}",
                        "davit://" + name + " True"));
    EXPECT_TRUE(becomes("node", name, kTaints, ""));
    EXPECT_THAT(get("node", name, "{.status.addresses[?(@.type=='InternalIP')].address}"),
                StartsWith("172.18.0."));
  }
  EXPECT_EQ(get("node", "node-2", "{.metadata.labels.topology\\.kubernetes\\.io/zone}"), "zone-b");
  EXPECT_EQ(get("node", "node-2", "{.metadata.labels.topology\\.kubernetes\\.io/region}"),
            "sandbox");
  EXPECT_EQ(get("node", "node-2", "{.metadata.labels.node\\.kubernetes\\.io/instance-type}"),
            "sandbox.4-8Gi");

  // An address that the cloud adds reaches the Node, and its kubelet leaves it there.
  const Outcome given = sandbox_->kubectl(
      {"annotate", "node", "node-2", "sandbox.davit.dev/external-ip=198.51.100.9"});
  ASSERT_EQ(given.code, 0) << given.err;
  EXPECT_TRUE(becomes("node", "node-2", "{.status.addresses[?(@.type=='ExternalIP')].address}",
                      "198.51.100.9"));
  switch_node("stop", "node-2");
  switch_node("start", "node-2");
  EXPECT_TRUE(becomes("node", "node-2", "{.status.addresses[?(@.type=='ExternalIP')].address}",
                      "198.51.100.9"));
}

TEST_F(SimulatedCloudTest, EachNodeHasARouteToItsPods) {
  start({"--nodes=2"});
  std::string routes;
  for (const std::string name : {"node-1", "node-2"}) {
    ASSERT_TRUE(becomes("node", name,
                        "{.status.conditions[?(@.type=='NetworkUnavailable')].reason}",
                        "RouteCreated"));
    routes += (routes.empty() ? "" : "\n") + get("node", name, "{.spec.podCIDR}") + " " +
              get("node", name, "{.status.addresses[?(@.type=='InternalIP')].address}") + " " +
              name;
  }
  const std::string table =
      sandbox_->kubectl({"get", "configmap", "-n=kube-system", "davit-pod-routes", "-o=yaml"}).out;
  std::istringstream lines(routes);
  for (std::string line; std::getline(lines, line);) EXPECT_THAT(table, HasSubstr(line));
}

TEST_F(SimulatedCloudTest, ANodeGoesWithItsMachineAndAStoppedOneStays) {
  start({});
  for (const std::string name : {"node-1", "node-2", "node-3"}) {
    ASSERT_TRUE(becomes("node", name, "{.spec.providerID}", "davit://" + name));
  }
  switch_node("stop", "node-1");
  switch_node("delete", "node-2");
  EXPECT_TRUE(becomes("node", "node-2", "{.metadata.name}", ""));
  EXPECT_THAT(sandbox_->kubectl({"get", "events", "--field-selector=reason=DeletingNode"}).out,
              HasSubstr("because it does not exist in the cloud provider"));
  EXPECT_TRUE(eventually(minutes(4), [&] {
    return get("node", "node-1", kTaints).find("node.cloudprovider.kubernetes.io/shutdown") !=
           std::string::npos;
  })) << sandbox_->output();

  switch_node("start", "node-1");
  EXPECT_TRUE(becomes("node", "node-1", kTaints, ""));
  EXPECT_EQ(get("node", "node-3", "{.metadata.name}"), "node-3");
}

TEST_F(SimulatedCloudTest, WithoutTheCloudAServiceOfTypeLoadBalancerWaits) {
  start({"--controllers=*"});
  create_service("first");
  ASSERT_EQ(sandbox_->kubectl({"create", "deployment", "web", "--image=web"}).code, 0);
  EXPECT_TRUE(becomes("deployment", "web", "{.status.readyReplicas}", "1"));
  EXPECT_EQ(get("service", "first", "{.status.loadBalancer.ingress}{.metadata.finalizers}"), "");
  EXPECT_EQ(get("node", "node-1", "{.spec.providerID}"), "davit://node-1");
}

TEST_F(SimulatedCloudTest, NodesThatWaitForPodCidrsGetThemFromTheSandboxesOwnController) {
  start({"--nodes=2", "--wait-for-pod-cidr"});
  std::set<std::string> cidrs;
  for (const std::string name : {"node-1", "node-2"}) {
    ASSERT_TRUE(becomes("node", name, "{.status.conditions[?(@.type=='Ready')].status}", "True"));
    cidrs.insert(get("node", name, "{.spec.podCIDR}"));
  }
  EXPECT_EQ(cidrs.size(), 2U);
  EXPECT_THAT(cidrs, testing::Each(StartsWith("10.2")));
}

}  // namespace
}  // namespace davit::live
