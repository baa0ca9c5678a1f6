// The host with its plugins on a cluster in the same process: no socket but the health server's.
#include <gtest/gtest.h>

#include "tests/system/whole_host.hpp"

namespace davit::host {
namespace {

TEST(RolloutTest, DeploymentRollsOutAndIsUpdated) {
  WholeHost system(3);
  system.start({{DAVIT_DEPLOYMENT_DIRECTORY, DAVIT_REPLICASET_DIRECTORY},
                {"deployment-controller", "replicaset-controller"}});
  system.send(Verb::kCreate, deployment(""), web_deployment(5));
  system.await(deployment(""), rolled_out(5));

  system.send(Verb::kPatch, deployment("web"), kSecondImage);
  system.await(deployment(""), rolled_out(5));

  expect_second_image(system, 5);
  EXPECT_EQ(system.read("/apis/apps/v1/namespaces/default/replicasets").get("items").size(), 2U);
}

}  // namespace
}  // namespace davit::host
