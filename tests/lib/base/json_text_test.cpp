#include "lib/base/json_text.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

struct JsonStringCase {
  const char* name;
  std::string_view text;
  std::string_view json;
};

// clang-format off
const JsonStringCase kCases[] = {
    {"Plain",             "web-1",                "\"web-1\""},
    {"QuotesAndSlashes",  "a \"b\" \\c/",         "\"a \\\"b\\\" \\\\c/\""},
    {"LineFeeds",         "a\nb\rc\td",           "\"a\\nb\\rc\\td\""},
    {"ControlBytes",      std::string_view("\0\x1f", 2), "\"\\u0000\\u001f\""},
    {"Utf8",              "\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80",
                          "\"\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80\""},
    {"LoneByte",          "a\xFF" "b",            "\"a\xEF\xBF\xBD" "b\""},
    {"CutSequence",       "a\xE2\x82",            "\"a\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {"Overlong",          "\xC0\x80",             "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {"Surrogate",         "\xED\xA0\x80",         "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
};
// clang-format on

TEST(JsonTextTest, EveryTextBecomesValidJson) {
  for (const JsonStringCase& each : kCases) {
    EXPECT_EQ(json_string(each.text), each.json) << each.name;
  }
}

TEST(JsonTextTest, ObjectsAndArraysAreBuiltMemberByMember) {
  JsonText list('[');
  EXPECT_EQ(list.str(), "[]");
  list.text("", "a\"b").number("", 3);
  EXPECT_EQ(JsonText('{')
                .raw("list", list.str())
                .texts("none", {})
                .texts("two", {"x", "y"})
                .boolean("is", false)
                .str(),
            R"({"list":["a\"b",3],"none":[],"two":["x","y"],"is":false})");
}

}  // namespace
}  // namespace davit
