#include "sandbox/metrics/metric_board.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

constexpr Time kStart{std::chrono::hours(1)};

std::vector<MetricRule> rules(int count) {
  std::vector<MetricRule> out;
  for (int i = 0; i < count; ++i) {
    Result<std::vector<MetricRule>> one = parse_metric_rules(
        json_literal(R"({"type":"external","namespace":"d","metric":"q","value":1})"));
    out.push_back(std::move(one->front()));
  }
  return out;
}

TEST(MetricBoardTest, TooManyRulesAreRefusedAltogether) {
  MetricBoard board({}, {.rules_max = 3});
  ASSERT_TRUE(board.add(rules(2), kStart));
  const Result<MetricRules> refused = board.add(rules(2), kStart);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kThrottled);
  EXPECT_EQ(board.rules()->size(), 2u);
  EXPECT_EQ(board.add(rules(1), kStart)->front()->id, 3u);
}

TEST(MetricBoardTest, LargeRulesAreRefused) {
  MetricBoard board({}, {.bytes_max = 100});
  ASSERT_TRUE(board.add(rules(1), kStart));
  EXPECT_EQ(board.add(rules(1), kStart).error().code(), Code::kThrottled);
  EXPECT_TRUE(board.set(rules(1), kStart)) << "the old one goes";
}

TEST(MetricBoardTest, ReplacedRuleKeepsItsPlaceAndBeginsAgain) {
  MetricBoard board;
  ASSERT_TRUE(board.add(rules(2), kStart));
  const Time later = kStart + std::chrono::seconds(5);
  ASSERT_TRUE(board.replace(1, std::move(rules(1).front()), later).ok());
  EXPECT_EQ(board.rules()->front()->id, 1u);
  EXPECT_EQ(board.rules()->front()->added, later);
  EXPECT_EQ(board.replace(9, std::move(rules(1).front()), later).code(), Code::kNotFound);
}

TEST(MetricBoardTest, LoadsEndAndAreBounded) {
  MetricBoard board({}, {.loads_max = 1});
  PodLoad load;
  load.until = kStart + std::chrono::seconds(10);
  ASSERT_TRUE(board.add_load(load, kStart).ok());
  EXPECT_EQ(board.add_load(load, kStart).code(), Code::kThrottled);
  EXPECT_EQ(board.loads(kStart).size(), 1u);
  EXPECT_EQ(board.loads(load.until).size(), 0u);
  EXPECT_TRUE(board.add_load(load, load.until).ok()) << "what has ended counts no longer";
}

}  // namespace
}  // namespace davit::sandbox
