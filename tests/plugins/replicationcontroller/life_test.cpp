/// Rows RC01 to RC07, RC12 and RC18 to RC20: creation, status, failure, the note.
#include "tests/plugins/replicationcontroller/fixture.hpp"

namespace davit::replicas {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using ::testing::StartsWith;

using LifeTest = ReplicationControllerTest;

TEST_F(LifeTest, RC01_PodsAreNamedAfterTheirControllerAndBelongToIt) {
  start();
  const std::string uid = add_rc(2);
  ASSERT_THAT(pod_names(), SizeIs(2));
  for (const std::string& each : pod_names()) {
    EXPECT_THAT(each, MatchesRegex("rc-[bcdfghjklmnpqrstvwxz24-9]{5}"));
    EXPECT_EQ(pod(each).at({"metadata", "ownerReferences"})->canonical(),
              R"([{"apiVersion":"v1","blockOwnerDeletion":true,"controller":true,)"
              R"("kind":"ReplicationController","name":"rc","uid":")" +
                  uid + R"("}])");
  }
}

TEST_F(LifeTest, RC02_EachPodIsAnnouncedOnItsController) {
  start();
  const std::string uid = add_rc(2);
  ASSERT_THAT(cluster_.events(), SizeIs(2));
  for (const testing::EventRecord& each : cluster_.events()) {
    EXPECT_THAT(each.text(), StartsWith("Normal SuccessfulCreate Created pod: rc-"));
    EXPECT_EQ(each.api_version, "v1");
    EXPECT_EQ(each.kind, "ReplicationController");
    EXPECT_EQ(each.name, "rc");
    EXPECT_EQ(each.uid, uid);
  }
}

TEST_F(LifeTest, RC03_TheStatusHasNoTerminatingReplicas) {
  start();
  add_rc(2);
  EXPECT_EQ(status("replicas"), 2);
  EXPECT_EQ(status("fullyLabeledReplicas"), 2);
  EXPECT_EQ(status("observedGeneration"), 1);
  EXPECT_EQ(status("terminatingReplicas"), std::nullopt);
  for (const testing::RequestRecord& each :
       cluster_.requests_of(Verb::kPatch, "replicationcontrollers", "status")) {
    EXPECT_THAT(each.body, ::testing::Not(HasSubstr("terminating")));
  }
}

TEST_F(LifeTest, RC04_SelectorAndLabelsComeFromTheTemplate) {
  start();
  const testing::RawReply reply = cluster_.exchange(
      {"POST",
       "/api/v1/namespaces/default/replicationcontrollers",
       {{"Content-Type", "application/json"}},
       R"({"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"rc"},
           "spec":{"template":{"metadata":{"labels":{"a":"1"}},
                   "spec":{"containers":[{"name":"c","image":"nginx"}]}}}})"});
  ASSERT_EQ(reply.http_status, 201) << reply.body;
  cluster_.run_until_idle();

  const Json rc = cluster_.json<ReplicationController>({"default", "rc"});
  EXPECT_EQ(rc.at({"spec", "selector"})->dump(), R"({"a":"1"})");
  EXPECT_EQ(rc.at({"metadata", "labels"})->dump(), R"({"a":"1"})");
  EXPECT_THAT(cluster_.all<Pod>(), SizeIs(1));
}

TEST_F(LifeTest, RC05_RC06_AQuotaShowsAsAFailureUntilTheNumberFits) {
  start();
  cluster_.fail_next({.verb = Verb::kCreate,
                      .resource = "pods",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "exceeded quota: q",
                      .times = Fault::kAlways,
                      .skip = 2});
  add_rc(3);
  EXPECT_THAT(pod_names(), SizeIs(2));
  EXPECT_EQ(failure(), "True FailedCreate");
  EXPECT_THAT(rc().at({"status", "conditions"})->items().front().text_at({"message"}),
              HasSubstr("exceeded quota"));
  EXPECT_THAT(cluster_.event_texts().back(),
              AllOf(StartsWith("Warning FailedCreate Error creating: "), HasSubstr("exceeded")));

  scale(2);
  EXPECT_EQ(failure(), "");
}

