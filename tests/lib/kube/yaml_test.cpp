#include "lib/kube/yaml.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

std::string json(const std::string& text) {
  const YamlDocument document = parse_yaml(text, "f");
  if (!document.mistakes.empty()) return document.mistakes.front().str();
  const Result<std::string> out = to_json(document.root);
  return out ? *out : out.error().message();
}

TEST(YamlTest, ScalarsFollowTheCoreSchemaOfYaml12) {
  const std::pair<const char*, const char*> cases[] = {
      {"true", "true"},
      {"False", "false"},
      {"yes", "\"yes\""},
      {"on", "\"on\""},
      {"null", "null"},
      {"~", "null"},
      {"", "null"},
      {"\"null\"", "\"null\""},
      {"5", "5"},
      {"\"5\"", "\"5\""},
      {"'5'", "\"5\""},
      {"-5", "-5"},
      {"+5", "5"},
      {"010", "10"},
      {"0o10", "8"},
      {"0x1F", "31"},
      {"1_000", "\"1_000\""},
      {"1.5", "1.5"},
      {".5", "0.5"},
      {"5.", "5"},
      {"01.50", "1.50"},
      {"1e3", "1e3"},
      {"-.5e-3", "-0.5e-3"},
      {"1:30", "\"1:30\""},
      {"2026-01-01", "\"2026-01-01\""},
      {"!!str 5", "\"5\""},
      {"0x", "\"0x\""},
      {"- 1\n- a", "[1,\"a\"]"},
      {"a: {b: [1, x]}", "{\"a\":{\"b\":[1,\"x\"]}}"},
      {"a: |\n  x\n  y\n", "{\"a\":\"x\\ny\\n\"}"},
      {"{\"a\":1}", "{\"a\":1}"},
      {"1: x", "{\"1\":\"x\"}"},
      {"18446744073709551616", "18446744073709551616"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(json(text), want) << text;
}

TEST(YamlTest, WhatJsonCannotSayIsAMistake) {
  EXPECT_EQ(json("a: .inf"), "a: .inf has no JSON form");
  EXPECT_EQ(json("-.INF"), "-.INF has no JSON form");
  EXPECT_EQ(json(".nan"), ".nan has no JSON form");
  EXPECT_EQ(json("0x10000000000000000"), "the number 0x10000000000000000 is beyond 64 bits");
}

TEST(YamlTest, PlacesCountFromOne) {
  const YamlDocument document = parse_yaml("a:\n  b: 1\n  c: [x,\n    y]\nd:\n", "f");
  ASSERT_TRUE(document.mistakes.empty());
  const YamlNode* a = document.root.find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->line, 2);
  EXPECT_EQ(a->column, 3);
  EXPECT_EQ(a->members[1].line, 3);
  EXPECT_EQ(a->members[1].value.items[1].line, 4);
  EXPECT_EQ(a->members[1].value.items[1].column, 5);
  EXPECT_EQ(document.root.find("d")->line, 5) << "an absent value stands where its key stands";
  EXPECT_EQ(document.root.find("d")->column, 1);
}

TEST(YamlTest, AnchorsAreResolvedWhereTheyAreUsed) {
  EXPECT_EQ(json("a: &x {k: 1}\nb: *x\nc: [*x, *x]"),
            R"({"a":{"k":1},"b":{"k":1},"c":[{"k":1},{"k":1}]})");
}

TEST(YamlTest, MistakesAreReported) {
  const std::pair<const char*, const char*> cases[] = {
      {"a: 1\nb: 2\na: 3\n", "f:3:1: duplicate key \"a\""},
      {"a: {b: 1, \"b\": 2}", "f:1:11: duplicate key \"b\""},
      {"? [1]\n: 2\n", "f:1:3: a key must be text"},
      {"a: !!binary TQ==", "f:1:4: the tag tag:yaml.org,2002:binary is not supported"},
      {"a: 1\n---\nb: 2\n", "f:2:1: only one document is allowed"},
      {"a: \x01", "f:1:4: a control character is not allowed here"},
      {"a: x\n\xc0\x80", "f:2:1: not valid UTF-8"},
      {"a: *", "f:1:5: alias not found after *"},
      {"a: *x", "f:1:4: the referenced anchor is not defined"},
      {"a: [1", "f:1:4: end of sequence flow not found"},
      {"a: &x [*x]", "f:1:8: an alias inside its own anchor"},
  };
  for (const auto& [text, want] : cases) {
    const YamlDocument document = parse_yaml(text, "f");
    ASSERT_FALSE(document.mistakes.empty()) << text;
    EXPECT_EQ(document.mistakes.front().str(), want) << text;
  }
}

TEST(YamlTest, AllDuplicateKeysAreReportedAtOnce) {
  EXPECT_EQ(parse_yaml("a: 1\na: 2\nb: {c: 1, c: 2}\n", "f").mistakes.size(), 2U);
}

TEST(YamlTest, TheLastOfRepeatedKeysIsInTheTree) {
  const YamlDocument document = parse_yaml("a: 1\nb: x\na: [2]\n", "f");

  ASSERT_EQ(document.repeated.size(), 1U);
  EXPECT_EQ(document.repeated[0].key, "a");
  EXPECT_EQ(document.repeated[0].line, 3);
  EXPECT_EQ(*to_json(document.root), R"({"a":[2],"b":"x"})");
}

TEST(YamlTest, ManyRepeatedKeysDoNotEndTheReading) {
  std::string text = "a: 0\n";
  for (int i = 1; i <= 500; ++i) text += "a: " + std::to_string(i) + '\n';
  const YamlDocument document = parse_yaml(text, "f");

  EXPECT_EQ(document.repeated.size(), 100U);
  EXPECT_EQ(document.mistakes.size(), 100U);
  EXPECT_EQ(document.other_mistake(), nullptr);
  EXPECT_EQ(*to_json(document.root), R"({"a":500})");
  const YamlDocument wrong = parse_yaml(text + "b: !x 1\n", "f");
  ASSERT_NE(wrong.other_mistake(), nullptr);
  EXPECT_EQ(wrong.other_mistake()->line, 502);
}

TEST(YamlTest, AliasesThatMultiplyAreRefused) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += before + (j < 9 ? ", " : "]\n");
  }
  const YamlDocument document = parse_yaml(bomb, "f");
  ASSERT_EQ(document.mistakes.size(), 1U);
  EXPECT_EQ(document.mistakes[0].text, "more than 200000 values");
}

