/// Rows J43 to J66: failures, back-off and limits.
#include "tests/plugins/job/fixture.hpp"

namespace davit::job {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class FailureTest : public JobTest {
 protected:
  explicit FailureTest(ReadYourWrites own_writes = ReadYourWrites::kOn) : JobTest(own_writes) {}

  /// From now on, so long passes until there is another pod; a second more or less.
  Duration until_next_pod() {
    const std::size_t before = creations();
    const Time from = cluster_.now();
    while (creations() == before && cluster_.now() - from < 20min) cluster_.advance(1s);
    return cluster_.now() - from;
  }
  void set_restarts(const std::string& pod, int count,
                    std::string_view list = "containerStatuses") {
    set_pod(pod, R"({"status":{"phase":"Running",")" + std::string(list) +
                     R"(":[{"name":"c","restartCount":)" + std::to_string(count) + "}]}}");
    settle();
  }
};

class LaggingFailureTest : public FailureTest {
 protected:
  LaggingFailureTest() : FailureTest(ReadYourWrites::kOff) {}
};

TEST_F(FailureTest, J43_J44_EachFailureDoublesTheWait) {
  run_job(R"({"backoffLimit":10})");
  for (const Duration wait : {10s, 20s, 40s, 80s, 160s, 320s, 600s, 600s}) {
    fail(active_pod());
    const Duration waited = until_next_pod();
    EXPECT_GE(waited, wait);
    EXPECT_LE(waited, wait + 3s);
  }
  EXPECT_EQ(status("failed"), "8");
}

TEST_F(FailureTest, J43_TheFailureIsCountedWithinSeconds) {
  run_job();
  fail(active_pod());
  cluster_.advance(3s);
  EXPECT_EQ(status("failed"), "1");
  EXPECT_EQ(status("active"), "");
  EXPECT_EQ(creations(), 1U);
}

TEST_F(FailureTest, J45_ASuccessEndsTheBackOff) {
  run_job(R"({"parallelism":1,"completions":2})");
  fail(active_pod());
  until_next_pod();
  fail(active_pod());
  until_next_pod();
  succeed(active_pod());
  EXPECT_LE(until_next_pod(), 2s);
  fail(active_pod());
  const Duration waited = until_next_pod();
  EXPECT_GE(waited, 10s);
  EXPECT_LE(waited, 13s);
}

TEST_F(FailureTest, J46_FailuresOfOneSecondAddUp) {
  run_job(R"({"parallelism":3,"completions":3})");
  for (const std::string& each : active_pods()) fail(each);
  EXPECT_GE(until_next_pod(), 40s);
}

TEST_F(FailureTest, J47_WhileItWaitsTheStatusIsTrue) {
  run_job(R"({"parallelism":2,"completions":2})");
  const std::vector<std::string> pods = active_pods();
  set_ready(pods[0]);
  settle();
  fail(pods[1]);
  settle();
  EXPECT_EQ(status("active"), "1");
  EXPECT_EQ(status("ready"), "1");
  EXPECT_EQ(status("failed"), "1");
  EXPECT_FALSE(has_finalizer(pods[1]));
  for (const testing::RequestRecord& each : cluster_.requests()) EXPECT_TRUE(each.ok()) << each;
}

TEST_F(FailureTest, J48_AFailureBeforeASuccessDoesNotCount) {
  run_job(R"({"parallelism":2,"completions":5})");
  const std::vector<std::string> pods = active_pods();
  fail(pods[0]);
  cluster_.skip(1s);
  succeed(pods[1]);
  cluster_.advance(2s);
  EXPECT_EQ(creations(), 4U);
  EXPECT_EQ(status("failed"), "1");
}

TEST_F(FailureTest, J49_WithoutContainerStatusTheReadyConditionGivesTheTime) {
  run_job();
  const std::string since = format_time(cluster_.wall_now());
  cluster_.advance(6s);
  set_pod(active_pod(), R"({"status":{"phase":"Failed","conditions":[{"type":"Ready",
      "status":"False","lastTransitionTime":")" +
                            since + R"("}]}})");
  EXPECT_LE(until_next_pod(), 5s);
}

