#include "plugins/deployment/progress_plan.hpp"

#include <gtest/gtest.h>

#include "tests/plugins/deployment/facts_builder.hpp"

namespace davit::deployment {
namespace {

using std::chrono::seconds;

const WallTime kStart = WallTime(std::chrono::hours(1000));

RolloutFacts with_deadline(std::int64_t deadline_seconds) {
  RolloutFacts rollout = rolling({3, 1, 0});
  rollout.progress_deadline_seconds = deadline_seconds;
  return rollout;
}

DeploymentStatus with_progress(std::string_view status, std::string_view reason,
                               WallTime at = kStart) {
  DeploymentStatus result;
  result.conditions.append(make_condition(kProgressing, status, reason, "before", at));
  return result;
}

DeploymentStatus counts(DeploymentStatus status, std::int64_t replicas, std::int64_t updated,
                        std::int64_t available) {
  status.observed_generation = 1;
  status.replicas = replicas;
  status.updated = updated;
  status.ready = available;
  status.available = available;
  return status;
}

const Condition& progress_of(const DeploymentStatus& status) {
  return *status.conditions.find(kProgressing);
}

constexpr std::string_view kSubject = "ReplicaSet \"d-1\"";

TEST(ProgressTest, CompleteRolloutIsSaidToBeAvailable) {
  const DeploymentStatus before = counts(with_progress("True", kSetUpdated), 3, 3, 2);
  DeploymentStatus next = counts(before, 3, 3, 3);
  mark_progress(with_deadline(600), {before, kSubject, kStart + seconds(9)}, next);
  EXPECT_EQ(progress_of(next).reason, kNewSetAvailable);
  EXPECT_EQ(progress_of(next).message, "ReplicaSet \"d-1\" has successfully progressed.");
  EXPECT_EQ(progress_of(next).last_update_time, kStart + seconds(9));
  EXPECT_EQ(progress_of(next).last_transition_time, kStart) << "it was True all along";
}

TEST(ProgressTest, D97ProgressMovesTheUpdateTimeOnly) {
  const DeploymentStatus before = counts(with_progress("True", kSetUpdated), 3, 1, 2);
  DeploymentStatus next = counts(before, 3, 2, 2);
  mark_progress(with_deadline(600), {before, kSubject, kStart + seconds(5)}, next);
  EXPECT_EQ(progress_of(next).reason, kSetUpdated);
  EXPECT_EQ(progress_of(next).message, "ReplicaSet \"d-1\" is progressing.");
  EXPECT_EQ(progress_of(next).last_update_time, kStart + seconds(5));
  EXPECT_EQ(progress_of(next).last_transition_time, kStart);
}

TEST(ProgressTest, FewerOutdatedPodsAreProgress) {
  const DeploymentStatus before = counts(with_progress("True", kNewSetCreated), 4, 1, 2);
  DeploymentStatus next = counts(before, 3, 1, 2);
  mark_progress(with_deadline(600), {before, kSubject, kStart}, next);
  EXPECT_EQ(progress_of(next).reason, kSetUpdated);
}

// D90
TEST(ProgressTest, DeadlinePassesStrictlyAfterItsLastSecond) {
  const DeploymentStatus before = counts(with_progress("True", kNewSetCreated), 3, 3, 0);
  DeploymentStatus next = before;
  mark_progress(with_deadline(3), {before, kSubject, kStart + seconds(3)}, next);
  EXPECT_EQ(next, before) << "at the deadline there is still time";
  mark_progress(with_deadline(3), {before, kSubject, kStart + seconds(3) + Duration(1)}, next);
  EXPECT_EQ(progress_of(next).status, "False");
  EXPECT_EQ(progress_of(next).reason, kDeadlineExceeded);
  EXPECT_EQ(progress_of(next).message, "ReplicaSet \"d-1\" has timed out progressing.");
}

TEST(ProgressTest, D91TimedOutRolloutRecovers) {
  const DeploymentStatus before = counts(with_progress("False", kDeadlineExceeded), 3, 3, 0);
  DeploymentStatus next = counts(before, 3, 3, 1);
  mark_progress(with_deadline(3), {before, kSubject, kStart + seconds(60)}, next);
  EXPECT_EQ(progress_of(next).reason, kSetUpdated);
  EXPECT_EQ(progress_of(next).last_transition_time, kStart + seconds(60));
}

// D92, D93
TEST(ProgressTest, DoneRolloutStaysDoneWhenPodsAreReplaced) {
  const DeploymentStatus before = counts(with_progress("True", kNewSetAvailable), 3, 3, 3);
  DeploymentStatus next = counts(before, 3, 3, 2);
  mark_progress(with_deadline(3), {before, kSubject, kStart + seconds(60)}, next);
  EXPECT_EQ(next.conditions, before.conditions);
  next = counts(before, 5, 5, 3);
  mark_progress(with_deadline(3), {before, kSubject, kStart + seconds(60)}, next);
  EXPECT_EQ(next.conditions, before.conditions);
}

TEST(ProgressTest, D95WithoutADeadlineTheConditionGoes) {
  const DeploymentStatus before = counts(with_progress("True", kSetUpdated), 3, 3, 0);
  DeploymentStatus next = before;
  mark_progress(rolling({3, 1, 0}), {before, kSubject, kStart}, next);
  EXPECT_EQ(next.conditions.find(kProgressing), nullptr);
}

TEST(ProgressTest, ConditionWithoutATimeCountsAsLongAgo) {
  DeploymentStatus before = counts({}, 3, 3, 0);
  Condition condition = make_condition(kProgressing, "True", kNewSetCreated, "m", kStart);
  condition.last_update_time.reset();
  before.conditions.append(condition);
  DeploymentStatus next = before;
  mark_progress(with_deadline(3), {before, kSubject, kStart}, next);
  EXPECT_EQ(progress_of(next).reason, kDeadlineExceeded);
}

// D72, D73
TEST(PauseTest, PausingStopsTheClockAndResumingRestartsIt) {
  const RolloutFacts rollout = with_deadline(600);
  DeploymentStatus status = with_progress("True", kSetUpdated);
  mark_pause(rollout, Pace::kPaused, status, kStart + seconds(5));
  EXPECT_EQ(progress_of(status).status, "Unknown");
  EXPECT_EQ(progress_of(status).reason, "DeploymentPaused");
  EXPECT_EQ(progress_of(status).message, "Deployment is paused");

  mark_pause(rollout, Pace::kRunning, status, kStart + seconds(50));
  EXPECT_EQ(progress_of(status).reason, "DeploymentResumed");
  EXPECT_EQ(progress_of(status).message, "Deployment is resumed");
  EXPECT_EQ(progress_of(status).last_update_time, kStart + seconds(50));
}

TEST(PauseTest, D77TimedOutStaysTimedOut) {
  DeploymentStatus status = with_progress("False", kDeadlineExceeded);
  const DeploymentStatus before = status;
  mark_pause(with_deadline(600), Pace::kPaused, status, kStart + seconds(5));
  EXPECT_EQ(status, before);
}

TEST(PauseTest, NothingIsMarkedWithoutADeadline) {
  DeploymentStatus status;
  mark_pause(rolling({3, 1, 0}), Pace::kPaused, status, kStart);
  EXPECT_TRUE(status.conditions.empty());
}

// D94
TEST(ReplicaFailureTest, ConditionOfTheSetComesAndGoes) {
  DeploymentStatus status;
  Condition failure = make_condition(kReplicaFailure, "True", "FailedCreate", "quota", kStart);
  failure.last_update_time.reset();  // Sets have none.
  mark_replica_failure(failure, status);
  const Condition* mine = status.conditions.find(kReplicaFailure);
  ASSERT_NE(mine, nullptr);
  EXPECT_EQ(mine->message, "quota");
  EXPECT_EQ(mine->last_update_time, kStart);

  failure.message = "another text";
  mark_replica_failure(failure, status);
  EXPECT_EQ(status.conditions.find(kReplicaFailure)->message, "quota") << "same status and reason";

  mark_replica_failure(std::nullopt, status);
  EXPECT_TRUE(status.conditions.empty());
}

TEST(NextCheckTest, StuckRolloutIsLookedAtWhenItsTimeIsUp) {
  const DeploymentStatus status = counts(with_progress("True", kNewSetCreated), 3, 3, 0);
  const RolloutFacts rollout = with_deadline(10);
  EXPECT_EQ(next_check(rollout, status, status, kStart), Duration(seconds(11)));
  EXPECT_EQ(next_check(rollout, status, status, kStart + seconds(9)), Duration(seconds(2)));
  const std::optional<Duration> last =
      next_check(rollout, status, status, kStart + std::chrono::milliseconds(9500));
  ASSERT_TRUE(last);
  EXPECT_GT(*last, std::chrono::milliseconds(500)) << "past the deadline, not at it";
  EXPECT_LT(*last, seconds(1));
}

TEST(NextCheckTest, NothingIsScheduledWhenNothingCanTimeOut) {
  const DeploymentStatus stuck = counts(with_progress("True", kNewSetCreated), 3, 3, 0);
  EXPECT_FALSE(next_check(rolling({3, 1, 0}), stuck, stuck, kStart)) << "no deadline";
  const DeploymentStatus complete = counts(with_progress("True", kSetUpdated), 3, 3, 3);
  EXPECT_FALSE(next_check(with_deadline(9), complete, complete, kStart));
  const DeploymentStatus late = counts(with_progress("False", kDeadlineExceeded), 3, 3, 0);
  EXPECT_FALSE(next_check(with_deadline(9), late, late, kStart));
  const DeploymentStatus dipped = counts(with_progress("True", kNewSetAvailable), 3, 3, 2);
  EXPECT_FALSE(next_check(with_deadline(9), dipped, dipped, kStart + seconds(9999)));
  EXPECT_FALSE(next_check(with_deadline(9), {}, {}, kStart)) << "no condition";
}

}  // namespace
}  // namespace davit::deployment
