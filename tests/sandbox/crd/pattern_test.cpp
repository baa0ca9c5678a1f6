#include "sandbox/crd/pattern.hpp"

#include <gtest/gtest.h>

#include <string>

namespace davit::sandbox {
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

TEST(PatternTest, WhatIsNoExpressionIsRefused) {
  for (const char* expression :
       {"(", ")", "[", "[a", "a**", "*a", "+", "a{2}{3}", "a{1001}", "a{3,2}", "\\", "\\q", "[b-a]",
        "(?=a)", "[[:nope:]]", "(?P<x", "\\xzz", "\\p{Nope", "((a{1000}){1000}){1000}"}) {
    EXPECT_FALSE(Pattern::compile(expression)) << expression;
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
  EXPECT_FALSE(Pattern::compile(std::string(100'000, '(')));
}

}  // namespace
}  // namespace davit::sandbox
