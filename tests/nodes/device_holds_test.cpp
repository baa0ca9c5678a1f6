#include "nodes/device_holds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/kube/json.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// One claim with one device.
DeviceHolds::Allocations allocation(const std::string& claim, const std::string& device) {
  return {{claim, json_literal(R"({"devices":{"results":[{"driver":"d","pool":"p","device":")" +
                               device + R"("}]}})")}};
}

TEST(DeviceHoldsTest, HoldsEndWhenTheyAreReleased) {
  DeviceHolds holds;
  holds.hold("pod", allocation("claim", "a"));
  EXPECT_TRUE(holds.has_device("d/p/a"));
  EXPECT_THAT(holds.claims(), ElementsAre("claim"));

  EXPECT_TRUE(holds.release("pod"));

  EXPECT_FALSE(holds.has_device("d/p/a"));
  EXPECT_THAT(holds.claims(), IsEmpty());
  EXPECT_FALSE(holds.release("pod")) << "there is nothing to free";
}

TEST(DeviceHoldsTest, ReleasedHoldsLastUntilTheResultOfTheWriteIsKnown) {
  DeviceHolds holds;
  holds.hold("pod", allocation("claim", "a"));
  holds.begin_write("pod");

  EXPECT_FALSE(holds.release("pod"));
  EXPECT_TRUE(holds.has_device("d/p/a"));
  EXPECT_THAT(holds.claims(), ElementsAre("claim"));

  EXPECT_TRUE(holds.end_write("pod"));
  EXPECT_FALSE(holds.has_device("d/p/a"));
}

TEST(DeviceHoldsTest, AnEndedWriteFreesNothingThatThePodStillNeeds) {
  DeviceHolds holds;
  holds.hold("pod", allocation("claim", "a"));
  holds.begin_write("pod");
  EXPECT_FALSE(holds.end_write("pod"));
  EXPECT_TRUE(holds.has_device("d/p/a"));
}

TEST(DeviceHoldsTest, APodThatIsChosenAgainHoldsBothChoicesUntilTheWriteEnds) {
  DeviceHolds holds;
  holds.hold("pod", allocation("claim", "a"));
  holds.begin_write("pod");
  EXPECT_FALSE(holds.release("pod"));
  holds.hold("pod", allocation("claim", "b"));

  EXPECT_FALSE(holds.end_write("pod"));
  EXPECT_TRUE(holds.has_device("d/p/b"));
  EXPECT_TRUE(holds.release("pod"));
  EXPECT_FALSE(holds.has_device("d/p/a"));
}

TEST(DeviceHoldsTest, PodsWithoutAllocationsHoldNothing) {
  DeviceHolds holds;
  holds.hold("pod", {});
  holds.begin_write("pod");
  EXPECT_FALSE(holds.end_write("pod"));
  EXPECT_FALSE(holds.release("pod"));
}

}  // namespace
}  // namespace davit::sandbox
