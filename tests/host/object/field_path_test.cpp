#include "host/object/field_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/object/parse.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string spell(std::string_view path) {
  const Result<std::vector<PathStep>> steps = parse_path(path);
  if (!steps) return steps.error().message();
  std::string text;
  for (const PathStep& step : *steps) text += step.every ? "*|" : step.member + "|";
  return text;
}

TEST(PathTest, StepsAreMembersElementsAndKeys) {
  EXPECT_EQ(spell("metadata"), "metadata|");
  EXPECT_EQ(spell("metadata.name"), "metadata|name|");
  EXPECT_EQ(spell("spec.containers[].name"), "spec|containers|*|name|");
  EXPECT_EQ(spell("metadata.annotations['a.b/c[0]']"), "metadata|annotations|a.b/c[0]|");
  EXPECT_EQ(spell("data['x'].y"), "data|x|y|");
  EXPECT_EQ(spell("a[][].b"), "a|*|*|b|");
  EXPECT_EQ(spell("['a.b']"), "a.b|");
}

TEST(PathTest, MistakesAreNamedWithTheirPlace) {
  const std::pair<std::string_view, std::string_view> mistakes[] = {
      {"", "is empty"},
      {".a", "needs a member name at character 1"},
      {"a.", "needs a member name"},
      {"a..b", "needs a member name at character 3"},
      {"[]", "cannot begin with '[]'"},
      {"a[0]", "needs '[]' or \"['key']\" at character 2"},
      {"a['b", "has no \"']\""},
      {"a['']", "has an empty key"},
      {"a[]b", "needs '.' or '['"},
      {"a]b", "needs '.' or '['"},
      {"a'b", "needs '.' or '['"},
  };
  for (const auto& [path, text] : mistakes) {
    EXPECT_THAT(spell(path), HasSubstr(text)) << path;
  }
  EXPECT_EQ(parse_path("a.").error().code(), Code::kInvalid);
}

TEST(PathTest, PathEndingInADotIsAMistake) { EXPECT_THAT(spell("a[]."), HasSubstr("member name")); }

TEST(FieldPathTest, EachVisitsAllValuesInOrder) {
  ObjectSpace space;
  const Result<ObjectRef> object = parse_object(
      space, R"({"spec":{"volumes":[{"claim":{"name":"a"}},{"other":1},{"claim":{"name":"b"}}]}})");
  const Result<FieldPath> path = FieldPath::parse(space, "spec.volumes[].claim.name");
  ASSERT_TRUE(object && path);

  std::vector<std::string> found;
  path->each(object->root(), [&](Value value) { found.emplace_back(value.string()); });

  EXPECT_THAT(found, ElementsAre("a", "b"));
}

TEST(FieldPathTest, MissingAndWrongStepsLeadNowhere) {
  ObjectSpace space;
  const Result<ObjectRef> object = parse_object(space, R"({"spec":{"nodeName":"n"}})");
  for (const std::string_view path :
       {"status.phase", "spec.nodeName[]", "spec.nodeName.x", "spec[]"}) {
    const Result<FieldPath> parsed = FieldPath::parse(space, path);
    ASSERT_TRUE(parsed);
    parsed->each(object->root(), [&](Value) { ADD_FAILURE() << path; });
    parsed->each(Value(), [&](Value) { ADD_FAILURE() << path; });
  }
}

}  // namespace
}  // namespace davit::host
