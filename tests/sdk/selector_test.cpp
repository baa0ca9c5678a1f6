#include <gtest/gtest.h>

#include <davit/kube/selector.hpp>
#include <davit/testing/cluster.hpp>
#include <string>

namespace davit {
namespace {

class SelectorTest : public ::testing::Test {
 protected:
  Selector parse(std::string_view json) { return Selector::parse(cluster_.value(json)).value(); }
  bool matches(std::string_view selector, std::string_view labels) {
    return parse(selector).matches(cluster_.value(labels));
  }
  testing::Cluster cluster_;
};

TEST_F(SelectorTest, AbsentAndNullMatchNothing) {
  const Selector absent = Selector::parse(Value()).value();

  EXPECT_FALSE(absent.matches(cluster_.value("{}")));
  EXPECT_TRUE(absent.matches_nothing());
  EXPECT_FALSE(matches("null", R"({"a":"b"})"));
}

TEST_F(SelectorTest, EmptyMatchesEverythingAndReportsThat) {
  EXPECT_TRUE(parse("{}").matches(Value()));
  EXPECT_TRUE(parse(R"({"matchLabels":{},"matchExpressions":[]})").matches_everything());
  EXPECT_TRUE(parse("{}").empty());
}

TEST_F(SelectorTest, AMapOfLabelsMustBeEqualInAllOfThem) {
  const auto of_labels = [this](std::string_view json) {
    return Selector::of_labels(cluster_.value(json));
  };
  const Selector two = of_labels(R"({"b":"2","a":"1"})");
  EXPECT_TRUE(two.matches(cluster_.value(R"({"a":"1","b":"2","c":"3"})")));
  EXPECT_FALSE(two.matches(cluster_.value(R"({"a":"1"})")));
  EXPECT_FALSE(two.matches(cluster_.value(R"({"a":"1","b":"3"})")));
  EXPECT_EQ(two.to_string(), "a=1,b=2");
  for (const char* nothing : {"{}", "null"}) {
    EXPECT_TRUE(of_labels(nothing).matches_nothing()) << nothing;
    EXPECT_FALSE(of_labels(nothing).matches(cluster_.value(R"({"a":"1"})"))) << nothing;
  }
  EXPECT_TRUE(Selector::of_labels(Value()).matches_nothing());
}

TEST_F(SelectorTest, AllRequirementsMustHold) {
  constexpr const char* kSelector = R"({"matchLabels":{"app":"web"},"matchExpressions":[
    {"key":"tier","operator":"In","values":["front","back"]},
    {"key":"env","operator":"NotIn","values":["dev"]},
    {"key":"team","operator":"Exists"},{"key":"old","operator":"DoesNotExist"}]})";

  EXPECT_TRUE(matches(kSelector, R"({"app":"web","tier":"back","team":""})"));
  EXPECT_TRUE(matches(kSelector, R"({"app":"web","tier":"back","team":"x","env":"prod"})"));
  EXPECT_FALSE(matches(kSelector, R"({"app":"other","tier":"back","team":"x"})"));
  EXPECT_FALSE(matches(kSelector, R"({"app":"web","team":"x"})"));
  EXPECT_FALSE(matches(kSelector, R"({"app":"web","tier":"back","team":"x","env":"dev"})"));
  EXPECT_FALSE(matches(kSelector, R"({"app":"web","tier":"back"})"));
  EXPECT_FALSE(matches(kSelector, R"({"app":"web","tier":"back","team":"x","old":""})"));
}

TEST_F(SelectorTest, TextFormIsSortedByKey) {
  const Selector selector = parse(R"({"matchLabels":{"b":"2","a":"1"},"matchExpressions":[
    {"key":"d","operator":"NotIn","values":["y","x"]},{"key":"c","operator":"In","values":["q"]},
    {"key":"f","operator":"DoesNotExist"},{"key":"e","operator":"Exists"}]})");

  EXPECT_EQ(selector.to_string(), "a=1,b=2,c in (q),d notin (x,y),e,!f");
}

TEST_F(SelectorTest, MalformedSelectorsAreInvalid) {
  const std::string long_name(64, 'a');
  for (const std::string& json : {
           std::string(R"("text")"),
           std::string(R"({"matchExpressions":[{"key":"a","operator":"Like","values":["x"]}]})"),
           std::string(R"({"matchExpressions":[{"key":"a","operator":"In","values":[]}]})"),
           std::string(R"({"matchExpressions":[{"key":"a","operator":"NotIn"}]})"),
           std::string(R"({"matchExpressions":[{"key":"a","operator":"Exists","values":["x"]}]})"),
           std::string(
               R"({"matchExpressions":[{"key":"a","operator":"DoesNotExist","values":["x"]}]})"),
           std::string(R"({"matchExpressions":[{"key":"","operator":"Exists"}]})"),
           std::string(R"({"matchExpressions":[{"key":"a b","operator":"Exists"}]})"),
           std::string(R"({"matchLabels":{"a":"-x"}})"),
           std::string(R"({"matchLabels":{"UPPER.example/a":"x"}})"),
           std::string(R"({"matchLabels":{"/a":"x"}})"),
           R"({"matchLabels":{")" + long_name + R"(":"x"}})",
           R"({"matchLabels":{"a":")" + long_name + R"("}})",
       }) {
    const Result<Selector> selector = Selector::parse(cluster_.value(json));
    EXPECT_EQ(selector.error().code(), Code::kInvalid) << json;
  }
}

TEST_F(SelectorTest, UsualKeysAndValuesAreValid) {
  for (const char* json : {R"({"matchLabels":{"app.kubernetes.io/name":"my_app.v1"}})",
                           R"({"matchLabels":{"A":""}})", R"({"matchLabels":{"a-b_c.d":"X"}})"}) {
    EXPECT_TRUE(Selector::parse(cluster_.value(json))) << json;
  }
}

TEST(DnsSubdomainTest, FollowsRfc1123) {
  EXPECT_TRUE(is_dns_subdomain("a-b.c1"));
  for (const char* text : {"", "-a", "a-", "a..b", "a.-b", "a-.b", "A", "a_b", ".a", "a."}) {
    EXPECT_FALSE(is_dns_subdomain(text)) << text;
  }
  EXPECT_FALSE(is_dns_subdomain(std::string(254, 'a')));
}

}  // namespace
}  // namespace davit
