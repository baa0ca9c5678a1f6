#include "plugins/deployment/history_plan.hpp"

#include <gtest/gtest.h>

#include "tests/plugins/deployment/facts_builder.hpp"

namespace davit::deployment {
namespace {

using Places = std::vector<std::size_t>;

RolloutFacts keeping(std::int64_t limit) {
  RolloutFacts rollout = rolling({1, 1, 0});
  rollout.history_limit = limit;
  return rollout;
}

TEST(HistoryPlanTest, D83LowestRevisionsGoFirst) {
  Sets sets({{0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 1}});
  sets[0].revision = 3;
  sets[1].revision = 1;
  sets[2].revision = 4;
  sets[3].revision = 2;
  EXPECT_EQ(plan_history_cleanup(keeping(2), sets.list()), (Places{1, 3}));
}

TEST(HistoryPlanTest, D84SetWithReplicasIsSkippedAndNoOtherGoesInItsStead) {
  const Sets sets({{1, 1}, {0, 0}, {0, 0}, {1, 1}});
  EXPECT_EQ(plan_history_cleanup(keeping(1), sets.list()), (Places{1}));
}

TEST(HistoryPlanTest, D85NothingGoesWithoutALimit) {
  const Sets sets({{0, 0}, {0, 0}, {0, 0}, {1, 1}});
  EXPECT_TRUE(plan_history_cleanup(rolling({1, 1, 0}), sets.list()).empty());
}

TEST(HistoryPlanTest, D86SetBeingDeletedIsNeitherCountedNorDeletedAgain) {
  Sets sets({{0, 0}, {0, 0}, {1, 1}});
  sets[0].deleting = true;
  EXPECT_TRUE(plan_history_cleanup(keeping(1), sets.list()).empty());
  EXPECT_EQ(plan_history_cleanup(keeping(0), sets.list()), (Places{1}));
}

TEST(HistoryPlanTest, D82WaitsUntilTheSetsControllerSawItEmpty) {
  Sets sets({{0, 0}, {1, 1}});
  sets[0].existing = 1;
  EXPECT_TRUE(plan_history_cleanup(keeping(0), sets.list()).empty());
  sets[0].existing = 0;
  sets[0].generation = 2;
  EXPECT_TRUE(plan_history_cleanup(keeping(0), sets.list()).empty()) << "status is about the past";
  sets[0].observed_generation = 2;
  EXPECT_EQ(plan_history_cleanup(keeping(0), sets.list()), (Places{0}));
}

TEST(HistoryPlanTest, UnreadableRevisionFallsBackToAge) {
  Sets sets({{0, 0}, {0, 0}, {0, 0}, {1, 1}});
  sets[0].revision = std::nullopt;
  sets[1].revision = 2;
  sets[2].revision = 1;
  EXPECT_EQ(plan_history_cleanup(keeping(2), sets.list()), (Places{0}));
}

}  // namespace
}  // namespace davit::deployment
