/// Objects whose owners are gone: GC01 to GC21.
#include "tests/plugins/garbagecollector/fixture.hpp"

namespace davit::garbage {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using BackgroundTest = GarbageTest;

TEST_F(BackgroundTest, GC01_ADependentIsDeletedAsItWasRead) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)});
  start();
  const std::string version = read(d).text_at({"metadata", "resourceVersion"});
  erase(o);
  run();
  EXPECT_FALSE(exists(d));
  ASSERT_EQ(deletions("d").size(), 1U);
  EXPECT_EQ(deletions("d")[0].body,
            R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":")" + d.uid +
                R"(","resourceVersion":")" + version + R"("},"propagationPolicy":"Background"})");
}

TEST_F(BackgroundTest, GC02_OneOfTwoOwnersIsTakenOut) {
  const Thing o1 = create("o1");
  const Thing o2 = create("o2");
  const Thing d = create_owned("d", {own(o1), own(o2)});
  start();
  erase(o1);
  run();
  EXPECT_THAT(owners(d), ElementsAre("o2"));
  ASSERT_EQ(patches("d").size(), 1U);
  EXPECT_EQ(patches("d")[0].patch_type, PatchType::kStrategic);
  EXPECT_EQ(patches("d")[0].body, R"({"metadata":{"uid":")" + d.uid +
                                      R"(","ownerReferences":[{"$patch":"delete","uid":")" +
                                      o1.uid + R"("}]}})");
}

TEST_F(BackgroundTest, GC03_AnObjectWithoutReferencesIsNeverNamed) {
  const Thing d = create("d");
  start();
  merge(d, R"({"data":{"a":"b"}})");
  advance(2min);
  erase(d);
  advance(2min);
  EXPECT_THAT(texts(), IsEmpty());
}

TEST_F(BackgroundTest, GC04_AnOwnerThatNeverExistedCountsAsGone) {
  start();
  const Thing d = create_owned("d", {own(absent("o"))});
  run();
  EXPECT_FALSE(exists(d));
  EXPECT_THAT(texts(), ElementsAre("get configmaps/o 404", "get configmaps/d 200",
                                   "delete configmaps/d 200"));
}

TEST_F(BackgroundTest, GC05_AnOwnerWithAnotherUidCountsAsGone) {
  Thing o = create("o");
  start();
  o.uid = "other";
  const Thing d = create_owned("d", {own(o)});
  run();
  EXPECT_FALSE(exists(d));
}

TEST_F(BackgroundTest, GC06_AChainGoesFromItsEnd) {
  const Thing a = create("a");
  const Thing b = create_owned("b", {own(a)});
  const Thing c = create_owned("c", {own(b)});
  start();
  erase(a);
  run();
  EXPECT_FALSE(exists(b));
  EXPECT_FALSE(exists(c));
  EXPECT_THAT(texts(), ElementsAre("get configmaps/b 200", "delete configmaps/b 200",
                                   "get configmaps/c 200", "delete configmaps/c 200"));
}

TEST_F(BackgroundTest, GC07_EachDependentIsReadOnceAndTheOwnerNever) {
  const Thing o = create("o");
  for (int i = 0; i < 50; ++i) create_owned("d" + std::to_string(i), {own(o)});
  start();
  erase(o);
  run();
  EXPECT_EQ(texts().size(), 100U);
  for (int i = 0; i < 50; ++i) {
    const std::string name = "d" + std::to_string(i);
    EXPECT_THAT(texts(name), ElementsAre("get configmaps/" + name + " 200",
                                         "delete configmaps/" + name + " 200"));
  }
}

TEST_F(BackgroundTest, GC08_ANewOwnerOfTheSameNameOwnsItsOwnOnly) {
  const Thing o = create("o");
  const Thing d1 = create_owned("d1", {own(o)});
  start();
  erase(o);
  const Thing again = create("o");
  const Thing d2 = create_owned("d2", {own(again)});
  run();
  EXPECT_FALSE(exists(d1));
  EXPECT_TRUE(exists(d2));
}

TEST_F(BackgroundTest, ARecreationWhoseDeletionWasMissedIsADeletion) {
  const Thing o = create("o");
  const Thing pod = create_pod("p", {.owners = list({own(o)})});
  start();
  cluster().hold("configmaps");
  erase(o);
  create("o");
  cluster().forget_history();
  cluster().release("configmaps");
  advance(1min);
  EXPECT_FALSE(exists(pod));
}

TEST_F(BackgroundTest, GC09_ADependentThatOrphansItsOwnIsDeletedSo) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)}, R"(["orphan"])");
  const Thing e = create_owned("e", {own(d)});
  start();
  erase(o);
  run();
  EXPECT_EQ(policy_of_deletion("d"), "Orphan");
  EXPECT_FALSE(exists(d));
  EXPECT_TRUE(exists(e));
  EXPECT_THAT(owners(e), IsEmpty());
}

