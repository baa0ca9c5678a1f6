/// Rows SS88 to SS95: the status.
#include "plugins/statefulset/status_plan.hpp"
#include "tests/plugins/statefulset/fixture.hpp"

namespace davit::statefulset {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using StatusTest = StatefulSetTest;

TEST_F(StatusTest, SS88_ReadyAndAvailableAreCounted) {
  start();
  add_set(4, {kParallel, R"({"spec":{"minReadySeconds":3600}})"});
  make_ready("web-0");
  cluster_.advance(7200s);
  make_ready("web-1");
  make_ready("web-2");
  EXPECT_EQ(status("replicas"), 4);
  EXPECT_EQ(status("readyReplicas"), 3);
  EXPECT_EQ(status("availableReplicas"), 1);
}

TEST_F(StatusTest, SS89_AvailabilityFollowsByItself) {
  start();
  add_set(1, {R"({"spec":{"minReadySeconds":5}})"});
  make_ready("web-0");
  EXPECT_EQ(status("availableReplicas"), 0);
  cluster_.advance(4s);
  EXPECT_EQ(status("availableReplicas"), 0);
  cluster_.advance(1s);
  EXPECT_EQ(status("availableReplicas"), 1);
}

TEST_F(StatusTest, SS90_ATerminatingPodIsOfNoRevision) {
  start();
  add_ready_set(2, {kBound});
  cluster_.remove<Pod>({"ns", "web-1"});
  run();
  EXPECT_EQ(status("replicas"), 2);
  EXPECT_EQ(status("readyReplicas"), 2);
  EXPECT_EQ(status("currentReplicas"), 1);
  EXPECT_EQ(status("updatedReplicas"), 1);
}

TEST_F(StatusTest, SS91_APendingPodIsNotReady) {
  start();
  add_ready_set(1);
  cluster_.merge<Pod>({"ns", "web-0"}, R"({"status":{"phase":"Pending"}})");
  run();
  EXPECT_EQ(status("replicas"), 1);
  EXPECT_EQ(status("readyReplicas"), -1) << "0, which the server leaves out";
  EXPECT_EQ(status("availableReplicas"), 0);
}

TEST_F(StatusTest, SS92_AConflictIsTriedAgainWithTheCachedSet) {
  start();
  const auto conflicts = [&](int times) {
    cluster_.fail_next({.verb = Verb::kPatch,
                        .resource = "statefulsets",
                        .subresource = "status",
                        .http_status = 409,
                        .reason = "Conflict",
                        .message = "changed",
                        .times = times});
  };
  conflicts(2);
  add_set(0);
  EXPECT_EQ(count(Verb::kPatch, "statefulsets", "status"), 3u);
  EXPECT_EQ(count(Verb::kGet, "statefulsets"), 0u);
  EXPECT_EQ(status("observedGeneration"), 1);

  cluster_.clear_records();
  conflicts(5);
  edit_set(R"({"spec":{"minReadySeconds":1}})");
  ASSERT_GE(cluster_.syncs().size(), 1u);
  EXPECT_FALSE(cluster_.syncs().front().ok()) << "after five";
  EXPECT_EQ(status("observedGeneration"), 1);
  cluster_.advance(1s);
  EXPECT_EQ(status("observedGeneration"), 2);
}

TEST_F(StatusTest, SS93_ConditionsOfOthersDisappear) {
  start();
  add_ready_set(1);
  cluster_.merge<StatefulSet>({"ns", "web"},
                              R"({"status":{"conditions":[{"type":"Mine","status":"True"}]}})");
  run();
  ASSERT_NE(set().at({"status", "conditions"}), nullptr);
  scale(2);
  EXPECT_EQ(set().at({"status", "conditions"}), nullptr);
}

TEST_F(StatusTest, SS94_NothingIsWrittenWithoutAChange) {
  start();
  add_ready_set(3, {kClaims});
  cluster_.clear_records();
  for (const char* each : {"statefulsets", "pods", "persistentvolumeclaims"}) cluster_.resync(each);
  run();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(StatusTest, SS95_APodWithAnAbsurdOrdinalIsLeftAlone) {
  start();
  const std::string uid = add_set(1);
  make_ready("web-0");
  add_owned_pod("web-99999999999", uid);
  run();
  EXPECT_THAT(pod_names(), SizeIs(2));
  EXPECT_EQ(status("replicas"), 1);
}

TEST_F(StatusTest, ARecreatedSetGetsAStatusOfItsOwn) {
  start();
  add_ready_set(1, {kBound});
  cluster_.erase<StatefulSet>({"ns", "web"});
  add_set(2);
  EXPECT_EQ(status("observedGeneration"), 1);
  EXPECT_EQ(status("replicas"), 0);
}

TEST(StatusPlanTest, OnlyPodsThatTheServerHasCount) {
  SetStatus status{.current_revision = "a", .update_revision = "b"};
  const std::vector<PodState> pods = {
      {.phase = "", .revision = "b"},
      {.phase = "Failed", .ready = true, .available = true, .revision = "a"},
      {.phase = "Running", .ready = true, .available = false, .revision = "a"},
      {.phase = "Running", .ready = true, .available = true, .revision = "b"},
      {.phase = "Running", .terminating = true, .ready = true, .available = true, .revision = "b"},
      {.phase = "Pending", .ready = true, .available = true, .revision = "c"}};
  count_pods(pods, status);
  EXPECT_EQ(status, (SetStatus{.replicas = 5,
                               .ready = 3,
                               .available = 2,
                               .current = 2,
                               .updated = 1,
                               .current_revision = "a",
                               .update_revision = "b"}));
}

TEST(StatusPlanTest, AnUpdateIsCompleteWhenAllPodsAreUpdatedAndReady) {
  const SetStatus all{.replicas = 2,
                      .ready = 2,
                      .current = 0,
                      .updated = 2,
                      .current_revision = "a",
                      .update_revision = "b"};
  SetStatus status = all;
  complete_update(2, status);
  EXPECT_EQ(status.current, 2);
  EXPECT_EQ(status.current_revision, "b");
  for (std::int64_t SetStatus::*each :
       {&SetStatus::replicas, &SetStatus::ready, &SetStatus::updated}) {
    status = all;
    status.*each = 1;
    complete_update(2, status);
    EXPECT_EQ(status.current_revision, "a");
  }
  SetStatus none{.current_revision = "a", .update_revision = "b"};
  complete_update(0, none);
  EXPECT_EQ(none.current_revision, "b") << "without pods it is complete at once";
}

TEST(StatusPlanTest, TheCollisionCountAloneIsNotWorthAWrite) {
  const SetStatus stored{.observed_generation = 2, .replicas = 1, .current_revision = "a"};
  SetStatus wanted = stored;
  EXPECT_FALSE(is_worth_a_write(stored, wanted));
  wanted.collision_count = 1;
  EXPECT_FALSE(is_worth_a_write(stored, wanted));
  wanted.observed_generation = 1;
  EXPECT_FALSE(is_worth_a_write(stored, wanted)) << "an older cache";
  wanted.observed_generation = 3;
  EXPECT_TRUE(is_worth_a_write(stored, wanted));
  wanted = stored;
  wanted.update_revision = "b";
  EXPECT_TRUE(is_worth_a_write(stored, wanted));
}

}  // namespace
}  // namespace davit::statefulset
