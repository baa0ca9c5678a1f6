#include "host/why/present_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> of(std::string_view object) {
  const Result<Json> parsed = parse_json(object);
  EXPECT_TRUE(parsed) << object;
  return parsed ? hindrances(*parsed) : std::vector<std::string>();
}

TEST(PresentStateTest, ObjectThatIsAsItShouldBeHasNoLine) {
  EXPECT_THAT(of("{}"), IsEmpty());
  EXPECT_THAT(of(R"({"spec":{"replicas":2,"strategy":{}},
                     "status":{"replicas":2,"readyReplicas":2,"updatedReplicas":2,
                       "conditions":[{"type":"Available","status":"True"},
                                     {"type":"ReplicaFailure","status":"False"}]}})"),
              IsEmpty());
}

TEST(PresentStateTest, MissingReplicasAreCounted) {
  EXPECT_THAT(of(R"({"spec":{"replicas":3},"status":{"replicas":2,"readyReplicas":1}})"),
              ElementsAre("wants 3 replicas, has 2, 1 ready"));
  EXPECT_THAT(of(R"({"spec":{"replicas":3,"strategy":{}},"status":{"replicas":3,
                     "readyReplicas":3,"updatedReplicas":1}})"),
              ElementsAre("wants 3 replicas, has 3, 1 of the latest template, 3 ready"));
}

TEST(PresentStateTest, ConditionIsBadWhenItIsFalseOrNamesAFailure) {
  EXPECT_THAT(of(R"({"status":{"conditions":[
                     {"type":"Ready","status":"False","reason":"NotReady","message":"starting"},
                     {"type":"Ready","status":"Unknown"},
                     {"type":"MemoryPressure","status":"True"},
                     {"type":"DiskPressure","status":"Unknown"},
                     {"type":"Complete","status":"True"}]}})"),
              ElementsAre("condition Ready is False: NotReady: starting",
                          "condition Ready is Unknown", "condition MemoryPressure is True"));
}

TEST(PresentStateTest, PauseDeletionAndWaitingContainersAreSaid) {
  EXPECT_THAT(
      of(R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["a","b"]},
                     "spec":{"paused":true},
                     "status":{"containerStatuses":[{"name":"web","state":{"waiting":
                       {"reason":"ImagePullBackOff","message":"no such image"}}},
                       {"name":"side","state":{"running":{}}}]}})"),
      ElementsAre("is paused (spec.paused)", "is being deleted and waits for its finalizers: a b",
                  "container web waits: ImagePullBackOff: no such image"));
}

TEST(PresentStateTest, ANamespaceThatCannotGoSaysWhichFinalizerHoldsIt) {
  EXPECT_THAT(of(R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},
                     "spec":{"finalizers":["kubernetes"]},
                     "status":{"conditions":[
                       {"type":"NamespaceDeletionContentFailure","status":"False"},
                       {"type":"NamespaceContentRemaining","status":"True",
                        "reason":"SomeResourcesRemain","message":"pods. has 1 resource instances"},
                       {"type":"NamespaceFinalizersRemaining","status":"True",
                        "reason":"SomeFinalizersRemain","message":"example.com/hold in 1"}]}})"),
              ElementsAre("is being deleted and waits for its finalizers: kubernetes",
                          "condition NamespaceContentRemaining is True: SomeResourcesRemain: pods. "
                          "has 1 resource instances",
                          "condition NamespaceFinalizersRemaining is True: SomeFinalizersRemain: "
                          "example.com/hold in 1"));
}

TEST(PresentStateTest, SuspensionAndAnotherManagerAreSaid) {
  EXPECT_THAT(
      of(R"({"spec":{"suspend":true,"managedBy":"example.com/queue"}})"),
      ElementsAre("is suspended (spec.suspend)", "is left to example.com/queue (spec.managedBy)"));
  EXPECT_THAT(of(R"({"spec":{"suspend":false,"managedBy":"kubernetes.io/job-controller"}})"),
              IsEmpty());
}

TEST(PresentStateTest, ObjectOfAnotherShapeIsNoProblem) {
  EXPECT_THAT(of(R"({"metadata":1,"spec":{"replicas":"3","paused":"yes"},
                     "status":{"conditions":{"a":1},"containerStatuses":[1,null]}})"),
              IsEmpty());
  EXPECT_THAT(of("[]"), IsEmpty());
}

}  // namespace
}  // namespace davit::host
