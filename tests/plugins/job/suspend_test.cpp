/// Rows J67 to J78: suspension.
#include "tests/plugins/job/fixture.hpp"

namespace davit::job {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SuspendTest : public JobTest {
 protected:
  explicit SuspendTest(ReadYourWrites own_writes = ReadYourWrites::kOn) : JobTest(own_writes) {}
};

class LaggingSuspendTest : public SuspendTest {
 protected:
  LaggingSuspendTest() : SuspendTest(ReadYourWrites::kOff) {}
};

TEST_F(SuspendTest, J67_J68_ASuspendedJobStartsWhenItIsResumed) {
  run_job(R"({"suspend":true})");
  EXPECT_THAT(all_pods(), IsEmpty());
  EXPECT_THAT(conditions(), ElementsAre("Suspended=True/JobSuspended"));
  EXPECT_EQ(message_of("Suspended"), "Job suspended");
  EXPECT_EQ(events("Normal Suspended Job suspended"), 1U);
  EXPECT_EQ(status("startTime"), "");
  EXPECT_EQ(status("ready"), "0");
  EXPECT_EQ(status("terminating"), "0");

  resume();
  settle();
  EXPECT_THAT(active_pods(), SizeIs(1));
  EXPECT_THAT(conditions(), ElementsAre("Suspended=False/JobResumed"));
  EXPECT_EQ(message_of("Suspended"), "Job resumed");
  EXPECT_EQ(events("Normal Resumed Job resumed"), 1U);
  EXPECT_EQ(status("startTime"), R"("2024-05-01T12:00:02Z")");
}

TEST_F(SuspendTest, J69_SuspensionRemovesPodsWithoutCountingThem) {
  run_job(R"({"parallelism":2,"completions":2})", kBound);
  suspend();
  settle();
  EXPECT_EQ(count(Verb::kPatch, "pods"), 2U);
  EXPECT_EQ(count(Verb::kDelete, "pods"), 2U);
  EXPECT_EQ(status("active"), "");
  EXPECT_EQ(status("terminating"), "2");
  EXPECT_EQ(status("failed"), "");
  EXPECT_EQ(status("startTime"), "");
}

TEST_F(SuspendTest, J70_ByDefaultResumedPodsDoNotWaitForTheOldOnes) {
  run_job(R"({"parallelism":2,"completions":2})", kBound);
  suspend();
  settle();
  resume();
  EXPECT_THAT(active_pods(), SizeIs(2));
  EXPECT_THAT(all_pods(), SizeIs(4));
}

TEST_F(SuspendTest, J71_WithReplacementOfFailedPodsOnlyTheyWait) {
  run_job(R"({"parallelism":2,"completions":2,"podReplacementPolicy":"Failed"})", kBound);
  const std::vector<std::string> old = active_pods();
  suspend();
  settle();
  resume();
  settle();
  EXPECT_THAT(active_pods(), IsEmpty());
  set_pod(old[0], R"({"status":{"phase":"Failed"}})");
  settle();
  EXPECT_THAT(active_pods(), SizeIs(1));
  cluster_.erase<Pod>({"default", old[1]});
  settle();
  EXPECT_THAT(active_pods(), SizeIs(2));
}

TEST_F(SuspendTest, J72_AJobThatWasNeverSuspendedHasNoSuchCondition) {
  run_job();
  edit_spec(R"({"suspend":false})");
  settle();
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(SuspendTest, J73_TimeInSuspensionDoesNotCount) {
  run_job(R"({"suspend":true,"activeDeadlineSeconds":3})");
  cluster_.advance(10s);
  EXPECT_THAT(conditions(), SizeIs(1));
  resume();
  cluster_.advance(2s);
  EXPECT_THAT(conditions(), SizeIs(1));
  cluster_.advance(3s);
  EXPECT_THAT(conditions(), Contains("Failed=True/DeadlineExceeded"));
}

TEST_F(SuspendTest, J74_ASuspendedJobOfNothingIsComplete) {
  run_job(R"({"suspend":true,"completions":0})");
  EXPECT_THAT(conditions(), ElementsAre("SuccessCriteriaMet=True/CompletionsReached",
                                        "Complete=True/CompletionsReached"));
  EXPECT_EQ(status("startTime"), "");
}

TEST_F(SuspendTest, J75_AJobThatIsBeingDeletedIsNotSuspended) {
  run_job("{}", R"({"metadata":{"finalizers":["example.com/hold"]}})");
  delete_job();
  suspend();
  settle();
  EXPECT_THAT(active_pods(), SizeIs(1));
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(LaggingSuspendTest, J76_SuspensionWaitsForPodsThatAreUnseen) {
  start();
  cluster_.hold("pods");
  add_job(R"({"parallelism":2,"completions":2})");
  settle();
  suspend();
  settle();
  EXPECT_THAT(active_pods(), SizeIs(2));
  EXPECT_THAT(conditions(), IsEmpty());
  cluster_.release("pods");
  settle();
  EXPECT_THAT(active_pods(), IsEmpty());
  EXPECT_THAT(conditions(), ElementsAre("Suspended=True/JobSuspended"));
}

TEST_F(SuspendTest, J77_TheTemplateMayChangeInSuspension) {
  run_job();
  suspend();
  settle();
  edit_spec(R"({"template":{"spec":{"nodeSelector":{"zone":"b"}}}})");
  resume();
  settle();
  EXPECT_EQ(pod(active_pod()).text_at({"spec", "nodeSelector", "zone"}), "b");
}

TEST_F(SuspendTest, J78_CountsSurviveASuspension) {
  run_job(R"({"parallelism":2,"completions":5})");
  for (const std::string& each : active_pods()) succeed(each);
  settle();
  suspend();
  settle();
  EXPECT_EQ(status("succeeded"), "2");
  resume();
  settle();
  EXPECT_EQ(status("succeeded"), "2");
  for (int i = 0; i < 3; ++i) {
    succeed(active_pods().front());
    settle();
  }
  EXPECT_EQ(status("succeeded"), "5");
  EXPECT_THAT(conditions(), Contains("Complete=True/CompletionsReached"));
}

}  // namespace
}  // namespace davit::job
