// Tests with all plugins at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/system/regressions/services.hpp"
#include "tests/system/world.hpp"

namespace davit::test {
namespace {

WorldOptions everything() {
  WorldOptions out{.lease_period = std::chrono::seconds(10), .host = {}};
  out.host.controllers = {"deployment-controller",     "replicaset-controller",
                          "endpoints-controller",      "endpointslice-controller",
                          "node-lifecycle-controller", "taint-eviction-controller"};
  return out;
}

std::size_t ready_addresses(const World& world, const std::string& name) {
  return addresses(world.record().find("Endpoints", name));
}

/// Endpoints of all slices together that are ready.
std::size_t ready_endpoints(const World& world) {
  std::size_t out = 0;
  for (const Json& slice : slices(world, "web")) {
    for (const Json& each : slice.get("endpoints").items()) {
      out += each.get("conditions").get("ready").boolean() ? 1 : 0;
    }
  }
  return out;
}

bool tainted(const World& world, const std::string& node) {
  const Json object = world.record().find("Node", node);
  for (const Json& taint : object.get("spec").get("taints").items()) {
    if (taint.text_at({"key"}) == "node.kubernetes.io/unreachable") return true;
  }
  return false;
}

void power(World& world, const std::string& node, const std::string& state) {
  world.send("PATCH", "/api/v1/nodes/" + node,
             R"({"metadata":{"annotations":{"sandbox.davit.dev/node":")" + state + R"("}}})");
}

/// A Service over pods that leave a dead node after five seconds; a node that dies and returns.
void live(World& world) {
  expose(world, "web");
  world.deploy("web", 6);
  world.patch("web", R"({"spec":{"template":{"spec":{"tolerations":[
      {"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute",
       "tolerationSeconds":5}]}}}})");
  world.await_rollout("web", 6);
  world.await("six addresses",
              [&] { return ready_addresses(world, "web") == 6 && ready_endpoints(world) == 6; });

  power(world, "node-1", "stopped");
  world.await("the node is tainted", [&] { return tainted(world, "node-1"); });
  world.await("its pods are replaced and their addresses known", [&] {
    const Json status = world.record().deployment("web").get("status");
    return status.get("availableReplicas").integer_or(0) == 6 && ready_addresses(world, "web") == 6;
  });

  power(world, "node-1", "running");
  world.await("the node is well", [&] { return !tainted(world, "node-1"); });
  world.set_image("web", "web:2");
  world.await_rollout("web", 6);
  world.await("six addresses",
              [&] { return ready_addresses(world, "web") == 6 && ready_endpoints(world) == 6; });
  world.expect_order("web");
}

TEST(ClusterTest, DeadNodeIsReplacedAndReturns) {
  World world(everything());
  live(world);
  world.expect_silence("web");
}

// The faults of InjectedFaultsTest's AllAtOnce, between the server and all four plugins.
constexpr char kAllAtOnce[] = R"({"rules":[
    {"fault":"cut","after":"500ms","count":10,"target":{"verb":"watch"}},
    {"fault":"status","code":410,"after":"1s","count":10,"target":{"verb":"watch"}},
    {"fault":"status","code":409,"probability":0.1,"target":{"verb":["update","patch"]}},
    {"fault":"status","code":500,"probability":0.1,
     "target":{"verb":["create","update","patch","delete"]}},
    {"fault":"delay","delay":"200ms","probability":0.2,"target":{}}]})";

TEST(ClusterTest, DeadNodeIsReplacedAndReturnsUnderAllFaults) {
  World world(everything());
  world.play(kAllAtOnce);
  live(world);
  world.heal();
  world.expect_silence("web");
}

/// davit has exactly the rights that `davit rbac` prints: for one account, or for one for each
/// controller.
class PrintedRightsTest : public testing::TestWithParam<host::Accounts> {
 protected:
  static WorldOptions restricted(WorldOptions options) {
    options.rights = WorldOptions::Rights::kPrinted;
    options.host.election = HostOptions::Election::kOn;
    options.host.accounts = GetParam();
    return options;
  }
  static void expect_that_rights_sufficed(const World& world) {
    for (const RecordedRequest& each : world.traffic().refused()) {
      ADD_FAILURE() << each.method << " " << each.path;
    }
    const bool has_tokens = !world.traffic().since(Time{}, "POST", "/token").empty();
    EXPECT_EQ(has_tokens, GetParam() == host::Accounts::kOneEach);
  }
};

TEST_P(PrintedRightsTest, SufficeForRolloutsEndpointsAndNodes) {
  World world(restricted(everything()));
  live(world);
  expect_that_rights_sufficed(world);
}

