#include "sandbox/server/request_threads.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {
namespace {

HttpServerResponse response_of(int status) {
  HttpServerResponse out;
  out.status = status;
  return out;
}

int status_of(HttpDeferredResponse& deferred) {
  std::optional<HttpServerResponse> response;
  while (!response) {
    std::this_thread::yield();
    response = deferred.take();
  }
  return response->status;
}

void wait_for(const std::stop_token& stop) {
  std::binary_semaphore stopped(0);
  const std::stop_callback callback(stop, [&stopped] { stopped.release(); });
  stopped.acquire();
}

TEST(RequestThreadsTest, EachRequestHasItsResponse) {
  test::FakeClock clock;
  RequestThreads threads;
  const auto first = threads.start([](const auto&) { return response_of(201); }, clock);
  const auto second = threads.start([](const auto&) { return response_of(409); }, clock);

  EXPECT_EQ(status_of(*second), 409);
  EXPECT_EQ(status_of(*first), 201);
}

TEST(RequestThreadsTest, ARequestThatHangsDelaysNoOther) {
  test::FakeClock clock;
  RequestThreads threads;
  const auto hanging = threads.start(
      [](const std::stop_token& stop) {
        wait_for(stop);
        return response_of(504);
      },
      clock);
  const auto other = threads.start([](const auto&) { return response_of(200); }, clock);

  EXPECT_EQ(status_of(*other), 200);
  EXPECT_FALSE(hanging->take());
  EXPECT_GT(hanging->next_take(), clock.now());
}

TEST(RequestThreadsTest, OneShareGetsAQuarterOfTheThreads) {
  constexpr std::size_t kQuarter = 64;
  test::FakeClock clock;
  RequestThreads threads;
  const auto hang = [](const std::stop_token& stop) {
    wait_for(stop);
    return response_of(504);
  };
  std::vector<std::unique_ptr<HttpDeferredResponse>> hanging;
  for (std::size_t i = 0; i < kQuarter; ++i) {
    hanging.push_back(threads.start(hang, clock, {"widgets.ex.io"}));
    ASSERT_NE(hanging.back(), nullptr);
  }

  EXPECT_EQ(threads.start(hang, clock, {"widgets.ex.io"}), nullptr);

  const auto answer = [](const auto&) { return response_of(200); };
  const auto other = threads.start(answer, clock, {"gadgets.ex.io"});
  const auto plain = threads.start(answer, clock);
  ASSERT_NE(other, nullptr);
  ASSERT_NE(plain, nullptr);
  EXPECT_EQ(status_of(*other), 200);
  EXPECT_EQ(status_of(*plain), 200);
}

TEST(RequestThreadsTest, RequestsThatHaveEndedTakeNothingOfTheirShare) {
  constexpr std::size_t kQuarter = 64;
  test::FakeClock clock;
  RequestThreads threads;
  const auto answer = [](const auto&) { return response_of(200); };
  std::vector<std::unique_ptr<HttpDeferredResponse>> ended;
  for (std::size_t i = 0; i < kQuarter; ++i) {
    ended.push_back(threads.start(answer, clock, {"widgets.ex.io"}));
    ASSERT_NE(ended.back(), nullptr);
    EXPECT_EQ(status_of(*ended.back()), 200);
  }

  EXPECT_NE(threads.start(answer, clock, {"widgets.ex.io"}), nullptr);
}

TEST(RequestThreadsTest, ManySharesThatHangLeaveThreadsToAnother) {
  constexpr int kHanging = 8;
  test::FakeClock clock;
  RequestThreads threads;
  const auto hang = [](const std::stop_token& stop) {
    wait_for(stop);
    return response_of(504);
  };
  std::vector<std::unique_ptr<HttpDeferredResponse>> hanging;
  for (int i = 0; i < kHanging; ++i) {
    const std::vector<std::string> shares = {"hook/" + std::to_string(i)};
    while (auto response = threads.start(hang, clock, shares)) {
      hanging.push_back(std::move(response));
    }
  }

  const auto other =
      threads.start([](const auto&) { return response_of(200); }, clock, {"hook/other"});
  const auto both = threads.start(hang, clock, {"hook/other", "hook/0"});

  ASSERT_NE(other, nullptr);
  EXPECT_EQ(status_of(*other), 200);
  EXPECT_EQ(both, nullptr) << "it would wait for a webhook that has its share";
}

TEST(RequestThreadsTest, ARequestWhoseResponseIsDroppedIsAskedToStop) {
  test::FakeClock clock;
  RequestThreads threads;
  std::binary_semaphore stopped(0);
  auto dropped = threads.start(
      [&stopped](const std::stop_token& stop) {
        wait_for(stop);
        stopped.release();
        return response_of(504);
      },
      clock);

  dropped.reset();

  stopped.acquire();
}

TEST(RequestThreadsTest, ACallerThatBlocksGetsTheFinalResponse) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  RequestThreads threads;
  HttpServerResponse early = response_of(429);
  early.deferred = threads.start([](const auto&) { return response_of(201); }, *clock);

  EXPECT_EQ(await_response(std::move(early), *clock, {}).status, 201);
}

TEST(RequestThreadsTest, ACallerThatStopsGetsTheEarlyResponse) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  RequestThreads threads;
  HttpServerResponse early = response_of(429);
  early.deferred = threads.start(
      [](const std::stop_token& stop) {
        wait_for(stop);
        return response_of(504);
      },
      *clock);
  std::stop_source stop;
  stop.request_stop();

  EXPECT_EQ(await_response(std::move(early), *clock, stop.get_token()).status, 429);
}

TEST(RequestThreadsTest, MoreThanTheLimitAreRefused) {
  test::FakeClock clock;
  RequestThreads threads;
  std::vector<std::unique_ptr<HttpDeferredResponse>> started;
  const auto hang = [](const std::stop_token& stop) {
    wait_for(stop);
    return response_of(200);
  };
  for (int i = 0; i < 256; ++i) {
    started.push_back(threads.start(hang, clock));
    ASSERT_NE(started.back(), nullptr) << i;
  }

  EXPECT_EQ(threads.start(hang, clock), nullptr);
}

TEST(RequestThreadsTest, WhatARequestThrowsEndsItAlone) {
  test::FakeClock clock;
  RequestThreads threads;
  const auto thrower = threads.start(
      [](const auto&) -> HttpServerResponse {
        return response_of(std::stoi("none"));  // Throws.
      },
      clock);
  const auto other = threads.start([](const auto&) { return response_of(200); }, clock);

  EXPECT_EQ(status_of(*thrower), 500);
  EXPECT_EQ(status_of(*other), 200);
}

}  // namespace
}  // namespace davit::sandbox
