// A system that has no threads left ends neither a swap badly nor the host.
#include "tests/host/swap/swap_fixture.hpp"
#include "tests/support/scarcity.hpp"

namespace davit::host {
namespace {

using ::testing::HasSubstr;

class NoThreadsTest : public SwapTest {
 protected:
  /// A swap while the system gives no thread; it wants one.
  SwapReport swap_without_threads() {
    const test::NoThreads scarce;
    SwapReport report = swap();
    EXPECT_EQ(scarce.wanted(), 1U);
    return report;
  }
};

TEST_F(NoThreadsTest, ABuildForWhichThereIsNoThreadIsRefusedAndMayBeTriedAgain) {
  start();
  place("v2");
  const SwapReport report = swap_without_threads();

  EXPECT_EQ(report.outcome, SwapOutcome::kInitFailed);
  EXPECT_THAT(report.text, HasSubstr("cannot start a thread to open the new build"));
  EXPECT_EQ(report.residents, 0U);
  add_pod("b");
  transport_.await_requests(2);
  EXPECT_EQ(asked()[1], "v1-b");
  EXPECT_TRUE(swap().ok());
}

TEST_F(NoThreadsTest, ABuildWhoseProbationCouldNotBeJudgedIsRefusedBeforeItOpens) {
  limits_.probation.time = std::chrono::seconds(30);
  start();
  place("v2");
  const SwapReport report = swap_without_threads();

  EXPECT_EQ(report.outcome, SwapOutcome::kInitFailed);
  EXPECT_EQ(report.text, "cannot start a thread to check the new build: try again");
  EXPECT_EQ(set_->serving().state().plugins[0].probation, Duration::zero())
      << "the old build continues serving";
  EXPECT_TRUE(swap().ok());
  EXPECT_EQ(set_->serving().state().plugins[0].probation, Duration(std::chrono::seconds(30)));
}

TEST_F(NoThreadsTest, ControllersEndOneAfterTheOtherWithoutThreads) {
  start();
  const test::NoThreads scarce;
  EXPECT_TRUE(set_->stop({Time::max(), Time::max()}));
  EXPECT_EQ(scarce.wanted(), 1U);
}

}  // namespace
}  // namespace davit::host
