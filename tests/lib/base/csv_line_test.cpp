#include "lib/base/csv_line.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

using Fields = std::vector<std::string>;

TEST(CsvLineTest, CommasSeparateFieldsAndAnEmptyLineIsOneEmptyField) {
  EXPECT_EQ(split_csv_line("a,b, c"), (Fields{"a", "b", " c"}));
  EXPECT_EQ(split_csv_line(",a,"), (Fields{"", "a", ""}));
  EXPECT_EQ(split_csv_line(""), Fields{""});
}

TEST(CsvLineTest, QuotedPartHasCommasAndTwoQuotesForOne) {
  EXPECT_EQ(split_csv_line(R"(a,"b,c",d)"), (Fields{"a", "b,c", "d"}));
  EXPECT_EQ(split_csv_line(R"("say ""no""",b)"), (Fields{R"(say "no")", "b"}));
  EXPECT_EQ(split_csv_line(R"("",b)"), (Fields{"", "b"}));
}

TEST(CsvLineTest, QuoteThatDoesNotEndIsNoLine) {
  EXPECT_EQ(split_csv_line(R"(a,"b)"), std::nullopt);
  EXPECT_EQ(split_csv_line(R"("a"")"), std::nullopt);
}

}  // namespace
}  // namespace davit
