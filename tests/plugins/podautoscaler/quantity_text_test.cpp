#include "plugins/podautoscaler/quantity_text.hpp"

#include <gtest/gtest.h>

namespace davit::podautoscaler {
namespace {

TEST(QuantityTextTest, DecimalSuffixIsTheLargestThatLeavesAWholeNumber) {
  const auto text = [](std::int64_t milli) { return quantity_text(milli, QuantityUnit::kDecimal); };
  EXPECT_EQ(text(0), "0");
  EXPECT_EQ(text(250), "250m");
  EXPECT_EQ(text(20'000), "20");
  EXPECT_EQ(text(6'667), "6667m");
  EXPECT_EQ(text(1'500'000), "1500");
  EXPECT_EQ(text(-20'000), "-20");
  EXPECT_EQ(text(9'000'000'000'000'000'000), "9P");
  EXPECT_EQ(text(INT64_MAX), "9223372036854775807m");
}

TEST(QuantityTextTest, HPA110_BinarySuffixWhereItDividesWholeNumbers) {
  const auto text = [](std::int64_t milli) { return quantity_text(milli, QuantityUnit::kBinary); };
  EXPECT_EQ(text(200LL * 1024 * 1024 * 1000), "200Mi");
  EXPECT_EQ(text(105'207'125'333), "105207125333m");
  EXPECT_EQ(text(12'345'678'000), "12345678");
  EXPECT_EQ(text(1'000'000), "1k") << "below 1024 it is decimal";
}

}  // namespace
}  // namespace davit::podautoscaler
