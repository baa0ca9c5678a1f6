#include <gtest/gtest.h>

#include <davit/kube/json_equal.hpp>
#include <davit/testing/cluster.hpp>

namespace davit {
namespace {

struct Comparison {
  std::string_view text;
  std::string_view live;
  bool equal;
};

TEST(JsonEqualTest, ComparesContentAndNotText) {
  const Comparison kComparisons[] = {
      {R"({"a":1,"b":[true,null,"x"]})", R"({"b":[true,null,"x"],"a":1})", true},
      {R"( { "a" : 1.0 } )", R"({"a":1})", true},
      {R"({"a":1e2})", R"({"a":100})", true},
      {R"("\u00e9\ud83d\ude00\n\/")", "\"\xc3\xa9\xf0\x9f\x98\x80\\n/\"", true},
      {"{}", "{}", true},
      {"[]", "[]", true},
      {R"({"a":1})", R"({"a":1,"b":2})", false},
      {R"({"a":1,"b":2})", R"({"a":1})", false},
      {"[1,2]", "[2,1]", false},
      {"[1]", "[1,2]", false},
      {"[1,2]", "[1]", false},
      {R"("1")", "1", false},
      {"1", R"("1")", false},
      {"{}", "[]", false},
      {"null", "{}", false},
      {"false", "null", false},
      {R"({"a":1)", R"({"a":1})", false},
      {R"({"a":1}})", R"({"a":1})", false},
      {R"({"a" 1})", R"({"a":1})", false},
      {R"("\ud83d")", R"("x")", false},
      {R"("\q")", R"("q")", false},
      {"", "{}", false},
  };
  testing::Cluster cluster;
  for (const Comparison& each : kComparisons) {
    EXPECT_EQ(json_equal(each.text, cluster.value(each.live)), each.equal) << each.text;
  }
  EXPECT_TRUE(json_equal("null", Value()));
  EXPECT_FALSE(json_equal("{}", Value()));
  EXPECT_FALSE(json_equal(std::string(1000, '['), cluster.value("[]")));
}

}  // namespace
}  // namespace davit
