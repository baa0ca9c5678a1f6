// A new build that does badly goes back for the one before.
#include <future>

#include "tests/host/swap/swap_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

class RollbackTest : public SwapTest {
 protected:
  static constexpr ProbationTerms kTerms{seconds(30), 20};

  RollbackTest() {
    // Time goes fast here: only the probation is to end by it.
    limits_.init = limits_.fill = limits_.drain = limits_.state = limits_.retire = hours(1000);
  }

  /// Syncs of build v2 fail from now on.
  void fail_v2() {
    transport_.set_script([](const HttpRequest& request) {
      return request.body.find("v2-") == std::string::npos ? created(request, "0") : failed();
    });
  }
  /// A swap whose probation is waited for. Time passes as the set looks, but not before so many
  /// requests were sent and so many syncs failed, which needs time of the machine's, not of the
  /// clock.
  SwapReport swap_and_watch(std::size_t requests, std::size_t failures) {
    std::future<SwapReport> swapping = std::async(std::launch::async, [this] {
      return set_->swap({.plugin = "sample", .file = file(), .probation = kTerms});
    });
    transport_.await_requests(requests);
    while (swapping.wait_for(milliseconds(1)) != std::future_status::ready) {
      if (log_.count("Sync failed") >= failures) clock_.advance(milliseconds(200));
    }
    return swapping.get();
  }
  [[nodiscard]] BuildName build() { return set_->serving().state().plugins[0].build; }
};

TEST_F(RollbackTest, ABuildWhoseSyncsFailGoesBackForTheOneBefore) {
  constexpr int kPods = 12;
  pods_.size = kPods;
  start_without_waiting();
  transport_.await_requests(kPods);
  fail_v2();
  place("v2");
  const std::string first = build().digest;

  const SwapReport report = swap_and_watch(2 * kPods, kPods);

  EXPECT_EQ(report.outcome, SwapOutcome::kRolledBack) << report.text;
  EXPECT_THAT(report.text, HasSubstr("generation 2 (v2) failed its probation: "));
  EXPECT_THAT(report.text, HasSubstr("syncs failed, and 20 % may; generation 3 is v1 again"));
  EXPECT_EQ(build().version, "v1");
  EXPECT_EQ(build().generation, 3U);
  EXPECT_EQ(build().digest, first);
  EXPECT_TRUE(set_->serving().state().residents.empty());
  // Beside "up" of the start, the swap and the way back.
  EXPECT_THAT(told_.await(4)[3], HasSubstr("sample: generation 2 (v2) failed its probation"));
  const std::size_t before = asked().size();
  add_pod("later");
  // The keys that the new build failed at may come first.
  for (std::size_t more = 1; more <= kPods + 1; ++more) {
    transport_.await_requests(before + more);
    if (testing::Matches(testing::Contains("v1-later"))(asked())) break;
  }
  EXPECT_THAT(asked(), testing::Contains("v1-later"));
  EXPECT_THAT(metrics_->text(),
              HasSubstr(R"(davit_plugin_swaps_total{outcome="rolled-back",plugin="sample"})"));
}

TEST_F(RollbackTest, ABuildThatDoesWellStays) {
  start();
  place("v2");

  const SwapReport report = swap_and_watch(2, 0);

  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_THAT(report.text, HasSubstr("it passed its probation"));
  EXPECT_EQ(build().version, "v2");
}

TEST_F(RollbackTest, OneInternalErrorIsEnough) {
  start();
  place("internal");

  const SwapReport report = swap_and_watch(0, 1);

  EXPECT_EQ(report.outcome, SwapOutcome::kRolledBack) << report.text;
  EXPECT_THAT(report.text, HasSubstr("threw an exception or ended with an internal error"));
  EXPECT_EQ(build().version, "v1");
}

TEST_F(RollbackTest, TheFileOfTheBuildBeforeIsNotNeeded) {
  start();
  place("internal");
  on_phase_ = [this](SwapPhase phase) {
    if (phase == SwapPhase::kServe) std::filesystem::remove(file());
  };

  EXPECT_EQ(swap_and_watch(0, 1).outcome, SwapOutcome::kRolledBack);
  EXPECT_EQ(build().version, "v1");
}

TEST_F(RollbackTest, ABuildThatCannotReadTheNewerStateIsRestoredWithoutState) {
  place("state1");
  start();
  fail_v2();
  transport_.set_script([](const HttpRequest& request) {
    return request.body.find(".v2-") == std::string::npos ? created(request, "0") : failed();
  });
  place("state2");

  const SwapReport report = swap_and_watch(0, 1);

  EXPECT_EQ(report.outcome, SwapOutcome::kRolledBack) << report.text;
  EXPECT_EQ(build().version, "v1");
}

TEST_F(RollbackTest, AnotherSwapEndsTheProbation) {
  limits_.probation = kTerms;
  start();
  place("v2");
  ASSERT_TRUE(swap().ok());
  EXPECT_EQ(set_->serving().state().plugins[0].probation, Duration(seconds(30)));

  place("v1");
  ASSERT_TRUE(swap().ok());
  ASSERT_TRUE(set_->unload("sample").ok());
  clock_.advance(hours(1));
  EXPECT_TRUE(set_->serving().state().plugins.empty());
}

}  // namespace
}  // namespace davit::host
