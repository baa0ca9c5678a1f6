#include "cli/dev/dev_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Time kSaved{std::chrono::seconds(1000)};

/// A sync that ended `after` the save.
std::string sync(milliseconds after, int generation) {
  return "sync " + std::to_string((kSaved + after).time_since_epoch().count()) + " " +
         std::to_string(generation) + " default/web";
}

class DevReportTest : public testing::Test {
 protected:
  DevReportTest() {
    report_.starts(std::nullopt);
    EXPECT_THAT(report_.receive("ready a-controller", kSaved),
                ElementsAre("==> running: a-controller"));
  }
  DevReport report_;
};

TEST_F(DevReportTest, ShowsWhatThePluginDoes) {
  EXPECT_THAT(report_.receive(sync(milliseconds(0), 1), kSaved),
              ElementsAre("    sync default/web"));
  EXPECT_THAT(report_.receive("write PATCH /x {}", kSaved), ElementsAre("    PATCH /x {}"));
  EXPECT_THAT(report_.receive("error a: Sync failed", kSaved),
              ElementsAre("    error: a: Sync failed"));
  EXPECT_EQ(report_.summary(), "==> that build: 1 sync, 1 write, 1 error");
  EXPECT_EQ(report_.summary(), "==> that build: 0 syncs, 0 writes, 0 errors");
}

TEST_F(DevReportTest, ReportsTheTimeFromTheSaveToTheNewBuildsFirstSync) {
  report_.swaps({kSaved, milliseconds(1200)});
  EXPECT_THAT(report_.receive(sync(milliseconds(1300), 1), kSaved),
              ElementsAre("    sync default/web"))
      << "of the old build";
  EXPECT_THAT(report_.receive(sync(milliseconds(1500), 2), kSaved),
              ElementsAre("    sync default/web"))
      << "not before the host says that it serves";
  EXPECT_THAT(report_.receive("swapped 2 generation 2 serves", kSaved + milliseconds(1510)),
              ElementsAre("==> swapped: generation 2 serves (1.51 s after the save)",
                          "==> 1.50 s from the save to the end of the first sync (build: 1.20 s)"));
  EXPECT_THAT(report_.receive(sync(milliseconds(1600), 2), kSaved),
              ElementsAre("    sync default/web"));
}

TEST_F(DevReportTest, AHostThatStartedAgainCountsItsBuildsFromOne) {
  report_.starts(DevReport::Saved{kSaved, milliseconds(1000)});
  EXPECT_THAT(report_.receive("ready a-controller", kSaved),
              ElementsAre("==> running: a-controller"));
  EXPECT_THAT(report_.receive(sync(milliseconds(1250), 1), kSaved),
              ElementsAre("    sync default/web",
                          "==> 1.25 s from the save to the end of the first sync (build: 1.00 s)"));
}

TEST_F(DevReportTest, ABuildThatIsRefusedHasNoFirstSync) {
  report_.swaps({kSaved, milliseconds(1000)});
  EXPECT_THAT(report_.receive("refused no such symbol", kSaved),
              ElementsAre("==> not swapped, the old build keeps serving: no such symbol"));
  EXPECT_THAT(report_.receive(sync(milliseconds(1250), 1), kSaved),
              ElementsAre("    sync default/web"));
}

TEST_F(DevReportTest, WhatComesTooFastToReadIsCounted) {
  int shown = 0;
  for (int i = 0; i < 50; ++i) {
    shown += static_cast<int>(report_.receive("write PATCH /x", kSaved).size());
  }
  EXPECT_EQ(shown, 20);
  ASSERT_TRUE(report_.due());
  EXPECT_THAT(report_.counted(*report_.due() - milliseconds(1)), IsEmpty());
  EXPECT_THAT(report_.counted(*report_.due()),
              ElementsAre("    and 0 syncs, 30 writes, 0 errors in this second"));
  EXPECT_FALSE(report_.due());
  EXPECT_EQ(report_.summary(), "==> that build: 0 syncs, 50 writes, 0 errors");
}

}  // namespace
}  // namespace davit::host
