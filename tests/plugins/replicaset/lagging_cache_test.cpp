/// Rows R10, R30, R74, R75: what keeps a controller from acting twice while its cache lags behind.
/// The host's own guard is off here, so the expectations stand alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/replicaset/fixture.hpp"

namespace davit::replicas {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class LaggingCacheTest : public ReplicaSetTest {
 protected:
  LaggingCacheTest() : ReplicaSetTest(testing::ReadYourWrites::kOff) {}

  /// The next creation of a pod is answered so that its expectation is left standing, see R11.
  void lose_next_creation() {
    cluster().fail_next({.verb = testing::Verb::kCreate,
                         .resource = "pods",
                         .http_status = 403,
                         .causes = {"NamespaceTerminating"},
                         .times = 1});
  }
};

TEST_F(LaggingCacheTest, R10_NoMoreThanABurstIsOutstanding) {
  add_set(R"({"spec":{"replicas":1200}})");
  start_synced();
  cluster().hold("pods");
  run_until_idle();
  EXPECT_THAT(pods(), SizeIs(500));
  touch_set();
  run_until_idle();
  EXPECT_THAT(pods(), SizeIs(500)) << "the cache has not seen the first burst";

  while (cluster().release_one("pods")) {
  }
  run_until_idle();
  EXPECT_THAT(pods(), SizeIs(1000));

  cluster().release("pods");
  run_until_idle();
  EXPECT_THAT(pods(), SizeIs(1200));
}

TEST_F(LaggingCacheTest, R74_PodsThatTheCacheHasNotSeenAreNotCreatedTwice) {
  add_set(R"({"spec":{"replicas":2}})");
  start_synced();
  cluster().hold("pods");
  run_until_idle();
  for (int i = 0; i < 5; ++i) {
    touch_set();
    run_until_idle();
  }
  EXPECT_THAT(pods(), SizeIs(2));

  cluster().release("pods");
  run_until_idle();
  EXPECT_THAT(pods(), SizeIs(2));
  EXPECT_EQ(status("replicas"), 2);
}

TEST_F(LaggingCacheTest, Q2_AFailureStaysWhilePodsThatWereCreatedAreNotSeen) {
  add_set(R"({"spec":{"replicas":3}})");
  fail_creates_after(2, 403, "exceeded quota");
  start_synced();
  cluster().hold("pods");
  run_until_idle();
  ASSERT_THAT(conditions(), SizeIs(1));
  const std::string before = conditions().front().canonical();

  touch_set();
  run_until_idle();

  ASSERT_THAT(conditions(), SizeIs(1));
  EXPECT_EQ(conditions().front().canonical(), before);
}

TEST_F(LaggingCacheTest, PageSaysWhatTheSetWaitsFor) {
  const auto waits = [this] {
    const Result<DebugPage> page = cluster().debug_page(kController, "waits/ns/rs");
    return page ? page->body : page.error().message();
  };
  add_set(R"({"spec":{"replicas":2}})");
  start_synced();
  cluster().hold("pods");
  run_until_idle();
  EXPECT_THAT(waits(), ::testing::StartsWith("waits until its cache shows 2 creations of its own"));

  cluster().release("pods");
  run_until_idle();
  EXPECT_EQ(waits(), "");
  EXPECT_FALSE(cluster().debug_page(kController, "other"));
}

TEST_F(LaggingCacheTest, R75_DeletionsThatTheCacheHasNotSeenHoldBackCreations) {
  add_set(R"({"spec":{"replicas":2}})");
  start();
  cluster().hold("pods");
  edit_set(R"({"spec":{"replicas":0}})");
  run_until_idle();
  ASSERT_THAT(pods(), IsEmpty());

  edit_set(R"({"spec":{"replicas":2}})");
  run_until_idle();
  EXPECT_THAT(pods(), IsEmpty());

  cluster().release("pods");
  run_until_idle();
  EXPECT_THAT(pods(), SizeIs(2));
}

TEST_F(LaggingCacheTest, R30_ARecreatedSetDoesNotWaitForTheOldOnesExpectations) {
  add_set();
  lose_next_creation();
  start();
  ASSERT_THAT(pods(), IsEmpty());

  remove_set();
  add_set();
  run_until_idle();

  EXPECT_THAT(pods(), SizeIs(1));
}

TEST_F(LaggingCacheTest, R11_AnUnseenCreationIsGivenUpAfterFiveMinutes) {
  add_set();
  lose_next_creation();
  start();
  touch_set();
  run_until_idle();
  ASSERT_THAT(pods(), IsEmpty());

  advance(std::chrono::minutes(5) + std::chrono::seconds(1));
  touch_set();
  run_until_idle();

  EXPECT_THAT(pods(), SizeIs(1));
}

TEST_F(LaggingCacheTest, R30_ASetThatChangesItsUidInOneUpdateDoesNotWaitEither) {
  add_set();
  lose_next_creation();
  start();
  ASSERT_THAT(pods(), IsEmpty());

  edit_set(R"({"metadata":{"uid":"recreated"}})");  // The deletion between was missed.
  run_until_idle();

  EXPECT_THAT(pods(), SizeIs(1));
}

TEST_F(LaggingCacheTest, APodFirstSeenWhileItIsDeletedIsNotACreation) {
  const std::string uid = add_set();
  lose_next_creation();
  start();

  add_pod("leaving", R"({"metadata":{"deletionTimestamp":"2024-01-01T00:00:00Z",
      "ownerReferences":[)" +
                         controller("ReplicaSet", "rs", uid) + "]}}");
  run_until_idle();

  EXPECT_EQ(created(), 1U) << "the expected creation is still to come";
  EXPECT_EQ(status("terminatingReplicas"), 1);
}

TEST_F(LaggingCacheTest, DeletionsThatTheCacheHasNotSeenAreNotRepeated) {
  add_set(R"({"spec":{"replicas":3}})");
  start();
  cluster().hold("pods");
  edit_set(R"({"spec":{"replicas":1}})");
  run_until_idle();
  touch_set();
  run_until_idle();

  EXPECT_EQ(deleted(), 2U);
  EXPECT_THAT(pods(), SizeIs(1));
}

TEST_F(LaggingCacheTest, ARestartedControllerTrustsItsCacheAgain) {
  add_set(R"({"spec":{"replicas":2}})");
  start();
  restart({});

  EXPECT_EQ(created(), 2U);
}

}  // namespace
}  // namespace davit::replicas
