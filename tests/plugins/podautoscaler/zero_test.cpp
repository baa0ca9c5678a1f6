/// HPA152 to HPA160: scaling to and from zero.
#include "tests/plugins/podautoscaler/fixture.hpp"

namespace davit::podautoscaler {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ZeroTest : public AutoscalerTest {
 protected:
  static constexpr const char* kGate = R"(,"scaleToZero":"on")";

  void of(const std::string& queue, const std::string& metrics = external_metric("value 10"),
          const std::string& spec = R"(,"minReplicas":0)") {
    target(3);
    pods(3);
    external("q", {queue});
    autoscaler(metrics, spec);
    start(kGate);
  }
  void remove_pods() {
    counted(0);
    for (const char* each : {"p1", "p2", "p3"}) {
      cluster_.erase<Pod>({"default", each});
    }
  }
  /// HPA152 and the end of the pods.
  void to_zero() {
    of("0");
    periods(2);
    ASSERT_EQ(replicas(), 0);
    remove_pods();
  }
};

TEST_F(ZeroTest, HPA152_EmptyQueueScalesToZero) {
  of("0");
  periods(2);
  EXPECT_EQ(replicas(), 0);
  EXPECT_EQ(condition("ScaledToZero"),
            "True ScaledToZero the HPA controller scaled the workload to zero");
  EXPECT_EQ(status().at({"currentReplicas"})->integer(), 3);
  periods();
  EXPECT_EQ(status().at({"desiredReplicas"})->integer(), 0);
}

TEST_F(ZeroTest, HPA153_QueueScalesUpFromZero) {
  to_zero();
  external("q", {"25"});
  periods();
  EXPECT_EQ(replicas(), 3);
  EXPECT_EQ(condition("ScaledToZero"),
            "False NotScaledToZero the HPA controller did not scale the workload to zero");
}

TEST_F(ZeroTest, HPA154_TargetThatAPersonScaledToZeroStays) {
  of("10");
  periods();
  target(0);
  external("q", {"25"});
  periods(3);
  EXPECT_EQ(replicas(), 0);
  EXPECT_THAT(condition("ScalingActive"), StartsWith("False ScalingDisabled"));
}

TEST_F(ZeroTest, HPA155_RestartAtZeroDoesNotForget) {
  to_zero();
  cluster_.stop(kController);
  external("q", {"25"});
  start(kGate);
  periods();
  EXPECT_EQ(replicas(), 3);
}

TEST_F(ZeroTest, HPA156_MinThatIsRaisedScalesUpFromZero) {
  to_zero();
  cluster_.merge<Autoscaler>({"default", "web"}, R"({"spec":{"minReplicas":2}})");
  periods(2);
  EXPECT_EQ(replicas(), 2);
  EXPECT_THAT(events(), Contains("Normal SuccessfulRescale New size: 2; reason: "));
  EXPECT_THAT(condition("ScaledToZero"), StartsWith("False"));
}

TEST_F(ZeroTest, HPA156_WithBehaviorTheReasonIsNamed) {
  of("0", external_metric("value 10"),
     R"(,"minReplicas":0,"behavior":{"scaleDown":{"stabilizationWindowSeconds":0}})");
  periods(2);
  ASSERT_EQ(replicas(), 0);
  remove_pods();
  cluster_.merge<Autoscaler>({"default", "web"}, R"({"spec":{"minReplicas":2}})");
  periods(2);
  EXPECT_EQ(replicas(), 2);
  EXPECT_THAT(events(), Contains("Normal SuccessfulRescale New size: 2; reason: Current number of "
                                 "replicas below Spec.MinReplicas"));
}

TEST_F(ZeroTest, HPA157_ConflictOfTheStatusDoesNotLoseTheZero) {
  of("0");
  periods();
  Fault conflict{.verb = Verb::kUpdate, .resource = "horizontalpodautoscalers"};
  conflict.http_status = 409;
  conflict.reason = "Conflict";
  cluster_.fail_next(conflict);
  periods(2);
  EXPECT_EQ(replicas(), 0);
  EXPECT_THAT(condition("ScaledToZero"), StartsWith("True")) << "D3";
}

TEST_F(ZeroTest, HPA158_BrokenResourceMetricBlocksOnlyTheWayDown) {
  to_zero();
  cluster_.modify<Autoscaler>({"default", "web"}, [](Json& object) {
    object["spec"]["metrics"].push_back(Json::must(resource("utilization 100")));
  });
  external("q", {"25"});
  periods();
  EXPECT_EQ(replicas(), 3);
  external("q", {"0"});
  pods(3);
  periods(3);
  EXPECT_EQ(replicas(), 3);
}

TEST_F(ZeroTest, HPA159_AverageValueFromZeroShowsTheValue) {
  of("0", external_metric("average 4"));
  periods(2);
  ASSERT_EQ(replicas(), 0);
  remove_pods();
  external("q", {"25"});
  periods();
  EXPECT_EQ(replicas(), 4);
  EXPECT_THAT(condition("ScalingLimited"), StartsWith("True ScaleUpLimit"));
  EXPECT_THAT(current_metrics(), HasSubstr(R"("averageValue":"25")")) << "D2";
}

TEST_F(ZeroTest, HPA160_WithoutTheGateTheConditionGoes) {
  to_zero();
  cluster_.stop(kController);
  start();
  periods(2);
  EXPECT_THAT(condition("ScalingActive"), StartsWith("False ScalingDisabled"));
  EXPECT_EQ(condition("ScaledToZero"), "");
  EXPECT_EQ(replicas(), 0);
}

}  // namespace
}  // namespace davit::podautoscaler
