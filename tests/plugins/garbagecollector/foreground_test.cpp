/// Owners that go after their dependents: GC33 to GC46.
#include "tests/plugins/garbagecollector/fixture.hpp"

namespace davit::garbage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ForegroundTest : public GarbageTest {
 protected:
  /// GC35: o is deleted in the foreground, and d, which is held, blocks it if `reference` does.
  void hold_dependent(const std::function<std::string(const Thing&)>& reference) {
    o_ = create("o");
    d_ = create_owned("d", {reference(o_)}, R"(["x/y"])");
    start();
    erase(o_, "Foreground");
    advance(15s);
    EXPECT_TRUE(is_being_deleted(d_));
  }
  void hold_blocking_dependent() {
    hold_dependent([](const Thing& o) { return own_blocking(o); });
    EXPECT_THAT(finalizers(o_), ElementsAre("foregroundDeletion"));
  }

  Thing o_;
  Thing d_;
};

TEST_F(ForegroundTest, GC33_WithoutDependentsTheFinalizerGoesAtOnce) {
  const Thing o = create("o");
  start();
  erase(o, "Foreground");
  const std::string version = read(o).text_at({"metadata", "resourceVersion"});
  run();
  EXPECT_FALSE(exists(o));
  EXPECT_THAT(patches("o"),
              ElementsAre(::testing::Field(
                  &testing::RequestRecord::body,
                  R"({"metadata":{"resourceVersion":")" + version + R"(","finalizers":null}})")));
}

TEST_F(ForegroundTest, GC34_TheDependentGoesFirst) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own_blocking(o)});
  start();
  erase(o, "Foreground");
  run();
  EXPECT_FALSE(exists(d));
  EXPECT_FALSE(exists(o));
  EXPECT_EQ(policy_of_deletion("d"), "Background");
  EXPECT_EQ(texts().back(), "patch configmaps/o 200");
}

TEST_F(ForegroundTest, GC35_AHeldDependentHoldsItsOwner) {
  hold_blocking_dependent();
  drop_finalizers(d_);
  run();
  EXPECT_FALSE(exists(d_));
  EXPECT_FALSE(exists(o_));
}

TEST_F(ForegroundTest, GC36_ADependentThatDoesNotBlockHoldsNothing) {
  hold_dependent([](const Thing& o) { return own(o); });
  EXPECT_FALSE(exists(o_));
}

TEST_F(ForegroundTest, GC37_NorDoesOneThatReportsIt) {
  hold_dependent([](const Thing& o) { return own(o, R"(,"blockOwnerDeletion":false)"); });
  EXPECT_FALSE(exists(o_));
}

TEST_F(ForegroundTest, GC38_ADependentWithAnotherOwnerIsFreed) {
  const Thing o1 = create("o1");
  const Thing o2 = create("o2");
  const Thing d = create_owned("d", {own_blocking(o1), own(o2)});
  start();
  erase(o1, "Foreground");
  run();
  EXPECT_FALSE(exists(o1));
  EXPECT_THAT(owners(d), ElementsAre("o2"));
}

TEST_F(ForegroundTest, GC39_AChainGoesFromItsEnd) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own_blocking(o)});
  const Thing e = create_owned("e", {own_blocking(d)});
  start();
  erase(o, "Foreground");
  run();
  EXPECT_FALSE(exists(o));
  EXPECT_EQ(policy_of_deletion("d"), "Foreground");
  EXPECT_EQ(policy_of_deletion("e"), "Background");
  std::vector<std::string> order;
  for (const testing::RequestRecord& each : cluster().writes()) order.push_back(each.text());
  EXPECT_THAT(order, ElementsAre("delete configmaps/d 200", "delete configmaps/e 200",
                                 "patch configmaps/d 200", "patch configmaps/o 200"));
}

TEST_F(ForegroundTest, GC40_AReferenceThatStopsBlockingReleasesTheOwner) {
  hold_blocking_dependent();
  set_owners(d_, {own(o_, R"(,"blockOwnerDeletion":false)")});
  run();
  EXPECT_FALSE(exists(o_));
  EXPECT_TRUE(is_being_deleted(d_));
}

TEST_F(ForegroundTest, GC41_AReferenceThatGoesReleasesTheOwner) {
  hold_blocking_dependent();
  set_owners(d_, {});
  run();
  EXPECT_FALSE(exists(o_));
  EXPECT_TRUE(is_being_deleted(d_));
}

TEST_F(ForegroundTest, GC42_ACycleGoes) {
  Thing a = create_pod("a");
  const Thing b = create_pod("b", {.owners = list({own_blocking(a)})});
  const Thing c = create_pod("c", {.owners = list({own_blocking(b)})});
  set_owners(a, {own_blocking(c)});
  start();
  erase(a, "Foreground");
  advance(1min);
  for (const Thing& each : {a, b, c}) EXPECT_FALSE(exists(each)) << each.name;
  bool is_unblocked = false;
  bool is_refused = false;
  for (const testing::RequestRecord& each : cluster().writes()) {
    const bool unblocks = each.body.find(R"("blockOwnerDeletion":false)") != std::string::npos;
    is_unblocked = is_unblocked || (each.verb == Verb::kPatch && unblocks);
    is_refused =
        is_refused || (is_unblocked && each.verb == Verb::kDelete && each.http_status == 409);
  }
  EXPECT_TRUE(is_unblocked);
  EXPECT_TRUE(is_refused) << "the deletion is one of what was read before the patch";
}

