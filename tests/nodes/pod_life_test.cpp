#include "nodes/pod_life.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace davit::sandbox {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Time kStart{std::chrono::hours(1000)};
constexpr WallTime kWall{seconds(1767225600)};

Moment at(Duration passed) { return {kStart + passed, kWall + passed}; }

/// A pod at its beginning, moved by hand.
class PodLifeTest : public testing::Test {
 protected:
  void pod(std::string_view text) {
    facts_ = pod_facts(json_literal(text), defaults_);
    life_.since = kStart;
  }
  PodStage stage_at(Duration passed) {
    advance(life_, facts_, at(passed));
    return life_.stage;
  }
  [[nodiscard]] Duration due() const { return next_due(life_, facts_, life_.since) - kStart; }

  PodDefaults defaults_;
  PodFacts facts_;
  PodLife life_;
};

TEST_F(PodLifeTest, WithoutDelaysABoundPodIsReadyAtOnce) {
  pod(R"({"spec":{"containers":[{"name":"c"}]}})");
  EXPECT_EQ(stage_at(seconds(0)), PodStage::kReady);
  EXPECT_EQ(next_due(life_, facts_, kStart), Time::max());
}

TEST_F(PodLifeTest, EachDelayCountsFromTheStepBefore) {
  defaults_.start = seconds(2);
  defaults_.ready = seconds(3);
  pod(R"({"spec":{"containers":[{"name":"c"}]}})");

  EXPECT_EQ(stage_at(seconds(0)), PodStage::kCreating);
  EXPECT_EQ(due(), seconds(2));
  EXPECT_EQ(stage_at(milliseconds(1999)), PodStage::kCreating);
  EXPECT_EQ(stage_at(seconds(2)), PodStage::kRunning);
  EXPECT_EQ(stage_at(milliseconds(4999)), PodStage::kRunning);
  EXPECT_EQ(stage_at(seconds(5)), PodStage::kReady);
  EXPECT_EQ(life_.started, kWall + seconds(2));
}

TEST_F(PodLifeTest, ContainersStartWhenTheVolumesAreMountedAndNotBefore) {
  defaults_.start = seconds(2);
  pod(R"({"spec":{"containers":[{"name":"c"}]}})");
  facts_.prepared.reset();
  EXPECT_EQ(stage_at(seconds(0)), PodStage::kCreating);
  EXPECT_EQ(stage_at(seconds(60)), PodStage::kCreating);
  EXPECT_EQ(next_due(life_, facts_, kStart + seconds(60)), Time::max());

  facts_.prepared = kStart + seconds(61);
  EXPECT_EQ(due(), seconds(61));
  EXPECT_EQ(stage_at(seconds(61)), PodStage::kReady);
  EXPECT_EQ(life_.started, kWall + seconds(61));
}

TEST_F(PodLifeTest, LateLookFindsEverythingDoneAtItsTime) {
  defaults_.start = seconds(2);
  pod(R"({"spec":{"containers":[{"name":"c"}]}})");
  EXPECT_EQ(stage_at(seconds(0)), PodStage::kCreating);

  EXPECT_EQ(stage_at(seconds(60)), PodStage::kReady);

  EXPECT_EQ(life_.started, kWall + seconds(2));
}

TEST_F(PodLifeTest, InitContainersRunOneAfterTheOther) {
  pod(R"({"metadata":{"annotations":{"sandbox.davit.dev/init-seconds":"2"}},"spec":{
      "initContainers":[{"name":"a"},{"name":"side","restartPolicy":"Always"},{"name":"b"}]}})");

  EXPECT_EQ(stage_at(seconds(0)), PodStage::kInit);
  EXPECT_EQ(life_.init_done, 0U);
  EXPECT_EQ(stage_at(seconds(2)), PodStage::kInit);
  EXPECT_EQ(life_.init_done, 1U);
  EXPECT_EQ(stage_at(seconds(4)), PodStage::kReady);
  EXPECT_EQ(life_.init_done, 2U);
}

TEST_F(PodLifeTest, JobsPodEndsWithItsExitCode) {
  pod(R"({"metadata":{"annotations":{"sandbox.davit.dev/run-seconds":"3",
      "sandbox.davit.dev/exit-code":"4"}},"spec":{"restartPolicy":"Never"}})");

  EXPECT_EQ(stage_at(seconds(2)), PodStage::kReady);
  EXPECT_EQ(stage_at(seconds(3)), PodStage::kReady) << "it began when it was first looked at";
  EXPECT_EQ(stage_at(seconds(5)), PodStage::kEnded);
  EXPECT_EQ(life_.exit->code, 4);
  EXPECT_EQ(life_.exit->finished, kWall + seconds(5));
}

