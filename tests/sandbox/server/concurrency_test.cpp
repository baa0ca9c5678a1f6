// Several threads on one server.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

const std::string kMaps = "/api/v1/namespaces/default/configmaps";
constexpr int kThreads = 4;
constexpr int kWrites = 50;

TEST(ConcurrencyTest, NoUnconditionalPatchIsLost) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kMaps, R"({"metadata":{"name":"shared"}})").code, 201);
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> writers;
    for (int thread = 0; thread < kThreads; ++thread) {
      writers.emplace_back([&, thread] {
        for (int i = 0; i < kWrites; ++i) {
          const std::string key = std::to_string(thread) + '-' + std::to_string(i);
          const Reply response =
              sandbox.patch(kMaps + "/shared", "merge", R"({"data":{")" + key + R"(":"x"}})");
          if (response.code != 200) ++failures;
        }
      });
    }
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(sandbox.get(kMaps + "/shared").body.get("data").size(),
            static_cast<std::size_t>(kThreads) * kWrites);
}

TEST(ConcurrencyTest, AWatchSeesEveryWriteOnceAndInOrder) {
  Sandbox sandbox;
  const Reply watch = sandbox.get(kMaps + "?watch=1&labelSelector=w");
  {
    std::vector<std::jthread> writers;
    for (int thread = 0; thread < kThreads; ++thread) {
      writers.emplace_back([&, thread] {
        for (int i = 0; i < kWrites; ++i) {
          const std::string name = std::to_string(thread) + '-' + std::to_string(i);
          EXPECT_EQ(
              sandbox.post(kMaps, R"({"metadata":{"name":")" + name + R"(","labels":{"w":"1"}}})")
                  .code,
              201);
        }
      });
    }
  }
  std::string text;
  ASSERT_EQ(watch.stream->read(text, 1 << 24), HttpBodyStream::State::kOpen);
  std::int64_t last = 0;
  int events = 0;
  for (std::size_t at = 0; at < text.size(); ++events) {
    const std::size_t end = text.find('\n', at);
    const Json event = json_literal(text.substr(at, end - at));
    const std::int64_t revision =
        std::stoll(event.text_at({"object", "metadata", "resourceVersion"}));
    EXPECT_GT(revision, last);
    last = revision;
    at = end + 1;
  }
  EXPECT_EQ(events, kThreads * kWrites);
}

TEST(ConcurrencyTest, APodThatItsNodeReportsStoppedWhileItIsRemovedIsDeletedWithoutAnError) {
  Sandbox sandbox;
  const std::string pods = "/api/v1/namespaces/default/pods";
  const std::string pod = R"({"metadata":{"name":"p"},)"
                          R"("spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})";
  ASSERT_EQ(sandbox.post(pods, pod).code, 201);
  ASSERT_EQ(sandbox.remove(pods + "/p").code, 200);
  // As a kubelet does that sees the grace period of 0 before the deletion's second step.
  int reports = 0;
  const auto node = sandbox.store.subscribe({"", "pods"}, [&] {
    if (reports++ != 0) return;
    EXPECT_EQ(sandbox.patch(pods + "/p/status", "merge", R"({"status":{"phase":"Failed"}})").code,
              200);
  });

  const Reply removed = sandbox.remove(pods + "/p", R"({"gracePeriodSeconds":0})");

  EXPECT_EQ(removed.code, 200) << removed.text;
  EXPECT_EQ(sandbox.get(pods + "/p").code, 404);
  EXPECT_GT(reports, 1) << "the node's report removed the pod";
}

}  // namespace
}  // namespace davit::sandbox
