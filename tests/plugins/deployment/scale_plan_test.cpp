#include "plugins/deployment/scale_plan.hpp"

#include <gtest/gtest.h>

#include "tests/plugins/deployment/facts_builder.hpp"

namespace davit::deployment {
namespace {

struct ShareCase {
  const char* name;
  Rolling rollout;
  std::vector<SetSketch> sets;
  Sets::New newest;
  std::int64_t reported_replicas;
  std::vector<std::int64_t> sizes;  // In the order of the sets.
};
void PrintTo(const ShareCase& c, std::ostream* out) { *out << c.name; }
class ShareTest : public ::testing::TestWithParam<ShareCase> {};

TEST_P(ShareTest, EverySetKeepsItsShare) {
  const ShareCase& c = GetParam();
  const Sets sets(c.sets, c.newest);

  const ScalePlan plan = plan_scale(rolling(c.rollout), sets.list(), c.reported_replicas);

  std::vector<std::int64_t> sizes;
  for (const SetFacts& set : sets.list().all) sizes.push_back(set.wanted);
  for (const Resize& resize : plan.resizes) sizes[resize.set] = resize.to;
  EXPECT_EQ(sizes, c.sizes);
}

constexpr auto kNew = Sets::New::kLast;
constexpr auto kNoNew = Sets::New::kNone;
using Sizes = std::vector<std::int64_t>;
using Share = ShareCase;
// clang-format off
INSTANTIATE_TEST_SUITE_P(Spec12_3, ShareTest, ::testing::Values(
    Share{"D52OnlySet",              {12, 3, 0}, {{10, 10, 13}}, kNew, 10, Sizes{12}},
    Share{"D53ByShares",             {10, 0, 1}, {{3, 3, 5}, {2, 2, 5}}, kNew, 5, (Sizes{6, 4})},
    Share{"D54DownByShares",         {8, 0, 1}, {{8, 8, 13}, {3, 3, 13}, {2, 2, 13}},
         kNew, 13, (Sizes{5, 2, 1})},
    Share{"D55NewestGrowsFirst",     {4, 0, 1}, {{1, 1, 3}, {1, 1, 3}, {1, 1, 3}},
         kNew, 3, (Sizes{1, 1, 2})},
    Share{"D56OldestShrinksFirst",   {2, 0, 1}, {{1, 1, 3}, {1, 1, 3}, {1, 1, 3}},
         kNew, 3, (Sizes{0, 1, 1})},
    Share{"D57WithoutNewSet",        {5, 0, 1}, {{2, 2, 4}, {2, 2, 4}}, kNoNew, 4, (Sizes{2, 3})},
    Share{"D58LeftoverToTheNewest",  {20, 2, 0}, {{6, 6, 12}, {6, 6, 12}},
         kNew, 12, (Sizes{11, 11})},
    Share{"D59SurgeChangesToo",      {50, 6, 0}, {{8, 8, 13}, {5, 0, 13}},
         kNew, 13, (Sizes{34, 22})},
    Share{"D60NeverReady",           {120, 20, 0}, {{100, 100, 120}, {20, 0, 120}},
         kNew, 120, (Sizes{117, 23})},
    Share{"D61ToZero",               {0, 0, 0}, {{3, 3, 6}, {2, 2, 6}, {1, 1, 6}},
         kNew, 6, (Sizes{0, 0, 0})},
    Share{"D62FromZeroOnlyTheNew",   {6, 0, 1}, {{0, 0, 3}, {0, 0, 3}, {0, 0, 3}},
         kNew, 0, (Sizes{0, 0, 6})},
    Share{"FromZeroTheNewestOld",    {6, 0, 1}, {{0, 0, 3}, {0, 0, 3}}, kNoNew, 0, (Sizes{0, 6})},
    Share{"D64SizesStay",            {2, 1, 1}, {{1, 1, 3}, {2, 0, 3}}, kNew, 3, (Sizes{1, 2})},
    Share{"D65BaseFromTheStatus",    {120, 0, 1}, {{50, 50, 0}, {50, 50, 100}},
         kNew, 100, (Sizes{60, 60})},
    Share{"D76PauseFillsTheLarger", {10, 3, 2}, {{8, 8, 13}, {3, 0, 13}}, kNew, 11, (Sizes{10, 3})},
    Share{"MidRollout10To30",        {30, 3, 2}, {{8, 8, 13}, {5, 0, 13}},
         kNew, 13, (Sizes{20, 13})},
    Share{"NoSetNothingToDo",        {3, 1, 0}, {}, kNoNew, 0, Sizes{}}),
    [](const auto& each) { return std::string(each.param.name); });
// clang-format on

TEST(ScalePlanTest, D63SaturatedNewSetSendsTheOldOnesToZero) {
  Sets sets({{1, 1, 6}, {1, 1, 6}, {5, 5, 6}});
  sets[2].desired_marked = 5;

  const ScalePlan plan = plan_scale(rolling({5, 1, 0}), sets.list(), 7);

  const std::vector<Resize> newest_first = {{1, 0}, {0, 0}};
  EXPECT_EQ(plan.resizes, newest_first);
  EXPECT_EQ(plan.marking, Marking::kWithSize);
}

TEST(ScalePlanTest, SharesAreWrittenLargestFirstAndMarkedEvenWhenTheyStay) {
  const Sets sets({{1, 1, 3}, {2, 0, 3}});
  const ScalePlan plan = plan_scale(rolling({2, 1, 1}), sets.list(), 3);
  const std::vector<Resize> largest_first = {{1, 2}, {0, 1}};
  EXPECT_EQ(plan.resizes, largest_first);
  EXPECT_EQ(plan.marking, Marking::kAlways);
}

TEST(ScalePlanTest, RecreateSharesNothing) {
  RolloutFacts rollout = rolling({10, 0, 0});
  rollout.strategy = Strategy::kRecreate;
  const Sets sets({{3, 3, 5}, {2, 2, 5}});
  EXPECT_TRUE(plan_scale(rollout, sets.list(), 5).resizes.empty());
}

// Q5: the annotation of a set that has its size already is left, so the scaling event stays.
TEST(ScalePlanTest, OnlySetIsMarkedTogetherWithItsSize) {
  const Sets sets({{5, 5, 6}});
  EXPECT_EQ(plan_scale(rolling({5, 1, 0}), sets.list(), 5).marking, Marking::kWithSize);
}

TEST(ScalePlanTest, ForgedAnnotationCannotAskForMoreThanAnInteger) {
  const Sets sets({{2000000000, 0, 1}, {5, 5, 1}});
  for (const Resize& resize : plan_scale(rolling({100, 25, 0}), sets.list(), 1).resizes) {
    EXPECT_GE(resize.to, 0);
    EXPECT_LE(resize.to, 2147483647);
  }
}

TEST(ScalingEventTest, OnlyAnActiveSetMarkedForAnotherSizeCounts) {
  Sets sets({{0, 0, 0}, {3, 3, 0}});
  EXPECT_FALSE(is_scaling_event(rolling({3, 1, 0}), sets.list())) << "no annotation says nothing";
  sets[0].desired_marked = 9;
  EXPECT_FALSE(is_scaling_event(rolling({3, 1, 0}), sets.list())) << "an empty set says nothing";
  sets[1].desired_marked = 3;
  EXPECT_FALSE(is_scaling_event(rolling({3, 1, 0}), sets.list()));
  EXPECT_TRUE(is_scaling_event(rolling({4, 1, 0}), sets.list()));
}

}  // namespace
}  // namespace davit::deployment
