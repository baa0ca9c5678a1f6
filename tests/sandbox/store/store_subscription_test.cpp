#include <gtest/gtest.h>

#include <thread>

#include "sandbox/store/store.hpp"
#include "tests/sandbox/store/drafts.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {
namespace {

class StoreSubscriptionTest : public testing::Test {
 protected:
  test::FakeClock clock_;
  Store store_{clock_};
};

TEST_F(StoreSubscriptionTest, EveryChangeOfTheCollectionIsReported) {
  int told = 0;
  const auto subscription = store_.subscribe(kPods, [&] { ++told; });
  ASSERT_TRUE(store_.create(kPods, draft("a", "p")));
  ASSERT_TRUE(store_.update(kPods, draft("a", "p"), 2));
  ASSERT_TRUE(store_.remove(kPods, draft("a", "p"), 3));
  EXPECT_EQ(told, 3);

  ASSERT_TRUE(store_.create(kNodes, draft("", "n")));
  EXPECT_FALSE(store_.update(kPods, draft("a", "p"), 2));
  EXPECT_EQ(told, 3) << "neither another collection nor a refused write";
}

TEST_F(StoreSubscriptionTest, EndedSubscriptionIsSilent) {
  int told = 0;
  auto first = store_.subscribe(kPods, [&] { ++told; });
  const auto second = store_.subscribe(kPods, [&] { told += 10; });
  first.reset();
  ASSERT_TRUE(store_.create(kPods, draft("a", "p")));
  EXPECT_EQ(told, 10);
}

TEST_F(StoreSubscriptionTest, SubscribersMayReadWriteAndSubscribe) {
  std::size_t seen = 0;
  std::vector<std::unique_ptr<Store::Subscription>> more;
  const auto subscription = store_.subscribe(kPods, [&] {
    if (more.empty()) {
      more.push_back(store_.subscribe(kPods, [] {}));
      ASSERT_TRUE(store_.create(kPods, draft("a", "second")));
    }
    seen = store_.changes(kPods, 1, 10)->size();
  });
  ASSERT_TRUE(store_.create(kPods, draft("a", "first")));
  EXPECT_EQ(seen, 2u);
}

TEST_F(StoreSubscriptionTest, EndingWaitsForTheCallThatRuns) {
  Mutex mutex;
  CondVar changed;
  bool inside = false;
  bool may_leave = false;
  bool left = false;
  auto subscription = store_.subscribe(kPods, [&] {
    MutexLock lock(mutex);
    inside = true;
    changed.notify_all();
    while (!may_leave) changed.wait(mutex);
    left = true;
  });
  std::jthread writer([&] { EXPECT_TRUE(store_.create(kPods, draft("a", "p"))); });
  {
    MutexLock lock(mutex);
    while (!inside) changed.wait(mutex);
  }
  std::jthread release([&] {
    clock_.await_waiters(1);  // The test's own thread, in reset().
    MutexLock lock(mutex);
    may_leave = true;
    changed.notify_all();
  });
  subscription.reset();
  MutexLock lock(mutex);
  EXPECT_TRUE(left);
}

/// Reads a collection as a watch does, until it has seen `wanted` changes.
class Watcher {
 public:
  Watcher(Store& store, std::size_t wanted)
      : store_(store),
        wanted_(wanted),
        subscription_(store.subscribe(kPods, [this] { wake(); })),
        thread_([this] { run(); }) {}

  /// Waits for the end.
  std::vector<Revision> seen() {
    thread_.join();
    return seen_;
  }

 private:
  void wake() {
    MutexLock lock(mutex_);
    woken_ = true;
    changed_.notify_all();
  }
  void run() {
    while (seen_.size() < wanted_) {
      const Revision after = seen_.empty() ? 1 : seen_.back();
      const std::vector<Change> changes = *store_.changes(kPods, after, 7);
      for (const Change& each : changes) seen_.push_back(each.object->revision);
      if (!changes.empty()) continue;
      MutexLock lock(mutex_);
      while (!woken_) changed_.wait(mutex_);
      woken_ = false;
    }
  }

  Store& store_;
  const std::size_t wanted_;
  std::vector<Revision> seen_;  // The thread's until it is joined.
  Mutex mutex_;
  CondVar changed_;
  bool woken_ GUARDED_BY(mutex_) = false;
  std::unique_ptr<Store::Subscription> subscription_;
  std::thread thread_;
};

TEST_F(StoreSubscriptionTest, WatchersMissNothingWhileManyWrite) {
  constexpr std::size_t kWriters = 4;
  constexpr std::size_t kWrites = 300;
  std::vector<std::unique_ptr<Watcher>> watchers;
  for (int i = 0; i < 4; ++i) {
    watchers.push_back(std::make_unique<Watcher>(store_, kWriters * kWrites));
  }
  {
    std::vector<std::jthread> writers;
    for (std::size_t writer = 0; writer < kWriters; ++writer) {
      writers.emplace_back([this, writer] {
        const std::string name = "pod-" + std::to_string(writer);
        Revision last = (*store_.create(kPods, draft("a", name)))->revision;
        for (std::size_t i = 1; i < kWrites; ++i) {
          const auto passing_by = store_.subscribe(kPods, [] {});
          last = (*store_.update(kPods, draft("a", name), last))->revision;
        }
      });
    }
  }
  std::vector<Revision> all;
  for (Revision i = 2; i < 2 + kWriters * kWrites; ++i) all.push_back(i);
  for (const auto& each : watchers) EXPECT_EQ(each->seen(), all);
}

}  // namespace
}  // namespace davit::sandbox
