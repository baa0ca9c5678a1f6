#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox/store/store.hpp"
#include "tests/sandbox/store/drafts.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;

/// "+p 2", "~p 3", "-p 4"
std::vector<std::string> lines(const Result<std::vector<Change>>& changes) {
  std::vector<std::string> out;
  for (const Change& each : *changes) {
    const char* sign = each.type == ChangeType::kAdded      ? "+"
                       : each.type == ChangeType::kModified ? "~"
                                                            : "-";
    out.push_back(sign + each.object->name + ' ' + std::to_string(each.object->revision));
  }
  return out;
}

class StoreHistoryTest : public testing::Test {
 protected:
  /// One pod through its life; in a new store revisions 2, 3 and 4.
  static void live_and_die(Store& store) {
    const Revision made = (*store.create(kPods, draft("a", "p", "one")))->revision;
    const Revision changed = (*store.update(kPods, draft("a", "p", "two"), made))->revision;
    ASSERT_TRUE(store.remove(kPods, draft("a", "p", "last"), changed));
  }

  test::FakeClock clock_;
};

TEST_F(StoreHistoryTest, ChangesComeInOrderWithWhatWasBefore) {
  Store store(clock_);
  live_and_die(store);
  const std::vector<Change> changes = *store.changes(kPods, 1, 10);
  EXPECT_THAT(lines(changes), ElementsAre("+p 2", "~p 3", "-p 4"));
  EXPECT_EQ(changes[0].previous, nullptr);
  EXPECT_EQ(changes[1].previous, changes[0].object);
  EXPECT_EQ(changes[2].previous, changes[1].object);
  EXPECT_EQ(mark_of(changes[2].object), "last") << "the final content as the remover gives it";
  EXPECT_EQ(changes[2].object->json().text_at({"metadata", "resourceVersion"}), "4");
}

TEST_F(StoreHistoryTest, CursorGetsOnlyWhatIsNewAndOnlyOfItsCollection) {
  Store store(clock_);
  live_and_die(store);
  ASSERT_TRUE(store.create(kNodes, draft("", "n")));
  EXPECT_THAT(lines(store.changes(kPods, 2, 10)), ElementsAre("~p 3", "-p 4"));
  EXPECT_THAT(lines(store.changes(kPods, 2, 1)), ElementsAre("~p 3"));
  EXPECT_THAT(lines(store.changes(kPods, 4, 10)), ElementsAre());
  EXPECT_THAT(lines(store.changes(kPods, 400, 10)), ElementsAre()) << "the future is empty yet";
}

TEST_F(StoreHistoryTest, HistoryIsBoundedByCountOnceItIsOldEnough) {
  StoreLimits limits;
  limits.changes_min = 2;
  limits.age_min = std::chrono::minutes(5);
  Store store(clock_, limits);
  live_and_die(store);
  EXPECT_EQ(store.changes(kPods, 1, 10)->size(), 3u) << "young changes stay";

  clock_.advance(std::chrono::minutes(6));
  ASSERT_TRUE(store.create(kPods, draft("a", "q")));
  EXPECT_THAT(lines(store.changes(kPods, 3, 10)), ElementsAre("-p 4", "+q 5"));
  const Status expired = store.changes(kPods, 2, 10).error();
  EXPECT_EQ(expired.code(), Code::kExpired);
  EXPECT_EQ(expired.message(), "too old resource version: 2 (3)");
}

TEST_F(StoreHistoryTest, BusyCollectionForgetsEvenYoungChanges) {
  StoreLimits limits;
  limits.changes_min = 1;
  limits.changes_max = 2;
  Store store(clock_, limits);
  live_and_die(store);
  EXPECT_EQ(store.changes(kPods, 1, 10).error().code(), Code::kExpired);
  EXPECT_THAT(lines(store.changes(kPods, 2, 10)), ElementsAre("~p 3", "-p 4"));
}

TEST_F(StoreHistoryTest, CompactionExpiresEveryCollection) {
  Store store(clock_);
  live_and_die(store);
  store.compact();
  EXPECT_EQ(store.changes(kPods, 3, 10).error().code(), Code::kExpired);
  EXPECT_EQ(store.changes(kNodes, 3, 10).error().code(), Code::kExpired) << "even an untouched one";
  EXPECT_EQ(store.list_at(kPods, "", 3).error().code(), Code::kExpired);
  EXPECT_TRUE(store.changes(kPods, 4, 10));
  EXPECT_TRUE(store.list_at(kPods, "", 4));
}

TEST_F(StoreHistoryTest, ListOfThePastShowsWhatWasThere) {
  Store store(clock_);
  live_and_die(store);
  ASSERT_TRUE(store.create(kPods, draft("b", "q")));

  EXPECT_TRUE(store.list_at(kPods, "", 1)->objects.empty());
  EXPECT_EQ(mark_of(store.list_at(kPods, "", 2)->objects.at(0)), "one");
  EXPECT_EQ(mark_of(store.list_at(kPods, "", 3)->objects.at(0)), "two");
  EXPECT_TRUE(store.list_at(kPods, "", 4)->objects.empty());
  EXPECT_THAT(names(store.list_at(kPods, "", 5)->objects), ElementsAre("b/q"));
  EXPECT_TRUE(store.list_at(kPods, "a", 5)->objects.empty());
  EXPECT_EQ(store.list_at(kPods, "", 2)->revision, 2u);
  EXPECT_EQ(store.list_at(kPods, "", 6).error().code(), Code::kMisuse);
}

}  // namespace
}  // namespace davit::sandbox
