/// Rows R62 to R75: status, availability, and waiting for the cache.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/replicaset/fixture.hpp"

namespace davit::replicas {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StatusTest : public ReplicaSetTest {
 protected:
  /// An idle set, as a controller leaves it that knows nothing of terminatingReplicas.
  void add_steady_set() {
    add_set(R"({"status":{"replicas":1,"fullyLabeledReplicas":1,"observedGeneration":1}})");
  }
  /// The same without pods: an old set of a Deployment.
  void add_empty_set() {
    add_set(R"({"metadata":{"name":"empty"},"spec":{"replicas":0,
        "selector":{"matchLabels":{"app":"old"}},"template":{"metadata":{"labels":{"app":"old"}}}},
        "status":{"observedGeneration":1}})");
  }
  void add_ready(const std::string& name, Duration age) {
    add_pod(name, R"({"status":{"conditions":[{"type":"Ready","status":"True",
                      "lastTransitionTime":")" +
                      format_time(now() - age) + R"("}]}})");
  }
  void make_ready(const std::string& name, std::string_view is_ready = "True") {
    edit_pod(name, R"({"status":{"conditions":[{"type":"Ready","status":")" +
                       std::string(is_ready) + R"(","lastTransitionTime":")" + format_time(now()) +
                       R"("}]}})");
  }
};

TEST_F(StatusTest, R62_OnlyPodsReadyForLongEnoughAreAvailable) {
  add_pod("p1", R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})");
  add_ready("p2", seconds(0));
  add_ready("p3", hours(2));
  add_set(R"({"spec":{"replicas":3,"minReadySeconds":3600}})");
  start();

  EXPECT_EQ(status("replicas"), 3);
  EXPECT_EQ(status("readyReplicas"), 2);
  EXPECT_EQ(status("availableReplicas"), 1);
}

TEST_F(StatusTest, R63_PodsBecomeAvailableWithoutAnyEvent) {
  add_pod("p1", "{}");
  add_ready("p2", seconds(0));
  add_ready("p3", seconds(2));
  add_ready("p4", seconds(4));
  add_set(R"({"spec":{"replicas":4,"minReadySeconds":5}})");
  start();
  EXPECT_EQ(status("readyReplicas"), 3);
  EXPECT_EQ(status("availableReplicas"), std::nullopt) << "the server leaves out a zero";

  advance(milliseconds(999));
  EXPECT_EQ(status("availableReplicas"), std::nullopt);
  advance(milliseconds(1));
  EXPECT_EQ(status("availableReplicas"), 1);
  advance(seconds(2));
  EXPECT_EQ(status("availableReplicas"), 2);
  advance(seconds(2));
  EXPECT_EQ(status("availableReplicas"), 3);
}

