// A controller gets another configuration while it runs, or another instance that starts with it.
#include <future>
#include <thread>

#include "tests/host/swap/swap_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SwapConfigTest : public SwapTest {
 protected:
  /// As the manifest follower does: builds that are made from here on have it.
  SwapReport configure(const std::string& config) {
    config_ = config;
    return set_->configure("sample-controller", config);
  }
  [[nodiscard]] std::uint64_t generation() const {
    return set_->serving().state().plugins.at(0).build.generation;
  }
};

TEST_F(SwapConfigTest, AControllerThatTakesItRunsOn) {
  place("configurable");
  start();

  const SwapReport report = configure(R"({"name":"green"})");

  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(report.text, "sample-controller has its new configuration");
  EXPECT_EQ(generation(), 1U);
  add_pod("b");
  transport_.await_requests(2);
  EXPECT_THAT(asked(), ElementsAre("v1-a", "green-b"));
}

TEST_F(SwapConfigTest, ARefusalKeepsTheOldOneAndSaysWhy) {
  place("configurable");
  start();
  ASSERT_TRUE(configure(R"({"name":"green"})").ok());

  const SwapReport report = configure(R"({"name":7})");

  EXPECT_EQ(report.outcome, SwapOutcome::kConfigRefused);
  EXPECT_EQ(report.text,
            "controller sample-controller keeps its old configuration: name is no short text");
  EXPECT_THAT(log_.lines(), Contains(HasSubstr("name is no short text")));
  add_pod("b");
  transport_.await_requests(2);
  EXPECT_EQ(asked()[1], "green-b");
  const auto guarded = set_->serving().guard("sample-controller");
  EXPECT_EQ(guarded->host->abi().config.text(), R"({"name":"green"})");
}

TEST_F(SwapConfigTest, AChangeThatNeedsAStartIsASwapOfTheSameBuild) {
  place("configurable");
  start();

  const SwapReport report = configure(R"({"name":"blue","restarts":true})");

  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(generation(), 2U);
  transport_.await_requests(2);
  EXPECT_THAT(asked(), ElementsAre("v1-a", "blue-a"));
}

TEST_F(SwapConfigTest, AControllerWithoutThatSideIsSwapped) {
  start();
  ASSERT_TRUE(configure(R"({"name":"red"})").ok());
  EXPECT_EQ(generation(), 2U);
}

TEST_F(SwapConfigTest, TheSameConfigurationAgainIsNothingToDo) {
  start();
  ASSERT_TRUE(configure("").ok());
  EXPECT_EQ(generation(), 1U);
}

TEST_F(SwapConfigTest, AControllerThatDoesNotRunIsNamed) {
  start();
  EXPECT_EQ(set_->configure("other-controller", "{}").outcome, SwapOutcome::kUnknown);
}

TEST_F(SwapConfigTest, ACallThatDoesNotReturnHoldsBackSwapsUntilItDoes) {
  place("configurable");
  start();
  auto late = std::async(std::launch::async, [this] { return configure(R"({"hangs":true})"); });
  while (log_.count("It changes for an hour") == 0) std::this_thread::yield();
  clock_.await_deadline(clock_.now() + limits_.config);
  clock_.advance(limits_.config);
  const SwapReport report = late.get();
  EXPECT_EQ(report.outcome, SwapOutcome::kConfigTimedOut);

  EXPECT_EQ(swap().outcome, SwapOutcome::kConfigTimedOut) << "its state would be written beside";
  EXPECT_EQ(configure("{}").outcome, SwapOutcome::kConfigTimedOut);
  EXPECT_EQ(generation(), 1U);

  clock_.advance(std::chrono::hours(1));
  SwapReport last = swap();
  while (last.outcome == SwapOutcome::kConfigTimedOut) last = swap();
  EXPECT_TRUE(last.ok()) << last.text;
}

}  // namespace
}  // namespace davit::host
