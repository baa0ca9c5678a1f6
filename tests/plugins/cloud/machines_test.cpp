/// Machines that are gone or switched off. Ids: docs/spec/cloud.md.
#include "tests/plugins/cloud/machines_fixture.hpp"

namespace davit::cloud {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using std::chrono_literals::operator""s;

constexpr std::string_view kLifecycleLoop = "cloud-node-lifecycle-controller";
constexpr std::string_view kNotReady =
    R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})";
constexpr std::string_view kIsReady =
    R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})";
constexpr std::string_view kShutdownTaint =
    R"({"key":"node.cloudprovider.kubernetes.io/shutdown","effect":"NoSchedule"})";

class MachinesTest : public MachineFixture {
 protected:
  void start_lifecycle() { start(kLifecycleLoop, &CloudNodeLifecycleController::open); }
  /// A Node that is not Ready, whose machine is switched off, with its taint.
  void begin_shut_down() {
    machines.usual["shutdown"] = CloudReply::yes();
    add_node("n1", kNotReady);
    start_lifecycle();
    ASSERT_THAT(taints("n1"), HasSubstr("cloudprovider.kubernetes.io/shutdown"));
    clear();
  }
  void conflict(int times) {
    cluster_.fail_next({.verb = Verb::kPatch,
                        .resource = "nodes",
                        .http_status = 409,
                        .reason = "Conflict",
                        .times = times});
  }
};

TEST_F(MachinesTest, CLD004_WithoutInstancesTheLifecycleLoopIsSkipped) {
  machines.has_instances = false;
  const Status started = try_start(kLifecycleLoop, &CloudNodeLifecycleController::open);
  EXPECT_EQ(started.code(), Code::kUnsupported);
  EXPECT_EQ(started.message(),
            "failed to start cloud node lifecycle controller: cloud provider does not support "
            "instances");
}

TEST_F(MachinesTest, CLD081_TheMachineOfAReadyNodeIsNotAskedAbout) {
  machines.usual["exists"] = CloudReply::not_found();
  add_node("n1");
  start_lifecycle();
  advance(60s);
  EXPECT_THAT(machines.calls, IsEmpty());
  EXPECT_TRUE(exists("n1"));
}

TEST_F(MachinesTest, CLD082_TheNodeOfAMachineThatIsGoneIsDeleted) {
  add_node("n1", kNotReady);
  const std::string uid(node("n1").uid());
  start_lifecycle();
  machines.usual["exists"] = CloudReply::not_found();
  clear();
  advance(5s);
  EXPECT_FALSE(exists("n1"));
  EXPECT_THAT(cluster_.event_texts(),
              ElementsAre("Normal DeletingNode Deleting node n1 because it does not exist in the "
                          "cloud provider"));
  ASSERT_THAT(write_texts(), ElementsAre("delete nodes/n1 200"));
  EXPECT_THAT(cluster_.writes().front().body, HasSubstr(uid));
}

TEST_F(MachinesTest, CLD083_UnknownAndMissingReadinessCountAsNotReady) {
  machines.usual["exists"] = CloudReply::not_found();
  add_node("n1", R"({"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})");
  add_node("n2", R"({"status":{"conditions":null}})");
  start_lifecycle();
  EXPECT_FALSE(exists("n1"));
  EXPECT_FALSE(exists("n2"));
}

TEST_F(MachinesTest, CLD084_NotFoundIsACertainAnswer) {
  add_node("n1", kNotReady);
  machines.answers["exists"] = {CloudReply::failed(Status(Code::kNotFound, "no machine"))};
  start_lifecycle();
  EXPECT_FALSE(exists("n1"));
  EXPECT_THAT(log_texts(), Each(Not(HasSubstr("error"))));
}

