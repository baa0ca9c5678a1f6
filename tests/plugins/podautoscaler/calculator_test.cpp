/// HPA01 to HPA41: the replica calculator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "plugins/podautoscaler/replica_calculator.hpp"

namespace davit::podautoscaler {
namespace {

constexpr std::int64_t kNone = -1;     // No value.
constexpr std::int64_t kUnready = -2;  // A pod that waits.

/// The pods p0, …, their values and requests of 100m.
struct Given {
  std::vector<std::int64_t> usage;
  std::int32_t current = -1;  ///< -1: as many as there are pods.
  std::vector<std::int64_t> requests = {};
  Tolerance tolerance = {};
  std::int64_t foreign = kNone;  ///< A value of a name that is no pod.
};

class Calculation {
 public:
  explicit Calculation(const Given& given) : given_(given) {
    for (std::size_t i = 0; i < given.usage.size(); ++i) {
      PodFacts pod{.name = "p" + std::to_string(i),
                   .is_running = true,
                   .ready = PodFacts::Ready::kTrue,
                   .started = WallTime()};
      pod.is_pending = given.usage[i] == kUnready;
      pods_.push_back(pod);
      if (given.usage[i] >= 0) values_[pod.name] = {.milli = given.usage[i]};
      requests_[pod.name] = given.requests.empty() ? 100 : given.requests[i];
    }
    if (given.foreign != kNone) values_["foreign"] = {.milli = given.foreign};
  }

  [[nodiscard]] Result<Proposal> utilization(std::int32_t percent) const {
    return calculator().by_utilization(metric(), requests_, percent);
  }
  [[nodiscard]] std::int32_t percent(std::int32_t percent) const {
    return utilization(percent)->replicas;
  }
  [[nodiscard]] std::int32_t average(std::int64_t target) const {
    return calculator().by_average(metric(), target)->replicas;
  }
  [[nodiscard]] ReplicaCalculator calculator() const {
    const auto count = static_cast<std::int32_t>(pods_.size());
    const std::int32_t current = given_.current < 0 ? count : given_.current;
    return {{.tolerance = given_.tolerance}, {current, current}};
  }
  [[nodiscard]] const std::vector<PodFacts>& pods() const { return pods_; }

 private:
  [[nodiscard]] PodMetric metric() const {
    return {.pods = pods_, .values = values_, .is_cpu = true, .now = WallTime() + hour()};
  }
  static Duration hour() { return std::chrono::hours(1); }

