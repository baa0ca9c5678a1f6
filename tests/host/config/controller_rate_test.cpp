/// The rate limits of controllers.
#include <gtest/gtest.h>

#include "host/config/manifest.hpp"

namespace davit::host {
namespace {

constexpr const char* kAutoscaler = "horizontal-pod-autoscaler-controller";

TEST(ControllerRateTest, ThousandAutoscalersThatReadTwiceAndWriteKeepTheirPeriod) {
  constexpr double kRequests = 3 * 1000;
  constexpr double kPeriod_s = 15;
  EXPECT_GE(controller_rate({}, kAutoscaler).qps * kPeriod_s, kRequests) << "docs/spec/hpa.md, D7";
}

TEST(ControllerRateTest, OtherControllersHaveTheRateThatIsSet) {
  ClientSettings settings;
  settings.qps = 7;
  settings.burst = 11;
  EXPECT_EQ(controller_rate(settings, "deployment-controller").qps, 7);
  EXPECT_EQ(controller_rate(settings, "deployment-controller").burst, 11);
  EXPECT_EQ(controller_rate(settings, "").qps, 7);
}

TEST(ControllerRateTest, NoLimitStaysNone) {
  ClientSettings settings;
  settings.qps = -1;
  EXPECT_LT(controller_rate(settings, kAutoscaler).qps, 0);
}

}  // namespace
}  // namespace davit::host
