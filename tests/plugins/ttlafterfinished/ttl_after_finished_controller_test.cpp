/// Rows TTL01 to TTL18: the controller in the in-memory cluster, under the rights of its note.
#include "plugins/ttlafterfinished/ttl_after_finished_controller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/ttlafterfinished/note.hpp"

namespace davit::ttlafterfinished {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Json;
using testing::Verb;
using namespace std::chrono_literals;

constexpr const char* kController = "ttl-after-finished-controller";

class TtlAfterFinishedTest : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_THAT(cluster_.violations(), IsEmpty());
    EXPECT_THAT(cluster_.events(), IsEmpty()) << "TTL18";
  }

  void start() {
    const Status started = cluster_.start(kController, &make<TtlAfterFinishedController>);
    ASSERT_TRUE(started.ok()) << started.message();
    cluster_.run_until_idle();
  }
  /// A Job "j" that runs; `ttl` is JSON text.
  void add_job(std::string_view ttl, std::string_view patch = "{}") {
    Json job = Json::must(R"({"apiVersion":"batch/v1","kind":"Job",
        "metadata":{"namespace":"default","name":"j"},
        "spec":{"template":{"spec":{"restartPolicy":"Never",
                                    "containers":[{"name":"c","image":"nginx"}]}}}})");
    if (!ttl.empty()) job["spec"]["ttlSecondsAfterFinished"] = Json::must(ttl);
    testing::merge_patch(job, Json::must(patch));
    cluster_.add(job);
    cluster_.run_until_idle();
  }
  /// The Job ends; nothing follows yet.
  void finish(std::string_view type = "Complete", Duration ago = 0s) {
    merge(R"({"status":{"conditions":[{"type":")" + std::string(type) +
          R"(","status":"True","lastTransitionTime":")" + format_time(cluster_.wall_now() - ago) +
          R"("}]}})");
  }
  void merge(std::string_view patch) {
    cluster_.merge<Job>({"default", "j"}, patch);
    cluster_.run_until_idle();
  }
  void set_ttl(std::string_view ttl) {
    merge(R"({"spec":{"ttlSecondsAfterFinished":)" + std::string(ttl) + "}}");
  }

  /// The Job was deleted, which its dependents may delay.
  [[nodiscard]] bool is_deleted() {
    const std::optional<Job> job = cluster_.find<Job>({"default", "j"});
    return !job || job->is_being_deleted();
  }
  [[nodiscard]] std::vector<std::string> requests() const {
    std::vector<std::string> out;
    for (const testing::RequestRecord& each : cluster_.requests()) out.push_back(each.text());
    return out;
  }
  [[nodiscard]] std::size_t deletions() const {
    return cluster_.requests_of(Verb::kDelete, "jobs").size();
  }

  testing::Cluster cluster_{{.note = note_text<ttlafterfinished::declare>()}};
};

TEST_F(TtlAfterFinishedTest, TTL01_ACompleteJobGoesWhenItsTtlHasPassed) {
  start();
  add_job("10", R"({"metadata":{"uid":"first"}})");
  finish();
  cluster_.advance(10s - 1ms);
  EXPECT_FALSE(is_deleted());
  EXPECT_THAT(requests(), IsEmpty());

  cluster_.advance(1ms);
  EXPECT_TRUE(is_deleted());
  EXPECT_THAT(requests(), ElementsAre("get jobs/j 200", "delete jobs/j 200"));
  const Json options = Json::must(cluster_.writes().back().body);
  EXPECT_EQ(options.text_at({"propagationPolicy"}), "Foreground");
  EXPECT_EQ(options.text_at({"preconditions", "uid"}), "first");
}

TEST_F(TtlAfterFinishedTest, TTL02_ATtlOfZeroMeansAtOnce) {
  start();
  add_job("0");
  finish();
  EXPECT_TRUE(is_deleted());
}

TEST_F(TtlAfterFinishedTest, TTL03_AFailedJobGoesToo) {
  start();
  add_job("10");
  finish("Failed");
  cluster_.advance(10s - 1ms);
  EXPECT_FALSE(is_deleted());
  cluster_.advance(1ms);
  EXPECT_TRUE(is_deleted());
}

