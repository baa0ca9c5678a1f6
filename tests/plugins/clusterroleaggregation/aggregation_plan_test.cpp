#include "plugins/clusterroleaggregation/aggregation_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>

namespace davit::clusterroles {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AggregationPlanTest : public ::testing::Test {
 protected:
  ClusterRole role(const std::string& name, const std::string& members) {
    return cluster_.view_of<ClusterRole>(R"({"metadata":{"name":")" + name + R"(",)" + members +
                                         "}");
  }
  testing::Cluster cluster_;
};

TEST_F(AggregationPlanTest, RuleIsWrittenInAFixedOrderWithoutEmptyLists) {
  EXPECT_EQ(rule_text(cluster_.value(R"({"resources":["pods","pods/log"],"resourceNames":[],
                                         "apiGroups":[""],"verbs":["get","list"]})")),
            R"({"verbs":["get","list"],"apiGroups":[""],"resources":["pods","pods/log"]})");
  EXPECT_EQ(rule_text(cluster_.value(R"({"nonResourceURLs":["/a"],"verbs":["get"]})")),
            R"({"verbs":["get"],"nonResourceURLs":["/a"]})");
  EXPECT_EQ(rule_text(cluster_.value("{}")), "{}");
}

TEST_F(AggregationPlanTest, RoleWithoutRulesHasNone) {
  EXPECT_THAT(rule_texts(Value()), ElementsAre());
  EXPECT_THAT(rule_texts(cluster_.value("null")), ElementsAre());
}

TEST_F(AggregationPlanTest, BodyWithoutRulesDoesNotNameThem) {
  EXPECT_EQ(apply_body("c", {}), R"({"kind":"ClusterRole",)"
                                 R"("apiVersion":"rbac.authorization.k8s.io/v1",)"
                                 R"("metadata":{"name":"c"}})");
}

TEST_F(AggregationPlanTest, SelectorThatCannotBeReadIsAnError) {
  const ClusterRole aggregated = role("c", R"("labels":{}},"aggregationRule":{
      "clusterRoleSelectors":[{"matchExpressions":[{"key":"a","operator":"Near"}]}]})");
  const auto rules = aggregated_rules(aggregated, {aggregated});
  ASSERT_FALSE(rules);
  EXPECT_EQ(rules.error().code(), Code::kInvalid);
  EXPECT_THAT(rules.error().message(), HasSubstr("Near"));
}

TEST_F(AggregationPlanTest, RoleThatTwoSelectorsMatchCountsOnce) {
  const ClusterRole aggregated = role("c", R"("labels":{}},"aggregationRule":{
      "clusterRoleSelectors":[{"matchLabels":{"a":"1"}},{"matchLabels":{"b":"1"}}]})");
  const ClusterRole source =
      role("s", R"("labels":{"a":"1","b":"1"}},"rules":[{"verbs":["get"]},{"verbs":["list"]}])");
  const auto rules = aggregated_rules(aggregated, {source, aggregated});
  ASSERT_TRUE(rules);
  EXPECT_THAT(*rules, ElementsAre(R"({"verbs":["get"]})", R"({"verbs":["list"]})"));
}

}  // namespace
}  // namespace davit::clusterroles
