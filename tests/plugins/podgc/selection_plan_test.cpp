#include "plugins/podgc/selection_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>
#include <vector>

namespace davit::podgc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::PodBuilder;
using namespace std::chrono_literals;

class SelectionPlanTest : public ::testing::Test {
 protected:
  Pod view(const PodBuilder& pod) { return cluster_.view_of<Pod>(pod.text()); }
  Node node(const std::string& json) { return cluster_.view_of<Node>(json); }
  static std::vector<std::string> names(const std::vector<Pod>& pods) {
    std::vector<std::string> out;
    for (const Pod& each : pods) out.emplace_back(each.name());
    return out;
  }

  testing::Cluster cluster_;
  WallTime start_ = cluster_.wall_now();
};

TEST_F(SelectionPlanTest, PG12_OnlyPendingRunningAndUnknownPodsAreNotTerminated) {
  for (const char* phase : {"Pending", "Running", "Unknown"}) {
    EXPECT_FALSE(is_terminated(view(PodBuilder("p").phase(phase)))) << phase;
  }
  for (const char* phase : {"Succeeded", "Failed", "", "Sleeping"}) {
    EXPECT_TRUE(is_terminated(view(PodBuilder("p").phase(phase)))) << phase;
  }
}

TEST_F(SelectionPlanTest, PG09_PG11_EvictedGoFirstThenOlderOnesThenByName) {
  std::vector<Pod> pods = {
      view(PodBuilder("y").phase("Failed").created(start_)),
      view(PodBuilder("x").phase("Failed").created(start_)),
      view(PodBuilder("old").phase("Succeeded").created(start_ - 1h)),
      view(PodBuilder("evicted")
               .phase("Failed")
               .created(start_ + 1h)
               .status("reason", R"("Evicted")")),
      view(PodBuilder("no-time").phase("Failed")),
  };
  EXPECT_THAT(names(surplus(pods, 0)), ElementsAre("evicted", "no-time", "old", "x", "y"));
  EXPECT_THAT(names(surplus(pods, 3)), ElementsAre("evicted", "no-time"));
  EXPECT_THAT(surplus(pods, 5), IsEmpty());
  EXPECT_THAT(surplus(pods, 6), IsEmpty());
}

TEST_F(SelectionPlanTest, SucceededPodWithTheReasonOfAnEvictionIsNotEvicted) {
  std::vector<Pod> pods = {
      view(PodBuilder("young").phase("Succeeded").created(start_).status("reason", R"("Evicted")")),
      view(PodBuilder("old").phase("Succeeded").created(start_ - 1h)),
  };
  EXPECT_THAT(names(surplus(pods, 1)), ElementsAre("old"));
}

TEST_F(SelectionPlanTest, PG15_ANodeIsOutOfServiceIfItIsTaintedAndNotReady) {
  const std::string taint =
      R"("spec":{"taints":[{"key":"a","effect":"NoSchedule"},)"
      R"({"key":"node.kubernetes.io/out-of-service","value":"x","effect":"NoSchedule"}]})";
  const auto ready = [](const std::string& status) {
    return R"("status":{"conditions":[{"type":"Ready","status":")" + status + R"("}]})";
  };
  EXPECT_TRUE(is_out_of_service(node("{" + taint + "," + ready("False") + "}")));
  EXPECT_TRUE(is_out_of_service(node("{" + taint + "," + ready("Unknown") + "}")));
  EXPECT_TRUE(is_out_of_service(node("{" + taint + "}")));
  EXPECT_FALSE(is_out_of_service(node("{" + taint + "," + ready("True") + "}")));
  EXPECT_FALSE(is_out_of_service(node("{" + ready("False") + "}")));
}

}  // namespace
}  // namespace davit::podgc
