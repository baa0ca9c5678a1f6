#include "plugins/deployment/rolling_plan.hpp"

#include <gtest/gtest.h>

#include "plugins/deployment/limits.hpp"
#include "tests/plugins/deployment/facts_builder.hpp"

namespace davit::deployment {
namespace {

struct LimitCase {
  const char* name;
  IntOrPercent surge;
  IntOrPercent unavailable;
  std::int64_t replicas;
  Limits resolved;
};

void PrintTo(const LimitCase& c, std::ostream* out) { *out << c.name; }

class LimitsTest : public ::testing::TestWithParam<LimitCase> {};

TEST_P(LimitsTest, RoundsTheSurgeUpAndTheUnavailabilityDown) {
  const LimitCase& c = GetParam();
  EXPECT_EQ(resolve_limits({c.surge, c.unavailable}, c.replicas), c.resolved);
}

IntOrPercent pct(std::int64_t percent) { return IntOrPercent::percent(percent); }
IntOrPercent num(std::int64_t number) { return IntOrPercent::of(number); }

// clang-format off
INSTANTIATE_TEST_SUITE_P(Spec10_1, LimitsTest, ::testing::Values(
    LimitCase{"DefaultOf1",            pct(25), pct(25), 1,  {1, 0}},
    LimitCase{"DefaultOf2",            pct(25), pct(25), 2,  {1, 0}},
    LimitCase{"DefaultOf3",            pct(25), pct(25), 3,  {1, 0}},
    LimitCase{"D47DefaultOf4",         pct(25), pct(25), 4,  {1, 1}},
    LimitCase{"DefaultOf10",           pct(25), pct(25), 10, {3, 2}},
    LimitCase{"ThirtyNinePercent",     pct(39), pct(39), 10, {4, 3}},
    LimitCase{"D49BothRoundToNothing", num(0),  pct(1),  2,  {0, 1}},
    LimitCase{"D48OnePercentOfOne",    pct(1),  pct(0),  1,  {1, 0}},
    LimitCase{"NothingOfNothing",      pct(0),  pct(0),  0,  {0, 1}},
    LimitCase{"PlainNumbers",          num(5),  num(3),  2,  {5, 3}}),
    [](const auto& each) { return std::string(each.param.name); });

struct GrowCase {
  const char* name;
  Rolling rollout;
  std::int64_t total;
  std::int64_t current;
  std::int64_t next;
};
void PrintTo(const GrowCase& c, std::ostream* out) { *out << c.name; }
class NewSetSizeTest : public ::testing::TestWithParam<GrowCase> {};

TEST_P(NewSetSizeTest, NeverPassesReplicasPlusSurge) {
  const GrowCase& c = GetParam();
  EXPECT_EQ(new_set_size(rolling(c.rollout), c.total, c.current), c.next);
}

INSTANTIATE_TEST_SUITE_P(Spec10_1, NewSetSizeTest, ::testing::Values(
    GrowCase{"FirstSetGetsAll",          {3, 1, 0},  0,  0, 3},
    GrowCase{"D38OneBySurge",            {3, 1, 0},  3,  0, 1},
    GrowCase{"D42SurgeOnly",             {10, 2, 0}, 10, 0, 2},
    GrowCase{"D49NoRoomMeansZero",       {2, 0, 1},  2,  0, 0},
    GrowCase{"D50NoRoomInARollover",     {10, 3, 2}, 13, 0, 0},
    GrowCase{"RoomAfterTheOldShrank",    {10, 3, 2}, 11, 3, 5},
    GrowCase{"NeverMoreThanWanted",      {10, 3, 2}, 5,  5, 10},
    GrowCase{"MoreThanAllowedStaysPut",  {3, 1, 0},  9,  2, 2}),
    [](const auto& each) { return std::string(each.param.name); });
// clang-format on

TEST(NewSetSizeTest, RecreateGetsAllAtOnce) {
  RolloutFacts rollout = rolling({6, 0, 0});
  rollout.strategy = Strategy::kRecreate;
  EXPECT_EQ(new_set_size(rollout, 4, 0), 6);
}

struct ShrinkCase {
  const char* name;
  Rolling rollout;
  std::vector<SetSketch> sets;  // The last one is the new one.
  std::vector<Resize> plan;
};
void PrintTo(const ShrinkCase& c, std::ostream* out) { *out << c.name; }
class OldScaleDownTest : public ::testing::TestWithParam<ShrinkCase> {};

TEST_P(OldScaleDownTest, KeepsEnoughPodsAvailable) {
  const ShrinkCase& c = GetParam();
  const Sets sets(c.sets);
  EXPECT_EQ(plan_old_scale_down(rolling(c.rollout), sets.list()), c.plan);
}

using Plan = std::vector<Resize>;
using Shrink = ShrinkCase;
// clang-format off
INSTANTIATE_TEST_SUITE_P(Spec10_3, OldScaleDownTest, ::testing::Values(
    Shrink{"NothingOldNothingToDo",        {3, 1, 0},  {{0, 0}, {3, 3}},           Plan{}},
    Shrink{"D38WaitsForTheNewPod",         {3, 1, 0},  {{3, 3}, {1, 0}},           Plan{}},
    Shrink{"D38ShrinksByTheAvailableOne",  {3, 1, 0},  {{3, 3}, {1, 1}},           Plan{{0, 2}}},
    Shrink{"D39FirstStep",                 {10, 3, 2}, {{10, 10}, {3, 0}},         Plan{{0, 8}}},
    Shrink{"D39StopsWithoutAvailablePods", {10, 3, 2}, {{8, 8}, {5, 0}},           Plan{}},
    Shrink{"D40CrashingSetGoesInOneStep",  {10, 3, 2}, {{5, 0}, {8, 8}},           Plan{{0, 0}}},
    Shrink{"D40OneUnavailableKeepsOne",    {10, 3, 2}, {{5, 0}, {8, 7}},           Plan{{0, 1}}},
    Shrink{"D41ByMaxUnavailable",          {10, 0, 2}, {{10, 10}, {0, 0}},         Plan{{0, 8}}},
    Shrink{"D42NothingBeforeNewIsThere",   {10, 2, 0}, {{10, 10}, {2, 0}},         Plan{}},
    Shrink{"D43UnhealthyOnly",             {10, 0, 2}, {{10, 8}, {0, 0}},          Plan{{0, 8}}},
    Shrink{"D44UnhealthyThenHealthy",      {10, 0, 2}, {{10, 9}, {0, 0}}, (Plan{{0, 9}, {0, 8}})},
    Shrink{"D45NewNotAvailableYet",        {10, 0, 2}, {{8, 8}, {2, 0}},           Plan{}},
    Shrink{"D50UnhealthyOfEverySetFirst",  {10, 3, 2}, {{8, 8}, {5, 0}, {0, 0}},   Plan{{1, 0}}},
    Shrink{"StatusAheadOfSpecWaits",       {10, 0, 2}, {{5, 8}, {5, 5}},           Plan{}},
    Shrink{"OldestFirst", {10, 5, 0}, {{3, 3}, {5, 5}, {7, 7}}, (Plan{{0, 0}, {1, 3}})}),
    [](const auto& each) { return std::string(each.param.name); });
// clang-format on

// D51: whatever the availability, one step never asks for more than allowed nor goes below the
// floor.
TEST(RollingPlanTest, NoStepBreaksTheSurgeOrTheFloor) {
  for (std::int64_t surge = 0; surge <= 2; ++surge) {
    for (std::int64_t unavailable = surge == 0 ? 1 : 0; unavailable <= 2; ++unavailable) {
      const RolloutFacts rollout = rolling({4, surge, unavailable});
      std::int64_t old_size = 4;
      std::int64_t new_size = new_set_size(rollout, old_size, 0);
      for (int step = 0; step < 40 && (old_size > 0 || new_size < 4); ++step) {
        EXPECT_LE(old_size + new_size, rollout.replicas_max());
        // Every pod becomes available between two steps.
        const Sets sets({{old_size, old_size}, {new_size, new_size}});
        EXPECT_GE(old_size + new_size, rollout.available_min());
        const std::int64_t grown =
            std::min(new_set_size(rollout, old_size + new_size, new_size), rollout.replicas);
        if (grown != new_size) {
          new_size = grown;
          continue;
        }
        for (const Resize& resize : plan_old_scale_down(rollout, sets.list())) {
          old_size = resize.to;
        }
      }
      EXPECT_EQ(old_size, 0);
      EXPECT_EQ(new_size, 4);
    }
  }
}

}  // namespace
}  // namespace davit::deployment
