/// Rows 49, 50, 54 to 59, 63 to 71, 75, 76 and 80: who is evicted at once, and how. The controller
/// runs alone, which is row 76.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "plugins/nodelifecycle/taint_eviction_controller.hpp"
#include "tests/plugins/nodelifecycle/fixture.hpp"

namespace davit::nodelifecycle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TaintEvictionTest : public ClusterTest {
 protected:
  TaintEvictionTest() { add_node("n1"); }

  void taint_with_x() {
    start_eviction();
    taint(kX);
  }
};

TEST_F(TaintEvictionTest, N49_AnUntoleratedTaintEvictsWithConditionAndEvent) {
  add_pod("p");
  taint_with_x();

  ASSERT_TRUE(is_evicted("p"));
  const Json why = condition(pod("p"), "DisruptionTarget");
  EXPECT_EQ(why.text_at({"status"}), "True");
  EXPECT_EQ(why.text_at({"reason"}), "DeletionByTaintManager");
  EXPECT_EQ(why.text_at({"message"}), "Taint manager: deleting due to NoExecute taint");
  EXPECT_EQ(why.text_at({"observedGeneration"}), "1");
  EXPECT_EQ(why.text_at({"lastTransitionTime"}), format_time(now()));
  EXPECT_THAT(events(), ElementsAre(marking("p")));
  const testing::EventRecord& event = cluster().events().front();
  EXPECT_EQ(event.ns, "ns");
  EXPECT_EQ(event.name, "p");
  EXPECT_EQ(event.uid, "");
}

// Issue 11, 1.2: the taint may be gone by now.
TEST_F(TaintEvictionTest, NoPodIsEvictedForATaintThatNothingConfirms) {
  add_pod("p", tolerates_x("60"));
  taint_with_x();
  cluster().hold("nodes");
  advance(std::chrono::minutes(2));
  EXPECT_FALSE(is_evicted("p"));
  cluster().release("nodes");
  advance(std::chrono::seconds(5));
  EXPECT_TRUE(is_evicted("p"));
}