/// A cycle: b belongs to a, c to b and a to c, each blocking its owner. a is deleted.
class CycleTest : public GarbageTest {
 protected:
  using Create = std::function<Thing(const std::string& name, const Extras& extras)>;

  /// `change` runs just before the collector's first patch of c, which unblocks its owner.
  void delete_cycle_while(const Create& create, const std::function<void()>& change) {
    a_ = create("a", {});
    b_ = create("b", {.owners = list({own_blocking(a_)})});
    c_ = create("c", {.owners = list({own_blocking(b_)})});
    p_ = create("p", {});
    set_owners(a_, {own_blocking(c_)});
    start();
    cluster().on_request([change, is_done = false](const testing::RequestRecord& request) mutable {
      if (request.verb != Verb::kPatch || request.name != "c" || is_done) return;
      is_done = true;
      change();
    });
    erase(a_, "Foreground");
    advance(1min);
    ASSERT_FALSE(patches("c").empty());
    EXPECT_FALSE(exists(a_));
    EXPECT_FALSE(exists(b_));
  }

  Thing a_;
  Thing b_;
  Thing c_;
  Thing p_;
};

TEST_F(CycleTest, AnOwnerThatComesWhileACustomResourceIsUnblockedSaves) {
  define_widgets();
  delete_cycle_while(
      [this](const std::string& name, const Extras& extras) { return create_widget(name, extras); },
      [this] {
        set_owners(c_, {own_blocking(b_), own(p_)});
      });
  EXPECT_TRUE(exists(c_));
  EXPECT_THAT(owners(c_), ElementsAre("p"));
}

TEST_F(CycleTest, UnblockingRestoresNoReferenceThatIsGone) {
  delete_cycle_while(
      [this](const std::string& name, const Extras& extras) { return create(name, extras); },
      [this] { set_owners(c_, {own(p_)}); });
  EXPECT_TRUE(exists(c_));
  EXPECT_EQ(patches("c").front().http_status, 409);
  EXPECT_THAT(owners(c_), ElementsAre("p"));
}

TEST_F(ForegroundTest, GC43_ARepeatedForegroundDeletionFinishesAgain) {
  const Thing p = create_pod("p", {.finalizers = R"(["x/y"])"});
  start();
  for (int i = 0; i < 2; ++i) {
    erase(p, "Foreground");
    EXPECT_EQ(finalizers(p).size(), 2U);
    run();
    EXPECT_THAT(finalizers(p), ElementsAre("x/y"));
  }
}

TEST_F(ForegroundTest, GC44_AnOwnerContinuesWaitingAfterARestart) {
  hold_blocking_dependent();
  stop();
  start();
  advance(1min);
  EXPECT_THAT(finalizers(o_), ElementsAre("foregroundDeletion"));
  drop_finalizers(d_);
  run();
  EXPECT_FALSE(exists(o_));
}

TEST_F(ForegroundTest, GC44_AnOwnerContinuesWaitingAfterASwap) {
  hold_blocking_dependent();
  const int lists = cluster().lists("configmaps");
  swap();
  advance(1min);
  EXPECT_EQ(cluster().lists("configmaps"), lists);
  EXPECT_THAT(finalizers(o_), ElementsAre("foregroundDeletion"));
  drop_finalizers(d_);
  run();
  EXPECT_FALSE(exists(o_));
}

TEST_F(ForegroundTest, GC45_AFinalizerIsTakenOutDespiteThreeConflicts) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own_blocking(o)});
  start();
  fail(Verb::kPatch, "o", 409, 3);
  erase(o, "Foreground");
  run();
  EXPECT_FALSE(exists(d));
  EXPECT_FALSE(exists(o));
  EXPECT_EQ(patches("o").size(), 4U);
}

TEST_F(ForegroundTest, GC45_AFourthConflictIsRetriedThroughTheQueue) {
  const Thing o = create("o");
  start();
  fail(Verb::kPatch, "o", 409, 4);
  erase(o, "Foreground");
  run();
  EXPECT_TRUE(exists(o));
  EXPECT_THAT(cluster().syncs().back().error, HasSubstr("updateMaxRetries(4) has reached. "));
  advance(1s);
  EXPECT_FALSE(exists(o));
}

TEST_F(ForegroundTest, GC46_TheOwnersOtherFinalizersStay) {
  const Thing o = create("o", {.finalizers = R"(["x/y"])"});
  const Thing d = create_owned("d", {own_blocking(o)});
  start();
  erase(o, "Foreground");
  run();
  EXPECT_FALSE(exists(d));
  EXPECT_THAT(finalizers(o), ElementsAre("x/y"));
}

}  // namespace
}  // namespace davit::garbage
