#include "host/health/aside_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/collector.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

TEST(AsideCallTest, CallRunsOnAnotherThreadAndItsResultComesBack) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  AsideCall aside(*clock, std::chrono::hours(1));
  std::thread::id there;
  for (const char* text : {"one", "two"}) {
    const Result<std::string> answer = aside.run([&]() -> Result<std::string> {
      there = std::this_thread::get_id();
      return std::string(text);
    });
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(*answer, text);
  }
  EXPECT_NE(there, std::this_thread::get_id());
  const Status failed =
      aside.run([]() -> Result<std::string> { return Status(Code::kInternal, "unwell"); }).error();
  EXPECT_EQ(failed.message(), "unwell");
}

TEST(AsideCallTest, HangingCallIsWaitedForOnceAndFailsAtOnceThen) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  test::Door door;
  test::Collector<int> calls;
  AsideCall aside(*clock, std::chrono::milliseconds(10));
  const auto hang = [&]() -> Result<std::string> {
    calls.push(1);
    door.pass();
    return std::string("late");
  };
  for (int i = 0; i < 3; ++i) {
    const Status status = aside.run(hang).error();
    EXPECT_EQ(status.code(), Code::kUnavailable);
    EXPECT_THAT(status.message(), HasSubstr("the plugin has not answered for 0 s"));
  }
  EXPECT_EQ(calls.await(1).size(), 1U) << "the others did not wait in line";
  door.open();
  const auto well = [] { return Result<std::string>(std::string("well")); };
  Result<std::string> answer = aside.run(well);
  while (!answer) answer = aside.run(well);
  EXPECT_EQ(*answer, "well");
}

TEST(AsideCallsTest, NewOneWaitsForNoneThatHangs) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  test::Door door;
  AsideCalls asides(*clock, std::chrono::milliseconds(10));
  EXPECT_FALSE(asides.make()->run([&] {
    door.pass();
    return Result<std::string>(std::string("late"));
  }));

  const Result<std::string> answer =
      asides.make()->run([] { return Result<std::string>(std::string("well")); });

  EXPECT_TRUE(answer) << "in the place of one that hangs";
  EXPECT_FALSE(asides.wait_idle(clock->now())) << "it is kept, and counted";
  door.open();
  EXPECT_TRUE(asides.wait_idle(Time::max()));
}

}  // namespace
}  // namespace davit::host
