#include <gtest/gtest.h>

#include "lib/kube/patch/patch.hpp"

namespace davit {
namespace {

struct Case {
  const char* object;
  const char* patch;
  const char* result;
};

constexpr Case kCases[] = {
    {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
    {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
    {R"({"a":"b"})", R"({"a":null})", R"({})"},
    {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
    {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
    {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
    {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
    {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
    {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
    {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
    {R"({"a":"x"})", R"({"a":{"b":null,"c":1}})", R"({"a":{"c":1}})"},
    {R"({})", R"({"a":[{"b":null,"c":1},null]})", R"({"a":[{"c":1},null]})"},
};

TEST(MergePatchTest, FollowsTheTableOfTheRfc) {
  for (const Case& each : kCases) {
    Json object = json_literal(each.object);
    ASSERT_FALSE(apply_merge_patch(object, json_literal(each.patch)));
    EXPECT_EQ(object, json_literal(each.result)) << each.patch << " gave " << to_text(object);
  }
}

TEST(MergePatchTest, BodyThatIsNotAnObjectIsABadRequest) {
  for (const char* patch : {"[]", "null", R"("x")", "1"}) {
    Json object = Json::object();
    const PatchOutcome outcome = apply_merge_patch(object, json_literal(patch));
    ASSERT_TRUE(outcome) << patch;
    EXPECT_EQ(outcome->reason.http_status, 400);
  }
}

}  // namespace
}  // namespace davit
