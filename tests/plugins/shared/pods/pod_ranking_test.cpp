#include "plugins/shared/pods/pod_ranking.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace davit::pods {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr WallTime kNow{std::chrono::seconds{1'800'000'000}};
constexpr WallTime kMonthAgo = kNow - hours{24 * 30};

/// A pod of which nothing but its fields differs from any other.
PodRank pending(std::string_view node) { return {.uid = "m", .node = node, .created = kMonthAgo}; }

PodRank running(std::string_view node) {
  PodRank pod = pending(node);
  pod.progress = PodProgress::kRunning;
  return pod;
}

PodRank ready_for(std::chrono::nanoseconds age) {
  PodRank pod = running("n1");
  pod.ready = true;
  pod.ready_since = kNow - age;
  return pod;
}

PodRank ready() { return ready_for(hours{1}); }

PodRank with(PodRank pod, std::int64_t PodRank::*field, std::int64_t value) {
  pod.*field = value;
  return pod;
}

PodRank costing(PodRank pod, std::string_view annotation) {
  pod.deletion_cost = parse_deletion_cost(annotation);
  return pod;
}

PodRank named(PodRank pod, std::string_view uid) {
  pod.uid = uid;
  return pod;
}

PodRank crowded(PodRank pod, std::size_t neighbours) {
  pod.neighbours = neighbours;
  return pod;
}

PodRank ready_at_unknown_time() {
  PodRank pod = ready();
  pod.ready_since.reset();
  return pod;
}

PodRank created(PodRank pod, std::optional<WallTime> when) {
  pod.created = when;
  return pod;
}

struct RankCase {
  const char* name;
  PodRank first;
  PodRank second;
};

std::vector<RankCase> rank_cases() {
  const auto restarts = &PodRank::restarts;
  const auto sidecar = &PodRank::sidecar_restarts;
  return {
      {"R45 UnscheduledBeforeScheduled", pending(""), pending("n1")},
      {"R46 PendingBeforeRunning", pending("n1"), running("n1")},
      {"R47 NotReadyBeforeReady", running("n1"), ready()},
      {"R48 TheLowerCostWhateverTheRestarts", costing(ready(), "100"),
       with(costing(ready(), "1000"), restarts, 5)},
      {"R49 MoreRestartsAtEqualCost", with(costing(ready(), "7"), restarts, 5),
       costing(ready(), "7")},
      {"R50 NegativeCostBeforeNone", costing(ready(), "-10"), ready()},
      {"R51 ACostWithPlusCountsAsNone", costing(ready(), "+10"), costing(ready(), "1")},
      {"R51 ACostWithLeadingZeroCountsAsNone", costing(ready(), "08"), costing(ready(), "1")},
      {"R52 NotReadyWhateverTheCost", costing(running("n1"), "1000"), costing(ready(), "1")},
      {"R53 TheNodeWithMoreNeighbours", crowded(ready(), 2), crowded(ready(), 1)},
      {"R55 ReadyNowBeforeReadyForAMonth", ready_for(seconds{0}), ready_for(hours{24 * 30})},
      {"R56 WithinOneBucketTheSmallerUid", named(ready_for(hours{8}), "a"),
       named(ready_for(hours{5}), "b")},
      {"R57 TheYoungerBucket", ready_for(hours{2}), ready_for(hours{5})},
      {"R58 AMissingReadyTime", ready_at_unknown_time(), ready()},
      {"R59 MoreSidecarRestartsAtEqualRestarts", with(ready(), sidecar, 9), ready()},
      {"R60 TheNewerCreation", created(ready(), kNow), ready()},
      {"PendingBeforeUnknown", pending("n1"),
       PodRank{.uid = "m", .node = "n1", .progress = PodProgress::kUnknown}},
      {"UnknownBeforeRunning", PodRank{.uid = "m", .node = "n1", .progress = PodProgress::kUnknown},
       running("n1")},
      {"DifferentReadyTimesHideTheRestarts", named(ready_for(hours{8}), "a"),
       named(with(ready_for(hours{5}), restarts, 50), "b")},
      {"ReadyTimesOfPodsThatAreNotReadyDoNotCount", with(running("n1"), restarts, 1),
       running("n1")},
      {"AMissingCreationTime", created(running("n1"), std::nullopt), running("n1")},
      {"WithinOneCreationBucketTheSmallerUid", named(created(running("n1"), kNow - hours{8}), "a"),
       named(created(running("n1"), kNow - hours{5}), "b")},
      {"OtherwiseTheSmallerUid", named(running("n1"), "a"), named(running("n1"), "b")},
  };
}

TEST(PodRankingTest, EachCriterionDecidesBothWays) {
  for (const RankCase& each : rank_cases()) {
    EXPECT_TRUE(ranks_before(each.first, each.second, kNow)) << each.name;
    EXPECT_FALSE(ranks_before(each.second, each.first, kNow)) << each.name;
  }
}

TEST(PodRankingTest, R61_TheLeastAdvancedPodsComeFirst) {
  PodRank on_n2 = ready();
  on_n2.node = "n2";
  const PodRank pods[] = {ready(), running("n1"), on_n2, pending(""), pending("n1")};

  const std::vector<std::size_t> order = deletion_order(pods, kNow);

  EXPECT_EQ(std::vector<std::size_t>(order.begin(), order.begin() + 3),
            (std::vector<std::size_t>{3, 4, 1}));
}