TEST_F(TtlAfterFinishedTest, TTL04_WithoutATtlAJobStays) {
  start();
  add_job("");
  finish();
  cluster_.advance(1000h);
  EXPECT_FALSE(is_deleted());
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(TtlAfterFinishedTest, TTL05_ATtlThatComesLateMayHavePassedAlready) {
  start();
  add_job("");
  finish("Complete", 1h);
  set_ttl("60");
  EXPECT_TRUE(is_deleted());
}

TEST_F(TtlAfterFinishedTest, TTL06_ALongerTtlPostponesTheDeletion) {
  start();
  add_job("10");
  finish();
  cluster_.advance(5s);
  set_ttl("60");
  cluster_.advance(55s - 1ms);
  EXPECT_FALSE(is_deleted());
  cluster_.advance(1ms);
  EXPECT_TRUE(is_deleted());
}

TEST_F(TtlAfterFinishedTest, TTL07_AShorterTtlThatHasPassedMeansAtOnce) {
  start();
  add_job("600");
  finish();
  cluster_.advance(20s);
  EXPECT_FALSE(is_deleted());
  set_ttl("5");
  EXPECT_TRUE(is_deleted());
}

TEST_F(TtlAfterFinishedTest, TTL08_WithoutItsTtlTheJobStays) {
  start();
  add_job("10");
  finish();
  cluster_.advance(5s);
  set_ttl("null");
  cluster_.advance(1h);
  EXPECT_FALSE(is_deleted());
}

TEST_F(TtlAfterFinishedTest, TTL09_TheServersTtlCountsWhereTheCacheLags) {
  start();
  add_job("10");
  finish();
  cluster_.hold("jobs");
  set_ttl("30");
  cluster_.advance(30s - 1ms);
  EXPECT_THAT(requests(), ElementsAre("get jobs/j 200"));
  EXPECT_FALSE(is_deleted());

  cluster_.release("jobs");
  cluster_.advance(1ms);
  EXPECT_TRUE(is_deleted());
}

TEST_F(TtlAfterFinishedTest, AJobThatOnlyTheCacheHasIsDone) {
  start();
  add_job("10");
  finish();
  cluster_.hold("jobs");
  ASSERT_TRUE(cluster_.erase<Job>({"default", "j"}));
  cluster_.advance(10s);
  EXPECT_THAT(requests(), ElementsAre("get jobs/j 404"));
  EXPECT_TRUE(cluster_.syncs().back().ok());
}

TEST_F(TtlAfterFinishedTest, TTL10_ANewJobOfTheNameSurvives) {
  start();
  add_job("10", R"({"metadata":{"uid":"first"}})");
  finish();
  bool is_replaced = false;
  cluster_.on_request([this, &is_replaced](const testing::RequestRecord& each) {
    if (each.verb != Verb::kDelete || is_replaced) return;
    is_replaced = true;
    cluster_.erase<Job>({"default", "j"});
    cluster_.add(R"({"apiVersion":"batch/v1","kind":"Job",
        "metadata":{"namespace":"default","name":"j","uid":"second"},
        "spec":{"ttlSecondsAfterFinished":10,"template":{"spec":{"restartPolicy":"Never",
                "containers":[{"name":"c","image":"nginx"}]}}}})");
  });
  cluster_.advance(10s);
  EXPECT_THAT(requests(), ElementsAre("get jobs/j 200", "delete jobs/j 409"));
  cluster_.on_request({});
  cluster_.advance(60s);
  EXPECT_EQ(cluster_.json<Job>({"default", "j"}).text_at({"metadata", "uid"}), "second");
  EXPECT_FALSE(is_deleted());
}

