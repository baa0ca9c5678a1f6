#include "bench/compare/chart.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace davit::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string chart_of(double original, double ours,
                     const std::string& label = "roll: CPU <s> & more",
                     const std::string& title = "Ratios") {
  Table table({"original", "davit"});
  table.add("original", label, "s", original);
  table.add("davit", label, "s", ours);
  return chart(table, title);
}

/// The number behind `before` in a chart; it stands for a place or a width in pixels.
double number_behind(std::string_view before, const std::string& chart) {
  const std::size_t at = chart.find(before);
  EXPECT_NE(at, std::string::npos) << before << chart;
  return at == std::string::npos ? -1 : std::strtod(chart.c_str() + at + before.size(), nullptr);
}
double bars_begin(const std::string& chart) { return number_behind("<line x1=\"", chart); }
double bar_begin(const std::string& chart) { return number_behind("<rect x=\"", chart); }
double width(const std::string& chart) { return number_behind("viewBox=\"0 0 ", chart); }

TEST(ChartTest, ABarEndsAtTheLineOfOneAndIsAsLongAsTheRatio) {
  // A power of two is 430 / 8 pixels wide, and the line of 1 is six of them from the left.
  const std::string less = chart_of(8, 2);
  EXPECT_NEAR(bar_begin(less) - bars_begin(less), 215, 0.1);
  EXPECT_THAT(less, HasSubstr(R"( y="56" width="107.5")"));
  const std::string more = chart_of(2, 4);
  EXPECT_NEAR(bar_begin(more) - bars_begin(more), 322.5, 0.1);
  EXPECT_THAT(more, HasSubstr(R"( y="56" width="53.8")"));
}

TEST(ChartTest, TheLongestLabelDeterminesTheRoomForLabels) {
  const std::string label =
      "create 100 Deployments × 10, each with a Service: context switches per request";
  constexpr double kInDejaVuSans = 489.2;  // Pixels that it takes in the widest usual font.
  const std::string wide = chart_of(2, 1, label);
  EXPECT_GE(number_behind("<text x=\"", wide.substr(wide.find("4×"))), kInDejaVuSans);

  const std::string narrow = chart_of(2, 1, "start");
  EXPECT_LT(bars_begin(narrow), 60);
  EXPECT_EQ(width(wide) - width(narrow), bars_begin(wide) - bars_begin(narrow));
}

TEST(ChartTest, TheWidestTextsDetermineTheWidthOfThePicture) {
  const std::string chart = chart_of(1, 1234567);
  const double ratio_begin = number_behind("<text x=\"", chart.substr(chart.find("<rect x")));
  constexpr double kInDejaVuSans = 90.3;  // "1234567.00 ×"
  EXPECT_GE(width(chart), ratio_begin + kInDejaVuSans);

  constexpr double kTitleInDejaVuSans = 730;  // A hundred times "n", and more.
  EXPECT_GE(width(chart_of(1, 1, "start", std::string(100, 'n'))), kTitleInDejaVuSans);
}

TEST(ChartTest, ABarOfMoreThanTheOriginalHasAnotherColour) {
  EXPECT_THAT(chart_of(8, 2), Not(HasSubstr("#c62828")));
  EXPECT_THAT(chart_of(2, 8), HasSubstr("#c62828"));
}

TEST(ChartTest, ABarDoesNotLeaveThePicture) {
  const std::string chart = chart_of(1000, 1);
  EXPECT_EQ(bar_begin(chart), bars_begin(chart));
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
