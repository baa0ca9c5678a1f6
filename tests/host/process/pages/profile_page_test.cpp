#include "host/process/pages/profile_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::Pair;

class ProfilePageTest : public testing::Test {
 protected:
  ProfilePageTest() { add_profile_page(routes_, clock_); }

  HttpServerResponse ask(std::string target, std::string method = "GET") {
    HttpServerRequest request;
    request.method = std::move(method);
    request.target = std::move(target);
    return routes_.respond(request);
  }
  /// The time after which the profile is ready.
  seconds length_of(const std::string& target) {
    const HttpServerResponse response = ask(target);
    if (!response.deferred) return seconds(-1);
    return std::chrono::duration_cast<seconds>(response.deferred->next_take() - clock_.now());
  }

  test::FakeClock clock_;
  test::RecordingLogSink sink_;
  HealthChecks checks_{Logger(sink_)};
  std::unique_ptr<Metrics> metrics_ = Metrics::make({.git_version = "v1.36.2"}, clock_);
  ProbeThreads probe_threads_{clock_, seconds(1)};
  ObservabilityRoutes routes_{checks_, *metrics_, probe_threads_};
};

TEST_F(ProfilePageTest, TheProfileComesAfterItsTime) {
  const HttpServerResponse waiting = ask("/debug/pprof/profile?seconds=5");
  ASSERT_NE(waiting.deferred, nullptr);
  clock_.advance(seconds(4));
  EXPECT_FALSE(waiting.deferred->take());

  clock_.advance(seconds(1));
  const auto done = waiting.deferred->take();

  ASSERT_TRUE(done);
  EXPECT_EQ(done->status, 200);
  EXPECT_EQ(done->content_type, "application/octet-stream");
  EXPECT_THAT(done->headers, Contains(Pair("Content-Disposition", testing::_)));
  EXPECT_EQ(done->body.substr(0, 16), std::string("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 16));
}

TEST_F(ProfilePageTest, ASecondProfileIsRefusedUntilTheFirstHasEnded) {
  HttpServerResponse first = ask("/debug/pprof/profile");
  const HttpServerResponse second = ask("/debug/pprof/profile");
  EXPECT_EQ(second.status, 500);
  EXPECT_EQ(second.deferred, nullptr);
  EXPECT_EQ(second.body, "Could not enable CPU profiling: a CPU profile is already being taken\n");

  first.deferred.reset();  // As when the server stops.
  EXPECT_NE(ask("/debug/pprof/profile").deferred, nullptr);
}

TEST_F(ProfilePageTest, SecondsHaveADefaultAndALimit) {
  EXPECT_EQ(length_of("/debug/pprof/profile"), seconds(30));
  EXPECT_EQ(length_of("/debug/pprof/profile?seconds=1"), seconds(1));
  EXPECT_EQ(length_of("/debug/pprof/profile?seconds=300"), seconds(300));
  for (const char* odd : {"", "0", "-1", "x", "1x", "0.5"}) {
    EXPECT_EQ(length_of(std::string("/debug/pprof/profile?seconds=") + odd), seconds(30)) << odd;
  }
  for (const char* large : {"301", "99999999999999999999"}) {
    EXPECT_EQ(ask(std::string("/debug/pprof/profile?seconds=") + large).status, 400) << large;
  }
}

TEST_F(ProfilePageTest, TheListAndItsRedirectAreUpstreams) {
  EXPECT_EQ(ask("/debug/pprof").status, 302);
  EXPECT_THAT(ask("/debug/pprof").headers, Contains(Pair("Location", "/debug/pprof/")));
  EXPECT_THAT(ask("/debug/pprof/").body, testing::HasSubstr("href=\"profile?seconds=30\""));
  EXPECT_EQ(ask("/debug/pprof/heap").status, 404);
  EXPECT_EQ(ask("/debug/pprof/profile", "HEAD").deferred, nullptr);
}

}  // namespace
}  // namespace davit::host
