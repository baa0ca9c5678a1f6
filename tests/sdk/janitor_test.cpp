/// The example in C, loaded from its file and run on the in-memory cluster.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/kube/pod.hpp>
#include <davit/testing/cluster.hpp>
#include <string>

namespace davit {
namespace {

class Job : public ObjectView {
 public:
  static constexpr Resource kResource{"batch", "v1", "jobs", "Job"};
  using ObjectView::ObjectView;
};

/// The cluster's clock stands at 2024-05-01T12:00:00Z.
class JanitorTest : public ::testing::Test {
 protected:
  JanitorTest() : library_(dlopen(DAVIT_JANITOR, RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(library_, nullptr) << dlerror();
    const auto entry = reinterpret_cast<davit_plugin_v1_fn>(dlsym(library_, DAVIT_PLUGIN_SYMBOL));
    const davit_plugin* const plugin = entry();
    for (std::size_t i = 0; i < plugin->row_count; ++i) {
      EXPECT_TRUE(cluster_.start(from_c(plugin->rows[i].name), plugin->rows[i].init).ok());
    }
  }
  ~JanitorTest() override {
    EXPECT_TRUE(cluster_.violations().empty());
    cluster_.stop("pod-janitor-controller");
    cluster_.stop("job-janitor-controller");
    dlclose(library_);
  }

  void add_pod(const std::string& ttl, const std::string& status) {
    cluster_.add(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"done",)"
        R"("namespace":"default","creationTimestamp":"2024-04-30T00:00:00Z","annotations":{)"
        R"("janitor.davit.dev/ttl":")" +
        ttl + R"("}},"status":)" + status + "}");
    cluster_.run_until_idle();
  }
  void add_job(const std::string& conditions) {
    cluster_.add(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"done",)"
                 R"("namespace":"default","annotations":{"janitor.davit.dev/ttl":"1h"}},)"
                 R"("status":{"conditions":[)" +
                 conditions + "]}}");
    cluster_.run_until_idle();
  }
  bool pod_is_there() { return cluster_.find<Pod>({"default", "done"}).has_value(); }
  bool job_is_there() { return cluster_.find<Job>({"default", "done"}).has_value(); }

  static constexpr const char* kEndedAtTwelve =
      R"({"phase":"Succeeded","containerStatuses":[)"
      R"({"state":{"terminated":{"finishedAt":"2024-05-01T11:00:00Z"}}},)"
      R"({"state":{"terminated":{"finishedAt":"2024-05-01T12:00:00Z"}}}]})";

  void* library_;
  testing::Cluster cluster_;
};

TEST_F(JanitorTest, AFinishedPodGoesWhenItsTimeHasPassedSinceItsLastContainer) {
  add_pod("30m", kEndedAtTwelve);
  EXPECT_TRUE(pod_is_there());
  cluster_.advance(std::chrono::minutes(29));
  EXPECT_TRUE(pod_is_there());
  cluster_.advance(std::chrono::minutes(1));
  EXPECT_FALSE(pod_is_there());
}

TEST_F(JanitorTest, APodThatNeverHadAContainerCountsFromItsCreation) {
  add_pod("1d", R"({"phase":"Failed"})");
  EXPECT_FALSE(pod_is_there());
}

TEST_F(JanitorTest, WhatRunsAndWhatAsksForNothingStays) {
  add_pod("0s", R"({"phase":"Running"})");
  cluster_.add(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"kept",)"
               R"("namespace":"default"},"status":{"phase":"Succeeded"}})");
  cluster_.advance(std::chrono::hours(1000));
  EXPECT_TRUE(pod_is_there());
  EXPECT_TRUE(cluster_.find<Pod>({"default", "kept"}));
}

TEST_F(JanitorTest, AMistakenTimeIsReportedAndDeletesNothing) {
  for (const char* ttl : {"soon", "30", "m", "-1m", "9999999d", "1 h", ""}) {
    add_pod(ttl, kEndedAtTwelve);
    cluster_.advance(std::chrono::hours(1000));
    EXPECT_TRUE(pod_is_there()) << ttl;
    ASSERT_FALSE(cluster_.events().empty()) << ttl;
    EXPECT_THAT(cluster_.event_texts().back(), ::testing::StartsWith("Warning InvalidTTL")) << ttl;
    cluster_.clear_records();
  }
}

TEST_F(JanitorTest, AFinishedJobGoesInTheBackground) {
  add_job(R"({"type":"Complete","status":"False","lastTransitionTime":"2024-01-01T00:00:00Z"})");
  EXPECT_TRUE(job_is_there());
  add_job(R"({"type":"Complete","status":"True","lastTransitionTime":"2024-05-01T11:30:00Z"})");
  EXPECT_TRUE(job_is_there());
  cluster_.advance(std::chrono::minutes(30));
  EXPECT_FALSE(job_is_there());
  const auto deletions = cluster_.requests_of(testing::Verb::kDelete, "jobs");
  ASSERT_EQ(deletions.size(), 1U);
}

TEST_F(JanitorTest, RecreatedObjectIsLeftAlone) {
  add_pod("30m", kEndedAtTwelve);
  cluster_.hold("pods");
  cluster_.erase<Pod>({"default", "done"});
  cluster_.add(testing::PodBuilder("done"));
  cluster_.advance(std::chrono::hours(1));
  EXPECT_TRUE(pod_is_there());
}

}  // namespace
}  // namespace davit
