/// Rows SS36 to SS51: scaling and failure.
#include "tests/plugins/statefulset/fixture.hpp"

namespace davit::statefulset {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using ScalingTest = StatefulSetTest;

TEST_F(ScalingTest, SS36_PodsGoOneAfterTheOtherFromTheTop) {
  start();
  add_ready_set(3, {kBound});
  scale(1);
  EXPECT_TRUE(is_being_deleted("web-2"));
  EXPECT_FALSE(is_being_deleted("web-1"));
  finish("web-2");
  EXPECT_TRUE(is_being_deleted("web-1"));
  finish("web-1");
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
  EXPECT_FALSE(is_being_deleted("web-0"));
}

TEST_F(ScalingTest, SS37_AnUnreadyPodHoldsScalingUp) {
  start();
  add_ready_set(3);
  make_unready("web-0");
  scale(5);
  EXPECT_THAT(pod_names(), SizeIs(3));
  scale(1);
  EXPECT_THAT(pod_names(), SizeIs(3));
  make_ready("web-0");
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
}

TEST_F(ScalingTest, SS38_AnUnreadyPodAtTheTopMayGo) {
  start();
  add_ready_set(3);
  make_unready("web-2");
  scale(2);
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1"));
}

TEST_F(ScalingTest, SS39_UnreadyPodsWaitForOneAnother) {
  start();
  add_ready_set(3, {kBound});
  for (const char* each : {"web-0", "web-1", "web-2"}) make_unready(each);
  scale(0);
  for (const char* each : {"web-0", "web-1", "web-2"}) EXPECT_FALSE(is_being_deleted(each)) << each;
  for (const char* each : {"web-0", "web-1", "web-2"}) make_ready(each);
  for (const char* each : {"web-2", "web-1", "web-0"}) {
    EXPECT_TRUE(is_being_deleted(each)) << each;
    finish(each);
  }
  EXPECT_THAT(pod_names(), IsEmpty());
}

TEST_F(ScalingTest, SS40_TheFirstUnhealthyPodMayGo) {
  start();
  add_ready_set(3);
  make_unready("web-1");
  scale(1);
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
}

TEST_F(ScalingTest, SS40_AnUnhealthyPodAboveTheFirstWaits) {
  start();
  add_ready_set(3);
  make_unready("web-1");
  make_unready("web-2");
  scale(1);
  EXPECT_THAT(pod_names(), SizeIs(3));
  make_ready("web-2");
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
}

TEST_F(ScalingTest, SS41_ParallelPodsGoAndComeAtOnce) {
  start();
  add_set(3, {kParallel, kBound});
  scale(0);
  for (const char* each : {"web-0", "web-1", "web-2"}) EXPECT_TRUE(is_being_deleted(each)) << each;
  for (const char* each : {"web-0", "web-1", "web-2"}) finish(each);
  scale(4);
  EXPECT_THAT(pod_names(), SizeIs(4));
}

TEST_F(ScalingTest, SS42_AFailedPodIsReplaced) {
  start();
  add_ready_set(2, {kBound});
  cluster_.clear_records();
  const std::string uid = pod("web-1").text_at({"metadata", "uid"});
  set_phase("web-1", "Failed");
  EXPECT_THAT(events(),
              Contains("Normal SuccessfulDelete Delete Pod web-1 in StatefulSet web successful"));
  if (is_being_deleted("web-1")) finish("web-1");
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1"));
  EXPECT_NE(pod("web-1").text_at({"metadata", "uid"}), uid);
}

TEST_F(ScalingTest, SS43_ASucceededPodIsReplaced) {
  start();
  add_ready_set(1);
  const std::string uid = pod("web-0").text_at({"metadata", "uid"});
  set_phase("web-0", "Succeeded");
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
  EXPECT_NE(pod("web-0").text_at({"metadata", "uid"}), uid);
}

TEST_F(ScalingTest, SS44_AFailedPodThatIsBeingDeletedIsWaitedFor) {
  start();
  add_ready_set(1, {R"({"spec":{"template":{"metadata":{"finalizers":["example.com/f"]}}}})"});
  cluster_.remove<Pod>({"ns", "web-0"});
  run();
  cluster_.clear_records();
  set_phase("web-0", "Failed");
  EXPECT_EQ(count(Verb::kDelete, "pods"), 0u);
  finish("web-0");
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
  EXPECT_FALSE(is_being_deleted("web-0"));
}

TEST_F(ScalingTest, SS45_ADeletedPodComesBackOnceItIsGone) {
  start();
  add_ready_set(3, {kBound});
  make_unready("web-2");
  cluster_.remove<Pod>({"ns", "web-1"});
  run();
  EXPECT_THAT(pod_names(), SizeIs(3));
  EXPECT_TRUE(is_being_deleted("web-1"));
  finish("web-1");
  EXPECT_FALSE(is_being_deleted("web-1")) << "a new one, although web-2 is unready";
  EXPECT_THAT(pod_names(), SizeIs(3));
}

TEST_F(ScalingTest, SS46_APodOfUnknownPhaseHoldsScalingUp) {
  start();
  add_ready_set(1);
  set_phase("web-0", "Unknown");
  scale(2);
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
}

TEST_F(ScalingTest, SS47_APodOutsideIsDeletedOnceItIsAvailable) {
  start();
  add_ready_set(3);
  edit_set(R"({"spec":{"minReadySeconds":10}})");
  for (const char* each : {"web-0", "web-1", "web-2"}) make_unready(each);
  for (const char* each : {"web-0", "web-1", "web-2"}) make_ready(each);
  cluster_.advance(2s);
  scale(1);
  cluster_.advance(7s);
  EXPECT_THAT(pod_names(), SizeIs(3));
  cluster_.advance(1s);
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
}

TEST_F(ScalingTest, SS48_APodThatIsGoneIsDeleted) {
  start();
  add_ready_set(2);
  cluster_.clear_records();
  cluster_.fail_next({.verb = Verb::kDelete,
                      .resource = "pods",
                      .http_status = 404,
                      .reason = "NotFound",
                      .message = "gone"});
  scale(1);
  EXPECT_THAT(events(),
              Contains("Normal SuccessfulDelete Delete Pod web-1 in StatefulSet web successful"));
  for (const auto& each : cluster_.syncs()) EXPECT_TRUE(each.ok()) << each.error;
}

TEST_F(ScalingTest, SS49_ARefusedDeleteIsAFailureThatLeavesTheStatus) {
  start();
  add_ready_set(2);
  cluster_.fail_next({.verb = Verb::kDelete,
                      .resource = "pods",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "no"});
  cluster_.clear_records();
  edit_set(R"({"spec":{"replicas":1}})");
  EXPECT_THAT(events(), Contains("Warning FailedDelete Delete Pod web-1 in StatefulSet web failed "
                                 "error: no"));
  EXPECT_EQ(status("observedGeneration"), set().at({"metadata", "generation"})->integer());
  cluster_.advance(1s);
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
}

TEST_F(ScalingTest, SS50_TheScaleSubresourceIsFollowed) {
  start();
  add_ready_set(1);
  const testing::RawReply reply =
      cluster_.exchange({"PUT",
                         "/apis/apps/v1/namespaces/ns/statefulsets/web/scale",
                         {{"Content-Type", "application/json"}},
                         R"({"apiVersion":"autoscaling/v1","kind":"Scale",
                             "metadata":{"name":"web","namespace":"ns"},"spec":{"replicas":2}})"});
  ASSERT_EQ(reply.http_status, 200) << reply.body;
  run();
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1"));
}

TEST_F(ScalingTest, SS51_ASetThatIsBeingDeletedCreatesNothingAndReports) {
  start();
  add_ready_set(2, {R"({"metadata":{"finalizers":["example.com/f"]}})"});
  delete_set();
  cluster_.clear_records();
  ASSERT_TRUE(cluster_.erase<Pod>({"ns", "web-1"}));
  run();
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
  EXPECT_EQ(status("replicas"), 1);
  EXPECT_EQ(count(Verb::kCreate, "pods"), 0u);
}

}  // namespace
}  // namespace davit::statefulset
