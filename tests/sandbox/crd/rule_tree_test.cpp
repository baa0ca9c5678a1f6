#include "sandbox/crd/rule_tree.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sandbox/crd/structural_schema.hpp"

namespace davit::sandbox {
namespace {

using Texts = std::vector<std::string>;

/// A schema with rules, and its judgement.
class Judge {
 public:
  explicit Judge(const std::string& schema)
      : json_(json_literal(schema)),
        node_(compile_schema(json_).value()),
        tree_(RuleTree::compile(json_, *node_)) {}

  Texts create(const std::string& object) const { return run(json_literal(object), nullptr); }
  Texts update(const std::string& old, const std::string& object) const {
    const Json before = json_literal(old);
    return run(json_literal(object), &before);
  }
  [[nodiscard]] bool has_rules() const { return tree_ != nullptr; }

 private:
  Texts run(const Json& object, const Json* old) const {
    FieldErrors errors;
    check_value(object, *node_, errors);
    check_rules_of(tree_.get(), object, old, errors);
    Texts out;
    for (const FieldError& each : errors) {
      out.push_back(each.field + ": " + each.message);
    }
    return out;
  }

  const Json json_;
  const std::unique_ptr<const SchemaNode> node_;
  const std::unique_ptr<const RuleTree> tree_;
};

/// An object with some properties and these rules.
std::string object(const std::string& properties, const std::string& rules) {
  return R"({"type":"object","properties":{)" + properties + R"(},"x-kubernetes-validations":[)" +
         rules + "]}";
}

TEST(RuleTreeTest, ABrokenRuleIsAnErrorWithItsMessage) {
  const Judge judge(object(R"("min":{"type":"integer"},"max":{"type":"integer",
      "x-kubernetes-validations":[{"rule":"self < 100"}]})",
                           R"({"rule":"self.min <= self.max","message":" min over max "})"));

  EXPECT_EQ(judge.create(R"({"min":1,"max":2})"), Texts());
  EXPECT_EQ(judge.create(R"({"min":3,"max":2})"), (Texts{"<nil>: Invalid value: min over max"}));
  EXPECT_EQ(judge.create(R"({"min":3,"max":200})"),
            (Texts{"max: Invalid value: 200: failed rule: self < 100"}));
  EXPECT_FALSE(Judge(R"({"type":"object"})").has_rules());
}

TEST(RuleTreeTest, ReasonFieldPathAndMessageExpressionShapeTheError) {
  const Judge judge(object(
      R"json("spec":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"object",
           "additionalProperties":{"type":"string"}}},"x-kubernetes-validations":[
           {"rule":"self.a != 1","fieldPath":".a","reason":"FieldValueForbidden","message":"no 1"},
           {"rule":"self.a != 2","fieldPath":".b['x']","reason":"FieldValueRequired"},
           {"rule":"self.a != 3","messageExpression":"'a is ' + string(self.a)"},
           {"rule":"self.a != 4","message":"four","messageExpression":"'\\n'"}]
})json",
      ""));

  EXPECT_EQ(judge.create(R"({"spec":{"a":1}})"), (Texts{"spec.a: Forbidden: no 1"}));
  EXPECT_EQ(judge.create(R"({"spec":{"a":2}})"),
            (Texts{"spec.b[x]: Required value: failed rule: self.a != 2"}));
  EXPECT_EQ(judge.create(R"({"spec":{"a":3}})"), (Texts{"spec: Invalid value: a is 3"}));
  EXPECT_EQ(judge.create(R"({"spec":{"a":4}})"), (Texts{"spec: Invalid value: four"}));
}

TEST(RuleTreeTest, OldSelfComparesWithTheReplacedObject) {
  const Judge judge(
      object(R"("a":{"type":"string"},"b":{"type":"integer"})",
             R"({"rule":"!has(oldSelf.a) || self.a == oldSelf.a","message":"immutable"},
      {"rule":"!oldSelf.hasValue() || self.b >= oldSelf.value().b","optionalOldSelf":true,
       "message":"shrinks"})"));

  EXPECT_EQ(judge.create(R"({"a":"x","b":1})"), Texts());
  EXPECT_EQ(judge.update(R"({"a":"x","b":1})", R"({"a":"x","b":2})"), Texts());
  EXPECT_EQ(judge.update(R"({"a":"x","b":1})", R"({"a":"y","b":0})"),
            (Texts{"<nil>: Invalid value: immutable", "<nil>: Invalid value: shrinks"}));
}

TEST(RuleTreeTest, ElementsOfMapListsFindTheirOldOnesByKey) {
  const Judge judge(object(
      R"("list":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
           "items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},
           "v":{"type":"integer"}},"x-kubernetes-validations":[{"rule":"self.v >= oldSelf.v"}]}})",
      ""));
  const std::string old = R"({"list":[{"k":"a","v":1},{"k":"b","v":2}]})";

  EXPECT_EQ(judge.update(old, R"({"list":[{"k":"c","v":0},{"k":"b","v":2},{"k":"a","v":3}]})"),
            Texts());
  EXPECT_EQ(judge.update(old, R"({"list":[{"k":"b","v":1}]})"),
            (Texts{"list[0]: Invalid value: failed rule: self.v >= oldSelf.v"}));
}

