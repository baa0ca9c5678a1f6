/// Writes of several threads. Rule: docs/spec/cloud.md, F6.
#include "plugins/pools/shared_writes.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

namespace davit::pools {
namespace {

TEST(SharedWritesTest, EachChangeIsWrittenOnceByOneThreadAtATime) {
  constexpr int kCalls = 8;
  std::promise<void> begun;
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
  std::atomic<int> called{0};
  std::vector<std::size_t> sizes;  // One thread writes at a time.
  SharedWrites writes([&](const std::vector<SharedWrites::Change>& changes) {
    sizes.push_back(changes.size());
    if (sizes.size() == 1) {
      begun.set_value();
      released.wait();
    }
    return Status();
  });
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { EXPECT_TRUE(writes.make([](RouteTable&) {}).ok()); });
  begun.get_future().wait();
  for (int i = 1; i < kCalls; ++i) {
    threads.emplace_back([&] {
      ++called;
      EXPECT_TRUE(writes.make([](RouteTable&) {}).ok());
    });
  }
  while (called < kCalls - 1) std::this_thread::yield();
  release.set_value();
  threads.clear();
  std::size_t sum = 0;
  for (const std::size_t each : sizes) sum += each;
  EXPECT_EQ(sum, static_cast<std::size_t>(kCalls));
  EXPECT_EQ(sizes.front(), 1U);
}

TEST(SharedWritesTest, AFailedWriteFailsAllOfItsChangesAndNoOthers) {
  int writes_made = 0;
  SharedWrites writes([&](const std::vector<SharedWrites::Change>&) {
    return ++writes_made == 1 ? Status(Code::kUnavailable, "lost") : Status();
  });
  EXPECT_EQ(writes.make([](RouteTable&) {}).code(), Code::kUnavailable);
  EXPECT_TRUE(writes.make([](RouteTable&) {}).ok());
}

TEST(SharedWritesTest, AWriteThatThrowsEnds) {
  int writes_made = 0;
  SharedWrites writes([&](const std::vector<SharedWrites::Change>&) {
    if (++writes_made == 1) throw std::runtime_error("lost");
    return Status();
  });
  EXPECT_THROW(static_cast<void>(writes.make([](RouteTable&) {})), std::runtime_error);
  EXPECT_TRUE(writes.make([](RouteTable&) {}).ok());
  EXPECT_EQ(writes_made, 2);
}

}  // namespace
}  // namespace davit::pools
