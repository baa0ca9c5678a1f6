#include "plugins/shared/replicas/status_plan.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace davit::replicas {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr WallTime kStatusTime{std::chrono::seconds{1'800'000'000}};

PodState pod_ready_for(std::chrono::nanoseconds age) {
  return {.ready = true, .ready_since = kStatusTime - age};
}

TEST(StatusPlanTest, R62_OnlyPodsReadyForLongEnoughAreAvailable) {
  const PodState pods[] = {{.ready = false}, pod_ready_for(seconds{0}), pod_ready_for(hours{2})};

  const ReplicaCounts counts = count_replicas(pods, seconds{3600}, kStatusTime);

  EXPECT_EQ(counts, (ReplicaCounts{.replicas = 3, .ready = 2, .available = 1}));
}

TEST(StatusPlanTest, R63_TheNextPodToBecomeAvailableSetsTheTimer) {
  const PodState pods[] = {
      {}, pod_ready_for(seconds{0}), pod_ready_for(seconds{2}), pod_ready_for(milliseconds{4300})};

  EXPECT_EQ(count_replicas(pods, seconds{5}, kStatusTime).available, 0);
  EXPECT_EQ(next_available_at(pods, seconds{5}, kStatusTime), kStatusTime + milliseconds{700});
}

TEST(StatusPlanTest, R64_WithoutMinReadySecondsAReadyPodNeedsNoTime) {
  EXPECT_TRUE(is_available({.ready = true}, seconds{0}, kStatusTime));
}

TEST(StatusPlanTest, R65_WithMinReadySecondsAMissingTimeIsNeverEnough) {
  const PodState pods[] = {{.ready = true}};

  EXPECT_FALSE(is_available(pods[0], seconds{1}, kStatusTime));
  EXPECT_EQ(next_available_at(pods, seconds{1}, kStatusTime), std::nullopt);
}

TEST(StatusPlanTest, TheBoundaryInstantCountsAsAvailable) {
  EXPECT_TRUE(is_available(pod_ready_for(seconds{5}), seconds{5}, kStatusTime));
  EXPECT_FALSE(is_available(pod_ready_for(milliseconds{4999}), seconds{5}, kStatusTime));
}

TEST(StatusPlanTest, R66_PodsWithTheTemplatesLabelsAreCounted) {
  const PodState pods[] = {{.fully_labeled = true}, {}};

  EXPECT_EQ(count_replicas(pods, seconds{0}, kStatusTime),
            (ReplicaCounts{.replicas = 2, .fully_labeled = 1}));
}

TEST(StatusPlanTest, AvailablePodsSetNoTimer) {
  const PodState pods[] = {pod_ready_for(hours{1})};

  EXPECT_EQ(next_available_at(pods, seconds{5}, kStatusTime), std::nullopt);
}

TEST(StatusPlanTest, R17_AnUnchangedFailureIsNotTouched) {
  EXPECT_EQ(plan_failure(ScaleOutcome::kFailed, FailureShown::kYes), FailureChange::kKeep);
  EXPECT_EQ(plan_failure(ScaleOutcome::kFailed, FailureShown::kNo), FailureChange::kAdd);
  EXPECT_EQ(plan_failure(ScaleOutcome::kSucceeded, FailureShown::kYes), FailureChange::kRemove);
  EXPECT_EQ(plan_failure(ScaleOutcome::kSucceeded, FailureShown::kNo), FailureChange::kKeep);
}

TEST(StatusPlanTest, Q2_ASyncThatDoesNotTryChangesNoFailure) {
  EXPECT_EQ(plan_failure(ScaleOutcome::kUntried, FailureShown::kYes), FailureChange::kKeep);
  EXPECT_EQ(plan_failure(ScaleOutcome::kUntried, FailureShown::kNo), FailureChange::kKeep);
}

TEST(StatusPlanTest, TheReasonSaysWhatFailed) {
  EXPECT_EQ(failure_reason(1, 2), "FailedCreate");
  EXPECT_EQ(failure_reason(2, 1), "FailedDelete");
}

TEST(StatusPlanTest, ATerminatingCountIsWrittenForItselfOnlyWhereTheServerKeepsIt) {
  const ReplicaCounts absent{.replicas = 1};
  const ReplicaCounts zero{.replicas = 1, .terminating = 0};
  const ReplicaCounts one{.replicas = 1, .terminating = 1};

  EXPECT_TRUE(counts_differ(absent, zero, TerminatingField::kStored)) << "R70";
  EXPECT_TRUE(counts_differ(absent, zero, TerminatingField::kUnproven)) << "the response shows it";
  EXPECT_TRUE(counts_differ(absent, one, TerminatingField::kUnproven));
  EXPECT_TRUE(counts_differ(one, zero, TerminatingField::kUnproven));
  EXPECT_TRUE(counts_differ(one, absent, TerminatingField::kDropped));
  EXPECT_FALSE(counts_differ(absent, absent, TerminatingField::kDropped));
  EXPECT_FALSE(counts_differ(absent, one, TerminatingField::kDropped))
      << "it would be dropped again";
}

}  // namespace
}  // namespace davit::replicas
