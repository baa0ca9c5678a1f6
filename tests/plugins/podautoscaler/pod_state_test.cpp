/// HPA93 to HPA111: pods and their state.
#include "tests/plugins/podautoscaler/fixture.hpp"

namespace davit::podautoscaler {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PodStateTest : public AutoscalerTest {
 protected:
  /// Three pods, the third one changed, under this use of cpu.
  void third(const std::function<void(Json&)>& edit, const std::vector<std::string>& milli,
             const std::string& metrics = "") {
    target(3);
    pods(2);
    pod("p3", edit);
    usage(milli);
    autoscaler(metrics.empty() ? resource("utilization 100") : metrics);
  }
  /// Runs two periods and gives the replicas.
  int outcome(const std::string& more = "") {
    start(more);
    periods(2);
    return replicas();
  }
  static Json& ready(Json& pod) { return pod["status"]["conditions"].items()[0]; }
  /// Two pods whose containers and use are these; the percent of the status.
  std::string utilization(const std::function<void(Json&)>& edit, const std::string& milli,
                          const std::string& metrics = "") {
    target(2);
    pod("p1", edit);
    pod("p2", edit);
    usage({milli, milli});
    autoscaler(metrics.empty() ? resource("utilization 100") : metrics);
    start();
    periods();
    const Json now = status();
    const auto& entry = now.at({"currentMetrics"})->items().at(0);
    for (const char* member : {"resource", "containerResource"}) {
      if (const Json* found = entry.at({member, "current", "averageUtilization"})) {
        return found->text();
      }
    }
    return condition("ScalingActive");
  }
};

TEST_F(PodStateTest, HPA93_PendingPodCountsAsIdle) {
  third([](Json& pod) { pod["status"]["phase"] = "Pending"; }, {"250", "250"});
  EXPECT_EQ(outcome(), 5);
}

TEST_F(PodStateTest, HPA94_FailedPodIsIgnored) {
  third([](Json& pod) { pod["status"]["phase"] = "Failed"; }, {"250", "250", "900"});
  EXPECT_EQ(outcome(), 5);
}

TEST_F(PodStateTest, HPA94_TerminatingPodIsIgnored) {
  third([](Json& pod) { pod["metadata"]["deletionTimestamp"] = "2024-05-01T12:00:00Z"; },
        {"250", "250", "900"});
  EXPECT_EQ(outcome(), 5);
}

TEST_F(PodStateTest, HPA95_SucceededPodWithoutAValueIsMissing) {
  third([](Json& pod) { pod["status"]["phase"] = "Succeeded"; }, {"250", "250", "-"});
  EXPECT_EQ(outcome(), 5);
}

TEST_F(PodStateTest, HPA96_PodThatNeverBecameReadyCountsAsIdle) {
  third(
      [](Json& pod) {
        ready(pod)["status"] = "False";
        ready(pod)["lastTransitionTime"] = "2024-05-01T11:00:05Z";
      },
      {"250", "250", "900"});
  EXPECT_EQ(outcome(), 5);
}

TEST_F(PodStateTest, HPA97_PodThatBecameUnreadyLaterCounts) {
  third(
      [](Json& pod) {
        ready(pod)["status"] = "False";
        ready(pod)["lastTransitionTime"] = "2024-05-01T11:50:00Z";
      },
      {"250", "250", "250"});
  start();
  periods();
  EXPECT_EQ(replicas(), 6);
  EXPECT_THAT(condition("ScalingLimited"), StartsWith("True ScaleUpLimit"));
}

TEST_F(PodStateTest, HPA98_PodWithoutStartTimeCountsAsIdle) {
  third([](Json& pod) { pod["status"].erase("startTime"); }, {"250", "250", "900"});
  EXPECT_EQ(outcome(), 5);
}

TEST_F(PodStateTest, HPA98_PodWithoutReadyConditionCountsAsIdle) {
  third([](Json& pod) { pod["status"].erase("conditions"); }, {"250", "250", "900"});
  EXPECT_EQ(outcome(), 5);
}

TEST_F(PodStateTest, HPA99_ValueFromBeforeThePodWasReadyDoesNotCount) {
  third(
      [](Json& pod) {
        pod["status"]["startTime"] = "2024-05-01T11:58:20Z";
        ready(pod)["lastTransitionTime"] = "2024-05-01T11:59:50Z";
      },
      {"250", "250", "900"});
  EXPECT_EQ(outcome(), 5) << "ready for 10 s, and the window is 15 s";
}

TEST_F(PodStateTest, HPA99_ValueOfAWholeWindowCounts) {
  third(
      [](Json& pod) {
        pod["status"]["startTime"] = "2024-05-01T11:58:20Z";
        ready(pod)["lastTransitionTime"] = "2024-05-01T11:58:25Z";
      },
      {"250", "250", "250"});
  start();
  periods();
  EXPECT_EQ(replicas(), 6);
}

TEST_F(PodStateTest, HPA100_ForMemoryTheStartDoesNotMatter) {
  third(
      [](Json& pod) {
        ready(pod)["status"] = "False";
        ready(pod)["lastTransitionTime"] = "2024-05-01T11:00:05Z";
      },
      {"-"}, resource("utilization 100", "memory"));
  usage_of("memory", {"200Mi", "200Mi", "200Mi"});
  start();
  periods();
  EXPECT_EQ(replicas(), 6);
}

TEST_F(PodStateTest, HPA101_ForAPodsMetricTheStartDoesNotMatter) {
  serve_custom_metrics();
  third(
      [](Json& pod) {
        ready(pod)["status"] = "False";
        ready(pod)["lastTransitionTime"] = "2024-05-01T11:00:05Z";
      },
      {"-"}, pods_metric("10"));
  hits({"20", "20", "20"});
  start();
  periods();
  EXPECT_EQ(replicas(), 6);
}

TEST_F(PodStateTest, HPA102_RequestsOfAllContainersCount) {
  target(2);
  const auto two = [](Json& pod) {
    pod["spec"]["containers"].push_back(
        Json::must(R"({"name":"s","image":"x","resources":{"requests":{"cpu":"50m"}}})"));
  };
  pod("p1", two);
  pod("p2", two);
  usage({"300", "300"});
  autoscaler(resource("utilization 100"));
  EXPECT_EQ(outcome(), 4);
  EXPECT_THAT(current_metrics(), HasSubstr("\"averageValue\":\"300m\""));
}

TEST_F(PodStateTest, HPA103_ContainerResourceIsTheUseOfOneContainer) {
  const auto two = [](Json& pod) {
    pod["spec"]["containers"].push_back(
        Json::must(R"({"name":"s","image":"x","resources":{"requests":{"cpu":"50m"}}})"));
  };
  EXPECT_EQ(utilization(two, "300",
                        R"({"type":"ContainerResource","containerResource":{"name":"cpu",)"
                        R"("container":"c","target":{"type":"Utilization",)"
                        R"("averageUtilization":100}}})"),
            "300");
}

TEST_F(PodStateTest, HPA104_ContainerWithoutMetricsHasNone) {
  EXPECT_EQ(
      utilization({}, "300",
                  R"({"type":"ContainerResource","containerResource":{"name":"cpu",)"
                  R"("container":"nope","target":{"type":"Utilization","averageUtilization":9}}})"),
      "False FailedGetContainerResourceMetric the HPA was unable to compute the replica count: "
      "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be "
      "unready)");
}

TEST_F(PodStateTest, HPA104_PodWithoutTheContainerIsNamed) {
  target(2);
  pod("p1");
  pod("p2", [](Json& pod) { pod["spec"]["containers"].items()[0]["name"] = "other"; });
  usage({"300", "300"});
  autoscaler(R"({"type":"ContainerResource","containerResource":{"name":"cpu",)"
             R"("container":"c","target":{"type":"Utilization","averageUtilization":9}}})");
  start();
  periods();
  EXPECT_THAT(condition("ScalingActive"), HasSubstr("container c not found in Pod p2"));
}

TEST_F(PodStateTest, HPA105_MissingRequestFailsTheMetric) {
  target(2);
  pod("p1");
  pod("p2", [](Json& pod) {
    pod["spec"]["containers"].items()[0]["resources"]["requests"].erase("cpu");
  });
  usage({"150", "150"});
  autoscaler(resource("utilization 100"));
  start();
  periods();
  const std::string inner =
      "failed to get cpu utilization: missing request for cpu in container c of Pod p2";
  EXPECT_THAT(condition("ScalingActive"), HasSubstr(inner));
  EXPECT_THAT(events(), Contains("Warning FailedComputeMetricsReplicas invalid metrics (1 invalid "
                                 "out of 1), first error is: failed to get cpu resource metric "
                                 "value: " +
                                 inner));
}

TEST_F(PodStateTest, HPA106_SidecarRequestsCount) {
  EXPECT_EQ(utilization(
                [](Json& pod) {
                  pod["spec"]["initContainers"] = Json::must(
                      R"([{"name":"s","image":"x","restartPolicy":"Always",
                           "resources":{"requests":{"cpu":"100m"}}},
                          {"name":"i","image":"x"}])");
                },
                "300"),
            "150");
}

