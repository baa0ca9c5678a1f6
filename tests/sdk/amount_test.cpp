/// Exact sums of quantities, and how they are printed.
#include <gtest/gtest.h>

#include <davit/kube/amount.hpp>

namespace davit {
namespace {

Amount amount(std::string_view text) { return Amount::parse(text).value(); }

struct TextCase {
  const char* text;
  const char* printed;
};

constexpr TextCase kTexts[] = {
    {"0", "0"},         {"0Gi", "0"},     {"1", "1"},        {"1000", "1k"},
    {"1500", "1500"},   {"500m", "500m"}, {"1000m", "1"},    {"1500m", "1500m"},
    {"0.1", "100m"},    {"1n", "1n"},     {"1u", "1u"},      {"2e3", "2e3"},
    {"2000e0", "2e3"},  {"1Gi", "1Gi"},   {"1024Mi", "1Gi"}, {"1536Mi", "1536Mi"},
    {"512Ki", "512Ki"}, {"1Ki", "1Ki"},   {"0.5Ki", "512"},  {"1.5Gi", "1536Mi"},
    {"-3", "-3"},       {"-2Ki", "-2Ki"}, {"5E", "5E"},      {"100M", "100M"},
    {"0.5", "500m"},    {"3e-3", "3e-3"}, {"7Ei", "7Ei"}};

TEST(AmountTest, PrintsAsTheServerDoes) {
  for (const TextCase& each : kTexts)
    EXPECT_EQ(amount(each.text).text(), each.printed) << each.text;
}

TEST(AmountTest, ASumTakesTheNotationOfItsFirstAddend) {
  Amount sum;
  sum += amount("1Gi");
  sum += amount("1G");
  EXPECT_EQ(sum.text(), "2073741824");
  sum = Amount();
  sum += amount("1Gi");
  sum += amount("1Gi");
  EXPECT_EQ(sum.text(), "2Gi");
}

struct NumberCase {
  Quantity number;
  const char* decimal;
  const char* binary;
};

const NumberCase kNumbers[] = {
    {Quantity(), "0", "0"},
    {Quantity::of_milli(250), "250m", "250m"},
    {Quantity::of_milli(6'667), "6667m", "6667m"},
    {Quantity::of_milli(1'500'000), "1500", "1500"},
    {Quantity::of_milli(-20'000), "-20", "-20"},
    {Quantity::of_milli(9'000'000'000'000'000'000), "9P", "8789062500000Ki"},
    {Quantity::of_milli(INT64_MAX), "9223372036854775807m", "9223372036854775807m"},
    {Quantity::whole(200 * 1024 * 1024), "209715200", "200Mi"},
    {Quantity::of_milli(105'207'125'333), "105207125333m", "105207125333m"},
    {Quantity::whole(12'345'678), "12345678", "12345678"},
    {Quantity::whole(1'000), "1k", "1k"},  // Below 1024 it is decimal.
    {Quantity::whole(INT64_MIN), "-9223372036854775807", "-9223372036854775807"},
    {Quantity::parse("20000000000.000000001").value(), "20000000000000000001n",
     "20000000000000000001n"}};

TEST(AmountTest, NumberIsWrittenWithTheLargestSuffixThatLeavesAnInteger) {
  for (const NumberCase& each : kNumbers) {
    EXPECT_EQ(quantity_text(each.number, QuantityFormat::kDecimal), each.decimal);
    EXPECT_EQ(quantity_text(each.number, QuantityFormat::kBinary), each.binary);
  }
}

TEST(AmountTest, SumsStayWithinTheRange) {
  Amount sum = amount("9223372036854775807");
  sum += amount("1");
  EXPECT_EQ(sum, amount("9223372036854775807"));
}

TEST(AmountTest, RoundsUpToWholeNumbers) {
  EXPECT_EQ(amount("1500m").rounded_up(), amount("2"));
  EXPECT_EQ(amount("2").rounded_up(), amount("2"));
  EXPECT_EQ(amount("-1500m").rounded_up(), amount("-1"));
}

TEST(AmountTest, ComparesNumbersAndNotTexts) {
  EXPECT_EQ(amount("5"), amount("5000m"));
  EXPECT_LT(amount("999M"), amount("1Gi"));
  EXPECT_FALSE(Amount::parse("many"));
}

}  // namespace
}  // namespace davit
