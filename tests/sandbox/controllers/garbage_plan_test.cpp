#include "sandbox/controllers/garbage_plan.hpp"

#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

using enum OwnerState;
using Step = GarbagePlan::Step;
using Policy = PropagationPolicy;

constexpr DependentsState kNone{};
constexpr DependentsState kOne{1, 0, false};
constexpr DependentsState kOneBlocks{1, 1, false};
constexpr DependentsState kCircle{1, 1, true};

struct Case {
  const char* name;
  bool deleting;
  std::vector<std::string> finalizers;
  std::vector<OwnerState> owners;
  DependentsState dependents;
  Step step;
  Policy policy = Policy::kBackground;
};

const Case kCases[] = {
    {"NobodysObjectStays", false, {}, {}, kOne, Step::kNothing},
    {"OwnedObjectStays", false, {}, {kPresent}, kNone, Step::kNothing},
    {"OneOfTwoOwnersIsEnough", false, {}, {kPresent, kAbsent}, kNone, Step::kKeepOwners},
    {"OneOfTwoOwnersWaits", false, {}, {kWaiting, kPresent}, kNone, Step::kKeepOwners},
    {"OrphanedByDeathGoes", false, {}, {kAbsent}, kNone, Step::kDelete},
    {"AllOwnersMustBeGone", false, {}, {kAbsent, kAbsent}, kNone, Step::kDelete},
    {"UnknownKindIsLeftAlone", false, {}, {kUnknown}, kNone, Step::kNothing},
    {"UnknownKindKeepsAll", false, {}, {kUnknown, kAbsent}, kNone, Step::kNothing},
    {"DyingObjectIsLeftAlone", true, {"x"}, {kAbsent}, kNone, Step::kNothing},
    {"OwnFinalizerChoosesOrphan",
     false,
     {"orphan"},
     {kAbsent},
     kOne,
     Step::kDelete,
     Policy::kOrphan},
    {"OwnFinalizerChoosesForeground",
     false,
     {"foregroundDeletion"},
     {kAbsent},
     kOne,
     Step::kDelete,
     Policy::kForeground},
    {"WaitingOwnerTakesALeaf", false, {}, {kWaiting}, kNone, Step::kDelete},
    {"WaitingOwnerTakesATree", false, {}, {kWaiting}, kOne, Step::kDelete, Policy::kForeground},
    {"CircleIsUnblocked",
     false,
     {},
     {kWaiting},
     kCircle,
     Step::kUnblockAndDelete,
     Policy::kForeground},
    {"ForegroundWaitsForBlockers", true, {"foregroundDeletion"}, {}, kOneBlocks, Step::kNothing},
    {"ForegroundIgnoresOthers", true, {"foregroundDeletion"}, {}, kOne, Step::kDropFinalizer},
    {"ForegroundIsOver", true, {"foregroundDeletion"}, {kAbsent}, kNone, Step::kDropFinalizer},
    {"OrphaningFreesDependents", true, {"orphan"}, {}, kOne, Step::kFreeDependents},
    {"OrphaningIsOver", true, {"orphan"}, {}, kNone, Step::kDropFinalizer},
    {"FinalizerOfALivingObjectWaits", false, {"orphan"}, {}, kOne, Step::kNothing},
};

TEST(GarbagePlanTest, EveryObjectGetsWhatItDeserves) {
  for (const Case& each : kCases) {
    ObjectMeta meta;
    meta.deleting = each.deleting;
    meta.finalizers = each.finalizers;
    meta.owners.resize(each.owners.size());
    for (OwnerReference& owner : meta.owners) owner.blocks = true;
    const GarbagePlan plan = plan_garbage(meta, each.owners, each.dependents);
    EXPECT_EQ(plan.step, each.step) << each.name;
    EXPECT_EQ(plan.policy, each.policy) << each.name;
  }
}

TEST(GarbagePlanTest, OnlyLivingOwnersAreKept) {
  ObjectMeta meta;
  meta.owners = {{"v1", "ConfigMap", "a", "1", false}, {"v1", "ConfigMap", "b", "2", false}};
  const GarbagePlan plan = plan_garbage(meta, {kAbsent, kPresent}, kNone);
  ASSERT_EQ(plan.owners.size(), 1u);
  EXPECT_EQ(plan.owners[0].uid, "2");
}

TEST(GarbagePlanTest, UnblockedOwnersAreAllStillThere) {
  ObjectMeta meta;
  meta.owners = {{"v1", "ConfigMap", "a", "1", true}};
  const GarbagePlan plan = plan_garbage(meta, {kWaiting}, kCircle);
  ASSERT_EQ(plan.owners.size(), 1u);
  EXPECT_FALSE(plan.owners[0].blocks);
}

}  // namespace
}  // namespace davit::sandbox
