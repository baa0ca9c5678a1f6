/// The status of rules, metrics, swaps. Rows DRA-52, DRA-53, DRA-71, DRA-72, DRA-74, DRA-75, DRA-77
/// and DRA-78.
#include <davit/json_writer.hpp>
#include <utility>

#include "plugins/devicetaint/evicted_counts.hpp"
#include "tests/plugins/devicetaint/fixture.hpp"

namespace davit::devicetaint {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using StatusTest = DeviceTaintTest;

TEST_F(StatusTest, DRA52_TheStatusFollowsTenSecondsLater) {
  start();
  rule_of("dev-1");
  pass(2s);
  EXPECT_THAT(condition(), HasSubstr("PodsPendingEviction"));
  pass(11s);
  EXPECT_EQ(condition(), "False Completed: 1 pod evicted since starting the controller.");
}

TEST_F(StatusTest, DRA53_TheEffectNoneIsAPreview) {
  start();
  put_rule("r", "None", "");
  pass(1min);
  EXPECT_EQ(condition(),
            "False NoEffect: 4 published devices selected. 4 allocated devices selected. 4 pods "
            "would be evicted in 1 namespace if the effect was NoExecute. This information will "
            "not be updated again. Recreate the DeviceTaintRule to trigger an update.");
  EXPECT_EQ(deletions(), 0U);
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(StatusTest, APreviewOfOneDeviceIsInTheSingular) {
  start();
  rule_of("dev-1", "None");
  pass(1s);
  EXPECT_THAT(condition(),
              HasSubstr("1 published device selected. 1 allocated device selected. 1 pod would be "
                        "evicted in 1 namespace if"));
}

TEST_F(StatusTest, DRA71_AStatusThatIsEditedByHandStays) {
  start();
  rule_of("dev-1", "None");
  pass(1min);
  cluster_.clear_records();
  merge_rule(R"({"status":{"conditions":[]}})");
  pass(1h);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(StatusTest, DRA72_AStatusIsWrittenAtMostOnceInTenSeconds) {
  std::string consumers = consumer("p1");
  for (int i = 0; i < 50; ++i) {
    const std::string name = "q" + std::to_string(i);
    put_pod(name, "c1");
    consumers += "," + consumer(name);
  }
  cluster_.merge<Claim>({"t", "c1"}, R"({"status":{"reservedFor":[)" + consumers + "]}}");
  start();
  rule_of("dev-1");
  pass(30s);
  EXPECT_EQ(deletions(), 51U);
  EXPECT_THAT(statuses(), SizeIs(::testing::Le(4U)));
  EXPECT_EQ(condition(), "False Completed: 51 pods evicted since starting the controller.");
}

TEST_F(StatusTest, DRA74_ARuleThatWasMadeAgainUnseenGetsItsStatus) {
  start();
  rule_of("dev-1", "NoSchedule");
  pass(1min);
  cluster_.begin_outage("devicetaintrules");
  cluster_.erase<Rule>({"", "r"});
  rule_of("dev-2", "NoSchedule");
  cluster_.end_outage("devicetaintrules");
  pass(1min);
  EXPECT_THAT(condition(), HasSubstr("OtherEffect"));
}

TEST_F(StatusTest, DRA75_AClockThatWasSetBackDelaysNoStatus) {
  start();
  rule_of("dev-1");
  pass(2s);
  cluster_.set_wall_clock(cluster_.wall_now() - 1h);
  pass(21s);
  EXPECT_EQ(condition(), "False Completed: 1 pod evicted since starting the controller.");
}

TEST_F(StatusTest, DRA77_ASwapKeepsTheCounts) {
  start();
  put_rule("r", "NoExecute", "");
  pass(30s);
  EXPECT_THAT(condition(), HasSubstr("4 pods evicted"));
  ASSERT_TRUE(cluster_.swap(kController, &DeviceTaints::open, kRules).ok());
  put_rule("s", "NoExecute", "");
  pass(30s);
  EXPECT_EQ(condition(), "False Completed: 4 pods evicted since starting the controller.");
}

TEST_F(StatusTest, DRA78_MetricsHaveUpstreamsNamesAndValues) {
  start();
  rule_of("dev-1");
  pass(1s);
  EXPECT_EQ(counted("device_taint_eviction_controller_pod_deletions_total"), 1);
  int observations = 0;
  for (const testing::MetricSample& each : cluster_.metrics()) {
    if (each.name == "device_taint_eviction_controller_pod_deletion_duration_seconds") {
      ++observations;
    }
  }
  EXPECT_EQ(observations, 1);
}

TEST_F(StatusTest, APendingPodThatGoesByItselfIsNotPendingAnyMore) {
  put_claim("c1", "dev-1", "p1",
            R"([{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":3600}])");
  start();
  rule_of("dev-1");
  pass(15s);
  ASSERT_THAT(condition(), HasSubstr("True PodsPendingEviction: 1 pod"));
  cluster_.erase<Pod>({"t", "p1"});
  pass(1min);
  EXPECT_EQ(condition(), "False NotStarted: ");
}

TEST_F(StatusTest, AStateOfAnotherKindIsRefused) {
  start();
  for (const char* text : {"[]", "{}", R"({"pods":[],"rules":[{"uid":"u","pods":-1}]})",
                           R"({"pods":[{"pod":7}],"rules":[]})"}) {
    EXPECT_FALSE(cluster_.give_state(kController, 1, text).ok()) << text;
  }
  EXPECT_TRUE(cluster_.give_state(kController, 1, cluster_.state_of(kController)).ok());
}

TEST(EvictedCountsTest, NothingIsKeptOfAPodThatIsGoneByNow) {
  EvictedCounts counts;
  const Key pod{"ns", "p"};
  (void)counts.begin(pod, "uid", {});
  EXPECT_TRUE(counts.end(pod, "uid"));

  counts.postpone(pod);
  (void)counts.due_since(pod, Time());
  (void)counts.earliest(pod, WallTime());

  EXPECT_FALSE(counts.end(pod, ""));
  JsonWriter out;
  counts.write(out);
  EXPECT_EQ(std::move(out).text(), R"({"pods":[],"rules":[]})");
}

}  // namespace
}  // namespace davit::devicetaint
