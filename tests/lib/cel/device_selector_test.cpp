#include "lib/cel/device_selector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace davit::cel {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct CostCase {
  const char* expression;
  std::uint64_t cost;
};

/// The numbers follow from the largest sizes of a device: 32 attributes and 32 capacities, domains
/// and drivers of 63 characters, names of 32, and values of 64.
constexpr CostCase kCosts[] = {
    {"true", 0},
    {R"(device.driver == "")", 2},
    {R"(device.driver == "gpu.example.com")", 4},
    {R"("gpu.example.com" in device.capacity)", 3},
    {R"(device.attributes["gpu.example.com"].model)", 4},
    {R"(device.attributes["gpu.example.com"]["model"])", 4},
    {R"(device.attributes["gpu.example.com"].model == "large")", 5},
    {R"(device.attributes["gpu.example.com"].model.matches("[^a]?sym"))", 18},
    {R"(device.attributes["gpu.example.com"].model.split("example").size() >= 2)", 19},
    {R"(device.attributes["gpu.example.com"].version.isGreaterThan(semver("0.0.1")))", 6},
    {R"(device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("1Ki")))", 6},
    {R"(device.capacity.exists_one(x, x == "gpu.example.com"))", 164},
    {R"(device.attributes["gpu.example.com"].exists_one(x, x == "services"))", 133},
    {R"(cel.bind(gpu, device.attributes["gpu.example.com"], gpu.model))", 15},
};

TEST(DeviceSelectorTest, TheCostIsEstimatedFromTheLargestDevice) {
  for (const CostCase& each : kCosts) {
    const SelectorVerdict verdict = judge_selector(each.expression);
    EXPECT_THAT(verdict.error, IsEmpty()) << each.expression;
    EXPECT_EQ(verdict.cost_max, each.cost) << each.expression;
  }
}

TEST(DeviceSelectorTest, LoopsInLoopsExceedTheLimit) {
  const std::string numbers = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
  const auto loops = [&numbers](int count) {
    std::string out = "a0 < 100";
    for (int i = count; i-- > 0;) {
      out = numbers + ".all(a" + std::to_string(i) + ", " + out + ")";
    }
    return judge_selector(out).cost_max;
  };
  EXPECT_LE(loops(5), kSelectorCostMax);
  EXPECT_GT(loops(6), kSelectorCostMax);
}

Json device() { return json_literal(R"({"name":"d","attributes":{"model":{"string":"large"}}})"); }

TEST(DeviceSelectorTest, ABindingNamesAPartOfTheDevice) {
  DeviceSelectors selectors;
  const auto matches = [&selectors](const std::string& expression) {
    const Result<bool> out = selectors.matches(expression, "d.io", device());
    return out ? std::string(*out ? "yes" : "no") : out.error().message();
  };
  EXPECT_EQ(matches(R"(cel.bind(own, device.attributes["d.io"], own.model == "large"))"), "yes");
  EXPECT_EQ(matches(R"(cel.bind(a, "x", cel.bind(b, a + a, b == "xy")))"), "no");
  EXPECT_THAT(matches(R"(cel.bind(a.b, 1, true))"),
              HasSubstr("cel.bind() variable names must be simple identifiers"));
  EXPECT_THAT(matches(R"(bind(a, 1, true))"), HasSubstr("undeclared reference to 'bind'"));
  EXPECT_THAT(matches(R"(cel.bind(a, a, true))"), HasSubstr("undeclared reference to 'a'"));
}

}  // namespace
}  // namespace davit::cel