TEST_F(PodLifeTest, OnFailureIsStartedAgainUntilItSucceeds) {
  pod(R"({"metadata":{"annotations":{"sandbox.davit.dev/exit-code":"1",
      "sandbox.davit.dev/run-seconds":"1"}},"spec":{"restartPolicy":"OnFailure"}})");
  EXPECT_EQ(stage_at(seconds(0)), PodStage::kReady);
  EXPECT_EQ(stage_at(seconds(1)), PodStage::kReady) << "the first restart is at once";
  EXPECT_EQ(life_.restarts, 1);
  EXPECT_EQ(stage_at(seconds(2)), PodStage::kBackOff);

  facts_.settings.exit_code = 0;
  EXPECT_EQ(stage_at(seconds(12)), PodStage::kReady);
  EXPECT_EQ(life_.restarts, 2);
  EXPECT_EQ(stage_at(seconds(13)), PodStage::kEnded);
}

TEST_F(PodLifeTest, CrashLoopBacksOffAsTheKubeletDoes) {
  pod(R"({"metadata":{"annotations":{"sandbox.davit.dev/exit-code":"1"}}})");
  // At once, then 10, 20, 40, 80, 160 and 300 seconds apart.
  Duration begin{0};
  EXPECT_EQ(stage_at(begin), PodStage::kBackOff);
  EXPECT_EQ(life_.restarts, 1);
  for (const int pause : {10, 20, 40, 80, 160, 300, 300}) {
    begin += seconds(pause);
    EXPECT_EQ(due(), begin);
    EXPECT_EQ(stage_at(begin), PodStage::kBackOff);
  }
  EXPECT_EQ(life_.restarts, 8);
}

TEST_F(PodLifeTest, ExitsAreCountedWhereThereIsALimit) {
  pod(R"({"metadata":{"annotations":{"sandbox.davit.dev/exit-code":"1",
      "sandbox.davit.dev/restart-seconds":"0","sandbox.davit.dev/exits-max":"2"}}})");

  EXPECT_EQ(stage_at(seconds(0)), PodStage::kReady);
  EXPECT_EQ(life_.restarts, 2);
}

TEST_F(PodLifeTest, AnnotatedPodLosesItsReadinessAndFindsItAgain) {
  pod(R"({"spec":{}})");
  EXPECT_EQ(stage_at(seconds(0)), PodStage::kReady);
  const WallTime started = life_.started;

  facts_.settings.readiness = Readiness::kNever;
  EXPECT_EQ(stage_at(seconds(5)), PodStage::kRunning);
  facts_.settings.readiness = Readiness::kNormal;
  EXPECT_EQ(stage_at(seconds(6)), PodStage::kReady);

  EXPECT_EQ(life_.started, started) << "no restart";
}

TEST_F(PodLifeTest, ImageThatCannotBePulledIsTriedAgainWhenItChanges) {
  pod(R"({"spec":{"containers":[{"name":"c","image":"web:does-not-exist"}]}})");
  EXPECT_EQ(stage_at(seconds(0)), PodStage::kPullFailed);
  EXPECT_EQ(stage_at(seconds(100)), PodStage::kPullFailed);

  facts_ = pod_facts(json_literal(R"({"spec":{"containers":[{"name":"c","image":"web:2"}]}})"), {});

  EXPECT_EQ(stage_at(seconds(101)), PodStage::kReady);
}

TEST_F(PodLifeTest, DeletedPodStopsWithinItsGracePeriod) {
  defaults_.stop = seconds(5);
  pod(R"({"spec":{}})");
  EXPECT_EQ(stage_at(seconds(0)), PodStage::kReady);

  facts_.grace = seconds(30);
  EXPECT_EQ(stage_at(seconds(10)), PodStage::kStopping);
  EXPECT_EQ(stage_at(seconds(15)), PodStage::kStopped);
  EXPECT_EQ(life_.exit->code, 143);
}

