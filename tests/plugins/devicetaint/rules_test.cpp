/// Taints by rules. Rows DRA-51, DRA-54 to DRA-62, DRA-66 to DRA-70, DRA-73, DRA-76 and DRA-80.
#include "tests/plugins/devicetaint/fixture.hpp"

namespace davit::devicetaint {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class RulesTest : public DeviceTaintTest {
 protected:
  static std::string toleration(const std::string& seconds = "", const std::string& effect = "") {
    return R"([{"operator":"Exists")" + (effect.empty() ? "" : R"(,"effect":")" + effect + "\"") +
           (seconds.empty() ? "" : R"(,"tolerationSeconds":)" + seconds) + "}]";
  }
  /// Does something before the first DELETE of a pod.
  void before_deletion(const std::function<void()>& act) {
    cluster_.on_request([act, is_done = false](const RequestRecord& request) mutable {
      if (is_done || request.verb != Verb::kDelete) return;
      is_done = true;
      act();
    });
  }
};

TEST_F(RulesTest, DRA51_ARuleEvictsThePodsOfItsDevice) {
  start();
  std::string pending;
  before_deletion([&] { pending = condition(); });
  rule_of("dev-1");
  pass(1s);
  EXPECT_EQ(pending, "True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace.");
  EXPECT_THAT(cluster_.event_texts(), ElementsAre(kMarked));
  EXPECT_EQ(cluster_.events()[0].uid, "uid-p1");
  ASSERT_TRUE(is_evicted("p1"));
  EXPECT_FALSE(is_evicted("p2"));
  Json body = cluster_.requests_of(Verb::kPatch, "pods", "status").at(0).json();
  Json target = body["status"]["conditions"].items().at(0);
  EXPECT_EQ(target.text_at({"type"}), "DisruptionTarget");
  EXPECT_EQ(target.text_at({"reason"}), "DeletionByDeviceTaintManager");
  EXPECT_EQ(target.text_at({"message"}), "Device Taint manager: deleting due to NoExecute taint");
  EXPECT_EQ(body["metadata"].dump(), R"({"uid":"uid-p1"})");
  const RequestRecord removal = cluster_.requests_of(Verb::kDelete, "pods").at(0);
  EXPECT_EQ(removal.json()["preconditions"].text_at({"uid"}), "uid-p1");
  EXPECT_EQ(removal.json().find("gracePeriodSeconds"), nullptr);
}

TEST_F(RulesTest, DRA54_OtherEffectsEvictNobody) {
  start();
  rule_of("dev-1", "NoSchedule");
  pass(1min);
  EXPECT_EQ(deletions(), 0U);
  EXPECT_EQ(condition(), "False OtherEffect: Eviction only happens for the NoExecute effect.");
}

TEST_F(RulesTest, DRA55_ARuleWithoutASelectorIsAboutNoDevice) {
  start();
  put_rule("r", "NoExecute", "-");
  pass(1min);
  EXPECT_EQ(deletions(), 0U);
  EXPECT_EQ(condition(), "False NotStarted: ");
}

TEST_F(RulesTest, AnEmptySelectorIsAboutAllDevices) {
  start();
  put_rule("r", "NoExecute", "");
  pass(1s);
  EXPECT_EQ(deletions(), 4U);
}

TEST_F(RulesTest, DRA56_AToleratedTaintEvictsNobody) {
  put_claim("c1", "dev-1", "p1", toleration("", "NoExecute"));
  start();
  rule_of("dev-1");
  pass(1h);
  EXPECT_EQ(deletions(), 0U);
  EXPECT_EQ(condition(), "False NotStarted: ");
}

TEST_F(RulesTest, DRA57_ATolerationWithoutAnEffectIsForAllEffects) {
  put_claim("c1", "dev-1", "p1", toleration());
  start();
  rule_of("dev-1");
  pass(1h);
  EXPECT_EQ(deletions(), 0U);
}

TEST_F(RulesTest, DRA58_ATolerationWithATimeEndsThen) {
  put_claim("c1", "dev-1", "p1", toleration("5"));
  start();
  rule_of("dev-1", "NoExecute", "2024-05-01T12:00:01Z");
  pass(4s);
  EXPECT_EQ(deletions(), 0U);
  EXPECT_EQ(condition(), "True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace.");
  pass(2s);
  EXPECT_TRUE(is_evicted("p1"));
}

TEST_F(RulesTest, DRA59_TheEndOfARuleCallsItOff) {
  put_claim("c1", "dev-1", "p1", toleration("60"));
  start();
  rule_of("dev-1");
  pass(2s);
  cluster_.erase<Rule>({"", "r"});
  pass(5min);
  EXPECT_THAT(cluster_.event_texts(), ElementsAre(kCalledOff));
  EXPECT_EQ(deletions(), 0U);
}

