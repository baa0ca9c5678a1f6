#include "host/plugin/rights.hpp"

#include <gtest/gtest.h>

#include "lib/kube/required_name.hpp"

namespace davit::host {
namespace {

struct RightsCase {
  const char* name;
  DeclaredRule rule;
  RequestAttributes request;
  bool allowed;
};

const RightsCase kRightsCases[] = {
    {"Exact",
     {"apps", "deployments", "", {"get"}},
     {"get", "apps", "deployments", "", "a", "x"},
     true},
    {"OtherVerb",
     {"apps", "deployments", "", {"get"}},
     {"patch", "apps", "deployments", "", "a", "x"},
     false},
    {"OtherGroup",
     {"apps", "deployments", "", {"get"}},
     {"get", "", "deployments", "", "a", "x"},
     false},
    {"ResourceIsNotItsSubresource",
     {"", "pods", "", {"get"}},
     {"get", "", "pods", "log", "a", "x"},
     false},
    {"EveryVerb", {"", "pods", "", {"*"}}, {"deletecollection", "", "pods", "", "a", ""}, true},
    {"EveryGroup",
     {"*", "pods", "", {"get"}},
     {"get", "metrics.k8s.io", "pods", "", "a", "x"},
     true},
    {"EveryResource", {"", "*", "", {"get"}}, {"get", "", "pods", "", "a", "x"}, true},
    {"EveryResourceWithItsSubresources",
     {"", "*", "", {"get"}},
     {"get", "", "pods", "log", "a", "x"},
     true},
    {"OneSubresourceOfAll",
     {"*", "*", "scale", {"get"}},
     {"get", "apps", "deployments", "scale", "a", "x"},
     true},
    {"OneSubresourceOfAllIsNotTheResource",
     {"*", "*", "scale", {"get"}},
     {"get", "apps", "deployments", "", "a", "x"},
     false},
    {"OneSubresourceOfAllIsNotAnother",
     {"*", "*", "scale", {"get"}},
     {"get", "", "pods", "log", "a", "x"},
     false},
    {"Name", {"", "secrets", "", {"get"}, {"tls"}}, {"get", "", "secrets", "", "a", "tls"}, true},
    {"OtherName",
     {"", "secrets", "", {"get"}, {"tls"}},
     {"get", "", "secrets", "", "a", "root"},
     false},
    {"NamesDoNotAllowAListOfAll",
     {"", "secrets", "", {"list"}, {"tls"}},
     {"list", "", "secrets", "", "a", ""},
     false},
    {"NamesDoNotAllowACreate",
     {"", "secrets", "", {"create"}, {"tls"}},
     {"create", "", "secrets", "", "a", ""},
     false},
    {"NamesAllowAListOfThatName",
     {"", "secrets", "", {"list"}, {"tls"}},
     {"list", "", "secrets", "", "a", "tls"},
     true},
    {"Namespace",
     {"", "pods", "", {"get"}, {}, {}, {"a"}},
     {"get", "", "pods", "", "a", "x"},
     true},
    {"OtherNamespace",
     {"", "pods", "", {"get"}, {}, {}, {"a"}},
     {"get", "", "pods", "", "b", "x"},
     false},
    {"AllNamespacesAreNotOne",
     {"", "pods", "", {"list"}, {}, {}, {"a"}},
     {"list", "", "pods", "", "", ""},
     false},
    {"NamespaceIsInItself",
     {"", "namespaces", "", {"get"}, {}, {}, {"a"}},
     {"get", "", "namespaces", "", "", "a"},
     true},
    {"NamespaceIsNotInAnother",
     {"", "namespaces", "", {"get"}, {}, {}, {"a"}},
     {"get", "", "namespaces", "", "", "b"},
     false},
    {"UrlsAllowNoResource",
     {"", "", "", {"*"}, {}, {"*"}},
     {"get", "", "pods", "", "a", "x"},
     false},
};

TEST(RightsTest, RulesMeanWhatRbacMeans) {
  for (const RightsCase& each : kRightsCases) {
    EXPECT_EQ(allows(each.rule, each.request), each.allowed) << each.name;
  }
}

TEST(RightsTest, WatchAllowsReadsOfItsNamespaces) {
  const DeclaredWatch watch{"", "v1", "pods", {}, "", "", {"a"}};

  EXPECT_TRUE(allows(watch, {"get", "", "pods", "", "a", "x"}));
  EXPECT_FALSE(allows(watch, {"get", "", "pods", "", "b", "x"}));
  EXPECT_FALSE(allows(watch, {"list", "", "pods", "", "", ""}));
  EXPECT_FALSE(allows(watch, {"delete", "", "pods", "", "a", "x"}));
  EXPECT_FALSE(allows(watch, {"get", "", "pods", "log", "a", "x"}));
}

TEST(RightsTest, ListOfOneNameIsReadFromItsFieldSelector) {
  EXPECT_EQ(required_name("metadata.name=web"), "web");
  EXPECT_EQ(required_name("status.phase=Running,metadata.name==web"), "web");
  EXPECT_EQ(required_name("metadata.name!=web"), "");
  EXPECT_EQ(required_name("metadata.names=web"), "");
  EXPECT_EQ(required_name(""), "");
}

TEST(RightsTest, AdviceAllowsNoMoreThanTheRequestNeeds) {
  DeclaredController declared;
  const RequestAttributes patch{"patch", "", "configmaps", "", "shop", "list"};
  EXPECT_EQ(missing_rule(declared, patch, {"patch"}),
            R"({"group":"","resource":"configmaps","verbs":["patch"],)"
            R"("resourceNames":["list"],"namespaces":["shop"]})");
  const RequestAttributes create{"create", "", "configmaps", "", "shop", "list"};
  EXPECT_EQ(missing_rule(declared, create, {"create"}),
            R"({"group":"","resource":"configmaps","verbs":["create"],"namespaces":["shop"]})")
      << "the server does not compare the name of what is created";

  declared.rules = {{"", "configmaps", "", {"get"}, {"list"}, {}, {"shop"}},
                    {"*", "*", "scale", {"get"}}};
  EXPECT_EQ(missing_rule(declared, patch, {"patch"}),
            R"({"group":"","resource":"configmaps","verbs":["patch"],)"
            R"("resourceNames":["list"],"namespaces":["shop"]})")
      << "the limits that are there stay";
  declared.rules = {{"", "configmaps", "", {"get"}, {"list"}}};
  EXPECT_EQ(missing_rule(declared, patch, {"patch"}),
            R"({"group":"","resource":"configmaps","verbs":["patch"],"resourceNames":["list"]})");

  DeclaredWatch every;
  every.resource = "configmaps";
  declared.watches = {every};
  EXPECT_EQ(missing_rule(declared, patch, {"patch"}),
            R"({"group":"","resource":"configmaps","verbs":["patch"]})")
      << "the controller works on all of them";
}

}  // namespace
}  // namespace davit::host