TEST_F(TtlAfterFinishedTest, TTL11_AJobThatIsBeingDeletedIsLeftAlone) {
  start();
  add_job("10", R"({"metadata":{"finalizers":["example.com/hold"]}})");
  finish();
  cluster_.remove<Job>({"default", "j"});
  cluster_.advance(1h);
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(TtlAfterFinishedTest, TTL12_AnEndInTheFutureIsAwaited) {
  start();
  add_job("10");
  finish("Complete", -100s);
  cluster_.advance(110s - 1ms);
  EXPECT_FALSE(is_deleted());
  cluster_.advance(1ms);
  EXPECT_TRUE(is_deleted());
}

TEST_F(TtlAfterFinishedTest, TTL13_AnEndWithoutATimeIsAnErrorThatIsRepeatedMoreAndMoreSeldom) {
  start();
  add_job("10");
  cluster_.clear_records();
  merge(R"({"status":{"conditions":[{"type":"Complete","status":"True"}]}})");
  cluster_.advance(60s);
  EXPECT_THAT(requests(), IsEmpty());
  EXPECT_GE(cluster_.syncs().size(), 10);
  EXPECT_LE(cluster_.syncs().size(), 16);
  EXPECT_EQ(cluster_.syncs().back().error,
            "unable to find the time when the Job default/j finished");
}

TEST_F(TtlAfterFinishedTest, TTL14_AJobOfAnotherControllerGoesToo) {
  start();
  add_job("10", R"({"spec":{"managedBy":"example.com/x"}})");
  finish();
  cluster_.advance(10s);
  EXPECT_TRUE(is_deleted());
}

TEST_F(TtlAfterFinishedTest, TTL15_AJobThatExpiredBeforeTheStartGoesAtOnce) {
  add_job("10");
  finish("Complete", 1h);
  start();
  EXPECT_TRUE(is_deleted());
}

TEST_F(TtlAfterFinishedTest, TTL16_AFailedDeletionIsRepeated) {
  start();
  add_job("10");
  finish();
  cluster_.fail_next({.verb = Verb::kDelete, .resource = "jobs", .times = 3});
  cluster_.advance(11s);
  EXPECT_EQ(deletions(), 4);
  EXPECT_TRUE(is_deleted());
}

TEST_F(TtlAfterFinishedTest, AFailedReadIsRepeated) {
  start();
  add_job("10");
  finish();
  cluster_.fail_next({.verb = Verb::kGet, .resource = "jobs", .times = 3});
  cluster_.advance(11s);
  EXPECT_EQ(deletions(), 1);
}

TEST_F(TtlAfterFinishedTest, TTL17_AJobThatRunsIsLeftAlone) {
  start();
  add_job("0");
  cluster_.advance(1h);
  EXPECT_FALSE(is_deleted());
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(TtlAfterFinishedTest, TTL18_TheMetricHasTheTimeSinceTheExpiry) {
  start();
  add_job("10");
  finish("Complete", 13s);
  ASSERT_EQ(cluster_.metrics().size(), 1);
  EXPECT_EQ(cluster_.metrics().front().name,
            "ttl_after_finished_controller_job_deletion_duration_seconds");
  EXPECT_NEAR(cluster_.metrics().front().value, 3, 1);
}

TEST_F(TtlAfterFinishedTest, ALongTtlIsLookedAtFromTimeToTime) {
  start();
  add_job("86400");
  finish();
  ASSERT_TRUE(cluster_.next_due_in());
  EXPECT_EQ(*cluster_.next_due_in(), 10min) << "the wall clock may be set meanwhile";
  cluster_.advance(24h - 1ms);
  EXPECT_THAT(requests(), IsEmpty());
  cluster_.advance(1ms);
  EXPECT_TRUE(is_deleted());
}

TEST_F(TtlAfterFinishedTest, ASwapKeepsJobsThatWait) {
  start();
  add_job("10");
  finish();
  cluster_.advance(5s);
  ASSERT_TRUE(cluster_.swap(kController, &make<TtlAfterFinishedController>).ok());
  cluster_.advance(5s - 1ms);
  EXPECT_FALSE(is_deleted());
  cluster_.advance(1ms);
  EXPECT_TRUE(is_deleted());
}

TEST_F(TtlAfterFinishedTest, EveryRightIsUsed) {
  start();
  add_job("0");
  finish();
  EXPECT_THAT(cluster_.unused_declarations(), IsEmpty());
}

}  // namespace
}  // namespace davit::ttlafterfinished
