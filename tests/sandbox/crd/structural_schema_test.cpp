#include "sandbox/crd/structural_schema.hpp"

#include <gtest/gtest.h>

#include "lib/kube/validation/list_types.hpp"

namespace davit::sandbox {
namespace {

std::unique_ptr<const SchemaNode> compiled(const char* properties) {
  Json schema = json_literal(R"({"type":"object"})");
  schema.set("properties", json_literal(properties));
  return std::move(compile_schema(schema).value());
}

std::vector<std::string> texts(const FieldErrors& errors) {
  std::vector<std::string> out;
  for (const FieldError& each : errors) out.push_back(each.field + ": " + each.message);
  return out;
}

struct Case {
  const char* name;
  const char* schema;  ///< The schema of the one property "v".
  const char* value;
  const char* error;  ///< Null: fine.
};

constexpr Case kCases[] = {
    {"Integer", R"({"type":"integer"})", "1", nullptr},
    {"IntegerAsFloat", R"({"type":"integer"})", "1.0", nullptr},
    {"IntegerNotText", R"({"type":"integer"})", R"("x")",
     R"(v: Invalid value: "string": v in body must be of type integer: "string")"},
    {"IntegerNotFraction", R"({"type":"integer"})", "1.5",
     "v: Invalid value: \"number\": v in body must be of type integer: \"number\"\n"
     "<nil>: Invalid value: \"\": Checked value must be of type integer (default format) in v"},
    {"IntegerNotShort", R"({"type":"integer","format":"int32"})", "2147483648",
     R"(<nil>: Invalid value: "": Checked value must be of type integer with format int32 in v)"},
    {"IntegerShort", R"({"type":"integer","format":"int32"})", "-2147483648", nullptr},
    {"IntegerLong", R"({"type":"integer","format":"int64"})", "2147483648", nullptr},
    {"NumberNotFloat", R"({"type":"number","format":"float"})", "1e39",
     R"(<nil>: Invalid value: "": Checked value must be of type number with format float in v)"},
    {"NumberTakesIntegers", R"({"type":"number"})", "1", nullptr},
    {"NullIsNoString", R"({"type":"string"})", "null",
     R"(v: Invalid value: "null": v in body must be of type string: "null")"},
    {"NullWhereAllowed", R"({"type":"string","nullable":true})", "null", nullptr},
    {"IntOrStringNumber", R"({"x-kubernetes-int-or-string":true})", "1", nullptr},
    {"IntOrStringText", R"({"x-kubernetes-int-or-string":true})", R"("50%")", nullptr},
    {"IntOrStringOther", R"({"x-kubernetes-int-or-string":true})", "true",
     R"(v: Invalid value: "boolean": v in body must be of type integer,string: "boolean")"},
    {"Enum", R"({"type":"string","enum":["red","blue"]})", R"("green")",
     R"(v: Unsupported value: "green": supported values: "red", "blue")"},
    {"Maximum", R"({"type":"integer","maximum":10})", "11",
     "v: Invalid value: 11: v in body should be less than or equal to 10"},
    {"MaximumReached", R"({"type":"integer","maximum":10})", "10", nullptr},
    {"ExclusiveMaximum", R"({"type":"integer","maximum":10,"exclusiveMaximum":true})", "10",
     "v: Invalid value: 10: v in body should be less than 10"},
    {"Minimum", R"({"type":"integer","minimum":1})", "0",
     "v: Invalid value: 0: v in body should be greater than or equal to 1"},
    {"ExclusiveMinimum", R"({"type":"integer","minimum":1,"exclusiveMinimum":true})", "1",
     "v: Invalid value: 1: v in body should be greater than 1"},
    {"MultipleOf", R"({"type":"integer","multipleOf":5})", "7",
     "v: Invalid value: 7: v in body should be a multiple of 5"},
    {"MaxLength", R"({"type":"string","maxLength":5})", R"("123456")",
     "v: Too long: may not be more than 5 bytes"},
    {"LengthCountsCharacters", R"({"type":"string","maxLength":2})", R"("éé")", nullptr},
    {"MinLength", R"({"type":"string","minLength":2})", R"("a")",
     R"(v: Invalid value: "a": v in body should be at least 2 chars long)"},
    {"Pattern", R"({"type":"string","pattern":"^[a-z]+$"})", R"("A")",
     R"(v: Invalid value: "A": v in body should match '^[a-z]+$')"},
    {"Format", R"({"type":"string","format":"ipv4"})", R"("x")",
     R"(v: Invalid value: "x": v in body must be of type ipv4: "x")"},
    {"MaxItems", R"({"type":"array","items":{"type":"integer"},"maxItems":1})", "[1,2]",
     "v: Too many: 2: must have at most 1 item"},
    {"MinItems", R"({"type":"array","items":{"type":"integer"},"minItems":1})", "[]",
     "v: Invalid value: []: v in body should have at least 1 items"},
    {"Items", R"({"type":"array","items":{"type":"integer"}})", R"([1,"x"])",
     R"(v[1]: Invalid value: "string": v[1] in body must be of type integer: "string")"},
    {"SetDuplicates",
     R"({"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"})", R"(["a","a"])",
     R"(v[1]: Duplicate value: "a")"},
    {"MapDuplicates",
     R"({"type":"array","items":{"type":"object","properties":{"k":{"type":"string"}}},
         "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]})",
     R"([{"k":"a","x":1},{"k":"a"}])", R"(v[1]: Duplicate value: {"k":"a"})"},
    {"Required", R"({"type":"object","required":["size"]})", "{}", "v.size: Required value"},
    {"MaxProperties",
     R"({"type":"object","additionalProperties":{"type":"string"},"maxProperties":1})",
     R"({"a":"","b":""})", "v: Too many: 2: must have at most 1 item"},
    {"AdditionalProperties", R"({"type":"object","additionalProperties":{"type":"string"}})",
     R"({"a":1})",
     R"(v.a: Invalid value: "integer": v.a in body must be of type string: "integer")"},
    {"AnyOf", R"({"type":"integer","anyOf":[{"minimum":5},{"maximum":1}]})", "7", nullptr},
    {"OneOfTwice", R"({"type":"integer","oneOf":[{"minimum":5},{"minimum":6}]})", "7",
     R"(<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). )"
     "Found 2 valid alternatives"},
    {"Not", R"({"type":"integer","not":{"minimum":5}})", "7",
     R"(<nil>: Invalid value: "": "v" must not validate the schema (not))"},
};

class ValueRules : public testing::TestWithParam<Case> {};

TEST_P(ValueRules, GiveTheListedError) {
  const auto schema = compiled((R"({"v":)" + std::string(GetParam().schema) + "}").c_str());
  const Json object = Json::object({{"v", json_literal(GetParam().value)}});
  FieldErrors errors;

  check_value(object, *schema, errors);
  check_list_types(object, *schema, errors);

  if (GetParam().error == nullptr) {
    EXPECT_EQ(texts(errors), std::vector<std::string>());
  } else {
    std::string all;
    for (const std::string& each : texts(errors)) all += (all.empty() ? "" : "\n") + each;
    EXPECT_EQ(all, GetParam().error);
  }
}

TEST(StructuralSchemaTest, AWrongFormatIsAWrongType) {
  const auto schema = compiled(R"({"v":{"type":"string","format":"byte"}})");
  FieldErrors errors;
  check_value(json_literal(R"({"v":"***"})"), *schema, errors);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].reason, "FieldValueTypeInvalid");
}

