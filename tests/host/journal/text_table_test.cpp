#include "host/journal/text_table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace davit::host {
namespace {

TEST(TextTableTest, TextThatComesAgainHasTheNumberItHad) {
  TextTable table;
  const std::uint32_t pods = table.add("pods");
  const std::uint32_t web = table.add("web");

  EXPECT_EQ(table.add(std::string("pods")), pods);
  EXPECT_NE(pods, web);
  EXPECT_EQ(table.text(pods), "pods");
  EXPECT_EQ(table.text(web), "web");
  EXPECT_EQ(table.size(), 2U);
}

TEST(TextTableTest, EmptyTextAndUnknownNumberAreEmpty) {
  TextTable table;

  EXPECT_EQ(table.add(""), 0U);
  EXPECT_EQ(table.text(0), "");
  EXPECT_EQ(table.text(7), "");
  EXPECT_EQ(table.size(), 0U);
}

TEST(TextTableTest, ManyTextsKeepTheirNumbersAlsoWhenItIsSealed) {
  TextTable table;
  std::vector<std::uint32_t> numbers;
  for (int i = 0; i < 1000; ++i) numbers.push_back(table.add("web-" + std::to_string(i)));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(table.add("web-" + std::to_string(i)), numbers[i]);
  const std::size_t before = table.bytes();

  table.seal();

  EXPECT_LT(table.bytes(), before);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(table.text(numbers[i]), "web-" + std::to_string(i));
}

}  // namespace
}  // namespace davit::host
