#include "sandbox/metrics/metric_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

using testing::HasSubstr;

std::string mistake_in(const char* text) {
  const Result<std::vector<MetricRule>> rules = parse_metric_rules(json_literal(text));
  return rules ? "none" : rules.error().message();
}

struct RuleMistake {
  const char* rule;
  const char* mistake;
};

class RuleMistakeTest : public testing::TestWithParam<RuleMistake> {};

TEST_P(RuleMistakeTest, IsNamedWithItsPlace) {
  EXPECT_THAT(mistake_in(GetParam().rule), HasSubstr(GetParam().mistake));
}

INSTANTIATE_TEST_SUITE_P(
    Rules, RuleMistakeTest,
    testing::Values(
        RuleMistake{R"({"type":"x"})", "type: must be one of resource"},
        RuleMistake{R"([{"type":"x"}])", "[0].type: must be one of"},
        RuleMistake{R"(7)", "must be an object"},
        RuleMistake{R"({"type":"resource","cpu":"1"})", "namespace: is needed"},
        RuleMistake{R"({"type":"resource","namespace":"d"})", "needs one of cpu"},
        RuleMistake{R"({"type":"resource","namespace":"d","cpu":"x"})", "cpu: must be a quantity"},
        RuleMistake{R"({"type":"resource","namespace":"d","cpu":"-1"})", "cpu: must not be neg"},
        RuleMistake{R"({"type":"resource","namespace":"d","cpu":"1","selector":"a in ("})",
                    "selector: "},
        RuleMistake{R"({"type":"resource","namespace":"d","cpu":"1","share":"all"})",
                    "share: must be each or total"},
        RuleMistake{R"({"type":"resource","namespace":"d","cpu":"50%","share":"total"})",
                    "cpu: must not be a percentage here"},
        RuleMistake{R"({"type":"resource","namespace":"*","cpu":"1","share":"total"})",
                    "namespace: must be one"},
        RuleMistake{R"-({"type":"resource","namespace":"d","cpu":"share(1)"})-",
                    "use share: total"},
        RuleMistake{R"({"type":"resource","namespace":"d","cpu":"1","metric":"x"})",
                    "metric: is not known here"},
        RuleMistake{R"({"type":"custom","namespace":"d","resource":"pods","metric":"a/b",
                        "value":1})",
                    "metric: must not contain /"},
        RuleMistake{R"({"type":"custom","namespace":"d","resource":"pods","metric":"m"})",
                    "value: is needed"},
        RuleMistake{R"({"type":"external","namespace":"d","metric":"m","value":"5%"})",
                    "value: must not be a percentage"},
        RuleMistake{R"({"type":"external","namespace":"d","metric":"m","value":5,
                        "labels":{"a":1}})",
                    "labels: must have texts"},
        RuleMistake{R"({"type":"raw","path":"/api/v1/pods","body":""})", "path: must begin"},
        RuleMistake{R"({"type":"raw","path":"/apis/metrics.k8s.io/v1beta1/pods"})",
                    "body: is needed"}));

TEST(MetricRuleTest, ListsAreAllOrNothing) {
  EXPECT_EQ(mistake_in(R"([{"type":"external","namespace":"*","metric":"q","value":-20},
      {"type":"resource","node":"n","cpu":"1"},
      {"type":"resource","namespace":"d","absent":true},
      {"type":"custom","namespace":"d","group":"networking.k8s.io","resource":"ingresses",
       "name":"web","metric":"hits","value":"7","windowSeconds":60},
      {"type":"raw","path":"/apis/custom.metrics.k8s.io/v1beta2/x","code":500,"body":{"a":1}}])"),
            "none");
}

}  // namespace
}  // namespace davit::sandbox
