/// Rows PG01 to PG22: the pod garbage collector in the in-memory cluster, under the rights of its
/// note.
#include "plugins/podgc/pod_gc_controller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/podgc/note.hpp"

namespace davit::podgc {
namespace {

using ::testing::ElementsAre;
using testing::Fault;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Json;
using testing::PodBuilder;
using testing::Verb;
using namespace std::chrono_literals;

constexpr const char* kController = "pod-garbage-collector-controller";
constexpr const char* kHold = "example.com/hold";
constexpr std::string_view kOutOfServiceTaint =
    R"({"spec":{"taints":[{"key":"node.kubernetes.io/out-of-service","effect":"NoExecute"}]}})";

class PodGcTest : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_THAT(cluster_.violations(), IsEmpty());
    EXPECT_THAT(cluster_.events(), IsEmpty()) << "PG22";
  }

  void start(std::string_view config = {}) {
    const Status started = cluster_.start(kController, &PodGcController::open, config);
    ASSERT_TRUE(started.ok()) << started.message();
    cluster_.run_until_idle();
  }
  void add_node(const std::string& name, const std::string& ready = "True") {
    cluster_.add(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
                 R"("},"spec":{},"status":{"conditions":[{"type":"Ready","status":")" + ready +
                 R"("}]}})");
  }
  void delete_node(const std::string& name) {
    ASSERT_TRUE(cluster_.erase<Node>({"", name}));
    cluster_.run_until_idle();
  }
  /// A running pod with a finalizer on a node.
  static PodBuilder held(const std::string& name, const std::string& node = "n") {
    return PodBuilder(name).phase("Running").on_node(node).generation(1).finalizer(kHold);
  }
  /// A pod that has ended, `age` ago.
  PodBuilder ended(const std::string& name, std::string_view phase, Duration age) {
    return PodBuilder(name).phase(phase).created(cluster_.wall_now() - age);
  }
  /// Starts with a pod on a node that goes just before the pass at 20 s.
  void lose_node(const PodBuilder& pod) {
    add_node("n");
    cluster_.add(pod);
    start();
    cluster_.advance(20s - 1ms);
    delete_node("n");
    cluster_.clear_records();
    cluster_.advance(1ms);
  }

  [[nodiscard]] bool has(const std::string& name) {
    return cluster_.find<Pod>({"default", name}).has_value();
  }
  [[nodiscard]] Json pod(const std::string& name) const {
    return cluster_.json<Pod>({"default", name});
  }
  [[nodiscard]] std::string phase(const std::string& name) const {
    return pod(name).text_at({"status", "phase"});
  }
  /// The condition DisruptionTarget; null if there is none.
  [[nodiscard]] Json disruption(const std::string& name) const {
    const Json object = pod(name);
    if (const Json* conditions = object.at({"status", "conditions"})) {
      for (const Json& each : conditions->items()) {
        if (each.text_at({"type"}) == "DisruptionTarget") return each;
      }
    }
    return Json();
  }
  [[nodiscard]] std::vector<std::string> writes() const {
    std::vector<std::string> out;
    for (const testing::RequestRecord& each : cluster_.writes()) out.push_back(each.text());
    return out;
  }
  [[nodiscard]] std::size_t count(Verb verb, std::string_view resource,
                                  std::string_view subresource = {}) const {
    return cluster_.requests_of(verb, resource, subresource).size();
  }
  /// The sum of a counter's series with this reason.
  [[nodiscard]] double total(const std::string& metric, const std::string& reason) const {
    double sum = 0;
    for (const testing::MetricSample& each : cluster_.metrics()) {
      if (each.name == metric && each.labels == std::vector<std::string>{"default", reason}) {
        sum += each.value;
      }
    }
    return sum;
  }
  [[nodiscard]] double deleted(const std::string& reason) const {
    return total("pod_gc_collector_force_delete_pods_total", reason);
  }
  [[nodiscard]] double errors(const std::string& reason) const {
    return total("pod_gc_collector_force_delete_pod_errors_total", reason);
  }

  testing::Cluster cluster_{{.note = note_text<podgc::declare>()}};
};

// ---- Orphaned pods ----

TEST_F(PodGcTest, PG01_APodOfADeletedNodeFailsAndGoesAfterItsQuarantine) {
  lose_node(held("p"));
  cluster_.advance(40s - 1ms);
  EXPECT_EQ(phase("p"), "Running");
  EXPECT_THAT(writes(), IsEmpty());

  cluster_.advance(1ms);
  EXPECT_EQ(phase("p"), "Failed");
  const Json condition = disruption("p");
  EXPECT_EQ(condition.text_at({"status"}), "True");
  EXPECT_EQ(condition.text_at({"reason"}), "DeletionByPodGC");
  EXPECT_EQ(condition.text_at({"message"}), "PodGC: node no longer exists");
  EXPECT_EQ(condition.text_at({"observedGeneration"}), "1");
  EXPECT_EQ(pod("p").text_at({"status", "observedGeneration"}), "1");
  EXPECT_NE(pod("p").text_at({"metadata", "deletionTimestamp"}), "");
  EXPECT_EQ(pod("p").text_at({"metadata", "deletionGracePeriodSeconds"}), "0");
  EXPECT_THAT(writes(), ElementsAre("patch pods/p/status 200", "delete pods/p 200"));
  EXPECT_EQ(deleted("orphaned"), 1);
  EXPECT_EQ(errors("orphaned"), 0);
}