INSTANTIATE_TEST_SUITE_P(Table, ValueRules, testing::ValuesIn(kCases),
                         [](const auto& each) { return each.param.name; });

TEST(StructuralSchemaTest, ConditionsShowWhyTheClosestOneFailed) {
  const auto schema = compiled(R"({"v":{"type":"integer","anyOf":[{"minimum":5},{"minimum":9}]}})");
  FieldErrors errors;

  check_value(json_literal(R"({"v":1})"), *schema, errors);

  EXPECT_EQ(texts(errors),
            (std::vector<std::string>{
                R"(<nil>: Invalid value: "": "v" must validate at least one schema (anyOf))",
                "v: Invalid value: 1: v in body should be greater than or equal to 5"}));
}

TEST(StructuralSchemaTest, TheClosestConditionIsTheOneThatMostOfTheValueMatched) {
  const auto schema = compiled(R"({"v":{"type":"object",
      "properties":{"type":{"type":"string"},"value":{"type":"string"}},
      "oneOf":[{"properties":{"type":{"not":{"enum":["IP"]}}}},
               {"properties":{"type":{"enum":["IP"]},
                              "value":{"anyOf":[{"format":"ipv4"},{"format":"ipv6"}]}}}]}})");
  FieldErrors errors;

  check_value(json_literal(R"({"v":{"type":"IP","value":"nope"}})"), *schema, errors);

  EXPECT_EQ(
      texts(errors),
      (std::vector<std::string>{
          R"(<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). )"
          "Found none valid",
          R"(<nil>: Invalid value: "": "v.value" must validate at least one schema (anyOf))",
          R"(v.value: Invalid value: "nope": v.value in body must be of type ipv4: "nope")"}));
}

