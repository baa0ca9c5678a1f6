/// Exact sums of quantities, and how they are printed.
#include "plugins/resourcequota/amount.hpp"

#include <gtest/gtest.h>

namespace davit::resourcequota {
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
}  // namespace davit::resourcequota
