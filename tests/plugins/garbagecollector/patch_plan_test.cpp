/// The bodies of patches, byte by byte; pure.
#include "plugins/garbagecollector/patch_plan.hpp"

#include <gtest/gtest.h>

#include "tests/plugins/garbagecollector/graph_builder.hpp"

namespace davit::garbage {
namespace {

LiveObject live() {
  LiveObject out;
  out.uid = "d";
  out.resource_version = "7";
  out.owners = {blocking_reference("a"), reference("b")};
  out.finalizers = {"x/y", "orphan"};
  return out;
}

TEST(PatchPlanTest, OwnersGoByTheirUids) {
  EXPECT_EQ(drop_owners_patch("d", {"a-uid", "b-uid"}),
            R"({"metadata":{"uid":"d","ownerReferences":[{"$patch":"delete","uid":"a-uid"},)"
            R"({"$patch":"delete","uid":"b-uid"}]}})");
}

TEST(PatchPlanTest, AMergePatchHasTheRemainingReferencesOrNull) {
  EXPECT_EQ(drop_owners_merge(live(), {"b-uid"}),
            R"({"metadata":{"resourceVersion":"7","ownerReferences":[{"apiVersion":"v1",)"
            R"("kind":"ConfigMap","name":"a","uid":"a-uid","blockOwnerDeletion":true}]}})");
  EXPECT_EQ(drop_owners_merge(live(), {"a-uid", "b-uid"}),
            R"({"metadata":{"resourceVersion":"7","ownerReferences":null}})");
}

TEST(PatchPlanTest, OnlyWhatBlocksIsUnblocked) {
  LiveObject blocked = live();
  blocked.owners.front().controller = true;
  EXPECT_EQ(unblock_patch(blocked),
            R"({"metadata":{"uid":"d","resourceVersion":"7","ownerReferences":[)"
            R"({"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"a-uid",)"
            R"("controller":true,"blockOwnerDeletion":false}]}})");
  blocked.owners = {reference("b")};
  EXPECT_EQ(unblock_patch(blocked), R"({"metadata":{"uid":"d"}})");
}

TEST(PatchPlanTest, AMergePatchUnblocksEveryReference) {
  EXPECT_EQ(unblock_merge(live()),
            R"({"metadata":{"resourceVersion":"7","ownerReferences":[{"apiVersion":"v1",)"
            R"("kind":"ConfigMap","name":"a","uid":"a-uid","blockOwnerDeletion":false},)"
            R"({"apiVersion":"v1","kind":"ConfigMap","name":"b","uid":"b-uid",)"
            R"("blockOwnerDeletion":false}]}})");
}

TEST(PatchPlanTest, OtherFinalizersStay) {
  EXPECT_EQ(drop_finalizer_merge(live(), "orphan"),
            R"({"metadata":{"resourceVersion":"7","finalizers":["x/y"]}})");
  LiveObject last = live();
  last.finalizers = {"orphan"};
  EXPECT_EQ(drop_finalizer_merge(last, "orphan"),
            R"({"metadata":{"resourceVersion":"7","finalizers":null}})");
}

}  // namespace
}  // namespace davit::garbage
