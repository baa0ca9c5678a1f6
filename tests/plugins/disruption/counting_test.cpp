/// Rows DC01 to DC13 and DC22 to DC27: which pods count, and how many there should be.
#include "tests/plugins/disruption/fixture.hpp"

namespace davit::disruption {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(DisruptionTest, DC01_ABudgetWithoutPodsAllowsNothing) {
  start();
  budget(R"("minAvailable":1)");
  EXPECT_EQ(numbers(), "0 0 1 0");
  EXPECT_EQ(read().text_at({"status", "observedGeneration"}), "1");
  EXPECT_EQ(condition_text(), "False InsufficientPods");
  EXPECT_NE(condition().find("message"), nullptr);
  EXPECT_THAT(cluster_.event_texts(), Contains("Normal NoPods No matching pods found"));
}

TEST_F(DisruptionTest, DC02_ANumberOfAvailablePodsNeedsNoOwner) {
  ready_pods("p", 3);
  start();
  budget(R"("minAvailable":2)");
  EXPECT_EQ(numbers(), "1 3 2 3");
  EXPECT_EQ(condition_text(), "True SufficientPods");
  EXPECT_EQ(condition().text_at({"observedGeneration"}), "1");
  EXPECT_THAT(cluster_.event_texts(), IsEmpty());
}

TEST_F(DisruptionTest, DC03_APodThatIsNotReadyIsNotHealthy) {
  ready_pods("p", 3);
  start();
  budget(R"("minAvailable":2)");
  const std::string since = condition().text_at({"lastTransitionTime"});
  cluster_.advance(5s);

  cluster_.add(PodBuilder("p-1").label("app", "x").not_ready(cluster_.wall_now()));
  run();
  EXPECT_EQ(numbers(), "0 2 2 3");
  EXPECT_EQ(condition_text(), "False InsufficientPods");
  EXPECT_NE(condition().text_at({"lastTransitionTime"}), since);
}

TEST_F(DisruptionTest, DC04_ThePolicyOfUnhealthyPodsOnlyMovesTheGeneration) {
  ready_pods("p", 3);
  start();
  budget(R"("minAvailable":2)");
  const std::string since = condition().text_at({"lastTransitionTime"});
  cluster_.advance(5s);

  budget(R"("minAvailable":2,"unhealthyPodEvictionPolicy":"AlwaysAllow")");
  EXPECT_EQ(numbers(), "1 3 2 3");
  EXPECT_EQ(read().text_at({"status", "observedGeneration"}), "2");
  EXPECT_EQ(condition().text_at({"observedGeneration"}), "2");
  EXPECT_EQ(condition().text_at({"lastTransitionTime"}), since);
}

TEST_F(DisruptionTest, DC05_APercentageOfAvailablePodsIsOneOfTheScale) {
  ready_pods("p", 1, replica_set("rs", 10));
  start();
  budget(R"("minAvailable":"20%")");
  EXPECT_EQ(numbers(), "0 1 2 10");
}

TEST_F(DisruptionTest, DC06_APercentageOfUnavailablePodsIsRoundedUp) {
  ready_pods("p", 1, replica_set("rs", 7));
  start();
  budget(R"("maxUnavailable":"30%")");
  EXPECT_EQ(numbers(), "0 1 4 7");
}

TEST_F(DisruptionTest, DC07_ANumberOfUnavailablePodsIsTakenFromTheScale) {
  ready_pods("p", 7, replica_set("rs", 7));
  start();
  budget(R"("maxUnavailable":2)");
  EXPECT_EQ(numbers(), "2 7 5 7");
}

TEST_F(DisruptionTest, DC08_MoreUnavailableThanThereAreMeansNoneNeedBeHealthy) {
  ready_pods("p", 2, replica_set("rs", 2));
  start();
  budget(R"("maxUnavailable":5)");
  EXPECT_EQ(numbers(), "2 2 0 2");
}

class DeploymentTest : public DisruptionTest {
 protected:
  /// A ReplicaSet of the Deployment "d" with three ready pods.
  void set_of_deployment(const std::string& name) {
    const auto deployment = *cluster_.find<Deployment>({"default", "d"});
    cluster_.add(testing::ReplicaSetBuilder(name).replicas(3).controlled_by(deployment));
    ready_pods(name, 3, *cluster_.find<ReplicaSet>({"default", name}));
  }
};

TEST_F(DeploymentTest, DC09_TheReplicaSetsOfADeploymentCountOnce) {
  cluster_.add(testing::DeploymentBuilder("d").replicas(4));
  set_of_deployment("rs1");
  set_of_deployment("rs2");
  start();
  budget(R"("maxUnavailable":1)");
  EXPECT_EQ(numbers(), "3 6 3 4");
  EXPECT_THAT(cluster_.requests_of(Verb::kGet, "replicasets", "scale"), IsEmpty());
}

TEST_F(DeploymentTest, DC10_AReplicaSetWithoutItsDeploymentHasItsOwnScale) {
  cluster_.add(testing::DeploymentBuilder("d").replicas(4));
  set_of_deployment("rs");
  start();
  budget(R"("maxUnavailable":1)");
  ASSERT_EQ(numbers(), "0 3 3 4");

  ASSERT_TRUE(cluster_.erase<Deployment>({"default", "d"}));
  touch("rs-0");
  EXPECT_EQ(numbers(), "1 3 2 3");
  EXPECT_THAT(requests(), Contains("get replicasets/rs/scale 200"));
}

TEST_F(DisruptionTest, DC11_TheScalesOfSeveralOwnersAreAdded) {
  cluster_.add(R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"s",
      "namespace":"default","uid":"s-uid"},"spec":{"replicas":3,"serviceName":"s",
      "selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  cluster_.add(R"({"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"r",
      "namespace":"default","uid":"r-uid"},"spec":{"replicas":2,"selector":{"app":"x"},
      "template":{"metadata":{"labels":{"app":"x"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  ready_pods("s", 3, *cluster_.find<StatefulSet>({"default", "s"}));
  ready_pods("r", 2, *cluster_.find<ReplicationController>({"default", "r"}));
  start();
  budget(R"("maxUnavailable":1)");
  EXPECT_EQ(numbers(), "1 5 4 5");
  EXPECT_THAT(cluster_.requests_of(Verb::kGet, "statefulsets", "scale"), IsEmpty());
}

TEST_F(DisruptionTest, DC12_ACustomResourceHasAScale) {
  start();
  define_widgets(kScale);
  widget_pods(4, create_widget(4));
  budget(R"("maxUnavailable":2)");
  EXPECT_EQ(numbers(), "2 4 2 4");
  cluster_.clear_records();
  touch("p-0");
  EXPECT_THAT(requests(), ElementsAre("get widgets/w/scale 200")) << "one for all pods of an owner";
}

TEST_F(DisruptionTest, DC13_ANewScaleCountsFromTheNextChangeOfAPodOn) {
  start();
  define_widgets(kScale);
  widget_pods(4, create_widget(4));
  budget(R"("maxUnavailable":2)");
  ASSERT_EQ(send("PATCH", "/apis/example.com/v1/namespaces/default/widgets/w",
                 R"({"spec":{"replicas":6}})", "application/merge-patch+json")
                .http_status,
            200);
  cluster_.advance(1min);
  EXPECT_EQ(numbers(), "2 4 2 4");

  touch("p-0");
  EXPECT_EQ(numbers(), "0 4 4 6");
}

TEST_F(DisruptionTest, DC22_AnUnmanagedPodIsHealthyButNotExpected) {
  ready_pods("p", 1);
  start();
  budget(R"("minAvailable":"28%")");
  EXPECT_EQ(numbers(), "0 1 0 0");
  EXPECT_EQ(condition_text(), "False InsufficientPods");
  EXPECT_THAT(
      cluster_.event_texts(),
      Contains("Warning UnmanagedPods Pods selected by this PodDisruptionBudget (selector: "
               "&LabelSelector{MatchLabels:map[string]string{app: x,},"
               "MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged. As "
               "a result, the status of the PDB cannot be calculated correctly, which may "
               "result in undefined behavior. To account for these pods please set "
               "\".spec.minAvailable\" field of the PDB to an integer value."));
}

TEST_F(DisruptionTest, DC23_AnUnmanagedPodBesideManagedOnes) {
  ready_pods("p", 1);
  ready_pods("q", 1, replica_set("rs", 1));
  start();
  budget(R"("maxUnavailable":1)");
  EXPECT_EQ(numbers(), "2 2 0 1");
  EXPECT_THAT(cluster_.event_texts(), Contains(HasSubstr("UnmanagedPods")));
}

TEST_F(DisruptionTest, DC24_AnEmptySelectorSelectsPodsWithoutLabels) {
  cluster_.add(PodBuilder("p").ready(cluster_.wall_now()));
  start();
  budget(R"("minAvailable":1)", "b", "{}");
  EXPECT_EQ(numbers(), "0 1 1 1");

  cluster_.add(PodBuilder("q").ready(cluster_.wall_now()));
  run();
  EXPECT_EQ(numbers(), "1 2 1 2") << "a pod without labels triggers a sync, too";
}

TEST_F(DisruptionTest, DC25_NoSelectorSelectsNothing) {
  ready_pods("p", 1);
  start();
  budget(R"("minAvailable":1)", "b", "");
  EXPECT_EQ(numbers(), "0 0 1 0");
}

TEST_F(DisruptionTest, DC26_AFinishedPodIsExpectedButNotHealthy) {
  cluster_.add(PodBuilder("done")
                   .label("app", "x")
                   .phase("Succeeded")
                   .condition("Ready", "False", "PodCompleted"));
  ready_pods("p", 1);
  start();
  budget(R"("minAvailable":1)");
  EXPECT_EQ(numbers(), "0 1 1 2");
}

TEST_F(DisruptionTest, DC27_ATerminatingPodIsExpectedButNotHealthy) {
  cluster_.add(ready_pod("p").on_node("n").being_deleted(cluster_.wall_now()));
  start();
  budget(R"("minAvailable":1)");
  EXPECT_EQ(numbers(), "0 0 1 1");
}

TEST_F(DisruptionTest, ABudgetWithoutBoundsExpectsNothing) {
  ready_pods("p", 1);
  start();
  budget("");
  EXPECT_EQ(numbers(), "0 1 0 0");
}

TEST_F(DisruptionTest, WhatTheNoteDeclaresIsUsed) {
  start();
  define_widgets(kScale);
  widget_pods(1, create_widget(1));
  cluster_.add(ready_pod("q").condition("DisruptionTarget", "True", "X", cluster_.wall_now() - 1h));
  budget(R"("maxUnavailable":2)");
  EXPECT_THAT(cluster_.unused_declarations(), Not(Contains(HasSubstr("scale"))));
  EXPECT_THAT(cluster_.unused_declarations(), Not(Contains(HasSubstr("status"))));
}

}  // namespace
}  // namespace davit::disruption
