/// Rows DRA-81 to DRA-91.
#include "plugins/resourceclaim/pod_group_protection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>

#include "plugins/resourceclaim/note.hpp"

namespace davit::resourceclaim {
namespace {

using ::testing::IsEmpty;
using testing::Json;
using ::testing::SizeIs;
using testing::Verb;
using namespace std::chrono_literals;

class PodGroupProtectionTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "podgroup-protection-controller";
  static constexpr const char* kGate = R"({"genericWorkload":"on"})";

  void SetUp() override { add_group(); }
  void TearDown() override { EXPECT_THAT(cluster_.violations(), IsEmpty()); }
  void start() {
    ASSERT_TRUE(cluster_.start(kController, &PodGroupProtection::open, kGate).ok());
    cluster_.run_until_idle();
  }
  void add_group(const std::string& more = "") {
    cluster_.add(R"({"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"PodGroup","metadata":{
        "name":"pg","namespace":"t","uid":"uid-pg","finalizers":[)" +
                 more + R"("scheduling.k8s.io/podgroup-protection"]},"spec":{}})");
    cluster_.run_until_idle();
  }
  static Json pod(const std::string& name, const std::string& group = "pg") {
    return Json::must(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                      R"(","namespace":"t"},"spec":{"nodeName":"n1","containers":[{"name":"c",
                      "image":"i"}],"schedulingGroup":{"podGroupName":")" +
                      group + R"("}},"status":{"phase":"Running"}})");
  }
  void add_pod(const std::string& name, const std::string& group = "pg") {
    cluster_.add(pod(name, group));
    cluster_.run_until_idle();
  }
  void finish(const std::string& name) {
    cluster_.merge<Pod>({"t", name}, R"({"status":{"phase":"Succeeded"}})");
    cluster_.run_until_idle();
  }
  void erase(const std::string& name) {
    cluster_.erase<Pod>({"t", name});
    cluster_.run_until_idle();
  }
  void remove_group() {
    cluster_.remove<PodGroup>({"t", "pg"});
    cluster_.run_until_idle();
  }
  [[nodiscard]] bool has_group() { return cluster_.find<PodGroup>({"t", "pg"}).has_value(); }

  testing::Cluster cluster_{{.note = note_text<resourceclaim::declare>()}};
};

TEST_F(PodGroupProtectionTest, DRA81_DRA82_DRA83_AGroupStaysUntilItsPodsHaveEnded) {
  start();
  add_pod("a");
  add_pod("b");
  remove_group();
  EXPECT_TRUE(has_group());
  finish("a");
  EXPECT_TRUE(has_group());
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  erase("b");
  EXPECT_FALSE(has_group());
  EXPECT_THAT(cluster_.writes(), SizeIs(1));
}

TEST_F(PodGroupProtectionTest, DRA84_AGroupWithoutPodsGoesAtOnce) {
  start();
  add_pod("other", "another");
  remove_group();
  EXPECT_FALSE(has_group());
}

TEST_F(PodGroupProtectionTest, APodOfAnotherNamespaceHoldsNoGroup) {
  start();
  Json json = pod("a");
  json["metadata"]["namespace"] = "elsewhere";
  cluster_.add(json);
  cluster_.run_until_idle();
  remove_group();
  EXPECT_FALSE(has_group());
}

TEST_F(PodGroupProtectionTest, DRA85_APodThatIsBeingDeletedHoldsIt) {
  start();
  add_pod("b");
  remove_group();
  cluster_.remove<Pod>({"t", "b"});
  cluster_.advance(1min);
  EXPECT_TRUE(has_group());
}

TEST_F(PodGroupProtectionTest, DRA86_AFinalizerThatIsTakenOffIsNotRestored) {
  start();
  cluster_.merge<PodGroup>({"t", "pg"}, R"({"metadata":{"finalizers":null}})");
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(PodGroupProtectionTest, DRA87_AStartFindsWhatHasEndedMeanwhile) {
  add_pod("a");
  cluster_.remove<PodGroup>({"t", "pg"});
  cluster_.merge<Pod>({"t", "a"}, R"({"status":{"phase":"Failed"}})");
  start();
  EXPECT_FALSE(has_group());
}

TEST_F(PodGroupProtectionTest, DRA88_FinalizersOfOthersStay) {
  add_group(R"("t/f",)");
  start();
  remove_group();
  EXPECT_EQ(cluster_.json<PodGroup>({"t", "pg"})["metadata"]["finalizers"].dump(), R"(["t/f"])");
}

TEST_F(PodGroupProtectionTest, DRA89_AConflictIsTriedAgain) {
  start();
  cluster_.fail_next(
      {.verb = Verb::kPatch, .resource = "podgroups", .http_status = 409, .reason = "Conflict"});
  remove_group();
  cluster_.advance(1s);
  EXPECT_FALSE(has_group());
}

TEST_F(PodGroupProtectionTest, DRA90_APodThatWasReplacedUnseenLetsItsGroupGo) {
  start();
  add_pod("b");
  remove_group();
  cluster_.begin_outage("pods");
  cluster_.erase<Pod>({"t", "b"});
  cluster_.add(pod("b", "another"));
  cluster_.end_outage("pods");
  cluster_.advance(1min);
  EXPECT_FALSE(has_group());
}

TEST_F(PodGroupProtectionTest, DRA91_WithoutTheGateItDoesNotRun) {
  const Status started = cluster_.start(kController, &PodGroupProtection::open);
  EXPECT_EQ(started.code(), Code::kUnsupported);
  EXPECT_EQ(started.message(), "the feature gate GenericWorkload is off");
}

}  // namespace
}  // namespace davit::resourceclaim