TEST_F(StatusTest, R64_WithoutMinReadySecondsNoTimeIsNeeded) {
  add_pod("p", R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  add_set();
  start();

  EXPECT_EQ(status("availableReplicas"), 1);
}

TEST_F(StatusTest, R65_WithMinReadySecondsAMissingTimeIsNeverEnough) {
  add_pod("p", R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  add_set(R"({"spec":{"minReadySeconds":1}})");
  start();
  advance(hours(1));

  EXPECT_EQ(status("readyReplicas"), 1);
  EXPECT_EQ(status("availableReplicas").value_or(0), 0);
}

TEST_F(StatusTest, R66_PodsWithoutTheTemplatesNewLabelAreNotFullyLabeled) {
  add_set(R"({"spec":{"replicas":2}})");
  start();

  edit_set(R"({"spec":{"template":{"metadata":{"labels":{"tier":"front"}}}}})");
  edit_pod(pod_names().front(), R"({"metadata":{"labels":{"tier":"front"}}})");
  run_until_idle();

  EXPECT_EQ(status("replicas"), 2);
  EXPECT_EQ(status("fullyLabeledReplicas"), 1);
}

TEST_F(StatusTest, R67_ATerminatingPodCountsUntilItIsGone) {
  add_set(R"({"spec":{"replicas":2,"template":{"spec":{"nodeName":"n1"}}}})");
  start();
  const std::string name = pod_names().front();
  remove_pod(name);
  run_until_idle();
  ASSERT_EQ(status("terminatingReplicas"), 1);

  force_remove_pod(name);
  run_until_idle();

  EXPECT_EQ(status("terminatingReplicas"), 0);
}

TEST_F(StatusTest, R68_ATerminatingPodThatNoLongerMatchesIsNotCounted) {
  add_set(R"({"spec":{"template":{"spec":{"nodeName":"n1"}}}})");
  start();
  const std::string name = pod_names().front();
  remove_pod(name);
  run_until_idle();
  ASSERT_EQ(status("terminatingReplicas"), 1);

  edit_pod(name, R"({"metadata":{"labels":{"app":"other"}}})");
  run_until_idle();

  EXPECT_EQ(status("terminatingReplicas"), 0);
  EXPECT_EQ(patched(), 0U);
}

TEST_F(StatusTest, R69_AResyncOfASteadyStateWritesNothing) {
  add_set(R"({"spec":{"replicas":2}})");
  start();
  const std::size_t before = cluster().writes().size();

  cluster().resync("replicasets");
  cluster().resync("pods");
  run_until_idle();

  EXPECT_EQ(cluster().writes().size(), before);
}

TEST_F(StatusTest, R70_AStatusFromAnOlderControllerGainsTheTerminatingCount) {
  add_pod("p");
  add_steady_set();
  start(R"({"terminatingReplicas":"on"})");

  EXPECT_EQ(status("terminatingReplicas"), 0);
  EXPECT_EQ(status_writes(), 1U);
}

TEST_F(StatusTest, OneResponseShowsWhetherTheServerKeepsTheTerminatingCount) {
  const auto without = cluster().view_of<ReplicaSet>(R"({"status":{"replicas":1}})");
  const auto with = cluster().view_of<ReplicaSet>(R"({"status":{"terminatingReplicas":0}})");
  TerminatingSupport older(TerminatingSupport::Mode::kAuto);
  EXPECT_EQ(older.of(without), TerminatingField::kUnproven);
  older.observe(without);
  EXPECT_EQ(older.of(without), TerminatingField::kDropped);
  EXPECT_EQ(older.of(with), TerminatingField::kStored) << "a stored one is kept by every server";

  using News = TerminatingSupport::Observed;
  EXPECT_EQ(older.observe_cached(without), News::kNone);
  EXPECT_EQ(older.observe_cached(with), News::kStoredNow);
  EXPECT_EQ(older.of(without), TerminatingField::kStored) << "the server was upgraded";
  EXPECT_EQ(older.observe_cached(with), News::kNone) << "said once";

  TerminatingSupport newer(TerminatingSupport::Mode::kAuto);
  EXPECT_EQ(newer.observe_cached(with), News::kNone);
  EXPECT_EQ(newer.of(without), TerminatingField::kStored) << "one object proves it";
}

TEST_F(StatusTest, AtTheStartEveryIdleSetGainsTheTerminatingCount) {
  add_pod("p");
  add_steady_set();
  add_empty_set();
  start();

  EXPECT_EQ(status("terminatingReplicas"), 0);
  EXPECT_EQ(status("terminatingReplicas", "empty"), 0);
  EXPECT_EQ(status_writes(), 2U);
}

TEST_F(StatusTest, AnOlderServerIsAskedOnceForTheTerminatingCount) {
  cluster().drop_status_field("replicasets", "terminatingReplicas");
  add_pod("p");
  add_steady_set();
  add_empty_set();
  start();
  cluster().resync("replicasets");
  run_until_idle();

  EXPECT_EQ(status("terminatingReplicas"), std::nullopt);
  EXPECT_EQ(status_writes(), 1U);
}

TEST_F(StatusTest, AServerThatIsUpgradedIsNoticedByTheNextWriteAndEverySetGainsTheCount) {
  cluster().drop_status_field("replicasets", "terminatingReplicas");
  add_pod("p");
  add_steady_set();
  add_empty_set();
  start();
  ASSERT_EQ(status("terminatingReplicas", "empty"), std::nullopt);

  cluster().keep_status_field("replicasets", "terminatingReplicas");
  edit_set(R"({"spec":{"replicas":2}})");
  run_until_idle();

  EXPECT_EQ(status("terminatingReplicas"), 0);
  EXPECT_EQ(status("terminatingReplicas", "empty"), 0);
}

TEST_F(StatusTest, SwitchedOffTheTerminatingCountIsTakenAway) {
  add_set();
  start();
  ASSERT_EQ(status("terminatingReplicas"), 0);
  restart(R"({"terminatingReplicas":"off"})");

  EXPECT_EQ(status("terminatingReplicas"), std::nullopt);
}

TEST_F(StatusTest, R71_AConflictLeadsToOneReadAndOneMoreWrite) {
  add_set();
  cluster().fail_next({.verb = testing::Verb::kPatch,
                       .resource = "replicasets",
                       .subresource = "status",
                       .http_status = 409,
                       .reason = "Conflict",
                       .times = 1});
  start_one_sync();

  EXPECT_EQ(requests(testing::Verb::kGet, "replicasets"), 1U);
  EXPECT_EQ(status_writes(), 2U);
  EXPECT_EQ(status("observedGeneration"), 1);
  EXPECT_EQ(set().at({"metadata", "generation"})->integer(), 1) << "the spec is not touched";
}

TEST_F(StatusTest, TheCountersKeepWhatOthersWroteMeanwhileWithoutAConflict) {
  add_set(R"({"spec":{"replicas":0}})");
  start_synced();
  cluster().hold("replicasets");
  edit_set(
      R"({"spec":{"replicas":5},"status":{"conditions":[{"type":"Foreign","status":"True"}]}})");
  step();

  EXPECT_EQ(requests(testing::Verb::kGet, "replicasets"), 0U) << "there was no conflict";
  EXPECT_EQ(status_writes(), 1U);
  EXPECT_EQ(set().at({"spec", "replicas"})->integer(), 5);
  EXPECT_EQ(status("observedGeneration"), 1) << "that is what the sync acted upon";
  EXPECT_THAT(conditions(), SizeIs(1));
}

TEST_F(StatusTest, R71_ARecreatedSetDoesNotGetTheOldOnesStatus) {
  add_set(R"({"spec":{"replicas":0}})");
  start_synced();
  cluster().hold("replicasets");
  edit_set(R"({"metadata":{"uid":"recreated"}})");
  step();

  EXPECT_EQ(status_writes(), 1U);
  EXPECT_EQ(status("observedGeneration"), std::nullopt);
}

TEST_F(StatusTest, R71_TheSecondWriteRepeatsNoCondition) {
  add_set();
  fail_creates_after(0);
  start_synced();
  cluster().hold("replicasets");
  edit_set(R"({"status":{"conditions":[{"type":"ReplicaFailure","status":"True",
               "reason":"FailedCreate","message":"by another writer"}]}})");
  step();

  EXPECT_EQ(status_writes(), 2U);
  ASSERT_THAT(conditions(), SizeIs(1));
  EXPECT_EQ(text(conditions().front(), {"message"}), "by another writer");
}

