#include "sandbox/controllers/collection_watcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;

const Collection kPods{"", "pods"};
const Collection kNodes{"", "nodes"};

class CollectionWatcherTest : public testing::Test {
 protected:
  Revision create(const Collection& collection, std::string name) {
    return (*store_.create(collection, {"", std::move(name), Json::object(), {}, {}}))->revision;
  }
  /// "pods! a b": the collection, relisted, and the names.
  std::vector<std::string> pull_all() {
    std::vector<std::string> out;
    while (const auto batch = watcher_.pull()) {
      std::string line = batch->collection.resource + (batch->relisted ? "!" : "");
      for (const Change& each : batch->changes) {
        line += (each.type == ChangeType::kDeleted ? " -" : " ") + each.object->name;
      }
      out.push_back(line);
    }
    return out;
  }

  test::FakeClock clock_;
  Store store_{clock_};
  int told_ = 0;
  CollectionWatcher watcher_{store_, [this] { ++told_; }};
};

TEST_F(CollectionWatcherTest, BeginsWithWhatThereIs) {
  create(kPods, "a");
  watcher_.follow(kPods);
  watcher_.follow(kNodes);
  watcher_.follow(kPods);
  EXPECT_THAT(pull_all(), ElementsAre("nodes!", "pods! a"));
  EXPECT_THAT(pull_all(), ElementsAre());
}

TEST_F(CollectionWatcherTest, ChangesComeInTheOrderOfTheirCollection) {
  watcher_.follow(kPods);
  pull_all();
  const Revision made = create(kPods, "a");
  create(kPods, "b");
  create(kNodes, "n");
  ASSERT_TRUE(store_.remove(kPods, {"", "a", Json::object(), {}, {}}, made));
  EXPECT_EQ(told_, 3);
  EXPECT_THAT(pull_all(), ElementsAre("pods a b -a"));
}

TEST_F(CollectionWatcherTest, LostHistoryIsABeginning) {
  watcher_.follow(kPods);
  create(kPods, "a");
  pull_all();
  create(kPods, "b");
  store_.compact();
  EXPECT_THAT(pull_all(), ElementsAre("pods! a b"));
}

TEST_F(CollectionWatcherTest, CompactionCostsAReaderThatIsUpToDateNothing) {
  watcher_.follow(kPods);
  pull_all();
  create(kPods, "a");
  pull_all();
  store_.compact();
  create(kPods, "b");
  EXPECT_THAT(pull_all(), ElementsAre("pods b"));
}

TEST_F(CollectionWatcherTest, ManyChangesComeInSeveralBatches) {
  watcher_.follow(kPods);
  pull_all();
  for (int i = 0; i < 2500; ++i) create(kPods, std::to_string(i));
  std::size_t changes = 0;
  std::size_t batches = 0;
  while (const auto batch = watcher_.pull()) {
    changes += batch->changes.size();
    ++batches;
  }
  EXPECT_EQ(changes, 2500u);
  EXPECT_EQ(batches, 3u);
}

}  // namespace
}  // namespace davit::sandbox
