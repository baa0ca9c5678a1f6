/// Owners that leave their dependents behind: GC22 to GC32.
#include "tests/plugins/garbagecollector/fixture.hpp"

namespace davit::garbage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using OrphanTest = GarbageTest;

TEST_F(OrphanTest, GC22_DependentsLoseTheirReferencesBeforeTheOwnerGoes) {
  const Thing o = create("o");
  std::vector<Thing> dependents;
  for (const char* name : {"d1", "d2", "d3"}) dependents.push_back(create_owned(name, {own(o)}));
  start();
  erase(o, "Orphan");
  const std::string version = read(o).text_at({"metadata", "resourceVersion"});
  run();
  EXPECT_FALSE(exists(o));
  for (const Thing& each : dependents) {
    EXPECT_TRUE(exists(each));
    EXPECT_THAT(owners(each), IsEmpty());
    ASSERT_EQ(patches(each.name).size(), 1U);
    EXPECT_EQ(patches(each.name)[0].patch_type, PatchType::kStrategic);
  }
  EXPECT_THAT(texts("o"), ElementsAre("get configmaps/o 200", "patch configmaps/o 200"));
  EXPECT_EQ(patches("o")[0].patch_type, PatchType::kMerge);
  EXPECT_EQ(patches("o")[0].body,
            R"({"metadata":{"resourceVersion":")" + version + R"(","finalizers":null}})");
  EXPECT_EQ(texts().back(), "patch configmaps/o 200") << "after the dependents";
}

TEST_F(OrphanTest, GC23_OtherOwnersStay) {
  const Thing o = create("o");
  const Thing p = create("p");
  const Thing d = create_owned("d", {own(o), own(p)});
  start();
  erase(o, "Orphan");
  run();
  EXPECT_THAT(owners(d), ElementsAre("p"));
}

TEST_F(OrphanTest, GC24_OtherFinalizersStay) {
  const Thing o = create("o", {.finalizers = R"(["x/y"])"});
  const Thing d = create_owned("d", {own(o)});
  start();
  erase(o, "Orphan");
  run();
  EXPECT_TRUE(is_being_deleted(o));
  EXPECT_THAT(finalizers(o), ElementsAre("x/y"));
  EXPECT_THAT(owners(d), IsEmpty());
}

TEST_F(OrphanTest, GC25_ReplicationControllersOrphanUnlessAskedOtherwise) {
  const Thing rc = create_in("/api/v1/namespaces/ns/replicationcontrollers",
                             R"({"apiVersion":"v1","kind":"ReplicationController",
                                 "metadata":{"name":"NAME"},"spec":{"selector":{"a":"b"},
                                 "template":{"metadata":{"labels":{"a":"b"}},
                                 "spec":{"containers":[{"name":"c","image":"i"}]}}}})",
                             "rc");
  const Thing p = create_pod("p", {.owners = list({own(rc)})});
  start();
  ASSERT_EQ(cluster().exchange({"DELETE", rc.path()}).http_status, 200);
  run();
  EXPECT_FALSE(exists(rc));
  EXPECT_TRUE(exists(p));
  EXPECT_THAT(owners(p), IsEmpty());
}

TEST_F(OrphanTest, GC26_OnlyTheNextInAChainIsFreed) {
  const Thing deployment = create("deployment");
  const Thing set = create_owned("set", {own(deployment)});
  const Thing p = create_pod("p", {.owners = list({own(set)})});
  start();
  erase(deployment, "Orphan");
  run();
  EXPECT_THAT(owners(set), IsEmpty());
  EXPECT_THAT(owners(p), ElementsAre("set"));
}

