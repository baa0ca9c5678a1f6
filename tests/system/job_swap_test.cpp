// The controller of Jobs is swapped, and runs in a shadow, while Jobs run.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "tests/system/counting_transport.hpp"
#include "tests/system/whole_host.hpp"

namespace davit::host {
namespace {

constexpr int kCompletions = 8;
constexpr int kSwapsMin = 20;

class JobSwapTest : public testing::Test {
 protected:
  JobSwapTest() { system_.start({{DAVIT_JOB_DIRECTORY}, {"job-controller"}}, &transport_); }
  ~JobSwapTest() override { system_.stop(); }

  static ResourcePath jobs() {
    ResourcePath path;
    path.group = "batch";
    path.version = "v1";
    path.resource = "jobs";
    path.ns = "default";
    return path;
  }
  /// A Job whose pods run for a second, so many at once.
  void create_job(const std::string& name, int parallelism) {
    system_.send(Verb::kCreate, jobs(),
                 R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":")" + name +
                     R"("},"spec":{"parallelism":)" + std::to_string(parallelism) +
                     R"(,"completions":)" + std::to_string(kCompletions) +
                     R"(,"template":{"spec":{"restartPolicy":"Never",
                        "containers":[{"name":"c","image":"c:1"}]}}}})");
  }
  /// The Job when it has ended.
  Json await_end(const std::string& name) {
    return system_.await(jobs(), [name](WatchType, const Json& job) {
      if (job.text_at({"metadata", "name"}) != name) return false;
      for (const Json& each : job.get("status").get("conditions").items()) {
        const std::string& type = each.text_at({"type"});
        if (type == "Complete" || type == "Failed") return true;
      }
      return false;
    });
  }
  static void expect_complete(const Json& job) {
    EXPECT_EQ(job.get("status").get("succeeded").integer_or(0), kCompletions);
    EXPECT_EQ(job.get("status").get("failed").integer_or(0), 0);
  }

  WholeHost system_{3};
  CountingTransport transport_{system_.transport()};
};

TEST_F(JobSwapTest, AJobUnderWayEndsRightWithNoPodTooMany) {
  create_job("one", kCompletions / 4);
  std::atomic<bool> done{false};
  int swaps = 0;
  std::jthread swapping([&] {
    while (!done.load() || swaps < kSwapsMin) {
      const SwapReport report = system_.host().plugins().swap({"job", ""});
      EXPECT_TRUE(report.ok()) << report.text;
      EXPECT_EQ(report.keys_dropped, 0U);
      if (!report.ok()) return;
      ++swaps;
    }
  });
  const Json job = await_end("one");
  done.store(true);
  swapping.join();

  EXPECT_GE(swaps, kSwapsMin);
  EXPECT_EQ(transport_.pods(), kCompletions);
  expect_complete(job);
}

TEST_F(JobSwapTest, ABuildInTheShadowWritesNothingUntilItServes) {
  ASSERT_TRUE(system_.host().plugins().shadows().start({"job", ""}).ok());
  create_job("one", kCompletions);
  expect_complete(await_end("one"));
  EXPECT_EQ(transport_.pods(), kCompletions) << "one build writes";
  const ShadowReport report = system_.await_shadow("job");
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(report.difference.shadow.failed, 0U) << report.difference.shadow.last_error;

  const SwapReport committed = system_.host().plugins().commit_shadow("job");
  ASSERT_TRUE(committed.ok()) << committed.text;
  create_job("two", kCompletions);
  expect_complete(await_end("two"));
  EXPECT_EQ(transport_.pods(), 2 * kCompletions);
}

}  // namespace
}  // namespace davit::host
