/// Rows DS85 to DS90: the status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/daemonset/fixture.hpp"

namespace davit::daemonset {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::Verb;
using namespace std::chrono_literals;

class StatusTest : public DaemonSetTest {};

TEST_F(StatusTest, DS85_EachCounterCountsItsNodes) {
  add_nodes(4);
  add_set();
  const std::string ready = R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})";
  add_own_pod("ready", "n1", ready);
  add_own_pod("unready", "n2");
  add_own_pod("misplaced", "n4", ready);
  taint("n4", "x", "NoSchedule");
  refuse_pods(Verb::kCreate);
  start();

  EXPECT_THAT(counters(), ElementsAre(3, 2, 1, 1, 0, 1, 2));
  EXPECT_EQ(status("observedGeneration"), 1);
}

TEST_F(StatusTest, DS86_AStatusThatIsRefusedIsTriedOnceMoreOnTheLiveObject) {
  add_set();
  cluster().fail_next({.verb = Verb::kPatch,
                       .resource = "daemonsets",
                       .http_status = 409,
                       .reason = "Conflict",
                       .times = 1});
  start();

  EXPECT_EQ(status_writes(), 2U);
  EXPECT_EQ(requests(Verb::kGet, "daemonsets"), 1U);
  EXPECT_EQ(status("observedGeneration"), 1);
  ASSERT_FALSE(cluster().syncs().empty());
  EXPECT_TRUE(cluster().syncs().back().ok());
}

TEST_F(StatusTest, DS86_ASecondRefusalFailsTheSync) {
  add_set();
  cluster().fail_next({.verb = Verb::kPatch,
                       .resource = "daemonsets",
                       .http_status = 409,
                       .reason = "Conflict",
                       .message = "changed",
                       .times = 2});
  start_synced();
  step();

  EXPECT_EQ(status_writes(), 2U);
  EXPECT_EQ(cluster().syncs().back().error, "error storing status for daemon set ns/ds: changed");
}

TEST_F(StatusTest, DS87_WhatOthersWroteIntoTheStatusStays) {
  add_nodes(1);
  add_set();
  cluster().merge<DaemonSet>({"ns", "ds"}, R"({"status":{"collisionCount":3,"conditions":[
      {"type":"Foreign","status":"True"}]}})");
  start();
  start_pods();

  EXPECT_EQ(status("numberReady"), 1);
  EXPECT_EQ(status("collisionCount"), 3);
  const Json object = set();
  EXPECT_EQ(object.at({"status", "conditions"})->items().front().text_at({"type"}), "Foreign");
}

TEST_F(StatusTest, DS88_AResyncWritesNothing) {
  add_nodes(2);
  add_set();
  start();
  start_pods();
  cluster().clear_records();

  cluster().resync("daemonsets");
  run_until_idle();
  EXPECT_THAT(cluster().syncs(), SizeIs(1));
  EXPECT_THAT(cluster().writes(), IsEmpty());
}

TEST_F(StatusTest, DS89_AvailabilityFollowsWithoutAnEvent) {
  add_nodes(1);
  add_set(R"({"spec":{"minReadySeconds":5}})");
  start();
  start_pods();
  EXPECT_EQ(status("numberReady"), 1);
  EXPECT_EQ(status("numberAvailable"), 0);

  advance(4s);
  EXPECT_EQ(status("numberAvailable"), 0);
  advance(1s);
  EXPECT_EQ(status("numberAvailable"), 1);
}

TEST_F(StatusTest, DS90_AnAnnotationIsNoChange) {
  add_nodes(1);
  add_set();
  start();
  cluster().clear_records();

  edit_set(R"({"metadata":{"annotations":{"note":"new"}}})");
  EXPECT_THAT(cluster().writes(), IsEmpty());
  EXPECT_EQ(set().text_at({"metadata", "generation"}), "1");
}

TEST_F(StatusTest, CountersAloneWaitForTheEndOfTheWindow) {
  add_nodes(2);
  add_set();
  start({});
  bind_pods();
  advance(1s);
  cluster().clear_records();

  make_ready(pod_on("n1"));
  EXPECT_EQ(status_writes(), 1U) << "no window was open";
  make_ready(pod_on("n2"));
  EXPECT_EQ(status_writes(), 1U);
  advance(100ms);
  EXPECT_EQ(status_writes(), 2U);
  EXPECT_EQ(status("numberReady"), 2);
}

TEST_F(StatusTest, CountersOfASyncThatFailsDoNotWait) {
  add_nodes(2);
  add_set();
  start({});
  start_pods();
  refuse_pods(Verb::kCreate);
  edit_pod(pod_on("n1"), R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})");
  const std::size_t before = status_writes();
  cluster().erase<Pod>({"ns", pod_on("n2")});
  run_until_idle();

  EXPECT_GT(status_writes(), before);
  EXPECT_EQ(status("numberReady"), 0);
}

TEST_F(StatusTest, TheObservedGenerationDoesNotWait) {
  add_nodes(1);
  add_set();
  start({});
  edit_set(R"({"spec":{"minReadySeconds":1}})");

  EXPECT_EQ(status("observedGeneration"), 2);
}

}  // namespace
}  // namespace davit::daemonset
