#include "host/queue/work_queue.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Time kStart{std::chrono::hours(1)};

std::string taken_key(WorkQueue& queue, Time now = kStart) {
  auto lease = queue.take(now);
  return lease ? lease->key() : "(nothing)";
}

// RT-090
TEST(WorkQueueTest, KeyAddedThreeTimesRunsOnce) {
  WorkQueue queue;
  for (int i = 0; i < 3; ++i) queue.add("default/web", kStart);

  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(taken_key(queue), "default/web");
  EXPECT_EQ(taken_key(queue), "(nothing)");
}

// RT-091
TEST(WorkQueueTest, KeyAddedWhileRunningRunsExactlyOnceMore) {
  WorkQueue queue;
  queue.add("default/web", kStart);
  auto lease = queue.take(kStart);

  queue.add("default/web", kStart);
  queue.add("default/web", kStart);
  EXPECT_FALSE(queue.take(kStart)) << "a running key is never handed out twice";
  lease.reset();

  EXPECT_TRUE(queue.take(kStart));
  EXPECT_FALSE(queue.take(kStart));
}

TEST(WorkQueueTest, KeysComeInTheOrderOfTheirFirstAdd) {
  WorkQueue queue;
  for (const char* key : {"c", "a", "b", "a", "c"}) queue.add(key, kStart);

  EXPECT_EQ(taken_key(queue), "c");
  EXPECT_EQ(taken_key(queue), "a");
  EXPECT_EQ(taken_key(queue), "b");
}

// RT-092
TEST(WorkQueueTest, FailingKeyIsRetriedAfterItsBackOff) {
  WorkQueue queue;
  Time now = kStart;
  for (const int delay : {5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560}) {
    queue.add_rate_limited("default/web", now);
    EXPECT_EQ(queue.next_due(), now + milliseconds(delay));
    EXPECT_EQ(taken_key(queue, now + milliseconds(delay) - Duration(1)), "(nothing)");
    now += milliseconds(delay);
    EXPECT_EQ(taken_key(queue, now), "default/web");
  }
  queue.forget("default/web");
  queue.add_rate_limited("default/web", now);
  EXPECT_EQ(queue.next_due(), now + milliseconds(5));
}

// RT-094
TEST(WorkQueueTest, OfTwoDelaysTheEarlierWins) {
  for (const auto& [first, second] :
       {std::pair(seconds(10), seconds(1)), {seconds(1), seconds(10)}}) {
    WorkQueue queue;
    queue.add_after("default/web", first, kStart);
    queue.add_after("default/web", second, kStart);

    EXPECT_EQ(taken_key(queue, kStart + milliseconds(999)), "(nothing)");
    EXPECT_EQ(taken_key(queue, kStart + seconds(1)), "default/web");
    EXPECT_EQ(taken_key(queue, kStart + seconds(20)), "(nothing)");
    EXPECT_EQ(queue.next_due(), std::nullopt);
  }
}

TEST(WorkQueueTest, AddingAtOnceLeavesTheDelayedEntryAlone) {
  WorkQueue queue;
  queue.add_after("default/web", seconds(1), kStart);
  queue.add("default/web", kStart);

  EXPECT_EQ(taken_key(queue), "default/web");
  EXPECT_EQ(taken_key(queue, kStart + seconds(1)), "default/web");
}

TEST(WorkQueueTest, EndlessDelayDoesNotOverflow) {
  WorkQueue queue;
  queue.add_after("default/web", Duration::max(), kStart);
  EXPECT_EQ(queue.next_due(), Time::max());
}

// RT-095, except that waiting keys are dropped: the design stops handing out keys at shutdown.
TEST(WorkQueueTest, ShutDownHandsOutNothingMoreAndTakesNothingIn) {
  WorkQueue queue;
  for (const char* key : {"a", "b", "c"}) queue.add(key, kStart);
  queue.add_after("d", seconds(1), kStart);

  queue.shut_down();
  queue.add("e", kStart);

  EXPECT_EQ(taken_key(queue, kStart + seconds(5)), "(nothing)");
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_TRUE(queue.is_shut_down());
}

