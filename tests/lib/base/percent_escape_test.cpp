#include "lib/base/percent_escape.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace davit