TEST_F(LifeTest, RC07_PodsFollowTheScaleSubresource) {
  start();
  add_rc(2);
  for (const int replicas : {4, 1}) {
    const testing::RawReply reply =
        cluster_.exchange({"PUT",
                           "/api/v1/namespaces/ns/replicationcontrollers/rc/scale",
                           {{"Content-Type", "application/json"}},
                           R"({"apiVersion":"autoscaling/v1","kind":"Scale",
                               "metadata":{"name":"rc","namespace":"ns"},"spec":{"replicas":)" +
                               std::to_string(replicas) + "}}"});
    ASSERT_EQ(reply.http_status, 200) << reply.body;
    cluster_.run_until_idle();
    EXPECT_THAT(pod_names(), SizeIs(static_cast<std::size_t>(replicas)));
  }
  EXPECT_THAT(cluster_.event_texts().back(),
              StartsWith("Normal SuccessfulDelete Deleted pod: rc-"));
}

TEST_F(LifeTest, RC12_ADeletedPodIsReplacedAtOnce) {
  start();
  add_rc(2);
  const std::string name = pod_names().front();
  cluster_.merge<Pod>({"ns", name}, R"({"spec":{"nodeName":"n1"},"status":{"phase":"Running"}})");
  cluster_.remove<Pod>({"ns", name});
  cluster_.run_until_idle();
  EXPECT_NE(pod(name).text_at({"metadata", "deletionTimestamp"}), "") << "its node takes its time";
  EXPECT_THAT(pod_names(), SizeIs(2));
  EXPECT_EQ(status("replicas"), 2);
}

TEST_F(LifeTest, RC18_DeletionLeavesThePods) {
  start();
  add_rc(2);
  cluster_.clear_records();
  cluster_.remove<ReplicationController>({"ns", "rc"});
  cluster_.run_until_idle();
  EXPECT_THAT(pod_names(), SizeIs(2));
  EXPECT_EQ(count(Verb::kCreate, "pods"), 0);
  EXPECT_EQ(count(Verb::kDelete, "pods"), 0);
}

TEST_F(LifeTest, RC19_APodThatIsReadyCountsAsAvailableLater) {
  start();
  add_rc(1, R"({"spec":{"minReadySeconds":5}})");
  cluster_.merge<Pod>({"ns", pod_names().front()}, R"({"status":{"phase":"Running","conditions":[
      {"type":"Ready","status":"True","lastTransitionTime":")" +
                                                       format_time(cluster_.wall_now()) +
                                                       R"("}]}})");
  cluster_.run_until_idle();
  EXPECT_EQ(status("readyReplicas"), 1);
  EXPECT_EQ(status("availableReplicas").value_or(0), 0);

  cluster_.advance(5s);
  EXPECT_EQ(status("availableReplicas"), 1);
}

TEST_F(LifeTest, RC20_AResyncWritesNothing) {
  start();
  add_rc(2);
  cluster_.clear_records();
  cluster_.resync("replicationcontrollers");
  cluster_.resync("pods");
  cluster_.run_until_idle();
  EXPECT_THAT(cluster_.syncs(), SizeIs(1));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(LifeTest, TheNoteDeclaresOneControllerByBothNames) {
  const Json note = Json::must(note_text<replicationcontroller::declare>());
  const Json& controller = note.find("controllers")->items().front();
  EXPECT_EQ(controller.text_at({"name"}), kController);
  EXPECT_EQ(controller.text_at({"clientName"}), "replication-controller");
  EXPECT_EQ(controller.find("aliases")->dump(), R"(["replicationcontroller"])");
}

TEST_F(LifeTest, TheOptionOfReplicaSetsIsUnknownHere) {
  const Status status = cluster_.start(kController, &ReplicationControllerController::open,
                                       R"({"terminatingReplicas":"on"})");
  EXPECT_THAT(status.message(),
              HasSubstr("unknown configuration \"terminatingReplicas\"; known: writeWindow"));
}

TEST_F(LifeTest, ASwapInTheMidstOfACreationMakesNoPodTwice) {
  start();
  cluster_.hold("pods");
  add_rc(3);
  ASSERT_EQ(count(Verb::kCreate, "pods"), 3);
  ASSERT_TRUE(
      cluster_.swap(kController, &ReplicationControllerController::open, kWriteAtOnce).ok());
  edit_rc(R"({"metadata":{"annotations":{"touch":"1"}}})");
  cluster_.release("pods");
  cluster_.run_until_idle();
  EXPECT_THAT(pod_names(), SizeIs(3));
}

}  // namespace
}  // namespace davit::replicas
