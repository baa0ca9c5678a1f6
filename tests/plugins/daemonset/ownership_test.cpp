/// Rows DS46 to DS54: adopting and releasing pods, and sets that are going.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/daemonset/fixture.hpp"

namespace davit::daemonset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::Verb;

class OwnershipTest : public DaemonSetTest {};

TEST_F(OwnershipTest, DS46_APodOnTheNodeIsAdoptedAndUpdated) {
  add_nodes(1);
  add_pod("orphan", "n1");
  const std::string uid = add_set();
  start();

  EXPECT_EQ(controller_uid(pod("orphan")), uid);
  const auto patches = cluster().requests_of(Verb::kPatch, "pods");
  ASSERT_THAT(patches, SizeIs(1));
  EXPECT_EQ(patches.front().patch_type, PatchType::kStrategic);
  EXPECT_EQ(created(), 0U);
  EXPECT_THAT(terminating(), ElementsAre("orphan")) << "it lacks the hash, so it is updated";

  let_go();
  EXPECT_NE(pod_on("n1"), "orphan");
}

TEST_F(OwnershipTest, DS47_AnUnboundPodForNoNodeIsAdoptedAndIgnored) {
  add_nodes(1);
  add_pod("nowhere", "", R"({"status":{"phase":"Pending"}})");
  const std::string uid = add_set();
  start();
  run_until_idle();

  EXPECT_EQ(controller_uid(pod("nowhere")), uid);
  EXPECT_EQ(pods_on("n1").size(), 1U);
  EXPECT_EQ(status("currentNumberScheduled"), 1);
  EXPECT_EQ(deleted(), 0U);
}

TEST_F(OwnershipTest, DS48_APodThatStopsMatchingIsReleasedAndReplaced) {
  add_nodes(1);
  add_set();
  start();
  start_pods();
  const std::string name = pod_on("n1");

  edit_pod(name, R"({"metadata":{"labels":{"app":"debug"}}})");
  EXPECT_EQ(controller_uid(pod(name)), "");
  EXPECT_THAT(pods_on("n1"), SizeIs(2));
}

TEST_F(OwnershipTest, DS49_AFailedOrphanIsAdoptedAndKilledOneThatIsGoingIsLeft) {
  add_nodes(2);
  add_pod("failed", "n1", R"({"status":{"phase":"Failed"}})");
  add_pod("going", "n2");
  remove_pod("going");
  const std::string uid = add_set();
  start();

  const auto patches = cluster().requests_of(Verb::kPatch, "pods");
  ASSERT_THAT(patches, SizeIs(1));
  EXPECT_EQ(patches.front().name, "failed");
  EXPECT_THAT(patches.front().body, HasSubstr(uid));
  EXPECT_EQ(events_of("FailedDaemonPod"), 1U);
  EXPECT_FALSE(has_pod("failed"));
  EXPECT_EQ(controller_uid(pod("going")), "");
}

TEST_F(OwnershipTest, DS50_ASetThatIsGoingAdoptsNothing) {
  add_nodes(1);
  add_pod("orphan", "n1");
  add_set(R"({"metadata":{"finalizers":["example.com/hold"]}})");
  start_synced();
  cluster().hold("daemonsets");
  cluster().remove<DaemonSet>({"ns", "ds"});
  while (requests(Verb::kGet, "daemonsets") == 0) step();

  EXPECT_EQ(requests(Verb::kGet, "daemonsets"), 1U);
  EXPECT_EQ(requests(Verb::kPatch, "pods"), 0U);
  EXPECT_EQ(status_writes(), 0U);
  EXPECT_EQ(created(), 0U);
  cluster().release("daemonsets");
  run_until_idle();
  EXPECT_EQ(controller_uid(pod("orphan")), "");
}

TEST_F(OwnershipTest, DS51_ASetThatIsGoingIsLeftAlone) {
  add_nodes(2);
  add_set(R"({"metadata":{"finalizers":["example.com/hold"]}})");
  start();
  const std::string name = pod_on("n1");
  cluster().remove<DaemonSet>({"ns", "ds"}, {.propagation = Propagation::kForeground});
  run_until_idle();
  cluster().clear_records();

  cluster().erase<Pod>({"ns", name});
  run_until_idle();
  EXPECT_THAT(pod_names(), SizeIs(1));
  EXPECT_THAT(cluster().writes(), IsEmpty());
  EXPECT_EQ(status("currentNumberScheduled"), 2);
}

