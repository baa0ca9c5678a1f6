#include "host/health/observability_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_clock.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ObservabilityServerTest, ProbesAndScrapesAreAnswered) {
  test::FakeClock clock;
  test::RecordingLogSink sink;
  HealthChecks checks{Log(sink)};
  checks.add("leaderElection", {true, false, false}, [] { return Status(); });
  const auto metrics = Metrics::make({.git_version = "v1.30.1"}, clock);
  ObservabilityRoutes routes(checks, *metrics);
  const auto server = routes.serve({}, Log(sink));
  ASSERT_TRUE(server) << server.error().message();

  const std::string health = test::http_get((*server)->port(), "/healthz?verbose");
  const std::string scrape = test::http_get((*server)->port(), "/metrics");

  EXPECT_THAT(health, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(health, EndsWith("\r\n\r\n[+]leaderElection ok\nhealthz check passed\n"));
  EXPECT_THAT(scrape, HasSubstr("\nprocess_start_time_seconds "));
}

TEST(ObservabilityServerTest, ProbesAreAnsweredWhereNoOtherPageIs) {
  test::FakeClock clock;
  test::RecordingLogSink sink;
  HealthChecks checks{Log(sink)};
  const auto metrics = Metrics::make({.git_version = "v1.30.1"}, clock);
  ObservabilityRoutes routes(checks, *metrics);
  HttpServerOptions options;
  options.others_max = 0;
  const auto server = routes.serve(options, Log(sink));
  ASSERT_TRUE(server) << server.error().message();

  for (const char* probe : {"/healthz", "/livez?verbose", "/readyz"}) {
    EXPECT_THAT(test::http_get((*server)->port(), probe), StartsWith("HTTP/1.1 200 ")) << probe;
  }
  for (const char* page : {"/metrics", "/debug/controllers/a/", "/"}) {
    EXPECT_THAT(test::http_get((*server)->port(), page), StartsWith("HTTP/1.1 503 ")) << page;
  }
}

}  // namespace
}  // namespace davit::host