TEST_F(TaintEvictionTest, N49_ThePatchNamesUidAndOrder) {
  add_pod("p", "", R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  taint_with_x();

  const auto patches = cluster().requests_of(testing::Verb::kPatch, "pods", "status");
  ASSERT_EQ(patches.size(), 1U);
  const Json body = patches.front().json();
  EXPECT_EQ(patches.front().patch_type, PatchType::kStrategic);
  EXPECT_EQ(body.text_at({"metadata", "uid"}), pod("p").text_at({"metadata", "uid"}));
  EXPECT_EQ(body.at({"status", "$setElementOrder/conditions"})->canonical(),
            R"([{"type":"Ready"},{"type":"DisruptionTarget"}])");
}

TEST_F(TaintEvictionTest, N50_AnUnlimitedTolerationKeepsThePod) {
  add_pod("p", tolerates_x());
  taint_with_x();

  EXPECT_FALSE(is_evicted("p"));
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(TaintEvictionTest, N55_EveryTaintNeedsAToleration) {
  add_pod("p", tolerates_x());
  start_eviction();
  taint(std::string(kX) + "," + std::string(kY));

  EXPECT_TRUE(is_evicted("p"));
}

TEST_F(TaintEvictionTest, N57_TheFirstMatchingTolerationWins) {
  add_pod("p", R"({"operator":"Exists"},)" + tolerates_x("5"));
  taint_with_x();
  advance(seconds(10));

  EXPECT_FALSE(is_evicted("p"));
}

TEST_F(TaintEvictionTest, N59_ZeroOrNegativeSecondsAreAtOnce) {
  add_pod("zero", tolerates_x("0"));
  add_pod("less", tolerates_x("-1"));
  taint_with_x();

  EXPECT_TRUE(is_evicted("zero"));
  EXPECT_TRUE(is_evicted("less"));
}

TEST_F(TaintEvictionTest, N64_APodCreatedOnATaintedNodeIsEvicted) {
  taint_with_x();
  add_pod("p");
  run_until_idle();

  advance(milliseconds(100));  // The cache of nodes is compared with the server.
  EXPECT_TRUE(is_evicted("p"));
}

TEST_F(TaintEvictionTest, N65_APodBoundToATaintedNodeIsEvicted) {
  taint_with_x();
  add_pod("p", "", R"({"spec":{"nodeName":null}})");
  run_until_idle();
  ASSERT_FALSE(is_evicted("p"));

  edit_pod("p", R"({"spec":{"nodeName":"n1"}})");

  advance(milliseconds(100));  // The cache of nodes is compared with the server.
  EXPECT_TRUE(is_evicted("p"));
}

TEST_F(TaintEvictionTest, N66_OtherEffectsEvictNoPod) {
  add_pod("p");
  start_eviction();
  taint(R"({"key":"example.com/x","effect":"NoSchedule"})");

  EXPECT_FALSE(is_evicted("p"));
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(TaintEvictionTest, N67_ATolerationOfAnotherEffectDoesNotHelp) {
  add_pod("p", R"({"key":"example.com/x","operator":"Exists","effect":"NoSchedule"})");
  taint_with_x();

  EXPECT_TRUE(is_evicted("p"));
}

TEST_F(TaintEvictionTest, N68_EqualComparesTheValue) {
  add_pod("one", R"({"key":"example.com/x","operator":"Equal","value":"v1"})");
  add_pod("two", R"({"key":"example.com/x","value":"v2"})");
  start_eviction();
  taint(R"({"key":"example.com/x","value":"v2","effect":"NoExecute"})");

  EXPECT_TRUE(is_evicted("one"));
  EXPECT_FALSE(is_evicted("two"));
}

TEST_F(TaintEvictionTest, N69_ComparingOperatorsTolerateNothing) {
  add_pod("less", R"({"key":"example.com/x","operator":"Lt","value":"9"})");
  add_pod("more", R"({"key":"example.com/x","operator":"Gt","value":"1"})");
  start_eviction();
  taint(R"({"key":"example.com/x","value":"5","effect":"NoExecute"})");

  EXPECT_TRUE(is_evicted("less"));
  EXPECT_TRUE(is_evicted("more"));
}

TEST_F(TaintEvictionTest, N70_ACompletedPodIsEvictedToo) {
  add_pod("p", "", R"({"status":{"phase":"Succeeded"}})");
  taint_with_x();

  EXPECT_FALSE(cluster().find<Pod>({"ns", "p"})) << "it has no grace to wait for";
}

TEST_F(TaintEvictionTest, N71_AFinalizerKeepsTheObject) {
  add_pod("p", "", R"({"metadata":{"finalizers":["example.com/hold"]}})");
  taint_with_x();

  EXPECT_TRUE(is_evicted("p"));
  EXPECT_EQ(condition(pod("p"), "DisruptionTarget").text_at({"status"}), "True");
}

TEST_F(TaintEvictionTest, N75_FiveTriesAndThenNothingUntilSomethingChanges) {
  add_pod("p");
  cluster().fail_next({.verb = testing::Verb::kDelete,
                       .resource = "pods",
                       .http_status = 403,
                       .times = testing::Fault::kAlways});
  taint_with_x();
  advance(milliseconds(100));
  const auto deletes = [&] { return cluster().requests_of(testing::Verb::kDelete, "pods").size(); };

  EXPECT_EQ(deletes(), 5U);
  EXPECT_THAT(events(), ElementsAre(marking("p")));
  EXPECT_EQ(condition(pod("p"), "DisruptionTarget").text_at({"status"}), "True");
  EXPECT_EQ(cluster().requests_of(testing::Verb::kPatch, "pods", "status").size(), 1U);
  EXPECT_THAT(cluster().log().back().message, HasSubstr("not evicted"));

  advance(std::chrono::hours(1));
  edit_pod("p", R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(deletes(), 5U);

  taint(std::string(kX) + "," + std::string(kY));
  advance(milliseconds(100));
  EXPECT_EQ(deletes(), 10U);
}

TEST_F(TaintEvictionTest, N76_NoOtherControllerIsNeededForPodsThatWereThereFirst) {
  add_pod("p");
  edit_node("n1", R"({"spec":{"taints":[)" + std::string(kX) + "]}}");
  start_eviction();

  EXPECT_TRUE(is_evicted("p"));
}

TEST_F(TaintEvictionTest, N80_OnlyThePodWithoutTolerationGoes) {
  add_pod("keep", tolerates_x());
  add_pod("go");
  taint_with_x();

  EXPECT_FALSE(is_evicted("keep"));
  EXPECT_TRUE(is_evicted("go"));
}

TEST_F(TaintEvictionTest, APodThatIsGoneAlreadyIsNotPatched) {
  add_pod("p");
  cluster().fail_next({.verb = testing::Verb::kGet,
                       .resource = "pods",
                       .http_status = 404,
                       .reason = "NotFound",
                       .times = testing::Fault::kAlways});
  taint_with_x();
  advance(seconds(1));

  EXPECT_EQ(cluster().requests_of(testing::Verb::kGet, "pods").size(), 5U);
  EXPECT_THAT(cluster().writes(), IsEmpty());
}

TEST_F(TaintEvictionTest, AnEvictionIsCountedWithItsLateness) {
  add_pod("p");
  taint_with_x();

  ASSERT_EQ(cluster().metrics().size(), 2U);
  EXPECT_EQ(cluster().metrics()[0].name, "taint_eviction_controller_pod_deletions_total");
  EXPECT_EQ(cluster().metrics()[1].name, "taint_eviction_controller_pod_deletion_duration_seconds");
  EXPECT_EQ(cluster().metrics()[1].value, 0);
}

TEST_F(TaintEvictionTest, MistypedTaintsAndTolerationsHarmNoOtherNode) {
  add_node("odd", R"({"spec":{"taints":[7,{"key":true,"effect":"NoExecute"},"x"]}})");
  add_pod("on-odd", R"({"key":["x"],"operator":7,"tolerationSeconds":"5"},3)",
          R"({"spec":{"nodeName":"odd"}})");
  add_pod("p");
  taint_with_x();

  EXPECT_TRUE(is_evicted("p"));
}

TEST_F(TaintEvictionTest, AnyConfigurationIsRefused) {
  const Status status =
      cluster().start("taint-eviction-controller", &make_without_options<TaintEvictionController>,
                      R"({"workers":3})");
  EXPECT_THAT(status.message(), HasSubstr("unknown configuration \"workers\""));
}

}  // namespace
}  // namespace davit::nodelifecycle