// Issue 29, 2.1: the host watched, and its controller's account alone had the right to.
TEST_P(PrintedRightsTest, SufficeForDependentsOfEveryKindToGoWithTheirOwner) {
  WorldOptions options{.nodes = 1, .host = {}};
  options.cluster.garbage_collector = sandbox::Switch::kOff;
  options.host.controllers = {"garbage-collector-controller"};
  options.host.plugin_directories = {DAVIT_GARBAGECOLLECTOR_DIRECTORY};
  World world(restricted(options));
  const std::string owners = "/api/v1/namespaces/default/configmaps";
  const std::string uid =
      world.send("POST", owners, R"({"metadata":{"name":"owner"}})").text_at({"metadata", "uid"});
  const std::string owned =
      R"({"metadata":{"name":"owned","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap",
          "name":"owner","uid":")" +
      uid + R"("}]})";
  const std::vector<std::string> kinds = {
      "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
      "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
      "/api/v1/namespaces/default/secrets"};
  for (const std::string& each : kinds) {
    const bool is_ingress = each.ends_with("ingresses");
    const char* backend =
        R"(,"spec":{"defaultBackend":{"service":{"name":"web","port":{"number":80}}}})";
    world.send("POST", each, owned + (is_ingress ? backend : "") + "}");
  }
  world.send("DELETE", owners + "/owner");

  world.await("the dependents are gone", [&] {
    return std::ranges::all_of(kinds, [&](const std::string& each) {
      return world.send("GET", each).get("items").items().empty();
    });
  });
  expect_that_rights_sufficed(world);
}

INSTANTIATE_TEST_SUITE_P(Accounts, PrintedRightsTest,
                         testing::Values(host::Accounts::kTheHosts, host::Accounts::kOneEach),
                         [](const auto& mode) {
                           return mode.param == host::Accounts::kOneEach ? "OneEach" : "TheHosts";
                         });

constexpr const char* kClusterRole = "/apis/rbac.authorization.k8s.io/v1/clusterroles/davit";

/// Lets every authenticated user ask for its rights, as a cluster's system:basic-user does.
void allow_reviews(World& world) {
  world.send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
             R"({"metadata":{"name":"reviews"},"rules":[{"apiGroups":["authorization.k8s.io"],
                 "resources":["selfsubjectaccessreviews"],"verbs":["create"]}]})");
  world.send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
             R"({"metadata":{"name":"reviews"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",
                 "kind":"ClusterRole","name":"reviews"},"subjects":[{"kind":"Group",
                 "apiGroup":"rbac.authorization.k8s.io","name":"system:authenticated"}]})");
}

/// The rules of a role, without those of a resource.
Json rules_without(const Json& role, const std::string& resource) {
  Json rules = Json::array();
  for (const Json& rule : role.get("rules").items()) {
    const auto& resources = rule.get("resources").items();
    const auto is_it = [&](const Json& each) { return each.text() == resource; };
    if (std::ranges::none_of(resources, is_it)) rules.push_back(rule);
  }
  return Json::object({{"rules", std::move(rules)}});
}

TEST(ClusterTest, RightThatIsMissingIsShownUntilItIsGrantedAndReadinessStays) {
  WorldOptions options{.nodes = 1, .rights = WorldOptions::Rights::kPrinted, .host = {}};
  options.host.rights = host::HostSeams::Rights::kReviewed;
  World world(options);
  allow_reviews(world);
  const Json role = world.send("GET", kClusterRole);
  EXPECT_THAT(world.status(), testing::Not(testing::HasSubstr("lacks rights")));

  world.send("PATCH", kClusterRole, to_text(rules_without(role, "deployments/status")));

  world.await("the right is missed", [&] {
    return world.status().find("deployment-controller lacks rights: ") != std::string::npos;
  });
  EXPECT_THAT(world.status(), testing::HasSubstr("patch deployments.apps/status"));
  EXPECT_THAT(world.page("/readyz?verbose"),
              testing::AllOf(testing::HasSubstr("[!]rights details withheld\n"),
                             testing::HasSubstr("readyz check passed")));
  EXPECT_THAT(world.metrics(),
              testing::Not(testing::HasSubstr(
                  "davit_missing_rights{controller=\"deployment-controller\"} 0\n")));
  world.send("PATCH", kClusterRole, to_text(Json::object({{"rules", role.get("rules")}})));
  world.await("it is there again",
              [&] { return world.status().find("lacks rights") == std::string::npos; });
  EXPECT_THAT(world.metrics(),
              testing::HasSubstr("davit_missing_rights{controller=\"deployment-controller\"} 0\n"));
}

TEST(ClusterTest, PrintedRightsSufficeForSlicesAlone) {
  WorldOptions options{.nodes = 1, .rights = WorldOptions::Rights::kPrinted, .host = {}};
  options.host.controllers = {"endpointslice-controller"};
  World world(options);
  expose(world, "web");
  world.await("a slice without endpoints", [&] { return slices(world, "web").size() == 1; });
  world.send("POST", "/api/v1/namespaces/default/pods",
             R"({"metadata":{"name":"web","labels":{"app":"web"}},
                 "spec":{"containers":[{"name":"c","image":"web:1"}]}})");
  world.await("it is filled", [&] { return ready_endpoints(world) == 1; });
  world.send("PATCH", "/api/v1/namespaces/default/services/web", R"({"spec":{"ports":[
      {"name":"a","port":80},{"name":"b","port":81,"targetPort":"none"}]}})");
  world.pass(std::chrono::minutes(1));
  world.send("DELETE", "/api/v1/namespaces/default/services/web");
  world.await("it is gone", [&] { return slices(world, "web").empty(); });
  for (const RecordedRequest& each : world.traffic().refused()) {
    ADD_FAILURE() << each.method << " " << each.path;
  }
}

}  // namespace
}  // namespace davit::test
