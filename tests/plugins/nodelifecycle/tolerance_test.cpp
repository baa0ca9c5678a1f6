#include "plugins/nodelifecycle/tolerance.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace davit::nodelifecycle {
namespace {

using Kind = Tolerance::Kind;

const Taint kA{"a", "", "NoExecute"};
const Taint kB{"b", "", "NoExecute"};

Toleration of(std::string key, std::optional<std::int64_t> seconds = {}) {
  return {std::move(key), "Exists", "", "", seconds};
}

struct ToleranceCase {
  const char* name;
  std::vector<Toleration> tolerations;
  std::vector<Taint> taints;
  Tolerance expected;
};

const ToleranceCase kCases[] = {
    {"NoTaintIsTolerated", {}, {}, {Kind::kUnlimited}},
    {"NoTolerationAtAll", {}, {kA}, {Kind::kUntolerated}},
    {"OneOfTwoTaints", {of("a")}, {kA, kB}, {Kind::kUntolerated}},
    {"Unlimited", {of("a")}, {kA}, {Kind::kUnlimited}},
    {"TheShortestCounts",
     {of("a", 9), of("b", 4)},
     {kA, kB},
     {Kind::kFor, std::chrono::seconds(4)}},
    {"UnlimitedDoesNotShorten",
     {of("a"), of("b", 4)},
     {kA, kB},
     {Kind::kFor, std::chrono::seconds(4)}},
    {"TheFirstThatFitsIsUsed", {of("", {}), of("a", 4)}, {kA}, {Kind::kUnlimited}},
    {"UnusedOnesDoNotCount", {of("a", 9), of("b", 4)}, {kA}, {Kind::kFor, std::chrono::seconds(9)}},
    {"ZeroIsAtOnce", {of("a", 0)}, {kA}, {Kind::kFor}},
    {"NegativeIsZero", {of("a", -1)}, {kA}, {Kind::kFor}},
};

TEST(ToleranceTest, FollowsUpstreamsRules) {
  for (const ToleranceCase& each : kCases) {
    EXPECT_EQ(tolerance_of(each.tolerations, each.taints), each.expected) << each.name;
  }
}

TEST(ToleranceTest, TheLongestTimeStaysWithinTheClock) {
  const Toleration forever = of("a", std::numeric_limits<std::int64_t>::max());
  const Tolerance tolerance = tolerance_of({&forever, 1}, {&kA, 1});

  EXPECT_EQ(tolerance.kind, Kind::kFor);
  EXPECT_LT(tolerance.time, std::chrono::hours(24 * 366 * 100));
}

}  // namespace
}  // namespace davit::nodelifecycle
