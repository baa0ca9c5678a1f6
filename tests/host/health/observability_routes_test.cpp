#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/health/observability_server.hpp"
#include "tests/support/collector.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

class ObservabilityRoutesTest : public testing::Test {
 protected:
  HttpServerResponse ask(std::string target, std::string method = "GET", HttpHeaders headers = {}) {
    HttpServerRequest request;
    request.headers = std::move(headers);
    request.method = std::move(method);
    request.target = std::move(target);
    HttpServerResponse response = routes_.respond(request);
    if (!response.deferred) return response;
    EXPECT_TRUE(probe_threads_.wait_idle(Time::max()));
    std::optional<HttpServerResponse> known = response.deferred->take();
    EXPECT_TRUE(known);
    return known ? std::move(*known) : HttpServerResponse();
  }

  test::FakeClock clock_;
  test::RecordingLogSink sink_;
  HealthChecks checks_{Logger(sink_)};
  std::unique_ptr<Metrics> metrics_ = Metrics::make({.git_version = "v1.30.1"}, clock_);
  ProbeThreads probe_threads_{clock_, std::chrono::seconds(1)};
  ObservabilityRoutes routes_{checks_, *metrics_, probe_threads_};
};

TEST_F(ObservabilityRoutesTest, HealthAndMetricsHaveTheirPaths) {
  EXPECT_EQ(ask("/healthz").body, "ok");
  EXPECT_EQ(ask("/livez").body, "ok");
  EXPECT_EQ(ask("/readyz").body, "ok");
  EXPECT_THAT(ask("/metrics").body, HasSubstr("kubernetes_build_info"));
  EXPECT_EQ(ask("/metrics").content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(ask("/metrics/slis").status, 200);
  EXPECT_EQ(ask("/").status, 404);
  EXPECT_EQ(ask("/metrics/").status, 404);
}

TEST_F(ObservabilityRoutesTest, MetricsAreForReading) {
  EXPECT_EQ(ask("/metrics", "POST").status, 405);
  EXPECT_EQ(ask("/metrics", "HEAD").status, 200);
}

TEST_F(ObservabilityRoutesTest, MetricsAreCompressedForClientsThatAcceptIt) {
  for (const char* path : {"/metrics", "/metrics/slis"}) {
    const HttpServerResponse packed = ask(path, "GET", {{"accept-encoding", "gzip, br"}});
    EXPECT_THAT(packed.headers, testing::Contains(std::pair("Content-Encoding", "gzip")));
    EXPECT_THAT(packed.body, testing::StartsWith("\x1f\x8b")) << path;

    const HttpServerResponse plain = ask(path, "GET", {{"accept-encoding", "br"}});
    EXPECT_THAT(plain.headers, testing::ElementsAre(std::pair("Vary", "Accept-Encoding")));
    EXPECT_THAT(plain.body, testing::Not(testing::StartsWith("\x1f\x8b"))) << path;
  }
  EXPECT_THAT(ask("/metrics", "GET", {{"accept-encoding", "br"}}).body,
              testing::StartsWith("# HELP"));
}

TEST_F(ObservabilityRoutesTest, DebugPageGetsPathAndQuery) {
  routes_.add_debug_page("gc", [](std::string_view path, std::string_view query) {
    return Result<DebugResponse>(
        {.body = "<" + std::string(path) + "> <" + std::string(query) + ">",
         .http_status = 203,
         .content_type = "text/html"});
  });

  const HttpServerResponse page = ask("/debug/controllers/gc");
  EXPECT_EQ(page.body, "<> <>");
  EXPECT_EQ(page.status, 203);
  EXPECT_EQ(page.content_type, "text/html");
  EXPECT_EQ(ask("/debug/controllers/gc/graph/a?uid=7").body, "<graph/a> <uid=7>");
  EXPECT_EQ(ask("/debug/controllers/other").status, 404);
  routes_.remove_debug_page("gc");
  EXPECT_EQ(ask("/debug/controllers/gc").status, 404);
}

TEST_F(ObservabilityRoutesTest, HostReadsADebugPageInTheOrderOfItsClients) {
  test::Collector<std::string> begun;
  test::Door door;
  routes_.add_debug_page("gc", [&](std::string_view path, std::string_view) {
    begun.push(std::string(path));
    if (path == "slow") door.pass();
    return Result<DebugResponse>({.body = "<" + std::string(path) + ">"});
  });
  EXPECT_EQ(*routes_.debug_page("gc", "waits/a", Time::max()), "<waits/a>");
  EXPECT_EQ(routes_.debug_page("other", "waits/a", Time::max()).error().code(), Code::kNotFound);
  HttpServerRequest slow;
  slow.method = "GET";
  slow.target = "/debug/controllers/gc/slow";
  const HttpServerResponse deferred = routes_.respond(slow);
  begun.await(2);

  EXPECT_EQ(routes_.debug_page("gc", "waits/b", clock_.now()).error().code(), Code::kUnavailable);

  door.open();
  EXPECT_EQ(*routes_.debug_page("gc", "waits/c", Time::max()), "<waits/c>");
}

TEST_F(ObservabilityRoutesTest, FailureOfADebugPageHasAStatus) {
  routes_.add_debug_page("a", [](std::string_view path, std::string_view) -> Result<DebugResponse> {
    return path == "gone"   ? Status(Code::kNotFound, "no such page")
           : path == "busy" ? Status(Code::kThrottled, "later")
                            : Status(Code::kInternal, "it broke");
  });

  EXPECT_EQ(ask("/debug/controllers/a/gone").status, 404);
  EXPECT_EQ(ask("/debug/controllers/a/busy").status, 503);
  EXPECT_EQ(ask("/debug/controllers/a/x").status, 500);
  EXPECT_EQ(ask("/debug/controllers/a/x").body, "it broke\n");
}

Route page_of(std::string body) {
  return [body = std::move(body)](const HttpServerRequest&) {
    HttpServerResponse response;
    response.body = body;
    return response;
  };
}

TEST_F(ObservabilityRoutesTest, TheLongestRouteServesAPath) {
  routes_.add_route("/", page_of("root"));
  routes_.add_route("/debug/", page_of("below debug"));
  routes_.add_route("/debug/why/", page_of("below why"));
  routes_.add_route("/debug/flags", page_of("flags"));

  EXPECT_EQ(ask("/").body, "root");
  EXPECT_EQ(ask("/x").status, 404) << "the root is not a prefix";
  EXPECT_EQ(ask("/debug").status, 404);
  EXPECT_EQ(ask("/debug/x").body, "below debug");
  EXPECT_EQ(ask("/debug/why/pods/a?b=/c").body, "below why");
  EXPECT_EQ(ask("/debug/flags?x").body, "flags");
  EXPECT_EQ(ask("/debug/flags/v").body, "below debug");
  EXPECT_EQ(ask("/healthz/x").status, 404) << "health is not a route";
}

TEST_F(ObservabilityRoutesTest, ARouteIsForReadingUnlessItSaysOtherwise) {
  routes_.add_route("/a", page_of("a"));
  routes_.add_route("/b", page_of("b"), RouteMethods::kAny);

  EXPECT_EQ(ask("/a", "PUT").status, 405);
  EXPECT_EQ(ask("/b", "PUT").body, "b");
}

}  // namespace
}  // namespace davit::host
