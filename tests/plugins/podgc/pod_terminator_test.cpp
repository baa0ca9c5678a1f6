#include "plugins/podgc/pod_terminator.hpp"

#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>

namespace davit::podgc {
namespace {

using testing::PodBuilder;

class FailedPatchTest : public ::testing::Test {
 protected:
  std::string patch(const PodBuilder& pod, const DeletionReason& reason) {
    return failed_patch(cluster_.view_of<Pod>(pod.text()), reason, cluster_.wall_now());
  }
  testing::Cluster cluster_;
};

TEST_F(FailedPatchTest, APodOnAMissingNodeGetsThePhaseAndTheCondition) {
  EXPECT_EQ(
      patch(PodBuilder("p").uid("u").generation(3), kOrphaned),
      R"({"metadata":{"uid":"u"},"status":{"conditions":[{"type":"DisruptionTarget",)"
      R"("status":"True","reason":"DeletionByPodGC","message":"PodGC: node no longer exists",)"
      R"("observedGeneration":3,"lastProbeTime":null,)"
      R"("lastTransitionTime":"2024-05-01T12:00:00Z"}],"observedGeneration":3,)"
      R"("phase":"Failed"}})");
}

TEST_F(FailedPatchTest, OthersGetThePhaseOnly) {
  for (const DeletionReason& each : {kTerminated, kOutOfService, kUnscheduled}) {
    EXPECT_EQ(patch(PodBuilder("p").uid("u").generation(1), each),
              R"({"metadata":{"uid":"u"},"status":{"observedGeneration":1,"phase":"Failed"}})")
        << each.name;
  }
}

TEST_F(FailedPatchTest, AConditionThatWasTrueKeepsItsTime) {
  PodBuilder pod = PodBuilder("p").condition("DisruptionTarget", "True", "EvictionByEvictionAPI");
  EXPECT_EQ(patch(pod, kOrphaned).find("lastTransitionTime"), std::string::npos);

  PodBuilder former = PodBuilder("p").condition("DisruptionTarget", "False");
  EXPECT_NE(patch(former, kOrphaned).find("lastTransitionTime"), std::string::npos);
}

TEST_F(FailedPatchTest, AServerThatCountsNoGenerationsGetsNone) {
  EXPECT_EQ(patch(PodBuilder("p").uid("u"), kUnscheduled),
            R"({"metadata":{"uid":"u"},"status":{"phase":"Failed"}})");
}

}  // namespace
}  // namespace davit::podgc