TEST(StructuralSchemaTest, PruningNamesWhatItDrops) {
  const auto schema = compiled(R"({"spec":{"type":"object","properties":{
    "a":{"type":"integer"},
    "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
            "properties":{"b":{"type":"object","properties":{}}}},
    "map":{"type":"object","additionalProperties":{"type":"object","properties":{}}},
    "list":{"type":"array","items":{"type":"object","properties":{"n":{"type":"string"}}}},
    "pod":{"type":"object","x-kubernetes-embedded-resource":true}}}})");
  Json object = json_literal(R"({"apiVersion":"x/v1","kind":"X","metadata":{"name":"n"},"bad":1,
    "spec":{"a":1,"zzz":1,"free":{"any":{"x":1},"b":{"y":1}},"map":{"k":{"z":1}},
    "list":[{"n":"1"},{"n":"2","m":3}],
    "pod":{"apiVersion":"v1","kind":"Pod","metadata":{},"s":1}}})");
  FieldFindings findings;

  prune(object, *schema, findings);

  EXPECT_EQ(object, json_literal(R"({"apiVersion":"x/v1","kind":"X","metadata":{"name":"n"},
    "spec":{"a":1,"free":{"any":{"x":1},"b":{}},"map":{"k":{}},"list":[{"n":"1"},{"n":"2"}],
    "pod":{"apiVersion":"v1","kind":"Pod","metadata":{}}}})"));
  EXPECT_EQ(findings.unknown, (std::vector<std::string>{"bad", "spec.free.b.y", "spec.list[1].m",
                                                        "spec.map.k.z", "spec.pod.s", "spec.zzz"}));
}

TEST(StructuralSchemaTest, DefaultsFillWhatIsMissingAtEveryDepth) {
  const auto schema = compiled(R"({"spec":{"type":"object","default":{},"properties":{
    "a":{"type":"integer","default":1},"n":{"type":"string","nullable":true,"default":"x"},
    "list":{"type":"array","items":{"type":"object","properties":{
      "p":{"type":"string","default":"TCP"}}}},
    "map":{"type":"object","additionalProperties":{"type":"object","properties":{
      "q":{"type":"boolean","default":true}}}},
    "plain":{"type":"string"}}}})");
  Json object = json_literal(R"({"spec":{"a":null,"n":null,"list":[{},{"p":"UDP"}],"map":{"k":{}},
    "plain":null}})");
  Json empty = Json::object();

  fill_defaults(object, *schema);
  fill_defaults(empty, *schema);

  EXPECT_EQ(object, json_literal(R"({"spec":{"a":1,"n":null,"list":[{"p":"TCP"},{"p":"UDP"}],
    "map":{"k":{"q":true}}}})"));
  EXPECT_EQ(empty, json_literal(R"({"spec":{"a":1,"n":"x"}})"));
}

struct StructureCase {
  const char* schema;
  const char* error;
};

constexpr StructureCase kStructureCases[] = {
    {R"({"type":"object"})", nullptr},
    {R"({"properties":{}})", "s.type: Required value: must not be empty at the root"},
    {R"({"type":"string"})", R"(s.type: Invalid value: "string": must be object at the root)"},
    {R"({"type":"object","properties":{"a":{}}})",
     "s.properties[a].type: Required value: must not be empty for specified object fields"},
    {R"({"type":"object","properties":{"a":{"x-kubernetes-int-or-string":true}}})", nullptr},
    {R"({"type":"object","properties":{"a":{"type":"array"}}})",
     "s.properties[a].items: Required value: must be specified"},
    {R"({"type":"object","properties":{"a":{"type":"array","items":{}}}})",
     "s.properties[a].items.type: Required value: must not be empty for specified array items"},
    {R"({"type":"object","anyOf":[{"type":"object"}]})",
     "s.anyOf[0].type: Forbidden: must be empty to be structural"},
    {R"({"type":"object","$ref":"#/x"})", "s.$ref: Forbidden: $ref is not supported"},
    {R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true})",
     "s.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"},
    {R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"object",
         "properties":{"k":{"type":"string"}}},"x-kubernetes-list-type":"map",
         "x-kubernetes-list-map-keys":["k"]}}})",
     "s.properties[a].items.properties[k].default: Required value: this property is in "
     "x-kubernetes-list-map-keys, so it must have a default or be a required property"},
};

TEST(StructuralSchemaTest, SchemasThatAreNotStructuralAreRefused) {
  for (const StructureCase& each : kStructureCases) {
    FieldErrors errors;
    check_structural(json_literal(each.schema), "s", errors);
    const std::vector<std::string> wanted =
        each.error == nullptr ? std::vector<std::string>() : std::vector<std::string>{each.error};
    EXPECT_EQ(texts(errors), wanted) << each.schema;
  }
}

}  // namespace
}  // namespace davit::sandbox
