#include "sandbox/metrics/load_shape.hpp"

#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

using std::chrono::seconds;

struct LoadShapeCase {
  const char* text;
  Duration age;
  const char* value;  ///< For a container that requests 200m.
};

class LoadShapeTest : public testing::TestWithParam<LoadShapeCase> {};

TEST_P(LoadShapeTest, IsWhatItsTextSays) {
  const LoadShapeCase& given = GetParam();
  const Result<LoadShape> amount = LoadShape::parse(given.text);
  ASSERT_TRUE(amount) << amount.error().message();
  const Nanos request = *parse_nanos("200m");
  EXPECT_EQ(decimal_text(amount->at(given.age, request)), given.value) << given.text;
}

INSTANTIATE_TEST_SUITE_P(Forms, LoadShapeTest,
                         testing::Values(LoadShapeCase{"250m", seconds(9), "250m"},
                                         LoadShapeCase{"150%", seconds(0), "300m"},
                                         LoadShapeCase{" 2 ", seconds(0), "2"},
                                         LoadShapeCase{"1n", seconds(0), "1n"},
                                         LoadShapeCase{"100000001n", seconds(0), "100000001n"},
                                         LoadShapeCase{"9e15", seconds(0), "9P"},
                                         LoadShapeCase{"-20", seconds(0), "-20"},
                                         LoadShapeCase{"step(1, 2, 10s)", seconds(9), "1"},
                                         LoadShapeCase{"step(1, 2, 10s)", seconds(10), "2"},
                                         LoadShapeCase{"ramp(100m,1,9s)", seconds(0), "100m"},
                                         LoadShapeCase{"ramp(100m,1,9s)", seconds(3), "400m"},
                                         LoadShapeCase{"ramp(100m,1,9s)", seconds(90), "1"},
                                         LoadShapeCase{"ramp(1,0,10s)", seconds(4), "600m"},
                                         LoadShapeCase{"ramp(50%, 100%, 10s)", seconds(5), "150m"},
                                         LoadShapeCase{"wave(0, 1, 20s)", seconds(0), "0"},
                                         LoadShapeCase{"wave(0, 1, 20s)", seconds(5), "500m"},
                                         LoadShapeCase{"wave(0, 1, 20s)", seconds(10), "1"},
                                         LoadShapeCase{"wave(0, 1, 20s)", seconds(15), "500m"},
                                         LoadShapeCase{"wave(0, 1, 20s)", seconds(25), "500m"},
                                         LoadShapeCase{"wave(0, 1, 20s)", seconds(-7), "0"},
                                         LoadShapeCase{"share(step(1, 2, 10s))", seconds(0), "1"}));

TEST(LoadShapeTextTest, OtherTextsAreRefused) {
  for (const char* text : {"", "x", "%", "-5%", "1.5%", "9999999%", "ramp(1,2)", "ramp(1,2,0s)",
                           "ramp(1,2,25h)", "ramp(1,2,3,4)", "ramp(1,2,5s", "wave(a,2,5s)",
                           "sine(1,2,5s)", "share(share(1))", "share"}) {
    EXPECT_FALSE(LoadShape::parse(text)) << text;
  }
}

TEST(LoadShapeTextTest, HugeNumbersStayWithinRange) {
  const Result<LoadShape> amount = LoadShape::parse("ramp(1000000%, 9223372036854775807, 24h)");
  ASSERT_TRUE(amount);
  EXPECT_EQ(amount->at(std::chrono::hours(12), kNanosMax), kNanosMax);
}

TEST(LoadShapeTextTest, BytesAreBinaryAndWhole) {
  EXPECT_EQ(binary_text(*parse_nanos("64Mi")), "64Mi");
  EXPECT_EQ(binary_text(*parse_nanos("12345678")), "12345678");
  EXPECT_EQ(binary_text(*parse_nanos("1500m")), "2");
  EXPECT_EQ(binary_text(*parse_nanos("1000")), "1k") << "below 1024 it is decimal";
  EXPECT_EQ(binary_text(0), "0");
  EXPECT_EQ(decimal_text(0), "0");
  EXPECT_EQ(decimal_text(*parse_nanos("1500")), "1500");
  EXPECT_EQ(decimal_text(*parse_nanos("250000")), "250k");
}

}  // namespace
}  // namespace davit::sandbox
