// A standby takes over from a leader that was killed, and begins with what the cluster has become.
#include <gtest/gtest.h>

#include <string>

#include "tests/system/world.hpp"

namespace davit::test {
namespace {

constexpr char kLease[] = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/davit";
constexpr char kConfigMaps[] = "/api/v1/namespaces/default/configmaps";
constexpr char kQuotas[] = "/api/v1/namespaces/default/resourcequotas";
constexpr char kWidgets[] = "/apis/example.com/v1/namespaces/default/widgets";
constexpr char kDefinition[] = R"({"apiVersion":"apiextensions.k8s.io/v1",
    "kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
    "spec":{"group":"example.com","scope":"Namespaced",
    "names":{"plural":"widgets","singular":"widget","kind":"Widget"},
    "versions":[{"name":"v1","served":true,"storage":true,
    "schema":{"openAPIV3Schema":{"type":"object"}}}]}})";

/// Two hosts, each with one controller of `directory`; the cluster has none of its kind.
WorldOptions replicas_of(const std::string& controller, const char* directory) {
  WorldOptions options{.nodes = 1, .host = {}};
  options.cluster.garbage_collector = sandbox::Switch::kOff;
  options.host.controllers = {controller};
  options.host.plugin_directories = {directory};
  options.host.election = HostOptions::Election::kOn;
  return options;
}

/// The leader ends without giving its lease back: another one has it, who is gone already.
void kill_leader(World& world) {
  world.send("PATCH", kLease, R"({"spec":{"holderIdentity":"killed"}})");
  world.stop_host();
}

bool has_leader(World& world) {
  return world.send("GET", kLease).text_at({"spec", "holderIdentity"}) != "killed";
}

std::string named(const std::string& name) { return R"({"metadata":{"name":")" + name + R"("}})"; }

/// A Widget w that o owns, of a definition that is younger than the standby.
void create_owned_widget(World& world) {
  world.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kDefinition);
  world.pass(std::chrono::seconds(1));
  const std::string uid = world.send("POST", kConfigMaps, named("o")).text_at({"metadata", "uid"});
  world.send("POST", kWidgets,
             R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w",
                 "ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":")" +
                 uid + R"("}]}})");
}

// Issue 30, 1.1: the standby knew the resources of its own start only, found no dependents, removed
// the finalizer, and deleted w, whose owner was gone.
TEST(TakeoverTest, DependentsOfAKindThatIsYoungerThanTheStandbyAreOrphanedNotDeleted) {
  World world(replicas_of("garbage-collector-controller", DAVIT_GARBAGECOLLECTOR_DIRECTORY));
  world.start_host();
  world.pass(std::chrono::seconds(5));
  create_owned_widget(world);
  kill_leader(world);
  world.send("DELETE", std::string(kConfigMaps) + "/o", R"({"propagationPolicy":"Orphan"})");

  ASSERT_TRUE(world.reach(std::chrono::minutes(1), [&world] { return has_leader(world); }));
  world.pass(std::chrono::minutes(2));

  EXPECT_TRUE(world.send("GET", kConfigMaps).get("items").items().empty()) << "o is left";
  const Json widgets = world.send("GET", kWidgets);
  ASSERT_EQ(widgets.get("items").items().size(), 1U) << "w was deleted";
  EXPECT_TRUE(
      widgets.get("items").items().front().get("metadata").get("ownerReferences").is_null());
}

// The watches that both hosts have open lag, too.
TEST(TakeoverTest, DependentsThatTheStandbysWatchHasNotShownAreOrphanedNotDeleted) {
  World world(replicas_of("garbage-collector-controller", DAVIT_GARBAGECOLLECTOR_DIRECTORY));
  world.start_host();
  world.pass(std::chrono::seconds(40));
  world.play(
      R"({"fault":"hold","for":"5m","count":2,"target":{"verb":"watch","resource":"secrets"}})");
  const std::string uid = world.send("POST", kConfigMaps, named("o")).text_at({"metadata", "uid"});
  const std::string secrets = "/api/v1/namespaces/default/secrets";
  world.send("POST", secrets,
             R"({"metadata":{"name":"s","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap",
                 "name":"o","uid":")" +
                 uid + R"("}]}})");
  kill_leader(world);
  world.send("DELETE", std::string(kConfigMaps) + "/o", R"({"propagationPolicy":"Orphan"})");

  ASSERT_TRUE(world.reach(std::chrono::minutes(1), [&world] { return has_leader(world); }));
  world.pass(std::chrono::minutes(8));

  EXPECT_TRUE(world.send("GET", kConfigMaps).get("items").items().empty()) << "o is left";
  const Json found = world.send("GET", secrets);
  ASSERT_EQ(found.get("items").items().size(), 1U) << "s was deleted";
  EXPECT_TRUE(found.get("items").items().front().get("metadata").get("ownerReferences").is_null());
}

// Issue 30, 1.1: the usage was counted by the caches of before.
TEST(TakeoverTest, QuotaCountsWhatTheStandbysWatchHasNotShown) {
  World world(replicas_of("resourcequota-controller", DAVIT_RESOURCEQUOTA_DIRECTORY));
  world.start_host();
  world.pass(std::chrono::seconds(5));
  world.play(
      R"({"fault":"hold","for":"5m","count":2,"target":{"verb":"watch","resource":"configmaps"}})");
  for (const char* name : {"a", "b", "c"}) world.send("POST", kConfigMaps, named(name));
  kill_leader(world);
  world.send("POST", kQuotas,
             R"({"metadata":{"name":"q"},"spec":{"hard":{"count/configmaps":"10"}}})");
  std::vector<std::string> seen;
  world.employ([&seen](World& at) {
    const Json quotas = at.send("GET", kQuotas);
    const std::string used =
        quotas.get("items").items().front().text_at({"status", "used", "count/configmaps"});
    if (!used.empty() && (seen.empty() || seen.back() != used)) seen.push_back(used);
  });

  ASSERT_TRUE(world.reach(std::chrono::minutes(1), [&world] { return has_leader(world); }));
  world.pass(std::chrono::seconds(20));
  world.employ(nullptr);

  EXPECT_EQ(seen, std::vector<std::string>{"3"});
}

}  // namespace
}  // namespace davit::test
