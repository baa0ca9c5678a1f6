#include "host/process/pages/host_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Pair;

class HostPagesTest : public testing::Test {
 protected:
  void mount() {
    add_host_pages(routes_, {[this] { return settings_; }, clock_, Logger(sink_), verbosity_});
  }
  HttpServerResponse ask(std::string target, std::string method = "GET", std::string body = "") {
    HttpServerRequest request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    return routes_.respond(request);
  }
  HttpServerResponse put(std::string body) { return ask("/debug/flags/v", "PUT", std::move(body)); }

  test::FakeClock clock_;
  test::RecordingLogSink sink_;
  HealthChecks checks_{Logger(sink_)};
  std::unique_ptr<Metrics> metrics_ = Metrics::make({.git_version = "v1.36.2"}, clock_);
  ProbeThreads probe_threads_{clock_, std::chrono::seconds(1)};
  ObservabilityRoutes routes_{checks_, *metrics_, probe_threads_};
  SettingsInForce settings_;
  LogVerbosity level_{0};
  LogVerbosity* verbosity_ = &level_;
};

TEST_F(HostPagesTest, ConfigzShowsThePresentSettings) {
  mount();
  settings_.controllers["job-controller"].workers = 3;

  const HttpServerResponse page = ask("/configz");

  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "application/json");
  EXPECT_THAT(page.body, HasSubstr(R"("JobController":{"ConcurrentJobSyncs":3})"));
}

TEST_F(HostPagesTest, FlagzHasUpstreamsFlagsAndDavits) {
  mount();
  const std::string page = ask("/flagz").body;
  EXPECT_THAT(page, HasSubstr("\nconcurrent-job-syncs: 5\n"));
  EXPECT_THAT(page, HasSubstr("\ndry-run: false\n"));
}

TEST_F(HostPagesTest, StatuszCountsFromTheStartAndNamesThePaths) {
  mount();
  clock_.advance(std::chrono::seconds(61));

  const std::string page = ask("/statusz").body;

  EXPECT_THAT(page, HasSubstr("\nUp: 0 hr 01 min 01 sec\n"));
  EXPECT_THAT(page, HasSubstr("\nPaths: /configz /debug /flagz /healthz /livez /metrics /readyz "
                              "/statusz\n"));
}

TEST_F(HostPagesTest, ProfilesAreServedOnlyIfAskedFor) {
  mount();
  EXPECT_EQ(ask("/debug/pprof/profile").status, 404);
  EXPECT_EQ(ask("/debug/pprof/").status, 404);

  settings_.manifest.serving.profiling = true;
  mount();
  EXPECT_EQ(ask("/debug/pprof/").status, 200);
}

TEST_F(HostPagesTest, NoCacheKeepsAPageAndNoBrowserGuessesItsType) {
  settings_.manifest.serving.profiling = true;
  mount();
  for (const char* path : {"/configz", "/flagz", "/statusz", "/debug/flags", "/debug/flags/v",
                           "/debug/pprof", "/debug/pprof/", "/debug/pprof/profile?seconds=301"}) {
    EXPECT_THAT(ask(path).headers, IsSupersetOf({Pair("Cache-Control", "no-cache, private"),
                                                 Pair("X-Content-Type-Options", "nosniff")}))
        << path;
  }
  const HttpServerResponse profile = ask("/debug/pprof/profile?seconds=1");
  clock_.advance(std::chrono::seconds(1));
  EXPECT_THAT(profile.deferred->take()->headers,
              Contains(Pair("Cache-Control", "no-cache, private")));
}

TEST_F(HostPagesTest, AGateSwitchesItsPageOff) {
  settings_.manifest.feature_gates = {{"ComponentFlagz", false}};
  mount();
  EXPECT_EQ(ask("/flagz").status, 404);
  EXPECT_EQ(ask("/statusz").status, 200);
}

TEST_F(HostPagesTest, AllBetaSwitchesBothOff) {
  settings_.manifest.feature_gates = {{"AllBeta", false}};
  mount();
  EXPECT_EQ(ask("/flagz").status, 404);
  EXPECT_EQ(ask("/statusz").status, 404);
  EXPECT_EQ(ask("/configz").status, 200);
}

