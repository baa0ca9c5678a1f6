#include "sandbox/crd/rule_checks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sandbox/crd/structural_schema.hpp"

namespace davit::sandbox {
namespace {

std::vector<std::string> findings(const std::string& schema) {
  const Json json = json_literal(schema);
  const auto node = compile_schema(json).value();
  FieldErrors errors;
  check_rules(json, *node, "schema", errors);
  std::vector<std::string> out;
  for (const FieldError& each : errors) out.push_back(each.field + ": " + each.message);
  return out;
}

using Texts = std::vector<std::string>;

/// An object with a text `name`, a number `size` and these rules.
std::string object(const std::string& rules) {
  return R"({"type":"object","properties":{"name":{"type":"string","maxLength":10},)"
         R"("size":{"type":"integer"}},"x-kubernetes-validations":[)" +
         rules + "]}";
}

TEST(RuleChecksTest, GoodRulesHaveNoErrors) {
  EXPECT_EQ(findings(object(R"json({"rule":"self.size > 0","message":"too small"},
      {"rule":"self.name == oldSelf.name","reason":"FieldValueForbidden","fieldPath":".name"},
      {"rule":"!oldSelf.hasValue() || self.size >= oldSelf.value().size","optionalOldSelf":true},
      {"rule":"self.size < 9","messageExpression":"'not ' + self.name"},
      {"rule":"self.metadata.name.startsWith('a') && self.kind != ''"})json")),
            Texts());
}

TEST(RuleChecksTest, MalformedRulesAreNamedByMember) {
  const std::string rules = "schema.x-kubernetes-validations";
  EXPECT_EQ(
      findings(object(R"({"rule":" "},{"rule":"true","message":" "},
      {"rule":"true","message":"a\nb"},{"rule":"true ||\nfalse"},
      {"rule":"true","messageExpression":" "},{"rule":"true","reason":"Because"},
      {"rule":"true","fieldPath":".nope"})")),
      (Texts{rules + "[0].rule: Required value: rule is not specified",
             rules + R"([1].message: Invalid value: " ": must be non-empty if specified)",
             rules + R"([2].message: Invalid value: "a\nb": must not contain line breaks)",
             rules + "[3].message: Required value: message must be specified if rule contains "
                     "line breaks",
             rules + "[4].messageExpression: Required value: messageExpression must be "
                     "non-empty if specified",
             rules + R"([5].reason: Unsupported value: "Because": supported values: )"
                     R"("FieldValueDuplicate", "FieldValueForbidden", )"
                     R"("FieldValueInvalid", "FieldValueRequired")",
             rules + R"([6].fieldPath: Invalid value: ".nope": must be a valid path)"}));
}

TEST(RuleChecksTest, WrongExpressionsAreShownWithTheirPlace) {
  EXPECT_EQ(findings(object(R"({"rule":"self.sise > 0"})")),
            (Texts{"schema.x-kubernetes-validations[0].rule: Invalid value: "
                   R"({"Rule":"self.sise \u003e 0","Message":"","MessageExpression":"",)"
                   R"("Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: )"
                   "ERROR: <input>:1:5: undefined field 'sise'\n | self.sise > 0\n | ....^"}));
  const auto ends_with = [](const Texts& texts, const std::string& end) {
    return texts.size() == 1 && texts[0].ends_with(end);
  };
  EXPECT_TRUE(ends_with(findings(object(R"({"rule":"self.size"})")),
                        "cel expression must evaluate to a bool"));
  EXPECT_TRUE(ends_with(findings(object(R"({"rule":"true","messageExpression":"1"})")),
                        "messageExpression must evaluate to a string"));
  EXPECT_TRUE(
      ends_with(findings(object(R"({"rule":"true","messageExpression":"1 +"})")), "1 +\n | ...^"));
}

TEST(RuleChecksTest, ExpensiveRulesExceedTheBudget) {
  const std::string list = R"json({"type":"object","properties":{"list":{"type":"array",
      "items":{"type":"string"},
      "x-kubernetes-validations":[{"rule":"self.all(x, self.all(y, x != y))"}]
}
}
})json";

  const Texts found = findings(list);

  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0],
            "schema.properties[list].x-kubernetes-validations[0].rule: Forbidden: estimated rule "
            "cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding "
            "maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)");
  EXPECT_EQ(found[1],
            "schema.properties[list].x-kubernetes-validations[0].rule: Forbidden: contributed to "
            "estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema");
  EXPECT_TRUE(
      found[2].starts_with("schema: Forbidden: x-kubernetes-validations estimated rule cost "
                           "total for entire OpenAPIv3 "
                           "schema exceeds budget by factor of more than 100x"))
      << found[2];
}

TEST(RuleChecksTest, TheListsAroundARuleMultiplyItsCost) {
  const auto schema = [](const std::string& limit) {
    return R"({"type":"object","properties":{"list":{"type":"array")" + limit +
           R"json(,"items":{"type":"string","x-kubernetes-validations":[
               {"rule":"self.contains('abcdefghijklmnopqrstuvwxyz')"}]
}
}
}
})json";
  };

  EXPECT_EQ(findings(schema(R"(,"maxItems":10)")), Texts());
  EXPECT_FALSE(findings(schema("")).empty());
}

TEST(RuleChecksTest, OldSelfIsOnlyWhereOldValuesAreFound) {
  const auto schema = [](const std::string& type) {
    return R"({"type":"object","properties":{"list":{"type":"array","maxItems":5,)" + type +
           R"("items":{"type":"object","required":["k"],"properties":{"k":{"type":"string",
               "maxLength":5}},"x-kubernetes-validations":[{"rule":"self.k == oldSelf.k"}]}}}})";
  };
  EXPECT_EQ(
      findings(schema(R"("x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],)")),
      Texts());
  EXPECT_EQ(findings(schema("")),
            (Texts{"schema.properties[list].items.x-kubernetes-validations[0].rule: Invalid value: "
                   R"("self.k == oldSelf.k": oldSelf cannot be used on the uncorrelatable portion )"
                   "of the schema within schema.properties[list]"}));
  EXPECT_EQ(findings(object(R"({"rule":"self.size > 0","optionalOldSelf":true})")),
            (Texts{"schema.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may "
                   "not be set if oldSelf is not used in rule"}));
}

}  // namespace
}  // namespace davit::sandbox
