#include "lib/kube/json.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

TEST(JsonTest, MissingMembersReadAsNothing) {
  const Json json = json_literal(R"({"a":{"b":"x"}})");
  EXPECT_EQ(json.text_at({"a", "b"}), "x");
  EXPECT_EQ(json.text_at({"a", "c"}), "");
  EXPECT_EQ(json.at({"b", "c"}), nullptr);
  EXPECT_TRUE(json.get("b").is_null());
  EXPECT_TRUE(json.get("a").get("b").get("c").is_null());
  EXPECT_TRUE(Json("text").members().empty());
}

TEST(JsonTest, WritingMakesWhatIsMissing) {
  Json json;
  json["a"]["b"] = 1;
  json["list"].push_back("x");
  EXPECT_EQ(to_text(json), R"({"a":{"b":1},"list":["x"]})");
}

TEST(JsonTest, MembersKeepTheirOrder) {
  Json json = json_literal(R"({"z":1,"a":2})");
  json.set("m", 3);
  json.set("z", 4);
  EXPECT_EQ(to_text(json), R"({"z":4,"a":2,"m":3})");
  EXPECT_TRUE(json.erase("a"));
  EXPECT_FALSE(json.erase("a"));
  EXPECT_EQ(to_text(json), R"({"z":4,"m":3})");
}

TEST(JsonTest, EqualityIgnoresTheOrderOfMembersOnly) {
  EXPECT_EQ(json_literal(R"({"a":1,"b":[1,2]})"), json_literal(R"({"b":[1,2],"a":1})"));
  EXPECT_NE(json_literal("[1,2]"), json_literal("[2,1]"));
  EXPECT_NE(json_literal(R"({"a":1})"), json_literal(R"({"a":1,"b":null})"));
  EXPECT_NE(json_literal("1"), json_literal("\"1\""));
}

TEST(JsonTest, NumbersAreComparedByValueWhereBothAreIntegers) {
  EXPECT_EQ(json_literal("-0"), json_literal("0"));
  EXPECT_NE(json_literal("1.0"), json_literal("1"));
  EXPECT_EQ(json_literal("1e3").integer(), std::nullopt);
  EXPECT_EQ(json_literal("9223372036854775807").integer(), INT64_MAX);
  EXPECT_EQ(json_literal("9223372036854775808").integer(), std::nullopt);
}

TEST(JsonTest, ZeroValuesAreEmpty) {
  for (const char* text : {"null", "false", "0", "\"\"", "[]", "{}"}) {
    EXPECT_TRUE(json_literal(text).empty()) << text;
  }
  for (const char* text : {"true", "1", "\"0\"", "[0]", R"({"a":null})"}) {
    EXPECT_FALSE(json_literal(text).empty()) << text;
  }
}

TEST(JsonTest, CopiesAreIndependent) {
  Json json = json_literal(R"({"a":{"b":1}})");
  Json copy = json;
  copy["a"]["b"] = 2;
  EXPECT_EQ(to_text(json), R"({"a":{"b":1}})");
}

}  // namespace
}  // namespace davit
