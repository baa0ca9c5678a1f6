#include "sandbox/metrics/amount.hpp"

#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

using std::chrono::seconds;

struct AmountCase {
  const char* text;
  Duration age;
  const char* value;  ///< For a container that requests 200m.
};

class AmountTest : public testing::TestWithParam<AmountCase> {};

TEST_P(AmountTest, IsWhatItsTextSays) {
  const AmountCase& given = GetParam();
  const Result<Amount> amount = Amount::parse(given.text);
  ASSERT_TRUE(amount) << amount.error().message();
  const Nanos request = *parse_nanos("200m");
  EXPECT_EQ(decimal_text(amount->at(given.age, request)), given.value) << given.text;
}

INSTANTIATE_TEST_SUITE_P(
    Forms, AmountTest,
    testing::Values(AmountCase{"250m", seconds(9), "250m"}, AmountCase{"150%", seconds(0), "300m"},
                    AmountCase{" 2 ", seconds(0), "2"}, AmountCase{"1n", seconds(0), "1n"},
                    AmountCase{"100000001n", seconds(0), "100000001n"},
                    AmountCase{"9e15", seconds(0), "9P"}, AmountCase{"-20", seconds(0), "-20"},
                    AmountCase{"step(1, 2, 10s)", seconds(9), "1"},
                    AmountCase{"step(1, 2, 10s)", seconds(10), "2"},
                    AmountCase{"ramp(100m,1,9s)", seconds(0), "100m"},
                    AmountCase{"ramp(100m,1,9s)", seconds(3), "400m"},
                    AmountCase{"ramp(100m,1,9s)", seconds(90), "1"},
                    AmountCase{"ramp(1,0,10s)", seconds(4), "600m"},
                    AmountCase{"ramp(50%, 100%, 10s)", seconds(5), "150m"},
                    AmountCase{"wave(0, 1, 20s)", seconds(0), "0"},
                    AmountCase{"wave(0, 1, 20s)", seconds(5), "500m"},
                    AmountCase{"wave(0, 1, 20s)", seconds(10), "1"},
                    AmountCase{"wave(0, 1, 20s)", seconds(15), "500m"},
                    AmountCase{"wave(0, 1, 20s)", seconds(25), "500m"},
                    AmountCase{"wave(0, 1, 20s)", seconds(-7), "0"},
                    AmountCase{"share(step(1, 2, 10s))", seconds(0), "1"}));

TEST(AmountTextTest, OtherTextsAreRefused) {
  for (const char* text : {"", "x", "%", "-5%", "1.5%", "9999999%", "ramp(1,2)", "ramp(1,2,0s)",
                           "ramp(1,2,25h)", "ramp(1,2,3,4)", "ramp(1,2,5s", "wave(a,2,5s)",
                           "sine(1,2,5s)", "share(share(1))", "share"}) {
    EXPECT_FALSE(Amount::parse(text)) << text;
  }
}

TEST(AmountTextTest, HugeNumbersStayWithinRange) {
  const Result<Amount> amount = Amount::parse("ramp(1000000%, 9223372036854775807, 24h)");
  ASSERT_TRUE(amount);
  EXPECT_EQ(amount->at(std::chrono::hours(12), kNanosMax), kNanosMax);
}

TEST(AmountTextTest, BytesAreBinaryAndWhole) {
  EXPECT_EQ(binary_text(*parse_nanos("64Mi")), "64Mi");
  EXPECT_EQ(binary_text(*parse_nanos("12345678")), "12345678");
  EXPECT_EQ(binary_text(*parse_nanos("1500m")), "2");
  EXPECT_EQ(binary_text(0), "0");
  EXPECT_EQ(decimal_text(0), "0");
  EXPECT_EQ(decimal_text(*parse_nanos("1500")), "1500");
  EXPECT_EQ(decimal_text(*parse_nanos("250000")), "250k");
}

}  // namespace
}  // namespace davit::sandbox
