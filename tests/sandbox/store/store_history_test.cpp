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

TEST_F(StoreHistoryTest, AllCollectionsTogetherKeepToTheBytes) {
  constexpr std::size_t kText = 4'000;
  StoreLimits limits;
  limits.bytes_max = 100 * kText;
  Store store(clock_, limits);
  Revision node = (*store.create(kNodes, draft("", "n", std::string(kText, 'a'))))->revision;
  Revision pod = (*store.create(kPods, draft("a", "p", std::string(kText, 'a'))))->revision;
  const Revision before = pod;
  node = (*store.update(kNodes, draft("", "n", std::string(kText, 'b')), node))->revision;

  for (int i = 0; i < 50; ++i) {
    pod = (*store.update(kPods, draft("a", "p", std::string(kText, 'c')), pod))->revision;
  }
  EXPECT_EQ(store.changes(kPods, before, 1'000)->size(), 50u) << "there is room for all";
  for (int i = 0; i < 1'000; ++i) {
    pod = (*store.update(kPods, draft("a", "p", std::string(kText, 'd')), pod))->revision;
  }

  EXPECT_EQ(store.changes(kPods, before, 10).error().code(), Code::kExpired);
  const Result<std::vector<Change>> kept = store.changes(kPods, pod - 90, 1'000);
  ASSERT_TRUE(kept) << kept.error().message();
  EXPECT_EQ(kept->size(), 90u) << "the youngest stay";
  EXPECT_FALSE(store.changes(kPods, pod - 110, 1'000)) << "more than the limit would be kept";
  EXPECT_EQ(store.changes(kNodes, before, 10).error().code(), Code::kExpired)
      << "the oldest go first, also those of a quiet collection";
  EXPECT_TRUE(store.changes(kNodes, node, 10));
}

TEST_F(StoreHistoryTest, ObjectsThatExistAreNotCounted) {
  StoreLimits limits;
  limits.bytes_max = 100'000;
  Store store(clock_, limits);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(store.create(kPods, draft("a", "p" + std::to_string(i), std::string(4'000, 'a'))));
  }

  EXPECT_EQ(store.changes(kPods, 1, 1'000)->size(), 100u);
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
