#include "host/serving/request_threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/collector.hpp"

namespace davit::host {
namespace {

using Line = RequestThreads::Line;

TEST(RequestThreadsTest, JobsOfTheFirstLineDoNotWaitForSlowOthers) {
  test::Door door;
  test::Collector<std::string> done;
  RequestThreads threads;
  const auto slow = [&](std::stop_token) {
    done.push("began");
    door.pass();
  };
  for (std::size_t i = 0; i < RequestThreads::kWaitingMax; ++i) {
    ASSERT_TRUE(threads.post(slow, Line::kOthers));
  }
  done.await(RequestThreads::kOthersMax);  // They do not end, and the rest waits.

  for (std::size_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(threads.post([&](std::stop_token) { done.push("first"); }, Line::kFirst));
  }

  const std::vector<std::string> all = done.await(RequestThreads::kOthersMax + 10);
  EXPECT_EQ(std::count(all.begin(), all.end(), "first"), 10);
  EXPECT_EQ(std::count(all.begin(), all.end(), "began"),
            static_cast<std::ptrdiff_t>(RequestThreads::kOthersMax));
  door.open();
  threads.wait_idle();
  EXPECT_EQ(done.entries().size(), RequestThreads::kWaitingMax + 10) << "none is forgotten";
}

TEST(RequestThreadsTest, EachLineHasItsOwnLimit) {
  test::Door door;
  RequestThreads threads;
  const auto slow = [&](std::stop_token) { door.pass(); };
  int others = 0;
  while (threads.post(slow, Line::kOthers)) ++others;
  EXPECT_GE(others, static_cast<int>(RequestThreads::kWaitingMax));

  int first = 0;
  while (threads.post(slow, Line::kFirst)) ++first;

  EXPECT_GE(first, static_cast<int>(RequestThreads::kWaitingMax));
  door.open();
}

}  // namespace
}  // namespace davit::host
