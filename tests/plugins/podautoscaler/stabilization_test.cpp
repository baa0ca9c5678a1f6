/// HPA136 to HPA151: stabilisation and behavior.
#include "tests/plugins/podautoscaler/fixture.hpp"

namespace davit::podautoscaler {
namespace {

using ::testing::StartsWith;

class StabilizationTest : public AutoscalerTest {
 protected:
  static constexpr const char* kWindow8 =
      R"(,"horizontalPodAutoscalerDownscaleStabilizationWindow":"8s")";

  void of(int count, const std::string& milli, const std::string& spec = "",
          const std::string& more = "") {
    target(count);
    pods(count);
    all_use(count, milli);
    autoscaler(resource("utilization 100"), spec);
    start(more);
  }
  void all_use(int count, const std::string& milli) {
    usage(std::vector<std::string>(static_cast<std::size_t>(count), milli));
  }
  /// Makes the pods as many as the replicas, each under this use.
  void follow(const std::string& milli) {
    pods(replicas());
    counted(replicas());
    all_use(replicas(), milli);
  }
};

TEST_F(StabilizationTest, HPA136_ScaleDownWaitsForTheWindow) {
  of(3, "1", "", kWindow8);
  periods();
  EXPECT_EQ(condition("AbleToScale"),
            "True ScaleDownStabilized recent recommendations were higher than current one, "
            "applying the highest recent recommendation");
  EXPECT_THAT(condition("ScalingLimited"), StartsWith("False DesiredWithinRange"));
  periods(3);
  EXPECT_EQ(replicas(), 3) << "6 s after the first sync";
  periods(2);
  EXPECT_EQ(replicas(), 1);
}

TEST_F(StabilizationTest, HPA137_BehaviorWithoutAWindowHasThatOfTheFlag) {
  of(3, "1", R"(,"behavior":{"scaleDown":{}})", kWindow8);
  periods();
  EXPECT_THAT(condition("AbleToScale"), StartsWith("True ScaleDownStabilized"));
  periods(3);
  EXPECT_EQ(replicas(), 3);
  periods(2);
  EXPECT_EQ(replicas(), 1);
}

TEST_F(StabilizationTest, HPA138_DipInsideTheWindowScalesNothing) {
  of(3, "100", "", kWindow8);
  periods(2);
  all_use(3, "1");
  periods(2);
  all_use(3, "100");
  periods(8);
  EXPECT_EQ(replicas(), 3);
}

TEST_F(StabilizationTest, HPA139_RestartBeginsTheWindowAgain) {
  of(3, "1", "", kWindow8);
  periods(3);
  cluster_.stop(kController);
  start(kWindow8);
  periods(4);
  EXPECT_EQ(replicas(), 3);
  periods(2);
  EXPECT_EQ(replicas(), 1);
}

TEST_F(StabilizationTest, HPA140_SwapKeepsTheWindow) {
  of(3, "1", "", kWindow8);
  periods(3);
  ASSERT_TRUE(cluster_.swap(kController, &AutoscalerController::open, config(kWindow8)).ok());
  periods(3);
  EXPECT_EQ(replicas(), 1) << "D6";
}

TEST_F(StabilizationTest, HPA141_ScaleDownIsLimitedByItsPolicies) {
  of(5, "1",
     R"(,"behavior":{"scaleDown":{"stabilizationWindowSeconds":0,"policies":[)"
     R"({"type":"Pods","value":1,"periodSeconds":10}]}})");
  periods();
  EXPECT_EQ(replicas(), 4);
  EXPECT_EQ(condition("ScalingLimited"),
            "True ScaleDownLimit the desired replica count is decreasing faster than the maximum "
            "scale rate");
  periods(4);
  EXPECT_EQ(replicas(), 4);
  periods(2);
  EXPECT_EQ(replicas(), 3);
}

TEST_F(StabilizationTest, HPA142_ScaleUpIsLimitedByItsPolicies) {
  of(3, "900",
     R"(,"behavior":{"scaleUp":{"policies":[)"
     R"({"type":"Pods","value":2,"periodSeconds":10}]}})");
  periods();
  EXPECT_EQ(replicas(), 5);
  EXPECT_THAT(condition("ScalingLimited"), StartsWith("True ScaleUpLimit"));
  periods(4);
  EXPECT_EQ(replicas(), 5);
  periods(2);
  EXPECT_EQ(replicas(), 7);
}

TEST_F(StabilizationTest, SwapKeepsTheRates) {
  of(3, "900",
     R"(,"behavior":{"scaleUp":{"policies":[)"
     R"({"type":"Pods","value":2,"periodSeconds":10}]}})");
  periods();
  EXPECT_EQ(replicas(), 5);
  ASSERT_TRUE(cluster_.swap(kController, &AutoscalerController::open, config("")).ok());
  periods(4);
  EXPECT_EQ(replicas(), 5) << "D6";
  periods(2);
  EXPECT_EQ(replicas(), 7);
}

TEST_F(StabilizationTest, HPA143_ScaleUpMayBeDisabled) {
  of(3, "900", R"(,"behavior":{"scaleUp":{"selectPolicy":"Disabled"}})");
  periods(3);
  EXPECT_EQ(replicas(), 3);
  EXPECT_THAT(condition("ScalingLimited"), StartsWith("True ScaleUpLimit"));
}

TEST_F(StabilizationTest, HPA144_ScaleDownMayBeDisabled) {
  of(3, "1",
     R"(,"behavior":{"scaleDown":{"selectPolicy":"Disabled",)"
     R"("stabilizationWindowSeconds":0}})");
  periods(3);
  EXPECT_EQ(replicas(), 3);
  EXPECT_THAT(condition("ScalingLimited"), StartsWith("True ScaleDownLimit"));
}

TEST_F(StabilizationTest, HPA145_ScaleUpMayWaitForAWindow) {
  of(3, "200", R"(,"behavior":{"scaleUp":{"stabilizationWindowSeconds":8}})");
  periods();
  EXPECT_EQ(condition("AbleToScale"),
            "True ScaleUpStabilized recent recommendations were lower than current one, applying "
            "the lowest recent recommendation");
  periods(3);
  EXPECT_EQ(replicas(), 3);
  periods(2);
  EXPECT_EQ(replicas(), 6);
}

TEST_F(StabilizationTest, HPA146_WithoutBehaviorTheLimitIsOfOneSync) {
  of(1, "900");
  for (const int expected : {4, 8, 9}) {
    periods();
    EXPECT_EQ(replicas(), expected);
    follow(expected < 9 ? "225" : "100");
    if (expected == 4) all_use(4, "225");
    if (expected == 8) all_use(8, "112");
  }
}

TEST_F(StabilizationTest, HPA146_WithBehaviorTheLimitIsOfAPeriod) {
  of(1, "900", R"(,"behavior":{"scaleUp":{}})");
  periods();
  EXPECT_EQ(replicas(), 5) << "Q8";
  follow("180");
  periods(6);
  EXPECT_EQ(replicas(), 5);
  periods(2);
  EXPECT_EQ(replicas(), 9);
}

TEST_F(StabilizationTest, HPA147_MaxLimitsBeforeThePolicies) {
  of(3, "900",
     R"(,"maxReplicas":4,"behavior":{"scaleUp":{"policies":[)"
     R"({"type":"Pods","value":2,"periodSeconds":10}]}})");
  periods();
  EXPECT_EQ(replicas(), 4);
  EXPECT_THAT(condition("ScalingLimited"), StartsWith("True TooManyReplicas"));
}

TEST_F(StabilizationTest, HPA148_MinLimitsScalingDown) {
  of(3, "1", R"(,"minReplicas":2,"behavior":{"scaleDown":{"stabilizationWindowSeconds":0}})");
  periods();
  EXPECT_EQ(replicas(), 2);
  EXPECT_THAT(condition("ScalingLimited"), StartsWith("True TooFewReplicas"));
}

TEST_F(StabilizationTest, HPA149_ToleranceOfTheAutoscalerCounts) {
  of(3, "110", R"(,"behavior":{"scaleUp":{"tolerance":"0.05"}})");
  periods();
  EXPECT_EQ(replicas(), 4);
}

TEST_F(StabilizationTest, HPA149_ToleranceOfTheAutoscalerHasAGate) {
  of(3, "110", R"(,"behavior":{"scaleUp":{"tolerance":"0.05"}})",
     R"(,"configurableTolerance":"off")");
  periods(3);
  EXPECT_EQ(replicas(), 3);
}

TEST_F(StabilizationTest, HPA150_EachDirectionHasItsTolerance) {
  of(3, "130",
     R"(,"behavior":{"scaleUp":{"tolerance":"0.5"},)"
     R"("scaleDown":{"stabilizationWindowSeconds":0}})");
  periods(3);
  EXPECT_EQ(replicas(), 3);
  all_use(3, "80");
  periods(2);
  EXPECT_EQ(replicas(), 3) << "ceil(2.4)";
}

TEST_F(StabilizationTest, HPA150_DirectionWithoutAToleranceHasThatOfTheFlag) {
  of(10, "80",
     R"(,"behavior":{"scaleUp":{"tolerance":"0.5"},)"
     R"("scaleDown":{"stabilizationWindowSeconds":0}})");
  periods();
  EXPECT_EQ(replicas(), 8);
}

TEST_F(StabilizationTest, HPA151_WallClockThatIsSetDoesNotMatter) {
  of(3, "1", "", kWindow8);
  periods(2);
  cluster_.set_wall_clock(cluster_.wall_now() - 1h);
  periods(4);
  EXPECT_EQ(replicas(), 1);
}

TEST_F(StabilizationTest, StateThatNoBuildWroteIsRefused) {
  of(3, "1");
  for (const char* text : {"{}", "[]", R"({"histories":[{}],"selectors":{}})",
                           R"({"histories":[],"selectors":{"default/web":"a in ("}})",
                           R"({"histories":[],"selectors":[]})"}) {
    EXPECT_FALSE(cluster_.give_state(kController, 1, text).ok()) << text;
  }
}

}  // namespace
}  // namespace davit::podautoscaler