TEST_F(RulesTest, DRA60_AbsurdTimesMeanNeverAndNow) {
  put_claim("c1", "dev-1", "p1", toleration("9223372036854775807"));
  put_claim("c2", "dev-2", "p2", toleration("-5"));
  start();
  put_rule("r", "NoExecute", "");
  pass(1h);
  EXPECT_FALSE(is_evicted("p1"));
  EXPECT_TRUE(is_evicted("p2"));
}

TEST_F(RulesTest, TaintsOfAbsurdTimesEndPodsAtOnceOrNever) {
  start();
  rule_of("dev-1", "NoExecute", "0001-01-01T00:00:00Z");
  put_rule("late", "NoExecute", R"("device":"dev-2")", "9999-12-31T23:59:59Z");
  put_rule("wrong", "NoExecute", R"("device":"dev-3")", "soon");
  pass(1h);
  EXPECT_TRUE(is_evicted("p1"));
  EXPECT_FALSE(is_evicted("p2"));
  EXPECT_TRUE(is_evicted("p3")) << "a time that nobody can read is now";
  EXPECT_FALSE(is_evicted("p4"));
  EXPECT_EQ(condition("late"),
            "True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace.");
  pass(24h);
  EXPECT_FALSE(is_evicted("p2"));
}

TEST_F(RulesTest, AbsurdTimesAndTolerationsTogetherEndPodsAtOnceOrNever) {
  put_claim("c1", "dev-1", "p1", toleration("9223372036854775807"));
  put_claim("c2", "dev-2", "p2", toleration("-9223372036854775808"));
  put_claim("c3", "dev-3", "p3", toleration("1"));
  start();
  put_rule("early", "NoExecute", R"("device":"dev-1")", "0001-01-01T00:00:00Z");
  put_rule("first", "NoExecute", R"("device":"dev-2")", "0001-01-01T00:00:00Z");
  put_rule("last", "NoExecute", R"("device":"dev-3")", "9999-12-31T23:59:59Z");
  pass(24h);
  EXPECT_FALSE(is_evicted("p1"));
  EXPECT_TRUE(is_evicted("p2"));
  EXPECT_FALSE(is_evicted("p3"));
}

TEST_F(RulesTest, DRA61_TheShorterOfTwoTolerationsCounts) {
  put_claim("c1", "dev-1", "p1", R"([{"operator":"Exists","tolerationSeconds":60},
      {"operator":"Exists","tolerationSeconds":5}])");
  start();
  rule_of("dev-1", "NoExecute", "2024-05-01T12:00:01Z");
  pass(4s);
  EXPECT_FALSE(is_evicted("p1"));
  pass(2s);
  EXPECT_TRUE(is_evicted("p1"));
}

TEST_F(RulesTest, DRA62_ATaintMayBeOlderThanItsRule) {
  put_claim("c1", "dev-1", "p1", toleration("60"));
  start();
  rule_of("dev-1", "NoExecute", "2024-05-01T11:00:00Z");
  pass(1s);
  EXPECT_TRUE(is_evicted("p1"));
}

TEST_F(RulesTest, DRA66_APodIsEvictedWhenItIsBound) {
  put_pod("q", "c1", "");
  put_claim("c1", "dev-1", "q");
  start();
  rule_of("dev-1");
  pass(1min);
  EXPECT_FALSE(is_evicted("q"));
  put_pod("q", "c1");
  pass(1s);
  EXPECT_TRUE(is_evicted("q"));
}

TEST_F(RulesTest, DRA67_APodWithoutAReservationStays) {
  cluster_.merge<Claim>({"t", "c1"}, R"({"status":{"reservedFor":[]}})");
  start();
  rule_of("dev-1");
  pass(1min);
  EXPECT_EQ(deletions(), 0U);
}

TEST_F(RulesTest, DRA68_ANewPodOfTheNameStays) {
  put_claim("c1", "dev-1", "p1", toleration("5"));
  start();
  rule_of("dev-1");
  pass(2s);
  cluster_.hold("pods");
  cluster_.erase<Pod>({"t", "p1"});
  put_pod("p1", "c1", "n1", "uid-next");
  pass(1min);
  EXPECT_FALSE(is_evicted("p1"));
  cluster_.release("pods");
  pass(1min);
  EXPECT_FALSE(is_evicted("p1"));
}

TEST_F(RulesTest, DRA69_AFailingDeletionIsTriedAgain) {
  start();
  cluster_.fail_next({.verb = Verb::kDelete, .resource = "pods", .http_status = 500});
  cluster_.fail_next(
      {.verb = Verb::kDelete, .resource = "pods", .http_status = 409, .reason = "Conflict"});
  rule_of("dev-1");
  pass(1min);
  EXPECT_TRUE(is_evicted("p1"));
  EXPECT_THAT(cluster_.requests_of(Verb::kPatch, "pods", "status"), SizeIs(1));
}

