/// Rows SS01 to SS16: creation and identity.
#include "tests/plugins/statefulset/fixture.hpp"

namespace davit::statefulset {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using CreationTest = StatefulSetTest;

TEST_F(CreationTest, SS01_EachPodWaitsForTheOneBefore) {
  start();
  add_set(3);
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
  set_phase("web-0", "Running");
  EXPECT_THAT(pod_names(), ElementsAre("web-0")) << "not ready yet";
  make_ready("web-0");
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1"));
  make_ready("web-1");
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1", "web-2"));
}

TEST_F(CreationTest, SS02_PodsHaveAnIdentity) {
  start();
  const std::string uid = add_set(1);
  const Json pod = this->pod("web-0");
  const std::string revision = revision_names().front();
  EXPECT_EQ(pod.text_at({"metadata", "generateName"}), "web-");
  EXPECT_EQ(pod.text_at({"spec", "hostname"}), "web-0");
  EXPECT_EQ(pod.text_at({"spec", "subdomain"}), "svc");
  EXPECT_EQ(pod.at({"metadata", "labels"})->canonical(),
            R"({"app":"x","apps.kubernetes.io/pod-index":"0","controller-revision-hash":")" +
                revision + R"(","statefulset.kubernetes.io/pod-name":"web-0"})");
  EXPECT_EQ(pod.at({"metadata", "ownerReferences"})->canonical(),
            R"([{"apiVersion":"apps/v1","blockOwnerDeletion":true,"controller":true,)"
            R"("kind":"StatefulSet","name":"web","uid":")" +
                uid + R"("}])");
}

TEST_F(CreationTest, SS03_EachPodIsAnnouncedOnTheSet) {
  start();
  add_set(1);
  EXPECT_THAT(events(), ElementsAre("Normal SuccessfulCreate Create Pod web-0 in StatefulSet web "
                                    "successful"));
  EXPECT_EQ(cluster_.events().front().kind, "StatefulSet");
  EXPECT_EQ(cluster_.events().front().name, "web");
}

TEST_F(CreationTest, SS04_ASetWithoutPodsHasARevisionAndAStatus) {
  start();
  add_set(0);
  ASSERT_THAT(revision_names(), SizeIs(1));
  EXPECT_EQ(status("replicas"), 0);
  EXPECT_EQ(status("observedGeneration"), 1);
  EXPECT_EQ(status("collisionCount"), 0);
  EXPECT_EQ(status_text("currentRevision"), revision_names().front());
  EXPECT_EQ(status_text("updateRevision"), revision_names().front());
  EXPECT_THAT(pod_names(), IsEmpty());
}

TEST_F(CreationTest, SS05_ParallelPodsDoNotWait) {
  start();
  add_set(5, {kParallel});
  EXPECT_THAT(pod_names(), SizeIs(5));
}

TEST_F(CreationTest, SS06_ARefusedPodEndsTheBatches) {
  start();
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "pods",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "no web-2",
                      .times = Fault::kAlways,
                      .skip = 2});
  add_set(8, {kParallel});
  EXPECT_GE(count(Verb::kCreate, "pods"), 3u);
  EXPECT_THAT(events(), Contains("Warning FailedCreate Create Pod web-2 in StatefulSet web failed "
                                 "error: no web-2"));
  for (int i = 0; i < 5; ++i) cluster_.advance(10s);
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1"));
  for (const auto& each : cluster_.requests_of(Verb::kCreate, "pods")) {
    EXPECT_LE(each.json().text_at({"metadata", "name"}), "web-2") << "a later batch";
  }
  cluster_.clear_faults();
  cluster_.advance(1000s);
  EXPECT_THAT(pod_names(), SizeIs(8));
}

TEST_F(CreationTest, SS07_OrdinalsBeginWhereTheSetSays) {
  start();
  add_set(3, {R"({"spec":{"ordinals":{"start":5}}})"});
  EXPECT_THAT(pod_names(), ElementsAre("web-5"));
  make_all_ready();
  EXPECT_THAT(pod_names(), ElementsAre("web-5", "web-6", "web-7"));
  EXPECT_EQ(pod("web-7").text_at({"metadata", "labels", kPodIndexLabel}), "7");
}

TEST_F(CreationTest, SS08_AnotherStartMovesThePods) {
  start();
  add_ready_set(3);
  cluster_.clear_records();
  edit_set(R"({"spec":{"ordinals":{"start":2}}})");
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1", "web-2", "web-3"));
  make_ready("web-3");
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1", "web-2", "web-3", "web-4"));
  make_ready("web-4");
  EXPECT_THAT(pod_names(), ElementsAre("web-2", "web-3", "web-4"));
  EXPECT_THAT(events(), Contains(HasSubstr("Delete Pod web-1 in StatefulSet web successful")));
  EXPECT_THAT(events().back(), HasSubstr("Delete Pod web-0 in StatefulSet web successful"));
}