TEST_F(StatusTest, ASecondFailureIsTriedAgainLater) {
  add_set(R"({"spec":{"replicas":0}})");
  cluster().fail_next({.verb = testing::Verb::kPatch,
                       .resource = "replicasets",
                       .subresource = "status",
                       .http_status = 500,
                       .reason = "InternalError",
                       .times = 2});
  start_one_sync();
  EXPECT_EQ(status("observedGeneration"), std::nullopt);

  advance(milliseconds(5));
  EXPECT_EQ(status("observedGeneration"), 1);
}

TEST_F(StatusTest, R72_AShorterMinReadySecondsTakesEffect) {
  add_ready("p", seconds(0));
  add_set(R"({"spec":{"minReadySeconds":3600}})");
  start();
  ASSERT_EQ(status("availableReplicas").value_or(0), 0);

  edit_set(R"({"spec":{"minReadySeconds":1}})");
  run_until_idle();
  advance(seconds(1));

  EXPECT_EQ(status("availableReplicas"), 1);
  EXPECT_EQ(status("observedGeneration"), 2);
}

TEST_F(StatusTest, R73_APodThatStopsBeingReadyCountsNoMore) {
  add_set();
  start();
  make_ready(pod_names().front());
  run_until_idle();
  ASSERT_EQ(status("availableReplicas"), 1);

  make_ready(pod_names().front(), "False");
  run_until_idle();

  EXPECT_EQ(status("readyReplicas").value_or(0), 0);
  EXPECT_EQ(status("availableReplicas").value_or(0), 0);
}

}  // namespace
}  // namespace davit::replicas