TEST(RuleTreeTest, UnchangedPartsAreNotJudgedAgain) {
  const Judge judge(object(
      R"("a":{"type":"integer","x-kubernetes-validations":[{"rule":"self < 5"}]},
         "b":{"type":"integer"},"l":{"type":"array","items":{"type":"integer",
           "x-kubernetes-validations":[{"rule":"self < 5"}]}})",
      ""));

  EXPECT_EQ(judge.update(R"({"a":9,"b":1,"l":[9]})", R"({"a":9,"b":2,"l":[9]})"), Texts());
  EXPECT_EQ(judge.update(R"({"a":9,"l":[9]})", R"({"a":8,"l":[9,1]})"),
            (Texts{"a: Invalid value: 8: failed rule: self < 5",
                   "l[0]: Invalid value: 9: failed rule: self < 5"}));
}

TEST(RuleTreeTest, ValuesHaveTheTypesOfTheirSchemas) {
  const Judge judge(object(
      R"("t":{"type":"string","format":"date-time"},"d":{"type":"string","format":"duration"},
         "n":{"type":"number"},"x":{"x-kubernetes-int-or-string":true},"a-b":{"type":"string"},
         "namespace":{"type":"string"},"z":{"type":"string","nullable":true},
         "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
         "e":{"type":"object","x-kubernetes-embedded-resource":true,
              "x-kubernetes-preserve-unknown-fields":true})",
      R"json({"rule":"!has(self.t) || self.t > timestamp('2026-01-01T00:00:00Z')"},
         {"rule":"!has(self.d) || self.d < duration('1h')"},
         {"rule":"!has(self.n) || self.n == 1.0"},
         {"rule":"!has(self.x) || (type(self.x) == int ? self.x > 0 : self.x.endsWith('%'))"},
         {"rule":"!has(self.a__dash__b) || self.a__dash__b == self.__namespace__"},
         {"rule":"!has(self.z) || dyn(self.z) == null"},
         {"rule":"!has(self.set) || self.set == ['b', 'a'] && size(self.set + ['a', 'c']) == 3"},
         {"rule":"!has(self.e) || self.e.metadata.name == 'inner'"})json"));

  EXPECT_EQ(judge.create(R"({"t":"2026-02-01T00:00:00Z","d":"5m","n":1,"x":"5%","a-b":"q",
      "namespace":"q","z":null,"set":["a","b"],
      "e":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"inner"}}})"),
            Texts());
  EXPECT_EQ(judge
                .create(R"({"t":"2025-02-01T00:00:00Z","d":"5h","n":2,"x":0,"set":["a"],
      "e":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"other"}}})")
                .size(),
            6U);
}

TEST(RuleTreeTest, RulesOfTheServersMetadataSeeTheNameOnly) {
  const Judge judge(object("", R"({"rule":"self.metadata.name.size() < 5 && self.kind == 'K'"})"));

  EXPECT_EQ(judge.create(R"({"kind":"K","metadata":{"name":"abc","labels":{}}})"), Texts());
  EXPECT_EQ(judge.create(R"({"kind":"K","metadata":{"name":"abcde"}})").size(), 1U);
}

TEST(RuleTreeTest, ErrorsOfAnEvaluationAreErrorsOfTheObject) {
  const Judge judge(object(R"("m":{"type":"object","additionalProperties":{"type":"string"}},
      "x":{"x-kubernetes-int-or-string":true})",
                           R"({"rule":"self.m['a'] == 'b'","message":"m"},{"rule":"self.x > 0"})"));

  EXPECT_EQ(judge.create(R"({"m":{},"x":1})"),
            (Texts{R"(<nil>: Invalid value: "object": no such key: a evaluating rule: m)"}));
  EXPECT_EQ(
      judge.create(R"({"m":{"a":"b"},"x":"t"})"),
      (Texts{R"(<nil>: Invalid value: "object": 'no such overload': call arguments did not )"
             "match a supported operator, function or macro signature for rule: self.x > 0"}));
}

TEST(RuleTreeTest, ARuleThatCostsTooMuchEndsTheRun) {
  const Judge judge(object(
      R"("l":{"type":"array","items":{"type":"integer"}},"a":{"type":"integer",
           "x-kubernetes-validations":[{"rule":"self < 0"}]})",
      R"json({"rule":"self.l.all(x, self.l.all(y, self.l.all(z, x + y + z >= 0)))",
          "message":"sums"})json"));
  std::string list = "0";
  for (int i = 1; i < 200; ++i) list += ",0";

  EXPECT_EQ(judge.create(R"({"l":[)" + list + R"(],"a":1})"),
            (Texts{R"(<nil>: Invalid value: "object": 'operation cancelled: actual cost limit )"
                   "exceeded': no further validation rules will be run due to call cost exceeds "
                   "limit for rule: sums"}));
}

TEST(RuleTreeTest, RulesAreNotCheckedWhileTheObjectDoesNotFitItsSchema) {
  const Judge judge(object(R"("a":{"type":"integer"})", R"({"rule":"self.a > 5"})"));

  EXPECT_EQ(judge.create(R"({"a":"x"})").back(),
            "<nil>: Invalid value: null: some validation rules were not checked because the object "
            "was invalid; correct the existing errors to complete validation");
}

TEST(RuleTreeTest, RulesBelowAllOfJudgeTheSameValue) {
  const Judge judge(R"({"type":"object","properties":{"a":{"type":"integer"}},
      "allOf":[{"properties":{"a":{"x-kubernetes-validations":[{"rule":"self > 1"}]}}}],
      "x-kubernetes-validations":[{"rule":"true"}]})");

  EXPECT_EQ(judge.create(R"({"a":1})"), (Texts{"a: Invalid value: 1: failed rule: self > 1"}));
}

}  // namespace
}  // namespace davit::sandbox
