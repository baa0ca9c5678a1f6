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

TEST(QuantityTest, OtherTextIsNoQuantity) {
  for (const char* text : {"", "Gi", "1gi", "1 Gi", "1Gi ", "e3", "1e", "1e+", "1ki", "1.2.3",
                           "--1", "x", "1ee3", "0x10"}) {
    EXPECT_FALSE(Quantity::parse(text)) << text;
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
