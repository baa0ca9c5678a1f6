#include "host/health/health_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/collector.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;

constexpr HealthEndpoints kAll{true, true, true};
constexpr HealthEndpoints kReadyOnly{false, false, true};

Status fine() { return {}; }
Status broken() { return {Code::kUnavailable, "db down"}; }

class HealthChecksTest : public testing::Test {
 protected:
  HttpServerResponse get(std::string target) const {
    HttpServerRequest request;
    request.method = "GET";
    request.target = std::move(target);
    return checks_.respond(request);
  }

  test::RecordingLogSink sink_{2};
  HealthChecks checks_{Logger(sink_)};
};

TEST_F(HealthChecksTest, HostWithoutChecksIsHealthy) {
  EXPECT_EQ(get("/healthz").body, "ok");
  EXPECT_EQ(get("/healthz?verbose").body, "[+]ping ok\nhealthz check passed\n");
}

TEST_F(HealthChecksTest, ProbeGetsTwoLettersAndHeadersThatForbidCaching) {  // HO-070
  checks_.add("leaderElection", kAll, fine);

  const HttpServerResponse response = get("/healthz");

  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "ok");
  EXPECT_EQ(response.content_type, "text/plain; charset=utf-8");
  EXPECT_THAT(response.headers, ElementsAre(std::pair("X-Content-Type-Options", "nosniff"),
                                            std::pair("Cache-Control", "no-cache, private")));
}

TEST_F(HealthChecksTest, VerboseListsChecksInTheirOrder) {  // HO-071
  checks_.add("leaderElection", kAll, fine);
  checks_.add("deployment-controller", kAll, fine);

  EXPECT_EQ(get("/healthz?verbose").body,
            "[+]leaderElection ok\n[+]deployment-controller ok\nhealthz check passed\n");
}

TEST_F(HealthChecksTest, ReasonsStayInTheLog) {  // HO-072
  checks_.add("good", kAll, fine);
  checks_.add("x", kAll, broken);

  const HttpServerResponse response = get("/healthz");

  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body, "[+]good ok\n[-]x failed: reason withheld\nhealthz check failed\n");
  EXPECT_EQ(sink_.count("I0 : Health check failed check=x endpoint=healthz reason=db down"), 1U);
  (void)get("/healthz");
  EXPECT_EQ(sink_.count("I2 : Health check failed check=x endpoint=healthz reason=db down"), 1U);
}

TEST_F(HealthChecksTest, NoPathThatEverybodyMayReadSaysWhatIsMissing) {
  checks_.add("x", kAll, broken);

  for (const std::string endpoint : {"readyz", "livez", "healthz"}) {
    for (const std::string more : {"", "?verbose", "/x?verbose"}) {
      EXPECT_EQ(get("/" + endpoint + more).body,
                "[-]x failed: reason withheld\n" + endpoint + " check failed\n");
    }
  }
}

TEST_F(HealthChecksTest, ACheckThatBeginsToFailIsLoggedForEverybody) {
  Status result = broken();
  checks_.add("x", kAll, [&result] { return result; });
  const auto logged = [this] { return sink_.count("I0 : Health check failed check=x"); };
  (void)get("/readyz");
  (void)get("/livez");
  EXPECT_EQ(logged(), 1U) << "other times are in V2";

  result = {};
  (void)get("/readyz");
  result = broken();
  (void)get("/readyz");
  EXPECT_EQ(logged(), 2U);

  checks_.remove("x");
  checks_.add("x", kAll, broken);
  (void)get("/readyz");
  EXPECT_EQ(logged(), 3U);
}

TEST_F(HealthChecksTest, NotesFailNothingAndAreForWhoLooksForThem) {
  checks_.add("x", kAll, fine);
  checks_.note("quarantine", {"a is quarantined", "b is quarantined"});

  EXPECT_EQ(get("/readyz?verbose").body,
            "[+]x ok\n[!]quarantine details withheld\nreadyz check passed\n");
  EXPECT_EQ(get("/readyz").body, "ok");
  EXPECT_EQ(get("/healthz?verbose").body, "[+]x ok\nhealthz check passed\n");
  checks_.note("quarantine", {});
  EXPECT_EQ(get("/readyz?verbose").body, "[+]x ok\nreadyz check passed\n");
}

TEST_F(HealthChecksTest, ExcludedCheckIsNotAsked) {  // HO-073
  checks_.add("x", kAll, broken);

  EXPECT_EQ(get("/healthz?exclude=x").body, "ok");
  EXPECT_EQ(get("/healthz?exclude=x&exclude=nope&verbose").body,
            "[+]x excluded: ok\n"
            "warn: some health checks cannot be excluded: no matches for \"nope\"\n"
            "healthz check passed\n");
}

TEST_F(HealthChecksTest, EndpointsHaveTheirOwnChecks) {
  checks_.add("caches", kReadyOnly, broken);

  EXPECT_EQ(get("/healthz").status, 200);
  EXPECT_EQ(get("/livez").status, 200);
  EXPECT_EQ(get("/readyz").status, 500);
}

