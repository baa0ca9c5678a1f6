#include "bench/compare/table.hpp"

#include <gmock/gmock.h>

namespace davit::bench {
namespace {

TEST(SummaryTest, TheMedianOfAnOddNumberOfRunsIsTheOneInTheMiddle) {
  const auto summary = summarize({9, 1, 4});

  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->median, 4);
  EXPECT_EQ(summary->least, 1);
  EXPECT_EQ(summary->most, 9);
}

TEST(SummaryTest, TheMedianOfAnEvenNumberOfRunsIsBetweenTheTwoInTheMiddle) {
  const auto summary = summarize({10, 2, 4, 1});

  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->median, 3);
}

TEST(SummaryTest, NoRunsHaveNoSummary) { EXPECT_FALSE(summarize({})); }

TEST(TableTest, ARowHasMediansRangesAndTheRatioOfTheMedians) {
  Table table({"original", "davit"});
  for (const double value : {10.0, 12.0, 30.0}) table.add("original", "create: CPU", "s", value);
  for (const double value : {3.0, 2.0, 4.0}) table.add("davit", "create: CPU", "s", value);

  EXPECT_EQ(table.markdown(),
            "| what | unit | original | davit | ratio |\n"
            "| --- | --- | ---: | ---: | ---: |\n"
            "| create: CPU | s | 12 (10–30) | 3 (2–4) | 1/4.0 |\n");
}

TEST(TableTest, EqualRunsHaveNoRangeAndAMissingPeerHasNoRatio) {
  Table table({"original", "davit"});
  table.add("davit", "system calls", "", 5.25);
  table.add("davit", "system calls", "", 5.25);

  EXPECT_THAT(table.markdown(), testing::HasSubstr("| system calls |  | – | 5.25 | – |\n"));
}

TEST(TableTest, RowsKeepTheOrderInWhichTheyWereFirstAdded) {
  Table table({"original", "davit"});
  table.add("original", "b", "s", 1);
  table.add("original", "a", "s", 1);
  table.add("davit", "b", "s", 1);

  ASSERT_EQ(table.rows().size(), 2U);
  EXPECT_EQ(table.rows()[0].what, "b");
  EXPECT_EQ(table.rows()[1].what, "a");
}

TEST(TableTest, ARatioAboveOneIsAFactor) {
  EXPECT_EQ(ratio_text(1.294), "1.29 ×");
  EXPECT_EQ(ratio_text(0.8), "1/1.25");
  EXPECT_EQ(ratio_text(0.05), "1/20.0");
}

}  // namespace
}  // namespace davit::bench
