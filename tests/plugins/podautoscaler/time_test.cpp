/// HPA55 to HPA69: time, queue, writes.
#include "tests/plugins/podautoscaler/fixture.hpp"

namespace davit::podautoscaler {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(AutoscalerTest, HPA55_FirstSyncIsAPeriodAfterTheCreationAndThenOneAPeriod) {
  set_up(3, {"100", "100", "100"});
  cluster_.advance(1900ms);
  EXPECT_THAT(requests(), IsEmpty());
  cluster_.advance(100ms);
  EXPECT_THAT(requests(), Contains("get replicationcontrollers/web/scale 200"));
  cluster_.clear_records();
  cluster_.advance(20s);
  const auto reads = cluster_.requests_of(Verb::kGet, "replicationcontrollers", "scale").size();
  EXPECT_GE(reads, 8U);
  EXPECT_LE(reads, 10U);
}

TEST_F(AutoscalerTest, HPA56_ChangeOfTheSpecNeitherDelaysNorDoublesSyncs) {
  set_up(3, {"100", "100", "100"});
  periods(3);
  cluster_.merge<Autoscaler>({"default", "web"}, R"({"spec":{"maxReplicas":50}})");
  cluster_.clear_records();
  cluster_.advance(20s);
  EXPECT_LE(cluster_.requests_of(Verb::kGet, "replicationcontrollers", "scale").size(), 11U);
}

TEST_F(AutoscalerTest, HPA57_SteadyAutoscalerOnlyReads) {
  set_up(3, {"100", "100", "100"});
  periods(3);
  cluster_.clear_records();
  periods(5);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_GE(cluster_.requests_of(Verb::kGet, "replicationcontrollers", "scale").size(), 4U);
  EXPECT_GE(cluster_.requests_of(Verb::kList, "pods").size(), 4U);
}

TEST_F(AutoscalerTest, HPA58_RequestsOfAScaleUpComeInOrder) {
  set_up(2, {"150", "150"});
  periods();
  EXPECT_THAT(requests(), ElementsAre("get replicationcontrollers/web/scale 200", "list pods 200",
                                      "update replicationcontrollers/web/scale 200",
                                      "update horizontalpodautoscalers/web/status 200"));
  EXPECT_EQ(query_of("pods"), "labelSelector=app%3Dweb");
  EXPECT_EQ(cluster_.requests_of(Verb::kList, "pods").at(0).ns, "default");
  EXPECT_THAT(note_text<declare>(), HasSubstr(R"("clientName":"horizontal-pod-autoscaler")"))
      << "the end of the user agent; tests/live/conformance has the path and the agent as sent";
  EXPECT_EQ(replicas(), 3);
}

TEST_F(AutoscalerTest, HPA59_ScaleIsWrittenWithTheVersionThatWasRead) {
  set_up(2, {"150", "150"});
  const Json before = cluster_.json<ReplicationController>({"default", "web"});
  periods();
  const Json body =
      cluster_.requests_of(Verb::kUpdate, "replicationcontrollers", "scale").at(0).json();
  EXPECT_EQ(body.text_at({"metadata", "uid"}), before.text_at({"metadata", "uid"}));
  EXPECT_EQ(body.text_at({"metadata", "resourceVersion"}),
            before.text_at({"metadata", "resourceVersion"}));
  EXPECT_EQ(body.at({"spec", "replicas"})->integer(), 3);
  EXPECT_EQ(body.at({"status", "replicas"})->integer(), 2);
  EXPECT_EQ(body.text_at({"apiVersion"}), "autoscaling/v1");
}

TEST_F(AutoscalerTest, HPA60_RescaleIsAnEventOfTheAutoscaler) {
  set_up(2, {"150", "150"});
  periods();
  ASSERT_THAT(events(),
              ElementsAre("Normal SuccessfulRescale New size: 3; reason: cpu resource utilization "
                          "(percentage of request) above target"));
  EXPECT_EQ(cluster_.events().front().api_version, "autoscaling/v2");
  EXPECT_EQ(cluster_.events().front().kind, "HorizontalPodAutoscaler");
}

TEST_F(AutoscalerTest, HPA61_StatusOfARescaleHasTheNumberOfBefore) {
  set_up(2, {"150", "150"});
  periods();
  const Json now = status();
  EXPECT_EQ(now.at({"currentReplicas"})->integer(), 2);
  EXPECT_EQ(now.at({"desiredReplicas"})->integer(), 3);
  EXPECT_EQ(now.text_at({"lastScaleTime"}), "2024-05-01T12:00:02Z");
  EXPECT_EQ(current_metrics(),
            R"([{"type":"Resource","resource":{"name":"cpu","current":{"averageValue":"150m",)"
            R"("averageUtilization":150}}}])");
  EXPECT_EQ(condition("AbleToScale"),
            "True SucceededRescale the HPA controller was able to update the target scale to 3");
  EXPECT_EQ(condition("ScalingLimited"),
            "False DesiredWithinRange the desired count is within the acceptable range");
  EXPECT_EQ(condition("ScalingActive"),
            "True ValidMetricFound the HPA was able to successfully calculate a replica count from "
            "cpu resource utilization (percentage of request)");
}

TEST_F(AutoscalerTest, HPA62_NextSyncReportsTheNewNumberAndKeepsTimes) {
  set_up(2, {"150", "150"});
  periods();
  pod("p3");
  usage({"100", "100", "100"});
  periods();
  const Json now = status();
  EXPECT_EQ(now.at({"currentReplicas"})->integer(), 3);
  EXPECT_EQ(condition("AbleToScale"),
            "True ReadyForNewScale recommended size matches current size");
  EXPECT_EQ(now.at({"conditions"})->items()[0].text_at({"lastTransitionTime"}),
            "2024-05-01T12:00:02Z");
  EXPECT_EQ(now.text_at({"lastScaleTime"}), "2024-05-01T12:00:02Z");
}

TEST_F(AutoscalerTest, HPA63_ForeignConditionStaysAndObservedGenerationGoes) {
  set_up(3, {"100", "100", "100"});
  periods(2);
  cluster_.modify<Autoscaler>({"default", "web"}, [](Json& object) {
    object["status"]["observedGeneration"] = 9;
    object["status"]["conditions"].push_back(
        Json::must(R"({"type":"Foo","status":"True","reason":"R","message":"m"})"));
  });
  periods(2);
  EXPECT_EQ(status().find("observedGeneration"), nullptr);
  EXPECT_EQ(condition("Foo"), "True R m");
  EXPECT_THAT(condition("AbleToScale"), StartsWith("True ReadyForNewScale"));
}

TEST_F(AutoscalerTest, HPA64_ConflictOfTheStatusLosesNoScaleTime) {
  set_up(2, {"150", "150"});
  Fault conflict{.verb = Verb::kUpdate, .resource = "horizontalpodautoscalers"};
  conflict.http_status = 409;
  conflict.reason = "Conflict";
  conflict.message = "the object has been modified";
  cluster_.fail_next(conflict);
  periods();
  EXPECT_THAT(events(), Contains("Warning FailedUpdateStatus the object has been modified"));
  EXPECT_EQ(status().text_at({"lastScaleTime"}), "2024-05-01T12:00:02Z") << "D3";
  EXPECT_THAT(condition("AbleToScale"), StartsWith("True SucceededRescale"));
}

TEST_F(AutoscalerTest, HPA65_LostMetricsOfOneHoldNoOther) {
  target(2, "other", R"("app":"other")");
  set_up(2, {"150", "150"});
  autoscaler(external_metric("value 10"), "", "other", "other");
  Fault lost{.verb = Verb::kList, .resource = "q"};
  lost.http_status = 0;
  answer("external", lost);
  periods(2);
  EXPECT_EQ(replicas(), 3);
  EXPECT_THAT(condition("ScalingActive", "other"), StartsWith("False FailedGetExternalMetric"));
}

TEST_F(AutoscalerTest, HPA66_ThousandAutoscalersOfFiveThousandPodsAskOnceEachPeriod) {
  constexpr std::size_t kAutoscalers = 1000;
  for (std::size_t i = 0; i < kAutoscalers; ++i) {
    const std::string name = "n" + std::to_string(i);
    target(5, name, "\"app\":\"" + name + "\"");
    // Two entries need one list.
    autoscaler(resource("average 100m") + "," + resource("average 1000m"), "", name, name);
    for (int k = 0; k < 5; ++k) {
      pod(name + "-" + std::to_string(k),
          [&](Json& object) { object["metadata"]["labels"]["app"] = name; });
    }
  }
  usage({"100", "100", "100", "100", "100"});
  start();
  periods(2);
  for (int period = 0; period < 2; ++period) {
    cluster_.clear_records();
    periods();
    EXPECT_EQ(cluster_.requests_of(Verb::kGet, "replicationcontrollers", "scale").size(),
              kAutoscalers);
    EXPECT_EQ(cluster_.requests_of(Verb::kList, "pods").size(), kAutoscalers);
    EXPECT_EQ(cluster_.requests().size(), 2 * kAutoscalers) << "nothing is written";
  }
}

TEST_F(AutoscalerTest, HPA67_RestartBeginsTheMemoryWithTheCurrentNumber) {
  set_up(3, {"100", "100", "100"});
  periods(2);
  cluster_.stop(kController);
  usage({"1", "1", "1"});
  start(R"(,"horizontalPodAutoscalerDownscaleStabilizationWindow":"8s")");
  cluster_.clear_records();
  periods();
  EXPECT_THAT(requests(), Contains("get replicationcontrollers/web/scale 200"));
  EXPECT_EQ(replicas(), 3) << "Q9";
  periods(6);
  EXPECT_EQ(replicas(), 1);
}

TEST_F(AutoscalerTest, HPA68_DeletedAutoscalerIsForgotten) {
  set_up(3, {"100", "100", "100"});
  periods(2);
  cluster_.remove<Autoscaler>({"default", "web"});
  periods();
  cluster_.clear_records();
  periods(5);
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(AutoscalerTest, HPA68_GaugesFollowTheAutoscalers) {
  set_up(3, {"100", "100", "100"});
  periods(2);
  const auto last = [this](const std::string& name) {
    double value = -1;
    for (const testing::MetricSample& each : cluster_.metrics()) {
      if (each.name == "horizontal_pod_autoscaler_controller_" + name) value = each.value;
    }
    return value;
  };
  EXPECT_EQ(last("num_horizontal_pod_autoscalers"), 1);
  EXPECT_EQ(last("desired_replicas"), 3);
  cluster_.remove<Autoscaler>({"default", "web"});
  cluster_.run_until_idle();
  EXPECT_EQ(last("num_horizontal_pod_autoscalers"), 0);
}

TEST_F(AutoscalerTest, HPA69_AutoscalerOfTheSameNameInheritsNothing) {
  target(3);
  pods(3);
  usage({"1", "1", "1"});
  autoscaler(resource("utilization 100"));
  start(R"(,"horizontalPodAutoscalerDownscaleStabilizationWindow":"20s")");
  periods(8);
  cluster_.erase<Autoscaler>({"default", "web"});
  autoscaler(resource("utilization 100"));
  cluster_.run_until_idle();
  periods(8);
  EXPECT_EQ(replicas(), 3) << "D5";
  periods(5);
  EXPECT_EQ(replicas(), 1);
}

}  // namespace
}  // namespace davit::podautoscaler
