#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/kube/json.hpp"

namespace davit {
namespace {

using testing::ElementsAre;

TEST(JsonIoTest, ValuesComeOutAsTheyWentIn) {
  for (const char* text : {"null", "true", "-1", "1.50", "1e300", R"("a\"\\\n\u0001")", "[]", "{}",
                           R"({"a":[1,{"b":[]}],"c":"ü"})"}) {
    EXPECT_EQ(to_text(json_literal(text)), text);
  }
}

TEST(JsonIoTest, MalformedTextIsRefused) {
  for (const char* text : {"", " ", "{", "[1,]", "{a:1}", "nul", "1 2", "01", "'a'", "\"\x01\"",
                           R"("\x")", R"({"a":1,})", "[1}"}) {
    EXPECT_FALSE(parse_json(text).has_value()) << text;
  }
}

TEST(JsonIoTest, TextThatIsCutEndsUnexpectedly) {
  for (const char* each : {"", " ", "{", R"({"a")", R"({"a":)", R"({"a":1)", R"({"a":1,)", "[1,"}) {
    EXPECT_EQ(parse_json(each).error().message(), "unexpected end of JSON input") << each;
  }
}

TEST(JsonIoTest, BadUtf8BecomesTheReplacementCharacter) {
  EXPECT_EQ(json_literal("\"a\xff\xfe\"").text(), "a\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(JsonIoTest, OfDuplicatesTheLastWinsAndAllAreNamed) {
  JsonFindings findings;
  const Result<Json> json =
      parse_json(R"({"a":1,"b":[{},{"c":1,"c":2}],"a":3,"d":{"e":{"f":1,"f":2}}})", &findings);
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(to_text(*json), R"({"a":3,"b":[{},{"c":2}],"d":{"e":{"f":2}}})");
  EXPECT_THAT(findings.duplicates, ElementsAre("b[1].c", "a", "d.e.f"));
}

TEST(JsonIoTest, EachDuplicateIsNamedOnceInTheOrderOfTheText) {
  JsonFindings findings;
  const char* const text =
      R"({"z":{"y":1,"y":2,"y":3},"m":[[1],[{"x":1,"x":2}]],"z":{"y":1,"y":2},"b":1,"b":2,"b":3})";
  EXPECT_TRUE(parse_json(text, &findings).has_value());
  EXPECT_THAT(findings.duplicates, ElementsAre("z.y", "m[1][0].x", "z", "b"));
}

TEST(JsonIoTest, DepthIsLimited) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse_json(nested(kJsonDepthMax)).has_value());
  EXPECT_FALSE(parse_json(nested(kJsonDepthMax + 1)).has_value());
  EXPECT_FALSE(parse_json(nested(1'000'000)).has_value());
}

TEST(JsonIoTest, CanonicalTextsSortMembers) {
  const Json json = json_literal(R"({"b":{"d":1,"c":2},"a":[]})");
  EXPECT_EQ(to_canonical_text(json), R"({"a":[],"b":{"c":2,"d":1}})");
}

TEST(JsonIoTest, PrettyTextsAreIndentedByTwo) {
  EXPECT_EQ(to_pretty_text(json_literal(R"({"a":[1,2],"b":{},"c":[]})")),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": []\n}");
}

}  // namespace
}  // namespace davit
