#include "lib/kube/strict_json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace davit {
namespace {

std::string round_trip(const std::string& text) {
  const YamlDocument document = parse_strict_json(text, "f");
  if (!document.mistakes.empty()) return document.mistakes.front().str();
  return to_json(document.root).value_or("no JSON form");
}

TEST(JsonTest, EveryKindOfValueIsRead) {
  for (const char* text :
       {"{}", "[]", "null", "true", "false", "0", "-1", "1.5", "1e3", "\"a\"", "[1,[2,{}],null]",
        "{\"a\":{\"b\":[\"c\"]},\"d\":-0.5e-7}", "\"\\\"\\\\\\n\"", "18446744073709551616"}) {
    EXPECT_EQ(round_trip(text), text);
  }
  EXPECT_EQ(round_trip(" \t\r\n[ 1 , 2 ] "), "[1,2]");
}

TEST(JsonTest, EscapesBecomeUtf8) {
  EXPECT_EQ(parse_strict_json(R"("\u0041\u00e9\u20ac\ud83d\ude00\/\b\f\r\t")", "").root.text,
            "A\u00e9\u20ac\U0001f600/\b\f\r\t");
}

TEST(JsonTest, MistakesHaveTheirPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "f:1:1: expected a value"},
      {"{\"a\":1,}", "f:1:8: expected a key in double quotes"},
      {"{a:1}", "f:1:2: expected a key in double quotes"},
      {"{\n \"a\" 1}", "f:2:6: expected ':'"},
      {"[1 2]", "f:1:4: expected ',' or ']'"},
      {"{\"a\":1,\"a\":2}", "f:1:11: duplicate key \"a\""},
      {"01", "f:1:1: expected a value"},
      {"1.", "f:1:3: expected a digit"},
      {"tru", "f:1:1: expected a value"},
      {"1 2", "f:1:3: unexpected text after the value"},
      {"\"a", "f:1:3: unterminated string"},
      {"\"\n\"", "f:1:2: control character in a string"},
      {"\"\xff\"", "f:1:2: not valid UTF-8"},
      {"\"\\ud800\"", "f:1:2: unpaired surrogate"},
      {"[\"\\udc00\"]", "f:1:2: unpaired surrogate"},
      {"\"a\\u12x\"", "f:1:3: \\u needs four hex digits"},
      {"[,1]", "f:1:2: expected a value"},
      {"[1,\n nul]", "f:2:2: expected a value"},
      {"[-]", "f:1:2: expected a value"},
      {"[-01]", "f:1:2: expected a value"},
      {"1e+", "f:1:4: expected a digit"},
      {"[1e400]", "f:1:2: the number is too large"},
      {"{\"a\":1]", "f:1:7: expected ',' or '}'"},
      {"\"\\x\"", "f:1:3: unknown escape in a string"},
      {"'a'", "f:1:1: expected a value"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(round_trip(text), want) << text;
}

TEST(JsonTest, ZeroByteEndsNothing) {
  EXPECT_EQ(round_trip(std::string("1\0", 2)), "f:1:2: unexpected text after the value");
  EXPECT_EQ(round_trip(std::string("\"\0\"", 3)), "f:1:2: control character in a string");
  EXPECT_EQ(round_trip(std::string("[1\0]", 4)), "f:1:3: expected ',' or ']'");
}

TEST(JsonTest, ValuesAndKeysKnowWhereTheyBegin) {
  const YamlDocument document = parse_strict_json("{\"a\" :\n  [1,\n null],\n\"b\":{}}", "f");
  ASSERT_TRUE(document.mistakes.empty());
  const YamlMember& a = document.root.members.at(0);
  const YamlMember& b = document.root.members.at(1);

  EXPECT_EQ(std::pair(a.line, a.column), std::pair(1, 2));
  EXPECT_EQ(std::pair(a.value.line, a.value.column), std::pair(2, 3));
  EXPECT_EQ(std::pair(a.value.items.at(0).line, a.value.items.at(0).column), std::pair(2, 4));
  EXPECT_EQ(std::pair(a.value.items.at(1).line, a.value.items.at(1).column), std::pair(3, 2));
  EXPECT_EQ(std::pair(b.line, b.column), std::pair(4, 1));
  EXPECT_EQ(std::pair(b.value.line, b.value.column), std::pair(4, 5));
}

TEST(JsonTest, NumberOfValuesIsLimited) {
  std::string text = "[";
  for (int i = 0; i < 99'998; ++i) text += "1,";

  EXPECT_TRUE(parse_strict_json(text + "1]", "f").mistakes.empty());
  EXPECT_EQ(round_trip(text + "1,1]"), "f:1:200000: too many values");
}

TEST(JsonTest, DeepNestingIsRefusedWithoutUsingTheStack) {
  EXPECT_EQ(round_trip(std::string(100'000, '[')), "f:1:34: nested too deeply");
}

}  // namespace
}  // namespace davit
