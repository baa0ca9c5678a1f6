#include "cli/validate/trial_host.hpp"

#include <gtest/gtest.h>

#include "cli/validate/cluster_play.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

TEST(TrialHostTest, ControllersAreNotIdleBeforeALateWatchHasToldThemOfAChange) {
  const TempDirectory staging;
  TrialHost host;
  ASSERT_TRUE(host.open().ok());
  ASSERT_TRUE(host.load(DAVIT_ZOO "/retains.so", staging.path()).ok());
  ASSERT_TRUE(host.start().ok());
  const std::unique_ptr<Random> random = make_seeded_random(1);
  (void)add_ordinary(host, *random);
  ASSERT_TRUE(host.wait_until_idle(std::chrono::seconds(60)));
  const std::size_t before = host.retained();
  host.add_faults(R"({"rules": [{"fault": "hold", "for": "300ms", "target": {"verb": "watch"}}]})");
  touch_all(host, 1);
  EXPECT_TRUE(host.wait_until_idle(std::chrono::seconds(60)));
  EXPECT_GT(host.retained(), before);
  host.clear_faults();
  EXPECT_TRUE(host.stop());
}

}  // namespace
}  // namespace davit::host