TEST_F(PodGcTest, PG01_APodWithoutFinalizersIsGoneThen) {
  lose_node(PodBuilder("p").phase("Running").on_node("n"));
  cluster_.advance(40s);
  EXPECT_FALSE(has("p"));
}

TEST_F(PodGcTest, PG02_APodThatHasEndedKeepsItsPhaseAndGetsNoCondition) {
  for (const char* each : {"Succeeded", "Failed"}) {
    testing::Cluster fresh{{.note = note_text<podgc::declare>()}};
    ASSERT_TRUE(fresh.start(kController, &PodGcController::open).ok());
    fresh.add(held("p").phase(each));
    fresh.advance(60s);
    const Json pod = fresh.json<Pod>({"default", "p"});
    EXPECT_NE(pod.text_at({"metadata", "deletionTimestamp"}), "");
    EXPECT_EQ(pod.text_at({"status", "phase"}), each);
    EXPECT_EQ(pod.at({"status", "conditions"}), nullptr);
  }
}

TEST_F(PodGcTest, PG03_ANodeThatComesBackInTimeKeepsItsPods) {
  lose_node(held("p"));
  cluster_.advance(30s);
  add_node("n");
  cluster_.advance(200s);
  EXPECT_EQ(phase("p"), "Running");
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(PodGcTest, PG04_APodOnANodeThatNeverWasGoesToo) {
  start();
  cluster_.add(held("p", "nowhere"));
  cluster_.advance(20s + 40s - 1ms);
  EXPECT_EQ(phase("p"), "Running");
  cluster_.advance(1ms);
  EXPECT_EQ(phase("p"), "Failed");
}

TEST_F(PodGcTest, PG05_ANodeThatCannotBeReadIsNotGone) {
  lose_node(held("p"));
  cluster_.fail_next({.verb = Verb::kGet, .resource = "nodes", .times = Fault::kAlways});
  cluster_.advance(200s);
  EXPECT_EQ(phase("p"), "Running");
  EXPECT_GE(count(Verb::kGet, "nodes"), 3);
  ASSERT_FALSE(cluster_.log().empty());
  EXPECT_EQ(cluster_.log().front().message, "could not read a node");

  cluster_.clear_faults();
  cluster_.advance(60s);
  EXPECT_EQ(phase("p"), "Failed");
}

TEST_F(PodGcTest, ANodeThatOnlyTheServerKnowsIsNotGone) {
  lose_node(held("p"));
  cluster_.hold("nodes");
  add_node("n");
  cluster_.advance(100s);
  EXPECT_EQ(phase("p"), "Running");
  EXPECT_GE(count(Verb::kGet, "nodes"), 1);
}

TEST_F(PodGcTest, PG06_ANodeThatTheCacheStillShowsIsNotAskedAbout) {
  add_node("n");
  cluster_.add(held("p"));
  start();
  cluster_.hold("nodes");
  ASSERT_TRUE(cluster_.erase<Node>({"", "n"}));
  cluster_.advance(200s);
  EXPECT_EQ(phase("p"), "Running");
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(PodGcTest, PG07_APodThatIsHeldIsDeletedAgainButNotPatched) {
  lose_node(held("p"));
  cluster_.advance(40s);
  ASSERT_EQ(count(Verb::kDelete, "pods"), 1);
  for (int again = 2; again <= 4; ++again) {
    cluster_.advance(39s);
    EXPECT_EQ(count(Verb::kDelete, "pods"), again - 1);
    cluster_.advance(21s);
    EXPECT_EQ(count(Verb::kDelete, "pods"), again);
    EXPECT_EQ(deleted("orphaned"), again);
  }
  EXPECT_EQ(count(Verb::kPatch, "pods", "status"), 1);
}

TEST_F(PodGcTest, ARestartBeginsTheQuarantineAgainAndASwapDoesNot) {
  lose_node(held("p"));
  cluster_.advance(35s);
  ASSERT_TRUE(cluster_.swap(kController, &PodGcController::open).ok());
  cluster_.advance(5s);
  EXPECT_EQ(phase("p"), "Failed");

  cluster_.add(held("q", "nowhere"));
  cluster_.advance(35s);
  cluster_.stop(kController);
  start();
  cluster_.advance(40s - 1ms);
  EXPECT_EQ(phase("q"), "Running");
  cluster_.advance(1ms);
  EXPECT_EQ(phase("q"), "Failed");
}

TEST_F(PodGcTest, PG19_DuplicatesInThePodsSpecDoNotMatter) {
  lose_node(held("p").spec("containers", R"([{"name":"c","image":"nginx",
      "env":[{"name":"A","value":"1"},{"name":"A","value":"2"}],
      "ports":[{"containerPort":80},{"containerPort":80}]}])"));
  cluster_.advance(40s);
  EXPECT_EQ(phase("p"), "Failed");
}

TEST_F(PodGcTest, PG20_WithoutThePatchThereIsNoDeletionAndTheNextRoundTriesAgain) {
  lose_node(held("p"));
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "pods",
                      .subresource = "status",
                      .http_status = 400,
                      .reason = "BadRequest",
                      .message = "refused by a webhook"});
  cluster_.advance(40s);
  EXPECT_EQ(count(Verb::kDelete, "pods"), 0);
  EXPECT_EQ(deleted("orphaned"), 1);
  EXPECT_EQ(errors("orphaned"), 1);
  ASSERT_FALSE(cluster_.log().empty());
  EXPECT_THAT(cluster_.log().back().fields.back().second,
              ::testing::AllOf(HasSubstr("failed to patch status \"{"),
                               HasSubstr("for pod \"default\"/\"p\": refused by a webhook")));

  cluster_.advance(60s);
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_EQ(deleted("orphaned"), 2);
  EXPECT_EQ(errors("orphaned"), 1);
}

