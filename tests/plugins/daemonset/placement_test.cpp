/// Rows DS01 to DS26: which nodes get a pod, and what the pod looks like.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/daemonset/fixture.hpp"

namespace davit::daemonset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using testing::Verb;

class PlacementTest : public DaemonSetTest {
 protected:
  [[nodiscard]] std::string tolerations() {
    return pod(pod_names().front()).at({"spec", "tolerations"})->canonical();
  }
};

TEST_F(PlacementTest, DS01_EachNodeGetsOnePodThatIsPinnedToIt) {
  add_nodes(3);
  const std::string uid = add_set();
  start();

  EXPECT_THAT(nodes_with_pods(), ElementsAre("n1", "n2", "n3"));
  for (const std::string& name : pod_names()) {
    EXPECT_THAT(name, MatchesRegex("ds-[bcdfghjklmnpqrstvwxz24-9]{5}"));
    const Json one = pod(name);
    const std::string node(target_node(*cluster().find<Pod>({"ns", name})));
    EXPECT_EQ(one.at({"spec", "affinity"})->canonical(),
              R"({"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
              R"({"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In",)"
              R"("values":[")" +
                  node + R"("]}]}]}}})");
    EXPECT_EQ(one.at({"metadata", "ownerReferences"})->canonical(),
              R"([{"apiVersion":"apps/v1","blockOwnerDeletion":true,"controller":true,)"
              R"("kind":"DaemonSet","name":"ds","uid":")" +
                  uid + R"("}])");
  }
}

TEST_F(PlacementTest, DS02_PodsAndTheRevisionCarryTheHash) {
  add_nodes(3);
  add_set(R"({"metadata":{"annotations":{"note":"kept"}}})");
  start();

  ASSERT_THAT(revisions(), SizeIs(1));
  const Json revision = newest_revision();
  const std::string hash = revision.text_at({"metadata", "labels", "controller-revision-hash"});
  EXPECT_EQ(revision.text_at({"metadata", "name"}), "ds-" + hash);
  EXPECT_EQ(revision.text_at({"revision"}), "1");
  EXPECT_EQ(*revision.at({"metadata", "annotations"}), *set().at({"metadata", "annotations"}));
  EXPECT_EQ(revision.text_at({"metadata", "annotations", "note"}), "kept");
  for (const std::string& name : pod_names()) {
    EXPECT_EQ(hash_of(name), hash);
    EXPECT_EQ(pod(name).text_at({"metadata", "labels", "pod-template-generation"}), "1");
  }
}

TEST_F(PlacementTest, DS03_EveryPodToleratesTheDefectsOfItsNode) {
  add_nodes(1);
  add_set();
  start();

  EXPECT_EQ(tolerations(),
            R"([{"effect":"NoExecute","key":"node.kubernetes.io/not-ready","operator":"Exists"},)"
            R"({"effect":"NoExecute","key":"node.kubernetes.io/unreachable","operator":"Exists"},)"
            R"({"effect":"NoSchedule","key":"node.kubernetes.io/disk-pressure",)"
            R"("operator":"Exists"},)"
            R"({"effect":"NoSchedule","key":"node.kubernetes.io/memory-pressure",)"
            R"("operator":"Exists"},)"
            R"({"effect":"NoSchedule","key":"node.kubernetes.io/pid-pressure",)"
            R"("operator":"Exists"},)"
            R"({"effect":"NoSchedule","key":"node.kubernetes.io/unschedulable",)"
            R"("operator":"Exists"}])");
}

TEST_F(PlacementTest, DS04_APodInItsNodesNetworkDoesNotWaitForThePodNetwork) {
  add_nodes(1);
  add_set(R"({"spec":{"template":{"spec":{"hostNetwork":true}}}})");
  start();

  ASSERT_THAT(pod_names(), SizeIs(1));
  const Json one = pod(pod_names().front());
  const std::vector<Json> all = one.at({"spec", "tolerations"})->items();
  ASSERT_THAT(all, SizeIs(7));
  EXPECT_EQ(all.back().canonical(),
            R"({"effect":"NoSchedule","key":"node.kubernetes.io/network-unavailable",)"
            R"("operator":"Exists"})");
}