TEST_F(BackgroundTest, GC10_ADependentWithTheForegroundFinalizerIsDeletedSo) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)}, R"(["foregroundDeletion"])");
  start();
  erase(o);
  run();
  EXPECT_EQ(policy_of_deletion("d"), "Foreground");
  EXPECT_FALSE(exists(d));
}

TEST_F(BackgroundTest, GC11_WhatIsBeingDeletedIsLeftAlone) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)}, R"(["x/y"])");
  erase(d);
  start();
  erase(o);
  advance(1min);
  EXPECT_TRUE(is_being_deleted(d));
  EXPECT_THAT(texts("d"), IsEmpty());
}

TEST_F(BackgroundTest, GC12_AReferenceThatIsTakenOutInTimeSaves) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)});
  start();
  set_owners(d, {});
  erase(o);
  run();
  EXPECT_TRUE(exists(d));
  EXPECT_THAT(deletions("d"), IsEmpty());
}

TEST_F(BackgroundTest, GC13_AClusterScopedOwnerHasDependentsInNamespaces) {
  const Thing pv = create_in("/api/v1/persistentvolumes",
                             R"({"apiVersion":"v1","kind":"PersistentVolume",
                                 "metadata":{"name":"NAME"},"spec":{"capacity":{"storage":"1Gi"},
                                 "accessModes":["ReadWriteOnce"],"hostPath":{"path":"/tmp"}}})",
                             "pv");
  const Thing d = create_owned("d", {own(pv)});
  start();
  erase(pv);
  drop_finalizers(pv);  // As the controller that protects volumes in use does.
  run();
  EXPECT_FALSE(exists(d));
}

TEST_F(BackgroundTest, GC14_ClusterScopedObjectsOwnEachOther) {
  constexpr char kRole[] = R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",
                               "metadata":{"name":"NAME","ownerReferences":OWNERS}})";
  constexpr char kRoles[] = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  const Thing r0 = create_in(kRoles, kRole, "r0");
  const Thing r1 = create_in(kRoles, kRole, "r1", {.owners = list({own(r0)})});
  start();
  erase(r0);
  run();
  EXPECT_FALSE(exists(r1));
}

TEST_F(BackgroundTest, GC15_AnOwnerThatWentBeforeTheStartCounts) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)});
  erase(o);
  start();
  EXPECT_FALSE(exists(d));
}

TEST_F(BackgroundTest, GC16_AReferenceMayComeLater) {
  const Thing d = create("d");
  start();
  set_owners(d, {own(absent("o"))});
  run();
  EXPECT_FALSE(exists(d));
}

TEST_F(BackgroundTest, GC17_EventsAreNotCollected) {
  start();
  const Thing event = create_in("/api/v1/namespaces/ns/events",
                                R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"NAME",
                                    "namespace":"ns","ownerReferences":OWNERS},
                                    "involvedObject":{"kind":"ConfigMap","namespace":"ns"}})",
                                "e", {.owners = list({own(absent("o"))})});
  advance(2min);
  EXPECT_TRUE(exists(event));
  EXPECT_THAT(texts(), IsEmpty());
  EXPECT_EQ(cluster().lists("events"), 0);
}

TEST_F(BackgroundTest, GC18_AnOwnerThatIsBeingDeletedStillHolds) {
  const Thing o = create("o", {.finalizers = R"(["x/y"])"});
  const Thing d = create_owned("d", {own(o)});
  start();
  erase(o);
  advance(1min);
  EXPECT_TRUE(exists(d));
  drop_finalizers(o);
  run();
  EXPECT_FALSE(exists(d));
}

TEST_F(BackgroundTest, GC19_BothOwnersGoAtOnce) {
  const Thing o1 = create("o1");
  const Thing o2 = create("o2");
  const Thing d = create_owned("d", {own(o1), own(o2)});
  start();
  erase(o1);
  erase(o2);
  run();
  EXPECT_FALSE(exists(d));
}

TEST_F(BackgroundTest, GC20_APodOnANodeGetsItsGraceAndOneDeletion) {
  const Thing o = create("o");
  Thing p = create_pod("p", {.owners = list({own(o)})});
  cluster().add(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})");
  Json bound = read(p);
  bound["spec"]["nodeName"] = "n";
  cluster().add(bound);
  p.uid = read(p).text_at({"metadata", "uid"});
  start();
  erase(o);
  advance(2min);
  EXPECT_TRUE(is_being_deleted(p));
  EXPECT_EQ(read(p).text_at({"metadata", "deletionGracePeriodSeconds"}), "30");
  EXPECT_EQ(deletions("p").size(), 1U);
}

TEST_F(BackgroundTest, GC21_AThousandDependentsGo) {
  const Thing o = create("o");
  for (int i = 0; i < 1000; ++i) create_owned("d" + std::to_string(i), {own(o)});
  start();
  erase(o);
  run();
  EXPECT_EQ(cluster().requests_of(Verb::kDelete, "configmaps").size(), 1000U);
  EXPECT_EQ(cluster().requests_of(Verb::kGet, "configmaps").size(), 1000U);
  // Two requests each at the rate that the README asks the manifest for: 20 objects a second.
}

}  // namespace
}  // namespace davit::garbage
