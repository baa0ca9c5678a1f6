#include "host/health/aside_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/support/collector.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

constexpr Duration kLimit = std::chrono::milliseconds(10);

/// A call that hangs until the limit has passed on the clock; what came of it.
Result<std::string> outlast(AsideCall& aside, test::FakeClock& clock, AsideCall::Call call) {
  auto response = std::async(std::launch::async, [&] { return aside.run(std::move(call)); });
  clock.await_waiters(1);
  clock.advance(kLimit);
  return response.get();
}

TEST(AsideCallTest, CallRunsOnAnotherThreadAndItsResultComesBack) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  AsideCall aside(*clock, std::chrono::hours(1));
  std::thread::id there;
  for (const char* text : {"one", "two"}) {
    const Result<std::string> response = aside.run([&]() -> Result<std::string> {
      there = std::this_thread::get_id();
      return std::string(text);
    });
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_EQ(*response, text);
  }
  EXPECT_NE(there, std::this_thread::get_id());
  const Status failed =
      aside.run([]() -> Result<std::string> { return Status(Code::kInternal, "unwell"); }).error();
  EXPECT_EQ(failed.message(), "unwell");
}

TEST(AsideCallTest, HangingCallIsWaitedForOnceAndFailsAtOnceThen) {
  test::FakeClock clock;
  test::Door door;
  test::Collector<int> calls;
  AsideCall aside(clock, kLimit);
  const auto hang = [&]() -> Result<std::string> {
    calls.push(1);
    door.pass();
    return std::string("late");
  };
  for (int i = 0; i < 3; ++i) {
    const Status status = i == 0 ? outlast(aside, clock, hang).error() : aside.run(hang).error();
    EXPECT_EQ(status.code(), Code::kUnavailable);
    EXPECT_THAT(status.message(),
                HasSubstr("the plugin has not answered for " + std::to_string(i) + " s"));
    clock.advance(std::chrono::seconds(1));
  }
  EXPECT_EQ(calls.await(1).size(), 1U) << "the others did not wait in line";
  door.open();
  const auto well = [] { return Result<std::string>(std::string("well")); };
  Result<std::string> response = aside.run(well);
  while (!response) response = aside.run(well);
  EXPECT_EQ(*response, "well");
}

TEST(AsideCallsTest, NewOneWaitsForNoneThatHangs) {
  test::FakeClock clock;
  test::Door door;
  AsideCalls asides(clock, kLimit);
  EXPECT_FALSE(outlast(*asides.make(), clock, [&] {
    door.pass();
    return Result<std::string>(std::string("late"));
  }));

  const Result<std::string> response =
      asides.make()->run([] { return Result<std::string>(std::string("well")); });

  EXPECT_TRUE(response) << "in the place of one that hangs";
  EXPECT_FALSE(asides.wait_idle(clock.now())) << "it is kept, and counted";
  door.open();
  EXPECT_TRUE(asides.wait_idle(Time::max()));
}

}  // namespace
}  // namespace davit::host
