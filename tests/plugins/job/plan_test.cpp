/// The pure rules: index sets, back-off, the order of removal, finish times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <davit/testing/cluster.hpp>

#include "plugins/job/backoff_plan.hpp"
#include "plugins/job/index_set.hpp"
#include "plugins/job/job_memory.hpp"
#include "plugins/job/pod_body.hpp"
#include "plugins/job/pod_facts.hpp"
#include "plugins/job/snapshot.hpp"

namespace davit::job {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

constexpr WallTime kNoon = std::chrono::sys_days(std::chrono::year(2024) / 5 / 1) + 12h;

struct TextCase {
  const char* text;
  std::int64_t limit;
  const char* read;
};
constexpr TextCase kTexts[] = {
    {"", 10, ""},
    {"0,1,3-5", 10, "0,1,3-5"},
    {"0,1,2", 10, "0-2"},
    {"0-1,2,3", 10, "0-3"},
    {"1-5", 4, "1-3"},
    {"1,4,2", 4, "1"},  // Reading stops at an index beyond the end.
    {"x,1,2-y,5", 10, "1,5"},
    {"5-3,7", 10, "7"},
    {",,3", 10, "3"},
    {"0-2147483646", 2147483647, "0-2147483646"},
};

TEST(IndexSetTest, TextIsReadUpToItsLimit) {
  for (const TextCase& each : kTexts) {
    EXPECT_EQ(IndexSet::parse(each.text, each.limit).text(), each.read) << each.text;
  }
}

TEST(IndexSetTest, MembersAreCountedAndFound) {
  const IndexSet set = IndexSet::of({5, 1, 0, 3, 1});
  EXPECT_EQ(set.text(), "0,1,3,5");
  EXPECT_EQ(set.size(), 4);
  for (const std::int64_t index : {0, 1, 3, 5}) EXPECT_TRUE(set.contains(index));
  for (const std::int64_t index : {-1, 2, 4, 6}) EXPECT_FALSE(set.contains(index));
  EXPECT_EQ(set.united_with(IndexSet::of({2, 4})).text(), "0-5");
  EXPECT_EQ(set.common_with(IndexSet::parse("1-3,5-9", 10)), 3);
  EXPECT_EQ(IndexSet().common_with(set), 0);
}

TEST(IndexSetTest, TheLowestMissingIndexesAreFound) {
  const IndexSet set = IndexSet::parse("0,2,5-7", 10);
  EXPECT_THAT(set.first_missing(3, 10), ElementsAre(1, 3, 4));
  EXPECT_THAT(set.first_missing(9, 10), ElementsAre(1, 3, 4, 8, 9));
  EXPECT_THAT(set.first_missing(9, 4), ElementsAre(1, 3));
  EXPECT_THAT(IndexSet::parse("0-9", 10).first_missing(5, 10), IsEmpty());
}

TEST(DecimalTest, TextIsReadAsGoDoes) {
  EXPECT_EQ(parse_decimal("007"), 7);
  EXPECT_EQ(parse_decimal("+3"), 3);
  EXPECT_EQ(parse_decimal("-3"), -3);
  for (const char* text : {"", "+", "+-3", " 3", "3 ", "0x3", "3.0", "99999999999999999999"}) {
    EXPECT_EQ(parse_decimal(text), std::nullopt) << text;
  }
}

TEST(BackoffTest, FailuresAddUpAndASuccessEndsThem) {
  const Backoff two{2, kNoon};
  EXPECT_EQ(next_backoff(two, {}, {}), two);
  EXPECT_EQ(next_backoff(two, {}, {kNoon + 5s, kNoon + 3s}), (Backoff{4, kNoon + 5s}));
  EXPECT_EQ(next_backoff(two, {kNoon + 1s}, {}).failures, 0);
  EXPECT_EQ(next_backoff(two, {kNoon + 1s}, {kNoon, kNoon + 1s}).failures, 0)
      << "a failure in the instant of the success came before it";
  EXPECT_EQ(next_backoff(two, {kNoon + 1s, kNoon}, {kNoon, kNoon + 2s}), (Backoff{1, kNoon + 2s}));
}

TEST(BackoffTest, ItDoublesUpToTenMinutes) {
  std::vector<Duration> durations;
  for (std::int64_t failures = 0; failures < 9; ++failures) {
    durations.push_back(backoff_duration(failures));
  }
  EXPECT_THAT(durations, ElementsAre(0s, 10s, 20s, 40s, 80s, 160s, 320s, 600s, 600s));
  EXPECT_EQ(backoff_duration(std::numeric_limits<std::int64_t>::max()), 600s);
  EXPECT_EQ(backoff_left({1, kNoon}, kNoon + 4s), 6s);
  EXPECT_EQ(backoff_left({1, kNoon}, kNoon + 11s), 0s);
  EXPECT_EQ(backoff_left({}, kNoon), 0s);
}

TEST(SnapshotTest, OfSeveralFailedPodsOfAnIndexTheLastOneIsKept) {
  JobSpec spec;
  spec.indexed = true;
  spec.completions = 2;
  spec.backoff_limit_per_index = 5;
  const auto failed = [](std::int64_t failures, Duration after) {
    PodFacts pod;
    pod.phase = PodPhase::kFailed;
    pod.has_finalizer = true;
    pod.index = 0;
    pod.failures = failures;
    pod.finished = kNoon + after;
    return pod;
  };
  EXPECT_EQ(make_snapshot(spec, {}, "ns", {failed(0, 0s), failed(1, 1s)}).delayed.at(0), 1U);
  EXPECT_EQ(make_snapshot(spec, {}, "ns", {failed(1, 1s), failed(0, 0s)}).delayed.at(0), 0U);
  EXPECT_EQ(make_snapshot(spec, {}, "ns", {failed(1, 1s), failed(1, 0s)}).delayed.at(0), 0U)
      << "smaller in one of both";
}

TEST(MemoryTest, RecordsOfAnotherJobWithTheNameCountAsAbsent) {
  const JobId old{{"ns", "j"}, "1"};
  const JobId job{{"ns", "j"}, "2"};
  const Time now{};
  JobMemory memory;
  memory.expect(old, {.additions = 2}, now);
  memory.await_removals(old, {"pod"});
  memory.set_backoff(old, {3, kNoon});
  memory.mark_finished(old);
  EXPECT_FALSE(memory.satisfied(old, now));
  EXPECT_TRUE(memory.satisfied(job, now));
  EXPECT_THAT(memory.awaited_removals(job), IsEmpty());
  EXPECT_EQ(memory.backoff(job), Backoff());
  EXPECT_FALSE(memory.is_finished(job));

  memory.expect(job, {.deletions = 1}, now);
  EXPECT_TRUE(memory.satisfied(old, now)) << "the last one to be written stays";
  EXPECT_FALSE(memory.is_finished(job));
}

TEST(MemoryTest, WhatIsNotSeenInFiveMinutesIsGivenUp) {
  const JobId job{{"ns", "j"}, "1"};
  const Time now{};
  JobMemory memory;
  memory.expect(job, {.additions = 2}, now);
  memory.creation_observed(job);
  EXPECT_FALSE(memory.satisfied(job, now + 5min));
  EXPECT_TRUE(memory.satisfied(job, now + 5min + 1ns));
  memory.creation_observed(job, 2);
  EXPECT_TRUE(memory.satisfied(job, now)) << "more than were expected";
}

struct FinishCase {
  const char* pod;
  WallTime finished;
};

TEST(FinishTimeTest, TheFirstSourceThatExistsDecides) {
  const FinishCase cases[] = {
      {R"({"status":{"containerStatuses":[
           {"name":"a","state":{"terminated":{"finishedAt":"2024-05-01T12:00:01Z"}}},
           {"name":"b","state":{"terminated":{"finishedAt":"2024-05-01T12:00:03Z"}}}]}})",
       kNoon + 3s},
      // A sidecar ends after the rest; an ordinary init container does not matter.
      {R"({"spec":{"initContainers":[{"name":"s","restartPolicy":"Always"},{"name":"i"}]},
           "status":{"containerStatuses":[
           {"name":"a","state":{"terminated":{"finishedAt":"2024-05-01T12:00:01Z"}}}],
           "initContainerStatuses":[
           {"name":"s","state":{"terminated":{"finishedAt":"2024-05-01T12:00:05Z"}}},
           {"name":"i","state":{"terminated":{"finishedAt":"2024-05-01T12:00:09Z"}}}]}})",
       kNoon + 5s},
      // One container still runs, so the containers say nothing.
      {R"({"status":{"containerStatuses":[
           {"name":"a","state":{"terminated":{"finishedAt":"2024-05-01T12:00:01Z"}}},
           {"name":"b","state":{"running":{}}}],
           "conditions":[{"type":"Ready","status":"False",
                          "lastTransitionTime":"2024-05-01T12:00:04Z"}]}})",
       kNoon + 4s},
      // A sidecar that runs makes the end unknown.
      {R"({"spec":{"initContainers":[{"name":"s","restartPolicy":"Always"}]},
           "metadata":{"deletionTimestamp":"2024-05-01T12:01:00Z",
                       "deletionGracePeriodSeconds":30},
           "status":{"containerStatuses":[
           {"name":"a","state":{"terminated":{"finishedAt":"2024-05-01T12:00:01Z"}}}],
           "initContainerStatuses":[{"name":"s","state":{"running":{}}}],
           "conditions":[{"type":"Ready","status":"True",
                          "lastTransitionTime":"2024-05-01T12:00:04Z"}]}})",
       kNoon + 30s},
      {R"({"metadata":{"creationTimestamp":"2024-05-01T12:00:07Z"}})", kNoon + 7s},
  };
  testing::Cluster cluster;
  for (const FinishCase& each : cases) {
    EXPECT_EQ(read_pod(cluster.view_of<Pod>(each.pod), JobSpec()).finished, each.finished)
        << each.pod;
  }
}

TEST(PodNameTest, TheJobsNameIsCutSoThatIndexAndSuffixFit) {
  EXPECT_EQ(indexed_name_prefix("j", 12), "j-12-");
  EXPECT_EQ(indexed_name_prefix(std::string(63, 'n'), 99999), std::string(51, 'n') + "-99999-");
}

}  // namespace
}  // namespace davit::job
