#include "host/health/observability_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "tests/support/collector.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr Duration kPluginTime = std::chrono::hours(1);  // Tests decide when a plugin responds.

TEST(ObservabilityServerTest, ProbesAndScrapesAreServed) {
  test::FakeClock clock;
  test::RecordingLogSink sink;
  HealthChecks checks{Logger(sink)};
  checks.add("leaderElection", {true, false, false}, [] { return Status(); });
  const auto metrics = Metrics::make({.git_version = "v1.30.1"}, clock);
  ProbeThreads probe_threads(clock, kPluginTime);
  ObservabilityRoutes routes(checks, *metrics, probe_threads);
  const auto server = routes.serve({}, Logger(sink));
  ASSERT_TRUE(server) << server.error().message();

  const std::string health = test::http_get((*server)->port(), "/healthz?verbose");
  const std::string scrape = test::http_get((*server)->port(), "/metrics");

  EXPECT_THAT(health, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(health, EndsWith("\r\n\r\n[+]leaderElection ok\nhealthz check passed\n"));
  EXPECT_THAT(scrape, HasSubstr("\nprocess_start_time_seconds "));
}

TEST(ObservabilityServerTest, NoPageRunsInABrowserOrIsTakenForAnotherType) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  test::RecordingLogSink sink;
  HealthChecks checks{Logger(sink)};
  const auto metrics = Metrics::make({.git_version = "v1.30.1"}, *clock);
  ProbeThreads probe_threads(*clock, kPluginTime);
  ObservabilityRoutes routes(checks, *metrics, probe_threads);
  routes.add_debug_page("a", [](std::string_view, std::string_view) {
    return Result<DebugResponse>({"<script>steal()</script>", 200, "text/html"});
  });
  routes.add_route("/own", [](const HttpServerRequest&) {
    HttpServerResponse response;
    response.headers = {{"content-security-policy", "default-src 'self'"}};
    return response;
  });
  const auto server = routes.serve({}, Logger(sink));
  ASSERT_TRUE(server) << server.error().message();

  for (const char* page : {"/healthz", "/metrics", "/debug/controllers/a/", "/nowhere"}) {
    const std::string head = test::http_get((*server)->port(), page);
    EXPECT_THAT(head, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n")) << page;
    EXPECT_THAT(head, HasSubstr("\r\nContent-Security-Policy: default-src 'none';")) << page;
  }
  const std::string own = test::http_get((*server)->port(), "/own");
  EXPECT_THAT(own, HasSubstr("\r\ncontent-security-policy: default-src 'self'\r\n"));
  EXPECT_THAT(own, Not(HasSubstr("Content-Security-Policy:")));
  EXPECT_THAT(own, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"));
}

TEST(ObservabilityServerTest, ProbesAreServedWhereNoOtherPageIs) {
  test::FakeClock clock;
  test::RecordingLogSink sink;
  HealthChecks checks{Logger(sink)};
  const auto metrics = Metrics::make({.git_version = "v1.30.1"}, clock);
  ProbeThreads probe_threads(clock, kPluginTime);
  ObservabilityRoutes routes(checks, *metrics, probe_threads);
  HttpServerOptions options;
  options.others_max = 0;
  const auto server = routes.serve(options, Logger(sink));
  ASSERT_TRUE(server) << server.error().message();

  for (const char* probe : {"/healthz", "/livez?verbose", "/readyz"}) {
    EXPECT_THAT(test::http_get((*server)->port(), probe), StartsWith("HTTP/1.1 200 ")) << probe;
  }
  for (const char* page : {"/metrics", "/debug/controllers/a/", "/"}) {
    EXPECT_THAT(test::http_get((*server)->port(), page), StartsWith("HTTP/1.1 503 ")) << page;
  }
}

TEST(ObservabilityServerTest, ProbesAreServedWhileManyWaitForAPlugin) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  test::RecordingLogSink sink;
  test::Door door;
  test::Collector<std::string> begun;
  ProbeThreads probe_threads(*clock, kPluginTime);
  HealthChecks checks{Logger(sink)};
  checks.add_threaded("slow", {true, false, true}, probe_threads.make(), [&] {
    begun.push("health");
    door.pass();
    return Status();
  });
  const auto metrics = Metrics::make({.git_version = "v1.30.1"}, *clock);
  ObservabilityRoutes routes(checks, *metrics, probe_threads);
  routes.add_debug_page("slow", [&](std::string_view, std::string_view) {
    begun.push("page");
    door.pass();
    return Result<DebugResponse>({.body = "a page"});
  });
  const auto server = routes.serve({}, Logger(sink));
  ASSERT_TRUE(server) << server.error().message();
  std::deque<test::HttpClient> clients;
  for (int i = 0; i < 20; ++i) {
    for (const char* target : {"/debug/controllers/slow/", "/readyz"}) {
      clients.emplace_back((*server)->port())
          .send("GET " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    }
  }
  begun.await(2);

  EXPECT_THAT(test::http_get((*server)->port(), "/livez"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(test::http_get((*server)->port(), "/metrics"), StartsWith("HTTP/1.1 200 "));

  door.open();
  std::size_t pages = 0;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const std::string response = clients[i].read_response();
    if (i % 2 == 1) {
      EXPECT_THAT(response, EndsWith("\r\n\r\nok")) << "those who wait share the check";
    } else if (response.ends_with("\r\n\r\na page")) {
      ++pages;
    } else {
      EXPECT_THAT(response, StartsWith("HTTP/1.1 503 ")) << "too many waited already";
    }
  }
  EXPECT_GE(pages, ProbeThread::kWaitingMax);
}

}  // namespace
}  // namespace davit::host