TEST_F(MachinesTest, CLD085_OnlyACertainAnswerDeletes) {
  add_node("n1", kNotReady);
  machines.answers["exists"] = {
      CloudReply::failed(Status(Code::kUnavailable, "try later")),
      CloudReply::failed(Status(static_cast<Code>(1234), "a new code")),
      CloudReply::failed(Status(Code::kUnsupported, "no such call")),
      CloudReply::failed(Status(Code::kCancelled, "it gave up")),
      CloudReply::done(),
  };
  start_lifecycle();
  advance(30s);
  EXPECT_TRUE(exists("n1"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_THAT(log_texts(), Contains("error checking if node exists node=n1 err=try later"));
}

TEST_F(MachinesTest, CLD085_ACallThatWasCutDeletesNothing) {
  add_node("n1", kNotReady);
  machines.usual["exists"] = CloudReply::failed(Status(Code::kNotFound, "no machine"));
  machines.during = [this](const std::string&) { cluster_.stand_by(); };
  start_lifecycle();
  machines.usual["exists"] = CloudReply::yes();
  machines.during = {};
  cluster_.lead();
  advance(30s);
  EXPECT_TRUE(exists("n1"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_THAT(log_texts(), Each(Not(HasSubstr("error"))));
}

TEST_F(MachinesTest, AnEmptyAnswerIsNotThatAMachineIsGone) {
  add_node("n1", kNotReady);
  machines.usual["exists"] = CloudReply::done();
  start_lifecycle();
  EXPECT_TRUE(exists("n1"));
  EXPECT_THAT(log_texts(), Contains(HasSubstr("exists() must return yes(), not_found()")));
}

TEST_F(MachinesTest, CLD085_ACrashOfTheProviderDeletesNothing) {
  add_node("n1", kNotReady);
  machines.during = [](const std::string&) { throw std::runtime_error("a mistake"); };
  start_lifecycle();
  advance(30s);
  EXPECT_TRUE(exists("n1"));
  EXPECT_THAT(log_texts(), Contains(HasSubstr("a mistake")));
}

TEST_F(MachinesTest, WithoutAReadyProviderNothingIsDeleted) {
  add_node("n1", kNotReady);
  start_lifecycle();
  cluster_.stop(kMachines);
  advance(60s);
  EXPECT_TRUE(exists("n1"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(MachinesTest, CLD086_AMachineOfSomebodyElseIsLeftAlone) {
  add_node("n1", kNotReady);
  machines.usual["exists"] = CloudReply::not_ours();
  start_lifecycle();
  advance(5s);
  EXPECT_THAT(machines.calls, ElementsAre("exists n1", "exists n1"));
  EXPECT_TRUE(exists("n1"));
}

TEST_F(MachinesTest, CLD087_ARefusedDeletionIsReportedAndTriedAgain) {
  add_node("n1", kNotReady);
  machines.usual["exists"] = CloudReply::not_found();
  cluster_.fail_next({.verb = Verb::kDelete,
                      .resource = "nodes",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "not you"});
  start_lifecycle();
  EXPECT_THAT(cluster_.event_texts(),
              Contains(AllOf(HasSubstr("Warning DeletingNodeFailed Failed deleting node n1: "),
                             HasSubstr("not you"))));
  EXPECT_TRUE(exists("n1"));
  advance(5s);
  EXPECT_FALSE(exists("n1"));
}

TEST_F(MachinesTest, CLD088_ANamesakeIsNotDeleted) {
  add_node("n1", kNotReady);
  start_lifecycle();
  const std::string first(node("n1").uid());
  clear();
  cluster_.hold("nodes");
  cluster_.erase<Node>({"", "n1"});
  add_node("n1", kNotReady);
  machines.answers["exists"] = {CloudReply::not_found()};
  advance(5s);
  EXPECT_THAT(write_texts(), ElementsAre("delete nodes/n1 409"));
  EXPECT_TRUE(exists("n1"));
  EXPECT_NE(node("n1").uid(), first);
  EXPECT_THAT(cluster_.event_texts(), Each(Not(HasSubstr("Warning"))));
}

TEST_F(MachinesTest, ANodeThatHasRecoveredMeanwhileIsNotDeleted) {
  add_node("n1", kNotReady);
  start_lifecycle();
  clear();
  cluster_.hold("nodes");
  cluster_.merge<Node>({"", "n1"}, kIsReady);
  machines.usual["exists"] = CloudReply::not_found();
  machines.during = [this](const std::string&) { cluster_.release_one("nodes"); };
  advance(5s);
  EXPECT_THAT(machines.calls, ElementsAre("exists n1"));
  EXPECT_TRUE(exists("n1"));
}

TEST_F(MachinesTest, ANodeWhoseRecoveryTheCacheDoesNotShowIsNotDeleted) {
  add_node("n1", kNotReady);
  start_lifecycle();
  clear();
  cluster_.hold("nodes");
  cluster_.merge<Node>({"", "n1"}, kIsReady);
  machines.usual["exists"] = CloudReply::not_found();
  advance(5s);
  EXPECT_THAT(write_texts(), ElementsAre("delete nodes/n1 409"));
  EXPECT_TRUE(exists("n1"));
}

TEST_F(MachinesTest, CLD089_AMachineThatIsOffTaintsItsNode) {
  machines.usual["shutdown"] = CloudReply::yes();
  add_node("n1", kNotReady);
  change_node("n1", R"({"spec":{"taints":[{"key":"b","effect":"NoSchedule"},)"
                    R"({"key":"a","value":"v","effect":"NoExecute"}]}})");
  start_lifecycle();
  EXPECT_EQ(taints("n1"), R"([{"key":"b","effect":"NoSchedule"},)"
                          R"({"key":"a","value":"v","effect":"NoExecute"},)" +
                              std::string(kShutdownTaint) + "]");
  ASSERT_THAT(write_texts(), ElementsAre("patch nodes/n1 200"));
  EXPECT_THAT(cluster_.writes().front().body, HasSubstr("resourceVersion"));
}

TEST_F(MachinesTest, CLD090_ATaintThatIsThereIsNotWrittenAgain) {
  begin_shut_down();
  advance(20s);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(MachinesTest, CLD091_TheTaintStaysUntilTheNodeIsReady) {
  begin_shut_down();
  machines.usual["shutdown"] = CloudReply::done();
  advance(10s);
  EXPECT_THAT(taints("n1"), HasSubstr("cloudprovider.kubernetes.io/shutdown"));
}

TEST_F(MachinesTest, CLD092_AReadyNodeLosesTheTaint) {
  begin_shut_down();
  change_node("n1", kIsReady);
  advance(5s);
  EXPECT_THAT(taints("n1"), Not(HasSubstr("shutdown")));
  EXPECT_THAT(machines.calls, IsEmpty());
}

TEST_F(MachinesTest, CLD093_ATaintWithAnotherEffectStays) {
  add_node("n1", R"({"spec":{"taints":[)"
                 R"({"key":"node.cloudprovider.kubernetes.io/shutdown","effect":"NoExecute"}]}})");
  start_lifecycle();
  advance(10s);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(MachinesTest, CLD094_AConflictOfTheTaintIsTriedAgain) {
  machines.usual["shutdown"] = CloudReply::yes();
  add_node("n1", kNotReady);
  conflict(3);
  start_lifecycle();
  EXPECT_THAT(taints("n1"), HasSubstr("shutdown"));
  EXPECT_THAT(write_texts(), SizeIs(4));
}

TEST_F(MachinesTest, ANodeThatHasRecoveredIsNotTaintedAfterAConflict) {
  machines.usual["shutdown"] = CloudReply::yes();
  add_node("n1", kNotReady);
  cluster_.hold("nodes");
  machines.during = [this](const std::string& call) {
    if (call.starts_with("shutdown")) cluster_.merge<Node>({"", "n1"}, kIsReady);
  };
  start_lifecycle();
  EXPECT_EQ(taints("n1"), "");
}

TEST_F(MachinesTest, CLD095_WhetherAMachineIsOffMayStayUnknown) {
  add_node("n1", kNotReady);
  machines.answers["shutdown"] = {CloudReply::failed(Status(Code::kUnavailable, "try later"))};
  start_lifecycle();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_THAT(log_texts(), Contains("error checking if node is shutdown node=n1 err=try later"));
}

TEST_F(MachinesTest, AProviderNeedNotKnowWhetherAMachineIsOff) {
  add_node("n1", kNotReady);
  machines.usual["shutdown"] = CloudReply::failed(Status(Code::kUnsupported, "no"));
  start_lifecycle();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_THAT(log_texts(), Each(Not(HasSubstr("error checking"))));
}

TEST_F(MachinesTest, TheProviderMayHaveOneNodeLookedAt) {
  add_node("n1", kNotReady);
  add_node("n2", kNotReady);
  start_lifecycle();
  clear();
  change_node("n1", R"({"metadata":{"annotations":{"again":"n2"}}})");
  EXPECT_THAT(machines.calls, ElementsAre("exists n2", "shutdown n2"));
  clear();
  change_node("n1", R"({"metadata":{"annotations":{"again":"all"}}})");
  EXPECT_THAT(machines.calls,
              UnorderedElementsAre("exists n1", "shutdown n1", "exists n2", "shutdown n2"));
}

TEST_F(MachinesTest, ASwapOfTheLifecycleLoopGoesOnAsking) {
  add_node("n1", kNotReady);
  start_lifecycle();
  ASSERT_TRUE(cluster_.swap(kLifecycleLoop, &CloudNodeLifecycleController::open).ok());
  clear();
  machines.usual["exists"] = CloudReply::not_found();
  advance(5s);
  EXPECT_FALSE(exists("n1"));
}

}  // namespace
}  // namespace davit::cloud
