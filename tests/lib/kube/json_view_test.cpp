#include "lib/kube/json_view.hpp"

#include <gtest/gtest.h>

#include <string>

namespace davit {
namespace {

TEST(JsonViewTest, ReadsEachKindAsAValueOfAnObjectDoes) {
  const Json tree = json_literal(
      R"({"kind":"Pod","spec":{"replicas":3,"paused":true,"none":null,"ports":[1,"a"]}})");
  const JsonView view(tree);
  EXPECT_EQ(view[&Names::kind].string(), "Pod");
  EXPECT_EQ(view[&Names::kind].text(), "Pod");
  EXPECT_EQ(view[&Names::spec][&Names::replicas].integer(), 3);
  EXPECT_EQ(view["spec"]["replicas"].number(), "3");
  EXPECT_TRUE(view["spec"][&Names::paused].is_true());
  EXPECT_EQ(view["spec"]["none"].kind(), Json::Kind::kNull);
  EXPECT_EQ(view["spec"].kind(), Json::Kind::kObject);
  EXPECT_EQ(view["spec"]["ports"].kind(), Json::Kind::kArray);
}

TEST(JsonViewTest, WhatIsMissingOrOfAnotherKindReadsAsAbsent) {
  const Json tree = json_literal(R"({"a":{"b":1}})");
  const JsonView absent = JsonView(tree)["x"]["y"][&Names::spec];
  EXPECT_TRUE(absent.is_absent());
  EXPECT_FALSE(absent);
  EXPECT_EQ(absent.kind(), Json::Kind::kNull);
  EXPECT_EQ(absent.text(), std::nullopt);
  EXPECT_EQ(absent.integer(), std::nullopt);
  EXPECT_FALSE(absent.is_true());
  EXPECT_EQ(absent.elements().begin(), absent.elements().end());
  EXPECT_EQ(absent.members().begin(), absent.members().end());
  EXPECT_EQ(JsonView(tree)["a"]["b"].text(), std::nullopt) << "a number is no text";
}

TEST(JsonViewTest, VisitsElementsAndMembersInTheirOrder) {
  const Json tree = json_literal(R"({"list":["a","b"],"map":{"z":"1","y":"2"}})");
  std::string seen;
  for (const JsonView each : JsonView(tree)["list"].elements()) seen += each.string();
  for (const auto& each : JsonView(tree)["map"].members()) {
    seen += each.key;
    seen += each.value.string();
  }
  EXPECT_EQ(seen, "abz1y2");
}

TEST(JsonViewTest, EachWellKnownNameIsItsText) {
  Json tree = Json::object();
#define DAVIT_SET_NAME(member, text) tree.set(text, #member);
  DAVIT_WELL_KNOWN_NAMES(DAVIT_SET_NAME)
#undef DAVIT_SET_NAME
  const JsonView view(tree);
#define DAVIT_CHECK_NAME(member, text) EXPECT_EQ(view[&Names::member].string(), #member) << (text);
  DAVIT_WELL_KNOWN_NAMES(DAVIT_CHECK_NAME)
#undef DAVIT_CHECK_NAME
}

}  // namespace
}  // namespace davit
