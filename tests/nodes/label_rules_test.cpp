#include "nodes/label_rules.hpp"

#include <gtest/gtest.h>

#include <string>

namespace davit::sandbox {
namespace {

struct TermCase {
  const char* name;
  const char* labels;
  const char* terms;
  bool accepts;
};

// clang-format off
constexpr TermCase kTermCases[] = {
    {"InListsTheValue", R"({"zone":"b"})",
     R"([{"matchExpressions":[{"key":"zone","operator":"In","values":["a","b"]}]}])", true},
    {"NotInHoldsWithoutTheLabel", "{}",
     R"([{"matchExpressions":[{"key":"zone","operator":"NotIn","values":["a"]}]}])", true},
    {"OneTermOfSeveralSuffices", R"({"zone":"b"})",
     R"([{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]},
         {"matchExpressions":[{"key":"zone","operator":"Exists"}]}])", true},
    {"AllExpressionsOfATermMustHold", R"({"zone":"b"})",
     R"([{"matchExpressions":[{"key":"zone","operator":"Exists"},
                              {"key":"gpu","operator":"Exists"}]}])", false},
    {"GreaterComparesNumbers", R"({"cores":"16"})",
     R"([{"matchExpressions":[{"key":"cores","operator":"Gt","values":["8"]}]}])", true},
    {"LessComparesNumbers", R"({"cores":"16"})",
     R"([{"matchExpressions":[{"key":"cores","operator":"Lt","values":["8"]}]}])", false},
    {"WhatIsNoNumberIsNotGreater", R"({"cores":"many"})",
     R"([{"matchExpressions":[{"key":"cores","operator":"Gt","values":["8"]}]}])", false},
    {"DoesNotExistWantsNoLabel", R"({"gpu":""})",
     R"([{"matchExpressions":[{"key":"gpu","operator":"DoesNotExist"}]}])", false},
    {"FieldsAreTheName", "{}",
     R"([{"matchFields":[{"key":"metadata.name","operator":"In","values":["node-1"]}]}])", true},
    {"OtherNameIsRefused", "{}",
     R"([{"matchFields":[{"key":"metadata.name","operator":"In","values":["node-2"]}]}])", false},
    {"EmptyTermMatchesNothing", "{}", R"([{}])", false},
    {"ATermWithALabelThatNoNodeCanHaveMatchesNothing", "{}",
     R"([{"matchExpressions":[{"key":"a","operator":"NotIn","values":["not a value"]}]}])", false},
    {"ExistsWithValuesMatchesNothing", R"({"a":"b"})",
     R"([{"matchExpressions":[{"key":"a","operator":"Exists","values":["b"]}]}])", false},
    {"UnknownOperatorHoldsNever", R"({"a":"b"})",
     R"([{"matchExpressions":[{"key":"a","operator":"Like","values":["b"]}]}])", false},
};
// clang-format on

class TermTest : public testing::TestWithParam<TermCase> {};

TEST_P(TermTest, RequiredNodeAffinityDecides) {
  Json required = Json::object();
  required.set("nodeSelectorTerms", json_literal(GetParam().terms));
  Json affinity = Json::object();
  affinity.set("requiredDuringSchedulingIgnoredDuringExecution", std::move(required));
  Json spec = Json::object();
  spec["affinity"].set("nodeAffinity", std::move(affinity));

  EXPECT_EQ(accepts_labels(spec, json_literal(GetParam().labels), "node-1"), GetParam().accepts);
}

INSTANTIATE_TEST_SUITE_P(Terms, TermTest, testing::ValuesIn(kTermCases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(LabelRulesTest, EveryLabelOfTheNodeSelectorMustBeThere) {
  const Json spec = json_literal(R"({"nodeSelector":{"disk":"ssd","zone":"a"}})");
  EXPECT_TRUE(accepts_labels(spec, json_literal(R"({"disk":"ssd","zone":"a","x":"y"})"), "n"));
  EXPECT_FALSE(accepts_labels(spec, json_literal(R"({"disk":"ssd"})"), "n"));
}

TEST(LabelRulesTest, ATolerationOfAnUnknownOperatorToleratesNothing) {
  const Json taint = json_literal(R"({"key":"a","value":"1","effect":"NoSchedule"})");
  const auto with = [](const std::string& op) {
    return json_literal(R"([{"key":"a","value":"1","operator":")" + op + R"("}])");
  };
  EXPECT_TRUE(tolerates(with("Equal"), taint));
  EXPECT_TRUE(tolerates(with("Exists"), taint));
  EXPECT_FALSE(tolerates(with("Lt"), taint));
  EXPECT_FALSE(tolerates(with("Like"), taint));
}

}  // namespace
}  // namespace davit::sandbox