TEST_F(OrphanTest, GC27_CustomResourcesGetAMergePatch) {
  define_widgets();
  const Thing o = create("o");
  const Thing w = create_widget("w", {.owners = list({own(o)})});
  start();
  const std::string version = read(w).text_at({"metadata", "resourceVersion"});
  erase(o, "Orphan");
  run();
  EXPECT_FALSE(exists(o));
  EXPECT_THAT(owners(w), IsEmpty());
  std::vector<std::string> first = texts("w");
  ASSERT_GE(first.size(), 3U);
  first.resize(3);
  EXPECT_THAT(first,
              ElementsAre("patch widgets/w 415", "get widgets/w 200", "patch widgets/w 200"));
  EXPECT_EQ(patches("w")[1].body,
            R"({"metadata":{"resourceVersion":")" + version + R"(","ownerReferences":null}})");
}

TEST_F(OrphanTest, GC28_TheOwnerWaitsForEachDependent) {
  const Thing o = create("o");
  create_owned("d1", {own(o)});
  const Thing d2 = create_owned("d2", {own(o)});
  start();
  fail(Verb::kPatch, "d2", 500);
  erase(o, "Orphan");
  run();
  EXPECT_THAT(finalizers(o), ElementsAre("orphan"));
  advance(1s);
  EXPECT_FALSE(exists(o));
  EXPECT_THAT(owners(d2), IsEmpty());
  EXPECT_EQ(patches("d2").size(), 2U);
}

TEST_F(OrphanTest, ManyDependentsAreFreedInParts) {
  define_widgets();
  const Thing o = create("o");
  std::vector<Thing> dependents;
  for (int i = 0; i < 600; ++i) {
    const std::string name = "d" + std::to_string(i);
    // Custom resources on both sides of the parts' border.
    const bool is_custom = i % 100 == 7;
    dependents.push_back(is_custom ? create_widget(name, {.owners = list({own(o)})})
                                   : create_owned(name, {own(o)}));
  }
  start();
  erase(o, "Orphan");
  run();
  EXPECT_FALSE(exists(o));
  for (const Thing& each : dependents) EXPECT_THAT(owners(each), IsEmpty()) << each.name;
}

TEST_F(OrphanTest, GC29_ADependentThatIsGoneIsIgnored) {
  const Thing o = create("o");
  create_owned("d1", {own(o)});
  const Thing d2 = create_owned("d2", {own(o)});
  start();
  fail(Verb::kPatch, "d1", 404);
  fail(Verb::kGet, "d1", 404);
  erase(o, "Orphan");
  run();
  EXPECT_FALSE(exists(o));
  EXPECT_THAT(owners(d2), IsEmpty());
  EXPECT_EQ(patches("d2").size(), 1U);
}

TEST_F(OrphanTest, GC30_AnOwnerWithoutDependentsGoes) {
  const Thing o = create("o");
  start();
  erase(o, "Orphan");
  run();
  EXPECT_FALSE(exists(o));
}

TEST_F(OrphanTest, GC31_ForegroundDeletionMayBecomeOrphaning) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own_blocking(o)}, R"(["x/y"])");
  start();
  erase(o, "Foreground");
  run();
  EXPECT_TRUE(is_being_deleted(o));
  erase(o, "Orphan");
  run();
  EXPECT_FALSE(exists(o));
  EXPECT_THAT(owners(d), IsEmpty());
}

TEST_F(OrphanTest, GC32_OrphaningThatBeganBeforeTheStartIsDone) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)});
  erase(o, "Orphan");
  start();
  EXPECT_FALSE(exists(o));
  EXPECT_TRUE(exists(d));
  EXPECT_THAT(owners(d), IsEmpty());
}

TEST_F(OrphanTest, AnotherObjectOfTheSameNameKeepsItsFinalizer) {
  define_widgets();
  const Thing o = create_widget("o");
  start();
  cluster().hold("widgets");
  erase(o, "Orphan");
  drop_finalizers(o);
  const Thing again = create_widget("o", {.finalizers = R"(["orphan"])"});
  ASSERT_TRUE(cluster().release_one("widgets"));
  run();
  EXPECT_THAT(finalizers(again), ElementsAre("orphan"));
}

}  // namespace
}  // namespace davit::garbage
