#include "plugins/statefulset/replica_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace davit::statefulset {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Act = ReplicaPlan::Act;

PodState healthy(std::int64_t ordinal) {
  return {
      .ordinal = ordinal, .phase = "Running", .ready = true, .available = true, .revision = "a"};
}
PodState unready(std::int64_t ordinal) {
  return {.ordinal = ordinal, .phase = "Running", .revision = "a"};
}
PodState terminating(PodState pod) {
  pod.terminating = true;
  return pod;
}

TEST(LineUpTest, PodsStandInTheirPlacesOrOutside) {
  const std::vector<Candidate> pods = {{healthy(7)},  {healthy(6)}, {healthy(3)},
                                       {healthy(-1)}, {healthy(9)}, {healthy(5)}};
  const LineUp line = line_up(pods, {.first = 5, .count = 3});
  EXPECT_THAT(line.replicas, ElementsAre(std::pair(0, 5u), std::pair(1, 1u), std::pair(2, 0u)));
  EXPECT_THAT(line.condemned, ElementsAre(4u, 2u)) << "the highest ordinal first";
  EXPECT_EQ(line.first_unhealthy, std::nullopt);
}

TEST(LineUpTest, TheCanonicalNameHasThePlace) {
  const std::vector<Candidate> pods = {
      {healthy(1), false}, {healthy(1), true}, {healthy(1), false}};
  EXPECT_THAT(line_up(pods, {.first = 1, .count = 1}).replicas, ElementsAre(std::pair(0, 1u)));
}

TEST(LineUpTest, TheFirstUnhealthyIsTheLowestInsideElseTheLowestOutside) {
  const OrdinalRange two{.first = 0, .count = 2};
  const auto first = [&](const std::vector<Candidate>& pods) {
    return line_up(pods, two).first_unhealthy;
  };
  EXPECT_EQ(first({{healthy(0)}, {healthy(1)}, {unready(3)}, {unready(2)}, {healthy(4)}}), 2);
  EXPECT_EQ(first({{healthy(0)}, {unready(1)}, {unready(2)}}), 1);
  EXPECT_EQ(first({{healthy(0)}, {unready(2)}}), 1) << "an empty place";
  EXPECT_EQ(first({{healthy(1)}}), 0);
  EXPECT_EQ(first({{healthy(0)}, {terminating(healthy(1))}}), 1);
  EXPECT_EQ(first({{healthy(0)}, {healthy(1)}}), std::nullopt);
}

struct ReplicaCase {
  const char* name;
  PodState pod;
  ReplicaPlan ordered;
  ReplicaPlan parallel;
};
void PrintTo(const ReplicaCase& c, std::ostream* out) { *out << c.name; }

class ReplicaPlanTest : public ::testing::TestWithParam<ReplicaCase> {};

TEST_P(ReplicaPlanTest, DependsOnThePodAndTheManagement) {
  const ReplicaCase& c = GetParam();
  EXPECT_EQ(plan_replica(c.pod, Management::kOrdered), c.ordered);
  EXPECT_EQ(plan_replica(c.pod, Management::kParallel), c.parallel);
}

constexpr PodState kReadyForSeconds{.ordinal = 0, .phase = "Running", .ready = true};
constexpr PodState kPending{.ordinal = 0, .phase = "Pending"};
constexpr PodState kFailed{.ordinal = 0, .phase = "Failed"};
// clang-format off
INSTANTIATE_TEST_SUITE_P(Spec10_3, ReplicaPlanTest, ::testing::Values(
    ReplicaCase{"Empty",       {},                     {Act::kCreate},       {Act::kCreate}},
    ReplicaCase{"Failed",      kFailed,                {Act::kRemove},       {Act::kRemove}},
    ReplicaCase{"Succeeded",   {.phase = "Succeeded"}, {Act::kRemove},       {Act::kRemove}},
    ReplicaCase{"FailedGoing", terminating(kFailed),   {Act::kWait},         {Act::kWait}},
    ReplicaCase{"Pending",     kPending,               {Act::kWait, true},   {Act::kRefresh, true}},
    ReplicaCase{"Going",       terminating(healthy(0)), {Act::kWait},        {Act::kRefresh}},
    ReplicaCase{"Unready",     unready(0),             {Act::kWait},         {Act::kRefresh}},
    ReplicaCase{"Unavailable", kReadyForSeconds,       {Act::kWait},         {Act::kRefresh}},
    ReplicaCase{"Healthy",     healthy(0),             {Act::kRefresh},      {Act::kRefresh}}));
// clang-format on

