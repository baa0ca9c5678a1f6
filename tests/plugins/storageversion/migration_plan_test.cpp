/// The pure rules of migrations. X8, and the order of D1.
#include "plugins/storageversion/migration_plan.hpp"

#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>

namespace davit::storageversion {
namespace {

TEST(MigrationPlanTest, VersionsAreWholeNumbersOfAnyLength) {
  EXPECT_TRUE(std::is_lt(*compare_versions("9", "10")));
  EXPECT_TRUE(std::is_gt(*compare_versions("123456789012345678901", "99999999999999999999")));
  EXPECT_TRUE(std::is_eq(*compare_versions("12", "12")));
  for (const char* bad : {"", "0", "012", "x", "1x", "-1"}) {
    EXPECT_FALSE(compare_versions(bad, "1")) << bad;
    EXPECT_FALSE(compare_versions("1", bad)) << bad;
    EXPECT_EQ(version_error(bad), "resource version is not well formed: " + std::string(bad));
  }
  EXPECT_EQ(version_error("10"), "");
}

TEST(MigrationPlanTest, TheOldestWaitingMigrationStartsAndOneOfOneSecondByName) {
  testing::Cluster cluster;
  const auto of = [&](const std::string& name, const std::string& created) {
    return cluster.view_of<Migration>(R"({"metadata":{"name":")" + name +
                                      R"(","creationTimestamp":")" + created + R"("}})");
  };
  const RunnerPlan plan =
      plan_run({of("c", "2024-05-01T12:00:01Z"), of("b", "2024-05-01T12:00:00Z"),
                of("a", "2024-05-01T12:00:00Z")});
  ASSERT_TRUE(plan.to_start);
  EXPECT_EQ(plan.to_start->name(), "a");
}

}  // namespace
}  // namespace davit::storageversion
