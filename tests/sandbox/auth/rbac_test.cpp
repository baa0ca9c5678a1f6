#include "sandbox/auth/rbac.hpp"

#include <gtest/gtest.h>

#include "tests/sandbox/auth/accounts.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {
namespace {

constexpr const char* kGroup = "rbac.authorization.k8s.io";

class RbacTest : public testing::Test {
 protected:
  [[nodiscard]] bool may_get(const UserInfo& who, const char* resource) const {
    AccessAttributes what;
    what.verb = "get";
    what.name_of_resource = resource;
    return authorizer_->authorize(who, what).allowed();
  }

  test::FakeClock clock_;
  Store store_{clock_};
  const std::unique_ptr<Authorizer> authorizer_ = make_rbac_authorizer(store_);
};

TEST_F(RbacTest, MastersMayDoEverythingWithoutARole) {
  EXPECT_TRUE(may_get({.name = "x", .groups = {"system:masters"}}, "pods"));
  EXPECT_FALSE(may_get({.name = "x"}, "pods"));
}

TEST_F(RbacTest, ChangeHoldsForTheNextRequest) {
  EXPECT_FALSE(may_get({.name = "alice"}, "pods"));

  put(store_, {kGroup, "clusterroles"}, "", "r", json_literal(R"({"rules":[
      {"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})"));
  put(store_, {kGroup, "clusterrolebindings"}, "", "b", json_literal(R"({
      "roleRef":{"kind":"ClusterRole","name":"r"},"subjects":[{"kind":"User","name":"alice"}]})"));
  EXPECT_TRUE(may_get({.name = "alice"}, "pods"));

  remove(store_, {kGroup, "clusterrolebindings"}, "", "b");
  EXPECT_FALSE(may_get({.name = "alice"}, "pods"));
}

TEST_F(RbacTest, HealthIsForEverybody) {
  AccessAttributes what;
  what.verb = "get";
  what.resource = false;
  what.path = "/readyz";
  EXPECT_TRUE(authorizer_->authorize({.name = "system:anonymous"}, what).allowed());
  what.path = "/metrics";
  EXPECT_FALSE(authorizer_->authorize({.name = "system:anonymous"}, what).allowed());
}

struct MessageCase {
  const char* name;
  AccessAttributes what;
  const char* message;
};

AccessAttributes list_of(const char* group, const char* resource, const char* subresource,
                         const char* ns, const char* name) {
  AccessAttributes what;
  what.verb = "list";
  what.group = group;
  what.name_of_resource = resource;
  what.subresource = subresource;
  what.ns = ns;
  what.name = name;
  return what;
}

AccessAttributes path(const char* path) {
  AccessAttributes what;
  what.verb = "get";
  what.resource = false;
  what.path = path;
  return what;
}

TEST(ForbiddenMessageTest, ReadsAsTheRealServers) {
  const MessageCase cases[] = {
      {"Namespaced", list_of("", "pods", "", "default", ""),
       R"(pods is forbidden: User "alice" cannot list resource "pods" in API group "" )"
       R"(in the namespace "default")"},
      {"Cluster", list_of("", "nodes", "", "", "n1"),
       R"(nodes "n1" is forbidden: User "alice" cannot list resource "nodes" in API group "" )"
       R"(at the cluster scope)"},
      {"Group", list_of("apps", "deployments", "", "conf", "x"),
       R"(deployments.apps "x" is forbidden: User "alice" cannot list resource "deployments" )"
       R"(in API group "apps" in the namespace "conf")"},
      {"Subresource", list_of("", "pods", "log", "d", "p"),
       R"(pods "p" is forbidden: User "alice" cannot list resource "pods/log" in API group "" )"
       R"(in the namespace "d")"},
      {"Path", path("/nope"), R"(forbidden: User "alice" cannot get path "/nope")"},
  };
  for (const MessageCase& each : cases) {
    EXPECT_EQ(forbidden_message({.name = "alice"}, each.what), each.message) << each.name;
  }
}

}  // namespace
}  // namespace davit::sandbox
