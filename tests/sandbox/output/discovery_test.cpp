#include "sandbox/output/discovery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace davit::sandbox {
namespace {

using testing::ElementsAre;

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

ResourcePtr resource(std::string_view group, std::string_view version, std::string_view name,
                     std::string_view kind) {
  auto out = std::make_shared<Resource>();
  out->group = group;
  out->version = version;
  out->name = name;
  out->kind = kind;
  out->singular = "one";
  out->verbs = {"get", "list"};
  return out;
}

std::vector<ResourcePtr> resources() {
  auto pods = std::make_shared<Resource>(*resource("", "v1", "pods", "Pod"));
  pods->categories = {"all"};
  pods->short_names = {"po"};
  pods->subresources = {{"eviction", "policy", "v1", "Eviction", {"create"}},
                        {"status", "", "", "", {"get", "patch", "update"}}};
  auto namespaces = std::make_shared<Resource>(*resource("", "v1", "namespaces", "Namespace"));
  namespaces->namespaced = false;
  return {pods, namespaces, resource("apps", "v1", "deployments", "Deployment"),
          resource("autoscaling", "v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler"),
          resource("autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler")};
}

TEST(DiscoveryTest, RootListsGroupsWithThePreferredVersionFirst) {
  EXPECT_EQ(to_text(api_group_list(resources())),
            R"({"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps","versions":)"
            R"([{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":)"
            R"({"groupVersion":"apps/v1","version":"v1"}},{"name":"autoscaling","versions":)"
            R"([{"groupVersion":"autoscaling/v2","version":"v2"},)"
            R"({"groupVersion":"autoscaling/v1","version":"v1"}],"preferredVersion":)"
            R"({"groupVersion":"autoscaling/v2","version":"v2"}}]})");
}

TEST(DiscoveryTest, GroupsAreFoundByName) {
  EXPECT_EQ(to_text(*api_group(resources(), "apps")),
            R"({"kind":"APIGroup","apiVersion":"v1","name":"apps","versions":)"
            R"([{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":)"
            R"({"groupVersion":"apps/v1","version":"v1"}})");
  EXPECT_FALSE(api_group(resources(), "nope").has_value());
  EXPECT_FALSE(api_group(resources(), "").has_value()) << "core has no document of its own";
}

TEST(DiscoveryTest, ResourcesAndTheirSubresourcesAreListedByName) {
  EXPECT_EQ(
      to_text(*api_resource_list(resources(), "", "v1")),
      R"({"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"namespaces",)"
      R"("singularName":"one","namespaced":false,"kind":"Namespace","verbs":["get","list"]},)"
      R"({"name":"pods","singularName":"one","namespaced":true,"kind":"Pod",)"
      R"("verbs":["get","list"],"shortNames":["po"],"categories":["all"]},)"
      R"({"name":"pods/eviction","singularName":"","namespaced":true,"group":"policy",)"
      R"("version":"v1","kind":"Eviction","verbs":["create"]},{"name":"pods/status",)"
      R"("singularName":"","namespaced":true,"kind":"Pod","verbs":["get","patch","update"]}]})");
  EXPECT_EQ(api_resource_list(resources(), "apps", "v1")->text_at({"apiVersion"}), "v1");
  EXPECT_FALSE(api_resource_list(resources(), "apps", "v2").has_value());
  EXPECT_FALSE(api_resource_list(resources(), "nope", "v1").has_value());
}

TEST(DiscoveryTest, StoredResourcesHaveTheHashOfTheirStoredVersion) {
  const auto hash_of = [](Resource each, std::vector<std::string> verbs) {
    each.verbs = std::move(verbs);
    const std::vector<ResourcePtr> one = {std::make_shared<Resource>(each)};
    return api_resource_list(one, each.group, each.version)
        ->get("resources")
        .items()[0]
        .text_at({"storageVersionHash"});
  };
  // As kube-apiserver v1.36.2 shows them.
  EXPECT_EQ(hash_of(*resource("apps", "v1", "deployments", "Deployment"), {"create", "get"}),
            "8aSe+NMegvE=");
  EXPECT_EQ(hash_of(*resource("events.k8s.io", "v1", "events", "Event"), {"create", "get"}),
            "r2yiGXH7wu8=");
  Resource custom =
      *resource("gateway.networking.k8s.io", "v1", "referencegrants", "ReferenceGrant");
  custom.stored_version = "v1beta1";
  EXPECT_EQ(hash_of(custom, {"create", "get"}), "yiMy9EZI11Y=");
  EXPECT_EQ(
      hash_of(*resource("authentication.k8s.io", "v1", "tokenreviews", "TokenReview"), {"create"}),
      "");
}

TEST(DiscoveryTest, AggregatedDocumentHoldsEverything) {
  const Json core = aggregated_discovery(resources(), DiscoveryRoot::kCore);
  EXPECT_EQ(core.text_at({"kind"}), "APIGroupDiscoveryList");
  ASSERT_EQ(core.get("items").size(), 1u);
  EXPECT_EQ(to_text(core.get("items").items()[0].get("metadata")), "{}");
  const Json& version = core.get("items").items()[0].get("versions").items()[0];
  EXPECT_EQ(
      to_text(version.get("resources").items()[1]),
      R"({"resource":"pods","responseKind":{"group":"","version":"","kind":"Pod"},)"
      R"("scope":"Namespaced","singularResource":"one","verbs":["get","list"],)"
      R"("shortNames":["po"],"categories":["all"],"subresources":[{"subresource":"eviction",)"
      R"("responseKind":{"group":"policy","version":"v1","kind":"Eviction"},)"
      R"("verbs":["create"]},{"subresource":"status","responseKind":{"group":"","version":"",)"
      R"("kind":"Pod"},"verbs":["get","patch","update"]}]})");

  const Json groups = aggregated_discovery(resources(), DiscoveryRoot::kGroups);
  EXPECT_EQ(groups.get("items").size(), 2u);
  EXPECT_EQ(groups.get("items").items()[1].text_at({"metadata", "name"}), "autoscaling");
}

TEST(DiscoveryTest, AggregatedFormIsAgreedOnByAccept) {
  const std::string kubectl =
      std::string(kAggregated) +
      ",application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
  EXPECT_TRUE(negotiate_discovery(kubectl)->aggregated);
  EXPECT_EQ(negotiate_discovery(kubectl)->content_type, kAggregated);
  EXPECT_FALSE(negotiate_discovery("")->aggregated);
  EXPECT_FALSE(negotiate_discovery("application/json, */*")->aggregated);
  EXPECT_EQ(negotiate_discovery(
                "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList")
                .error()
                .code,
            406);
}

TEST(DiscoveryTest, StableVersionsArePreferred) {
  std::vector<std::string_view> versions = {"v1alpha1", "v1beta1", "foo", "v2beta2", "v1",
                                            "v10",      "v2",      "bar", "v1beta2"};
  std::sort(versions.begin(), versions.end(), is_preferred_version);
  EXPECT_THAT(versions, ElementsAre("v10", "v2", "v1", "v2beta2", "v1beta2", "v1beta1", "v1alpha1",
                                    "bar", "foo"));
}

TEST(DiscoveryTest, TagsDistinguishBodies) {
  EXPECT_EQ(etag_of("a"), etag_of("a"));
  EXPECT_NE(etag_of("a"), etag_of("b"));
  EXPECT_EQ(etag_of(""), "\"CBF29CE484222325\"");
}

}  // namespace
}  // namespace davit::sandbox