TEST(CondemnedPlanTest, OnlyHealthyPodsAndTheFirstUnhealthyGoInOrder) {
  const auto ordered = [](const PodState& pod, std::optional<std::int64_t> first) {
    return plan_condemned(pod, first, Management::kOrdered);
  };
  EXPECT_EQ(ordered(healthy(2), std::nullopt), CondemnedAct::kRemove);
  EXPECT_EQ(ordered(healthy(2), 1), CondemnedAct::kRemove);
  EXPECT_EQ(ordered(unready(2), 1), CondemnedAct::kWait);
  EXPECT_EQ(ordered(unready(2), 2), CondemnedAct::kRemove);
  EXPECT_EQ(ordered(terminating(healthy(2)), std::nullopt), CondemnedAct::kWait);
  PodState young = healthy(2);
  young.available = false;
  EXPECT_EQ(ordered(young, 1), CondemnedAct::kWait);
}

TEST(CondemnedPlanTest, AllGoAtOnceInParallel) {
  EXPECT_EQ(plan_condemned(unready(2), 1, Management::kParallel), CondemnedAct::kRemove);
  EXPECT_EQ(plan_condemned(terminating(unready(2)), 1, Management::kParallel), CondemnedAct::kSkip);
}

TEST(EmptyPlaceTest, ThePartitionAndTheStatusDecideOnTheRevision) {
  const OrdinalRange range{.first = 5, .count = 3};
  const UpdateStrategy partitioned{.partition = 2};
  EXPECT_TRUE(uses_current(partitioned, range, 6, 0));
  EXPECT_FALSE(uses_current(partitioned, range, 7, 3));
  const UpdateStrategy bare{.has_block = false};
  EXPECT_TRUE(uses_current(bare, range, 5, 1));
  EXPECT_FALSE(uses_current(bare, range, 6, 1));
  const UpdateStrategy on_delete{.on_delete = true, .rolling = false, .has_block = false};
  EXPECT_FALSE(uses_current(on_delete, range, 5, 3));
}

using Places = std::vector<UpdateCandidate>;
const UpdateCandidate kOld{.revision = "a"};
const UpdateCandidate kNew{.revision = "b"};
const UpdateCandidate kNewUnready{.revision = "b", .unavailable = true};
const UpdateCandidate kOldUnready{.revision = "a", .unavailable = true};
const UpdateCandidate kOldGoing{.revision = "a", .terminating = true, .unavailable = true};

struct UpdateCase {
  const char* name;
  Places places;
  UpdateStrategy strategy;
  std::vector<std::int64_t> deleted;
};
void PrintTo(const UpdateCase& c, std::ostream* out) { *out << c.name; }

class UpdatePlanTest : public ::testing::TestWithParam<UpdateCase> {};

TEST_P(UpdatePlanTest, DeletesFromTheTop) {
  const UpdateCase& c = GetParam();
  EXPECT_EQ(plan_update(c.places, "b", c.strategy), c.deleted);
}

UpdateStrategy at_most(std::int64_t unavailable, std::int64_t partition = 0) {
  return {.partition = partition, .max_unavailable = unavailable};
}
// clang-format off
INSTANTIATE_TEST_SUITE_P(Spec10_6, UpdatePlanTest, ::testing::Values(
    UpdateCase{"NoPods",            {},                               {},                  {}},
    UpdateCase{"AllUpdated",        {kNew, kNew},                     {},                  {}},
    UpdateCase{"TheHighestFirst",   {kOld, kOld, kOld},               {},                  {2}},
    UpdateCase{"ThenTheNext",       {kOld, kOld, kNew},               {},                  {1}},
    UpdateCase{"AnUnreadyOneWaits", {kOld, kOld, kNewUnready},        {},                  {}},
    UpdateCase{"AGoingOneWaits",    {kOld, kOld, kOldGoing},          {},                  {}},
    UpdateCase{"OldUnreadyGoes",    {kOld, kOldUnready},              {},                  {1}},
    UpdateCase{"Partition",         {kOld, kOld, kNew},               {.partition = 2},    {}},
    UpdateCase{"PartitionAbove",    {kOld, kOld},                     {.partition = 9},    {}},
    UpdateCase{"OnDelete",          {kOld, kOld},                     {.on_delete = true}, {}},
    UpdateCase{"TwoAtOnce",         {kOld, kOld, kOld, kOld},         at_most(2),          {3, 2}},
    UpdateCase{"OneIsUnavailable",  {kOld, kOld, kOld, kNewUnready},  at_most(2),          {2}},
    UpdateCase{"BelowThePartition", {kOldUnready, kOld, kOld},        at_most(2, 1),       {2}},
    UpdateCase{"NoRoom",            {kOldUnready, kOldGoing, kOld},   at_most(2),          {}},
    UpdateCase{"MoreThanPods",      {kOld, kNew},                     at_most(9),          {0}}));
// clang-format on

}  // namespace
}  // namespace davit::statefulset
