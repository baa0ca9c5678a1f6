#include "host/process/cloud_loops.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// One loop, "loop", and the answers of the PluginSet.
class CloudLoopsTest : public ::testing::Test {
 protected:
  CloudLoopsTest() {
    loop_.requires_ids = {"davit.cloud/1"};
    loops_.made(loop_, "loop");
    loops_.begin();
  }

  /// The orders of the next second.
  std::vector<std::string> tick() {
    orders_.clear();
    loops_.tick();
    loops_.wait();
    return orders_;
  }
  std::vector<std::string> change() {
    ++changes_;
    return tick();
  }
  SwapReport ordered(const std::string& order) {
    orders_.push_back(order);
    if (during_) during_(order);
    return reports_[order];
  }
  /// A manifest with the loop.
  static DesiredState manifest(DesiredController::Enabled enabled) {
    DesiredState made;
    made.plugins.push_back(
        {.name = "cloud",
         .file = {},
         .digest = {},
         .sha256 = {},
         .controllers = {{.name = "loop", .workers = {}, .config = {}, .enabled = enabled}}});
    return made;
  }
  void switch_off() {
    loops_.want(manifest(DesiredController::Enabled::kYes),
                manifest(DesiredController::Enabled::kNo));
  }
  void is_off() { reports_["disable loop"].outcome = SwapOutcome::kUnknown; }
  void fails() {
    reports_["enable loop"].outcome = SwapOutcome::kInitFailed;
    reports_["enable loop"].text = "no room";
  }

  PluginDeclaration loop_;
  std::uint64_t changes_ = 1;
  std::map<std::string, SwapReport> reports_;
  std::vector<std::string> orders_;
  std::function<void(const std::string& order)> during_;
  test::RecordingLogSink log_;
  CloudLoops loops_{{[this] { return changes_; },
                     [this](const std::string& each) { return ordered("disable " + each); },
                     [this](const std::string& each) { return ordered("enable " + each); }},
                    Logger(log_)};
};

TEST_F(CloudLoopsTest, AChangeOfTheOfferRestartsALoopOnce) {
  EXPECT_THAT(tick(), IsEmpty());
  EXPECT_THAT(change(), ElementsAre("disable loop", "enable loop"));
  EXPECT_THAT(tick(), IsEmpty());
}

TEST_F(CloudLoopsTest, OtherControllersAreLeftAlone) {
  loops_.made(PluginDeclaration(), "other");
  EXPECT_THAT(change(), ElementsAre("disable loop", "enable loop"));
}

TEST_F(CloudLoopsTest, ALoopThatIsLoadedLaterFollowsToo) {
  loops_.made(loop_, "late");
  EXPECT_THAT(change(), ElementsAre("disable late", "enable late", "disable loop", "enable loop"));
}

TEST_F(CloudLoopsTest, ALoopThatFindsNothingToDoStartsWithTheNextProvider) {
  fails();
  reports_["enable loop"].is_skipped = true;
  EXPECT_THAT(change(), ElementsAre("disable loop", "enable loop"));
  for (int i = 0; i < 100; ++i) EXPECT_THAT(tick(), IsEmpty());
  is_off();
  reports_["enable loop"] = {};
  EXPECT_THAT(change(), ElementsAre("disable loop", "enable loop"));
}

TEST_F(CloudLoopsTest, AnInitThatFailsIsReportedAndTriedAgain) {
  fails();
  EXPECT_THAT(change(), ElementsAre("disable loop", "enable loop"));
  EXPECT_THAT(log_.lines(),
              ElementsAre(HasSubstr("it does not start controller=loop err=no room")));
  EXPECT_THAT(tick(), IsEmpty());
  is_off();
  reports_["enable loop"] = {};
  int ticks = 1;
  while (tick().empty() && ticks < 100) ++ticks;
  EXPECT_EQ(ticks, 29);
  EXPECT_THAT(orders_, ElementsAre("disable loop", "enable loop"));
  for (int i = 0; i < 100; ++i) EXPECT_THAT(tick(), IsEmpty());
}

TEST_F(CloudLoopsTest, AnotherOrderUnderWayIsWaitedFor) {
  reports_["disable loop"].outcome = SwapOutcome::kBusy;
  EXPECT_THAT(change(), ElementsAre("disable loop"));
  reports_["disable loop"] = {};
  EXPECT_THAT(tick(), ElementsAre("disable loop", "enable loop"));
}

TEST_F(CloudLoopsTest, ALoopThatDoesNotEndIsReportedAndRunsOn) {
  reports_["disable loop"].outcome = SwapOutcome::kDrainTimedOut;
  EXPECT_THAT(change(), ElementsAre("disable loop"));
  EXPECT_THAT(log_.lines(), ElementsAre(HasSubstr("does not stop")));
}

TEST_F(CloudLoopsTest, ALoopThatTheOperatorEndsStaysOff) {
  loops_.ended("loop");
  EXPECT_THAT(change(), IsEmpty());
  loops_.made(loop_, "loop");
  EXPECT_THAT(change(), ElementsAre("disable loop", "enable loop"));
}

TEST_F(CloudLoopsTest, ASkippedLoopThatTheManifestSwitchesOffStaysOff) {
  is_off();
  switch_off();
  EXPECT_THAT(change(), IsEmpty());
}

TEST_F(CloudLoopsTest, ItsOwnOrdersAreNotTheOperators) {
  during_ = [this](const std::string& order) {
    if (order == "disable loop") loops_.ended("loop");
  };
  EXPECT_THAT(change(), ElementsAre("disable loop", "enable loop"));
  EXPECT_THAT(change(), ElementsAre("disable loop", "enable loop"));
}

TEST_F(CloudLoopsTest, AnOrderOfTheOperatorDuringARestartCounts) {
  during_ = [this](const std::string& order) {
    if (order == "enable loop") switch_off();
  };
  EXPECT_THAT(change(), ElementsAre("disable loop", "enable loop", "disable loop"));
  EXPECT_THAT(change(), IsEmpty());
}

}  // namespace
}  // namespace davit::host
