/// Rows R13 to R18: the condition ReplicaFailure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/replicaset/fixture.hpp"

namespace davit::replicas {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kQuota =
    R"(pods "rs-abcde" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2)";

class FailureTest : public ReplicaSetTest {
 protected:
  /// A quota of two pods.
  void set_quota() { fail_creates_after(2, 403, kQuota); }
};

TEST_F(FailureTest, R13_AnExceededQuotaShowsInTheConditionAndInEvents) {
  add_set(R"({"spec":{"replicas":3}})");
  set_quota();
  start_one_sync();
  run_until_idle();

  EXPECT_THAT(pods(), SizeIs(2));
  ASSERT_THAT(conditions(), SizeIs(1));
  const Json failure = conditions().front();
  EXPECT_EQ(text(failure, {"type"}), "ReplicaFailure");
  EXPECT_EQ(text(failure, {"status"}), "True");
  EXPECT_EQ(text(failure, {"reason"}), "FailedCreate");
  EXPECT_EQ(text(failure, {"message"}), kQuota);
  EXPECT_EQ(text(failure, {"lastTransitionTime"}), format_time(now()));
  EXPECT_THAT(events(), Contains(std::string("Warning FailedCreate Error creating: ") + kQuota));
}

TEST_F(FailureTest, R14_TheConditionGoesWhenThePodsSuffice) {
  add_set(R"({"spec":{"replicas":3}})");
  set_quota();
  start_one_sync();
  run_until_idle();
  ASSERT_THAT(conditions(), SizeIs(1));

  edit_set(R"({"spec":{"replicas":2}})");
  run_until_idle();

  EXPECT_THAT(conditions(), IsEmpty());
  EXPECT_EQ(status("observedGeneration"), 2);
}

TEST_F(FailureTest, R15_ARaisedQuotaIsNoticedByTryingAgain) {
  add_set(R"({"spec":{"replicas":3}})");
  set_quota();
  start_one_sync();
  run_until_idle();

  cluster().clear_faults();
  advance(std::chrono::seconds(1000));

  EXPECT_THAT(pods(), SizeIs(3));
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(FailureTest, R16_ARejectedDeletionShowsInTheConditionAndInEvents) {
  add_set(R"({"spec":{"replicas":2}})");
  start();
  cluster().fail_next({.verb = testing::Verb::kDelete,
                       .resource = "pods",
                       .http_status = 500,
                       .reason = "InternalError",
                       .message = "webhook says no",
                       .times = testing::Fault::kAlways});

  edit_set(R"({"spec":{"replicas":1}})");
  run_until_idle();

  EXPECT_THAT(events(), Contains("Warning FailedDelete Error deleting: webhook says no"));
  ASSERT_THAT(conditions(), SizeIs(1));
  EXPECT_EQ(text(conditions().front(), {"reason"}), "FailedDelete");
  EXPECT_EQ(text(conditions().front(), {"message"}), "unable to delete pods: webhook says no");
}

TEST_F(FailureTest, R17_AStandingConditionKeepsItsFirstError) {
  add_set(R"({"spec":{"replicas":3}})");
  set_quota();
  start_one_sync();
  run_until_idle();
  const std::string before = conditions().front().canonical();

  cluster().clear_faults();
  fail_creates_after(0, 500, "something else");
  advance(std::chrono::seconds(10));

  EXPECT_THAT(events(), Contains("Warning FailedCreate Error creating: something else"));
  ASSERT_THAT(conditions(), SizeIs(1));
  EXPECT_EQ(conditions().front().canonical(), before);
}

TEST_F(FailureTest, R18_ConditionsOfOthersArePreserved) {
  const std::string foreign =
      R"({"lastTransitionTime":null,"message":"m","status":"True","type":"ImagePullBackOff"})";
  add_set(R"({"spec":{"replicas":3},"status":{"replicas":0,"conditions":[)" + foreign + "]}}");
  set_quota();
  start_one_sync();
  run_until_idle();
  ASSERT_THAT(conditions(), SizeIs(2));
  EXPECT_EQ(conditions().front().canonical(), foreign);

  edit_set(R"({"spec":{"replicas":2}})");
  run_until_idle();

  ASSERT_THAT(conditions(), SizeIs(1));
  EXPECT_EQ(conditions().front().canonical(), foreign);
}

}  // namespace
}  // namespace davit::replicas
