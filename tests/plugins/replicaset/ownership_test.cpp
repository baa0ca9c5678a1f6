/// Rows R31 to R44: adopting and releasing pods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/replicaset/fixture.hpp"

namespace davit::replicas {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class OwnershipTest : public ReplicaSetTest {
 protected:
  /// The number of pods that this set controls.
  [[nodiscard]] std::size_t owned(std::string_view uid) {
    std::size_t count = 0;
    for (const Json& pod : pods()) count += controller_uid(pod) == uid ? 1 : 0;
    return count;
  }
};

TEST_F(OwnershipTest, R31_AMatchingOrphanIsAdopted) {
  add_pod("orphan");
  const std::string uid = add_set();
  start();

  ASSERT_THAT(pods(), SizeIs(1));
  EXPECT_EQ(pod("orphan").at({"metadata", "ownerReferences"})->canonical(),
            R"([{"apiVersion":"apps/v1","blockOwnerDeletion":true,"controller":true,)"
            R"("kind":"ReplicaSet","name":"rs","uid":")" +
                uid + R"("}])");
  EXPECT_EQ(status("replicas"), 1);
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(OwnershipTest, R32_SurplusOrphansAreAdoptedAndThenDeleted) {
  for (const char* name : {"a", "b", "c"}) add_pod(name);
  const std::string uid = add_set(R"({"spec":{"replicas":2}})");
  start();

  EXPECT_EQ(patched(), 3U);
  EXPECT_EQ(deleted(), 1U);
  EXPECT_EQ(owned(uid), 2U);
}

TEST_F(OwnershipTest, R33_AReferenceWithoutTheControllerFlagGainsIt) {
  const std::string uid = add_set();
  add_pod("p", R"({"metadata":{"ownerReferences":[)" + reference("rs", uid) + "]}}");
  start();

  ASSERT_THAT(pods(), SizeIs(1));
  const Json adopted = pod("p");
  const Json* owners = adopted.at({"metadata", "ownerReferences"});
  ASSERT_THAT(owners->items(), SizeIs(1));
  EXPECT_EQ(text(owners->items().front(), {"controller"}), "true");
  EXPECT_EQ(text(owners->items().front(), {"blockOwnerDeletion"}), "true");
}

TEST_F(OwnershipTest, R34_AnOwnedPodIsLeftAsItIs) {
  const std::string uid = add_set();
  add_pod("p", R"({"metadata":{"ownerReferences":[)" + controller("ReplicaSet", "rs", uid) + "]}}");
  const std::string before = pod("p").canonical();
  start();

  ASSERT_THAT(pods(), SizeIs(1));
  EXPECT_EQ(pod("p").canonical(), before);
}

TEST_F(OwnershipTest, R35_AnothersPodIsLeftAlone) {
  const std::string uid = add_set();
  add_pod("p", R"({"metadata":{"ownerReferences":[)" +
                   controller("ReplicaSet", "other", "other-uid") + "," + reference("rs", uid) +
                   "]}}");
  const std::string before = pod("p").canonical();
  start();

  EXPECT_EQ(pod("p").canonical(), before);
  EXPECT_EQ(owned(uid), 1U);
  EXPECT_THAT(pods(), SizeIs(2));
}

TEST_F(OwnershipTest, R36_OtherReferencesStayWhenOneIsAdded) {
  const std::string uid = add_set();
  add_pod("p", R"({"metadata":{"ownerReferences":[
      {"apiVersion":"apps/v1","kind":"StatefulSet","name":"s","uid":"s-uid"}]}})");
  start();

  ASSERT_THAT(pods(), SizeIs(1));
  const Json adopted = pod("p");
  const Json* owners = adopted.at({"metadata", "ownerReferences"});
  ASSERT_THAT(owners->items(), SizeIs(2));
  EXPECT_EQ(text(owners->items()[0], {"uid"}), uid);
  EXPECT_EQ(text(owners->items()[1], {"uid"}), "s-uid");
}

TEST_F(OwnershipTest, R37_APodThatNoLongerMatchesIsReleasedAndReplaced) {
  const std::string uid = add_set();
  start();
  const std::string name = pod_names().front();

  edit_pod(name, R"({"metadata":{"labels":{"app":"other"}}})");
  run_until_idle();

  EXPECT_EQ(controller_uid(pod(name)), "");
  EXPECT_THAT(pods(), SizeIs(2));
  EXPECT_EQ(owned(uid), 1U);
}