TEST_F(OwnershipTest, DS52_TwoSetsWithOneSelectorHaveTheirOwnPods) {
  add_nodes(2);
  const std::string one = add_set();
  const std::string two = add_set(R"({"metadata":{"name":"other"}})");
  start();

  int of_one = 0;
  int of_two = 0;
  for (const std::string& name : pod_names()) {
    if (controller_uid(pod(name)) == one) ++of_one;
    if (controller_uid(pod(name)) == two) ++of_two;
  }
  EXPECT_EQ(of_one, 2);
  EXPECT_EQ(of_two, 2);
}

TEST_F(OwnershipTest, DS53_APodOfAnotherControllerIsNotTouched) {
  add_nodes(1);
  add_pod("foreign", "n1",
          R"({"metadata":{"ownerReferences":[)" + controller("ReplicaSet", "rs", "u-rs") + "]}}");
  add_set();
  start();

  EXPECT_EQ(controller_uid(pod("foreign")), "u-rs");
  EXPECT_THAT(terminating(), IsEmpty());
  EXPECT_THAT(pods_on("n1"), SizeIs(2));
}

TEST_F(OwnershipTest, DS54_AnOrphanThatBeginsToMatchIsAdopted) {
  add_nodes(1);
  const std::string uid = add_set(R"({"spec":{"updateStrategy":{"type":"OnDelete"}}})");
  start();
  add_pod("late", "n1", R"({"metadata":{"labels":{"app":"other"}}})");
  run_until_idle();
  ASSERT_EQ(controller_uid(pod("late")), "");

  edit_pod("late", R"({"metadata":{"labels":{"app":"web"}}})");
  EXPECT_EQ(controller_uid(pod("late")), uid);
}

TEST_F(OwnershipTest, APodWhoseReferenceNamesAnotherSetIsNotCounted) {
  add_nodes(1);
  const std::string uid = add_set();
  add_pod("forged", "n1",
          R"({"metadata":{"ownerReferences":[)" + controller("DaemonSet", "other", uid) + "]}}");
  start();

  EXPECT_THAT(pods_on("n1"), SizeIs(2));
  EXPECT_THAT(terminating(), IsEmpty());
}

TEST_F(OwnershipTest, APodThatIsHandedOverIsReplaced) {
  add_nodes(1);
  add_set();
  start();
  start_pods();
  const std::string name = pod_on("n1");

  edit_pod(name, R"({"metadata":{"ownerReferences":[)" + controller("Job", "job", "u-job") + "]}}");
  EXPECT_THAT(pods_on("n1"), SizeIs(2));
}

TEST_F(OwnershipTest, ADeletedSetLeavesItsPodsToTheGarbageCollector) {
  add_nodes(1);
  add_set();
  start();
  cluster().clear_records();

  cluster().erase<DaemonSet>({"ns", "ds"});
  run_until_idle();
  EXPECT_THAT(cluster().requests(), IsEmpty());
}

TEST_F(OwnershipTest, ASetThatSelectsEverythingDoesNothingButWarn) {
  add_nodes(1);
  cluster().add(R"({"apiVersion":"apps/v1","kind":"DaemonSet",
      "metadata":{"name":"ds","namespace":"ns"},
      "spec":{"selector":{},"template":{"metadata":{"labels":{"app":"web"}},
                          "spec":{"containers":[{"name":"c","image":"nginx:1"}]}}}})");
  start();

  ASSERT_FALSE(events().empty());
  EXPECT_EQ(events().front(),
            "Warning SelectingAll This daemon set is selecting all pods. A non-empty selector is "
            "required.");
  EXPECT_THAT(cluster().writes(), IsEmpty());
}

TEST_F(OwnershipTest, AResyncOfPodsIsIgnored) {
  add_nodes(1);
  add_set();
  start();
  cluster().clear_records();

  cluster().resync("pods");
  run_until_idle();
  EXPECT_THAT(cluster().syncs(), IsEmpty());
}

}  // namespace
}  // namespace davit::daemonset
