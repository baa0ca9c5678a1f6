#include "plugins/shared/replicas/status_plan.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace davit::replicas {
namespace {

TEST(StatusPlanTest, R62_ReadyAndAvailablePodsAreCounted) {
  const PodState pods[] = {{}, {.ready = true}, {.ready = true, .available = true}};

  EXPECT_EQ(count_replicas(pods), (ReplicaCounts{.replicas = 3, .ready = 2, .available = 1}));
}

TEST(StatusPlanTest, R66_PodsWithTheTemplatesLabelsAreCounted) {
  const PodState pods[] = {{.fully_labeled = true}, {}};

  EXPECT_EQ(count_replicas(pods), (ReplicaCounts{.replicas = 2, .fully_labeled = 1}));
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
