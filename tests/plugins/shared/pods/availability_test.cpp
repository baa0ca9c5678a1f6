#include "plugins/shared/pods/availability.hpp"

#include <gtest/gtest.h>

#include <davit/kube/time.hpp>
#include <davit/testing/cluster.hpp>
#include <string>
#include <vector>

namespace davit::pods {
namespace {

using namespace std::chrono_literals;

class AvailabilityTest : public ::testing::Test {
 protected:
  Pod ready_since(const std::string& time) {
    return Pod(cluster_.value(R"({"status":{"conditions":[{"type":"Ready","status":"True")" + time +
                              "}]}}"));
  }
  Pod ready_for(Duration age) {
    return ready_since(R"(,"lastTransitionTime":")" + format_time(now() - age) + '"');
  }
  [[nodiscard]] WallTime now() const { return cluster_.wall_now(); }

 private:
  testing::Cluster cluster_;
};

TEST_F(AvailabilityTest, TheNextToBecomeAvailableIsTheOldestThatIsNotYet) {
  const std::vector<Pod> pods = {ready_for(20s), ready_for(2s), ready_for(7s), ready_since("")};

  EXPECT_EQ(next_available_at(pods, 10s, now()), now() + 3s);
  EXPECT_EQ(when_available(pods, 10s, now(), now() + 1s), Again::after(2s)) << "writing took one";
}

TEST_F(AvailabilityTest, AvailablePodsSetNoTimer) {
  const std::vector<Pod> pods = {ready_for(20s)};

  EXPECT_EQ(next_available_at(pods, 10s, now()), std::nullopt);
  EXPECT_EQ(next_available_at(std::vector{ready_since("")}, 10s, now()), std::nullopt);
  EXPECT_EQ(when_available(pods, 10s, now(), now()), Again::after(10s));
  EXPECT_EQ(when_available(pods, 0s, now(), now()), Again::when_changed());
}

}  // namespace
}  // namespace davit::pods