// RT-096
TEST(WorkQueueTest, ShutDownIsDrainedWhenTheRunningKeyEnds) {
  int changes = 0;
  WorkQueue queue({.on_change = [&] { ++changes; }});
  queue.add("a", kStart);
  auto lease = queue.take(kStart);
  queue.add("a", kStart);
  queue.shut_down();
  EXPECT_EQ(queue.running(), 1u);
  changes = 0;

  lease->finish(kStart);

  EXPECT_EQ(queue.running(), 0u);
  EXPECT_EQ(changes, 1) << "whoever waits for the drain is told";
  EXPECT_EQ(taken_key(queue), "(nothing)");
}

TEST(WorkQueueTest, PausedQueueTakesKeysInAndHandsThemOutWhenResumed) {
  WorkQueue queue;
  queue.pause();
  queue.add("a", kStart);
  queue.add_after("b", seconds(1), kStart);
  EXPECT_EQ(taken_key(queue, kStart + seconds(2)), "(nothing)");
  EXPECT_EQ(queue.next_due(), std::nullopt) << "a paused queue gives no reason to wake up";

  queue.resume();

  EXPECT_EQ(taken_key(queue, kStart + seconds(2)), "a");
  EXPECT_EQ(taken_key(queue, kStart + seconds(2)), "b");
}

TEST(WorkQueueTest, KeysOfOneShardNeverRunAtOnceAndKeepTheirOrder) {
  WorkQueue queue;
  queue.add({"a/1", "a"}, kStart);
  queue.add({"a/2", "a"}, kStart);
  queue.add({"a/3", "a"}, kStart);
  queue.add({"b/1", "b"}, kStart);

  auto first = queue.take(kStart);
  auto other = queue.take(kStart);
  EXPECT_EQ(first->key(), "a/1");
  EXPECT_EQ(other->key(), "b/1");
  EXPECT_EQ(taken_key(queue), "(nothing)");
  EXPECT_EQ(queue.size(), 2u);
  first->finish(kStart);

  EXPECT_EQ(taken_key(queue), "a/2");
  EXPECT_EQ(taken_key(queue), "a/3");
}

TEST(WorkQueueTest, DelayedKeyKeepsTheShardUnderWhichItRan) {
  WorkQueue queue;
  queue.add({"a/1", "a"}, kStart);
  auto lease = queue.take(kStart);
  queue.add_rate_limited("a/1", kStart);
  lease->finish(kStart);
  queue.add({"a/2", "a"}, kStart + seconds(1));
  auto second = queue.take(kStart + seconds(1));
  ASSERT_TRUE(second);

  EXPECT_FALSE(queue.take(kStart + seconds(1))) << "the shard is still busy";
}

struct RecordingMetrics final : QueueMetrics {
  void added() override { ++adds, ++depth; }
  void taken(Duration time) override { --depth, waited += time; }
  void dropped(std::size_t keys) override { depth -= static_cast<int>(keys); }
  void done(Duration time) override { worked += time; }
  void retried() override { ++retries; }
  int adds = 0, depth = 0, retries = 0;
  Duration waited{}, worked{};
};

// RT-097
TEST(WorkQueueTest, MetricsFollowTheKeys) {
  RecordingMetrics metrics;
  WorkQueue queue({.metrics = &metrics});

  queue.add("a", kStart);
  queue.add("a", kStart + seconds(1));
  auto lease = queue.take(kStart + seconds(3));
  EXPECT_EQ(metrics.adds, 1);
  EXPECT_EQ(metrics.waited, seconds(3)) << "counted from the first add";
  queue.add("a", kStart + seconds(4));
  EXPECT_EQ(metrics.depth, 1) << "a running key that was added again waits";
  lease->finish(kStart + seconds(5));
  EXPECT_EQ(metrics.worked, seconds(2));
  queue.add_after("b", seconds(1), kStart);
  queue.add_rate_limited("c", kStart);
  EXPECT_EQ(metrics.retries, 2);
  EXPECT_EQ(metrics.adds, 2) << "delayed keys do not wait for a worker yet";
}