TEST_F(PodStateTest, HPA107_RequestsOfThePodComeFirst) {
  EXPECT_EQ(utilization(
                [](Json& pod) {
                  pod["spec"]["resources"] = Json::must(R"({"requests":{"cpu":"200m"}})");
                },
                "300"),
            "150");
}

TEST_F(PodStateTest, HPA107_OverheadCountsWithRequestsOfThePod) {
  EXPECT_EQ(utilization(
                [](Json& pod) {
                  pod["spec"]["resources"] = Json::must(R"({"requests":{"cpu":"200m"}})");
                  pod["spec"]["overhead"] = Json::must(R"({"cpu":"100m"})");
                },
                "450"),
            "150");
}

TEST_F(PodStateTest, HPA107_OverheadAloneDoesNotCount) {
  EXPECT_EQ(
      utilization([](Json& pod) { pod["spec"]["overhead"] = Json::must(R"({"cpu":"100m"})"); },
                  "150"),
      "150");
}

TEST_F(PodStateTest, HPA108_RequestOfThePodForAnotherResourceOnly) {
  EXPECT_THAT(utilization(
                  [](Json& pod) {
                    pod["spec"]["resources"] = Json::must(R"({"requests":{"memory":"1Gi"}})");
                    pod["spec"]["containers"].items()[0].erase("resources");
                  },
                  "150"),
              HasSubstr("missing pod-level request for cpu in Pod p1"));
}

