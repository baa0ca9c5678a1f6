/// Metrics, targets and objects that make no sense. Tests of rows have the rest: HPA29, HPA30,
/// HPA76, HPA81, HPA86, HPA87, HPA99, HPA113 to HPA115, HPA126 to HPA128 and HPA151.
#include "tests/plugins/podautoscaler/fixture.hpp"

namespace davit::podautoscaler {
namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

class BadInputTest : public AutoscalerTest {
 protected:
  /// The item of a PodMetricsList.
  static std::string item(const std::string& name, const std::string& cpu,
                          const std::string& timestamp = "2024-05-01T12:00:00Z") {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"default"},"timestamp":")" +
           timestamp + R"(","window":"15s","containers":[{"name":"c","usage":{"cpu":")" + cpu +
           "\"}}]}";
  }
  void answer_items(const std::string& items) {
    pod_metrics(R"({"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},)"
                R"("items":[)" +
                items + "]}");
  }
  /// The metric fails and the number stays, as this often as it is answered.
  void expect_refused() {
    periods(3);
    EXPECT_THAT(condition("ScalingActive"), StartsWith("False FailedGetResourceMetric"));
    EXPECT_EQ(replicas(), 3);
    EXPECT_EQ(scale_writes(), 0U);
  }
};

TEST_F(BadInputTest, OldSamplesOfReadyPodsCountAsUpstream) {
  set_up(3, {"100", "100", "100"});
  answer_items(item("p1", "200m", "2001-01-01T00:00:00Z") + "," +
               item("p2", "200m", "2001-01-01T00:00:00Z") + "," +
               item("p3", "200m", "2001-01-01T00:00:00Z"));
  periods();
  EXPECT_EQ(replicas(), 6) << "HPA99 has pods that started later than their samples";
  EXPECT_THAT(condition("ScalingActive"), StartsWith("True"));
}

TEST_F(BadInputTest, NegativeUsageScalesToMinAndNeverBelow) {
  set_up(3, {"-500m", "-500m", "-500m"}, R"(,"minReplicas":2)");
  periods(4);
  EXPECT_EQ(replicas(), 2);
}

TEST_F(BadInputTest, HugeUsageScalesUp) {
  set_up(3, {"9e18", "9e18", "9e18"});
  periods();
  EXPECT_EQ(replicas(), 6) << "D2";
}

TEST_F(BadInputTest, SamplesOfPodsThatAreGoneDoNotScale) {
  set_up(3, {"100", "100", "100"});
  answer_items(item("p1", "100m") + "," + item("p2", "100m") + "," + item("p3", "100m") + "," +
               item("gone-1", "90000m") + "," + item("gone-2", "90000m"));
  periods(3);
  EXPECT_EQ(scale_writes(), 0U);
}

TEST_F(BadInputTest, AnswerOfAnotherKindIsNoMetric) {
  set_up(3, {});
  pod_metrics(R"({"kind":"Status","apiVersion":"v1","status":"Success"})");
  expect_refused();
}

TEST_F(BadInputTest, AnswerThatIsCutIsNoMetric) {
  set_up(3, {});
  pod_metrics(R"({"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","items":[{"meta)");
  expect_refused();
}

TEST_F(BadInputTest, ItemsWithoutContainersAreNoSamples) {
  set_up(3, {});
  answer_items(R"({"metadata":{"name":"p1"},"timestamp":"2024-05-01T12:00:00Z","window":"15s"},
                  {"metadata":{"name":"p2"},"timestamp":"2024-05-01T12:00:00Z","window":"15s",
                   "containers":[]},7,null)");
  expect_refused();
}

TEST_F(BadInputTest, ApiOfHalfTheMetricsScalesByTheOtherHalfUpOnly) {
  set_up(3, {"200", "200", "200"});
  cluster_.merge<Autoscaler>({"default", "web"}, R"({"spec":{"metrics":[)" +
                                                     resource("utilization 100") + "," +
                                                     external_metric("value 10") + "]}}");
  periods();
  EXPECT_EQ(replicas(), 6);
}

TEST_F(BadInputTest, TargetOfTheNameInAnotherNamespaceIsNotTouched) {
  set_up(2, {"150", "150"});
  cluster_.add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"other"}})");
  cluster_.add(R"({"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"web",
      "namespace":"other"},"spec":{"replicas":2,"selector":{"app":"web"},"template":{"metadata":{
      "labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"x"}]}}}})");
  cluster_.modify<Autoscaler>({"default", "web"}, [](Json& object) {
    object["spec"]["scaleTargetRef"]["namespace"] = "other";
  });
  periods(2);
  const Json other = cluster_.json<ReplicationController>({"other", "web"});
  EXPECT_EQ(other.at({"spec", "replicas"})->integer(), 2);
  EXPECT_EQ(replicas(), 3);
}

TEST_F(BadInputTest, KindOfTheClusterIsAskedForInTheNamespaceAndNotFound) {
  autoscaler(resource("utilization 100"));
  cluster_.modify<Autoscaler>(
      {"default", "web"}, [](Json& object) { object["spec"]["scaleTargetRef"]["kind"] = "Node"; });
  start();
  periods(2);
  EXPECT_THAT(condition("AbleToScale"), StartsWith("False FailedGetScale")) << "Q17";
}

TEST_F(BadInputTest, PersonWhoScalesIsFollowedWithinTheBoundsAndCorrectedOnceBeyondThem) {
  set_up(3, {"100", "100", "100"});
  periods(2);
  const auto scale_by_hand = [this](int to) {
    cluster_.modify<ReplicationController>({"default", "web"},
                                           [to](Json& object) { object["spec"]["replicas"] = to; });
    cluster_.clear_records();
    periods(2);
  };
  scale_by_hand(7);
  EXPECT_EQ(replicas(), 7) << "the metrics fit, and keep the number that is";
  EXPECT_EQ(scale_writes(), 0U);
  scale_by_hand(200);
  EXPECT_EQ(replicas(), 100);
  EXPECT_EQ(scale_writes(), 1U);
}

TEST_F(BadInputTest, MinAboveMaxAsAnOlderServerStoredItTakesTurnsAsUpstream) {
  set_up(3, {"900", "900", "900"}, R"(,"minReplicas":5,"maxReplicas":2)");
  periods();
  EXPECT_EQ(replicas(), 2);
  periods();
  EXPECT_EQ(replicas(), 5);
  periods();
  EXPECT_EQ(replicas(), 2);
  EXPECT_THAT(cluster_.requests_of(Verb::kList, "pods"), IsEmpty()) << "no metric is read";
}

TEST_F(BadInputTest, PodThatStartsInTheFutureStopsNothing) {
  target(3);
  pods(2);
  pod("p3", [](Json& object) {
    object["status"]["startTime"] = "2124-05-01T11:00:00Z";
    object["status"]["conditions"].items()[0]["lastTransitionTime"] = "2124-05-01T11:00:00Z";
  });
  usage({"250", "250", "900"});
  autoscaler(resource("utilization 100"));
  start();
  periods();
  EXPECT_EQ(replicas(), 5) << "the sample is from before the pod was ready";
}

TEST_F(BadInputTest, WallClockThatJumpsAheadNeitherStopsNorHurriesSyncs) {
  set_up(3, {"100", "100", "100"});
  periods(2);
  cluster_.set_wall_clock(cluster_.wall_now() + 24h * 365);
  cluster_.clear_records();
  periods(3);
  EXPECT_EQ(cluster_.requests_of(Verb::kGet, "replicationcontrollers", "scale").size(), 3U);
  EXPECT_EQ(replicas(), 3);
}

}  // namespace
}  // namespace davit::podautoscaler