  const Given given_;
  std::vector<PodFacts> pods_;
  PodValues values_;
  PodRequests requests_;
};

struct UtilizationRow {
  const char* row;
  Given given;
  std::int32_t percent;
  std::int32_t proposal;
};

class UtilizationTest : public ::testing::TestWithParam<UtilizationRow> {};

TEST_P(UtilizationTest, Proposes) {
  EXPECT_EQ(Calculation(GetParam().given).percent(GetParam().percent), GetParam().proposal);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, UtilizationTest,
    ::testing::Values(
        UtilizationRow{"HPA01_", {.usage = {150, 150}}, 100, 3},
        UtilizationRow{"HPA02_", {.usage = {110, 110, 110}}, 100, 3},
        UtilizationRow{"HPA03_", {.usage = {111, 111, 111}}, 100, 4},
        UtilizationRow{"HPA04_", {.usage = {90, 90, 90}}, 100, 3},
        UtilizationRow{"HPA05_", {.usage = std::vector<std::int64_t>(10, 89)}, 100, 9},
        UtilizationRow{"HPA06_", {.usage = {332}, .requests = {300}}, 100, 1},
        UtilizationRow{"HPA07_", {.usage = {333}, .requests = {300}}, 100, 2},
        UtilizationRow{"HPA08_", {.usage = {300, 30}, .requests = {400, 100}}, 60, 2},
        UtilizationRow{"HPA09_", {.usage = std::vector<std::int64_t>(25, 112)}, 100, 29},
        UtilizationRow{"HPA10_", {.usage = {300, 300, 300, kNone}}, 100, 9},
        UtilizationRow{"HPA11_", {.usage = {140, 140, 140, kNone}}, 100, 4},
        UtilizationRow{"HPA12_", {.usage = {150, kNone, kNone}}, 100, 3},
        UtilizationRow{"HPA13_", {.usage = {20, 20, 20, kNone}}, 100, 2},
        UtilizationRow{"HPA14_", {.usage = {20, 20, 20, kNone}}, 50, 4},
        UtilizationRow{"HPA15_", {.usage = {30, 30, 30, kNone}}, 40, 4},
        UtilizationRow{"HPA16_", {.usage = {100, 100, 100, kNone}}, 200, 3},
        UtilizationRow{"HPA17_", {.usage = {100, 100, 100, kNone}}, 100, 4},
        UtilizationRow{"HPA18_", {.usage = {250, 250, kUnready}}, 100, 5},
        UtilizationRow{"HPA19_", {.usage = {50, 50, kUnready}}, 100, 1},
        UtilizationRow{"HPA20_", {.usage = {300, 300, 300, kUnready, kNone}}, 100, 9},
        UtilizationRow{"HPA21_", {.usage = {30, 30, 30, kUnready, kNone}}, 100, 2},
        UtilizationRow{"HPA22_", {.usage = {150, 200, kNone}, .current = 10}, 100, 10},
        UtilizationRow{"HPA23_", {.usage = {200, 200, 200}, .current = 10}, 100, 6},
        UtilizationRow{"HPA24_", {.usage = std::vector<std::int64_t>(6, 80), .current = 2}, 100, 5},
        UtilizationRow{"HPA40_a", {.usage = {105, 105, 105}, .tolerance = {0.1, 0.05}}, 100, 3},
        UtilizationRow{"HPA40_b", {.usage = {106, 106, 106}, .tolerance = {0.1, 0.05}}, 100, 4},
        UtilizationRow{"HPA41_",
                       {.usage = std::vector<std::int64_t>(100, 99), .tolerance = {0, 0.1}},
                       100,
                       99}),
    [](const auto& info) { return std::string(info.param.row) + "Utilization"; });

TEST(CalculatorTest, HPA25_PodsMetricIsTheAverageOfValues) {
  EXPECT_EQ(Calculation({.usage = {20'000, 10'000, 30'000}}).average(10'000), 6);
}

TEST(CalculatorTest, HPA26_MissingPodCountsAsIdleAboveTheTarget) {
  EXPECT_EQ(Calculation({.usage = {20'000, 20'000, kNone}}).average(10'000), 4);
}

TEST(CalculatorTest, HPA27_MissingPodCountsAsTheTargetBelowIt) {
  EXPECT_EQ(Calculation({.usage = {2'000, 2'000, kNone}}).average(10'000), 2);
}

TEST(CalculatorTest, HPA28_PendingPodCountsAsIdle) {
  EXPECT_EQ(Calculation({.usage = {25'000, 25'000, kUnready}}).average(10'000), 5);
}

TEST(CalculatorTest, HPA29_ForeignValueCounts) {
  EXPECT_EQ(Calculation({.usage = {1'000, 1'000, 1'000}, .foreign = 100'000}).average(10'000), 8);
}

TEST(CalculatorTest, HPA30_ForeignValueAloneTurnsTheDirectionAndChangesNothing) {
  EXPECT_EQ(Calculation({.usage = {kNone, kNone, kNone}, .foreign = 20'000}).average(10'000), 3);
}

TEST(CalculatorTest, HPA31_ValueOfAnObjectTimesReadyPods) {
  const Calculation three({.usage = {0, 0, 0}});
  EXPECT_EQ(three.calculator().by_value(three.pods(), 200, 100)->replicas, 6);
}

TEST(CalculatorTest, HPA32_OnlyReadyPodsCountForAValue) {
  const Calculation three({.usage = {0, 0, 0}});
  std::vector<PodFacts> pods = three.pods();
  pods[0].ready = PodFacts::Ready::kFalse;
  pods[1].is_running = false;
  EXPECT_EQ(three.calculator().by_value(pods, 20'000, 4'000)->replicas, 5);
}

TEST(CalculatorTest, HPA33_ValueWithinTheToleranceKeepsTheNumber) {
  const Calculation three({.usage = {0, 0, 0}});
  EXPECT_EQ(three.calculator().by_value(three.pods(), 10'500, 10'000)->replicas, 3);
}

TEST(CalculatorTest, HPA34_AverageValueOfAnObjectIsSharedByThePods) {
  const Proposal proposal =
      Calculation({.usage = {0, 0, 0}}).calculator().by_average_value(20'000, 4'000);
  EXPECT_EQ(proposal.replicas, 5);
  EXPECT_EQ(proposal.milli, 6'667);
}

TEST(CalculatorTest, HPA35_AverageValueWithinTheToleranceKeepsTheNumber) {
  const Proposal proposal =
      Calculation({.usage = {0, 0, 0}}).calculator().by_average_value(13'000, 4'000);
  EXPECT_EQ(proposal.replicas, 3);
  EXPECT_EQ(proposal.milli, 4'334);
}

TEST(CalculatorTest, HPA36_ExternalValueTimesReadyPods) {
  const Calculation three({.usage = {0, 0, 0}});
  EXPECT_EQ(three.calculator().by_value(three.pods(), 25'000, 10'000)->replicas, 8);
}

TEST(CalculatorTest, HPA37_ExternalAverageValueNeedsNoPods) {
  EXPECT_EQ(Calculation({.usage = {0, 0, 0}}).calculator().by_average_value(20'000, 4'000).replicas,
            5);
}

TEST(CalculatorTest, HPA38_ExternalAverageValueWithoutCountedPodsShowsTheValue) {
  const ReplicaCalculator calculator({}, {.current = 3, .counted = 0});
  const Proposal proposal = calculator.by_average_value(20'000, 4'000);
  EXPECT_EQ(proposal.replicas, 5);
  EXPECT_EQ(proposal.milli, 20'000) << "D2";
}

TEST(CalculatorTest, HPA39_FromZeroAValueNeedsNeitherToleranceNorPods) {
  const ReplicaCalculator calculator({}, {.current = 0, .counted = 0});
  EXPECT_EQ(calculator.by_value({}, 25'000, 10'000)->replicas, 3);
}

TEST(CalculatorTest, NumbersBeyondTheirTypesStopAtTheEnds) {
  const std::int64_t most = INT64_MAX;
  const Calculation huge({.usage = {most, most, most}});
  const Result<Proposal> used = huge.utilization(1);
  EXPECT_EQ(used->replicas, INT32_MAX);
  EXPECT_EQ(used->milli, most);
  EXPECT_EQ(used->utilization, INT32_MAX);
  EXPECT_EQ(huge.average(1), INT32_MAX);
  EXPECT_EQ(huge.calculator().by_value(huge.pods(), most, 1)->replicas, INT32_MAX);
  EXPECT_EQ(huge.calculator().by_average_value(most, 1).replicas, INT32_MAX);
}

TEST(CalculatorTest, RatioThatIsNoNumberKeepsTheReplicas) {
  const Calculation idle({.usage = {0, 0, 0}});
  EXPECT_EQ(idle.percent(0), 3) << "D9";
  EXPECT_EQ(idle.average(0), 3);
  EXPECT_EQ(idle.calculator().by_value(idle.pods(), 0, 0)->replicas, 3);
  EXPECT_EQ(idle.calculator().by_average_value(0, 0).replicas, 3);
}

TEST(CalculatorTest, NegativeValuesProposeNothingAbove) {
  EXPECT_LE(Calculation({.usage = {0, 0}, .foreign = -5'000}).average(10'000), 2);
}

}  // namespace
}  // namespace davit::podautoscaler
