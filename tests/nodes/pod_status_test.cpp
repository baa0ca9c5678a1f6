#include "nodes/pod_status.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace davit::sandbox {
namespace {

using std::chrono::seconds;

constexpr Time kStatusStart{std::chrono::hours(1000)};
constexpr WallTime kStatusWall{seconds(1767225600)};
const PodAddresses kAddresses{"172.18.0.2", "10.244.0.2"};

Moment after(Duration passed) { return {kStatusStart + passed, kStatusWall + passed}; }

Json pod(std::string_view spec) {
  Json out = json_literal(R"({"metadata":{"namespace":"default","name":"web","uid":"u1"}})");
  out.set("spec", json_literal(spec));
  out.set("status", json_literal(R"({"phase":"Pending"})"));
  return out;
}

/// The pod as it is once the node has reported `stage`.
Json reported(Json object, PodLife& life, PodStage stage, Duration passed) {
  life.stage = stage;
  const std::optional<Json> patch = status_patch(life, object, kAddresses, after(passed));
  if (patch) {
    for (const Json::Member& member : patch->get("status").members()) {
      object["status"].set(member.key, member.value);
    }
  }
  return object;
}

std::string condition(const Json& object, std::string_view type, std::string_view field) {
  for (const Json& each : object.get("status").get("conditions").items()) {
    if (each.get("type").text() == type) return each.get(field).text();
  }
  return "none";
}

const Json& first_container(const Json& object) {
  return object.get("status").get("containerStatuses").items().front();
}

TEST(PodStatusTest, NodeGreetsABoundPodWithItsAddressAndWhatIsMissing) {
  PodLife life;
  const Json got = reported(pod(R"({"containers":[{"name":"c","image":"i"},{"name":"d"}]})"), life,
                            PodStage::kCreating, seconds(0));

  EXPECT_EQ(got.text_at({"status", "phase"}), "Pending");
  EXPECT_EQ(got.text_at({"status", "hostIP"}), "172.18.0.2");
  EXPECT_EQ(got.text_at({"status", "startTime"}), "2026-01-01T00:00:00Z");
  EXPECT_FALSE(got.get("status").contains("podIP"));
  EXPECT_EQ(condition(got, "Ready", "reason"), "ContainersNotReady");
  EXPECT_EQ(condition(got, "Ready", "message"), "containers with unready status: [c d]");
  EXPECT_EQ(condition(got, "Initialized", "status"), "True");
  EXPECT_EQ(first_container(got).text_at({"state", "waiting", "reason"}), "ContainerCreating");
}

TEST(PodStatusTest, ReadyPodIsRunningWithAnAddress) {
  PodLife life;
  life.started = kStatusWall + seconds(2);
  const Json got = reported(pod(R"({"containers":[{"name":"c","image":"i"}]})"), life,
                            PodStage::kReady, seconds(3));

  EXPECT_EQ(got.text_at({"status", "phase"}), "Running");
  EXPECT_EQ(got.text_at({"status", "podIP"}), "10.244.0.2");
  EXPECT_EQ(condition(got, "Ready", "status"), "True");
  EXPECT_EQ(condition(got, "Ready", "lastTransitionTime"), "2026-01-01T00:00:03Z");
  EXPECT_EQ(first_container(got).text_at({"state", "running", "startedAt"}),
            "2026-01-01T00:00:02Z");
  EXPECT_TRUE(first_container(got).get("ready").boolean());
}

TEST(PodStatusTest, UnchangedStatusIsNotReportedAgain) {
  PodLife life;
  const Json got = reported(pod(R"({"containers":[{"name":"c"}],"initContainers":[{"name":"i"}]})"),
                            life, PodStage::kReady, seconds(0));

  EXPECT_FALSE(status_patch(life, got, kAddresses, after(seconds(60))));
}

TEST(PodStatusTest, PatchCarriesTheUid) {
  PodLife life;
  life.stage = PodStage::kReady;
  const auto patch = status_patch(life, pod(R"({"containers":[]})"), kAddresses, after(seconds(0)));
  EXPECT_EQ(patch->text_at({"metadata", "uid"}), "u1");
}

TEST(PodStatusTest, TransitionTimesStayWhileTheStatusStays) {
  PodLife life;
  Json got =
      reported(pod(R"({"containers":[{"name":"c"}]})"), life, PodStage::kCreating, seconds(0));
  got = reported(got, life, PodStage::kRunning, seconds(5));
  EXPECT_EQ(condition(got, "Ready", "lastTransitionTime"), "2026-01-01T00:00:00Z");

  got = reported(got, life, PodStage::kReady, seconds(9));

  EXPECT_EQ(condition(got, "Ready", "lastTransitionTime"), "2026-01-01T00:00:09Z");
  EXPECT_EQ(condition(got, "Initialized", "lastTransitionTime"), "2026-01-01T00:00:00Z");
}

TEST(PodStatusTest, ReadinessThatSomebodyTookAwayIsReportedAgain) {
  PodLife life;
  Json got = reported(pod(R"({"containers":[{"name":"c"}]})"), life, PodStage::kReady, seconds(0));
  for (Json& each : got["status"]["conditions"].make_array()) {
    if (each.get("type").text() == "Ready") each.set("status", "False");
  }

  const auto patch = status_patch(life, got, kAddresses, after(seconds(1)));

  ASSERT_TRUE(patch);
  EXPECT_EQ(condition(*patch, "Ready", "status"), "True");
}

TEST(PodStatusTest, GateThatIsClosedDelaysThePodAndNotItsContainers) {
  PodLife life;
  Json object = pod(R"({"containers":[{"name":"c"}],"readinessGates":[{"conditionType":"lb"}]})");
  const Json got = reported(object, life, PodStage::kReady, seconds(0));
  EXPECT_EQ(condition(got, "ContainersReady", "status"), "True");
  EXPECT_EQ(condition(got, "Ready", "status"), "False");
  EXPECT_EQ(condition(got, "Ready", "reason"), "ReadinessGatesNotReady");

  object["status"].set("conditions", json_literal(R"([{"type":"lb","status":"True"}])"));

  EXPECT_EQ(condition(reported(object, life, PodStage::kReady, seconds(1)), "Ready", "status"),
            "True");
}

TEST(PodStatusTest, InitContainersAreReportedInTurn) {
  PodLife life;
  life.init_done = 1;
  const Json got = reported(
      pod(R"({"initContainers":[{"name":"a"},{"name":"b"},{"name":"c"}],"containers":[]})"), life,
      PodStage::kInit, seconds(0));

  const Json::Items& init = got.get("status").get("initContainerStatuses").items();
  EXPECT_TRUE(init[0].at({"state", "terminated"}) != nullptr && init[0].get("ready").boolean());
  EXPECT_NE(init[1].at({"state", "running"}), nullptr);
  EXPECT_NE(init[2].at({"state", "waiting"}), nullptr);
  EXPECT_EQ(condition(got, "Initialized", "reason"), "ContainersNotInitialized");
  EXPECT_EQ(got.text_at({"status", "phase"}), "Pending");
}

TEST(PodStatusTest, EndedPodSaysHow) {
  PodLife life;
  life.exit = ContainerExit{0, kStatusWall, kStatusWall + seconds(4)};
  const Json good =
      reported(pod(R"({"containers":[{"name":"c"}]})"), life, PodStage::kEnded, seconds(4));
  EXPECT_EQ(good.text_at({"status", "phase"}), "Succeeded");
  EXPECT_EQ(condition(good, "Ready", "reason"), "PodCompleted");
  EXPECT_EQ(condition(good, "Initialized", "reason"), "PodCompleted");
  EXPECT_EQ(first_container(good).text_at({"state", "terminated", "reason"}), "Completed");

  life.exit->code = 3;
  const Json bad =
      reported(pod(R"({"containers":[{"name":"c"}]})"), life, PodStage::kEnded, seconds(4));
  EXPECT_EQ(bad.text_at({"status", "phase"}), "Failed");
  EXPECT_EQ(condition(bad, "ContainersReady", "reason"), "PodFailed");
  EXPECT_EQ(first_container(bad).text_at({"state", "terminated", "exitCode"}), "3");
}

TEST(PodStatusTest, CrashedContainerShowsWhyItWaitsAndHowItEnded) {
  PodLife life;
  life.restarts = 2;
  life.exit = ContainerExit{1, kStatusWall, kStatusWall + seconds(1)};
  const Json got =
      reported(pod(R"({"containers":[{"name":"c"}]})"), life, PodStage::kBackOff, seconds(1));

  const Json& container = first_container(got);
  EXPECT_EQ(got.text_at({"status", "phase"}), "Running");
  EXPECT_EQ(container.text_at({"state", "waiting", "reason"}), "CrashLoopBackOff");
  EXPECT_EQ(container.text_at({"lastState", "terminated", "reason"}), "Error");
  EXPECT_EQ(container.get("restartCount").integer(), 2);
}

TEST(PodStatusTest, PodThatIsStoppedBeforeItRanHasFailed) {
  PodLife life;
  const Json got =
      reported(pod(R"({"containers":[{"name":"c"}]})"), life, PodStage::kStopped, seconds(1));

  const Json& container = first_container(got);
  EXPECT_EQ(got.text_at({"status", "phase"}), "Failed");
  EXPECT_EQ(condition(got, "Ready", "reason"), "PodFailed");
  EXPECT_EQ(container.text_at({"state", "terminated", "reason"}), "ContainerStatusUnknown");
  EXPECT_EQ(container.text_at({"state", "terminated", "exitCode"}), "137");
  EXPECT_FALSE(container.contains("containerID"));
  EXPECT_FALSE(status_patch(life, got, kAddresses, after(seconds(9)))) << "it is reported once";
}

TEST(PodStatusTest, PodThatIsStoppedInItsInitContainersIsNotInitialized) {
  PodLife life;
  Json got = reported(pod(R"({"initContainers":[{"name":"a"},{"name":"b"},{"name":"c"}],
                              "containers":[{"name":"d"}]})"),
                      life, PodStage::kCreating, seconds(0));
  life.init_done = 1;
  got = reported(std::move(got), life, PodStage::kInit, seconds(1));
  got = reported(std::move(got), life, PodStage::kStopped, seconds(3));

