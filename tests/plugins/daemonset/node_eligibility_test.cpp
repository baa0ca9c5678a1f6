/// Tables of the rules which node should have a pod and may keep one.
#include "plugins/daemonset/node_eligibility.hpp"

#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>
#include <string_view>

namespace davit::daemonset {
namespace {

/// The decision about a node "n" with the labels cpus=8 and zone=a.
Eligibility judge(std::string_view spec, std::string_view taints = "[]") {
  testing::Cluster cluster;
  const NodeRules rules(cluster.value(R"({"spec":)" + std::string(spec) + "}"));
  return rules.judge(cluster.view_of<Node>(
      R"({"metadata":{"name":"n","labels":{"cpus":"8","zone":"a"}},"spec":{"taints":)" +
      std::string(taints) + "}}"));
}

struct SelectionCase {
  const char* name;
  const char* spec;
  bool selected;
};

std::string affinity(std::string_view terms) {
  return R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
         R"({"nodeSelectorTerms":)" +
         std::string(terms) + "}}}}";
}

const SelectionCase kSelectionCases[] = {
    {"NothingIsAsked", "{}", true},
    {"ANullAffinity", R"({"affinity":null})", true},
    {"ItsOwnName", R"({"nodeName":"n"})", true},
    {"AnotherName", R"({"nodeName":"m"})", false},
    {"EveryLabel", R"({"nodeSelector":{"cpus":"8","zone":"a"}})", true},
    {"OneLabelDiffers", R"({"nodeSelector":{"cpus":"8","zone":"b"}})", false},
    {"OneLabelIsMissing", R"({"nodeSelector":{"disk":"ssd"}})", false},
    {"AWrongType", R"({"nodeSelector":"zone=a","affinity":7,"tolerations":{}})", true},
};

struct TermCase {
  const char* name;
  const char* terms;
  bool selected;
};
const TermCase kTermCases[] = {
    {"NoTerms", "[]", false},
    {"AnEmptyTerm", "[{}]", false},
    {"OneTermOfTwo", R"([{},{"matchExpressions":[{"key":"zone","operator":"Exists"}]}])", true},
    {"AllExpressions", R"([{"matchExpressions":[{"key":"zone","operator":"In","values":["a","b"]},
                                               {"key":"disk","operator":"DoesNotExist"}]}])",
     true},
    {"OneExpressionFails", R"([{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]},
                                                   {"key":"disk","operator":"Exists"}]}])",
     false},
    {"NotInHoldsForAMissingLabel",
     R"([{"matchExpressions":[{"key":"disk","operator":"NotIn","values":["x"]}]}])", true},
    {"GreaterIsStrict", R"([{"matchExpressions":[{"key":"cpus","operator":"Gt","values":["8"]}]}])",
     false},
    {"Less", R"([{"matchExpressions":[{"key":"cpus","operator":"Lt","values":["9"]}]}])", true},
    {"ANumberOfWords",
     R"([{"matchExpressions":[{"key":"cpus","operator":"Gt","values":["four"]}]}])", false},
    {"TwoNumbers", R"([{"matchExpressions":[{"key":"cpus","operator":"Gt","values":["1","2"]}]}])",
     false},
    {"InWithoutValues", R"([{"matchExpressions":[{"key":"zone","operator":"In"}]}])", false},
    {"ExistsWithValues",
     R"([{"matchExpressions":[{"key":"zone","operator":"Exists","values":["a"]}]}])", false},
    {"AnUnknownOperator",
     R"([{"matchExpressions":[{"key":"zone","operator":"Like","values":["a"]}]}])", false},
    {"AMalformedKey", R"([{"matchExpressions":[{"key":"a b","operator":"DoesNotExist"}]}])", false},
    {"AMalformedValue",
     R"([{"matchExpressions":[{"key":"zone","operator":"NotIn","values":["a b"]}]}])", false},
    {"AMalformedTermIsSkipped", R"([{"matchExpressions":[{"key":"a b","operator":"Exists"}]},
         {"matchExpressions":[{"key":"zone","operator":"Exists"}]}])",
     true},
    {"TheFieldName",
     R"([{"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}])", true},
    {"AnotherFieldName",
     R"([{"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["n"]}]}])", false},
    {"AnUnknownField", R"([{"matchFields":[{"key":"spec.x","operator":"In","values":["n"]}]}])",
     false},
    {"TwoFieldValues",
     R"([{"matchFields":[{"key":"metadata.name","operator":"In","values":["n","m"]}]}])", false},
    {"AFieldOperator", R"([{"matchFields":[{"key":"metadata.name","operator":"Exists"}]}])", false},
    {"FieldsAndLabels", R"([{"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}],
                           "matchExpressions":[{"key":"zone","operator":"In","values":["b"]}]}])",
     false},
    {"WrongTypes", R"([7,"x",{"matchExpressions":{}},{"matchFields":"n"}])", false},
};