TEST_F(PlacementTest, DS05_ATolerationOfTheTemplateLosesItsTimeLimitInItsPlace) {
  add_nodes(1);
  add_set(R"({"spec":{"template":{"spec":{"tolerations":[{"key":"a","operator":"Exists"},
      {"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",
       "tolerationSeconds":300}]}}}})");
  start();

  const Json one = pod(pod_names().front());
  const std::vector<Json> all = one.at({"spec", "tolerations"})->items();
  ASSERT_THAT(all, SizeIs(7));
  EXPECT_EQ(all[0].canonical(), R"({"key":"a","operator":"Exists"})");
  EXPECT_EQ(all[1].canonical(),
            R"({"effect":"NoExecute","key":"node.kubernetes.io/not-ready","operator":"Exists"})");
  EXPECT_EQ(all[2].text_at({"key"}), "node.kubernetes.io/unreachable");
}

TEST_F(PlacementTest, DS06_TheTemplatesNodeAffinityIsJudgedByTheControllerAndReplaced) {
  add_node("n1", R"({"metadata":{"labels":{"zone":"a"}}})");
  add_node("n2", R"({"metadata":{"labels":{"zone":"b"}}})");
  const std::string preferred =
      R"([{"preference":{"matchExpressions":[{"key":"disk","operator":"In","values":["ssd"]}]},)"
      R"("weight":1}])";
  const std::string anti = R"({"requiredDuringSchedulingIgnoredDuringExecution":)"
                           R"([{"labelSelector":{"matchLabels":{"app":"x"}},)"
                           R"("topologyKey":"kubernetes.io/hostname"}]})";
  add_set(R"({"spec":{"template":{"spec":{"affinity":{"nodeAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[
          {"key":"zone","operator":"In","values":["a"]}]}]},
      "preferredDuringSchedulingIgnoredDuringExecution":)" +
          preferred + R"(},"podAntiAffinity":)" + anti + "}}}}}");
  start();

  EXPECT_THAT(nodes_with_pods(), ElementsAre("n1"));
  const Json one = pod(pod_names().front());
  const Json& affinity = *one.at({"spec", "affinity"});
  EXPECT_EQ(affinity.at({"podAntiAffinity"})->canonical(), Json::must(anti).canonical());
  EXPECT_EQ(
      affinity.at({"nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution"})->canonical(),
      Json::must(preferred).canonical());
  EXPECT_EQ(affinity
                .at({"nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
                     "nodeSelectorTerms"})
                ->canonical(),
            R"([{"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}])");
}

TEST_F(PlacementTest, DS07_ANodeThatGetsTheLabelGetsAPod) {
  add_nodes(3);
  edit_node("n2", R"({"metadata":{"labels":{"disk":"ssd"}}})");
  add_set(R"({"spec":{"template":{"spec":{"nodeSelector":{"disk":"ssd"}}}}})");
  start();
  EXPECT_THAT(nodes_with_pods(), ElementsAre("n2"));

  edit_node("n3", R"({"metadata":{"labels":{"disk":"ssd"}}})");
  EXPECT_THAT(nodes_with_pods(), ElementsAre("n2", "n3"));
}

TEST_F(PlacementTest, DS08_ANodeThatLosesTheLabelLosesItsPod) {
  add_node("n2", R"({"metadata":{"labels":{"disk":"ssd"}}})");
  add_set(R"({"spec":{"template":{"spec":{"nodeSelector":{"disk":"ssd"}}}}})");
  start();
  bind_pods();
  const std::string name = pod_on("n2");

  edit_node("n2", R"({"metadata":{"labels":{"disk":null}}})");
  EXPECT_THAT(terminating(), ElementsAre(name));
  EXPECT_EQ(events().back(), "Normal SuccessfulDelete Deleted pod: " + name);
}

TEST_F(PlacementTest, DS09_ATaintedNodeGetsNoPod) {
  add_nodes(2);
  taint("n1", "x", "NoSchedule");
  add_set();
  start();

  EXPECT_THAT(nodes_with_pods(), ElementsAre("n2"));
  EXPECT_EQ(status("desiredNumberScheduled"), 1);
}

