// Swaps to files that would end the process that opens them.
#include "host/loading/trial.hpp"
#include "tests/host/loading/damage.hpp"
#include "tests/host/swap/swap_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::HasSubstr;

TEST_F(SwapTest, NoneOf300DamagedFilesEndsAServingHost) {
  limits_.trial = DAVIT_TRIAL_PROGRAM;
  start();
  const std::string whole = content("v2");
  int refused = 0;
  for (const Damage& each : damages(whole, 300)) {
    put(each.applied_to(whole));
    SCOPED_TRACE(each.text());
    const SwapReport report = swap();
    if (report.ok()) {
      place("v1");
      ASSERT_TRUE(swap().ok());
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
  place("quiet");
  EXPECT_TRUE(swap().ok()) << "and it still swaps";
}

TEST_F(SwapTest, BuildWhoseConstructorEndsItsProcessIsRefused) {
  limits_.trial = DAVIT_TRIAL_PROGRAM;
  start();
  place("opening_ends");
  const SwapReport report = swap();
  EXPECT_EQ(report.outcome, SwapOutcome::kRefused);
  EXPECT_THAT(report.text, HasSubstr("opening it in a separate process ends it: SIGABRT"));
  add_pod("b");
  transport_.await_requests(2);
  EXPECT_EQ(asked()[1], "v1-b") << "the old build serves";
}

TEST_F(SwapTest, ProgramForTheTrialThatIsMissingRefusesTheSwap) {
  limits_.trial = directory_.path() / "none";
  start();
  place("v2");
  const SwapReport report = swap();
  EXPECT_EQ(report.outcome, SwapOutcome::kNotStaged);
  EXPECT_THAT(report.text, HasSubstr("cannot first be opened in a separate process"));
}

}  // namespace
}  // namespace davit::host
