/// Rows RC13 to RC15: which pods go first.
#include "tests/plugins/replicationcontroller/fixture.hpp"

namespace davit::replicas {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class ScalingTest : public ReplicationControllerTest {
 protected:
  /// A pod that has been ready for so long.
  void add_ready_pod(const std::string& name, const std::string& uid, Duration age,
                     std::string_view patch = "{}") {
    Json changes = Json::must(R"({"status":{"conditions":[{"type":"Ready","status":"True",
            "lastTransitionTime":")" +
                              format_time(cluster_.wall_now() - age) + R"("}]}})");
    testing::merge_patch(changes, Json::must(patch));
    add_owned_pod(name, uid, changes.dump());
  }
};

TEST_F(ScalingTest, RC13_WhereOtherPodsRunDoesNotMatter) {
  const std::string uid = add_rc(2, R"({"metadata":{"ownerReferences":[{"apiVersion":"x.io/v1",
      "kind":"Thing","name":"t","uid":"t","controller":true}]}})");
  for (const char* each : {"one", "two"}) {
    add_ready_pod(each, uid, 5h, R"({"spec":{"nodeName":"n1"}})");
  }
  add_ready_pod("three", uid, 5h, R"({"spec":{"nodeName":"n2"},
      "status":{"containerStatuses":[{"name":"c","restartCount":3}]}})");
  start();
  EXPECT_THAT(pod_names(), UnorderedElementsAre("one", "two"));
}

TEST_F(ScalingTest, RC14_TheCheaperPodGoes) {
  const std::string uid = add_rc(1);
  add_ready_pod("cheap", uid, 5h, R"({"metadata":{"annotations":{
      "controller.kubernetes.io/pod-deletion-cost":"100"}}})");
  add_ready_pod("dear", uid, 1h, R"({"metadata":{"annotations":{
      "controller.kubernetes.io/pod-deletion-cost":"1000"}}})");
  start();
  EXPECT_THAT(pod_names(), ElementsAre("dear"));
}

TEST_F(ScalingTest, RC15_PodsOfSimilarAgeGoByTheirUid) {
  const std::string uid = add_rc(1);
  add_ready_pod("p", uid, 5h, R"({"metadata":{"uid":"b"}})");
  add_ready_pod("q", uid, 8h, R"({"metadata":{"uid":"a"}})");
  start();
  EXPECT_THAT(pod_names(), ElementsAre("p"));
}

}  // namespace
}  // namespace davit::replicas