TEST_F(PlacementTest, DS10_DS11_APodOutlastsATaintThatOnlyKeepsNewOnesAway) {
  add_nodes(1);
  add_set();
  start();
  start_pods();
  const std::string name = pod_on("n1");

  taint("n1", "x", "NoSchedule");
  EXPECT_EQ(status("numberMisscheduled"), 0) << "no sync yet: Q2";
  edit_pod(name, R"({"metadata":{"annotations":{"touched":"yes"}}})");
  EXPECT_EQ(pod_on("n1"), name);
  EXPECT_EQ(status("numberMisscheduled"), 1);
  EXPECT_EQ(status("desiredNumberScheduled"), 0);

  edit_node("n1", R"({"spec":{"taints":null}})");
  EXPECT_EQ(pod_on("n1"), name);
  EXPECT_EQ(status("numberMisscheduled"), 0);
  EXPECT_EQ(status("desiredNumberScheduled"), 1);
}

TEST_F(PlacementTest, DS12_ATaintThatEvictsEndsThePod) {
  add_nodes(1);
  add_set();
  start();
  start_pods();
  const std::string name = pod_on("n1");

  taint("n1", "x", "NoExecute");
  EXPECT_THAT(terminating(), ElementsAre(name));
}

TEST_F(PlacementTest, DS13_APreferenceIsNoReason) {
  add_nodes(1);
  taint("n1", "x", "PreferNoSchedule");
  add_set();
  start();

  EXPECT_THAT(nodes_with_pods(), ElementsAre("n1"));
}

TEST_F(PlacementTest, DS14_ACordonedNodeGetsAPod) {
  add_node("n1", R"({"spec":{"unschedulable":true,"taints":[
      {"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]}})");
  add_set();
  start();

  EXPECT_THAT(nodes_with_pods(), ElementsAre("n1"));
}

TEST_F(PlacementTest, DS15_ANodeWithDefectsGetsAPod) {
  add_node("n1", R"({"spec":{"taints":[
      {"key":"node.kubernetes.io/not-ready","effect":"NoExecute"},
      {"key":"node.kubernetes.io/unreachable","effect":"NoExecute"},
      {"key":"node.kubernetes.io/memory-pressure","effect":"NoSchedule"},
      {"key":"node.kubernetes.io/disk-pressure","effect":"NoSchedule"},
      {"key":"node.kubernetes.io/pid-pressure","effect":"NoSchedule"}]}})");
  add_set();
  start();

  EXPECT_THAT(nodes_with_pods(), ElementsAre("n1"));
}

TEST_F(PlacementTest, DS16_OnlyPodsInTheNodesNetworkComeBeforeThePodNetwork) {
  add_nodes(1);
  taint("n1", "node.kubernetes.io/network-unavailable", "NoSchedule");
  add_set();
  start();
  EXPECT_THAT(pod_names(), IsEmpty());

  add_set(R"({"metadata":{"name":"host"},"spec":{"template":{"spec":{"hostNetwork":true}}}})");
  run_until_idle();
  EXPECT_THAT(nodes_with_pods(), ElementsAre("n1"));
}

TEST_F(PlacementTest, DS17_ATemplateThatNamesItsNodeGetsOnePod) {
  add_nodes(3);
  add_set(R"({"spec":{"template":{"spec":{"nodeName":"n2"}}}})");
  start();

  ASSERT_THAT(pod_names(), SizeIs(1));
  EXPECT_EQ(pod(pod_names().front()).text_at({"spec", "nodeName"}), "n2");
  EXPECT_EQ(
      cluster().requests_of(Verb::kCreate, "pods").front().json().text_at({"spec", "nodeName"}),
      "n2");
}

TEST_F(PlacementTest, DS18_ResourcesAreTheSchedulersBusiness) {
  add_node("n1", R"({"status":{"allocatable":{"cpu":"1"}}})");
  add_set(R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"nginx:1",
      "resources":{"requests":{"cpu":"8"}}}]}}}})");
  start();

  EXPECT_THAT(nodes_with_pods(), ElementsAre("n1"));
}

