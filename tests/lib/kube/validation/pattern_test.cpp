#include "lib/kube/validation/pattern.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace davit {
namespace {

struct Case {
  const char* expression;
  const char* text;
  bool matches;
};

constexpr Case kCases[] = {
    {"^[a-z]+$", "abc", true},
    {"^[a-z]+$", "aBc", false},
    {"b", "abc", true},
    {"^b", "abc", false},
    {"", "anything", true},
    {"^$", "", true},
    {"^$", "x", false},
    {"^a|b$", "ax", true},
    {"^a|b$", "xb", true},
    {"^(a|b)$", "ab", false},
    {"^(?:a|bc)*$", "abcbca", true},
    {"^a{2,3}$", "a", false},
    {"^a{2,3}$", "aaa", true},
    {"^a{2,3}$", "aaaa", false},
    {"^a{2,}$", "aaaaa", true},
    {"^a{2}$", "aa", true},
    {"^a{,2}$", "a{,2}", true},
    {"^x{y$", "x{y", true},
    {"^a?b+?c*$", "bb", true},
    {"^\\d+\\.\\d+$", "1.25", true},
    {"^\\d+\\.\\d+$", "1x25", false},
    {"^\\w+\\s\\S+$", "a_1 -", true},
    {"^[^/]*$", "a/b", false},
    {"^[]a]+$", "]a", true},
    {"^[a\\]b]+$", "]", true},
    {"^[a-]+$", "-a", true},
    {"^[\\d.-]+$", "1-.2", true},
    {"^[[:alpha:]]+$", "aZ", true},
    {"^[[:^digit:]]+$", "a1", false},
    {"^(?i)abc$", "ABC", true},
    {"^(?i:a)b$", "AB", false},
    {"^(?P<name>a)$", "a", true},
    {"\\bfoo\\b", "a foo b", true},
    {"\\bfoo\\b", "afoob", false},
    {"^\\x41\\x{42}$", "AB", true},
    {"^\\p{L}+$", "é", true},
    {"^é$", "é", true},
    {"^.$", "é", true},
    {"^[é]$", "è", false},
    {"^[[:alpha:]\\]]+$", "a]", true},
    {"(?m)^b$", "a\nb", true},
    {"^b$", "a\nb", false},
    {"^(?<name>a)$", "a", true},
    {"^[(?<]$", "P", false},
    {"^[](?<]$", "P", false},
    {"^[\\](?<]$", "P", false},
    {"^[[:digit:](?<]$", "P", false},
    {"^\\(?<a$", "<a", true},
    {"^\\Q(?<\\E$", "(?<", true},
    {"^[\\p{L}\\p{N}_-]{1,1000}$", "Größe-1", true},
    {"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "my-name", true},
    {"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "my-name-", false},
    {"^((25[0-5]|2[0-4][0-9])\\.){3}25[0-5]$", "250.251.252.255", true},
};

TEST(PatternTest, MatchesAsTheTableSays) {
  for (const Case& each : kCases) {
    const Result<Pattern> pattern = Pattern::compile(each.expression);
    ASSERT_TRUE(pattern) << each.expression << ": " << pattern.error().message();
    EXPECT_EQ(pattern->matches(each.text), each.matches) << each.expression << " on " << each.text;
  }
}

TEST(PatternTest, InvalidExpressionIsRefused) {
  for (const char* expression :
       {"(", ")", "[", "[a", "a**", "*a", "+", "a{2}{3}", "a{1001}", "a{3,2}", "\\", "\\q", "[b-a]",
        "(?=a)", "[[:nope:]]", "(?P<x", "\\xzz", "\\p{Nope", "((a{1000}){1000}){1000}"}) {
    EXPECT_FALSE(Pattern::compile(expression)) << expression;
  }
}

TEST(PatternTest, RefusalIsInTheWordsOfGo) {
  constexpr std::pair<const char*, const char*> kMessages[] = {
      {"a)b", "unexpected ): `a)b`"},
      {"(a", "missing closing ): `(a`"},
      {"x[a", "missing closing ]: `[a`"},
      {"a**", "invalid nested repetition operator: `**`"},
      {"*a", "missing argument to repetition operator: `*`"},
      {"a{1001}", "invalid repeat count: `{1001}`"},
      {"\\", "trailing backslash at end of expression: ``"},
      {"a\\q", "invalid escape sequence: `\\q`"},
      {"a\\C", "invalid escape sequence: `\\C`"},
      {"[b-a]", "invalid character class range: `b-a`"},
      {"(?=a)", "invalid or unsupported Perl syntax: `(?=`"},
      {"(?P<x", "invalid named capture: `(?P<x`"},
  };
  for (const auto& [expression, message] : kMessages) {
    const Result<Pattern> pattern = Pattern::compile(expression);

    ASSERT_FALSE(pattern) << expression;
    EXPECT_EQ(pattern.error().code(), Code::kInvalid);
    EXPECT_EQ(pattern.error().message(), std::string("error parsing regexp: ") + message);
  }
}

TEST(PatternTest, OpenBracketWithinParenthesesIsRefused) {
  for (const char* expression : {"([a", "([-a-[a*0]z9--z0-9])?$", "([", "([\\", "(([[:nope:]"}) {
    EXPECT_FALSE(Pattern::compile(expression)) << expression;
  }
}

TEST(PatternTest, NestedRepetitionTakesNoExponentialTime) {
  const Result<Pattern> pattern = Pattern::compile("^(a+)+$");
  ASSERT_TRUE(pattern);

  EXPECT_FALSE(pattern->matches(std::string(5'000, 'a') + 'b'));
}

TEST(PatternTest, DeepParenthesesAreRefused) {
  const std::string nested = std::string(1'001, '(') + std::string(1'001, ')');

  EXPECT_FALSE(Pattern::compile(std::string(100'000, '(')));
  EXPECT_FALSE(Pattern::compile(nested));
  EXPECT_TRUE(Pattern::compile(nested.substr(1, 2'000)));
}

}  // namespace
}  // namespace davit
