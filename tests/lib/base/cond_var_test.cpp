#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "lib/base/mutex.hpp"

namespace davit {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct Turns {
  Mutex mutex;
  CondVar changed;
  int turn GUARDED_BY(mutex) = 0;

  /// Waits for one turn and begins the next.
  void take(int from) EXCLUDES(mutex) {
    {
      MutexLock lock(mutex);
      while (turn != from) changed.wait(mutex);
      ++turn;
    }
    changed.notify_one();
  }
};

// A lost notification would end this with the test's time limit.
TEST(CondVarTest, NoNotificationIsLostBetweenTheLookAtTheConditionAndTheWait) {
  constexpr int kTurns = 20000;
  Turns turns;
  std::jthread other([&] {
    for (int i = 1; i < kTurns; i += 2) turns.take(i);
  });
  for (int i = 0; i < kTurns; i += 2) turns.take(i);
  other.join();

  MutexLock lock(turns.mutex);
  EXPECT_EQ(turns.turn, kTurns);
}

/// Threads that each take one of what is offered.
struct Takers {
  Mutex mutex;
  CondVar offered;
  int offers GUARDED_BY(mutex) = 0;
  std::vector<std::jthread> threads;

  explicit Takers(int count) {
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([this] {
        MutexLock lock(mutex);
        while (offers == 0) offered.wait(mutex);
        --offers;
      });
    }
  }
  void offer(int count) EXCLUDES(mutex) {
    MutexLock lock(mutex);
    offers += count;
  }
  [[nodiscard]] int left() EXCLUDES(mutex) {
    for (std::jthread& each : threads) each.join();
    MutexLock lock(mutex);
    return offers;
  }
};

TEST(CondVarTest, NotifyAllWakesEveryThread) {
  Takers takers(8);
  takers.offer(8);
  takers.offered.notify_all();

  EXPECT_EQ(takers.left(), 0);
}

TEST(CondVarTest, EachNotifyOneWakesAnotherThread) {
  Takers takers(8);
  for (int i = 0; i < 8; ++i) {
    takers.offer(1);
    takers.offered.notify_one();
  }

  EXPECT_EQ(takers.left(), 0);
}

TEST(CondVarTest, WaitEndsWhenItsTimeHasPassedAndHoldsTheMutexAgain) {
  Mutex mutex;
  CondVar never;
  const auto began = steady_clock::now();
  {
    MutexLock lock(mutex);
    while (steady_clock::now() - began < milliseconds(20)) never.wait_for(mutex, milliseconds(20));
  }
  EXPECT_GE(steady_clock::now() - began, milliseconds(20));

  MutexLock lock(mutex);
  never.wait_for(mutex, milliseconds(-1));
  never.wait_for(mutex, std::chrono::nanoseconds::zero());
}

TEST(CondVarTest, NotificationEndsAWaitWithATimeLimit) {
  Mutex mutex;
  CondVar changed;
  bool is_done = false;
  std::jthread other([&] {
    MutexLock lock(mutex);
    is_done = true;
    changed.notify_all();
  });
  MutexLock lock(mutex);
  while (!is_done) changed.wait_for(mutex, std::chrono::nanoseconds::max());

  EXPECT_TRUE(is_done);
}

}  // namespace
}  // namespace davit