TEST_F(CreationTest, SS09_HostnameAndSubdomainOfTheTemplateAreOverwritten) {
  start();
  add_set(1, {R"({"spec":{"template":{"spec":{"hostname":"h","subdomain":"s"}}}})"});
  EXPECT_EQ(pod("web-0").text_at({"spec", "hostname"}), "web-0");
  EXPECT_EQ(pod("web-0").text_at({"spec", "subdomain"}), "svc");
}

TEST_F(CreationTest, SS10_TheNextPodWaitsForMinReadySeconds) {
  start();
  add_set(2, {R"({"spec":{"minReadySeconds":5}})"});
  make_ready("web-0");
  cluster_.advance(4s);
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
  cluster_.advance(1s);
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1"));
}

TEST_F(CreationTest, SS11_AReadyPodThatIsPendingIsNotReady) {
  start();
  add_set(2);
  make_ready("web-0");
  ASSERT_THAT(pod_names(), SizeIs(2));
  cluster_.erase<Pod>({"ns", "web-1"});
  cluster_.merge<Pod>({"ns", "web-0"}, R"({"status":{"phase":"Pending"}})");
  run();
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
}

TEST_F(CreationTest, SS12_AForeignPodOfTheNameIsWaitedForInSilence) {
  add_pod("web-1", R"({"metadata":{"labels":{"app":"other"}}})");
  start();
  add_set(3);
  make_ready("web-0");
  cluster_.clear_records();
  cluster_.advance(60s);
  EXPECT_GT(count(Verb::kCreate, "pods"), 1u);
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_THAT(pod_names(), ElementsAre("web-0", "web-1"));
  EXPECT_FALSE(cluster_.syncs().back().ok());
}

TEST_F(CreationTest, SS13_ANameThatMakesLabelsTooLongFails) {
  start();
  const std::string name(60, 'w');
  add_set(1, {R"({"metadata":{"name":")" + name + R"("}})"});
  EXPECT_THAT(pod_names(), IsEmpty());
  EXPECT_THAT(events(),
              Contains(::testing::AllOf(HasSubstr("Warning FailedCreate Create Pod " + name + "-0"),
                                        HasSubstr("must be no more than 63"))));
}

TEST_F(CreationTest, SS14_ATerminatingNamespaceIsAFailure) {
  start();
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "pods",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "namespace ns is being terminated",
                      .causes = {"NamespaceTerminating"},
                      .times = Fault::kAlways});
  add_set(1);
  EXPECT_THAT(events(), Contains(HasSubstr("Warning FailedCreate Create Pod web-0")));
  cluster_.clear_records();
  cluster_.advance(1s);
  EXPECT_GT(count(Verb::kCreate, "pods"), 0u);
}

TEST_F(CreationTest, SS15_AnnotationsAndFinalizersOfTheTemplateAreOnThePod) {
  start();
  add_set(1, {R"({"spec":{"template":{"metadata":{"annotations":{"a":"b"},
                  "finalizers":["example.com/f"]}}}})"});
  EXPECT_EQ(pod("web-0").text_at({"metadata", "annotations", "a"}), "b");
  EXPECT_EQ(pod("web-0").at({"metadata", "finalizers"})->dump(), R"(["example.com/f"])");
}

TEST_F(CreationTest, SS16_AnotherControllerChangesNothing) {
  start();
  add_ready_set(3, {kClaims});
  cluster_.stop(kController);
  cluster_.clear_records();
  start();
  EXPECT_THAT(writes(), IsEmpty());
  EXPECT_THAT(revision_names(), SizeIs(1));
  const Status swapped = cluster_.swap(kController, &StatefulSetController::open);
  ASSERT_TRUE(swapped.ok()) << swapped.message();
  cluster_.resync("statefulsets");
  run();
  EXPECT_THAT(writes(), IsEmpty());
}

// A set with a billion replicas must not take the memory of the process.
TEST_F(CreationTest, AnAbsurdNumberOfReplicasIsWorkedOffInPieces) {
  start();
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "pods",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "quota",
                      .times = Fault::kAlways,
                      .skip = 600});
  add_set(2147483647, {kParallel});
  EXPECT_THAT(pod_names(), SizeIs(600));
  EXPECT_EQ(status("replicas"), 600);
}

TEST_F(CreationTest, AnInvalidSelectorIsLoggedAndLeavesOthersAlone) {
  start();
  add_set(1, {R"({"metadata":{"name":"bad"},"spec":{"selector":{"matchExpressions":[
                  {"key":"a","operator":"Near"}]}}})"});
  add_set(1);
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
  ASSERT_THAT(cluster_.log(), Not(IsEmpty()));
  EXPECT_EQ(cluster_.log().front().message, "invalid selector");
  EXPECT_EQ(cluster_.log().front().fields.front().second, "ns/bad");
}

TEST_F(CreationTest, WrongTypesReadAsDefaults) {
  start();
  add_set(1, {R"({"spec":{"replicas":"many","ordinals":[],"minReadySeconds":"x",
                  "updateStrategy":7,"revisionHistoryLimit":{},"volumeClaimTemplates":"no",
                  "persistentVolumeClaimRetentionPolicy":3}})"});
  EXPECT_THAT(pod_names(), ElementsAre("web-0"));
}

}  // namespace
}  // namespace davit::statefulset