TEST_F(FailureTest, J50_TheBackOffHoldsBackMoreParallelismToo) {
  run_job(R"({"parallelism":1,"completions":3})");
  fail(active_pod());
  settle();
  edit_spec(R"({"parallelism":3})");
  cluster_.advance(5s);
  EXPECT_EQ(creations(), 1U);
  cluster_.advance(6s);
  EXPECT_EQ(creations(), 4U);
}

TEST_F(FailureTest, J51_J52_ADeletedPodIsAFailureAtOnce) {
  run_job("{}", kBound);
  const std::string pod = active_pod();
  delete_pod(pod);
  settle();
  EXPECT_EQ(status("failed"), "1");
  EXPECT_EQ(status("terminating"), "1");
  EXPECT_TRUE(exists(pod));
  EXPECT_FALSE(has_finalizer(pod));
  cluster_.advance(6s);
  EXPECT_EQ(creations(), 1U);
  cluster_.advance(6s);
  EXPECT_EQ(creations(), 2U);

  cluster_.erase<Pod>({"default", pod});
  settle();
  EXPECT_EQ(status("terminating"), "0");
  EXPECT_EQ(status("failed"), "1");
}

TEST_F(FailureTest, J53_OneFailureTooManyEndsTheJob) {
  run_job(R"({"backoffLimit":2})");
  for (int i = 0; i < 2; ++i) {
    fail(active_pod());
    until_next_pod();
  }
  fail(active_pod());
  settle();
  EXPECT_THAT(conditions(), ElementsAre("FailureTarget=True/BackoffLimitExceeded",
                                        "Failed=True/BackoffLimitExceeded"));
  EXPECT_EQ(message_of("Failed"), "Job has reached the specified backoff limit");
  EXPECT_EQ(status("failed"), "3");
  EXPECT_EQ(events("Warning BackoffLimitExceeded Job has reached the specified backoff limit"), 1U);
}

TEST_F(FailureTest, J54_J55_TheEndWaitsForPodsThatTerminate) {
  run_job(R"({"backoffLimit":0,"parallelism":2,"completions":2})", kBound);
  const std::vector<std::string> pods = active_pods();
  cluster_.clear_records();
  fail(pods[0]);
  settle();
  EXPECT_EQ(count(Verb::kDelete, "pods"), 1U);
  const std::vector<Json> stored = stored_statuses();
  ASSERT_GE(stored.size(), 2U);
  EXPECT_THAT(conditions_of(stored[0]), ElementsAre("FailureTarget=True/BackoffLimitExceeded"));
  EXPECT_EQ(stored[0].at({"status", "active"}), nullptr);
  EXPECT_EQ(stored[0].text_at({"status", "terminating"}), "1");
  EXPECT_EQ(status("failed"), "2");

  cluster_.advance(1min);
  EXPECT_THAT(conditions(), SizeIs(1));
  EXPECT_THAT(cluster_.event_texts(), Each(Not(HasSubstr("BackoffLimitExceeded"))));
  cluster_.erase<Pod>({"default", pods[1]});
  settle();
  EXPECT_THAT(conditions(), SizeIs(2));
  EXPECT_THAT(cluster_.event_texts(), Contains(HasSubstr("BackoffLimitExceeded")));
  EXPECT_EQ(status("failed"), "2");
}

TEST_F(FailureTest, J56_AJobDoesNotEndWhileAPodCannotBeDeleted) {
  run_job(R"({"backoffLimit":0,"parallelism":2,"completions":2})", kBound);
  cluster_.fail_next({.verb = Verb::kDelete, .resource = "pods", .times = 1});
  cluster_.clear_records();
  fail(active_pods().front());
  cluster_.advance(1s);
  EXPECT_THAT(cluster_.event_texts(), Contains(HasSubstr("FailedDelete")));
  EXPECT_THAT(conditions(), IsEmpty());
  settle();
  EXPECT_THAT(conditions(), ElementsAre("FailureTarget=True/BackoffLimitExceeded"));
}

TEST_F(FailureTest, J57_RestartsInPlaceCountAgainstTheLimit) {
  run_job(R"({"backoffLimit":3,"parallelism":2,"completions":2})",
          R"({"spec":{"template":{"spec":{"restartPolicy":"OnFailure"}}}})");
  const std::vector<std::string> pods = active_pods();
  set_restarts(pods[0], 1);
  set_restarts(pods[1], 1);
  EXPECT_THAT(conditions(), IsEmpty());
  set_restarts(pods[0], 2);
  EXPECT_THAT(conditions(), Contains("FailureTarget=True/BackoffLimitExceeded"));
}

