#include <gtest/gtest.h>

#include <davit/merge_patch.hpp>
#include <davit/testing/cluster.hpp>

namespace davit {
namespace {

struct Difference {
  std::string_view from;
  std::string_view to;
  std::string_view patch;
};

TEST(MergePatchTest, PatchTurnsOneValueIntoTheOther) {
  const Difference kDifferences[] = {
      {R"({"a":1})", R"({"a":1})", ""},
      {R"({"a":1})", R"({"a":2})", R"({"a":2})"},
      {R"({"a":1,"b":2})", R"({"a":1})", R"({"b":null})"},
      {R"({})", R"({"a":{"b":{}}})", R"({"a":{"b":{}}})"},
      {R"({"a":{"b":1,"c":2}})", R"({"a":{"b":1,"c":3,"d":4}})", R"({"a":{"c":3,"d":4}})"},
      {R"({"a":{"b":1}})", R"({"a":{}})", R"({"a":{"b":null}})"},
      {R"({"a":[1,2]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"({"a":"text"})", R"({"a":{"b":1}})", R"({"a":{"b":1}})"},
      {R"({"a":{"b":1}})", R"({"a":"text"})", R"({"a":"text"})"},
      {R"({"a":"text"})", R"({"a":{}})", R"({"a":{}})"},
  };
  testing::Cluster cluster;
  for (const Difference& each : kDifferences) {
    const std::string patch = merge_patch_between(cluster.value(each.from), cluster.value(each.to));
    EXPECT_EQ(patch, each.patch);

    testing::Json patched = testing::Json::must(each.from);
    if (!patch.empty()) testing::merge_patch(patched, testing::Json::must(patch));
    EXPECT_EQ(patched, testing::Json::must(each.to)) << each.from << " → " << each.to;
  }
}

}  // namespace
}  // namespace davit
