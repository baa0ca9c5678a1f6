#include "plugins/statefulset/identity.hpp"

#include <gtest/gtest.h>

namespace davit::statefulset {
namespace {

struct NameCase {
  const char* name;
  const char* parent;
  std::int64_t ordinal;
};
void PrintTo(const NameCase& c, std::ostream* out) { *out << c.name; }

class PodNameTest : public ::testing::TestWithParam<NameCase> {};

TEST_P(PodNameTest, HasAParentAndAnOrdinal) {
  const NameCase& c = GetParam();
  EXPECT_EQ(parse_pod_name(c.name), (PodName{c.parent, c.ordinal}));
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Spec2_2, PodNameTest, ::testing::Values(
    NameCase{"web-0", "web", 0},
    NameCase{"web-12", "web", 12},
    NameCase{"my-web-3", "my-web", 3},
    NameCase{"web-01", "web", 1},
    NameCase{"web-2147483647", "web", 2147483647},
    NameCase{"web-2147483648", "web", -1},
    NameCase{"web-99999999999999999999", "web", -1},
    NameCase{"-7", "", 7},
    NameCase{"web", "", -1},
    NameCase{"web-", "", -1},
    NameCase{"web-a", "", -1},
    NameCase{"web-1a", "", -1},
    NameCase{"web-+1", "", -1},
    NameCase{"", "", -1}));
// clang-format on

TEST(OrdinalRangeTest, BeginsAtTheFirstAndHoldsTheCount) {
  const OrdinalRange range{.first = 5, .count = 2};
  EXPECT_FALSE(range.contains(4));
  EXPECT_TRUE(range.contains(5));
  EXPECT_TRUE(range.contains(6));
  EXPECT_FALSE(range.contains(7));
  EXPECT_FALSE((OrdinalRange{.first = 0, .count = 0}.contains(0)));
}

TEST(NamesTest, AreMadeOfTheirParts) {
  EXPECT_EQ(pod_name("web", 3), "web-3");
  EXPECT_EQ(claim_name("data", pod_name("web", 3)), "data-web-3");
}

}  // namespace
}  // namespace davit::statefulset
