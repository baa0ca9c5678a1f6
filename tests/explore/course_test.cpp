#include "testing/explore/course.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace davit::explore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::uint64_t kStep = 1;   // The scenario adds a set.
constexpr std::uint64_t kRest = 2;   // Two syncs follow, the first of which makes two pods.
constexpr std::uint64_t kLater = 3;  // And one more.

PassedPoint turn(int number, std::uint64_t moment, std::size_t sets, std::size_t pods) {
  PassedPoint out;
  out.point = Point::kTurn;
  out.number = number;
  out.moment = moment;
  out.changed = {{"pods", pods}, {"sets", sets}};
  return out;
}

RunResult undisturbed() {
  RunResult run;
  run.watched = {"pods", "sets"};
  run.made = {{"sets", 0}, {"sets", kStep}, {"pods", kRest}, {"pods", kRest}, {"sets", kRest}};
  run.made_before_start = 1;
  run.points = {turn(1, kRest, 2, 0), turn(2, kRest, 2, 2), turn(3, kLater, 3, 2)};
  return run;
}

/// The turns of a stop and how many changes the caches lack there.
std::vector<std::pair<int, int>> turns_of(const Course::Stop& stop) {
  std::vector<std::pair<int, int>> out;
  for (const auto& each : stop.turns) out.emplace_back(each.number, each.behind);
  return out;
}

TEST(CourseTest, EachKindOfManyPointsHasEvenlySpacedOnes) {
  constexpr int kReads = 8192;
  RunResult run;
  for (int i = 1; i <= kReads; ++i) {
    for (const char* const what : {"get pods", "patch pods"}) {
      run.points.emplace_back();
      run.points.back().number = 2 * i - (what[0] == 'g' ? 1 : 0);
      run.points.back().what = what;
    }
  }
  run.points.emplace_back();
  run.points.back().what = "delete pods";
  std::map<std::string, std::vector<int>> numbers;
  for (const PassedPoint* each : Course(run).points()) {
    numbers[each->what].push_back(each->number);
  }
  EXPECT_EQ(numbers["patch pods"].size(), numbers["get pods"].size());
  EXPECT_EQ(numbers["delete pods"].size(), 1U);
  ASSERT_GE(numbers["patch pods"].size(), 2U);
  EXPECT_LT(numbers["patch pods"].size(), 2048U);
  EXPECT_EQ(numbers["patch pods"][1] - numbers["patch pods"][0],
            numbers["get pods"][1] - numbers["get pods"][0]);
}

TEST(CourseTest, EachOfFewPointsIsTried) {
  const RunResult run = undisturbed();
  EXPECT_EQ(Course(run).points().size(), run.points.size());
}

TEST(CourseTest, CachesStopBeforeEachChangeUntilNothingElseIsLeftToDo) {
  const RunResult run = undisturbed();
  const std::vector<Course::Stop> stops = Course(run).stops("");
  ASSERT_EQ(stops.size(), 4U) << "the first change is there when the controllers start";
  EXPECT_THAT(turns_of(stops[0]), ElementsAre(Pair(1, 1), Pair(2, 3), Pair(3, 4)));
  EXPECT_THAT(turns_of(stops[1]), ElementsAre(Pair(2, 2), Pair(3, 3)));
  EXPECT_THAT(turns_of(stops[2]), ElementsAre(Pair(2, 1), Pair(3, 2)));
  EXPECT_THAT(turns_of(stops[3]), ElementsAre(Pair(3, 1))) << "no turn of its moment follows";
}

TEST(CourseTest, CachesThatAreHeldAtATurnAreNoOtherStop) {
  const RunResult run = undisturbed();
  const std::vector<Course::Stop> stops = Course(run).stops("");
  EXPECT_FALSE(stops[0].is_at_turn) << "no turn comes between the start and the step";
  EXPECT_TRUE(stops[1].is_at_turn);
  EXPECT_FALSE(stops[2].is_at_turn) << "one pod of two";
  EXPECT_TRUE(stops[0].is_met && stops[1].is_met && stops[2].is_met);
  EXPECT_FALSE(stops[3].is_met);
}

TEST(CourseTest, OneCacheStopsBeforeEachChangeOfItsResource) {
  const RunResult run = undisturbed();
  const std::vector<Course::Stop> stops = Course(run).stops("pods");
  ASSERT_EQ(stops.size(), 2U);
  EXPECT_THAT(turns_of(stops[0]), ElementsAre(Pair(2, 2), Pair(3, 2)));
  EXPECT_THAT(turns_of(stops[1]), ElementsAre(Pair(2, 1), Pair(3, 1)));
}

TEST(CourseTest, AWriteMayBeLackedWithEachPrefixOfWhatCameBefore) {
  const RunResult run = undisturbed();
  PassedPoint write = turn(1, kRest, 2, 1);
  write.point = Point::kRequest;
  write.own = {"pods"};
  const Course course(run);
  EXPECT_THAT(course.lacks(write, ""), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(course.lacks(write, "sets"), ElementsAre(1, 2));
  EXPECT_THAT(course.lacks(write, "pods"), IsEmpty()) << "all caches lack the same";
}

TEST(CourseTest, EvenlySpacedChangesStandForMany) {
  EXPECT_EQ(stride_of(255), 1U);
  EXPECT_EQ(stride_of(100'000), 391U);
}

}  // namespace
}  // namespace davit::explore
