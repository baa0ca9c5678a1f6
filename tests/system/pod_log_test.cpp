// The log of a simulated pod, followed until the pod goes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/system/whole_host.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

ResourcePath pod_path(const std::string& name, const std::string& subresource = "") {
  return {"", "v1", "pods", subresource, "default", name};
}

class PodLogTest : public testing::Test, protected WholeHost {
 protected:
  PodLogTest() : WholeHost(1) {
    send(Verb::kCreate, pod_path(""),
         R"({"metadata":{"name":"web"},"spec":{"containers":[{"name":"main","image":"web:1"}]}})");
    await(pod_path(""), [](WatchType, const Json& pod) {
      return pod.text_at({"status", "phase"}) == "Running";
    });
  }
  /// Streams the log; `on_text` runs when the first of it has come.
  Status stream(const std::string& query, std::string& text,
                const std::function<void()>& on_text = {}) {
    const std::unique_ptr<Clock> clock = make_system_clock();
    NoRestMetrics metrics;
    test::RecordingLogSink sink;
    RestClient client(transport(), *clock, metrics, Logger(sink), RestOptions{.rate = {-1, 1}});
    ApiRequest request;
    request.path = pod_path("web", "log");
    request.query = query;
    return client.stream(request, {}, [&](std::string_view piece) {
      const bool is_first = text.empty() && !piece.empty();
      text += piece;
      if (is_first && on_text) on_text();
      return Status();
    });
  }
};

TEST_F(PodLogTest, FollowedLogEndsWithItsPod) {
  std::string text;
  bool was_there = false;
  const Status ended = stream("follow=true", text, [&] {
    was_there = true;
    send(Verb::kDelete, pod_path("web"));
  });
  EXPECT_TRUE(ended.ok()) << ended.message();
  EXPECT_TRUE(was_there) << "the text came before the end of the response";
  EXPECT_THAT(text, HasSubstr("container \"main\" of pod \"web\" is simulated"));
}

TEST_F(PodLogTest, LogThatIsNotFollowedEndsAtOnce) {
  std::string text;
  EXPECT_TRUE(stream("", text).ok());
  EXPECT_THAT(text, HasSubstr("is simulated"));
}

}  // namespace
}  // namespace davit::host
