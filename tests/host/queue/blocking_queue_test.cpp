#include "host/queue/blocking_queue.hpp"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "tests/support/fake_clock.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;

std::future<std::string> take_on_a_thread(BlockingQueue& queue, std::stop_token stop = {}) {
  return std::async(std::launch::async, [&queue, stop] {
    auto lease = queue.take(stop);
    return lease ? lease->key() : std::string("(nothing)");
  });
}

TEST(BlockingQueueTest, WaitingWorkerGetsTheKeyThatIsAdded) {
  test::FakeClock clock;
  BlockingQueue queue({}, clock);
  auto worker = take_on_a_thread(queue);

  queue.add("default/web");

  EXPECT_EQ(worker.get(), "default/web");
}

TEST(BlockingQueueTest, WaitingWorkerGetsADelayedKeyWhenItIsDue) {
  test::FakeClock clock;
  BlockingQueue queue({}, clock);
  queue.add_after("default/web", seconds(10));
  auto worker = take_on_a_thread(queue);
  clock.await_waiters(1);

  clock.advance(seconds(10));

  EXPECT_EQ(worker.get(), "default/web");
}

TEST(BlockingQueueTest, StopAndShutDownWakeTheWorkers) {
  test::FakeClock clock;
  BlockingQueue queue({}, clock);
  std::stop_source stop;
  auto stopped = take_on_a_thread(queue, stop.get_token());
  auto shut_down = take_on_a_thread(queue);

  stop.request_stop();
  EXPECT_EQ(stopped.get(), "(nothing)");
  queue.queue().shut_down();
  EXPECT_EQ(shut_down.get(), "(nothing)");
}

TEST(BlockingQueueTest, ResumeWakesAsManyWorkersAsThereAreKeys) {
  test::FakeClock clock;
  BlockingQueue queue({}, clock);
  queue.queue().pause();
  for (const char* key : {"a", "b", "c"}) queue.add(key);
  std::vector<std::future<std::string>> workers;
  for (int i = 0; i < 3; ++i) workers.push_back(take_on_a_thread(queue));
  clock.await_waiters(3);

  queue.queue().resume();

  for (auto& worker : workers) EXPECT_NE(worker.get(), "(nothing)");
}

// RT-096
TEST(BlockingQueueTest, DrainWaitsForTheRunningKey) {
  test::FakeClock clock;
  BlockingQueue queue({}, clock);
  queue.add("a");
  auto lease = queue.take({});
  queue.queue().shut_down();
  EXPECT_FALSE(queue.wait_drained(clock.now(), {})) << "a deadline that has passed does not wait";
  auto drained =
      std::async(std::launch::async, [&] { return queue.wait_drained(Time::max(), {}); });

  lease->finish(clock.now());

  EXPECT_TRUE(drained.get());
}

}  // namespace
}  // namespace davit::host
