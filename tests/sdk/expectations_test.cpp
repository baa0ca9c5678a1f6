#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <davit/expectations.hpp>
#include <davit/slow_start.hpp>
#include <utility>
#include <vector>

namespace davit {
namespace {

using namespace std::chrono_literals;

const Key kExpected{"default", "web"};
const Key kPodA{"default", "a"};
const Key kPodB{"default", "b"};
constexpr Time kStart{};

TEST(ExpectationsTest, NothingRecordedIsSatisfied) {
  Expectations expectations;
  expectations.creation_observed(kExpected);

  EXPECT_TRUE(expectations.satisfied(kExpected, kStart));
  EXPECT_EQ(expectations.outstanding(kExpected), std::nullopt);
}

TEST(ExpectationsTest, SatisfiedOnceAllWasSeen) {
  Expectations expectations;
  expectations.expect_creations(kExpected, 2, kStart);

  expectations.creation_observed(kExpected);
  EXPECT_FALSE(expectations.satisfied(kExpected, kStart));
  expectations.creation_observed(kExpected);
  EXPECT_TRUE(expectations.satisfied(kExpected, kStart));
}

TEST(ExpectationsTest, WhatIsOutstandingIsSaidInWords) {
  Expectations expectations;
  EXPECT_EQ(expectations.waits(kExpected, kStart), "");
  expectations.set(kExpected, {2, 1}, kStart);
  EXPECT_EQ(expectations.waits(kExpected, kStart + 10s),
            "waits until its cache shows 2 creations and 1 deletion of its own (expectation), at "
            "most another 290 s");

  expectations.creation_observed(kExpected, 2);
  EXPECT_EQ(expectations.waits(kExpected, kStart + 300s),
            "waits until its cache shows 1 deletion of its own (expectation), at most another 0 s");
  EXPECT_EQ(expectations.waits(kExpected, kStart + 301s), "") << "it counts as fulfilled";
  expectations.deletion_observed(kExpected);
  EXPECT_EQ(expectations.waits(kExpected, kStart), "");
}

TEST(ExpectationsTest, OnlyTheWaitsPageHasAKey) {
  EXPECT_EQ(key_of_waits_page("waits/default/web"), kExpected);
  EXPECT_EQ(key_of_waits_page("waits/node-1"), (Key{"", "node-1"}));
  EXPECT_EQ(key_of_waits_page("graph"), std::nullopt);
  EXPECT_EQ(key_of_waits_page(""), std::nullopt);
}

TEST(ExpectationsTest, CountersMayBecomeNegative) {
  Expectations expectations;
  expectations.expect_creations(kExpected, 1, kStart);

  expectations.creation_observed(kExpected, 3);

  EXPECT_EQ(expectations.outstanding(kExpected), (ExpectationCounts{-2, 0}));
  EXPECT_TRUE(expectations.satisfied(kExpected, kStart));
}

TEST(ExpectationsTest, OldOnesAreNotWaitedFor) {
  Expectations expectations;
  expectations.expect_deletions(kExpected, 1, kStart);

  EXPECT_FALSE(expectations.satisfied(kExpected, kStart + 5min));
  EXPECT_TRUE(expectations.satisfied(kExpected, kStart + 5min + 1ns));
}

TEST(ExpectationsTest, SettingReplacesAndErasingForgets) {
  Expectations expectations;
  expectations.expect_creations(kExpected, 5, kStart);
  expectations.expect_deletions(kExpected, 1, kStart);

  EXPECT_EQ(expectations.outstanding(kExpected), (ExpectationCounts{0, 1}));
  expectations.erase(kExpected);
  EXPECT_TRUE(expectations.satisfied(kExpected, kStart));
}

TEST(TrackingExpectationsTest, EachAwaitedObjectCountsOnce) {
  TrackingExpectations expectations;
  expectations.expect_deletions(kExpected, {kPodA, kPodB}, kStart);

  expectations.deletion_observed(kExpected, kPodA);
  expectations.deletion_observed(kExpected, kPodA);
  expectations.deletion_observed(kExpected, Key{"default", "other"});
  EXPECT_EQ(expectations.outstanding(kExpected), (ExpectationCounts{0, 1}));

  expectations.deletion_observed(kExpected, kPodB);
  EXPECT_TRUE(expectations.satisfied(kExpected, kStart));
}

TEST(TrackingExpectationsTest, ANewRoundReplacesTheAwaitedObjects) {
  TrackingExpectations expectations;
  expectations.expect_deletions(kExpected, {kPodA}, kStart);
  expectations.expect_deletions(kExpected, {kPodB}, kStart);

  expectations.deletion_observed(kExpected, kPodA);
  EXPECT_FALSE(expectations.satisfied(kExpected, kStart));
  expectations.erase(kExpected);
  EXPECT_TRUE(expectations.satisfied(kExpected, kStart));
}

/// Runs slow_start over calls of which those from `first_bad` on fail; records the batch sizes.
SlowStartOutcome run(std::size_t count, std::size_t first_bad, std::vector<std::size_t>& sizes) {
  return slow_start(count, [&](std::size_t first, std::size_t size) {
    sizes.push_back(size);
    std::vector<Status> responses;
    for (std::size_t i = first; i < first + size; ++i) {
      responses.push_back(i < first_bad ? Status() : Status(Code::kForbidden, "quota"));
    }
    return responses;
  });
}

TEST(SlowStartTest, BatchesDoubleUpToWhatRemains) {
  std::vector<std::size_t> sizes;

  const SlowStartOutcome outcome = run(500, 500, sizes);

  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 2, 4, 8, 16, 32, 64, 128, 245}));
  EXPECT_EQ(outcome.succeeded, 500u);
  EXPECT_TRUE(outcome.error.ok());
}

TEST(SlowStartTest, StopsAfterTheFirstBatchWithAFailure) {
  std::vector<std::size_t> sizes;

  const SlowStartOutcome outcome = run(100, 4, sizes);

  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 2, 4}));
  EXPECT_EQ(outcome.succeeded, 4u);
  EXPECT_EQ(outcome.error.code(), Code::kForbidden);
}

TEST(SlowStartTest, NoBatchIsLargerThanTheMost) {
  std::vector<std::size_t> sizes;

  const SlowStartOutcome outcome = slow_start(
      12,
      [&](std::size_t, std::size_t size) {
        sizes.push_back(size);
        return std::vector<Status>(size);
      },
      3);

  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 2, 3, 3, 3}));
  EXPECT_EQ(outcome.succeeded, 12u);
}

TEST(SlowStartTest, NothingToDoCallsNothing) {
  std::vector<std::size_t> sizes;

  EXPECT_EQ(run(0, 0, sizes).succeeded, 0u);
  EXPECT_TRUE(sizes.empty());
}

}  // namespace
}  // namespace davit
