/// Rows R01 to R12: creating pods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/replicaset/fixture.hpp"

namespace davit::replicas {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAreArray;

class CreationTest : public ReplicaSetTest {};

TEST_F(CreationTest, R01_PodsAreNamedAfterTheSetAndBelongToIt) {
  const std::string uid = add_set(R"({"spec":{"replicas":2}})");
  start();

  ASSERT_THAT(pods(), SizeIs(2));
  for (const Json& pod : pods()) {
    EXPECT_THAT(text(pod, {"metadata", "name"}), MatchesRegex("rs-[bcdfghjklmnpqrstvwxz24-9]{5}"));
    EXPECT_EQ(text(pod, {"metadata", "generateName"}), "rs-");
    EXPECT_EQ(pod.at({"metadata", "ownerReferences"})->canonical(),
              R"([{"apiVersion":"apps/v1","blockOwnerDeletion":true,"controller":true,)"
              R"("kind":"ReplicaSet","name":"rs","uid":")" +
                  uid + R"("}])");
  }
}

TEST_F(CreationTest, R02_PodsCarryWhatTheTemplateSays) {
  add_set(R"({"spec":{"template":{"metadata":{"name":"foo","labels":{"tier":"front"},
            "annotations":{"note":"a \"quoted\" text"},"finalizers":["example.com/hold"]},
            "spec":{"hostAliases":[{"ip":"10.0.0.1","hostnames":["a","b"]}]}}}})");
  start();

  ASSERT_THAT(pods(), SizeIs(1));
  const Json pod = pods().front();
  EXPECT_THAT(text(pod, {"metadata", "name"}), StartsWith("rs-"));
  EXPECT_EQ(pod.at({"metadata", "labels"})->canonical(), R"({"app":"web","tier":"front"})");
  EXPECT_EQ(text(pod, {"metadata", "annotations", "note"}), "a \"quoted\" text");
  EXPECT_EQ(pod.at({"metadata", "finalizers"})->canonical(), R"(["example.com/hold"])");
  const Json spec = *set().at({"spec", "template", "spec"});
  for (const std::string& member : spec.keys()) {
    const Json* carried = pod.find("spec")->find(member);
    ASSERT_NE(carried, nullptr) << member;
    EXPECT_EQ(carried->canonical(), spec.find(member)->canonical());
  }
}

TEST_F(CreationTest, R03_EachPodIsAnnounced) {
  const std::string uid = add_set(R"({"spec":{"replicas":2}})");
  start();

  std::vector<std::string> expected;
  for (const std::string& name : pod_names()) {
    expected.push_back("Normal SuccessfulCreate Created pod: " + name);
  }
  EXPECT_THAT(events(), UnorderedElementsAreArray(expected));
  for (const testing::EventRecord& event : cluster().events()) {
    EXPECT_EQ(event.api_version, "apps/v1");
    EXPECT_EQ(event.kind, "ReplicaSet");
    EXPECT_EQ(event.ns + "/" + event.name, "ns/rs");
    EXPECT_EQ(event.uid, uid);
  }
}

TEST_F(CreationTest, R04_TheStatusConvergesOnThePods) {
  add_set(R"({"spec":{"replicas":2}})");
  start();

  EXPECT_EQ(status("replicas"), 2);
  EXPECT_EQ(status("fullyLabeledReplicas"), 2);
  EXPECT_EQ(status("observedGeneration"), 1);
  EXPECT_EQ(status("terminatingReplicas"), 0);
  EXPECT_EQ(status("readyReplicas").value_or(0), 0);
  EXPECT_EQ(status("availableReplicas").value_or(0), 0);
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(CreationTest, R05_NoPodsWantedNoneCreated) {
  add_set(R"({"spec":{"replicas":0}})");
  start();

  EXPECT_THAT(pods(), IsEmpty());
  EXPECT_EQ(status("replicas"), 0);
  EXPECT_EQ(status("observedGeneration"), 1);
  EXPECT_EQ(status("terminatingReplicas"), 0);
}

TEST_F(CreationTest, R06_ALongNameIsLeftForTheServerToCut) {
  const std::string name(60, 'a');
  add_set(R"({"metadata":{"name":")" + name + R"("}})");
  start();

  ASSERT_THAT(pods(), SizeIs(1));
  EXPECT_EQ(text(pods().front(), {"metadata", "generateName"}), name + "-");
}

TEST_F(CreationTest, R07_EveryPodHasAnEventForTheHostToCombine) {
  add_set(R"({"spec":{"replicas":20}})");
  start();

  EXPECT_THAT(events(),
              AllOf(SizeIs(20), Each(StartsWith("Normal SuccessfulCreate Created pod: "))));
}

TEST_F(CreationTest, R08_ARejectionStopsTheSlowStart) {
  add_set(R"({"spec":{"replicas":100}})");
  fail_creates_after(10);
  start_one_sync();

  EXPECT_EQ(created(), 1U + 2 + 4 + 8);
  EXPECT_THAT(pods(), SizeIs(10));
}

TEST_F(CreationTest, R09_WhenAllIsRejectedOnePodIsTriedAtATime) {
  add_set(R"({"spec":{"replicas":10}})");
  fail_creates_after(0);
  start_one_sync();

  EXPECT_EQ(created(), 1U);
  EXPECT_THAT(events(), ElementsAre("Warning FailedCreate Error creating: rejected"));

  run_until_idle();  // The status that this wrote makes one more try.
  Duration last{0};
  for (int i = 0; i < 5; ++i) {
    const Duration delay = cluster().next_due_in().value();
    EXPECT_GT(delay, last);
    last = delay;
    const std::size_t before = created();
    advance(delay);
    EXPECT_EQ(created(), before + 1);
  }
}

TEST_F(CreationTest, R11_ATerminatingNamespaceIsNotAFailure) {
  add_set();
  cluster().fail_next({.verb = testing::Verb::kCreate,
                       .resource = "pods",
                       .http_status = 403,
                       .reason = "Forbidden",
                       .causes = {"NamespaceTerminating"},
                       .times = testing::Fault::kAlways});
  start();

  EXPECT_EQ(created(), 1U) << "its expectation stands, so there is no second try";
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(CreationTest, R12_ASetBeingDeletedGetsAStatusButNoPods) {
  add_set(R"({"metadata":{"finalizers":["example.com/hold"]},"spec":{"replicas":2}})");
  remove_set();
  start();

  EXPECT_THAT(pods(), IsEmpty());
  EXPECT_EQ(status("observedGeneration"), set().at({"metadata", "generation"})->integer());
}

TEST_F(CreationTest, ATemplateWithoutLabelsIsNeverSent) {
  add_set(R"({"spec":{"template":{"metadata":{"labels":null}}}})");
  start_one_sync();

  EXPECT_EQ(created(), 0U);
  EXPECT_THAT(events(), IsEmpty());
  ASSERT_THAT(conditions(), SizeIs(1));
  EXPECT_EQ(text(conditions().front(), {"message"}), "unable to create pods, no labels");
}

}  // namespace
}  // namespace davit::replicas