TEST_F(PodStateTest, HPA109_AverageValueOfMemoryIsShownInBinaryUnits) {
  target(2);
  pods(2);
  usage_of("memory", {"200Mi", "200Mi"});
  autoscaler(resource("average 100Mi", "memory"));
  start();
  periods();
  EXPECT_EQ(replicas(), 4);
  EXPECT_THAT(current_metrics(), HasSubstr(R"("averageValue":"200Mi")"));
  EXPECT_THAT(events(), Contains(HasSubstr("reason: memory resource above target")));
}

TEST_F(PodStateTest, HPA110_AverageThatIsNoWholeNumberIsShownInThousandths) {
  target(3);
  pods(3);
  usage_of("memory", {"100Mi", "100Mi", "101Mi"});
  autoscaler(resource("average 100Mi", "memory"));
  start();
  periods(2);
  EXPECT_THAT(current_metrics(), HasSubstr(R"("averageValue":"105207125333m")"));
  cluster_.clear_records();
  periods(2);
  EXPECT_THAT(cluster_.writes(), ::testing::IsEmpty()) << "the server keeps the text";
}

TEST_F(PodStateTest, HPA111_FractionsAreRoundedUp) {
  target(3);
  pods(3);
  usage({"100000001n", "100000001n", "100000001n"});
  autoscaler(resource("utilization 100"));
  start();
  periods();
  EXPECT_THAT(current_metrics(), HasSubstr(R"("averageValue":"101m","averageUtilization":101)"));
  usage({"1n", "1n", "1n"});
  periods();
  EXPECT_THAT(current_metrics(), HasSubstr(R"("averageValue":"1m","averageUtilization":1)"));
}

}  // namespace
}  // namespace davit::podautoscaler