TEST_F(PodLifeTest, WorkThatIsStoppedEndsBySigterm) {
  for (const char* policy : {"Never", "OnFailure", "Always"}) {
    life_ = {};
    pod(R"({"metadata":{"annotations":{"sandbox.davit.dev/run-seconds":"300"}},"spec":{
        "restartPolicy":")" +
        std::string(policy) + R"("}})");
    EXPECT_EQ(stage_at(seconds(0)), PodStage::kReady);

    facts_.grace = seconds(30);
    EXPECT_EQ(stage_at(seconds(10)), PodStage::kStopped);
    EXPECT_EQ(life_.exit->code, 143) << policy;
  }
}

TEST_F(PodLifeTest, ServerThatHandlesItsSignalEndsWithTheCodeOfTheAnnotation) {
  pod(R"({"metadata":{"annotations":{"sandbox.davit.dev/stop-exit-code":"0"}},"spec":{}})");
  EXPECT_EQ(stage_at(seconds(0)), PodStage::kReady);

  facts_.grace = seconds(30);
  EXPECT_EQ(stage_at(seconds(10)), PodStage::kStopped);
  EXPECT_EQ(life_.exit->code, 0);
}

TEST_F(PodLifeTest, InitContainerThatIsStoppedHasNotDoneItsWork) {
  pod(R"({"metadata":{"annotations":{"sandbox.davit.dev/init-seconds":"60"}},
      "spec":{"initContainers":[{"name":"a"}]}})");
  EXPECT_EQ(stage_at(seconds(0)), PodStage::kInit);

  facts_.grace = seconds(30);
  EXPECT_EQ(stage_at(seconds(10)), PodStage::kStopped);
  EXPECT_EQ(life_.init_done, 0U);
}

TEST_F(PodLifeTest, PodThatDoesNotStopInTimeIsKilled) {
  defaults_.stop = seconds(60);
  pod(R"({"spec":{}})");
  EXPECT_EQ(stage_at(seconds(0)), PodStage::kReady);

  facts_.grace = seconds(30);
  EXPECT_EQ(stage_at(seconds(10)), PodStage::kStopping);
  EXPECT_EQ(stage_at(seconds(40)), PodStage::kStopped);
  EXPECT_EQ(life_.exit->code, 137);
}

TEST_F(PodLifeTest, PodThatNeverRanHasNothingToStop) {
  defaults_.start = seconds(60);
  pod(R"({"spec":{}})");
  EXPECT_EQ(stage_at(seconds(0)), PodStage::kCreating);

  facts_.grace = seconds(30);

  EXPECT_EQ(stage_at(seconds(1)), PodStage::kStopped);
  EXPECT_FALSE(life_.exit);
}

struct ResumeCase {
  const char* name;
  const char* status;
  PodStage stage;
};

constexpr ResumeCase kResumeCases[] = {
    {"NothingReported", R"({"phase":"Pending"})", PodStage::kBound},
    {"Creating",
     R"({"startTime":"2026-01-01T00:00:00Z","containerStatuses":[{"state":{"waiting":{}}}]})",
     PodStage::kCreating},
    {"Running", R"({"containerStatuses":[{"ready":false,"state":{"running":{}}}]})",
     PodStage::kRunning},
    {"Ready", R"({"containerStatuses":[{"ready":true,"state":{"running":{}}}]})", PodStage::kReady},
    {"CrashLoop", R"({"containerStatuses":[{"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]})",
     PodStage::kBackOff},
    {"Succeeded", R"({"phase":"Succeeded"})", PodStage::kEnded},
    {"Failed",
     R"({"phase":"Failed","containerStatuses":[{"state":{"terminated":{"exitCode":1}}}]})",
     PodStage::kEnded},
};

TEST(ResumeOfAnEndTest, ContainerThatNeverRanHasNoExit) {
  const Json pod = json_literal(R"({"status":{"phase":"Failed","containerStatuses":[{"state":
      {"terminated":{"exitCode":137,"reason":"ContainerStatusUnknown","startedAt":null}}}]}})");

  EXPECT_FALSE(resume_life(pod, at(seconds(0))).exit);
}

class ResumeTest : public testing::TestWithParam<ResumeCase> {};

TEST_P(ResumeTest, NewProcessContinuesFromTheStatus) {
  Json pod = Json::object();
  pod.set("status", json_literal(GetParam().status));

  EXPECT_EQ(resume_life(pod, at(seconds(0))).stage, GetParam().stage);
}

INSTANTIATE_TEST_SUITE_P(Statuses, ResumeTest, testing::ValuesIn(kResumeCases),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace davit::sandbox
