#include "host/health/aside_call.hpp"

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

class AsideCallTest : public testing::Test {
 protected:
  ~AsideCallTest() override { door_.open(); }

  /// Begins a call that hangs until the door is open, and waits until it runs.
  AsideCall::Ticket hang() {
    const AsideCall::Ticket ticket = aside_.begin([this]() -> Result<std::string> {
      begun_.push("hang");
      door_.pass();
      return std::string("late");
    });
    begun_.await(1);
    return ticket;
  }
  AsideCall::Call named(const std::string& name) {
    return [this, name]() -> Result<std::string> {
      begun_.push(name);
      return name;
    };
  }
  /// What came of a call once all have ended.
  Result<std::string> result(AsideCall::Ticket ticket) {
    EXPECT_TRUE(aside_.wait_idle(Time::max()));
    const std::optional<Result<std::string>> known = aside_.take(ticket);
    if (!known) return Status(Code::kMisuse, "no result");
    return *known;
  }

  test::FakeClock clock_;
  test::Door door_;
  test::Collector<std::string> begun_;
  AsideCall aside_{clock_, kLimit};  // Last: its thread uses the others.
};

TEST_F(AsideCallTest, CallRunsOnAnotherThreadAndItsResultComesBack) {
  std::thread::id there;
  for (const char* text : {"one", "two"}) {
    const Result<std::string> response = result(aside_.begin([&]() -> Result<std::string> {
      there = std::this_thread::get_id();
      return std::string(text);
    }));
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_EQ(*response, text);
  }
  EXPECT_NE(there, std::this_thread::get_id());
  const AsideCall::Ticket unwell =
      aside_.begin([]() -> Result<std::string> { return Status(Code::kInternal, "unwell"); });
  EXPECT_EQ(result(unwell).error().message(), "unwell");
}

TEST_F(AsideCallTest, CallThatHangsFailsWithThoseBehindItAndFurtherOnesAtOnce) {
  const AsideCall::Ticket hangs = hang();
  const AsideCall::Ticket behind = aside_.begin(named("behind"));
  EXPECT_FALSE(aside_.take(hangs)) << "it may still end";
  EXPECT_FALSE(aside_.take(behind));

  clock_.advance(std::chrono::seconds(2));

  for (const AsideCall::Ticket each : {hangs, behind, aside_.begin(named("further"))}) {
    const std::optional<Result<std::string>> known = aside_.take(each);
    ASSERT_TRUE(known);
    EXPECT_EQ(known->error().code(), Code::kUnavailable);
    EXPECT_THAT(known->error().message(), HasSubstr("the plugin has not responded for 2 s"));
  }
  door_.open();
  EXPECT_TRUE(aside_.wait_idle(Time::max()));
  EXPECT_TRUE(result(aside_.begin(well)));
  EXPECT_EQ(begun_.entries().size(), 1U) << "the others did not wait in line";
}

TEST_F(AsideCallTest, NoMoreThanSoManyWait) {
  (void)hang();
  std::vector<AsideCall::Ticket> waiting;
  for (std::size_t i = 0; i < AsideCall::kWaitingMax; ++i) waiting.push_back(aside_.begin(well));

  const std::optional<Result<std::string>> further = aside_.take(aside_.begin(well));

  ASSERT_TRUE(further);
  EXPECT_EQ(further->error().code(), Code::kThrottled);
  for (const AsideCall::Ticket each : waiting) EXPECT_FALSE(aside_.take(each));
  door_.open();
  for (const AsideCall::Ticket each : waiting) EXPECT_TRUE(result(each));
}

TEST_F(AsideCallTest, CallThatHasNotBegunServesAllWhoJoinIt) {
  (void)hang();
  std::vector<AsideCall::Ticket> joined;
  for (std::size_t i = 0; i < 3 * AsideCall::kWaitingMax; ++i) {
    joined.push_back(aside_.join(named("joined")));
  }

  door_.open();

  for (const AsideCall::Ticket each : joined) {
    const Result<std::string> response = result(each);
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_EQ(*response, "joined");
  }
  EXPECT_FALSE(aside_.take(joined.front())) << "nothing is kept";
  EXPECT_EQ(begun_.entries().size(), 2U);
}

TEST_F(AsideCallTest, CallThatNobodyWantsAnyMoreIsNotMade) {
  const AsideCall::Ticket hangs = hang();
  const AsideCall::Ticket alone = aside_.join(named("shared"));
  const AsideCall::Ticket other = aside_.join(named("shared"));
  aside_.drop(hangs);
  aside_.drop(alone);
  const AsideCall::Ticket dropped = aside_.begin(named("dropped"));
  aside_.drop(dropped);

  door_.open();

  EXPECT_TRUE(result(other)) << "one of two still wants it";
  EXPECT_FALSE(aside_.take(hangs));
  EXPECT_FALSE(aside_.take(dropped));
  EXPECT_EQ(begun_.entries(), (std::vector<std::string>{"hang", "shared"}));
}

TEST_F(AsideCallTest, WithoutAThreadItFailsAndTheNextOneIsMade) {
  {
    const test::NoThreads scarce;
    const std::optional<Result<std::string>> known = aside_.take(aside_.begin(well));
    EXPECT_EQ(scarce.wanted(), 1U);
    ASSERT_TRUE(known);
    EXPECT_EQ(known->error().message(), "cannot start a thread");
  }
  EXPECT_TRUE(result(aside_.begin(well)));
}

TEST(AsideCallsTest, NewOneWaitsForNoneThatHangs) {
  test::FakeClock clock;
  test::Door door;
  test::Collector<int> begun;
  AsideCalls asides(clock, kLimit);
  (void)asides.make()->begin([&]() -> Result<std::string> {
    begun.push(1);
    door.pass();
    return std::string("late");
  });
  begun.await(1);

  const std::shared_ptr<AsideCall> next = asides.make();
  const AsideCall::Ticket ticket = next->begin(well);
  EXPECT_TRUE(next->wait_idle(Time::max())) << "in the place of one that hangs";
  EXPECT_TRUE(next->take(ticket));
  EXPECT_FALSE(asides.wait_idle(clock.now())) << "it is kept, and counted";
  door.open();
  EXPECT_TRUE(asides.wait_idle(Time::max()));
}

}  // namespace
}  // namespace davit::host
