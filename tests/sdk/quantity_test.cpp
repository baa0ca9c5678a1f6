#include <gtest/gtest.h>

#include <davit/kube/int_or_percent.hpp>
#include <davit/kube/quantity.hpp>
#include <davit/testing/cluster.hpp>

namespace davit {
namespace {

Quantity q(std::string_view text) { return Quantity::parse(text).value(); }

TEST(QuantityTest, FormatsOfOneNumberAreEqual) {
  EXPECT_EQ(q("0.5"), q("500m"));
  EXPECT_EQ(q("1Gi"), q("1024Mi"));
  EXPECT_EQ(q("1Gi"), q("1073741824"));
  EXPECT_EQ(q("1.5Gi"), q("1536Mi"));
  EXPECT_EQ(q("2e3"), q("2k"));
  EXPECT_EQ(q("2E3"), q("2000"));
  EXPECT_EQ(q("1e-3"), q("1m"));
  EXPECT_EQ(q("1000u"), q("1m"));
  EXPECT_EQ(q("1000n"), q("1u"));
  EXPECT_EQ(q("0"), q("-0"));
  EXPECT_EQ(q("0"), Quantity());
  EXPECT_EQ(q("+1"), q("1."));
  EXPECT_EQ(q(".5"), q("500m"));
}

TEST(QuantityTest, DifferentNumbersAreOrdered) {
  EXPECT_LT(q("999m"), q("1"));
  EXPECT_LT(q("1G"), q("1Gi"));
  EXPECT_LT(q("-1"), q("0"));
  EXPECT_GT(q("1E"), q("999P"));
  EXPECT_NE(q("100m"), q("100M"));
}

TEST(QuantityTest, FinerThanNanosIsRoundedUpAndTheTopIsCapped) {
  EXPECT_EQ(q("0.0000000001"), q("1n"));
  EXPECT_EQ(q("1e-12"), q("1n"));
  EXPECT_EQ(q("1e30"), q("9223372036854775807"));
  EXPECT_EQ(q("100E"), q("16Ei"));
  EXPECT_EQ(q("0e99"), q("0"));
}

TEST(QuantityTest, AllDigitsThatTheRangeHoldsCount) {
  EXPECT_EQ(q("12345678901.123456789") -= q("12345678901"), q("123456789n"));
  EXPECT_GT(q("9223372036854775806.5"), q("9223372036854775806.000000001"));
  EXPECT_EQ(q("1.00000000000000000000Ei"), q("1Ei"));
  EXPECT_EQ(q("0.5000000000000000000000000000Ki"), q("512"));
}

TEST(QuantityTest, ThousandthsAreRoundedUpAndCapped) {
  EXPECT_EQ(q("1.5").milli(), 1500);
  EXPECT_EQ(q("1u").milli(), 1);
  EXPECT_EQ(q("-1u").milli(), 0);
  EXPECT_EQ(q("-1").milli(), -1000);
  EXPECT_EQ(q("100E").milli(), INT64_MAX);
  EXPECT_EQ(q("-100E").milli(), -INT64_MAX);
}

TEST(QuantityTest, ExponentsMayBeOfAnyLengthThatFits64Bits) {
  EXPECT_EQ(q("1e00003"), q("1k"));
  EXPECT_EQ(q("0.001e+4"), q("10"));
  EXPECT_EQ(q("1e-123456"), q("1n"));
  EXPECT_EQ(q("1e9223372036854775807"), q("100E"));
  EXPECT_FALSE(Quantity::parse("1e9223372036854775808"));
}

TEST(QuantityTest, NumberWithoutDigitsIsZeroAsUpstream) {
  for (const char* text : {"+", "-", ".", "k", "m", "n", "E", "Ki", "Ti", "e3", "e-9", "-.Gi"}) {
    EXPECT_EQ(Quantity::parse(text), Quantity()) << text;
  }
}

/// The message for a text that is not a quantity.
std::string refusal(std::string_view text) {
  const Result<QuantityParts> parts = parse_quantity(text);
  EXPECT_FALSE(Quantity::parse(text)) << text;
  return parts ? "" : parts.error().message();
}

TEST(QuantityTest, OtherTextIsRefusedInUpstreamsWords) {
  for (const char* text : {"", " ", " 1", "1 ", "1 Gi", "1Gi ", "1.2.3", "1.1.M", "1+1.0M", "0.1am",
                           "aoeu", "x", "0x10", "1e+-5", "1e3.0"}) {
    EXPECT_EQ(refusal(text),
              "quantities must match the regular expression "
              "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
        << text;
  }
  for (const char* text : {"1gi", "1K", "1ki", "1i", ".5i", "0.1mi", "-3.01i", "-3.01e-", "1e",
                           "1e+", "1ee3", "--1", "1Gi1"}) {
    EXPECT_NE(refusal(text), "") << text;
  }
  EXPECT_EQ(refusal("-3.01e-"), "unable to parse quantity's suffix");
  for (const char* text : {"Pi", "-.Ei", "e-10"}) {
    EXPECT_EQ(refusal(text), "unable to parse numeric part of quantity") << text;
  }
}

TEST(IntOrPercentTest, ResolvesWithTheRoundingAskedFor) {
  EXPECT_EQ(IntOrPercent::percent(25).resolve(10, Rounding::kUp), 3);
  EXPECT_EQ(IntOrPercent::percent(25).resolve(10, Rounding::kDown), 2);
  EXPECT_EQ(IntOrPercent::percent(25).resolve(4, Rounding::kUp), 1);
  EXPECT_EQ(IntOrPercent::percent(1).resolve(2, Rounding::kDown), 0);
  EXPECT_EQ(IntOrPercent::percent(0).resolve(5, Rounding::kUp), 0);
  EXPECT_EQ(IntOrPercent::percent(-25).resolve(10, Rounding::kUp), -2);
  EXPECT_EQ(IntOrPercent::percent(-25).resolve(10, Rounding::kDown), -3);
  EXPECT_EQ(IntOrPercent::of(7).resolve(2, Rounding::kUp), 7);
}

TEST(IntOrPercentTest, ReadsIntegersAndPercentages) {
  testing::Cluster cluster;
  const auto parse = [&](const char* json) { return IntOrPercent::parse(cluster.value(json)); };

  EXPECT_EQ(*parse("3"), IntOrPercent::of(3));
  EXPECT_EQ(*parse("\"25%\""), IntOrPercent::percent(25));
  for (const char* json :
       {"\"25\"", "\"%\"", "\"x%\"", "\"2 5%\"", "true", "null", "1.5", "\"99999999999%\""}) {
    EXPECT_EQ(parse(json).error().code(), Code::kInvalid) << json;
  }
  EXPECT_FALSE(IntOrPercent::parse(Value()));
}

}  // namespace
}  // namespace davit