// RT-098
TEST(WorkQueueTest, LongestRunningKeyIsReported) {
  WorkQueue queue;
  queue.add("a", kStart);
  queue.add("b", kStart);
  auto stuck = queue.take(kStart);
  auto other = queue.take(kStart + seconds(20));

  EXPECT_EQ(queue.running_work(kStart + seconds(30)).longest, seconds(30));
  EXPECT_EQ(queue.running_work(kStart + seconds(30)).total, seconds(40));
  stuck->finish(kStart + seconds(30));
  other->finish(kStart + seconds(30));
  EXPECT_EQ(queue.running_work(kStart + seconds(30)).longest, Duration(0));
}

/// A random walk against the three sets of upstream's queue.
TEST(WorkQueueTest, RandomUseNeverLosesOrDoublesAKey) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    WorkQueue queue;
    std::set<std::string> dirty;
    std::map<std::string, WorkQueue::Lease> running;
    std::set<std::string> busy_shards;
    for (int i = 0; i < 2000; ++i) {
      const std::string key = std::to_string(random() % 12);
      const std::string shard = std::to_string(std::stoi(key) % 5);
      switch (random() % 3) {
        case 0:
          queue.add({key, shard}, kStart);
          dirty.insert(key);
          break;
        case 1:
          if (auto lease = queue.take(kStart)) {
            ASSERT_EQ(dirty.erase(lease->key()), 1u) << "seed " << seed;
            ASSERT_TRUE(busy_shards.insert(lease->shard()).second) << "seed " << seed;
            running.emplace(lease->key(), std::move(*lease));
          } else {
            for (const std::string& waiting : dirty) {
              ASSERT_TRUE(busy_shards.contains(std::to_string(std::stoi(waiting) % 5)))
                  << "seed " << seed << ": " << waiting << " could run";
            }
          }
          break;
        default:
          if (const auto it = running.find(key); it != running.end()) {
            busy_shards.erase(it->second.shard());
            running.erase(it);
          }
      }
    }
    ASSERT_EQ(queue.running(), running.size()) << "seed " << seed;
  }
}

TEST(WorkQueueTest, AnotherQueueContinuesWithTheContentInItsOrder) {
  RecordingMetrics metrics;  // For both, as when a plugin is swapped.
  WorkQueue old({.metrics = &metrics});
  old.add("b", kStart - seconds(1));
  old.add({"a", "shard"}, kStart - seconds(1));
  old.add_rate_limited("late", kStart);
  old.pause();
  WorkQueue next({.metrics = &metrics});
  next.pause();
  next.add("own", kStart);
  next.add("a", kStart);
  next.add_after("late", std::chrono::hours(1), kStart);

  QueueContent content = old.take_content();
  EXPECT_EQ(content.size(), 3U);
  next.adopt(content);
  next.resume();

  EXPECT_TRUE(old.pending().empty());
  EXPECT_EQ(metrics.depth, 3);
  EXPECT_EQ(next.failures("late"), 1U);
  EXPECT_EQ(next.next_due(), kStart + std::chrono::milliseconds(5)) << "the earlier time wins";
  std::vector<std::string> order;
  while (auto lease = next.take(kStart)) order.push_back(lease->key());
  EXPECT_EQ(order, (std::vector<std::string>{"b", "a", "own"}));
  EXPECT_EQ(metrics.waited, seconds(2)) << "what the other queue held has waited since then";
}

TEST(WorkQueueTest, ContentGoesFromQueueToQueue) {
  WorkQueue queues[4];
  queues[0].add("a", kStart);
  queues[0].add("b", kStart);
  for (int i = 1; i < 4; ++i) {
    queues[i - 1].pause();
    queues[i].pause();
    queues[i].add("b", kStart);
    queues[i].add("new-" + std::to_string(i), kStart);
    QueueContent content = queues[i - 1].take_content();
    queues[i].adopt(content);
    queues[i].adopt(content);  // Nothing is left that waits.
  }
  queues[3].resume();

  std::vector<std::string> order;
  while (auto lease = queues[3].take(kStart)) order.push_back(lease->key());
  EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "new-1", "new-2", "new-3"}));
}

}  // namespace
}  // namespace davit::host