TEST_F(PodGcTest, PG21_ASuccessorOfTheNameSurvives) {
  lose_node(PodBuilder("p").phase("Running").on_node("n").uid("first"));
  bool is_replaced = false;
  cluster_.on_request([this, &is_replaced](const testing::RequestRecord& each) {
    if (each.verb != Verb::kPatch || is_replaced) return;
    is_replaced = cluster_.erase<Pod>({"default", "p"});
    cluster_.add(PodBuilder("p").phase("Running").on_node("n").uid("second"));
  });
  cluster_.advance(40s);
  cluster_.on_request({});
  EXPECT_THAT(writes(), ElementsAre("patch pods/p/status 422"));
  EXPECT_EQ(pod("p").text_at({"metadata", "uid"}), "second");
  EXPECT_EQ(phase("p"), "Running");
}

// ---- Terminated pods ----

TEST_F(PodGcTest, PG08_TheOldestTerminatedPodsBeyondTheThresholdGo) {
  cluster_.add(ended("a", "Failed", 3h));
  cluster_.add(ended("b", "Succeeded", 2h));
  cluster_.add(ended("c", "Failed", 1h));
  start(R"({"terminatedPodGCThreshold":2})");
  EXPECT_FALSE(has("a"));
  EXPECT_TRUE(has("b") && has("c"));
  EXPECT_THAT(writes(), ElementsAre("delete pods/a 200"));
  EXPECT_EQ(deleted("terminated"), 1);
}

TEST_F(PodGcTest, PG09_EvictedPodsGoBeforeOlderOnes) {
  cluster_.add(ended("a", "Failed", 3h));
  cluster_.add(ended("b", "Succeeded", 2h));
  cluster_.add(ended("c", "Failed", 1h).status("reason", R"("Evicted")"));
  start(R"({"terminatedPodGCThreshold":1})");
  EXPECT_FALSE(has("a") || has("c"));
  EXPECT_TRUE(has("b"));
}

TEST_F(PodGcTest, PG10_AThresholdOfZeroKeepsAllTerminatedPods) {
  for (const char* config :
       {R"({"terminatedPodGCThreshold":0})", R"({"terminatedPodGCThreshold":-1})"}) {
    testing::Cluster fresh{{.note = note_text<podgc::declare>()}};
    for (const char* each : {"a", "b", "c"}) fresh.add(ended(each, "Failed", 1h));
    fresh.add(held("orphan", "nowhere"));
    ASSERT_TRUE(fresh.start(kController, &PodGcController::open, config).ok());
    fresh.advance(60s);
    EXPECT_EQ(fresh.all<Pod>().size(), 4);
    EXPECT_EQ(fresh.json<Pod>({"default", "orphan"}).text_at({"status", "phase"}), "Failed");
  }
}

TEST_F(PodGcTest, PG11_OfTwoEqualPodsTheFirstByNameGoes) {
  cluster_.add(ended("y", "Failed", 1h));
  cluster_.add(ended("x", "Failed", 1h));
  start(R"({"terminatedPodGCThreshold":1})");
  EXPECT_FALSE(has("x"));
  EXPECT_TRUE(has("y"));
}

