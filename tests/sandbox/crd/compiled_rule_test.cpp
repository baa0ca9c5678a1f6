#include "sandbox/crd/compiled_rule.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sandbox/crd/structural_schema.hpp"

namespace davit::sandbox {
namespace {

CompiledRule compiled(const std::string& schema, const std::string& rule) {
  const auto node = compile_schema(json_literal(schema)).value();
  const cel::SchemaTypePtr type = cel::schema_type(*node, cel::ResourceRoot::kNo, "selfType");
  ValidationRule source;
  source.rule = rule;
  return compile_rule(std::move(source), *node, *type);
}

std::string replaced(std::string schema, const std::string& limit) {
  const std::size_t at = schema.find('%');
  return at == std::string::npos ? schema : schema.replace(at, 1, limit);
}

/// A schema with % where a limit can stand, and the costs without and with it.
struct CostCase {
  const char* schema;
  const char* rule;
  std::uint64_t cost;
  const char* limit;
  std::uint64_t limited_cost;
};

constexpr const char* kNumbers = R"({"type":"array","items":{"type":"number"}%})";
constexpr const char* kStrings = R"({"type":"array","items":{"type":"string"}%})";
constexpr const char* kNumberMap = R"({"type":"object","additionalProperties":{"type":"number"}%})";
constexpr const char* kStringMap = R"({"type":"object","additionalProperties":{"type":"string"}%})";
constexpr const char* kString = R"({"type":"string"%})";
constexpr const char* kBytes = R"({"type":"string","format":"byte"%})";
constexpr const char* kObjects =
    R"({"type":"array","items":{"type":"object","required":["required"],
    "properties":{"required":{"type":"string"},"optional":{"type":"string"}}}%})";
constexpr const char* kLists =
    R"({"type":"array","items":{"type":"array","items":{"type":"number"}}%})";

// The figures of upstream's TestCostEstimation.
TEST(CompiledRuleTest, EstimatesAreThoseOfTheServer) {
  const CostCase kCases[] = {
      {kNumbers, "self.all(x, true)", 4718591, R"(,"maxItems":10)", 32},
      {kStrings, "self.all(x, true)", 3145727, R"(,"maxItems":20)", 62},
      {kLists, "self.all(x, true)", 3145727, R"(,"maxItems":100)", 302},
      {kObjects, "self.all(x, true)", 555128, R"(,"maxItems":50)", 152},
      {kNumberMap, "self.all(x, true)", 1348169, R"(,"maxProperties":10)", 32},
      {kStringMap, "self.all(x, true)", 1179647, R"(,"maxProperties":3)", 11},
      {kString, "self.contains('test')", 314574, R"(,"maxLength":10)", 5},
      {kString, "self.startsWith('test')", 2, R"(,"maxLength":15)", 2},
      {kString, "size(self + \"hello\") > size(\"hello\")", 314578, R"(,"maxLength":4)", 7},
      {kNumbers, "self[1] == 0.0", 2, R"(,"maxItems":5000)", 2},
      {kStrings, "self[1] == self[1]", 314577, R"(,"maxItems":8)", 314577},
      {kString, R"(self.matches("x"))", 314574, R"(,"maxLength":50)", 22},
      {kString, R"("".matches("(((((((((())))))))))[0-9]"))", 7, R"(,"maxLength":10)", 7},
      {kString, R"(self.matches(""))", 1, R"(,"maxLength":100)", 1},
      {kNumbers, "self[3] == 0.0", 2, R"(,"maxItems":0)", 2},
      {kNumberMap, R"(self["x"] == 0.0)", 2, R"(,"maxProperties":0)", 2},
      {kString, R"(self == "x")", 2, R"(,"maxLength":0)", 1},
      {kBytes, R"(self == b"x")", 2, R"(,"maxLength":0)", 1},
      {kNumbers, "self.all(x, x == 0.0)", 6291454, R"(,"maxItems":6291456)", 25165826},
  };
  for (const CostCase& each : kCases) {
    const CompiledRule open = compiled(replaced(each.schema, ""), each.rule);
    EXPECT_EQ(open.rule.error, "") << each.rule;
    EXPECT_EQ(open.rule.cost_max, each.cost) << each.schema << ' ' << each.rule;
    const CompiledRule limited = compiled(replaced(each.schema, each.limit), each.rule);
    EXPECT_EQ(limited.rule.cost_max, each.limited_cost) << each.schema << ' ' << each.rule;
  }
}

TEST(CompiledRuleTest, ALoopInALoopIsExpensive) {
  EXPECT_GT(compiled(replaced(kNumbers, ""), "self.all(x, self.all(y, true))").rule.cost_max,
            10'000'000U);
  EXPECT_EQ(compiled(replaced(kNumbers, R"(,"maxItems":10)"), "self.all(x, self.all(y, true))")
                .rule.cost_max,
            352U);
  EXPECT_EQ(compiled(replaced(kNumbers, R"(,"maxItems":10)"),
                     "self.all(x, self.all(y, self.all(z, true)))")
                .rule.cost_max,
            3552U);
}

// Upstream takes the first step of a path for the variable's name, so the parts of a value that the
// expression makes have the sizes of `self`.
TEST(CompiledRuleTest, PartsOfAChosenListAreAsLargeAsTheObject) {
  const std::string schema = R"({"type":"object","properties":{
      "addresses":{"type":"array","maxItems":256,"items":{"type":"string"}},
      "hosts":{"type":"array","maxItems":256,"items":{"type":"string"}}}})";
  const std::string chosen = "(has(self.addresses) ? self.addresses : [])";
  const std::vector<std::string> rules = {chosen + ".exists(k, k.contains('/'))",
                                          chosen + ".exists(i, k, k.contains('/'))",
                                          "self.hosts.filter(h, true).all(h, h.startsWith('a'))"};
  for (const std::string& rule : rules) {
    const CompiledRule made = compiled(schema, rule);
    EXPECT_EQ(made.rule.error, "") << rule;
    EXPECT_LT(made.rule.cost_max, 10'000'000U) << rule;
  }
  EXPECT_GT(compiled(schema, "self.addresses.exists(k, k.contains('/'))").rule.cost_max,
            10'000'000U);
}

TEST(CompiledRuleTest, AnEnumBoundsTheLengthOfAText) {
  EXPECT_EQ(compiled(R"({"type":"string","enum":["a","bb"]})", "self.contains(self)").rule.cost_max,
            3U);
}

TEST(CompiledRuleTest, FieldPathsNameFieldsAndKeys) {
  const auto node = compile_schema(json_literal(R"({"type":"object","properties":{
      "a":{"type":"object","properties":{"b.c":{"type":"string"}}},
      "m":{"type":"object","additionalProperties":{"type":"string"}}}})"))
                        .value();

  EXPECT_EQ(normalized_field_path(".a['b.c']", *node), "a.b.c");
  EXPECT_EQ(normalized_field_path(".m['x']", *node), "m[x]");
  EXPECT_EQ(normalized_field_path(".m.x", *node), "m[x]");
  EXPECT_EQ(normalized_field_path(".nope", *node), std::nullopt);
  EXPECT_EQ(normalized_field_path("a", *node), std::nullopt);
  EXPECT_EQ(normalized_field_path(".a['b.c'", *node), std::nullopt);
  EXPECT_EQ(normalized_field_path(".a[0]", *node), std::nullopt);
}

}  // namespace
}  // namespace davit::sandbox
