/// Rows DC14 to DC21 and DC33 to DC35: budgets whose status cannot be computed or written.
#include "tests/plugins/disruption/fixture.hpp"

namespace davit::disruption {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kNoScale =
    "False SyncFailed widgets.example.com does not implement the scale subresource";

class FailureTest : public DisruptionTest {
 protected:
  /// A budget over the pods of a kind without scale.
  void fail_for_want_of_scale() {
    start();
    define_widgets("{}");
    widget_pods(3, create_widget(3));
    budget(R"("maxUnavailable":1)");
  }
  /// The same; the status was computed before.
  void fail_later() {
    ready_pods("p", 3);
    start();
    define_widgets("{}");
    budget(R"("minAvailable":2)");
    ASSERT_EQ(numbers(), "1 3 2 3");
    widget_pods(3, create_widget(3));
    budget(R"("maxUnavailable":1)");
  }
};

TEST_F(FailureTest, DC14_AnOwnerWithoutScaleFailsTheBudget) {
  fail_for_want_of_scale();
  EXPECT_EQ(read().text_at({"status", "disruptionsAllowed"}), "0");
  EXPECT_EQ(condition_text(), kNoScale);
  EXPECT_THAT(cluster_.event_texts(),
              Contains("Warning CalculateExpectedPodCountFailed Failed to calculate the number of "
                       "expected pods: widgets.example.com does not implement the scale "
                       "subresource"));
}

TEST_F(FailureTest, DC15_AKindThatIsNotServedFailsTheBudget) {
  pod_of("apps.test.io/v1", "TestWorkload");
  start();
  budget(R"("minAvailable":"28%")");
  EXPECT_EQ(condition_text(),
            "False SyncFailed no matches for kind \"TestWorkload\" in version \"apps.test.io/v1\"");
}

TEST_F(FailureTest, DC16_JobsHaveNoScale) {
  pod_of("batch/v1", "Job");
  start();
  budget(R"("maxUnavailable":1)");
  EXPECT_EQ(condition_text(),
            "False SyncFailed jobs.batch does not implement the scale subresource");
}

TEST_F(FailureTest, DC17_AnOwnerThatIsGoneFailsTheBudget) {
  start();
  define_widgets(kScale);
  widget_pods(1, create_widget(1));
  budget(R"("maxUnavailable":1)");
  ASSERT_EQ(numbers(), "1 1 0 1");
  ASSERT_EQ(send("DELETE", "/apis/example.com/v1/namespaces/default/widgets/w", "").http_status,
            200);

  touch("p-0");
  EXPECT_EQ(condition_text(), "False SyncFailed found no controllers for pod \"p-0\"");
}

TEST_F(FailureTest, DC18_AnOwnerWithAnotherUidIsNotTheOwner) {
  replica_set("owner", 1);
  pod_of("apps/v1", "ReplicaSet");
  start();
  budget(R"("maxUnavailable":1)");
  EXPECT_EQ(condition_text(), "False SyncFailed found no controllers for pod \"p\"");
}

TEST_F(FailureTest, AMalformedVersionFailsTheBudget) {
  pod_of("a/b/c", "Widget");
  start();
  budget(R"("maxUnavailable":1)");
  EXPECT_EQ(condition_text(), "False SyncFailed unexpected GroupVersion string: a/b/c");
}

TEST_F(FailureTest, ASelectorThatNoServerAcceptsFailsTheBudget) {
  start();
  budget(R"("minAvailable":1)", "b",
         R"({"matchExpressions":[{"key":"app","operator":"Near","values":["x"]}]})");
  EXPECT_THAT(condition_text(), HasSubstr("False SyncFailed \"Near\""));
  EXPECT_THAT(cluster_.event_texts(), Contains(HasSubstr("Warning NoPods Failed to get pods: ")));
}

TEST_F(FailureTest, ABoundThatIsNeitherANumberNorAPercentageFailsTheBudget) {
  ready_pods("p", 1, replica_set("rs", 1));
  start();
  budget(R"("minAvailable":"most")");
  EXPECT_EQ(condition_text(),
            "False SyncFailed invalid value for IntOrString: invalid type: string is not a "
            "percentage");
}

TEST_F(FailureTest, OneFailingBudgetStopsNoOther) {
  pod_of("batch/v1", "Job");
  cluster_.add(PodBuilder("q").label("app", "y").ready(cluster_.wall_now()));
  start();
  budget(R"("maxUnavailable":1)");
  budget(R"("minAvailable":0)", "other", R"({"matchLabels":{"app":"y"}})");
  EXPECT_EQ(numbers("other"), "1 1 0 1");
}

TEST_F(FailureTest, DC19_TheOtherNumbersStayAsTheyWere) {
  fail_later();
  EXPECT_EQ(numbers(), "0 3 2 3");
  EXPECT_EQ(read().text_at({"status", "observedGeneration"}), "1");
  EXPECT_EQ(condition().text_at({"observedGeneration"}), "1");
  EXPECT_EQ(condition_text(), kNoScale);
}

TEST_F(FailureTest, DC20_AFailureIsWrittenOnceAndThenStays) {
  fail_later();
  EXPECT_LE(writes().size(), 3U) << "the good status, the failure, and once more without effect";
  const std::string version = read().text_at({"metadata", "resourceVersion"});
  cluster_.clear_records();
  cluster_.advance(1min);
  EXPECT_THAT(writes(), IsEmpty());
  EXPECT_EQ(read().text_at({"metadata", "resourceVersion"}), version);
}

TEST_F(FailureTest, DC21_AnotherBoundEndsTheFailure) {
  fail_for_want_of_scale();
  budget(R"("minAvailable":1)");
  EXPECT_EQ(condition_text(), "True SufficientPods");
  EXPECT_EQ(numbers(), "2 3 1 3");
}

TEST_F(FailureTest, AKindThatIsServedFromNowOnIsFoundAtOnce) {
  start();
  cluster_.add(ready_pod("p").controlled_by("example.com/v1", "Widget", "w", "none"));
  budget(R"("maxUnavailable":1)");
  ASSERT_THAT(condition_text(), HasSubstr("no matches for kind"));
  define_widgets(kScale);
  const std::string uid = create_widget(1);
  cluster_.erase<Pod>({"default", "p"});
  widget_pods(1, uid);
  run();
  EXPECT_EQ(numbers(), "1 1 0 1");
}

TEST_F(FailureTest, DC33_TheServerSaysWhyItRefusesAnEviction) {
  fail_later();
  // The server looks at the generation first.
  cluster_.merge<PodDisruptionBudget>({"default", "b"}, R"({"status":{"observedGeneration":2}})");
  const testing::RawReply reply = evict("p-0");
  EXPECT_EQ(reply.http_status, 429);
  EXPECT_THAT(reply.body,
              HasSubstr("The disruption budget b does not allow evicting pods currently "
                        "because it failed sync: widgets.example.com does not"));
}

TEST_F(FailureTest, DC34_AConflictIsRetriedAndNeverAFailure) {
  ready_pods("p", 3);
  start();
  budget(R"("minAvailable":2)");
  cluster_.clear_records();
  cluster_.fail_next({.verb = Verb::kUpdate,
                      .resource = "poddisruptionbudgets",
                      .http_status = 409,
                      .reason = "Conflict"});
  cluster_.add(PodBuilder("p-1").label("app", "x").not_ready(cluster_.wall_now()));
  cluster_.advance(1s);
  EXPECT_EQ(numbers(), "0 2 2 3");
  EXPECT_THAT(writes(), ElementsAre("update poddisruptionbudgets/b/status 409",
                                    "update poddisruptionbudgets/b/status 200"));
  EXPECT_THAT(cluster_.writes().back().body, Not(HasSubstr("SyncFailed")));
}

TEST_F(FailureTest, DC35_AFailedWriteHealsByItself) {
  ready_pods("p", 3);
  start();
  budget(R"("minAvailable":2)");
  cluster_.clear_records();
  cluster_.fail_next({.verb = Verb::kUpdate, .resource = "poddisruptionbudgets"});
  cluster_.add(PodBuilder("p-1").label("app", "x").not_ready(cluster_.wall_now()));
  cluster_.advance(1s);
  EXPECT_EQ(numbers(), "0 2 2 3");
  EXPECT_EQ(condition_text(), "False InsufficientPods");
  const std::vector<testing::RequestRecord> written = cluster_.writes();
  ASSERT_EQ(written.size(), 3U);
  EXPECT_THAT(written[1].body, HasSubstr("injected failure"));
  EXPECT_THAT(written[1].body, HasSubstr("SyncFailed"));
}

TEST_F(FailureTest, AFailureThatCannotBeWrittenIsRetried) {
  pod_of("batch/v1", "Job");
  start();
  cluster_.fail_next({.verb = Verb::kUpdate, .resource = "poddisruptionbudgets", .times = 3});
  budget(R"("maxUnavailable":1)");
  cluster_.advance(1s);
  EXPECT_THAT(condition_text(), HasSubstr("SyncFailed jobs.batch"));
}

}  // namespace
}  // namespace davit::disruption
