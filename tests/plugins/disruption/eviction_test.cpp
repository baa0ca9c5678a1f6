/// Rows DC28 to DC32, DC36 to DC39, DC46 and DC47: evictions, and what triggers a sync.
#include "tests/plugins/disruption/fixture.hpp"

namespace davit::disruption {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(DisruptionTest, DC28_APodOfTwoBudgetsIsReported) {
  start();
  budget(R"("minAvailable":1)", "b");
  budget(R"("minAvailable":1)", "c");
  cluster_.clear_records();
  ready_pods("p", 1);
  run();
  EXPECT_THAT(cluster_.event_texts(),
              Contains("Warning MultiplePodDisruptionBudgets Pod \"default\"/\"p-0\" matches "
                       "multiple PodDisruptionBudgets.  Chose \"b\" arbitrarily."));
  EXPECT_EQ(cluster_.events().front().kind, "Pod");
  EXPECT_EQ(numbers("b"), "0 1 1 1");
  EXPECT_EQ(numbers("c"), "0 1 1 1");
}

class DisruptedPodsTest : public DisruptionTest {
 protected:
  [[nodiscard]] std::string ago(Duration age) const {
    return format_time(cluster_.wall_now() - age);
  }
  /// Pods p1 (terminating), p2 and p3, for which the server has accepted evictions.
  void evict_some() {
    cluster_.add(ready_pod("p1").on_node("n").being_deleted(cluster_.wall_now()));
    cluster_.add(ready_pod("p2"));
    cluster_.add(ready_pod("p3"));
    start();
    budget(R"("minAvailable":0)");
    cluster_.clear_records();
    cluster_.merge<PodDisruptionBudget>({"default", "b"}, R"({"status":{"disruptedPods":{"p1":")" +
                                                              ago(0s) + R"(","p2":")" + ago(3min) +
                                                              R"(","p3":")" + ago(1min) +
                                                              R"(","gone":")" + ago(0s) + "\"}}}");
    run();
  }
};

TEST_F(DisruptedPodsTest, DC29_AnEvictionThatDidNotHappenIsForgotten) {
  evict_some();
  EXPECT_THAT(disrupted(), ElementsAre("p3"));
  EXPECT_THAT(cluster_.event_texts(),
              Contains("Warning NotDeleted Pod was expected by PDB default/default to be deleted "
                       "but it wasn't"));
  EXPECT_EQ(cluster_.events().front().name, "p2");
  EXPECT_EQ(numbers(), "1 1 0 3") << "p1 goes, p3 may go";
}

TEST_F(DisruptedPodsTest, DC30_TheControllerLooksAgainByItself) {
  evict_some();
  cluster_.clear_records();
  cluster_.advance(1min + 1s);
  EXPECT_THAT(disrupted(), IsEmpty());
  ASSERT_EQ(cluster_.events().size(), 1U);
  EXPECT_EQ(cluster_.events().front().name, "p3");
  EXPECT_EQ(numbers(), "2 2 0 3");
}

TEST_F(DisruptionTest, DC31_AnEvictionHoldsTheNextUntilThePodIsReplaced) {
  const ReplicaSet set = replica_set("rs", 3);
  ready_pods("p", 3, set);
  start();
  budget(R"("maxUnavailable":1)");
  ASSERT_EQ(numbers(), "1 3 2 3");
  cluster_.hold("pods");
  EXPECT_EQ(evict("p-0").http_status, 201);
  run();
  EXPECT_THAT(disrupted(), ElementsAre("p-0"));
  EXPECT_EQ(read().text_at({"status", "disruptionsAllowed"}), "0");

  cluster_.release("pods");
  run();
  EXPECT_THAT(disrupted(), IsEmpty()) << "the pod is gone";
  EXPECT_EQ(numbers(), "0 2 2 3");

  cluster_.add(ready_pod("p-3").controlled_by(set));
  run();
  EXPECT_EQ(numbers(), "1 3 2 3");
}

TEST_F(DisruptionTest, DC32_WithoutAnAllowedDisruptionTheServerRefuses) {
  ready_pods("p", 2);
  start();
  budget(R"("minAvailable":2)");
  const testing::RawReply reply = evict("p-0");
  EXPECT_EQ(reply.http_status, 429);
  EXPECT_THAT(reply.body,
              HasSubstr("The disruption budget b needs 2 healthy pods and has 2 currently"));
}

