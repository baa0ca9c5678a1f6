/// Rows J118 to J127: success policies, and which pods are replaced.
#include "tests/plugins/job/fixture.hpp"

namespace davit::job {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SuccessPolicyTest : public JobTest {
 protected:
  void run_with(const std::string& rules, std::string_view spec = "{}",
                std::string_view patch = "{}") {
    Json all = Json::must(R"({"completionMode":"Indexed","parallelism":5,"completions":5})");
    testing::merge_patch(all, Json::must(spec));
    all["successPolicy"]["rules"] = Json::must("[" + rules + "]");
    run_job(all.dump(), patch);
  }
};

TEST_F(SuccessPolicyTest, J118_SomeIndexesMayBeEnough) {
  run_with(R"({"succeededIndexes":"0"})", "{}", kBound);
  succeed(of_index("0"));
  settle();
  EXPECT_THAT(conditions(), ElementsAre("SuccessCriteriaMet=True/SuccessPolicy"));
  EXPECT_EQ(message_of("SuccessCriteriaMet"), "Matched rules at index 0");
  EXPECT_EQ(status("terminating"), "4");
  for (const std::string& each : all_pods()) {
    if (is_deleted(each)) cluster_.erase<Pod>({"default", each});
  }
  settle();
  EXPECT_THAT(conditions(), Contains("Complete=True/SuccessPolicy"));
  EXPECT_EQ(message_of("Complete"), "Matched rules at index 0");
  EXPECT_EQ(status("failed"), "");
  EXPECT_EQ(status("succeeded"), "1");
}

TEST_F(SuccessPolicyTest, J119_ANumberMayBeEnough) {
  run_with(R"({"succeededCount":2})");
  succeed(of_index("3"));
  settle();
  EXPECT_THAT(conditions(), IsEmpty());
  succeed(of_index("1"));
  settle();
  EXPECT_THAT(conditions(), Contains("Complete=True/SuccessPolicy"));
}

TEST_F(SuccessPolicyTest, J120_ANumberOfSomeIndexesMayBeEnough) {
  run_with(R"({"succeededIndexes":"1-3","succeededCount":2})");
  succeed(of_index("0"));
  succeed(of_index("1"));
  settle();
  EXPECT_THAT(conditions(), IsEmpty());
  succeed(of_index("3"));
  settle();
  EXPECT_THAT(conditions(), Contains("Complete=True/SuccessPolicy"));
}

TEST_F(SuccessPolicyTest, J121_TheRuleThatHoldsIsNamed) {
  run_with(R"({"succeededIndexes":"0,1"},{"succeededIndexes":"4"})");
  succeed(of_index("4"));
  settle();
  EXPECT_EQ(message_of("Complete"), "Matched rules at index 1");
}

TEST_F(SuccessPolicyTest, J122_AFailureInTheSameSyncWins) {
  run_with(R"({"succeededIndexes":"0"})", R"({"backoffLimit":0})");
  fail(of_index("1"));
  succeed(of_index("0"));
  settle();
  EXPECT_THAT(conditions(), Contains("Failed=True/BackoffLimitExceeded"));
}

TEST_F(SuccessPolicyTest, J123_AfterASuccessNoFailureCounts) {
  run_with(R"({"succeededIndexes":"0"})",
           R"({"parallelism":2,"completions":2,"podFailurePolicy":{"rules":[{"action":"FailJob",
               "onExitCodes":{"operator":"In","values":[5]}}]}})",
           kBound);
  const std::string other = of_index("1");
  succeed(of_index("0"));
  settle();
  ASSERT_THAT(conditions(), SizeIs(1));
  fail(other, 5);
  settle();
  EXPECT_THAT(conditions(), Contains("Complete=True/SuccessPolicy"));
}

TEST_F(SuccessPolicyTest, J124_ARuleThatNeverHoldsLeavesTheJobToItsCompletions) {
  run_with(R"({"succeededIndexes":"0","succeededCount":1})", R"({"parallelism":1})");
  // Indexes beyond the end: the server refuses such a rule, so an older one stored it.
  cluster_.merge<Job>({"default", "j"},
                      R"({"spec":{"successPolicy":{"rules":[{"succeededIndexes":"7"}]}}})");
  for (int i = 0; i < 5; ++i) {
    succeed(active_pods().front());
    settle();
  }
  EXPECT_THAT(conditions(), Contains("Complete=True/CompletionsReached"));
}

class ReplacementTest : public JobTest {};

TEST_F(ReplacementTest, J125_OnlyFailedPodsAreReplaced) {
  run_job(R"({"parallelism":2,"completions":2,"podReplacementPolicy":"Failed"})", kBound);
  const std::vector<std::string> pods = active_pods();
  for (const std::string& each : pods) delete_pod(each);
  cluster_.advance(1min);
  EXPECT_EQ(status("active"), "");
  EXPECT_EQ(status("failed"), "");
  EXPECT_EQ(status("terminating"), "2");
  EXPECT_EQ(creations(), 2U);

  for (const std::string& each : pods) fail(each);
  settle();
  EXPECT_EQ(status("failed"), "2");
  EXPECT_EQ(status("terminating"), "0");
  cluster_.advance(17s);
  EXPECT_EQ(creations(), 2U);
  cluster_.advance(3s);
  EXPECT_EQ(creations(), 4U);
}

TEST_F(ReplacementTest, J125_AnIndexWhosePodTerminatesIsNotRunAgainYet) {
  run_job(R"({"completionMode":"Indexed","parallelism":2,"completions":3,
              "podReplacementPolicy":"Failed"})",
          kBound);
  const std::string other = of_index("1");
  delete_pod(of_index("0"));
  succeed(other);
  settle();
  EXPECT_THAT(by_index(), ElementsAre(::testing::Key("2")));
}

TEST_F(ReplacementTest, J126_ByDefaultTerminatingPodsAreReplaced) {
  run_job(R"({"parallelism":2,"completions":2})", kBound);
  for (const std::string& each : active_pods()) delete_pod(each);
  settle();
  EXPECT_EQ(status("failed"), "2");
  EXPECT_EQ(status("terminating"), "2");
  cluster_.advance(17s);
  EXPECT_EQ(creations(), 2U);
  cluster_.advance(3s);
  EXPECT_EQ(creations(), 4U);
  EXPECT_EQ(status("terminating"), "2");
}

TEST_F(ReplacementTest, J127_ATerminatingPodMaySucceed) {
  run_job(R"({"podReplacementPolicy":"Failed"})", kBound);
  const std::string pod = active_pod();
  delete_pod(pod);
  settle();
  succeed(pod);
  settle();
  EXPECT_EQ(status("succeeded"), "1");
  EXPECT_THAT(conditions(), Contains("Complete=True/CompletionsReached"));
}

}  // namespace
}  // namespace davit::job
