/// Other writers, and errors: GC77 to GC84.
#include "tests/plugins/garbagecollector/fixture.hpp"

namespace davit::garbage {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ConflictsTest : public GarbageTest {
 protected:
  /// d is owned by o, which goes; `change` runs just before the first deletion of d.
  void delete_owner_while(const std::function<void()>& change) {
    start();
    cluster().on_request(
        [this, change, is_done = false](const testing::RequestRecord& request) mutable {
          if (request.verb != Verb::kDelete || request.name != "d" || is_done) return;
          is_done = true;
          change();
        });
    erase(o_);
    run();
  }

  const Thing o_ = create("o");
  const Thing p_ = create("p");
  const Thing d_ = create_owned("d", {own(o_)});
};

TEST_F(ConflictsTest, GC77_AnOwnerThatComesInTimeSaves) {
  delete_owner_while([this] { set_owners(d_, {own(p_)}); });
  advance(1min);
  EXPECT_TRUE(exists(d_));
  EXPECT_THAT(deletions("d"), SizeIs(1));
  EXPECT_EQ(deletions("d")[0].http_status, 409);
}

TEST_F(ConflictsTest, GC78_AnotherChangeDoesNot) {
  delete_owner_while([this] { merge(d_, R"({"metadata":{"labels":{"a":"b"}}})"); });
  EXPECT_FALSE(exists(d_));
  EXPECT_THAT(texts("d"), ElementsAre("get configmaps/d 200", "delete configmaps/d 409",
                                      "get configmaps/d 200", "delete configmaps/d 200"));
  const Json body = deletions("d")[1].json();
  EXPECT_EQ(body.text_at({"preconditions", "uid"}), d_.uid);
  EXPECT_EQ(body.at({"preconditions", "resourceVersion"}), nullptr);
}

TEST_F(ConflictsTest, GC79_WhatSomebodyElseDeletedIsNotAnError) {
  delete_owner_while([this] { erase(d_); });
  advance(1min);
  EXPECT_THAT(texts("d"), ElementsAre("get configmaps/d 200", "delete configmaps/d 404"));
  for (const testing::SyncRecord& each : cluster().syncs()) EXPECT_TRUE(each.ok()) << each.error;
}

TEST_F(ConflictsTest, GC80_ANewObjectOfTheSameNameStays) {
  Thing again;
  delete_owner_while([this, &again] {
    erase(d_);
    again = create_owned("d", {own(p_)});
  });
  advance(1min);
  EXPECT_TRUE(exists(again));
  EXPECT_THAT(deletions("d"), SizeIs(1));
}

TEST_F(ConflictsTest, GC81_ARefusedDeletionIsRetriedWhileOthersProceed) {
  const Thing e = create_owned("e", {own(o_)});
  start();
  fail(Verb::kDelete, "d", 403, Fault::kAlways);
  erase(o_);
  run();
  EXPECT_FALSE(exists(e));
  EXPECT_THAT(deletions("d"), SizeIs(1));
  advance(5ms);
  EXPECT_THAT(deletions("d"), SizeIs(2));
  advance(10ms);
  EXPECT_THAT(deletions("d"), SizeIs(3));
  advance(19ms);
  EXPECT_THAT(deletions("d"), SizeIs(3));
  cluster().clear_faults();
  advance(1ms);
  EXPECT_FALSE(exists(d_));
}

TEST_F(ConflictsTest, GC82_AnOwnerThatCannotBeReadDecidesNothing) {
  start();
  const Thing q = create("q");
  const Thing e = create_owned("e", {own(o_), own(q)});
  run();
  fail(Verb::kGet, "q", 500, 3);
  erase(o_);
  run();
  EXPECT_THAT(patches("e"), IsEmpty());
  EXPECT_TRUE(exists(e));
  advance(1s);
  EXPECT_THAT(owners(e), ElementsAre("q"));
}

TEST_F(ConflictsTest, GC83_OneReferenceThatCannotBeJudgedHolds) {
  start();
  Thing unknown = absent("u");
  unknown.kind = "Unknown";
  const Thing e = create_owned("e", {own(absent("a")), own(unknown)});
  advance(1min);
  EXPECT_TRUE(exists(e));
  EXPECT_THAT(deletions("e"), IsEmpty());
  EXPECT_GE(texts("e").size(), 5U);
}

TEST_F(ConflictsTest, GC84_AnObjectThatIsAskedForTwiceIsReadAtMostOnceMore) {
  const Thing e = create_owned("e", {own(o_), own(p_)});
  start();
  erase(o_);
  erase(p_);
  run();
  EXPECT_FALSE(exists(e));
  EXPECT_THAT(deletions("e"), SizeIs(1));
  EXPECT_LE(cluster().requests_of(Verb::kGet, "configmaps").size(), 4U);
}

}  // namespace
}  // namespace davit::garbage
