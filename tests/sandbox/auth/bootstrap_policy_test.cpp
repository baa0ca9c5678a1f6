#include <gtest/gtest.h>

#include "sandbox/auth/policy.hpp"
#include "sandbox/auth/rbac.hpp"
#include "sandbox/auth/tokens.hpp"

namespace davit::sandbox {
namespace {

class BootstrapPolicyTest : public testing::Test {
 protected:
  BootstrapPolicyTest() {
    for (auto& [collection, object] : bootstrap_policy()) {
      if (collection.resource == "roles") objects_.roles.push_back(object);
      if (collection.resource == "clusterroles") objects_.cluster_roles.push_back(object);
      if (collection.resource == "rolebindings") objects_.role_bindings.push_back(object);
      if (collection.resource == "clusterrolebindings") {
        objects_.cluster_role_bindings.push_back(object);
      }
    }
  }

  /// Binds a role to user "alice" everywhere.
  void give(const char* role) {
    Json binding = json_literal(R"({"metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole"},
        "subjects":[{"kind":"User","name":"alice"}]})");
    binding["roleRef"].set("name", role);
    objects_.cluster_role_bindings.push_back(std::move(binding));
  }
  [[nodiscard]] bool may(const UserInfo& who, const char* verb, const char* group,
                         const char* resource) const {
    AccessAttributes what;
    what.verb = verb;
    what.group = group;
    what.name_of_resource = resource;
    what.ns = "default";
    return Policy(objects_).authorize(who, what).allowed();
  }

  PolicyObjects objects_;
  const UserInfo alice_{.name = "alice"};
};

TEST_F(BootstrapPolicyTest, ViewerReadsButNoSecrets) {
  give("view");

  EXPECT_TRUE(may(alice_, "list", "apps", "deployments"));
  EXPECT_FALSE(may(alice_, "get", "", "secrets"));
  EXPECT_FALSE(may(alice_, "create", "", "pods"));
}

TEST_F(BootstrapPolicyTest, EditorReadsAsAViewerDoesAndWrites) {
  give("edit");

  EXPECT_TRUE(may(alice_, "list", "apps", "deployments"));
  EXPECT_TRUE(may(alice_, "create", "apps", "deployments"));
  EXPECT_TRUE(may(alice_, "get", "", "secrets"));
  EXPECT_FALSE(may(alice_, "create", "rbac.authorization.k8s.io", "roles"));
}

TEST_F(BootstrapPolicyTest, AdminEditsAndGivesRights) {
  give("admin");

  EXPECT_TRUE(may(alice_, "list", "", "pods"));
  EXPECT_TRUE(may(alice_, "create", "apps", "deployments"));
  EXPECT_TRUE(may(alice_, "create", "rbac.authorization.k8s.io", "roles"));
  EXPECT_FALSE(may(alice_, "list", "", "nodes"));
}

TEST_F(BootstrapPolicyTest, EverybodyKnownMayAskWhatHeMay) {
  const UserInfo known{.name = "x", .groups = {"system:authenticated"}};
  EXPECT_TRUE(may(known, "create", "authorization.k8s.io", "selfsubjectaccessreviews"));
  EXPECT_FALSE(may(alice_, "create", "authorization.k8s.io", "selfsubjectaccessreviews"));
}

TEST_F(BootstrapPolicyTest, ControllersHaveWhatTheyNeed) {
  const UserInfo controller = service_account_identity("kube-system", "replicaset-controller");
  EXPECT_TRUE(may(controller, "create", "", "pods"));
  EXPECT_TRUE(may(controller, "update", "apps", "replicasets"));
  EXPECT_FALSE(may(controller, "create", "apps", "replicasets"));
  EXPECT_TRUE(may({.name = "system:kube-scheduler"}, "create", "", "bindings"));
}

// The roles were once typed by hand, and lacked these.
TEST_F(BootstrapPolicyTest, EveryRoleOfUpstreamIsThere) {
  EXPECT_TRUE(may(service_account_identity("kube-system", "resource-claim-controller"), "create",
                  "resource.k8s.io", "resourceclaims"));
  EXPECT_TRUE(
      may(service_account_identity("kube-system", "service-controller"), "list", "", "nodes"));
  EXPECT_TRUE(may({.name = "system:kube-proxy"}, "watch", "discovery.k8s.io", "endpointslices"));
  give("edit");
  EXPECT_TRUE(may(alice_, "create", "resource.k8s.io", "resourceclaims"));
}

TEST_F(BootstrapPolicyTest, NodesHaveTheirRoleByTheirGroup) {
  const UserInfo node{.name = "system:node:n", .groups = {"system:nodes"}};
  EXPECT_TRUE(may(node, "update", "", "nodes"));
  EXPECT_FALSE(may(node, "delete", "apps", "deployments"));
}

TEST_F(BootstrapPolicyTest, NamesOfBindingsAreUpstreams) {
  std::string names;
  for (const Json& each : objects_.role_bindings) {
    names += each.text_at({"metadata", "namespace"}) + '/' + each.text_at({"metadata", "name"}) +
             " gives " + each.text_at({"roleRef", "name"}) + '\n';
  }
  EXPECT_NE(names.find("kube-system/system::extension-apiserver-authentication-reader gives "
                       "extension-apiserver-authentication-reader\n"),
            names.npos)
      << names;
}

TEST_F(BootstrapPolicyTest, CoreGroupHasNoName) {
  for (const Json& role : objects_.cluster_roles) {
    for (const Json& rule : role.get("rules").items()) {
      for (const Json& group : rule.get("apiGroups").items()) EXPECT_NE(group.text(), "core");
    }
  }
}

}  // namespace
}  // namespace davit::sandbox