TEST_F(HealthChecksTest, CheckHasAPathOfItsOwn) {
  checks_.add("good", kAll, fine);
  checks_.add("x", kAll, broken);

  EXPECT_EQ(get("/readyz/good").body, "ok");
  EXPECT_EQ(get("/readyz/x").status, 500);
  EXPECT_EQ(get("/readyz/nope").status, 404);
  EXPECT_EQ(get("/readyz/").status, 404);
  EXPECT_EQ(get("/healthzz").status, 404);
}

TEST_F(HealthChecksTest, StandbyIsReadyAndReportsIt) {
  bool standby = true;
  checks_.add("caches", kAll, fine);
  checks_.set_standby([&standby] { return standby; });

  EXPECT_EQ(get("/readyz").body, "ok (standby)");
  EXPECT_EQ(get("/readyz?verbose").body, "[+]caches ok\nstandby\nreadyz check passed\n");
  EXPECT_EQ(get("/healthz").body, "ok");
  standby = false;
  EXPECT_EQ(get("/readyz").body, "ok");
}

TEST_F(HealthChecksTest, CheckCanBeReplacedAndRemoved) {
  checks_.add("a", kAll, broken);
  checks_.add("b", kAll, fine);
  checks_.add("a", kAll, fine);
  EXPECT_EQ(get("/healthz?verbose").body, "[+]a ok\n[+]b ok\nhealthz check passed\n");

  checks_.remove("a");

  EXPECT_EQ(get("/healthz?verbose").body, "[+]b ok\nhealthz check passed\n");
}

TEST_F(HealthChecksTest, ObserverIsNotifiedOfEveryCheckThatRan) {
  std::vector<std::string> seen;
  checks_.add("a", kAll, fine);
  checks_.add("b", kAll, broken);
  checks_.add("c", kAll, fine);
  checks_.set_observer([&](std::string_view name, std::string_view endpoint, const Status& result) {
    seen.push_back(std::string(name) + " " + std::string(endpoint) + " " + result.message());
  });

  (void)get("/livez?exclude=c");

  EXPECT_THAT(seen, ElementsAre("a livez ", "b livez db down"));
}

/// A check of a plugin, which takes its time.
class SlowCheckTest : public HealthChecksTest {
 protected:
  SlowCheckTest() {
    checks_.add("first", kAll, fine);
    checks_.add_threaded("slow", kReadyOnly, probe_threads_.make(), [this] {
      made_.push(1);
      door_.pass();
      return broken();
    });
    checks_.add("last", kAll, fine);
  }
  ~SlowCheckTest() override {
    door_.open();
    checks_.remove("slow");  // Its thread uses what goes before the checks.
  }

  test::FakeClock clock_;
  test::Door door_;
  test::Collector<int> made_;
  ProbeThreads probe_threads_{clock_, std::chrono::seconds(1)};
};

TEST_F(SlowCheckTest, ResponseWaitsForItAndKeepsTheOrder) {
  const HttpServerResponse response = get("/readyz?verbose");
  ASSERT_TRUE(response.deferred);
  EXPECT_FALSE(response.deferred->take());
  EXPECT_EQ(get("/livez").body, "ok") << "its checks need no plugin";
  EXPECT_EQ(get("/readyz/last").body, "ok");
  EXPECT_EQ(get("/readyz?exclude=slow").body, "ok");

  door_.open();
  EXPECT_TRUE(probe_threads_.wait_idle(Time::max()));

  const std::optional<HttpServerResponse> known = response.deferred->take();
  ASSERT_TRUE(known);
  EXPECT_EQ(known->status, 500);
  EXPECT_EQ(known->body,
            "[+]first ok\n[-]slow failed: reason withheld\n[+]last ok\nreadyz check failed\n");
  EXPECT_EQ(sink_.count("check=slow endpoint=readyz reason=db down"), 1U);
}

TEST_F(SlowCheckTest, RequestsThatWaitForItShareIt) {
  std::vector<HttpServerResponse> responses;
  responses.push_back(get("/readyz"));
  made_.await(1);
  for (int i = 0; i < 60; ++i) responses.push_back(get("/readyz"));

  door_.open();
  EXPECT_TRUE(probe_threads_.wait_idle(Time::max()));

  for (const HttpServerResponse& each : responses) {
    const std::optional<HttpServerResponse> known = each.deferred->take();
    ASSERT_TRUE(known);
    EXPECT_EQ(known->status, 500);
  }
  EXPECT_EQ(made_.entries().size(), 2U);
}

TEST_F(SlowCheckTest, OneThatHangsFailsAfterItsTime) {
  const HttpServerResponse response = get("/readyz?verbose");
  made_.await(1);
  clock_.advance(std::chrono::seconds(3));

  const std::optional<HttpServerResponse> known = response.deferred->take();

  ASSERT_TRUE(known);
  EXPECT_THAT(known->body, testing::HasSubstr("[-]slow failed: "));
  EXPECT_EQ(sink_.count("check=slow endpoint=readyz reason=the plugin has not responded for 3 s"),
            1U);
}

}  // namespace
}  // namespace davit::host
