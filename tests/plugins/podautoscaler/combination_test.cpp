/// HPA129 to HPA135: several metrics together.
#include "tests/plugins/podautoscaler/fixture.hpp"

namespace davit::podautoscaler {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CombinationTest : public AutoscalerTest {
 protected:
  /// Three pods under this use, and these entries.
  void of(const std::string& metrics, const std::string& milli) {
    target(3);
    pods(3);
    usage({milli, milli, milli});
    autoscaler(metrics);
    start();
  }
  [[nodiscard]] std::string active() const { return condition("ScalingActive"); }
  /// The labels of the last sample of a metric.
  [[nodiscard]] std::vector<std::string> labels_of(const std::string& name) const {
    std::vector<std::string> out;
    for (const testing::MetricSample& each : cluster_.metrics()) {
      if (each.name == "horizontal_pod_autoscaler_controller_" + name) out = each.labels;
    }
    return out;
  }
};

TEST_F(CombinationTest, HPA129_BrokenMetricDoesNotBlockScalingUp) {
  of(external_metric("value 10") + "," + resource("utilization 100"), "200");
  periods();
  EXPECT_EQ(replicas(), 6);
  EXPECT_THAT(active(), StartsWith("True ValidMetricFound"));
  EXPECT_THAT(current_metrics(), StartsWith(R"([{"type":""},{"type":"Resource")"));
  EXPECT_EQ(labels_of("reconciliations_total"), (std::vector<std::string>{"scale_up", "internal"}));
}

TEST_F(CombinationTest, HPA130_BrokenMetricBlocksScalingDown) {
  of(external_metric("value 10") + "," + resource("utilization 100"), "20");
  periods(3);
  EXPECT_EQ(replicas(), 3);
  EXPECT_THAT(active(), StartsWith("False FailedGetExternalMetric"));
}

TEST_F(CombinationTest, HPA131_BrokenMetricDoesNotBlockStanding) {
  of(external_metric("value 10") + "," + resource("utilization 100"), "100");
  periods(3);
  EXPECT_EQ(replicas(), 3);
  EXPECT_THAT(active(), StartsWith("True"));
  EXPECT_THAT(condition("AbleToScale"), StartsWith("True ReadyForNewScale"));
}

TEST_F(CombinationTest, HPA132_FirstFailureNamesTheReason) {
  of(external_metric("value 10") + "," + object_metric("value 10"), "100");
  periods();
  EXPECT_THAT(active(), StartsWith("False FailedGetExternalMetric"));
  EXPECT_THAT(events(), Contains(StartsWith("Warning FailedComputeMetricsReplicas invalid metrics "
                                            "(2 invalid out of 2), first error is: failed to get q "
                                            "external metric value: failed to get external metric "
                                            "q: ")));
}

TEST_F(CombinationTest, HPA133_LargestProposalWins) {
  external("q", {"13"});
  of(resource("utilization 100") + "," + external_metric("value 10"), "200");
  periods();
  EXPECT_EQ(replicas(), 6);
  EXPECT_THAT(active(), HasSubstr("from cpu resource utilization"));
}

TEST_F(CombinationTest, HPA133_FirstOfEqualProposalsNames) {
  external("q", {"20"});
  of(external_metric("value 10") + "," + resource("utilization 100"), "200");
  periods();
  EXPECT_EQ(replicas(), 6);
  EXPECT_THAT(active(), EndsWith("from external metric q(nil)"));
}

TEST_F(CombinationTest, HPA133_LastOfProposalsOfZeroNames) {
  external("q", {"0"});
  of(external_metric("value 10") + "," + external_metric("average 10"), "100");
  periods();
  EXPECT_THAT(active(), EndsWith("from external metric q(nil)"));
}

TEST_F(CombinationTest, HPA134_ObjectWithoutReadyPodsScalesToMin) {
  serve_custom_metrics();
  object_hits("20");
  target(2);
  for (const char* name : {"p1", "p2"}) {
    pod(name, [](Json& pod) { pod["status"]["conditions"].items()[0]["status"] = "False"; });
  }
  autoscaler(object_metric("value 10"));
  start();
  periods(2);
  EXPECT_EQ(replicas(), 1);
  EXPECT_THAT(events(), Contains(EndsWith("reason: All metrics below target")));
  EXPECT_THAT(condition("ScalingLimited"), StartsWith("True TooFewReplicas"));
}

TEST_F(CombinationTest, HPA135_AverageValueOfAnObjectIsCalledExternal) {
  serve_custom_metrics();
  object_hits("20");
  of(object_metric("average 4"), "100");
  periods();
  EXPECT_EQ(replicas(), 5);
  EXPECT_THAT(events(), Contains(EndsWith("reason: external metric hits(nil) above target")));
}

}  // namespace
}  // namespace davit::podautoscaler
