/// HPA87 to HPA92: several autoscalers of the same pods.
#include "tests/plugins/podautoscaler/fixture.hpp"

namespace davit::podautoscaler {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class SelectorConflictTest : public AutoscalerTest {
 protected:
  static constexpr const char* kBoth =
      "pods by selector app=web are controlled by multiple HPAs: [default/a default/b]";

  void two_on_one_target(int pod_count) {
    target(3);
    pods(pod_count);
    usage({"200", "200", "200"});
    autoscaler(resource("utilization 100"), "", "b");
    autoscaler(resource("utilization 100"), "", "a");
    start();
  }
};

TEST_F(SelectorConflictTest, HPA87_TwoAutoscalersOfOneTargetBothStop) {
  two_on_one_target(3);
  periods();
  const int before = replicas();
  periods();
  for (const char* each : {"a", "b"}) {
    EXPECT_EQ(condition("ScalingActive", each), std::string("False AmbiguousSelector ") + kBoth);
  }
  EXPECT_THAT(events(), Contains(std::string("Warning AmbiguousSelector ") + kBoth));
  EXPECT_THAT(events(), Contains(std::string("Warning FailedComputeMetricsReplicas ") + kBoth));
  cluster_.clear_records();
  periods(3);
  EXPECT_EQ(replicas(), before);
  EXPECT_THAT(cluster_.writes(), IsEmpty()) << "D1: the status does not flap";
}

TEST_F(SelectorConflictTest, SwapKeepsTheSelectors) {
  two_on_one_target(3);
  periods(3);
  const int before = replicas();
  ASSERT_TRUE(cluster_.swap(kController, &AutoscalerController::open, config("")).ok());
  cluster_.clear_records();
  periods(3);
  EXPECT_EQ(replicas(), before) << "D6";
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(SelectorConflictTest, HPA88_OnePodOfBothSelectorsIsEnough) {
  target(1);
  target(1, "api", R"("tier":"api")");
  pod("p1", [](Json& object) { object["metadata"]["labels"]["tier"] = "api"; });
  usage({"100"});
  autoscaler(resource("utilization 100"), "", "a");
  autoscaler(resource("utilization 100"), "", "b", "api");
  start();
  periods(2);
  EXPECT_THAT(condition("ScalingActive", "a"), HasSubstr("pods by selector app=web are"));
  EXPECT_THAT(condition("ScalingActive", "b"), HasSubstr("pods by selector tier=api are"));
}

TEST_F(SelectorConflictTest, HPA89_WithoutPodsThereIsNoConflict) {
  two_on_one_target(0);
  periods(2);
  EXPECT_THAT(condition("ScalingActive", "a"),
              HasSubstr("no pods returned by selector while calculating replica count"));
}

TEST_F(SelectorConflictTest, HPA90_DeletionOfOneFreesTheOther) {
  two_on_one_target(3);
  periods(2);
  cluster_.erase<Autoscaler>({"default", "b"});
  cluster_.run_until_idle();
  periods();
  EXPECT_THAT(condition("ScalingActive", "a"), StartsWith("True ValidMetricFound"));
}

TEST_F(SelectorConflictTest, HPA91_OtherNamespaceIsNoRival) {
  set_up(3, {"100", "100", "100"});
  for (const char* kind : {"a", "b"}) {
    cluster_.add(
        std::string(R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler",)") +
        R"("metadata":{"namespace":"other","name":")" + kind +
        R"("},"spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"v1",)"
        R"("kind":"ReplicationController","name":"web"}}})");
  }
  periods(2);
  EXPECT_THAT(condition("ScalingActive"), StartsWith("True"));
}

TEST_F(SelectorConflictTest, HPA92_SelectorIsSentInItsCanonicalForm) {
  target(1, "web", R"("b":"1","a":"2")");
  autoscaler(resource("utilization 100"));
  start();
  periods();
  EXPECT_EQ(query_of("pods"), "labelSelector=a%3D2%2Cb%3D1");
}

TEST(SelectorTableTest, RivalsAreSortedAndOfTheNamespace) {
  testing::Cluster cluster;
  SelectorTable table;
  for (const char* name : {"c", "a", "b"}) {
    table.add({"n", name});
    EXPECT_TRUE(table.set({"n", name}, "app=web").ok());
  }
  table.add({"m", "a"});
  EXPECT_TRUE(table.set({"m", "a"}, "app=web").ok());
  table.add({"n", "none"});
  table.remove({"n", "c"});
  const Value labels = cluster.value(R"({"app":"web"})");
  EXPECT_EQ(table.select("n", {&labels, 1}), (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(table.set({"n", "a"}, "a in (").ok());
}

}  // namespace
}  // namespace davit::podautoscaler
