#include "lib/base/trimmed.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

TEST(TrimmedTest, BlanksGoAtTheEndsAndStayInside) {
  EXPECT_EQ(trimmed(" \t a \tb\t "), "a \tb");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed(" \t "), "");
}

TEST(TrimmedTest, OnlyTheGivenCharactersAreBlanks) {
  EXPECT_EQ(trimmed("a\r\n"), "a\r\n");
  EXPECT_EQ(trimmed(" a\r\n", "\r\n"), " a");
}

}  // namespace
}  // namespace davit
