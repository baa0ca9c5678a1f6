// Swaps for builds that read more than the caches keep.
#include <algorithm>
#include <future>

#include "tests/host/swap/swap_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(SwapTest, ABuildThatReadsMoreFindsItAtOnce) {
  start();
  place("wider");

  const SwapReport report = swap();

  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_THAT(report.listed, ElementsAre("pods"));
  EXPECT_EQ(report.resident, "");
  transport_.await_requests(2);
  EXPECT_THAT(asked(), ElementsAre("v1-a", "v2-a-n1"));
  pods_.await_requests(4);
  EXPECT_EQ(pods_.requests(), 4) << "one more list and watch";
  EXPECT_THAT(informers_.informers(), SizeIs(1));
}

TEST_F(SwapTest, OthersMissNothingAndHearNothingTwiceWhenABuildReadsMore) {
  place("beside");
  const std::filesystem::path other = directory_.path() / "beside.so";
  std::filesystem::rename(file(), other);
  place("v1");
  start();
  ASSERT_TRUE(set_->load({other}).ok());
  transport_.await_requests(2);
  place("wider");
  on_phase_ = [this](SwapPhase phase) {
    if (phase == SwapPhase::kRefill) add_pod("b");
  };

  ASSERT_TRUE(swap().ok());
  add_pod("c");

  // One of v1 may still come for "b"; then v2 has it again.
  const std::vector<std::string> wanted = {"beside-a", "beside-b", "beside-c", "v2-c-"};
  for (std::size_t count = 3;; ++count) {
    transport_.await_requests(count);
    const std::vector<std::string> all = asked();
    const auto is_there = [&all](const std::string& name) {
      return std::find(all.begin(), all.end(), name) != all.end();
    };
    if (std::all_of(wanted.begin(), wanted.end(), is_there)) break;
  }
  const std::vector<std::string> all = asked();
  for (const std::string& name : wanted) {
    EXPECT_EQ(std::count(all.begin(), all.end(), name), 1) << name;
  }
}

TEST_F(SwapTest, APluginThatIsLoadedAndReadsMoreSharesTheInformerOfTheOthers) {
  start();
  transport_.await_requests(1);
  place("wider_beside");

  const SwapReport loaded = set_->load({file()});

  ASSERT_TRUE(loaded.ok()) << loaded.text;
  EXPECT_THAT(loaded.listed, ElementsAre("pods"));
  EXPECT_THAT(informers_.informers(), SizeIs(1));
  add_pod("b");
  transport_.await_requests(4);
  std::vector<std::string> all = asked();
  std::sort(all.begin(), all.end());
  EXPECT_THAT(all, ElementsAre("beside-a-n1", "beside-b-", "v1-a", "v1-b"));
}

TEST_F(SwapTest, APluginThatIsLoadedHasAnInformerOfItsOwnWhereTheWiderOneDoesNotCome) {
  start();
  pods_.await_requests(2);
  pods_.respond_to_lists(api_error(403, Code::kForbidden, "Forbidden"));
  place("wider_beside");

  const SwapReport loaded = set_->load({file()});

  ASSERT_TRUE(loaded.ok()) << loaded.text;
  EXPECT_THAT(loaded.listed, IsEmpty());
  EXPECT_THAT(informers_.informers(), SizeIs(2));
}

TEST_F(SwapTest, TheOldBuildReadsOnlyWhatItDeclaredAlsoFromAWiderCache) {
  place("peeks");
  start();
  place("wider_refuses");

  const SwapReport report = swap();

  ASSERT_EQ(report.outcome, SwapOutcome::kStateRefused) << report.text;
  add_pod("b");
  transport_.await_requests(2);
  EXPECT_THAT(asked(), ElementsAre("v1-a-undeclared", "v1-b-undeclared"));
  place("wider");
  EXPECT_THAT(swap().listed, IsEmpty()) << "what was listed once is there";
}

TEST_F(SwapTest, AnUnwatchedResourceIsCachedBeforeTheSwitch) {
  start();
  place("services");
  const SwapReport report = swap();
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_THAT(report.listed, ElementsAre("services"));
  EXPECT_THAT(informers_.informers(), SizeIs(2));
  transport_.await_requests(2);
  EXPECT_THAT(asked(), ElementsAre("v1-a", "v2-a"));
}

TEST_F(SwapTest, ABuildThatReadsLessListsNothing) {
  place("wider");
  start();
  place("v1");
  const SwapReport report = swap();
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_THAT(report.listed, IsEmpty());
  EXPECT_EQ(pods_.requests(), 2);
}

TEST_F(SwapTest, WhatTheServerDoesNotGiveLeavesTheOldBuildServing) {
  start();
  pods_.await_requests(2);
  pods_.respond_to_lists(api_error(403, Code::kForbidden, "Forbidden"));
  place("services");

  const SwapReport report = swap();

  EXPECT_EQ(report.outcome, SwapOutcome::kRefillFailed) << report.text;
  EXPECT_THAT(report.text, HasSubstr("refuses the list: services (refused with 403)"));
  EXPECT_EQ(report.residents, 0U);
  EXPECT_THAT(informers_.informers(), SizeIs(1));
  add_pod("b");
  transport_.await_requests(2);
  EXPECT_THAT(asked(), ElementsAre("v1-a", "v1-b"));
  pods_.respond_to_lists({});
  EXPECT_TRUE(swap().ok());
}

TEST_F(SwapTest, ARefillThatDoesNotEndIsGivenUp) {
  start();
  pods_.await_requests(2);
  pods_.hold(PodServer::Hold::kLists);
  place("wider");
  const Time until = clock_.now() + limits_.refill;

  std::future<SwapReport> swapping = std::async(std::launch::async, [this] { return swap(); });
  clock_.await_deadline(until);
  add_pod("b");
  transport_.await_requests(2);
  clock_.advance(limits_.refill);
  const SwapReport report = swapping.get();

  EXPECT_EQ(report.outcome, SwapOutcome::kRefillTimedOut) << report.text;
  EXPECT_THAT(report.text, HasSubstr("did not arrive in time: pods"));
  EXPECT_THAT(asked(), ElementsAre("v1-a", "v1-b"));
  EXPECT_THAT(report.listed, IsEmpty());
  pods_.hold(PodServer::Hold::kNothing);
  add_pod("c");
  transport_.await_requests(3);
  EXPECT_THAT(swap().listed, ElementsAre("pods"));
}

TEST_F(SwapTest, AHostThatStopsDoesNotWaitForARefill) {
  start();
  pods_.await_requests(2);
  pods_.hold(PodServer::Hold::kLists);
  place("wider");
  const Time until = clock_.now() + limits_.refill;
  std::future<SwapReport> swapping = std::async(std::launch::async, [this] { return swap(); });
  clock_.await_deadline(until);

  EXPECT_TRUE(set_->stop({.cancel_at = until, .give_up_at = until}));

  EXPECT_EQ(swapping.get().outcome, SwapOutcome::kStopping);
}

}  // namespace
}  // namespace davit::host
