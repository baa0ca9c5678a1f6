#include "sandbox/auth/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

using testing::SizeIs;

struct CoverCase {
  const char* name;
  PolicyRule rule;
  AccessAttributes what;
  bool covered;
};

AccessAttributes on(std::string verb, std::string group, std::string resource,
                    std::string subresource = "", std::string name = "") {
  AccessAttributes what;
  what.verb = std::move(verb);
  what.group = std::move(group);
  what.name_of_resource = std::move(resource);
  what.subresource = std::move(subresource);
  what.name = std::move(name);
  return what;
}

AccessAttributes at(std::string path) {
  AccessAttributes what;
  what.verb = "get";
  what.resource = false;
  what.path = std::move(path);
  return what;
}

// clang-format off
const CoverCase kCoverCases[] = {
    {"Exact", {{"get"}, {""}, {"pods"}, {}, {}}, on("get", "", "pods"), true},
    {"OtherVerb", {{"get"}, {""}, {"pods"}, {}, {}}, on("list", "", "pods"), false},
    {"OtherGroup", {{"get"}, {""}, {"pods"}, {}, {}}, on("get", "apps", "pods"), false},
    {"AnyVerb", {{"*"}, {""}, {"pods"}, {}, {}}, on("deletecollection", "", "pods"), true},
    {"AnyGroup", {{"get"}, {"*"}, {"pods"}, {}, {}}, on("get", "x.io", "pods"), true},
    {"AnyResource", {{"get"}, {""}, {"*"}, {}, {}}, on("get", "", "pods", "log"), true},
    {"SubresourceIsItsOwn", {{"get"}, {""}, {"pods"}, {}, {}}, on("get", "", "pods", "log"), false},
    {"Subresource", {{"get"}, {""}, {"pods/log"}, {}, {}}, on("get", "", "pods", "log"), true},
    {"SubresourceOfAny", {{"get"}, {""}, {"*/scale"}, {}, {}}, on("get", "", "x", "scale"), true},
    {"NoPattern", {{"get"}, {""}, {"pods/*"}, {}, {}}, on("get", "", "pods", "log"), false},
    {"Named", {{"get"}, {""}, {"pods"}, {"a"}, {}}, on("get", "", "pods", "", "a"), true},
    {"OtherName", {{"get"}, {""}, {"pods"}, {"a"}, {}}, on("get", "", "pods", "", "b"), false},
    {"NamedIsNotForLists", {{"list"}, {""}, {"pods"}, {"a"}, {}}, on("list", "", "pods"), false},
    {"Path", {{"get"}, {}, {}, {}, {"/healthz"}}, at("/healthz"), true},
    {"PathBelow", {{"get"}, {}, {}, {}, {"/apis/*"}}, at("/apis/apps/v1"), true},
    {"PathBeside", {{"get"}, {}, {}, {}, {"/apis/*"}}, at("/api"), false},
    {"AnyPath", {{"get"}, {}, {}, {}, {"*"}}, at("/x"), true},
    {"PathIsNoResource", {{"get"}, {"*"}, {"*"}, {}, {}}, at("/x"), false},
};
// clang-format on

TEST(PolicyRuleTest, CoversWhatItNames) {
  for (const CoverCase& each : kCoverCases) {
    EXPECT_EQ(covers(each.rule, each.what), each.covered) << each.name;
  }
}

Json role(const char* kind, const char* name, const char* resource) {
  return json_literal(std::string(R"({"kind":")") + kind + R"(","metadata":{"name":")" + name +
                      R"(","namespace":"ns"},"rules":[{"verbs":["get"],"apiGroups":[""],)" +
                      R"("resources":[")" + resource + R"("]}]})");
}

Json binding(const char* ns, const char* role_kind, const char* role_name, const char* subject) {
  Json out =
      json_literal(std::string(R"({"metadata":{"name":"b"},"roleRef":{"kind":")") + role_kind +
                   R"(","name":")" + role_name + R"("},"subjects":[)" + subject + "]}");
  if (*ns != '\0') out["metadata"].set("namespace", ns);
  return out;
}

constexpr const char* kAlice = R"({"kind":"User","name":"alice"})";

