#include "plugins/serviceaccount/cleanup_plan.hpp"

#include <davit/kube/time.hpp>

#include "tests/plugins/serviceaccount/fixture.hpp"

namespace davit::serviceaccount {
namespace {

using namespace std::chrono_literals;

TEST(CleanupPlanTest, ADayHasTenCharactersAndExists) {
  ASSERT_TRUE(parse_day("2024-02-29"));
  EXPECT_EQ(format_time(*parse_day("2024-02-29")), "2024-02-29T00:00:00Z");
  for (const char* none : {"", "x", "2024-2-29", "2023-02-29", "2024-13-01", "2024-00-10",
                           "2024-02-2x", "2024-02-29T", " 2024-2-29", "20240-2-29"}) {
    EXPECT_FALSE(parse_day(none)) << none;
  }
  EXPECT_EQ(day_text(*parse_time("2024-02-29T23:59:59Z")), "2024-02-29");
}

TEST(CleanupPlanTest, ThePeriodIsCountedFromTheNextDay) {
  const WallTime since = *parse_day("2024-04-29");
  const WallTime last = *parse_time("2024-05-02T00:00:00Z");
  EXPECT_FALSE(is_tracked_long_enough(since, last - 1ns, 48h));
  EXPECT_TRUE(is_tracked_long_enough(since, last, 48h));
}

TEST(CleanupPlanTest, AbsurdPeriodsStayWithinTheClock) {
  testing::Cluster cluster;
  const auto secret = cluster.view_of<TokenSecret>(R"({"metadata":{"name":"t"}})");
  const Duration longest = std::chrono::hours(24 * 365 * 290);
  EXPECT_EQ(fate_of(secret, std::nullopt, cluster.wall_now(), longest), TokenFate::kKept);
  EXPECT_FALSE(is_tracked_long_enough(*parse_day("2020-01-01"), cluster.wall_now(), longest));
}

/// A token "t" with these metadata of an account that names it.
TokenFate fate(testing::Cluster& cluster, const std::string& metadata) {
  const auto secret = cluster.view_of<TokenSecret>(
      R"({"metadata":{"name":"t","annotations":{"kubernetes.io/service-account.name":"s"},)" +
      metadata + "}}");
  const auto account = cluster.view_of<ServiceAccount>(
      R"({"metadata":{"name":"s","uid":"1"},"secrets":[{"name":"t"}]})");
  return fate_of(secret, account, cluster.wall_now(), 48h);
}

TEST(CleanupPlanTest, TheBoundIsExact) {
  testing::Cluster cluster;  // Noon of 2024-05-01, so the bound is noon of 2024-04-29.
  const auto created = [](const char* time) {
    return R"("creationTimestamp":")" + std::string(time) + "\"";
  };
  EXPECT_EQ(fate(cluster, created("2024-04-29T11:59:59Z")), TokenFate::kMarked);
  EXPECT_EQ(fate(cluster, created("2024-04-29T12:00:00Z")), TokenFate::kKept);
  EXPECT_EQ(fate(cluster, R"("labels":{})"), TokenFate::kMarked) << "older than any other";
  EXPECT_EQ(fate(cluster, created("2020-01-01T00:00:00Z") +
                              R"(,"deletionTimestamp":"2024-05-01T00:00:00Z")"),
            TokenFate::kKept);
  const auto marked = [](const char* day) {
    return R"("labels":{"kubernetes.io/legacy-token-invalid-since":")" + std::string(day) + "\"}";
  };
  EXPECT_EQ(fate(cluster, marked("2024-04-28")), TokenFate::kDeleted);
  EXPECT_EQ(fate(cluster, marked("2024-04-29")), TokenFate::kKept);
  const auto used = [](const char* day) {
    return R"("labels":{"kubernetes.io/legacy-token-last-used":")" + std::string(day) + "\"}";
  };
  EXPECT_EQ(fate(cluster, used("2024-04-28")), TokenFate::kMarked);
  EXPECT_EQ(fate(cluster, used("2024-04-29")), TokenFate::kKept);
}

}  // namespace
}  // namespace davit::serviceaccount