// Texts and codes are those of kube-controller-manager v1.36.2.
TEST_F(HostPagesTest, PutChangesTheVerbosity) {
  mount();
  const HttpServerResponse done = put("5");

  EXPECT_EQ(done.status, 200);
  EXPECT_EQ(done.body, "successfully set klog.logging.verbosity to 5\n");
  EXPECT_EQ(done.content_type, "text/plain");
  EXPECT_EQ(level_.get(), 5);
  EXPECT_EQ(sink_.count("The log's verbosity was changed v=5"), 1U);
}

TEST_F(HostPagesTest, WhatIsNotANumberLeavesTheVerbosity) {
  mount();
  for (const auto& [body, why] :
       {std::pair("abc", R"(strconv.ParseUint: parsing "abc": invalid syntax)"),
        {"", R"(strconv.ParseUint: parsing "": invalid syntax)"},
        {"-1", R"(strconv.ParseUint: parsing "-1": invalid syntax)"},
        {"+1", R"(strconv.ParseUint: parsing "+1": invalid syntax)"},
        {"3\n", R"(strconv.ParseUint: parsing "3\n": invalid syntax)"},
        {"5x", R"(strconv.ParseUint: parsing "5x": invalid syntax)"},
        {"2147483648", R"(strconv.ParseUint: parsing "2147483648": value out of range)"},
        {"99999999999", R"(strconv.ParseUint: parsing "99999999999": value out of range)"}}) {
    const HttpServerResponse refused = put(body);
    EXPECT_EQ(refused.status, 400) << body;
    EXPECT_EQ(refused.body, std::string(why) + "\n") << body;
  }
  EXPECT_EQ(level_.get(), 0);
}

TEST_F(HostPagesTest, FlagsThatCanChangeAreListedForEveryPathThatIsNotOneOfThem) {
  mount();
  for (const char* path : {"/debug/flags", "/debug/flags/", "/debug/flags/vmodule"}) {
    for (const char* method : {"GET", "PUT"}) {
      const HttpServerResponse list = ask(path, method, "3");
      EXPECT_EQ(list.status, 200) << path << ' ' << method;
      EXPECT_EQ(list.content_type, "text/html; charset=utf-8");
      EXPECT_THAT(list.body, HasSubstr("href=\"/debug/flags/v\""));
    }
  }
  EXPECT_EQ(level_.get(), 0);
}

TEST_F(HostPagesTest, OtherMethodsThanPutAreNotAcceptable) {
  mount();
  for (const char* method : {"GET", "POST", "DELETE"}) {
    const HttpServerResponse refused = ask("/debug/flags/v", method, "3");
    EXPECT_EQ(refused.status, 406) << method;
    EXPECT_EQ(refused.body, "unsupported http method\n") << method;
  }
}

TEST_F(HostPagesTest, ALogOfFixedVerbositySaysSo) {
  verbosity_ = nullptr;
  mount();
  EXPECT_EQ(put("3").status, 500);
}

TEST_F(HostPagesTest, ABodyThatIsNotReadIsTooLarge) {
  mount();
  HttpServerRequest request;
  request.method = "PUT";
  request.target = "/debug/flags/v";
  request.body_too_large = true;
  EXPECT_EQ(routes_.respond(request).status, 413);
}

TEST_F(HostPagesTest, EveryGateIsAMetric) {
  report_feature_gates({{"AllAlpha", true}, {"ComponentFlagz", false}}, *metrics_);
  const std::string text = metrics_->text();

  const auto series = [](std::string_view name, std::string_view stage, int value) {
    return "\nkubernetes_feature_enabled{name=\"" + std::string(name) + "\",stage=\"" +
           std::string(stage) + "\"} " + std::to_string(value) + "\n";
  };
  EXPECT_THAT(text, HasSubstr(series("APIServingWithRoutine", "ALPHA", 1)));
  EXPECT_THAT(text, HasSubstr(series("APIResponseCompression", "BETA", 1)));
  EXPECT_THAT(text, HasSubstr(series("ComponentFlagz", "BETA", 0)));
  EXPECT_THAT(text, HasSubstr(series("APIServerTracing", "", 1)));
  EXPECT_THAT(text, HasSubstr(series("AllowDNSOnlyNodeCSR", "DEPRECATED", 0)));
  std::size_t count = 0;
  for (std::size_t at = 0;
       (at = text.find("\nkubernetes_feature_enabled{", at)) != std::string::npos; ++at) {
    ++count;
  }
  EXPECT_EQ(count, 242U);
}

}  // namespace
}  // namespace davit::host
