#include "lib/kube/schema/canonical_quantity.hpp"

#include <gtest/gtest.h>

#include <ostream>

#include "lib/kube/schema/schema.hpp"

namespace davit {
namespace {

struct QuantityCase {
  std::string_view text;
  std::string_view canonical;  // Empty: refused.
  std::string_view in_list;    // In a resource list, which keeps thousandths.
};
void PrintTo(const QuantityCase& each, std::ostream* out) { *out << each.text; }

class QuantityTest : public testing::TestWithParam<QuantityCase> {};

TEST_P(QuantityTest, TextBecomesCanonical) {
  const Result<std::string> canonical = canonical_quantity(GetParam().text);
  EXPECT_EQ(canonical ? *canonical : "", GetParam().canonical);
  const Result<std::string> in_list = canonical_quantity(GetParam().text, Precision::kMilli);
  EXPECT_EQ(in_list ? *in_list : "", GetParam().in_list);
}

TEST_P(QuantityTest, CanonicalTextStays) {
  if (GetParam().canonical.empty()) return;
  EXPECT_EQ(*canonical_quantity(GetParam().canonical), GetParam().canonical);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Rules, QuantityTest, testing::Values(
    QuantityCase{"1", "1", "1"},
    QuantityCase{"0", "0", "0"},
    QuantityCase{"0Mi", "0", "0"},
    QuantityCase{"-1", "-1", "-1"},
    QuantityCase{"+1", "1", "1"},
    QuantityCase{"001", "1", "1"},
    QuantityCase{"100m", "100m", "100m"},
    QuantityCase{"1000m", "1", "1"},
    QuantityCase{"1500m", "1500m", "1500m"},
    QuantityCase{"0.5", "500m", "500m"},
    QuantityCase{".5", "500m", "500m"},
    QuantityCase{"5.", "5", "5"},
    QuantityCase{"1.50", "1500m", "1500m"},
    QuantityCase{"0.0001", "100u", "1m"},
    QuantityCase{"-0.0001", "-100u", "-1m"},
    QuantityCase{"1n", "1n", "1m"},
    QuantityCase{"0.1n", "1n", "1m"},
    QuantityCase{"1.00000000000000000000000001", "1000000001n", "1001m"},
    QuantityCase{"1024", "1024", "1024"},
    QuantityCase{"1000", "1k", "1k"},
    QuantityCase{"1000k", "1M", "1M"},
    QuantityCase{"1e3", "1e3", "1e3"},
    QuantityCase{"1E3", "1e3", "1e3"},
    QuantityCase{"1e4", "10e3", "10e3"},
    QuantityCase{"1e-3", "1e-3", "1e-3"},
    QuantityCase{"1.5e3", "1500", "1500"},
    QuantityCase{"1E", "1E", "1E"},
    QuantityCase{"1024Mi", "1Gi", "1Gi"},
    QuantityCase{"1500Mi", "1500Mi", "1500Mi"},
    QuantityCase{"1.5Gi", "1536Mi", "1536Mi"},
    QuantityCase{"0.5Ki", "512", "512"},
    QuantityCase{"1Ki", "1Ki", "1Ki"},
    QuantityCase{"0.5Mi", "512Ki", "512Ki"},
    QuantityCase{"1.0001Ki", "1024102400u", "1024103m"},
    QuantityCase{"7Ei", "7Ei", "7Ei"},
    QuantityCase{"100Ei", "9223372036854775807", "9223372036854775807"},
    QuantityCase{"12345678901.123456789", "12345678901123456789n", "12345678901124m"},
    QuantityCase{"1e0000000003", "1e3", "1e3"},
    QuantityCase{"k", "0", "0"},
    QuantityCase{"Gi", "0", "0"},
    QuantityCase{"Ei", "", ""},
    QuantityCase{" 1 ", "1", "1"},
    QuantityCase{"", "", ""},
    QuantityCase{"abc", "", ""},
    QuantityCase{"1K", "", ""},
    QuantityCase{"1ki", "", ""},
    QuantityCase{"1 Gi", "", ""},
    QuantityCase{"1e", "", ""},
    QuantityCase{"1e+", "", ""},
    QuantityCase{"1.2.3", "", ""},
    QuantityCase{"--1", "", ""}));
// clang-format on

TEST(QuantityMilliTest, CountsThousandthsRoundedUp) {
  EXPECT_EQ(*quantity_milli("1"), 1000);
  EXPECT_EQ(*quantity_milli("100m"), 100);
  EXPECT_EQ(*quantity_milli("1u"), 1);
  EXPECT_EQ(*quantity_milli("1Ki"), 1'024'000);
  EXPECT_EQ(*quantity_milli("-1"), -1000);
  EXPECT_EQ(*quantity_milli("100E"), INT64_MAX);
  EXPECT_FALSE(quantity_milli("one").has_value());
}

}  // namespace
}  // namespace davit
