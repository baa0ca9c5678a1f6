/// HPA70 to HPA86: target and scale.
#include <davit/kube/deployment.hpp>

#include "tests/plugins/podautoscaler/fixture.hpp"

namespace davit::podautoscaler {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class TargetTest : public AutoscalerTest {
 protected:
  static constexpr const char* kCannotGet =
      "False FailedGetScale the HPA controller was unable to get the target's current scale: ";

  /// An autoscaler of another target than "web".
  void refer(const std::string& api_version, const std::string& kind, const std::string& name,
             const std::string& by = "web") {
    autoscaler(resource("utilization 100"), "", by);
    cluster_.modify<Autoscaler>({"default", by}, [&](Json& object) {
      Json& reference = object["spec"]["scaleTargetRef"];
      reference["apiVersion"] = api_version;
      reference["kind"] = kind;
      reference["name"] = name;
    });
  }
  /// Ships of x.io. `selector_path`: with one.
  void define_ships(bool selector_path) {
    cluster_.add(
        R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{
          "name":"ships.x.io"},"spec":{"group":"x.io","scope":"Namespaced","names":{
          "plural":"ships","singular":"ship","kind":"Ship","listKind":"ShipList"},"versions":[{
          "name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
          "x-kubernetes-preserve-unknown-fields":true}},"subresources":{"scale":{
          "specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas")" +
        std::string(selector_path ? R"(,"labelSelectorPath":".status.selector")" : "") + "}}}]}}");
  }
  void ship(const std::string& spec, const std::string& selector = "app=web") {
    cluster_.add(R"({"apiVersion":"x.io/v1","kind":"Ship","metadata":{"namespace":"default",)"
                 R"("name":"s"},"spec":)" +
                 spec + R"(,"status":{"replicas":2,"selector":")" + selector + "\"}}");
  }
};

TEST_F(TargetTest, HPA70_MissingTargetIsReportedOnce) {
  refer("v1", "ReplicationController", "nope");
  start();
  periods(3);
  const std::string error = "replicationcontrollers \"nope\" not found";
  EXPECT_EQ(condition("AbleToScale"), kCannotGet + error);
  EXPECT_THAT(events(), Contains("Warning FailedGetScale " + error));
  EXPECT_EQ(status().at({"conditions"})->items().size(), 1U);
  EXPECT_EQ(cluster_.writes().size(), 1U);
}

TEST_F(TargetTest, HPA71_DeletedTargetLeavesTheRestOfTheStatus) {
  set_up(3, {"100", "100", "100"});
  periods(2);
  const std::string metrics = current_metrics();
  cluster_.erase<ReplicationController>({"default", "web"});
  periods(2);
  EXPECT_THAT(condition("AbleToScale"), StartsWith("False FailedGetScale"));
  EXPECT_EQ(current_metrics(), metrics);
  EXPECT_EQ(status().at({"currentReplicas"})->integer(), 3);
  EXPECT_THAT(condition("ScalingActive"), StartsWith("True"));
}

TEST_F(TargetTest, HPA72_TargetThatComesHeals) {
  usage({"100"});
  pods(1);
  autoscaler(resource("utilization 100"));
  start();
  periods(2);
  EXPECT_THAT(condition("AbleToScale"), StartsWith("False FailedGetScale"));
  target(1);
  periods();
  EXPECT_THAT(condition("AbleToScale"), StartsWith("True"));
}

TEST_F(TargetTest, HPA73_UnknownKindIsNamedWithItsGroup) {
  refer("x.io/v1", "Nope", "n");
  start();
  periods();
  EXPECT_EQ(condition("AbleToScale"),
            std::string(kCannotGet) + "no matches for kind \"Nope\" in group \"x.io\"");
}

TEST_F(TargetTest, HPA74_KindThatIsDefinedLaterWorks) {
  refer("x.io/v1", "Ship", "s");
  pods(2);
  usage({"150", "150"});
  start();
  periods(2);
  define_ships(true);
  ship(R"({"replicas":2})");
  periods(2);
  EXPECT_THAT(condition("AbleToScale"), StartsWith("True"));
}

TEST_F(TargetTest, HPA75_OnlyTheGroupOfTheReferenceCounts) {
  cluster_.add(testing::DeploymentBuilder("d"));
  refer("apps/v1beta1", "Deployment", "d");
  start();
  periods();
  EXPECT_THAT(requests(), Contains("get deployments/d/scale 200"));
}

TEST_F(TargetTest, HPA76_KindWithoutScaleHasNoSuchResource) {
  refer("apps/v1", "DaemonSet", "d");
  refer("batch/v1", "Job", "j", "of-a-job");
  start();
  periods();
  for (const char* each : {"web", "of-a-job"}) {
    EXPECT_EQ(condition("AbleToScale", each),
              std::string(kCannotGet) + "the server could not find the requested resource");
  }
}

TEST_F(TargetTest, HPA77_CustomResourceWithAScaleIsScaled) {
  define_ships(true);
  ship(R"({"replicas":2})");
  refer("x.io/v1", "Ship", "s");
  pods(2);
  usage({"150", "150"});
  start();
  periods();
  EXPECT_THAT(requests(), Contains("update ships/s/scale 200"));
  EXPECT_THAT(condition("AbleToScale"), StartsWith("True SucceededRescale"));
}

TEST_F(TargetTest, HPA78_CustomResourceWithoutReplicasCannotBeRead) {
  define_ships(true);
  ship("{}");
  refer("x.io/v1", "Ship", "s");
  start();
  periods();
  const std::string error =
      "Internal error occurred: the spec replicas field \".spec.replicas\" does not exist";
  EXPECT_EQ(condition("AbleToScale"), kCannotGet + error);
  EXPECT_THAT(events(), Contains("Warning FailedGetScale " + error));
}

TEST_F(TargetTest, HPA79_ScaleWithoutSelectorStopsTheMetrics) {
  define_ships(false);
  ship(R"({"replicas":2})");
  refer("x.io/v1", "Ship", "s");
  start();
  periods();
  EXPECT_EQ(condition("ScalingActive"),
            "False InvalidSelector the HPA target's scale is missing a selector");
  EXPECT_THAT(events(), ElementsAre("Warning SelectorRequired selector is required",
                                    "Warning FailedComputeMetricsReplicas selector is required"));
  EXPECT_EQ(status().at({"currentReplicas"})->integer(), 2);
  EXPECT_EQ(current_metrics(), "null");
}

TEST_F(TargetTest, HPA80_SelectorThatIsNoneMakesTheScaleUnreadable) {
  define_ships(true);
  ship(R"({"replicas":2})", "a in (");
  refer("x.io/v1", "Ship", "s");
  start();
  periods();
  EXPECT_THAT(condition("AbleToScale"),
              StartsWith(std::string(kCannotGet) +
                         "received an object from a /scale endpoint which was not convertible to "
                         "autoscaling Scale: failed to parse target selector: "));
}

class ScaleWriteTest : public TargetTest {
 protected:
  /// Scale writes fail so, `times` times.
  void fail_scale(int http_status, const std::string& reason, int times) {
    Fault fault{.verb = Verb::kUpdate, .resource = "replicationcontrollers"};
    fault.subresource = "scale";
    fault.http_status = http_status;
    fault.reason = reason;
    fault.message = "refused";
    fault.times = times;
    cluster_.fail_next(fault);
  }
  static constexpr const char* kFailed =
      "Warning FailedRescale New size: 3; reason: cpu resource utilization (percentage of "
      "request) above target; error: refused";
};

TEST_F(ScaleWriteTest, HPA81_ConflictIsWrittenAgainWithTheSameNumber) {
  set_up(2, {"150", "150"});
  fail_scale(409, "Conflict", 2);
  periods();
  EXPECT_EQ(scale_writes(), 3U);
  for (const auto& each : cluster_.requests_of(Verb::kUpdate, "replicationcontrollers", "scale")) {
    EXPECT_EQ(each.json().at({"spec", "replicas"})->integer(), 3);
  }
  EXPECT_EQ(cluster_.requests_of(Verb::kGet, "replicationcontrollers", "scale").size(), 3U);
  EXPECT_EQ(replicas(), 3);
  EXPECT_EQ(events().size(), 1U);
}

TEST_F(ScaleWriteTest, HPA82_ConflictWithoutEndEndsAfterFiveWrites) {
  set_up(2, {"150", "150"});
  fail_scale(409, "Conflict", Fault::kAlways);
  periods();
  EXPECT_EQ(scale_writes(), 5U);
  EXPECT_THAT(events(), Contains(kFailed));
  EXPECT_EQ(condition("AbleToScale"),
            "False FailedUpdateScale the HPA controller was unable to update the target scale: "
            "refused");
  EXPECT_THAT(current_metrics(), HasSubstr("150m"));
  EXPECT_EQ(status().at({"desiredReplicas"})->integer(), 0);
  EXPECT_EQ(status().find("lastScaleTime"), nullptr);
}

TEST_F(ScaleWriteTest, HPA83_OtherFailureEndsAtOnce) {
  set_up(2, {"150", "150"});
  struct Failure {
    int http_status;
    const char* reason;
  };
  for (const auto& [http_status, reason] :
       {Failure{403, "Forbidden"}, Failure{500, "InternalError"}}) {
    cluster_.clear_records();
    fail_scale(http_status, reason, Fault::kAlways);
    periods();
    EXPECT_EQ(scale_writes(), 1U) << http_status;
    EXPECT_THAT(events(), Contains(kFailed));
    EXPECT_EQ(condition("AbleToScale"),
              "False FailedUpdateScale the HPA controller was unable to update the target scale: "
              "refused");
    EXPECT_EQ(status().at({"desiredReplicas"})->integer(), 0);
    EXPECT_EQ(status().find("lastScaleTime"), nullptr);
    unanswer("none");
  }
}

TEST_F(TargetTest, HPA84_NumberAboveMaxGoesToMaxWithoutMetrics) {
  set_up(3, {"100", "100", "100"}, R"(,"maxReplicas":2)");
  periods();
  EXPECT_EQ(replicas(), 2);
  EXPECT_THAT(events(), ElementsAre("Normal SuccessfulRescale New size: 2; reason: Current number "
                                    "of replicas above Spec.MaxReplicas"));
  EXPECT_THAT(cluster_.requests_of(Verb::kList, "pods"), IsEmpty());
  EXPECT_EQ(current_metrics(), "null");
}

TEST_F(TargetTest, HPA84_NumberBelowMinGoesToMinWithoutMetrics) {
  set_up(3, {"100", "100", "100"}, R"(,"minReplicas":5)");
  periods();
  EXPECT_EQ(replicas(), 5);
  EXPECT_THAT(events(), ElementsAre("Normal SuccessfulRescale New size: 5; reason: Current number "
                                    "of replicas below Spec.MinReplicas"));
  EXPECT_THAT(cluster_.requests_of(Verb::kList, "pods"), IsEmpty());
}

TEST_F(TargetTest, HPA85_BoundsHoldAlsoWhereScalingDownIsDisabled) {
  set_up(3, {"100", "100", "100"},
         R"(,"maxReplicas":2,"behavior":{"scaleDown":{"selectPolicy":"Disabled"}})");
  periods();
  EXPECT_EQ(replicas(), 2);
}

TEST_F(TargetTest, HPA86_TargetOfZeroReplicasIsLeftAlone) {
  set_up(0, {});
  periods(3);
  EXPECT_EQ(condition("ScalingActive"),
            "False ScalingDisabled scaling is disabled since the replica count of the target is "
            "zero");
  EXPECT_EQ(status().at({"desiredReplicas"})->integer(), 0);
  EXPECT_THAT(cluster_.requests_of(Verb::kList, "pods"), IsEmpty());
  EXPECT_EQ(replicas(), 0);
}

}  // namespace
}  // namespace davit::podautoscaler
