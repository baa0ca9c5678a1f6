/// Rows RC08 to RC11, RC16 and RC17: which pods belong to a ReplicationController.
#include <algorithm>

#include "tests/plugins/replicationcontroller/fixture.hpp"

namespace davit::replicas {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using OwnershipTest = ReplicationControllerTest;

TEST_F(OwnershipTest, RC08_AMatchingOrphanIsAdopted) {
  add_pod("orphan");
  start();
  const std::string uid = add_rc(1);
  EXPECT_THAT(pod_names(), ElementsAre("orphan"));
  EXPECT_EQ(controller_uid(pod("orphan")), uid);
  const auto patches = cluster_.requests_of(Verb::kPatch, "pods");
  ASSERT_THAT(patches, SizeIs(1));
  EXPECT_THAT(patches.front().body,
              HasSubstr(R"("apiVersion":"v1","kind":"ReplicationController")"));
  EXPECT_EQ(count(Verb::kGet, "replicationcontrollers"), 1);
}

TEST_F(OwnershipTest, AControllerThatIsGoneAdoptsNothing) {
  add_pod("orphan");
  start();
  cluster_.hold("replicationcontrollers");
  add_rc(1);
  cluster_.on_request([this](const testing::RequestRecord& each) {
    if (each.verb == Verb::kGet) cluster_.erase<ReplicationController>({"ns", "rc"});
  });
  ASSERT_TRUE(cluster_.release_one("replicationcontrollers"));
  cluster_.run_until_idle();
  cluster_.on_request({});
  EXPECT_EQ(controller_uid(pod("orphan")), "");
}

TEST_F(OwnershipTest, RC09_APodWithOtherLabelsIsReleasedAndReplaced) {
  start();
  const std::string uid = add_rc(1);
  const std::string name = pod_names().front();
  cluster_.merge<Pod>({"ns", name}, R"({"metadata":{"labels":{"a":"2"}}})");
  cluster_.run_until_idle();
  EXPECT_EQ(controller_uid(pod(name)), "");
  EXPECT_THAT(pod_names(), SizeIs(2));
}

TEST_F(OwnershipTest, RC10_PodsThatFitTheNewSelectorTooStayOwned) {
  start();
  const std::string uid =
      add_rc(2, R"({"spec":{"template":{"metadata":{"labels":{"a":"1","b":"1"}}}}})");
  const std::vector<std::string> before = pod_names();
  edit_rc(R"({"spec":{"selector":{"a":null,"b":"1"},
                      "template":{"metadata":{"labels":{"a":null,"b":"1"}}}}})");
  EXPECT_EQ(pod_names(), before);
  for (const std::string& each : before) EXPECT_EQ(controller_uid(pod(each)), uid);

  scale(3);
  for (const std::string& each : pod_names()) {
    if (std::find(before.begin(), before.end(), each) != before.end()) continue;
    EXPECT_EQ(pod(each).at({"metadata", "labels"})->dump(), R"({"b":"1"})");
  }
}

TEST_F(OwnershipTest, RC11_PodsThatDoNotFitANewSelectorAreReleased) {
  start();
  const std::string uid = add_rc(2);
  const std::vector<std::string> before = pod_names();
  edit_rc(R"({"spec":{"selector":{"a":null,"b":"1"},
                      "template":{"metadata":{"labels":{"a":null,"b":"1"}}}}})");
  EXPECT_THAT(pod_names(), SizeIs(4));
  for (const std::string& each : pod_names()) {
    const bool is_old = std::find(before.begin(), before.end(), each) != before.end();
    EXPECT_EQ(controller_uid(pod(each)), is_old ? "" : uid);
  }
}

TEST_F(OwnershipTest, RC16_APodOfAReplicaSetWithTheSameSelectorIsLeftToIt) {
  start();
  add_pod("theirs", R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1",
      "kind":"ReplicaSet","name":"rc","uid":"other","controller":true}]}})");
  add_rc(2);
  EXPECT_THAT(pod_names(), SizeIs(3));
  EXPECT_EQ(controller_uid(pod("theirs")), "other");
  EXPECT_EQ(status("replicas"), 2);
}

TEST_F(OwnershipTest, RC17_APodOfAFormerControllerOfTheNameIsUntouched) {
  start();
  add_owned_pod("former", "former-uid");
  add_rc(1);
  EXPECT_THAT(pod_names(), SizeIs(2));
  EXPECT_EQ(controller_uid(pod("former")), "former-uid");
  EXPECT_EQ(count(Verb::kPatch, "pods"), 0);
}

TEST_F(OwnershipTest, AReplicaSetsReferenceWithTheSameUidMeansAnotherOwner) {
  start();
  const std::string uid = add_rc(0);
  add_pod("forged", R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1",
      "kind":"ReplicaSet","name":"rc","uid":")" +
                        uid + R"(","controller":true}]}})");
  cluster_.run_until_idle();
  EXPECT_THAT(pod_names(), ElementsAre("forged"));
}

}  // namespace
}  // namespace davit::replicas