TEST_F(FailureTest, J58_RestartsOfInitContainersCountToo) {
  run_job(R"({"backoffLimit":0})", R"({"spec":{"template":{"spec":{"restartPolicy":"OnFailure",
      "initContainers":[{"name":"i","image":"nginx"}]}}}})");
  set_restarts(active_pod(), 1, "initContainerStatuses");
  EXPECT_THAT(conditions(), Contains("FailureTarget=True/BackoffLimitExceeded"));
}

TEST_F(FailureTest, J59_RestartsDoNotCountForPodsThatAreNeverRestarted) {
  run_job();
  set_restarts(active_pod(), 50);
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(FailureTest, J60_ADeadlineEndsTheJob) {
  run_job(R"({"activeDeadlineSeconds":5})");
  cluster_.advance(2s);
  EXPECT_THAT(conditions(), IsEmpty());
  cluster_.advance(4s);
  EXPECT_THAT(all_pods(), IsEmpty());
  EXPECT_THAT(conditions(),
              ElementsAre("FailureTarget=True/DeadlineExceeded", "Failed=True/DeadlineExceeded"));
  EXPECT_EQ(message_of("Failed"), "Job was active longer than specified deadline");
}

TEST_F(FailureTest, J61_ADeadlineOfZeroLetsNothingStart) {
  run_job(R"({"activeDeadlineSeconds":0})");
  EXPECT_EQ(creations(), 0U);
  EXPECT_THAT(conditions(), Contains("Failed=True/DeadlineExceeded"));
}

TEST_F(FailureTest, J62_AShorterDeadlineCountsAtOnce) {
  run_job(R"({"activeDeadlineSeconds":600})");
  cluster_.advance(10s);
  edit_spec(R"({"activeDeadlineSeconds":3})");
  EXPECT_THAT(conditions(), Contains("FailureTarget=True/DeadlineExceeded"));
}

TEST_F(FailureTest, J63_TheBackOffLimitComesBeforeTheDeadline) {
  run_job(R"({"activeDeadlineSeconds":5,"backoffLimit":0})");
  cluster_.skip(4s);
  fail(active_pod());
  settle();
  EXPECT_THAT(conditions(), Contains("Failed=True/BackoffLimitExceeded"));
}

TEST_F(FailureTest, J64_FinishedPodsOfAFailedJobStay) {
  run_job(R"({"parallelism":2,"completions":5,"backoffLimit":0})");
  const std::vector<std::string> pods = active_pods();
  succeed(pods[0]);
  fail(pods[1]);
  settle();
  EXPECT_THAT(conditions(), Contains("Failed=True/BackoffLimitExceeded"));
  for (const std::string& each : pods) {
    EXPECT_TRUE(exists(each));
    EXPECT_FALSE(has_finalizer(each));
  }
}

TEST_F(FailureTest, J65_AConditionThatIsNotTrueAnnouncesNothing) {
  run_job();
  edit_status(R"({"conditions":[{"type":"FailureTarget","status":"False"}]})");
  settle();
  EXPECT_THAT(conditions(), ElementsAre("FailureTarget=False/"));
  succeed(active_pod());
  settle();
  EXPECT_THAT(conditions(), Contains("Complete=True/CompletionsReached"));
}

TEST_F(LaggingFailureTest, J66_AJobDoesNotFailWhilePodsAreUnseen) {
  run_job(R"({"parallelism":1,"completions":3})");
  cluster_.hold("pods");
  edit_spec(R"({"parallelism":3})");
  ASSERT_THAT(active_pods(), SizeIs(3));
  edit_spec(R"({"activeDeadlineSeconds":0})");
  settle();
  EXPECT_THAT(conditions(), IsEmpty());
  cluster_.release("pods");
  settle();
  EXPECT_THAT(conditions(), SizeIs(2));
  EXPECT_THAT(active_pods(), IsEmpty()) << "those that were unseen are deleted, too";
}

}  // namespace
}  // namespace davit::job
