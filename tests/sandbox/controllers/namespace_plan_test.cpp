#include "sandbox/controllers/namespace_plan.hpp"

#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

const Json* condition(const Json& conditions, std::string_view type) {
  for (const Json& each : conditions.items()) {
    if (each.text_at({"type"}) == type) return &each;
  }
  return nullptr;
}

TEST(NamespacePlanTest, EmptyNamespaceSaysThatAllIsWell) {
  const Json conditions = namespace_conditions(Json(), {}, "now");
  ASSERT_EQ(conditions.size(), 5u);
  for (const Json& each : conditions.items()) {
    EXPECT_EQ(each.text_at({"status"}), "False");
    EXPECT_EQ(each.text_at({"lastTransitionTime"}), "now");
  }
}

TEST(NamespacePlanTest, WhatIsLeftIsNamedWithItsFinalizers) {
  const Json conditions = namespace_conditions(
      Json(), {{"", "pods", 2, {{"b", 1}}}, {"apps", "deployments", 1, {{"a", 1}, {"b", 1}}}},
      "now");
  const Json* content = condition(conditions, "NamespaceContentRemaining");
  EXPECT_EQ(content->text_at({"status"}), "True");
  EXPECT_EQ(content->text_at({"message"}),
            "Some resources are remaining: deployments.apps has 1 resource instances, "
            "pods. has 2 resource instances");
  EXPECT_EQ(condition(conditions, "NamespaceFinalizersRemaining")->text_at({"message"}),
            "Some content in the namespace has finalizers remaining: "
            "a in 1 resource instances, b in 2 resource instances");
}

TEST(NamespacePlanTest, TimesChangeOnlyWithTheStatus) {
  const Json before = namespace_conditions(Json(), {{"", "pods", 2, {}}}, "then");
  EXPECT_EQ(namespace_conditions(before, {{"", "pods", 2, {}}}, "now"), before);

  const Json fewer = namespace_conditions(before, {{"", "pods", 1, {}}}, "now");
  const Json* content = condition(fewer, "NamespaceContentRemaining");
  EXPECT_EQ(content->text_at({"lastTransitionTime"}), "then");

  const Json none = namespace_conditions(before, {}, "now");
  content = condition(none, "NamespaceContentRemaining");
  EXPECT_EQ(content->text_at({"lastTransitionTime"}), "now");
  EXPECT_EQ(content->text_at({"reason"}), "ContentRemoved");
}

}  // namespace
}  // namespace davit::sandbox
