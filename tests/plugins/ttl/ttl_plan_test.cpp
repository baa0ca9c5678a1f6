#include "plugins/ttl/ttl_plan.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace davit::ttl {
namespace {

struct StepCase {
  const char* name;
  std::size_t step;
  std::size_t nodes;
  std::size_t next;
};
void PrintTo(const StepCase& each, std::ostream* out) { *out << each.name; }

class StepTest : public ::testing::TestWithParam<StepCase> {};

TEST_P(StepTest, FollowsTheNumberOfNodes) {
  EXPECT_EQ(next_step(GetParam().step, GetParam().nodes), GetParam().next);
}

// clang-format off
constexpr StepCase kCases[] = {
    // name                        step nodes  next
    {"NoNode",                        0,    0,    0},
    {"TheLargestSmallCluster",        0,  100,    0},
    {"OneNodeMore",                   0,  101,    1},
    {"TheSmallestOfTheSecondStep",    1,   90,    1},
    {"OneNodeLess",                   1,   89,    0},
    {"FromBelowAndFromAboveDiffer",   2,  450,    2},
    {"OneBelowTheThirdStep",          2,  449,    1},
    {"TheFourthStep",                 2, 1001,    3},
    {"DownFromTheFourthStep",         3,  899,    2},
    {"TheLastStep",                   3, 2001,    4},
    {"DownFromTheLastStep",           4, 1799,    3},
    {"AllStepsUpAtOnce",              0, 5000,    4},
    {"AllStepsDownAtOnce",            4,    0,    0},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(Boundaries, StepTest, ::testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(TtlPlanTest, EachStepHasItsTtl) {
  EXPECT_EQ(ttl_of(0), 0);
  EXPECT_EQ(ttl_of(1), 15);
  EXPECT_EQ(ttl_of(2), 30);
  EXPECT_EQ(ttl_of(3), 60);
  EXPECT_EQ(ttl_of(4), 300);
}

TEST(TtlPlanTest, AnAnnotationIsReadLikeGoReadsNumbers) {
  for (const char* same : {"15", "+15", "015"}) EXPECT_TRUE(is_number(same, 15)) << same;
  for (const char* zero : {"0", "00", "-0", "+0"}) EXPECT_TRUE(is_number(zero, 0)) << zero;
  for (const char* other : {"", "14", "-15", "+-15", "++15", " 15", "15 ", "15s", "1_5", "0x0f",
                            "99999999999999999999"}) {
    EXPECT_FALSE(is_number(other, 15)) << other;
  }
  EXPECT_FALSE(is_number(std::nullopt, 0));
}

TEST(TtlPlanTest, PatchNamesTheAnnotationOnly) {
  EXPECT_EQ(ttl_patch(15), R"({"metadata":{"annotations":{"node.alpha.kubernetes.io/ttl":"15"}}})");
}

}  // namespace
}  // namespace davit::ttl
