/// Rows DC40 to DC45: conditions DisruptionTarget of pods that were not disrupted.
#include "tests/plugins/disruption/fixture.hpp"

namespace davit::disruption {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StaleTargetsTest : public DisruptionTest {
 protected:
  /// A running pod that was to be disrupted `age` ago.
  [[nodiscard]] PodBuilder target(std::string_view reason = "X", Duration age = 0s) const {
    return PodBuilder("p")
        .phase("Running")
        .generation(3)
        .condition("PodScheduled", "True")
        .condition("DisruptionTarget", "True", reason, cluster_.wall_now() - age);
  }
  [[nodiscard]] Json target_condition() const {
    const Json pod = cluster_.json<Pod>({"default", "p"});
    for (const Json& each : pod.at({"status", "conditions"})->items()) {
      if (each.text_at({"type"}) == "DisruptionTarget") return each;
    }
    return Json();
  }
  [[nodiscard]] std::string target_status() const { return target_condition().text_at({"status"}); }
};

TEST_F(StaleTargetsTest, DC40_AStaleConditionEndsAfterTwoMinutes) {
  start();
  cluster_.add(target());
  const Json before = cluster_.json<Pod>({"default", "p"});
  cluster_.advance(2min - 1ms);
  EXPECT_EQ(target_status(), "True");
  EXPECT_THAT(writes(), IsEmpty());

  cluster_.advance(1ms);
  const Json condition = target_condition();
  EXPECT_EQ(condition.text_at({"status"}), "False");
  EXPECT_EQ(condition.text_at({"reason"}), "");
  EXPECT_EQ(condition.text_at({"message"}), "");
  EXPECT_EQ(condition.text_at({"observedGeneration"}), "3");
  EXPECT_EQ(condition.text_at({"lastTransitionTime"}), format_time(cluster_.wall_now()));
  const Json after = cluster_.json<Pod>({"default", "p"});
  EXPECT_EQ(after.at({"status", "conditions"})->items().front(),
            before.at({"status", "conditions"})->items().front());
  EXPECT_EQ(*after.at({"spec"}), *before.at({"spec"}));
  EXPECT_THAT(writes(), ElementsAre("patch pods/p/status 200"));
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(StaleTargetsTest, DC41_ATerminatingPodKeepsIt) {
  start();
  cluster_.add(target());
  cluster_.advance(1min);
  cluster_.add(target("X", 1min).on_node("n").being_deleted(cluster_.wall_now()));
  cluster_.advance(5min);
  EXPECT_EQ(target_status(), "True");
}

TEST_F(StaleTargetsTest, DC42_ATerminationByTheKubeletStays) {
  start();
  cluster_.add(target("TerminationByKubelet"));
  cluster_.advance(5min);
  EXPECT_EQ(target_status(), "True");
}

TEST_F(StaleTargetsTest, DC43_AFinishedPodKeepsIt) {
  for (const char* phase : {"Failed", "Succeeded"}) {
    testing::Cluster fresh{{.note = note_text<disruption::declare>()}};
    ASSERT_TRUE(fresh.start(kController, &make_without_options<DisruptionController>).ok());
    fresh.add(target().phase(phase));
    fresh.advance(5min);
    EXPECT_THAT(fresh.writes(), IsEmpty()) << phase;
  }
}

TEST_F(StaleTargetsTest, DC44_AConflictIsRetried) {
  start();
  cluster_.add(target());
  cluster_.fail_next(
      {.verb = Verb::kPatch, .resource = "pods", .http_status = 409, .reason = "Conflict"});
  cluster_.advance(2min + 1s);
  EXPECT_EQ(target_status(), "False");
  EXPECT_THAT(writes(), ElementsAre("patch pods/p/status 409", "patch pods/p/status 200"));
}

TEST_F(StaleTargetsTest, DC45_AConditionOfLongAgoEndsAtTheStart) {
  cluster_.add(target("X", 1h));
  start();
  EXPECT_EQ(target_status(), "False");
}

TEST_F(StaleTargetsTest, APodThatChangedSinceIsNotPatched) {
  start();
  cluster_.add(target());
  cluster_.advance(1min);
  cluster_.hold("pods");
  cluster_.add(target("Y"));
  cluster_.advance(1min + 1s);
  EXPECT_EQ(target_status(), "True");
  for (const testing::RequestRecord& each : cluster_.writes()) EXPECT_EQ(each.http_status, 409);
}

}  // namespace
}  // namespace davit::disruption