TEST_F(PlacementTest, DS19_LabelsAreComparedAsNumbers) {
  add_node("n1", R"({"metadata":{"labels":{"cpus":"8"}}})");
  add_node("n2", R"({"metadata":{"labels":{"cpus":"4"}}})");
  add_node("n3");
  add_set(R"({"spec":{"template":{"spec":{"affinity":{"nodeAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[
          {"key":"cpus","operator":"Gt","values":["4"]}]}]}}}}}}})");
  start();

  EXPECT_THAT(nodes_with_pods(), ElementsAre("n1"));
}

TEST_F(PlacementTest, DS20_AnEmptyTermMatchesNoNode) {
  add_nodes(2);
  add_set(R"({"spec":{"template":{"spec":{"affinity":{"nodeAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{}]}}}}}}})");
  start();

  EXPECT_THAT(pod_names(), IsEmpty());
  EXPECT_EQ(status("desiredNumberScheduled"), 0);
  EXPECT_EQ(status("observedGeneration"), 1);
}

TEST_F(PlacementTest, DS21_HeartbeatsAreIgnored) {
  add_nodes(2);
  add_set();
  start();
  cluster().clear_records();

  edit_node("n1", R"({"status":{"conditions":[{"type":"Ready","status":"False",
      "lastHeartbeatTime":"2024-05-01T12:00:00Z"}]}})");
  edit_node("n2", R"({"metadata":{"annotations":{"a":"b"}},"spec":{"unschedulable":true}})");
  EXPECT_THAT(cluster().syncs(), IsEmpty());
  EXPECT_THAT(cluster().writes(), IsEmpty());
}

TEST_F(PlacementTest, DS22_ATolerationOfOneValueToleratesNoOther) {
  add_node("n1", R"({"spec":{"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]}})");
  add_node("n2", R"({"spec":{"taints":[{"key":"k","value":"w","effect":"NoSchedule"}]}})");
  add_set(R"({"spec":{"template":{"spec":{"tolerations":[
      {"key":"k","operator":"Equal","value":"v","effect":"NoSchedule"}]}}}})");
  start();

  EXPECT_THAT(nodes_with_pods(), ElementsAre("n1"));
}

TEST_F(PlacementTest, DS23_APodThatWaitsForANodeThatIsGoneIsDeleted) {
  add_nodes(1);
  add_node("n9");
  add_set();
  start();
  const std::string name = pod_on("n9");

  remove_node("n9");
  EXPECT_TRUE(has_pod(name)) << "no sync yet: Q1";
  touch_set();
  EXPECT_FALSE(has_pod(name));
}

TEST_F(PlacementTest, DS24_APodOfAnodeThatIsGoneIsLeftToThePodGarbageCollector) {
  add_nodes(2);
  add_set();
  start();
  start_pods();
  const std::string name = pod_on("n2");

  remove_node("n2");
  touch_set();
  EXPECT_EQ(pod_on("n2"), name);
  EXPECT_EQ(status("desiredNumberScheduled"), 1);
  EXPECT_EQ(status("currentNumberScheduled"), 1);
}

TEST_F(PlacementTest, DS25_WithoutNodesThereIsARevisionAndAStatus) {
  add_set();
  start();

  EXPECT_THAT(revisions(), SizeIs(1));
  EXPECT_THAT(counters(), ElementsAre(0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(status("observedGeneration"), 1);
}

TEST_F(PlacementTest, DS26_ANewNodeGetsAPodOfEverySet) {
  add_set();
  add_set(R"({"metadata":{"namespace":"other"}})");
  start();

  add_node("new");
  run_until_idle();
  EXPECT_THAT(nodes_with_pods(), ElementsAre("new", "new"));
}

TEST_F(PlacementTest, TheSetOfANodeThatChangesInNothingThatMattersIsNotSynced) {
  add_nodes(2);
  add_set();
  start();
  cluster().clear_records();

  edit_node("n1", R"({"metadata":{"labels":{"other":"label"}}})");
  bind_pods();
  cluster().clear_records();
  edit_node("n1", R"({"metadata":{"labels":{"other":null}}})");

  ASSERT_THAT(cluster().syncs(), SizeIs(1));
  EXPECT_EQ(cluster().syncs().front().key, "n1");
}

}  // namespace
}  // namespace davit::daemonset