TEST_F(OwnershipTest, R38_AReleasedPodThatMatchesAgainLeavesTheWantedNumber) {
  const std::string uid = add_set();
  start();
  const std::string name = pod_names().front();
  edit_pod(name, R"({"metadata":{"labels":{"app":"other"}}})");
  run_until_idle();

  edit_pod(name, R"({"metadata":{"labels":{"app":"web"}}})");
  run_until_idle();

  EXPECT_EQ(owned(uid), 1U);
  EXPECT_THAT(pods(), SizeIs(1));
}

TEST_F(OwnershipTest, R39_FinishedAndTerminatingPodsAreNotAdopted) {
  add_pod("failed", R"({"status":{"phase":"Failed"}})");
  add_pod("leaving", R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}})");
  const std::string uid = add_set();
  start();

  EXPECT_EQ(patched(), 0U);
  EXPECT_EQ(owned(uid), 1U);
  EXPECT_EQ(status("terminatingReplicas"), 0);
}

TEST_F(OwnershipTest, R40_AFinishedPodIsNotReleased) {
  add_set();
  start();
  const std::string name = pod_names().front();

  edit_pod(name, R"({"metadata":{"labels":{"app":"other"}},"status":{"phase":"Failed"}})");
  run_until_idle();

  EXPECT_EQ(patched(), 0U);
  EXPECT_NE(controller_uid(pod(name)), "");
}

TEST_F(OwnershipTest, R41_AStaleCacheAdoptsNothingForASetOnItsWayOut) {
  add_set(R"({"metadata":{"finalizers":["example.com/hold"]},"spec":{"replicas":1}})");
  add_pod("orphan");
  start_synced();
  cluster().hold("replicasets");
  remove_set();
  step();

  EXPECT_EQ(requests(testing::Verb::kGet, "replicasets"), 1U);
  EXPECT_EQ(patched(), 0U);
  EXPECT_EQ(created(), 0U);
}

TEST_F(OwnershipTest, R42_AFailedAdoptionStopsTheSync) {
  add_pod("orphan");
  add_set(R"({"spec":{"replicas":2}})");
  cluster().fail_next({.verb = testing::Verb::kPatch,
                       .resource = "pods",
                       .http_status = 500,
                       .reason = "InternalError",
                       .message = "no",
                       .times = 1});
  start_one_sync();
  EXPECT_EQ(created(), 0U);
  EXPECT_EQ(status_writes(), 0U);

  advance(std::chrono::milliseconds(5));
  EXPECT_THAT(pods(), SizeIs(2));
}

TEST_F(OwnershipTest, R43_SetsWithTheSameSelectorDoNotSteal) {
  const std::string one = add_set(R"({"metadata":{"name":"one"},"spec":{"replicas":1}})");
  const std::string two = add_set(R"({"metadata":{"name":"two"},"spec":{"replicas":2}})");
  start();

  EXPECT_THAT(pods(), SizeIs(3));
  EXPECT_EQ(owned(one), 1U);
  EXPECT_EQ(owned(two), 2U);
  EXPECT_EQ(status("replicas", "one"), 1);
  EXPECT_EQ(status("replicas", "two"), 2);
}

TEST_F(OwnershipTest, R44_AnotherNamespaceIsNotLookedAt) {
  add_pod("far", R"({"metadata":{"namespace":"elsewhere"}})");
  add_set();
  start();

  EXPECT_EQ(patched(), 0U);
  EXPECT_THAT(pods(), SizeIs(1));
}

TEST_F(OwnershipTest, AnOrphanThatBeginsToMatchIsAdopted) {
  const std::string uid = add_set();
  add_pod("p", R"({"metadata":{"labels":{"app":"other"}}})");
  start();
  ASSERT_EQ(patched(), 0U);

  edit_pod("p", R"({"metadata":{"labels":{"app":"web"}}})");
  run_until_idle();

  EXPECT_EQ(patched(), 1U);
  EXPECT_EQ(owned(uid), 1U) << "the surplus is deleted";
}

TEST_F(OwnershipTest, AReferenceByAnotherNameDoesNotCount) {
  const std::string uid = add_set();
  add_pod("odd",
          R"({"metadata":{"ownerReferences":[)" + controller("ReplicaSet", "alias", uid) + "]}}");
  start();

  EXPECT_EQ(created(), 1U);
  EXPECT_EQ(patched(), 0U);
}

TEST_F(OwnershipTest, AnInvalidSelectorMeansNoWorkAndNoStatus) {
  add_set(R"({"spec":{"selector":{"matchExpressions":[{"key":"app","operator":"Likes"}]}}})");
  add_pod("orphan");
  start();

  EXPECT_EQ(cluster().writes().size(), 0U);
  EXPECT_THAT(events(), IsEmpty());
}

}  // namespace
}  // namespace davit::replicas
