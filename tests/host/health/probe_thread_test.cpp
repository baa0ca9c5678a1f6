#include "host/health/probe_thread.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/collector.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/scarcity.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

constexpr Duration kLimit = std::chrono::milliseconds(10);

Result<std::string> well() { return std::string("well"); }

class ProbeThreadTest : public testing::Test {
 protected:
  ~ProbeThreadTest() override { door_.open(); }

  /// Begins a call that hangs until the door is open, and waits until it runs.
  ProbeThread::Ticket hang() {
    const ProbeThread::Ticket ticket = thread_.begin([this]() -> Result<std::string> {
      begun_.push("hang");
      door_.pass();
      return std::string("late");
    });
    begun_.await(1);
    return ticket;
  }
  ProbeThread::Call named(const std::string& name) {
    return [this, name]() -> Result<std::string> {
      begun_.push(name);
      return name;
    };
  }
  /// The result of a call once all have returned.
  Result<std::string> result(ProbeThread::Ticket ticket) {
    EXPECT_TRUE(thread_.wait_idle(Time::max()));
    const std::optional<Result<std::string>> known = thread_.take(ticket);
    if (!known) return Status(Code::kMisuse, "no result");
    return *known;
  }

  test::FakeClock clock_;
  test::Door door_;
  test::Collector<std::string> begun_;
  ProbeThread thread_{clock_, kLimit};  // Last: its thread uses the others.
};

TEST_F(ProbeThreadTest, CallRunsOnAnotherThreadAndItsResultIsReturned) {
  std::thread::id there;
  for (const char* text : {"one", "two"}) {
    const Result<std::string> response = result(thread_.begin([&]() -> Result<std::string> {
      there = std::this_thread::get_id();
      return std::string(text);
    }));
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_EQ(*response, text);
  }
  EXPECT_NE(there, std::this_thread::get_id());
  const ProbeThread::Ticket unwell =
      thread_.begin([]() -> Result<std::string> { return Status(Code::kInternal, "unwell"); });
  EXPECT_EQ(result(unwell).error().message(), "unwell");
}

TEST_F(ProbeThreadTest, CallThatHangsFailsWithThoseBehindItAndFurtherOnesAtOnce) {
  const ProbeThread::Ticket hangs = hang();
  const ProbeThread::Ticket behind = thread_.begin(named("behind"));
  EXPECT_FALSE(thread_.take(hangs)) << "it may still end";
  EXPECT_FALSE(thread_.take(behind));

  clock_.advance(std::chrono::seconds(2));

  for (const ProbeThread::Ticket each : {hangs, behind, thread_.begin(named("further"))}) {
    const std::optional<Result<std::string>> known = thread_.take(each);
    ASSERT_TRUE(known);
    EXPECT_EQ(known->error().code(), Code::kUnavailable);
    EXPECT_THAT(known->error().message(), HasSubstr("the plugin has not responded for 2 s"));
  }
  door_.open();
  EXPECT_TRUE(thread_.wait_idle(Time::max()));
  EXPECT_TRUE(result(thread_.begin(well)));
  EXPECT_EQ(begun_.entries().size(), 1U) << "the others did not wait in line";
}

TEST_F(ProbeThreadTest, ResultIsAwaitedUntilTheDeadline) {
  EXPECT_EQ(*thread_.await(thread_.begin(&well), Time::max()), "well");

  const Result<std::string> late = thread_.await(hang(), clock_.now());
  EXPECT_EQ(late.error().code(), Code::kUnavailable);
  const ProbeThread::Ticket dropped = thread_.begin(named("dropped"));
  EXPECT_FALSE(thread_.await(dropped, clock_.now()));
  door_.open();

  EXPECT_TRUE(thread_.wait_idle(Time::max()));
  EXPECT_FALSE(thread_.take(dropped)) << "it was not made";
}

TEST_F(ProbeThreadTest, NoMoreThanSoManyWait) {
  (void)hang();
  std::vector<ProbeThread::Ticket> waiting;
  for (std::size_t i = 0; i < ProbeThread::kWaitingMax; ++i) waiting.push_back(thread_.begin(well));

  const std::optional<Result<std::string>> further = thread_.take(thread_.begin(well));

  ASSERT_TRUE(further);
  EXPECT_EQ(further->error().code(), Code::kThrottled);
  for (const ProbeThread::Ticket each : waiting) EXPECT_FALSE(thread_.take(each));
  door_.open();
  for (const ProbeThread::Ticket each : waiting) EXPECT_TRUE(result(each));
}

TEST_F(ProbeThreadTest, CallThatHasNotBegunServesAllWhoJoinIt) {
  (void)hang();
  std::vector<ProbeThread::Ticket> joined;
  for (std::size_t i = 0; i < 3 * ProbeThread::kWaitingMax; ++i) {
    joined.push_back(thread_.join(named("joined")));
  }

  door_.open();

  for (const ProbeThread::Ticket each : joined) {
    const Result<std::string> response = result(each);
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_EQ(*response, "joined");
  }
  EXPECT_FALSE(thread_.take(joined.front())) << "nothing is kept";
  EXPECT_EQ(begun_.entries().size(), 2U);
}

TEST_F(ProbeThreadTest, CallWhoseTicketsAreDroppedIsNotMade) {
  const ProbeThread::Ticket hangs = hang();
  const ProbeThread::Ticket alone = thread_.join(named("shared"));
  const ProbeThread::Ticket other = thread_.join(named("shared"));
  thread_.drop(hangs);
  thread_.drop(alone);
  const ProbeThread::Ticket dropped = thread_.begin(named("dropped"));
  thread_.drop(dropped);

  door_.open();

  EXPECT_TRUE(result(other)) << "one of two still wants it";
  EXPECT_FALSE(thread_.take(hangs));
  EXPECT_FALSE(thread_.take(dropped));
  EXPECT_EQ(begun_.entries(), (std::vector<std::string>{"hang", "shared"}));
}

TEST_F(ProbeThreadTest, WithoutAThreadItFailsAndTheNextOneIsMade) {
  {
    const test::NoThreads scarce;
    const std::optional<Result<std::string>> known = thread_.take(thread_.begin(well));
    EXPECT_EQ(scarce.wanted(), 1U);
    ASSERT_TRUE(known);
    EXPECT_EQ(known->error().message(), "cannot start a thread");
  }
  EXPECT_TRUE(result(thread_.begin(well)));
}

TEST(ProbeThreadsTest, NewOneWaitsForNoneThatHangs) {
  test::FakeClock clock;
  test::Door door;
  test::Collector<int> begun;
  ProbeThreads probe_threads(clock, kLimit);
  (void)probe_threads.make()->begin([&]() -> Result<std::string> {
    begun.push(1);
    door.pass();
    return std::string("late");
  });
  begun.await(1);

  const std::shared_ptr<ProbeThread> next = probe_threads.make();
  const ProbeThread::Ticket ticket = next->begin(well);
  EXPECT_TRUE(next->wait_idle(Time::max())) << "in the place of one that hangs";
  EXPECT_TRUE(next->take(ticket));
  EXPECT_FALSE(probe_threads.wait_idle(clock.now())) << "it is kept, and counted";
  door.open();
  EXPECT_TRUE(probe_threads.wait_idle(Time::max()));
}

}  // namespace
}  // namespace davit::host
