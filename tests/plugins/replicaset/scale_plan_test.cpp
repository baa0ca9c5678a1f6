#include "plugins/shared/replicas/scale_plan.hpp"

#include <gtest/gtest.h>

namespace davit::replicas {
namespace {

struct ScaleCase {
  const char* name;
  std::int64_t wanted;
  std::size_t active;
  ScalePlan plan;
};

// clang-format off
constexpr ScaleCase kScaleCases[] = {
    // name                            wanted  active    create           remove
    {"EnoughPodsMeansNoWork",               3,      3, {}},
    {"TooFewAreCreated",                    3,      1, {.create = 2}},
    {"TooManyAreRemoved",                   1,      3, {                  .remove = 2}},
    {"ZeroWantedRemovesAll",                0,      2, {                  .remove = 2}},
    {"ABurstOfCreationsIsLimited",       1200,      0, {.create = 500}},
    {"TheRestOfABurstIsCreated",         1200,   1000, {.create = 200}},
    {"ABurstOfDeletionsIsLimited",          0,   1200, {                  .remove = 500}},
    {"ANegativeNumberCountsAsZero",        -1,      1, {                  .remove = 1}},
};
// clang-format on

TEST(ScalePlanTest, BringsTheActivePodsTowardTheWantedNumber) {
  for (const ScaleCase& each : kScaleCases) {
    EXPECT_EQ(plan_scale(each.wanted, each.active), each.plan) << each.name;
  }
}

}  // namespace
}  // namespace davit::replicas
