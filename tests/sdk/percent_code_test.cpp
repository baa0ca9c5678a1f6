
#include <gtest/gtest.h>

#include <davit/percent_code.hpp>
#include <string_view>

namespace davit {
namespace {

TEST(PercentEscapeTest, LettersDigitsAndWhatTheCallerListsStayPlain) {
  EXPECT_EQ(percent_escaped("azAZ09-._~", "-._~"), "azAZ09-._~");
  EXPECT_EQ(percent_escaped("a-b", ""), "a%2Db");
}

TEST(PercentEscapeTest, EveryOtherByteIsTwoUpperCaseDigits) {
  EXPECT_EQ(percent_escaped("a=b, %/\xc3\xa4", "-._~"), "a%3Db%2C%20%25%2F%C3%A4");
  EXPECT_EQ(percent_escaped(std::string_view("\0\x7f\xff", 3), "~"), "%00%7F%FF");
}

TEST(PercentEscapeTest, EscapesOfEitherCaseAreUndone) {
  EXPECT_EQ(percent_unescaped("a%3Db%2c+%00"), std::string("a=b,+\0", 6));
  EXPECT_EQ(percent_unescaped("a+b%2B", Plus::kBlank), "a b+");
}

TEST(PercentEscapeTest, APercentSignWithoutTwoDigitsIsMalformed) {
  for (const std::string_view each : {"%", "a%2", "%zz", "%2z", "%-1", "%+1", "% 1", "%0x"}) {
    EXPECT_EQ(percent_unescaped(each), std::nullopt) << each;
  }
}

}  // namespace
}  // namespace davit
