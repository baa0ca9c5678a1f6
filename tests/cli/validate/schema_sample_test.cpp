#include "cli/validate/schema_sample.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace davit::host {
namespace {

struct PatternCase {
  const char* name;
  const char* pattern;
  std::size_t shortest;
};

constexpr PatternCase kPatterns[] = {
    {"DnsLabel", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", 0},
    {"DnsLabelOfALength", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", 5},
    {"DigitsAndUnit", R"(^\d+(Ki|Mi|Gi)$)", 0},
    {"Alternatives", "^(Always|Never)$", 0},
    {"BoundedRepetition", "^[A-F]{2,4}-x{3}$", 0},
    {"NegatedClass", "^[^/]+/[^/]+$", 0},
    {"Version", R"(^v\d+\.\d+\.\d+$)", 0},
};

class PatternTest : public testing::TestWithParam<PatternCase> {};

TEST_P(PatternTest, TextMatches) {
  const std::string text = text_matching(GetParam().pattern, GetParam().shortest);
  EXPECT_TRUE(std::regex_match(text, std::regex(GetParam().pattern))) << text;
  EXPECT_GE(text.size(), GetParam().shortest);
}

INSTANTIATE_TEST_SUITE_P(Patterns, PatternTest, testing::ValuesIn(kPatterns),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(SchemaSampleTest, PatternThatLooksAheadGivesNoText) {
  EXPECT_EQ(text_matching("^(?!a)b$", 0), "");
}

TEST(SchemaSampleTest, HasWhatIsRequiredOrHasADefaultAndNothingElse) {
  const Json schema = json_literal(R"({"type": "object", "required": ["image"], "properties": {
    "image": {"type": "string", "minLength": 8}, "replicas": {"type": "integer", "default": 3},
    "note": {"type": "string"}}})");
  EXPECT_EQ(to_text(sample_of(schema, {})), R"({"image":"imageaaa","replicas":3})");
}

TEST(SchemaSampleTest, HasWhatThePluginReads) {
  const Json schema = json_literal(R"({"type": "object", "properties": {"spec": {"type": "object",
    "properties": {"ports": {"type": "array", "items": {"type": "object", "properties": {
      "port": {"type": "integer", "minimum": 1024, "multipleOf": 10}, "name": {"type": "string"}}}},
      "mode": {"enum": ["Fast", "Safe"], "type": "string"}, "labels": {"type": "object",
      "additionalProperties": {"type": "string"}}}}}})");
  EXPECT_EQ(to_text(sample_of(schema, {"spec.ports[].port", "spec.mode", "spec.labels['a.b/c']"})),
            R"({"spec":{"ports":[{"port":1030}],"mode":"Fast","labels":{"a.b/c":"a.b/c"}}})");
}

TEST(SchemaSampleTest, SchemaThatLeadsBackToItselfEnds) {
  Json schema = json_literal(R"({"type": "object", "properties": {"next": {}}})");
  for (int i = 0; i < 40; ++i) {
    schema = Json::object({{"type", "object"}, {"properties", Json::object({{"next", schema}})}});
  }
  EXPECT_LT(to_text(sample_of(schema, {""})).size(), 200U);
}

TEST(SchemaSampleTest, FieldsWithoutASchemaAreGuessed) {
  Json object = json_literal(R"({"metadata": {"name": "a"}, "spec": {"image": "mine"}})");
  fill_by_guess(
      object, {"metadata.annotations['example.com/greet']", "metadata.ownerReferences",
               "spec.image", "spec.replicas", "spec.hosts[].port", "spec.suspend", "status.phase"});
  EXPECT_EQ(to_text(object),
            R"({"metadata":{"name":"a","annotations":{"example.com/greet":"true"}},)"
            R"("spec":{"image":"mine","replicas":1,"hosts":[{"port":1}],"suspend":true}})");
}

}  // namespace
}  // namespace davit::host
