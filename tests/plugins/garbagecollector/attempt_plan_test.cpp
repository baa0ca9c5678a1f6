/// Who is deleted, and how; pure.
#include "plugins/garbagecollector/attempt_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/garbagecollector/graph_builder.hpp"

namespace davit::garbage {
namespace {

using ::testing::ElementsAre;

constexpr Standing kSolid = Standing::kSolid;
constexpr Standing kWaiting = Standing::kWaiting;
constexpr Standing kDangling = Standing::kDangling;

LiveObject live_with(std::size_t owners, std::vector<std::string> finalizers = {}) {
  LiveObject out;
  for (std::size_t i = 0; i < owners; ++i) out.owners.push_back(reference(std::to_string(i)));
  out.finalizers = std::move(finalizers);
  return out;
}

struct AttemptCase {
  const char* name;
  std::vector<Standing> standings;
  DependentsState dependents;
  Attempt::Step step;
  Propagation policy;
};

TEST(AttemptPlanTest, OwnersDecide) {
  const DependentsState none;
  const DependentsState some = {.are_there = true};
  const DependentsState cycle = {.are_there = true, .some_delete_theirs = true};
  using enum Attempt::Step;
  const AttemptCase cases[] = {
      {"a solid owner holds", {kSolid, kSolid}, some, kNothing, Propagation::kBackground},
      {"a solid owner remains", {kSolid, kDangling}, none, kDropOwners, Propagation::kBackground},
      {"waiting beside solid", {kWaiting, kSolid}, cycle, kDropOwners, Propagation::kBackground},
      {"none is left", {kDangling, kDangling}, cycle, kDelete, Propagation::kBackground},
      {"waiting, no dependents", {kWaiting}, none, kDelete, Propagation::kBackground},
      {"waiting, with dependents", {kWaiting}, some, kDelete, Propagation::kForeground},
      {"perhaps a cycle",
       {kWaiting, kDangling},
       cycle,
       kUnblockAndDelete,
       Propagation::kForeground},
  };
  for (const AttemptCase& each : cases) {
    const Attempt plan =
        plan_attempt(live_with(each.standings.size()), each.standings, each.dependents);
    EXPECT_EQ(plan.step, each.step) << each.name;
    EXPECT_EQ(plan.policy, each.policy) << each.name;
  }
}

TEST(AttemptPlanTest, DanglingReferencesAreNamedBeforeWaitingOnes) {
  const Attempt plan = plan_attempt(live_with(3), {kWaiting, kDangling, kSolid}, {});
  EXPECT_THAT(plan.uids, ElementsAre("1-uid", "0-uid"));
}

TEST(AttemptPlanTest, TheObjectsOwnFinalizersChooseThePolicy) {
  const auto policy = [](std::vector<std::string> finalizers) {
    return plan_attempt(live_with(1, std::move(finalizers)), {kDangling}, {}).policy;
  };
  EXPECT_EQ(policy({"x/y"}), Propagation::kBackground);
  EXPECT_EQ(policy({"foregroundDeletion"}), Propagation::kForeground);
  EXPECT_EQ(policy({"foregroundDeletion", "orphan"}), Propagation::kOrphan);
}

TEST(AttemptPlanTest, AnOwnerWaitsOnlyWhileItIsDeletedInForeground) {
  LiveObject owner;
  owner.uid = "o-uid";
  EXPECT_EQ(standing_of(reference("o"), owner), kSolid);
  owner.finalizers = {"foregroundDeletion"};
  EXPECT_EQ(standing_of(reference("o"), owner), kSolid) << "not deleted";
  owner.is_being_deleted = true;
  EXPECT_EQ(standing_of(reference("o"), owner), kWaiting);
  owner.finalizers = {"orphan"};
  EXPECT_EQ(standing_of(reference("o"), owner), kSolid);
  EXPECT_EQ(standing_of(reference("p"), owner), kDangling) << "another UID";
}

TEST(AttemptPlanTest, OnlyAChangeThatLeavesTheOwnersIsIgnored) {
  LiveObject read = live_with(1);
  read.uid = "a";
  read.resource_version = "1";
  LiveObject now = read;
  EXPECT_FALSE(is_same_but_newer(read, now)) << "the conflict has another reason";
  now.resource_version = "2";
  EXPECT_TRUE(is_same_but_newer(read, now));
  now.owners[0].blocks = false;
  EXPECT_FALSE(is_same_but_newer(read, now));
  now.owners = read.owners;
  now.uid = "b";
  EXPECT_FALSE(is_same_but_newer(read, now));
}

}  // namespace
}  // namespace davit::garbage