TEST_F(RulesTest, DRA70_AnotherEffectCallsItOff) {
  put_claim("c1", "dev-1", "p1", toleration("60"));
  start();
  rule_of("dev-1");
  pass(2s);
  merge_rule(R"({"spec":{"taint":{"effect":"None"}}})");
  pass(1s);
  EXPECT_THAT(cluster_.event_texts(), ElementsAre(kCalledOff));
  Json status = cluster_.json<Rule>({"", "r"})["status"];
  Json first = status["conditions"].items().at(0);
  EXPECT_EQ(first.text_at({"observedGeneration"}), "2");
  EXPECT_EQ(first.text_at({"reason"}), "NoEffect");
}

TEST_F(RulesTest, DRA73_APodThatIsBeingDeletedIsNotAnnounced) {
  start();
  cluster_.remove<Pod>({"t", "p1"});
  rule_of("dev-1");
  pass(1s);
  merge_rule(R"({"spec":{"taint":{"timeAdded":"2024-05-01T11:59:00Z"}}})");
  pass(1s);
  merge_rule(R"({"spec":{"taint":{"effect":"None"}}})");
  pass(1min);
  EXPECT_THAT(cluster_.events(), IsEmpty());
  EXPECT_EQ(deletions(), 0U);
  EXPECT_EQ(counted("device_taint_eviction_controller_pod_deletions_total"), 0);
}

TEST_F(RulesTest, DRA76_AServerWithoutRulesIsWorkedWithoutThem) {
  ASSERT_TRUE(cluster_.start(kController, &DeviceTaints::open, kRules).ok());
  pass(1s);
  EXPECT_TRUE(cluster_.health(kController).ok());
  put_slice("s1", 1, "dev-3", taint());
  pass(1s);
  EXPECT_TRUE(is_evicted("p3"));
}

TEST_F(RulesTest, DRA80_DevicesOfExtendedResourcesEvictNobody) {
  cluster_.merge<Pod>({"t", "p1"}, R"({"spec":{"resourceClaims":null},
      "status":{"extendedResourceClaimStatus":{"resourceClaimName":"c1","requestMappings":[]}}})");
  start();
  rule_of("dev-1");
  pass(1min);
  EXPECT_EQ(deletions(), 0U);
}

TEST_F(RulesTest, ATaintThatTheServerHasTakenBackEvictsNobody) {
  put_claim("c1", "dev-1", "p1", toleration("5"));
  start();
  rule_of("dev-1");
  pass(1s);
  cluster_.hold("devicetaintrules");
  cluster_.erase<Rule>({"", "r"});
  pass(1min);
  EXPECT_EQ(deletions(), 0U);
  cluster_.release("devicetaintrules");
  pass(1min);
  EXPECT_EQ(deletions(), 0U);
}

TEST_F(RulesTest, AFinishedPodIsLeftAlone) {
  cluster_.merge<Pod>({"t", "p1"}, R"({"status":{"phase":"Succeeded"}})");
  start();
  rule_of("dev-1");
  pass(1min);
  EXPECT_EQ(deletions(), 0U);
  EXPECT_THAT(cluster_.event_texts(), Not(Contains(kMarked)));
  EXPECT_EQ(condition(), "False NotStarted: ");
}

TEST_F(RulesTest, APodThatHasFinishedUnseenIsLeftAlone) {
  start();
  cluster_.hold("pods");
  cluster_.merge<Pod>({"t", "p1"}, R"({"status":{"phase":"Succeeded"}})");
  rule_of("dev-1");
  pass(1min);
  EXPECT_EQ(deletions(), 0U);
  cluster_.release("pods");
}

TEST_F(RulesTest, ATaintThatIsTakenBackAfterAFailedDeletionEvictsNobody) {
  start();
  cluster_.fail_next(
      {.verb = Verb::kDelete, .resource = "pods", .http_status = 500, .times = Fault::kAlways});
  rule_of("dev-1");
  for (int i = 0; i < 5000 && deletions() == 0; ++i) pass(1ms);
  ASSERT_EQ(deletions(), 1U);
  cluster_.hold("devicetaintrules");
  cluster_.erase<Rule>({"", "r"});
  cluster_.clear_faults();
  pass(1h);
  EXPECT_EQ(deletions(), 1U);
  EXPECT_FALSE(is_evicted("p1"));
  cluster_.release("devicetaintrules");
}

TEST_F(RulesTest, WithoutTheGateItDoesNotRun) {
  const Status started =
      cluster_.start(kController, &DeviceTaints::open, R"({"deviceTaints":"off"})");
  EXPECT_EQ(started.code(), Code::kUnsupported);
}

}  // namespace
}  // namespace davit::devicetaint
