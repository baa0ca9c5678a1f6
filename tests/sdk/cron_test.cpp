#include <gtest/gtest.h>

#include <davit/kube/cron.hpp>
#include <string>

namespace davit {
namespace {

/// "5,25,45"; a star behind them: starred.
std::string text(const CronField& field) {
  std::string out;
  for (unsigned value = 0; value < 64; ++value) {
    if (field.has(value)) out += (out.empty() ? "" : ",") + std::to_string(value);
  }
  return out + (field.starred ? "*" : "");
}

TEST(CronFieldsTest, CJ49_ItemsAreNumbersNamesRangesAndSteps) {
  struct Case {
    const char* fields;
    const char* minute;
    const char* hour;
    const char* day_of_month;
    const char* month;
    const char* day_of_week;
  };
  constexpr Case kCases[] = {
      {"5/20 */6 1 1 0", "5,25,45", "0,6,12,18", "1", "1", "0"},
      {"0 12 1 jan-mar MON,wed", "0", "12", "1", "1,2,3", "1,3"},
      {"+5,007 1-3,5 31 DEC Sat", "5,7", "1,2,3,5", "31", "12", "6"},
      {"10-20/5 ,3, 1 1 6", "10,15,20", "3", "1", "1", "6"},
      {", 0 1 1 0", "", "0", "1", "1", "0"},
      {"0 0 1 1 */1", "0", "0", "1", "1", "0,1,2,3,4,5,6*"},
      {"0 0 1 1 */2", "0", "0", "1", "1", "0,2,4,6"},
      {"0 0 1 1 ?,3", "0", "0", "1", "1", "0,1,2,3,4,5,6*"},
      {"0 0 1 1 *-rest", "0", "0", "1", "1", "0,1,2,3,4,5,6*"},
      {"1/9223372036854775807 0 1 1 0", "1", "0", "1", "1", "0"},
      {"\t0  0 1\v1 0\n", "0", "0", "1", "1", "0"},
  };
  for (const Case& each : kCases) {
    const Result<CronFields> fields = CronFields::parse(each.fields);
    ASSERT_TRUE(fields) << each.fields << ": " << fields.error().message();
    EXPECT_EQ(text(fields->minute), each.minute) << each.fields;
    EXPECT_EQ(text(fields->hour), each.hour) << each.fields;
    EXPECT_EQ(text(fields->day_of_month), each.day_of_month) << each.fields;
    EXPECT_EQ(text(fields->month), each.month) << each.fields;
    EXPECT_EQ(text(fields->day_of_week), each.day_of_week) << each.fields;
  }
}

TEST(CronFieldsTest, CJ50_MistakesHaveRobfigsText) {
  struct Case {
    const char* fields;
    const char* error;
  };
  constexpr Case kCases[] = {
      {"60 * * * *", "end of range (60) above maximum (59): 60"},
      {"* 24 * * *", "end of range (24) above maximum (23): 24"},
      {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
      {"* * * 13 *", "end of range (13) above maximum (12): 13"},
      {"* * * * 7", "end of range (7) above maximum (6): 7"},
      {"* * * *", "expected exactly 5 fields, found 4: [* * * *]"},
      {"0 * * * * *", "expected exactly 5 fields, found 6: [0 * * * * *]"},
      {"  ", "expected exactly 5 fields, found 0: []"},
      {"*/0 * * * *", "step of range should be a positive number: */0"},
      {"5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"},
      {"* * * * fri-mon", "beginning of range (5) beyond end of range (1): fri-mon"},
      {"1-2-3 * * * *", "too many hyphens: 1-2-3"},
      {"*/2/3 * * * *", "too many slashes: */2/3"},
      {"x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
      {"-5 * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax"},
      {"*/-5 * * * *", "negative number (-5) not allowed: -5"},
      {"+-5 * * * *", "failed to parse int from +: strconv.Atoi: parsing \"+\": invalid syntax"},
      {"*/mon * * * mon",
       "failed to parse int from mon: strconv.Atoi: parsing \"mon\": invalid "
       "syntax"},
      {"99999999999999999999 * * * *",
       "failed to parse int from 99999999999999999999: strconv.Atoi: parsing "
       "\"99999999999999999999\": value out of range"},
      {"* * L * *", "failed to parse int from L: strconv.Atoi: parsing \"L\": invalid syntax"},
      {"* * 15W * *",
       "failed to parse int from 15W: strconv.Atoi: parsing \"15W\": invalid syntax"},
  };
  for (const Case& each : kCases) {
    const Result<CronFields> fields = CronFields::parse(each.fields);
    ASSERT_FALSE(fields) << each.fields;
    EXPECT_EQ(fields.error().message(), each.error) << each.fields;
  }
}

TEST(CronFieldsTest, AStarredFieldOfDaysNarrowsTheOther) {
  const std::chrono::local_days friday_the_6th(std::chrono::year(2025) / 6 / 6);
  const auto fits = [&](const char* fields) {
    return CronFields::parse(fields)->fits_day(friday_the_6th);
  };
  EXPECT_TRUE(fits("0 0 13 * 5"));
  EXPECT_TRUE(fits("0 0 6 * 1"));
  EXPECT_FALSE(fits("0 0 13 * 1"));
  EXPECT_TRUE(fits("0 0 * * 5"));
  EXPECT_FALSE(fits("0 0 * * 1"));
  EXPECT_FALSE(fits("0 0 13 * *"));
  EXPECT_FALSE(fits("0 0 */1 * 1"));
  EXPECT_TRUE(fits("0 0 */2 * 5"));
}

TEST(CronFieldsTest, AFieldWithoutValuesNeverFits) {
  for (const char* fields : {", * * * *", "* , * * *", "* * * , *", "* * , * ,"}) {
    EXPECT_TRUE(CronFields::parse(fields)->never_fits()) << fields;
  }
  EXPECT_FALSE(CronFields::parse("* * , * 1")->never_fits());
}

}  // namespace
}  // namespace davit