struct TaintCase {
  const char* name;
  const char* spec;
  const char* taints;
  Eligibility wanted;
};
const TaintCase kTaintCases[] = {
    {"NoSchedule", "{}", R"([{"key":"k","effect":"NoSchedule"}])", {false, true}},
    {"NoExecute", "{}", R"([{"key":"k","effect":"NoExecute"}])", {false, false}},
    {"Both",
     "{}",
     R"([{"key":"k","effect":"NoExecute"},{"key":"l","effect":"NoSchedule"}])",
     {false, false}},
    {"PreferNoSchedule", "{}", R"([{"key":"k","effect":"PreferNoSchedule"}])", {true, true}},
    {"AnEmptyKeyToleratesAll",
     R"({"tolerations":[{"operator":"Exists"}]})",
     R"([{"key":"k","effect":"NoExecute"}])",
     {true, true}},
    {"AnEffectOnly",
     R"({"tolerations":[{"operator":"Exists","effect":"NoSchedule"}]})",
     R"([{"key":"k","effect":"NoExecute"}])",
     {false, false}},
    {"AnEmptyOperatorIsEqual",
     R"({"tolerations":[{"key":"k","value":"v"}]})",
     R"([{"key":"k","value":"v","effect":"NoExecute"}])",
     {true, true}},
    {"AnotherValue",
     R"({"tolerations":[{"key":"k","value":"v"}]})",
     R"([{"key":"k","value":"w","effect":"NoSchedule"}])",
     {false, true}},
    {"AComparisonToleratesNothing",
     R"({"tolerations":[{"key":"k","operator":"Gt","value":"1"}]})",
     R"([{"key":"k","value":"2","effect":"NoSchedule"}])",
     {false, true}},
    {"ATimeLimitIsNoLimitHere",
     R"({"tolerations":[{"key":"k","operator":"Exists","tolerationSeconds":1}]})",
     R"([{"key":"k","effect":"NoExecute"}])",
     {true, true}},
    {"NetworkUnavailable",
     "{}",
     R"([{"key":"node.kubernetes.io/network-unavailable","effect":"NoSchedule"}])",
     {false, true}},
    {"NetworkUnavailableInHostNetwork",
     R"({"hostNetwork":true})",
     R"([{"key":"node.kubernetes.io/network-unavailable","effect":"NoSchedule"}])",
     {true, true}},
    {"UnschedulableWithNoExecute",
     "{}",
     R"([{"key":"node.kubernetes.io/unschedulable","effect":"NoExecute"}])",
     {false, false}},
    {"ANodeThatIsNotSelected", R"({"nodeName":"m"})", "[]", {false, false}},
};

class SelectionTest : public ::testing::TestWithParam<SelectionCase> {};
TEST_P(SelectionTest, DecidesTogetherAboutRunningAndKeeping) {
  const bool selected = GetParam().selected;
  EXPECT_EQ(judge(GetParam().spec), (Eligibility{selected, selected}));
}
INSTANTIATE_TEST_SUITE_P(Selectors, SelectionTest, ::testing::ValuesIn(kSelectionCases),
                         [](const auto& each) { return std::string(each.param.name); });

class TermTest : public ::testing::TestWithParam<TermCase> {};
TEST_P(TermTest, OneTermHasToHold) {
  const bool selected = GetParam().selected;
  EXPECT_EQ(judge(affinity(GetParam().terms)), (Eligibility{selected, selected}));
}
INSTANTIATE_TEST_SUITE_P(Terms, TermTest, ::testing::ValuesIn(kTermCases),
                         [](const auto& each) { return std::string(each.param.name); });

class TaintTest : public ::testing::TestWithParam<TaintCase> {};
TEST_P(TaintTest, ItsEffectDecidesAboutPodsThatAreThere) {
  EXPECT_EQ(judge(GetParam().spec, GetParam().taints), GetParam().wanted);
}
INSTANTIATE_TEST_SUITE_P(Taints, TaintTest, ::testing::ValuesIn(kTaintCases),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace davit::daemonset
