#include "sandbox/store/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sandbox/store/drafts.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;

class StoreTest : public testing::Test {
 protected:
  test::FakeClock clock_;
  Store store_{clock_};
};

TEST_F(StoreTest, RevisionsRiseByOneOverAllCollections) {
  EXPECT_EQ(store_.revision(), 1u);
  EXPECT_EQ((*store_.create(kPods, draft("a", "p")))->revision, 2u);
  EXPECT_EQ((*store_.create(kNodes, draft("", "n")))->revision, 3u);
  EXPECT_EQ((*store_.update(kPods, draft("a", "p", "new"), 2))->revision, 4u);
  EXPECT_EQ((*store_.remove(kNodes, draft("", "n"), 3))->revision, 5u);
  EXPECT_EQ(store_.revision(), 5u);
}

TEST_F(StoreTest, TextCarriesTheRevision) {
  const VersionPtr made = *store_.create(kPods, draft("a", "p"));
  EXPECT_EQ(made->json().text_at({"metadata", "resourceVersion"}), "2");
  EXPECT_EQ(made->uid, "uid-of-p");
}

TEST_F(StoreTest, LabelsAreSortedByKey) {
  Draft pod = draft("a", "p");
  pod.labels = {{"tier", "x"}, {"app", "y"}};
  const VersionPtr made = *store_.create(kPods, std::move(pod));
  EXPECT_THAT(made->labels, ElementsAre(testing::Pair("app", "y"), testing::Pair("tier", "x")));
}

TEST_F(StoreTest, GetFindsTheLatestVersion) {
  EXPECT_EQ(store_.get(kPods, "a", "p"), nullptr);
  ASSERT_TRUE(store_.create(kPods, draft("a", "p")));
  ASSERT_TRUE(store_.update(kPods, draft("a", "p", "second"), 2));

  EXPECT_EQ(mark_of(store_.get(kPods, "a", "p")), "second");
  EXPECT_EQ(store_.get(kPods, "b", "p"), nullptr);
  EXPECT_EQ(store_.get(kNodes, "a", "p"), nullptr);
}

TEST_F(StoreTest, TakenNameRefusesACreate) {
  ASSERT_TRUE(store_.create(kPods, draft("a", "p")));
  EXPECT_EQ(store_.create(kPods, draft("a", "p")).error().code(), Code::kAlreadyExists);
  EXPECT_TRUE(store_.create(kPods, draft("b", "p"))) << "another namespace";
  EXPECT_EQ(store_.revision(), 3u) << "a refused write costs no revision";
}

TEST_F(StoreTest, WritesAgainstAnotherVersionConflict) {
  ASSERT_TRUE(store_.create(kPods, draft("a", "p")));
  ASSERT_TRUE(store_.update(kPods, draft("a", "p"), 2));

  EXPECT_EQ(store_.update(kPods, draft("a", "p"), 2).error().code(), Code::kConflict);
  EXPECT_EQ(store_.remove(kPods, draft("a", "p"), 2).error().code(), Code::kConflict);
  EXPECT_EQ(store_.update(kPods, draft("a", "q"), 2).error().code(), Code::kNotFound);
  EXPECT_EQ(store_.remove(kNodes, draft("", "n"), 2).error().code(), Code::kNotFound);
}

TEST_F(StoreTest, ListIsSortedByNamespaceThenName) {
  for (const char* ns : {"b", "a-b", "a"}) {
    ASSERT_TRUE(store_.create(kPods, draft(ns, "z")));
    ASSERT_TRUE(store_.create(kPods, draft(ns, "y")));
  }
  const Snapshot all = store_.list(kPods, "");
  EXPECT_THAT(names(all.objects), ElementsAre("a/y", "a/z", "a-b/y", "a-b/z", "b/y", "b/z"));
  EXPECT_EQ(all.revision, store_.revision());
  EXPECT_THAT(names(store_.list(kPods, "a").objects), ElementsAre("a/y", "a/z"));
}

TEST_F(StoreTest, UnwrittenCollectionIsEmpty) {
  EXPECT_TRUE(store_.list(kPods, "").objects.empty());
  EXPECT_TRUE(store_.changes(kPods, 0, 10)->empty());
  EXPECT_TRUE(store_.list_at(kPods, "", 1)->objects.empty());
}

TEST_F(StoreTest, NameOfARemovedObjectIsFree) {
  ASSERT_TRUE(store_.create(kPods, draft("a", "p")));
  ASSERT_TRUE(store_.remove(kPods, draft("a", "p"), 2));
  EXPECT_EQ(store_.get(kPods, "a", "p"), nullptr);
  EXPECT_TRUE(store_.create(kPods, draft("a", "p")));
}

TEST_F(StoreTest, RestoredObjectsKeepTheirRevisions) {
  Version kept;
  kept.ns = "a";
  kept.name = "p";
  kept.revision = 40;
  store_.restore(kPods, std::make_shared<const Version>(kept));
  store_.restore_revision(50);

  EXPECT_EQ(store_.get(kPods, "a", "p")->revision, 40u);
  EXPECT_EQ(store_.revision(), 50u);
  EXPECT_EQ(store_.changes(kPods, 49, 10).error().code(), Code::kExpired);
  EXPECT_TRUE(store_.changes(kPods, 50, 10));
  EXPECT_EQ((*store_.update(kPods, draft("a", "p"), 40))->revision, 51u);
}

/// Keeps every record, or refuses all of them.
class FakeJournal final : public Journal {
 public:
  Status append(const Collection& collection, const Change& change) override {
    if (full) return {Code::kUnavailable, "no space left on device"};
    lines.push_back(collection.resource + ' ' + change.object->name + ' ' +
                    std::to_string(change.object->revision));
    return {};
  }
  void after_write() override { ++upkeeps; }

  bool full = false;
  std::vector<std::string> lines;
  int upkeeps = 0;
};

TEST_F(StoreTest, JournalSeesEveryWriteInOrder) {
  FakeJournal journal;
  Store store(clock_, {}, &journal);
  ASSERT_TRUE(store.create(kPods, draft("a", "p")));
  ASSERT_TRUE(store.create(kNodes, draft("", "n")));
  ASSERT_TRUE(store.remove(kPods, draft("a", "p"), 2));
  EXPECT_THAT(journal.lines, ElementsAre("pods p 2", "nodes n 3", "pods p 4"));
  EXPECT_EQ(journal.upkeeps, 3);
}

TEST_F(StoreTest, WriteThatTheJournalRefusesDidNotHappen) {
  FakeJournal journal;
  journal.full = true;
  Store store(clock_, {}, &journal);
  EXPECT_EQ(store.create(kPods, draft("a", "p")).error().code(), Code::kUnavailable);
  EXPECT_EQ(store.get(kPods, "a", "p"), nullptr);
  EXPECT_EQ(store.revision(), 1u);
  EXPECT_TRUE(store.changes(kPods, 0, 10)->empty());
}

}  // namespace
}  // namespace davit::sandbox