TEST_F(DisruptionTest, DC36_ConditionsOfOthersStay) {
  ready_pods("p", 1);
  start();
  budget(R"("minAvailable":1)");
  const std::string foreign =
      R"({"type":"Other","status":"True","reason":"Since","message":"m","observedGeneration":7,)"
      R"("lastTransitionTime":"2024-01-01T00:00:00Z"})";
  cluster_.merge<PodDisruptionBudget>({"default", "b"},
                                      R"({"status":{"conditions":[)" + foreign + "]}}");
  run();
  ready_pods("q", 1);
  run();
  const Json object = read();
  const Json& conditions = *object.at({"status", "conditions"});
  ASSERT_EQ(conditions.items().size(), 2U);
  EXPECT_EQ(conditions.items()[0], Json::must(foreign));
  EXPECT_EQ(condition_text(), "True SufficientPods");
}

TEST_F(DisruptionTest, DC37_AStatusWrittenByAnotherIsCorrected) {
  ready_pods("p", 2);
  start();
  budget(R"("minAvailable":1)");
  cluster_.merge<PodDisruptionBudget>(
      {"default", "b"},
      R"({"status":{"disruptionsAllowed":7,"expectedPods":0,"conditions":null}})");
  run();
  EXPECT_EQ(numbers(), "1 2 1 2");
  EXPECT_EQ(condition_text(), "True SufficientPods");
}

TEST_F(DisruptionTest, DC38_TheObservedGenerationFollows) {
  ready_pods("p", 2, replica_set("rs", 2));
  start();
  budget(R"("minAvailable":1)");
  ASSERT_EQ(numbers(), "1 2 1 2");
  budget(R"("maxUnavailable":1)");
  EXPECT_EQ(numbers(), "1 2 1 2");
  EXPECT_EQ(read().text_at({"status", "observedGeneration"}), "2");
}

TEST_F(DisruptionTest, DC39_WithoutAChangeNothingIsWritten) {
  ready_pods("p", 2);
  start();
  budget(R"("minAvailable":1)");
  cluster_.clear_records();
  cluster_.resync("poddisruptionbudgets");
  cluster_.resync("pods");
  touch("p-0");
  cluster_.advance(10min);
  EXPECT_THAT(cluster_.syncs(), Not(IsEmpty()));
  EXPECT_THAT(writes(), IsEmpty());
}

TEST_F(DisruptionTest, DC46_APodThatLeavesTheSelectorCountsUntilAnotherTrigger) {
  ready_pods("p", 2);
  start();
  budget(R"("minAvailable":1)");
  cluster_.merge<Pod>({"default", "p-0"}, R"({"metadata":{"labels":{"app":"y"}}})");
  cluster_.advance(1min);
  EXPECT_EQ(numbers(), "1 2 1 2");

  touch("p-1");
  EXPECT_EQ(numbers(), "0 1 1 1");
}

TEST_F(DisruptionTest, DC47_ASuccessorOfTheSameNameGetsItsOwnStatus) {
  ready_pods("p", 2);
  start();
  budget(R"("minAvailable":1)");
  cluster_.clear_records();
  cluster_.hold("poddisruptionbudgets");
  ASSERT_TRUE(cluster_.erase<PodDisruptionBudget>({"default", "b"}));
  budget(R"("minAvailable":2)");
  ready_pods("q", 1);
  run();
  for (const testing::RequestRecord& each : cluster_.writes()) EXPECT_EQ(each.http_status, 409);
  EXPECT_EQ(read().at({"status", "conditions"}), nullptr);

  cluster_.release("poddisruptionbudgets");
  cluster_.advance(1s);
  EXPECT_EQ(numbers(), "1 3 2 3");
}

TEST_F(DisruptionTest, ADeletedPodUpdatesItsBudget) {
  ready_pods("p", 2);
  start();
  budget(R"("minAvailable":1)");
  ASSERT_TRUE(cluster_.erase<Pod>({"default", "p-0"}));
  run();
  EXPECT_EQ(numbers(), "0 1 1 1");
}

TEST_F(DisruptionTest, APodOfNoBudgetCausesNoSync) {
  start();
  budget(R"("minAvailable":1)");
  cluster_.clear_records();
  cluster_.add(PodBuilder("other").label("app", "y").ready(cluster_.wall_now()));
  run();
  EXPECT_THAT(cluster_.syncs(), IsEmpty());
}

}  // namespace
}  // namespace davit::disruption
