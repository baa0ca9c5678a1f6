/// The selection of resources to delete; pure.
#include "plugins/namespace/resource_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::namespaces {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ServedKind kind(std::string group, std::string version, std::string resource) {
  ServedKind made;
  made.gvr = {std::move(group), std::move(version), std::move(resource)};
  made.is_namespaced = made.can_delete = made.can_delete_collection = made.can_list = true;
  return made;
}

std::vector<std::string> texts(const ResourcePlan& plan) {
  std::vector<std::string> out;
  for (const Gvr& each : plan.resources) out.push_back(each.text());
  return out;
}

TEST(ResourcePlanTest, ThePreferredVersionThatHasAResourceIsTaken) {
  EXPECT_THAT(texts(plan_resources({kind("", "v1", "pods"), kind("g.io", "v2", "a"),
                                    kind("g.io", "v1", "a"), kind("g.io", "v1", "old")})),
              ElementsAre("/v1, Resource=pods", "g.io/v2, Resource=a", "g.io/v1, Resource=old"));
}

TEST(ResourcePlanTest, NS25_ResourcesThatCannotBeDeletedOrAreInNoNamespaceAreLeft) {
  ServedKind fixed = kind("", "v1", "bindings");
  fixed.can_delete = false;
  ServedKind wide = kind("", "v1", "nodes");
  wide.is_namespaced = false;
  EXPECT_THAT(texts(plan_resources({fixed, wide})), IsEmpty());
}

TEST(ResourcePlanTest, AnInvalidVersionStopsEverything) {
  const ResourcePlan plan = plan_resources({kind("", "v1", "pods"), kind("g.io", "v1/x", "a")});
  EXPECT_THAT(plan.resources, IsEmpty());
  EXPECT_EQ(plan.unparsed, "unexpected GroupVersion string: g.io/v1/x");
}

TEST(ResourcePlanTest, WhatAppearsLaterCountsAsAbleToDoEverything) {
  ServedKind narrow = kind("g.io", "v1", "a");
  narrow.can_delete_collection = false;
  narrow.can_list = false;
  const UnsupportedTable table({narrow, kind("g.io", "v1", "b")});
  EXPECT_TRUE(table.lacks_list(narrow.gvr));
  EXPECT_TRUE(table.lacks_delete_collection(narrow.gvr));
  EXPECT_FALSE(table.lacks_list({"g.io", "v1", "b"}));
  EXPECT_FALSE(table.lacks_delete_collection({"g.io", "v1", "new"}));
}

TEST(ResourcePlanTest, FailuresAreListedInOrder) {
  EXPECT_EQ(partial_failure_text({"b/v1: no", "a/v1: gone"}),
            "unable to retrieve the complete list of server APIs: a/v1: gone, b/v1: no");
}

}  // namespace
}  // namespace davit::namespaces
