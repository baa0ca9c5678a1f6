#include "bench/compare/chart.hpp"

#include <gmock/gmock.h>

namespace davit::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string chart_of(double original, double ours) {
  Table table({"original", "davit"});
  table.add("original", "roll: CPU <s> & more", "s", original);
  table.add("davit", "roll: CPU <s> & more", "s", ours);
  return chart(table, "Ratios");
}

TEST(ChartTest, ABarEndsAtTheLineOfOneAndIsAsLongAsTheRatio) {
  // A power of two is 430 / 8 pixels wide, and the line of 1 is six of them from the left.
  EXPECT_THAT(chart_of(8, 2), HasSubstr(R"(<rect x="685.0" y="56" width="107.5")"));
  EXPECT_THAT(chart_of(2, 4), HasSubstr(R"(<rect x="792.5" y="56" width="53.8")"));
}

TEST(ChartTest, ABarOfMoreThanTheOriginalHasAnotherColour) {
  EXPECT_THAT(chart_of(8, 2), Not(HasSubstr("#c62828")));
  EXPECT_THAT(chart_of(2, 8), HasSubstr("#c62828"));
}

TEST(ChartTest, ABarDoesNotLeaveThePicture) {
  EXPECT_THAT(chart_of(1000, 1), HasSubstr(R"(<rect x="470.0")"));
}

TEST(ChartTest, TextIsEscaped) {
  EXPECT_THAT(chart_of(1, 1), HasSubstr(">roll: CPU &lt;s&gt; &amp; more</text>"));
}

TEST(ChartTest, ARowWithoutARatioHasNoBar) {
  Table table({"original", "davit"});
  table.add("davit", "alone", "s", 1);

  EXPECT_THAT(chart(table, "Ratios"), Not(HasSubstr("alone")));
}

}  // namespace
}  // namespace davit::bench
