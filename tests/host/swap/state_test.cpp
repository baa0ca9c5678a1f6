// A build's state goes to the next build, or the old one keeps serving.
#include <future>
#include <thread>

#include "tests/host/swap/swap_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(SwapTest, TheNewBuildKnowsWhatTheOldOneKnew) {
  place("state1");
  start();
  place("state2");

  const SwapReport report = swap();

  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(report.state_bytes, 2U);
  EXPECT_THAT(report.state_left, ElementsAre());
  transport_.await_requests(2);
  EXPECT_THAT(asked(), ElementsAre("v1-a", "v1.v2-a"));
}

TEST_F(SwapTest, ABuildMayBeMadeToBeginWithNothing) {
  place("state1");
  start();
  place("state2");

  ASSERT_TRUE(
      set_->swap({.plugin = "sample", .file = file(), .memory = SwapRequest::Memory::kLeave}).ok());

  transport_.await_requests(2);
  EXPECT_THAT(asked(), ElementsAre("v1-a", "v2-a"));
}

TEST_F(SwapTest, ABuildThatTakesNoStateReportsIt) {
  place("state1");
  start();
  place("v2");

  const SwapReport report = swap();

  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_THAT(report.state_left, ElementsAre("sample-controller"));
}

TEST_F(SwapTest, ABuildWithoutStateHandsNothingOver) {
  start();
  place("state2");

  const SwapReport report = swap();

  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(report.state_bytes, 0U);
  transport_.await_requests(2);
  EXPECT_EQ(asked()[1], "v2-a");
}

struct StateRefusal {
  const char* name;
  const char* from;
  const char* to;
  const char* text;
};

// clang-format off
constexpr StateRefusal kStateRefusals[] = {
    {"AnotherForm", "state1", "state3",
     "the old build writes its state in format 1, and the new one reads the formats 3 to 3"},
    {"AFormOfTheFuture", "state2", "state_refused",
     "the old build writes its state in format 2, and the new one reads the formats 1 to 1"},
    {"ARefusal", "state1", "state_refused",
     "the new build refuses the old one's state: not with me"},
    {"Garbage", "state_garbage", "state2",
     "the new build refuses the old one's state: that is no state of mine"},
    {"TooMuch", "state_huge", "state2",
     "the old build cannot write its state: it is larger than 64 MiB"},
    {"Silence", "state_mute", "state2", "the old build cannot write its state: it is secret"},
};
// clang-format on

class StateRefusalTest : public SwapTest, public testing::WithParamInterface<StateRefusal> {};

TEST_P(StateRefusalTest, LeavesTheOldBuildServing) {
  place(GetParam().from);
  start();
  place(GetParam().to);

  const SwapReport report = swap();

  EXPECT_EQ(report.outcome, SwapOutcome::kStateRefused) << to_string(report.outcome);
  EXPECT_EQ(report.text, std::string("controller sample-controller: ") + GetParam().text);
  EXPECT_EQ(report.residents, 0U);
  const std::string before = asked()[0].substr(0, asked()[0].size() - 1);
  add_pod("b");
  transport_.await_requests(2);
  EXPECT_EQ(asked()[1], before + "b");
  EXPECT_EQ(pods_.requests(), 2);
  place("v2");
  EXPECT_TRUE(swap().ok()) << "and the next good build comes in";
}

INSTANTIATE_TEST_SUITE_P(All, StateRefusalTest, testing::ValuesIn(kStateRefusals),
                         [](const auto& each) { return each.param.name; });

class StateHangTest : public SwapTest {
 protected:
  StateHangTest() {  // Like no other limit.
    limits_.state = std::chrono::seconds(7);
    limits_.retire = std::chrono::seconds(11);
  }

  /// Swaps `from` for `to`, one of which says `said` and does not end for an hour.
  SwapReport swap_with(const char* from, const char* to, const char* said) {
    place(from);
    start();
    place(to);
    const Time until = clock_.now() + limits_.state;
    std::future<SwapReport> swapping = std::async(std::launch::async, [this] { return swap(); });
    // Before that call, the handlers' rest may be waited for until the same time.
    while (log_.count(said) == 0) std::this_thread::yield();
    clock_.await_deadline(until);
    clock_.advance(limits_.state);
    clock_.await_deadline(clock_.now() + limits_.retire);
    clock_.advance(limits_.retire);
    return swapping.get();
  }
};

TEST_F(StateHangTest, AReaderThatDoesNotEndIsLeftBehindAndCounted) {
  const SwapReport report = swap_with("state1", "state_hangs", "It reads for an hour");

  EXPECT_EQ(report.outcome, SwapOutcome::kStateTimedOut);
  EXPECT_THAT(report.text, HasSubstr("read() of the new build did not return in time"));
  EXPECT_EQ(report.residents, 1U);
  add_pod("b");
  transport_.await_requests(2);
  EXPECT_EQ(asked()[1], "v1-b");
  clock_.advance(std::chrono::hours(1));  // It ends after all, and the next swap sweeps it up.
  place("v2");
  EXPECT_TRUE(swap().ok());
}

TEST_F(StateHangTest, TheOldBuildDoesNotSyncDuringItsWrite) {
  const SwapReport report = swap_with("state_writes_long", "state2", "It writes for an hour");

  EXPECT_EQ(report.outcome, SwapOutcome::kStateTimedOut);
  EXPECT_THAT(report.text, HasSubstr("write() of the old build has not returned"));
  const Status hangs = set_->serving().health("sample-controller");
  EXPECT_THAT(hangs.message(),
              HasSubstr("syncs are suspended: write() of its state has been running for"));
  const SwapReport again = swap();
  EXPECT_EQ(again.outcome, SwapOutcome::kStateTimedOut) << "it is not called twice at once";
  EXPECT_THAT(again.text, HasSubstr("write() of the old build has not returned"));
  add_pod("b");
  ASSERT_TRUE(set_->serving().pause("sample-controller").ok());
  ASSERT_TRUE(set_->serving().resume("sample-controller").ok());
  clock_.advance(std::chrono::hours(1));

  transport_.await_requests(2);
  EXPECT_THAT(asked(), ElementsAre("v1-a", "v1-b"));
  EXPECT_TRUE(set_->serving().health("sample-controller").ok());
  EXPECT_TRUE(swap().ok()) << "and its state can be had now";
}

TEST_F(StateHangTest, ABuildWhoseWriteHangsCanBeReplacedWithoutState) {
  ASSERT_FALSE(swap_with("state_writes_long", "state2", "It writes for an hour").ok());

  std::future<SwapReport> swapping = std::async(std::launch::async, [this] {
    return set_->swap({.plugin = "sample", .file = file(), .memory = SwapRequest::Memory::kLeave});
  });
  clock_.await_deadline(clock_.now() + limits_.retire);
  clock_.advance(limits_.retire);
  const SwapReport report = swapping.get();

  EXPECT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(report.residents, 2U) << "the old build, and the one that waits for its state";
  add_pod("b");
  transport_.await_requests(3);
  EXPECT_EQ(asked()[2], "v2-b");
  clock_.advance(std::chrono::hours(1));
}

}  // namespace
}  // namespace davit::host
