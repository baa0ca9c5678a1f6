#include "sandbox/aggregation/merged_discovery.hpp"

#include <gtest/gtest.h>

#include <string>

namespace davit::sandbox {
namespace {

RemoteVersion remote_version(const std::string& group, const std::string& version) {
  return {group, version, Json::object({{"version", version}}), ""};
}

/// "apps[v1] tools[v2 v1]"
std::string shown(const Json& groups) {
  std::string out;
  for (const Json& each : groups.items()) {
    out += (out.empty() ? "" : " ") + each.get("name").text() + '[';
    for (const Json& version : each.get("versions").items()) {
      out += (out.back() == '[' ? "" : " ") + version.get("version").text();
    }
    out += ']';
  }
  return out;
}

Json own_groups() {
  return json_literal(R"([{"name":"apiregistration.k8s.io","versions":[{"version":"v1"}]},
                          {"name":"apps","versions":[{"version":"v1"}]},
                          {"name":"batch","versions":[{"version":"v1"}]}])");
}

RemoteApis apis_of(std::vector<RemoteVersion> versions) {
  RemoteApis out;
  out.versions = std::move(versions);
  out.group_priorities = {{"apps", 17'800}, {"batch", 17'400}, {"tools", 17'500}};
  return out;
}

TEST(MergedDiscoveryTest, GroupsStandByTheirPriority) {
  Json groups = own_groups();
  merge_groups(groups, apis_of({remote_version("tools", "v1"), remote_version("other", "v1")}));
  EXPECT_EQ(shown(groups), "apiregistration.k8s.io[v1] apps[v1] tools[v1] batch[v1] other[v1]");

  groups = own_groups();
  RemoteApis first = apis_of({remote_version("tools", "v1")});
  first.group_priorities["tools"] = 20'000;
  merge_groups(groups, first);
  EXPECT_EQ(shown(groups), "apiregistration.k8s.io[v1] tools[v1] apps[v1] batch[v1]");
}

TEST(MergedDiscoveryTest, VersionsStandByTheirPriorityThenByTheirName) {
  Json groups = own_groups();
  RemoteApis remote = apis_of({remote_version("tools", "v1"), remote_version("tools", "v2beta1"),
                               remote_version("tools", "v3alpha1")});
  remote.version_priorities = {{"tools/v3alpha1", 9}};
  merge_groups(groups, remote);
  EXPECT_EQ(shown(groups),
            "apiregistration.k8s.io[v1] apps[v1] tools[v3alpha1 v1 v2beta1] batch[v1]");
  const std::optional<Json> group = merge_group(std::nullopt, "tools", remote);
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(group->text_at({"preferredVersion", "groupVersion"}), "tools/v3alpha1");
}

TEST(MergedDiscoveryTest, ARemoteVersionReplacesTheServersOwn) {
  Json groups = own_groups();
  merge_groups(groups, apis_of({remote_version("apps", "v1"), remote_version("apps", "v2")}));
  EXPECT_EQ(shown(groups), "apiregistration.k8s.io[v1] apps[v2 v1] batch[v1]");
  EXPECT_EQ(merge_group(std::nullopt, "none", apis_of({})), std::nullopt);
}

TEST(MergedDiscoveryTest, ALocalVersionIsAddedWhereTheServerLacksIt) {
  Json groups = own_groups();
  RemoteApis remote = apis_of({});
  remote.local = {remote_version("apps", "v1"), remote_version("tools", "v1"),
                  remote_version("", "v1")};
  merge_groups(groups, remote);
  EXPECT_EQ(shown(groups), "apiregistration.k8s.io[v1] apps[v1] tools[v1] batch[v1]");
}

TEST(MergedDiscoveryTest, AGroupVersionWithoutAnApiServiceIsNotShown) {
  Json groups = own_groups();
  RemoteApis remote = apis_of({});
  remote.version_priorities = {{"apps/v1", 15}};
  remove_unregistered_groups(groups, remote);
  EXPECT_EQ(shown(groups), "apiregistration.k8s.io[v1] apps[v1] batch[v1]")
      << "a server that has written none shows what it serves";

  remote.has_core = true;
  remove_unregistered_groups(groups, remote);
  EXPECT_EQ(shown(groups), "apiregistration.k8s.io[v1] apps[v1]");
}

TEST(MergedDiscoveryTest, DocumentsOfHigherGroupsAreMergedFirst) {
  RemoteApis remote = apis_of(
      {remote_version("batch", "v9"), remote_version("tools", "v1"), remote_version("apps", "v9")});
  for (RemoteVersion& each : remote.versions) {
    if (each.group != "apps") each.openapi_v2 = std::make_shared<const Json>(each.group);
  }
  std::string order;
  for (const auto& each : openapi_v2_of(remote)) order += each->text() + ' ';
  EXPECT_EQ(order, "tools batch ");
}

TEST(MergedDiscoveryTest, ASubresourceWithoutAResourceMakesOne) {
  const std::optional<Json> made = discovery_of_list(json_literal(
      R"({"resources":[{"name":"pods/hits","namespaced":true,"kind":"Hits","verbs":["get"]}]})"));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(to_text(*made),
            R"([{"resource":"pods","responseKind":{"group":"","version":"","kind":""},)"
            R"("scope":"Namespaced","singularResource":"","verbs":null,"subresources":[)"
            R"({"subresource":"hits","responseKind":{"group":"","version":"","kind":"Hits"},)"
            R"("verbs":["get"]}]}])");
}

TEST(MergedDiscoveryTest, ScopesThatContradictEachOtherAreRefused) {
  EXPECT_EQ(discovery_of_list(
                json_literal(R"({"resources":[{"name":"pods","namespaced":true,"kind":"Pod"},)"
                             R"({"name":"pods/hits","namespaced":false,"kind":"Hits"}]})")),
            std::nullopt);
}

TEST(MergedDiscoveryTest, KindsThatADocumentLacksAreEmpty) {
  const std::optional<Json> found = version_in(
      json_literal(R"({"items":[{"metadata":{"name":"g"},"versions":[{"version":"v1",)"
                   R"("resources":[{"resource":"a","subresources":[{"subresource":"s"}]}]}]}]})"),
      "g", "v1");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(to_text(*found),
            R"({"version":"v1","resources":[{"resource":"a","subresources":[)"
            R"({"subresource":"s","responseKind":{"group":"","version":"","kind":""}}],)"
            R"("responseKind":{"group":"","version":"","kind":""}}]})");
}

}  // namespace
}  // namespace davit::sandbox
