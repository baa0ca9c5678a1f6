#include "sandbox/faults/watch_faults.hpp"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::seconds;
using Verdict = WatchFaults::Verdict;

constexpr Time kFaultTime = test::FakeClock::kStart;

FaultHit hit(std::string_view text, std::uint64_t id = 1) {
  FaultScript script = *parse_fault_script(json_literal(text));
  return {id, std::make_shared<const FaultRule>(std::move(script.rules.at(0))), 1};
}

TEST(WatchFaultsTest, HoldWithoutALengthLastsUntilItsRuleGoes) {
  WatchFaults faults;
  faults.arm(hit(R"({"fault":"hold"})"), kFaultTime);
  EXPECT_EQ(faults.verdict(kFaultTime), Verdict::kHeld);
  EXPECT_EQ(faults.verdict(kFaultTime + seconds(10000)), Verdict::kHeld);
  EXPECT_EQ(faults.next_change(kFaultTime), Time::max());
  faults.disarm(1);
  EXPECT_EQ(faults.verdict(kFaultTime), Verdict::kDeliver);
  EXPECT_TRUE(faults.empty());
}

TEST(WatchFaultsTest, HoldEndsByItselfAfterItsLength) {
  WatchFaults faults;
  faults.arm(hit(R"({"fault":"hold","after":"2s","for":"5s"})"), kFaultTime);
  EXPECT_EQ(faults.verdict(kFaultTime), Verdict::kDeliver);
  EXPECT_EQ(faults.next_change(kFaultTime), kFaultTime + seconds(2));
  EXPECT_EQ(faults.verdict(kFaultTime + seconds(3)), Verdict::kHeld);
  EXPECT_EQ(faults.next_change(kFaultTime + seconds(3)), kFaultTime + seconds(8));
  EXPECT_EQ(faults.verdict(kFaultTime + seconds(8)), Verdict::kDeliver);
  EXPECT_TRUE(faults.empty());
}

TEST(WatchFaultsTest, FaultWaitsForItsEvents) {
  WatchFaults faults;
  faults.arm(hit(R"({"fault":"cut","afterEvents":2})"), kFaultTime);
  EXPECT_EQ(faults.verdict(kFaultTime), Verdict::kDeliver);
  faults.passed();
  EXPECT_EQ(faults.verdict(kFaultTime), Verdict::kDeliver);
  EXPECT_EQ(faults.next_change(kFaultTime), Time::max());
  faults.passed();
  EXPECT_EQ(faults.verdict(kFaultTime), Verdict::kCut);
  EXPECT_EQ(faults.next_change(kFaultTime), kFaultTime);
}

TEST(WatchFaultsTest, FaultWithATimeAndEventsWaitsForBoth) {
  for (const bool events_first : {true, false}) {
    WatchFaults faults;
    faults.arm(hit(R"({"fault":"cut","after":"2s","afterEvents":1})"), kFaultTime);
    const Time later = kFaultTime + seconds(2);
    if (events_first) {
      faults.passed();
      EXPECT_EQ(faults.verdict(kFaultTime), Verdict::kDeliver) << "its time has not come";
      EXPECT_EQ(faults.next_change(kFaultTime), later);
    } else {
      EXPECT_EQ(faults.verdict(later), Verdict::kDeliver) << "its event has not come";
      EXPECT_EQ(faults.next_change(later), Time::max());
      faults.passed();
    }
    EXPECT_EQ(faults.verdict(later), Verdict::kCut);
  }
}

TEST(WatchFaultsTest, EveryEndHasItsForm) {
  for (const auto& [text, verdict] :
       {std::pair{R"({"fault":"cut"})", Verdict::kCut},
        std::pair{R"({"fault":"cut","clean":true})", Verdict::kEnded},
        std::pair{R"({"fault":"status","code":410})", Verdict::kGone}}) {
    WatchFaults faults;
    faults.arm(hit(text), kFaultTime);
    EXPECT_EQ(faults.verdict(kFaultTime), verdict) << text;
  }
}

TEST(WatchFaultsTest, SilentWatchCanBeCutButSaysNothingMore) {
  WatchFaults faults;
  faults.arm(hit(R"({"fault":"hold"})", 1), kFaultTime);
  faults.arm(hit(R"({"fault":"status","code":410})", 2), kFaultTime);
  EXPECT_EQ(faults.verdict(kFaultTime), Verdict::kHeld);
  faults.arm(hit(R"({"fault":"cut"})", 3), kFaultTime);
  EXPECT_EQ(faults.verdict(kFaultTime), Verdict::kCut);
}

TEST(WatchFaultsTest, FaultsOfRequestsAreNoneOfWatches) {
  WatchFaults faults;
  faults.arm(hit(R"({"fault":"delay","delay":"1s"})"), kFaultTime);
  EXPECT_TRUE(faults.empty());
}

}  // namespace
}  // namespace davit::sandbox
