/// A Deployment's life, driven with kubectl on a real API server.
#include "tests/live/conformance/fixture.hpp"

namespace davit::live {
namespace {

using testing::HasSubstr;

class DeploymentLifeTest : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (IsSkipped()) return;
    kubelet_ = cluster().kubelet();
    surroundings_ = cluster().controller_manager("garbagecollector,namespace");
    davit_ = cluster().davit({"--leader-elect=false"});
  }

  std::unique_ptr<Process> kubelet_;
  std::unique_ptr<Process> surroundings_;
  std::unique_ptr<Process> davit_;
};

TEST_F(DeploymentLifeTest, IsCreatedUpdatedUndoneScaledPausedResumedAndDeleted) {
  // Created.
  kubectl({"create", "deployment", "web", "--image=nginx:1", "--replicas=20"});
  EXPECT_THAT(kubectl({"rollout", "status", "deployment/web", kRolloutTimeout}),
              HasSubstr("successfully rolled out"));
  EXPECT_EQ(field("deployment/web", "{.status.readyReplicas}"), "20");

  // Updated.
  kubectl({"set", "image", "deployment/web", "nginx=nginx:2"});
  EXPECT_THAT(kubectl({"rollout", "status", "deployment/web", kRolloutTimeout}),
              HasSubstr("successfully rolled out"));
  EXPECT_TRUE(becomes("deployment/web", "{.status.updatedReplicas} {.status.replicas}", "20 20"));
  std::string wanted = "nginx:2";
  for (int i = 1; i < 20; ++i) wanted += " nginx:2";
  EXPECT_TRUE(becomes("pods", "{.items[*].spec.containers[0].image}", wanted));

  // Undone.
  kubectl({"rollout", "undo", "deployment/web"});
  kubectl({"rollout", "status", "deployment/web", kRolloutTimeout});
  EXPECT_EQ(field("deployment/web", "{.spec.template.spec.containers[0].image}"), "nginx:1");
  EXPECT_EQ(
      field("deployment/web", "{.metadata.annotations.deployment\\.kubernetes\\.io/revision}"),
      "3");

  // Scaled.
  kubectl({"scale", "deployment/web", "--replicas=5"});
  EXPECT_TRUE(becomes("deployment/web", "{.status.replicas} {.status.observedGeneration}", "5 4"));

  // Paused: a new image changes nothing, scaling continues.
  kubectl({"rollout", "pause", "deployment/web"});
  kubectl({"set", "image", "deployment/web", "nginx=nginx:3"});
  kubectl({"scale", "deployment/web", "--replicas=6"});
  EXPECT_TRUE(becomes("deployment/web", "{.status.replicas} {.status.updatedReplicas}", "6 "));

  // Resumed.
  kubectl({"rollout", "resume", "deployment/web"});
  kubectl({"rollout", "status", "deployment/web", kRolloutTimeout});
  EXPECT_TRUE(becomes("deployment/web", "{.status.replicas} {.status.updatedReplicas}", "6 6"));

  // The events.
  for (const char* event : {"ScalingReplicaSet|deployment-controller|Scaled up replica set web-",
                            "SuccessfulCreate|replicaset-controller|Created pod: web-"}) {
    EXPECT_TRUE(shows_event(event)) << event;
  }

  // Deleted, with everything below.
  kubectl({"delete", "deployment/web", kRolloutTimeout});
  EXPECT_TRUE(eventually(
      kWaitLimit,
      [&] {
        return cluster()
                   .kubectl({"get", "replicasets,pods", "--namespace", ns(), "-o", "name"})
                   .out == "";
      },
      std::chrono::milliseconds(200)));
}

TEST_F(DeploymentLifeTest, PodsAreAdoptedAndReleasedByLabel) {
  // A pod without an owner.
  kubectl({"run", "stray", "--image=nginx:1", "--labels=app=web"});
  // davit has seen it once it has seen younger pods.
  create_replica_set("canary");
  ASSERT_TRUE(becomes("replicaset/canary", "{.status.readyReplicas}", "2"));
  create_replica_set("web");
  EXPECT_TRUE(becomes("replicaset/web", "{.status.readyReplicas}", "2"));
  EXPECT_EQ(field("pod/stray", "{.metadata.ownerReferences[0].name}"), "web");

  // It leaves by its label, and is replaced.
  kubectl({"label", "pod", "stray", "app=other", "--overwrite"});
  EXPECT_TRUE(becomes("pod/stray", "{.metadata.ownerReferences}", ""));
  EXPECT_TRUE(becomes("pods", "{.items[*].metadata.labels.app}", "canary canary other web web"));
  EXPECT_TRUE(becomes("replicaset/web", "{.status.readyReplicas}", "2"));
}

TEST_F(DeploymentLifeTest, ASteadyClusterIsLeftAlone) {
  kubectl({"create", "deployment", "web", "--image=nginx:1", "--replicas=3"});
  kubectl({"rollout", "status", "deployment/web", kRolloutTimeout});
  const std::string before = kubectl({"get", "deployments,replicasets,pods", "-o",
                                      "jsonpath={.items[*].metadata.resourceVersion}"});

  // A host that starts again looks at everything once.
  davit_->signal(SIGTERM);
  EXPECT_EQ(davit_->wait(kWaitLimit), 0);
  const auto second = cluster().davit({"--leader-elect=false", "-v=1"});
  ASSERT_TRUE(prints(*second, "Started workers"));
  kubectl({"create", "deployment", "after", "--image=nginx:1"});
  kubectl({"rollout", "status", "deployment/after", kRolloutTimeout});
  kubectl({"delete", "deployment/after"});
  EXPECT_TRUE(eventually(
      kWaitLimit,
      [&] {
        return kubectl({"get", "deployments,replicasets,pods", "-o",
                        "jsonpath={.items[*].metadata.resourceVersion}"}) == before;
      },
      std::chrono::milliseconds(200)));
}

}  // namespace
}  // namespace davit::live
