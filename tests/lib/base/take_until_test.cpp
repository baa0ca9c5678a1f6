#include "lib/base/take_until.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

TEST(TakeUntilTest, TheTextBeforeTheFirstMarkIsTakenAndTheMarkWithIt) {
  std::string_view rest = "a=b=c";
  EXPECT_EQ(take_until(rest, "="), "a");
  EXPECT_EQ(rest, "b=c");
  EXPECT_EQ(take_until(rest, "="), "b");
  EXPECT_EQ(rest, "c");
}

TEST(TakeUntilTest, WithoutAMarkAllIsTaken) {
  std::string_view rest = "abc";
  EXPECT_EQ(take_until(rest, "="), "abc");
  EXPECT_EQ(rest, "");
  EXPECT_EQ(take_until(rest, "="), "");
  EXPECT_EQ(rest, "");
}

TEST(TakeUntilTest, EmptyPartsAreTakenToo) {
  std::string_view rest = ",a,";
  EXPECT_EQ(take_until(rest, ","), "");
  EXPECT_EQ(take_until(rest, ","), "a");
  EXPECT_EQ(rest, "");
}

TEST(TakeUntilTest, AMarkOfSeveralCharactersIsFoundWhole) {
  std::string_view rest = "a]b']c";
  EXPECT_EQ(take_until(rest, "']"), "a]b");
  EXPECT_EQ(rest, "c");
}

}  // namespace
}  // namespace davit