TEST(PodRankingTest, EveryOrderOfTheInputGivesTheSameOrder) {
  std::vector<PodRank> pods = {
      pending(""),           pending("n1"),
      running("n1"),         with(ready_for(hours{2}), &PodRank::restarts, 2),
      ready_for(hours{2}),   ready_for(hours{24}),
      ready_for(hours{1000})};
  std::vector<std::size_t> input(pods.size());
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = i;
  do {
    std::vector<PodRank> shuffled;
    for (const std::size_t i : input) shuffled.push_back(pods[i]);
    const std::vector<std::size_t> order = deletion_order(shuffled, kNow);
    for (std::size_t place = 0; place < order.size(); ++place) {
      ASSERT_EQ(input[order[place]], place);
    }
  } while (std::next_permutation(input.begin(), input.end()));
}

TEST(PodRankingTest, ACycleStillYieldsEachPodOnce) {
  // a before c and c before b by their UIDs, but b before a by its restarts.
  const PodRank a = named(ready_for(hours{5}), "b");
  const PodRank b = named(with(ready_for(hours{5}), &PodRank::restarts, 5), "z");
  const PodRank c = named(ready_for(hours{6}), "m");
  ASSERT_TRUE(ranks_before(a, c, kNow) && ranks_before(c, b, kNow) && ranks_before(b, a, kNow));
  std::vector<PodRank> pods;
  for (int i = 0; i < 100; ++i) pods.insert(pods.end(), {a, b, c});

  std::vector<std::size_t> order = deletion_order(pods, kNow);

  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
}

TEST(PodRankingTest, AgesShareABucketByPowersOfTwo) {
  EXPECT_EQ(age_bucket(kNow, kNow), -1);
  EXPECT_EQ(age_bucket(kNow + seconds{1}, kNow), -1);
  EXPECT_EQ(age_bucket(kNow - std::chrono::nanoseconds{1}, kNow), 0);
  EXPECT_EQ(age_bucket(kNow - std::chrono::nanoseconds{(std::int64_t{1} << 36) - 1}, kNow), 35);
  EXPECT_EQ(age_bucket(kNow - std::chrono::nanoseconds{std::int64_t{1} << 36}, kNow), 36);
  EXPECT_EQ(age_bucket(kNow - hours{2}, kNow), 42);
  EXPECT_EQ(age_bucket(kNow - hours{5}, kNow), 44);
  EXPECT_EQ(age_bucket(kNow - hours{8}, kNow), 44);
}

TEST(PodRankingTest, OnlyAPlainInt32IsADeletionCost) {
  constexpr struct {
    std::string_view text;
    std::int32_t cost;
  } kCases[] = {{"0", 0},           {"7", 7},
                {"-7", -7},         {"2147483647", 2147483647},
                {"2147483648", 0},  {"-2147483648", -2147483647 - 1},
                {"-2147483649", 0}, {"", 0},
                {"-", 0},           {"+10", 0},
                {"08", 0},          {"00", 0},
                {"-08", -8},        {" 1", 0},
                {"1 ", 0},          {"1.5", 0},
                {"one", 0}};
  for (const auto& each : kCases) {
    EXPECT_EQ(parse_deletion_cost(each.text), each.cost) << "'" << each.text << "'";
  }
}

TEST(PodRankingTest, AgeRatiosCompareReadyVictimsWithTheYoungestReadyPod) {
  const PodRank pods[] = {created(ready(), kNow - seconds{35}),
                          created(ready(), kNow - seconds{10}),
                          created(running("n1"), kNow - seconds{1})};
  const std::size_t victims[] = {0, 1, 2};

  EXPECT_EQ(deletion_age_ratios(pods, victims, kNow), (std::vector<double>{3, 1}));
}

TEST(PodRankingTest, AgeRatiosBearAPodBornThisInstant) {
  const PodRank pods[] = {created(ready(), kNow)};
  const std::size_t victims[] = {0};

  EXPECT_EQ(deletion_age_ratios(pods, victims, kNow), (std::vector<double>{0}));
}

TEST(PodRankingTest, ForAJobEachCriterionDecidesWhereTheEarlierOnesAreEqual) {
  std::vector<PodRank> order;
  const auto pod = [&](const auto& change) {
    PodRank rank;
    rank.node = "n";
    rank.progress = PodProgress::kRunning;
    rank.ready = true;
    rank.ready_since = kNow;
    rank.created = kNow;
    change(rank);
    order.push_back(rank);
  };
  pod([](PodRank& it) { it.node = ""; });
  pod([](PodRank& it) { it.progress = PodProgress::kPending; });
  pod([](PodRank& it) { it.progress = PodProgress::kUnknown; });
  pod([](PodRank& it) { it.ready = false; });
  pod([](PodRank& it) { it.ready_since.reset(); });
  pod([](PodRank& it) { it.ready_since = kNow + seconds{1}; });
  pod([](PodRank& it) { it.restarts = 2; });
  pod([](PodRank& it) { it.sidecar_restarts = 2; });
  pod([](PodRank& it) { it.created.reset(); });
  pod([](PodRank& it) { it.created = kNow + seconds{1}; });
  pod([](PodRank&) {});
  order.back().deletion_cost = -1;  // Not a criterion of Jobs.
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) {
      EXPECT_EQ(ranks_before(order[i], order[j]), i < j) << i << " and " << j;
    }
  }
}

}  // namespace
}  // namespace davit::pods
