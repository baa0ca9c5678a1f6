#include "lib/kube/label_selector.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

struct MatchCase {
  const char* selector;
  const char* matching;  // The matching ones of the objects a, b, c and n below.
};

// Labels: a {p: x, n: 5}, b {p: y}, c {q: ""}, n {}.
const std::vector<std::pair<char, LabelSelector::Labels>> kObjects = {
    {'a', {{"n", "5"}, {"p", "x"}}}, {'b', {{"p", "y"}}}, {'c', {{"q", ""}}}, {'n', {}}};

constexpr MatchCase kMatchCases[] = {
    {"", "abcn"},           {"p", "ab"},      {"!p", "cn"},         {"p=x", "a"},
    {"p==x", "a"},          {"p!=x", "bcn"},  {"p in (x,y)", "ab"}, {"p in(x)", "a"},
    {"p notin (x)", "bcn"}, {" p = x ", "a"}, {"p,p!=x", "b"},      {"q=", "c"},
    {"q in ()", "c"},       {"n>4", "a"},     {"n<5", ""},          {"n gt 4", "a"},
    {"p,n", "a"},           {"q=,!p", "c"},
};

TEST(LabelSelectorTest, SelectsAsTheGrammarSays) {
  for (const MatchCase& each : kMatchCases) {
    const Result<LabelSelector> selector = LabelSelector::parse(each.selector);
    ASSERT_TRUE(selector) << each.selector << ": " << selector.error().message();
    std::string matching;
    for (const auto& [name, labels] : kObjects) {
      if (selector->matches(labels)) matching += name;
    }
    EXPECT_EQ(matching, each.matching) << each.selector;
  }
}

struct LabelErrorCase {
  const char* selector;
  const char* message;
};

constexpr LabelErrorCase kErrorCases[] = {
    {"=x", "found '=', expected: !, identifier, or 'end of string'"},
    {"a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
    {"a in x", "unable to parse requirement: found 'x', expected: '('"},
    {"a,", "found '', expected: identifier after ','"},
    {"a=b c", "found 'c', expected: ',' or 'end of string'"},
    {"a>b", "for 'Gt', 'Lt' operators, the value must be an integer"},
    {"-a", "key: Invalid value: \"-a\": name part must consist of alphanumeric characters"},
    {"/a", "key: Invalid value: \"/a\": prefix part must be non-empty"},
    {"Big/a", "key: Invalid value: \"Big/a\": prefix part a lowercase RFC 1123 subdomain must"},
    {"a in (b,c-)", "values[1][a]: Invalid value: \"c-\": a valid label must be"},
    {"a=-", "a valid label must be an empty string or consist of alphanumeric characters"},
    {"a in (b", "expected"},
    {"!", "expected: identifier"},
};

TEST(LabelSelectorTest, ErrorsSayWhatWasExpected) {
  for (const LabelErrorCase& each : kErrorCases) {
    const Result<LabelSelector> selector = LabelSelector::parse(each.selector);
    ASSERT_FALSE(selector) << each.selector;
    EXPECT_NE(selector.error().message().find(each.message), std::string::npos)
        << each.selector << ": " << selector.error().message();
  }
}

TEST(LabelSelectorTest, EveryViolationOfAKeyIsShown) {
  const std::string long_name = std::string(64, 'a') + '-';
  const Result<LabelSelector> selector = LabelSelector::parse(long_name + "=x");
  ASSERT_FALSE(selector);
  const std::string message = selector.error().message();
  EXPECT_NE(message.find("\": name part must be no more than 63 bytes; name part must consist of"),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace davit