AccessAttributes get_in(std::string ns, std::string resource) {
  AccessAttributes what = on("get", "", std::move(resource));
  what.ns = std::move(ns);
  return what;
}

TEST(PolicyTest, RoleHoldsInItsNamespaceOnly) {
  PolicyObjects objects;
  objects.roles = {role("Role", "r", "pods")};
  objects.role_bindings = {binding("ns", "Role", "r", kAlice)};
  const Policy policy(objects);

  const Access access = policy.authorize({.name = "alice"}, get_in("ns", "pods"));
  EXPECT_TRUE(access.allowed());
  EXPECT_EQ(access.reason, R"(RBAC: allowed by RoleBinding "b/ns" of Role "r" to User "alice")");
  EXPECT_FALSE(policy.authorize({.name = "alice"}, get_in("other", "pods")).allowed());
  EXPECT_FALSE(policy.authorize({.name = "alice"}, get_in("", "pods")).allowed());
  EXPECT_FALSE(policy.authorize({.name = "bob"}, get_in("ns", "pods")).allowed());
}

TEST(PolicyTest, ClusterRoleHoldsAsFarAsItsBinding) {
  PolicyObjects objects;
  objects.cluster_roles = {role("ClusterRole", "r", "pods"), role("ClusterRole", "s", "nodes")};
  objects.role_bindings = {binding("ns", "ClusterRole", "r", kAlice)};
  objects.cluster_role_bindings = {binding("", "ClusterRole", "s", kAlice)};
  const Policy policy(objects);

  EXPECT_TRUE(policy.authorize({.name = "alice"}, get_in("ns", "pods")).allowed());
  EXPECT_FALSE(policy.authorize({.name = "alice"}, get_in("", "pods")).allowed());
  EXPECT_TRUE(policy.authorize({.name = "alice"}, get_in("", "nodes")).allowed());
  EXPECT_THAT(policy.rules({.name = "alice"}, "ns"), SizeIs(2));
  EXPECT_THAT(policy.rules({.name = "alice"}, "other"), SizeIs(1));
}

TEST(PolicyTest, GroupsAndServiceAccountsAreSubjects) {
  PolicyObjects objects;
  objects.cluster_roles = {role("ClusterRole", "r", "pods")};
  objects.cluster_role_bindings = {
      binding("", "ClusterRole", "r", R"({"kind":"Group","name":"devs"})"),
      binding("", "ClusterRole", "r", R"({"kind":"ServiceAccount","name":"sa","namespace":"x"})")};
  const Policy policy(objects);

  EXPECT_TRUE(policy.authorize({.name = "a", .groups = {"devs"}}, get_in("", "pods")).allowed());
  EXPECT_FALSE(policy.authorize({.name = "devs"}, get_in("", "pods")).allowed());
  EXPECT_EQ(policy.authorize({.name = "system:serviceaccount:x:sa"}, get_in("", "pods")).reason,
            R"(RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" )"
            R"(to ServiceAccount "sa/x")");
}

TEST(PolicyTest, MissingRoleGivesNothing) {
  PolicyObjects objects;
  objects.cluster_role_bindings = {binding("", "ClusterRole", "gone", kAlice)};

  EXPECT_FALSE(Policy(objects).authorize({.name = "alice"}, get_in("", "pods")).allowed());
}

TEST(PolicyTest, AggregatedRoleHasTheRulesOfThoseItSelects) {
  Json inner = role("ClusterRole", "inner", "pods");
  inner["metadata"]["labels"].set("to", "outer");
  Json outer = json_literal(R"({"metadata":{"name":"outer","labels":{"to":"outer"}},
      "aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"to":"outer"}}]}})");
  PolicyObjects objects;
  objects.cluster_roles = {outer, inner, role("ClusterRole", "other", "nodes")};
  objects.cluster_role_bindings = {binding("", "ClusterRole", "outer", kAlice)};
  const Policy policy(objects);

  EXPECT_TRUE(policy.authorize({.name = "alice"}, get_in("", "pods")).allowed());
  EXPECT_FALSE(policy.authorize({.name = "alice"}, get_in("", "nodes")).allowed());
}

}  // namespace
}  // namespace davit::sandbox