  const Json::Items& init = got.get("status").get("initContainerStatuses").items();
  EXPECT_EQ(init[0].text_at({"state", "terminated", "exitCode"}), "0");
  EXPECT_EQ(init[1].text_at({"state", "terminated", "exitCode"}), "143");
  EXPECT_EQ(init[1].text_at({"state", "terminated", "startedAt"}), "2026-01-01T00:00:01Z");
  EXPECT_FALSE(init[1].get("ready").boolean());
  EXPECT_NE(init[2].at({"state", "waiting"}), nullptr);
  EXPECT_NE(first_container(got).at({"state", "waiting"}), nullptr);
  EXPECT_EQ(condition(got, "Initialized", "status"), "False");
  EXPECT_EQ(got.text_at({"status", "phase"}), "Failed");
}

TEST(PodStatusTest, EndThatAnotherClientReportedStays) {
  PodLife life;
  life.stage = PodStage::kStopped;
  Json object = pod(R"({"containers":[{"name":"c"}]})");
  object["status"].set("phase", "Succeeded");
  EXPECT_FALSE(status_patch(life, object, kAddresses, after(seconds(1))));
}

TEST(PodStatusTest, NothingIsReportedWhileThePodStops) {
  PodLife life;
  life.stage = PodStage::kStopping;
  EXPECT_FALSE(status_patch(life, pod(R"({"containers":[]})"), kAddresses, after(seconds(0))));
}

}  // namespace
}  // namespace davit::sandbox