TEST_F(PodGcTest, PG12_PodsThatMayRunDoNotCount) {
  add_node("n");
  cluster_.add(PodBuilder("r").phase("Running").on_node("n"));
  cluster_.add(PodBuilder("p").phase("Pending"));
  cluster_.add(PodBuilder("u").phase("Unknown").on_node("n"));
  cluster_.add(ended("s", "Succeeded", 1h));
  start(R"({"terminatedPodGCThreshold":1})");
  EXPECT_EQ(cluster_.all<Pod>().size(), 4);
}

TEST_F(PodGcTest, TheDefaultThresholdLeavesATestClusterAlone) {
  for (int i = 0; i < 20; ++i) cluster_.add(ended("p" + std::to_string(i), "Failed", 1h));
  start();
  EXPECT_EQ(cluster_.all<Pod>().size(), 20);
}

// ---- Nodes out of service ----

TEST_F(PodGcTest, PG13_ATerminatingPodOfANodeOutOfServiceFailsAtOnce) {
  add_node("n", "False");
  cluster_.add(held("p").spec("terminationGracePeriodSeconds", "300"));
  start();
  cluster_.remove<Pod>({"default", "p"});
  cluster_.advance(40s);
  ASSERT_EQ(phase("p"), "Running");
  ASSERT_THAT(writes(), IsEmpty());

  cluster_.merge<Node>({"", "n"}, kOutOfServiceTaint);
  cluster_.advance(20s);
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_TRUE(disruption("p").is_null());
  EXPECT_EQ(pod("p").text_at({"metadata", "deletionGracePeriodSeconds"}), "0");
  EXPECT_EQ(deleted("out-of-service"), 1);

  cluster_.advance(20s);
  EXPECT_EQ(count(Verb::kDelete, "pods"), 2) << "each pass, while something holds the pod";
  EXPECT_EQ(count(Verb::kPatch, "pods", "status"), 1);
}

TEST_F(PodGcTest, PG14_WithoutFinalizersThePodIsGone) {
  add_node("n", "Unknown");
  cluster_.add(PodBuilder("p").phase("Running").on_node("n"));
  start();
  cluster_.remove<Pod>({"default", "p"});
  ASSERT_TRUE(has("p"));
  cluster_.merge<Node>({"", "n"}, kOutOfServiceTaint);
  cluster_.advance(20s);
  EXPECT_FALSE(has("p"));
}

TEST_F(PodGcTest, PG15_PG16_AReadyNodesPodsAndThoseThatAreNotDeletedStay) {
  add_node("ready");
  add_node("n", "False");
  for (const char* each : {"ready", "n"}) cluster_.merge<Node>({"", each}, kOutOfServiceTaint);
  cluster_.add(held("terminating", "ready"));
  cluster_.add(held("running", "n"));
  start();
  cluster_.remove<Pod>({"default", "terminating"});
  cluster_.advance(60s);
  EXPECT_EQ(phase("terminating"), "Running");
  EXPECT_EQ(phase("running"), "Running");
  EXPECT_THAT(writes(), IsEmpty());
}

// ---- Pods that were never scheduled ----

TEST_F(PodGcTest, PG17_ADeletedPodWithoutANodeFails) {
  start();
  cluster_.add(PodBuilder("p").generation(1).finalizer(kHold));
  cluster_.remove<Pod>({"default", "p"});
  cluster_.advance(20s);
  EXPECT_EQ(phase("p"), "Failed");
  EXPECT_TRUE(disruption("p").is_null());
  EXPECT_EQ(pod("p").text_at({"metadata", "deletionGracePeriodSeconds"}), "0");
  EXPECT_EQ(deleted("unscheduled"), 1);
}

TEST_F(PodGcTest, PG18_APendingPodStays) {
  start();
  cluster_.add(PodBuilder("p").finalizer(kHold));
  cluster_.advance(100s);
  EXPECT_EQ(phase("p"), "Pending");
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

// ---- Configuration and rights ----

TEST_F(PodGcTest, ConfigurationThatIsWrongIsNamed) {
  const auto refusal = [this](std::string_view config) {
    return cluster_.start(kController, &PodGcController::open, config).message();
  };
  EXPECT_THAT(refusal(R"({"threshold":1})"),
              HasSubstr("unknown configuration \"threshold\"; known: terminatedPodGCThreshold"));
  EXPECT_THAT(refusal(R"({"terminatedPodGCThreshold":"1"})"),
              HasSubstr("terminatedPodGCThreshold must be an integer"));
}

TEST_F(PodGcTest, EveryRightIsUsed) {
  lose_node(held("p"));
  cluster_.advance(40s);
  EXPECT_THAT(cluster_.unused_declarations(), IsEmpty());
}

}  // namespace
}  // namespace davit::podgc
