// Every reason that keeps an old build in memory is reported at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/host/swap/swap_fixture.hpp"

namespace davit::host {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using BlockersTest = SwapTest;

std::vector<std::string> ids(const std::vector<Finding>& findings) {
  std::vector<std::string> out;
  for (const Finding& each : findings) out.push_back(each.id);
  return out;
}

TEST_F(BlockersTest, ABuildThatMayLeaveHasNone) {
  start();
  place("v2");
  const SwapReport report = swap();
  EXPECT_THAT(report.blockers, IsEmpty());
  EXPECT_THAT(report.left_behind, IsEmpty());
}

// Issue 38, 1.7: a build with a C++ runtime of its own was "still in memory", and it was unmapped.
TEST_F(BlockersTest, AWarningAboutAFileIsNoReasonForABuildThatLeaves) {
  start();
  place("own_runtime");
  ASSERT_TRUE(swap().ok());
  place("v2");
  const SwapReport report = swap();
  EXPECT_EQ(report.resident, "");
  EXPECT_THAT(report.blockers, IsEmpty());
  EXPECT_EQ(report.residents, 0U);
}

TEST_F(BlockersTest, EveryReasonIsNamedAtOnce) {
  start();
  place("load_once_twice");
  const SwapReport in = swap();
  ASSERT_TRUE(in.ok()) << in.text;
  EXPECT_EQ(in.grade_reasons.size(), 2U) << "known before it serves";
  place("v2");

  const SwapReport out = swap();

  ASSERT_TRUE(out.ok()) << out.text;
  EXPECT_THAT(ids(out.blockers), UnorderedElementsAre("no-delete", "signal"));
  EXPECT_THAT(out.resident, AllOf(HasSubstr("is marked to stay in memory"),
                                  HasSubstr("may install signal handlers")));
  EXPECT_EQ(ids(set_->serving().state().residents.at(0).blockers).size(), 2U);
}

TEST_F(BlockersTest, UnloadReportsThemToo) {
  start();
  place("load_once_twice");
  ASSERT_TRUE(swap().ok());
  const SwapReport report = set_->unload("sample");
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(report.from.generation, 2U);
  EXPECT_EQ(report.blockers.size(), 2U);
  EXPECT_EQ(report.residents, 1U);
}

TEST_F(BlockersTest, ALibraryThatCameWithABuildAndStaysIsNamed) {
  start();
  place("brings_library");
  ASSERT_TRUE(swap().ok());
  place("v2");
  const SwapReport report = swap();
  EXPECT_THAT(report.blockers, IsEmpty()) << "the build itself has left";
  EXPECT_THAT(report.left_behind, ElementsAre(HasSubstr("libswap_helper.so")));
}

}  // namespace
}  // namespace davit::host