TEST(YamlTest, AliasesThatRepeatMuchTextAreRefusedWithTheirPlace) {
  std::string bomb = "a: &a " + std::string(std::size_t{1} << 20, 'x') + "\nb:\n";
  for (int i = 0; i < 3000; ++i) bomb += "- *a\n";
  const YamlDocument document = parse_yaml(bomb, "f");
  ASSERT_EQ(document.mistakes.size(), 1U);
  EXPECT_EQ(document.mistakes[0].str(),
            "f:6:3: anchors and aliases repeat more than 4194304 bytes");
}

TEST(YamlTest, AnchorsWithinAnchorsThatRepeatMuchTextAreRefused) {
  std::string bomb;
  for (int i = 0; i < 90; ++i) bomb += "&a" + std::to_string(i) + " [";
  bomb += std::string(std::size_t{1} << 20, 'x') + std::string(90, ']');
  const YamlDocument document = parse_yaml(bomb, "f");
  ASSERT_EQ(document.mistakes.size(), 1U);
  EXPECT_EQ(document.mistakes[0].text, "anchors and aliases repeat more than 4194304 bytes");
}

TEST(YamlTest, RepeatedKeysCountAsBytes) {
  std::string bomb = "a: &a {" + std::string(1000, 'x') + ": 1}\nb:\n";
  for (int i = 0; i < 6000; ++i) bomb += "- *a\n";
  const YamlDocument document = parse_yaml(bomb, "f");
  ASSERT_EQ(document.mistakes.size(), 1U);
  EXPECT_EQ(document.mistakes[0].text, "anchors and aliases repeat more than 4194304 bytes");
}

TEST(YamlTest, LongTagsAreNotQuotedAgainAndAgain) {
  std::string bomb = "%TAG !e! " + std::string(std::size_t{1} << 18, 'x') + "\n--- [";
  for (int i = 0; i < 5000; ++i) bomb += "!e!y 1, ";
  const YamlDocument document = parse_yaml(bomb + "]", "f");
  std::size_t bytes = 0;
  for (const Mistake& each : document.mistakes) bytes += each.text.size();
  EXPECT_LT(bytes, std::size_t{1} << 16);
}

TEST(YamlTest, JsonMayWriteACharacterAsAPairOfSurrogates) {
  EXPECT_EQ(json(R"({"a":"\ud83d\ude00"})"), "{\"a\":\"\xf0\x9f\x98\x80\"}");
  EXPECT_EQ(json(" \n[\"\\ud83d\\ude00\"]"), "[\"\xf0\x9f\x98\x80\"]");
}

TEST(YamlTest, DeepNestingIsRefused) {
  for (const std::string& text : {std::string(5'000, '['), std::string(5'000, '{')}) {
    const YamlDocument document = parse_yaml(text, "f");
    ASSERT_EQ(document.mistakes.size(), 1U);
  }
  std::string list;
  for (int i = 0; i < 300; ++i) list += "- ";
  EXPECT_EQ(parse_yaml(list + "x", "f").mistakes.at(0).text, "nested deeper than 100");
}

TEST(YamlTest, EmptyFilesAreNull) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "\xef\xbb\xbf"}) {
    const YamlDocument document = parse_yaml(text, "f");
    EXPECT_TRUE(document.mistakes.empty()) << text;
    EXPECT_TRUE(document.root.is_null()) << text;
  }
}

TEST(YamlTest, NearestFindsWhatWasMeant) {
  const std::vector<std::string> allowed = {"workers", "config", "leaseDuration", "qps"};
  EXPECT_EQ(nearest("worker", allowed), "workers");
  EXPECT_EQ(nearest("lease-duration", allowed), "leaseDuration");
  EXPECT_EQ(nearest("LeaseDuration", allowed), "leaseDuration");
  EXPECT_EQ(nearest("cnofig", allowed), "config");
  EXPECT_EQ(nearest("elephant", allowed), "");
}

}  // namespace
}  // namespace davit
