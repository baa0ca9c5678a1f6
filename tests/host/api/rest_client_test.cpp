#include "host/api/rest_client.hpp"

#include "tests/host/api/rest_fixture.hpp"
#include "tests/support/fitting_body.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RestClientTest : public RestTest {};

TEST(UserAgentTest, HasTheFormOfClientGosPrograms) {
  EXPECT_THAT(user_agent("job-controller"),
              testing::MatchesRegex(
                  R"(davit/[0-9.]+ \(linux/[a-z0-9]+\) kubernetes/[^/ ]{1,7}/job-controller)"));
}

TEST_F(RestClientTest, ThrottledReadIsRepeatedWhenTheServerSaysRT001) {
  RestClient rest = client();
  for (int i = 0; i < 3; ++i) transport_.respond(response_of(429, "", "1"));
  transport_.respond(response_of(200));

  const ApiResponse response =
      with_steps({seconds(1), seconds(1), seconds(1)}, [&] { return rest.call(get_pod()); });

  EXPECT_TRUE(response.status.ok()) << response.status.message();
  EXPECT_EQ(transport_.requests().size(), 4u);
  EXPECT_EQ(metrics_.of("requests 429 GET fake:6443"), 3);
  EXPECT_EQ(metrics_.of("requests 200 GET fake:6443"), 1);
  EXPECT_EQ(metrics_.of("retries 429 GET fake:6443"), 3);
  EXPECT_EQ(metrics_.of("duration GET fake:6443"), 1);
}

TEST_F(RestClientTest, FailingServerIsLeftAloneForLongerAndLongerWhereTheEnvironmentAsksForIt) {
  options_.failure_backoff = FailureBackoffLimits{seconds(2), seconds(5)};
  RestClient rest = client();
  transport_.set_script([](const HttpRequest&) { return response_of(500, ""); });
  (void)rest.call(get_pod());
  (void)with_steps({seconds(2)}, [&] { return rest.call(get_pod()); });
  (void)with_steps({seconds(4)}, [&] { return rest.call(get_pod()); });
  transport_.set_script([](const HttpRequest&) { return response_of(200); });
  (void)with_steps({seconds(5)}, [&] { return rest.call(get_pod()); });
  EXPECT_TRUE(rest.call(get_pod()).status.ok()) << "any other response ends it";
  EXPECT_EQ(transport_.requests().size(), 5u);
}

TEST_F(RestClientTest, FailuresOfLongAgoDelayNothing) {
  options_.failure_backoff = FailureBackoffLimits{seconds(2), seconds(5)};
  RestClient rest = client();
  transport_.respond(response_of(429, ""));
  transport_.respond(response_of(200));
  (void)rest.call(get_pod());
  clock_.advance(seconds(11));
  EXPECT_TRUE(rest.call(get_pod()).status.ok());
}

TEST_F(RestClientTest, RequestsAreLoggedAsCurlLines) {
  RestClient rest = client();
  transport_.respond(response_of(200));
  (void)rest.call(get_pod());
  EXPECT_EQ(sink_.count("curl -v -XGET"), 1U);
}

TEST_F(RestClientTest, TenRetriesAreTheLimitRT002) {
  RestClient rest = client();
  transport_.set_script([](const HttpRequest&) { return response_of(429, "", "0"); });

  const ApiResponse response = rest.call(get_pod());

  EXPECT_EQ(transport_.requests().size(), 11u);
  EXPECT_EQ(response.status.code(), Code::kThrottled);
}

TEST_F(RestClientTest, RefusedWriteIsRepeatedWithTheSameBodyRT003) {
  RestClient rest = client();
  transport_.respond(response_of(429, "", "1"));
  transport_.respond(response_of(201));

  const ApiResponse response =
      with_steps({seconds(1)}, [&] { return rest.call(write_pod(Verb::kCreate)); });

  EXPECT_TRUE(response.status.ok());
  ASSERT_EQ(transport_.requests().size(), 2u);
  EXPECT_EQ(transport_.requests()[0].body, transport_.requests()[1].body);
  EXPECT_EQ(transport_.requests()[1].method, "POST");
}

TEST_F(RestClientTest, WriteThatMayHaveBeenCarriedOutIsNotRepeatedIfASecondOneDoesMore) {
  RestClient rest = client();
  transport_.set_script([](const HttpRequest&) { return response_of(503, "", "0"); });
  ApiRequest json_patch = write_pod(Verb::kPatch);
  json_patch.patch_type = PatchType::kJson;
  for (const ApiRequest& each : {write_pod(Verb::kCreate), json_patch, write_pod(Verb::kDelete)}) {
    const std::size_t before = transport_.requests().size();
    EXPECT_EQ(rest.call(each).status.code(), Code::kUnavailable);
    EXPECT_EQ(transport_.requests().size(), before + 1) << transport_.requests().back().method;
  }
}

TEST_F(RestClientTest, WriteThatIsRepeatedSaysThatAnEarlierAttemptIsUnclear) {
  RestClient rest = client();
  ApiRequest deletion = write_pod(Verb::kDelete);
  deletion.delete_options.uid = "u1";
  for (const ApiRequest& each : {write_pod(Verb::kUpdate), deletion}) {
    transport_.respond(response_of(503, "", "0"));
    transport_.respond(response_of(409, ""));

    const ApiResponse response = rest.call(each);

    EXPECT_EQ(response.http_status, 409);
    EXPECT_TRUE(response.has_unclear_attempt);
  }
  transport_.respond(response_of(429, "", "0"));
  transport_.respond(response_of(409, ""));
  EXPECT_FALSE(rest.call(deletion).has_unclear_attempt) << "429 says that nothing was done";
}

TEST_F(RestClientTest, ServerErrorWithoutRetryAfterStandsRT004) {
  RestClient rest = client();
  transport_.respond(response_of(500, ""));
  const ApiResponse response = rest.call(get_pod());
  EXPECT_EQ(transport_.requests().size(), 1u);
  ASSERT_NE(response.status.detail(), nullptr);
  EXPECT_EQ(response.status.detail()->reason, "InternalError");
}

TEST_F(RestClientTest, RetryAfterAsADateIsNotUnderstoodRT005) {
  RestClient rest = client();
  transport_.respond(response_of(503, "", "Wed, 21 Oct 2026 07:28:00 GMT"));
  EXPECT_EQ(rest.call(get_pod()).status.code(), Code::kUnavailable);
  EXPECT_EQ(transport_.requests().size(), 1u);
}

TEST_F(RestClientTest, ReadOnALostConnectionIsRepeatedAfterASecondRT006) {
  RestClient rest = client();
  transport_.respond(test::broken(Break::kReset));
  transport_.respond(response_of(200));
  const ApiResponse response = with_steps({seconds(1)}, [&] { return rest.call(get_pod()); });
  EXPECT_TRUE(response.status.ok());
  EXPECT_EQ(metrics_.of("requests <error> GET fake:6443"), 1);
}

TEST_F(RestClientTest, WriteOnALostConnectionIsNotRepeatedRT006) {
  RestClient rest = client();
  for (const Verb verb : {Verb::kCreate, Verb::kUpdate, Verb::kPatch, Verb::kDelete}) {
    transport_.respond(test::broken(Break::kReset));
    const ApiResponse response = rest.call(write_pod(verb));
    EXPECT_EQ(response.status.code(), Code::kUnavailable);
    EXPECT_EQ(response.broken, Break::kReset);
  }
  EXPECT_EQ(transport_.requests().size(), 4u);
}

TEST_F(RestClientTest, RefusedConnectionStandsEvenForReads) {
  RestClient rest = client();
  transport_.respond(test::broken(Break::kRefused, "connection refused"));
  const ApiResponse response = rest.call(get_pod());
  EXPECT_EQ(response.status.code(), Code::kUnavailable);
  EXPECT_NE(response.status.message().find("https://fake:6443"), std::string::npos);
}

TEST_F(RestClientTest, BurstGoesAtOnceAndTheRestAtTheRateRT008) {
  RestClient rest = client({5, 10});
  std::vector<Duration> arrivals;
  transport_.set_script([&](const HttpRequest&) {
    arrivals.push_back(clock_.now() - test::FakeClock::kStart);
    return response_of(200);
  });
  const std::vector<ApiRequest> requests(20, get_pod());

  const auto responses = with_steps(std::vector<Duration>(10, milliseconds(200)),
                                    [&] { return rest.batch(requests); });

  ASSERT_EQ(arrivals.size(), 20u);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(arrivals[i], Duration::zero());
  for (int i = 1; i <= 10; ++i) EXPECT_EQ(arrivals[9 + i], milliseconds(200) * i);
  for (const ApiResponse& each : responses) EXPECT_TRUE(each.status.ok());
}

TEST_F(RestClientTest, CallThatCannotBeSentBeforeItsDeadlineFailsAtOnceRT009) {
  RestClient rest = client({1, 3});
  transport_.set_script([](const HttpRequest&) { return response_of(200); });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(rest.call(get_pod()).status.ok());
  ApiRequest request = get_pod();
  request.deadline = clock_.now() + milliseconds(500);

  const ApiResponse response = rest.call(request);

  EXPECT_EQ(response.status.code(), Code::kCancelled);
  EXPECT_NE(response.status.message().find("client rate limiter Wait returned an error"),
            std::string::npos);
  EXPECT_EQ(transport_.requests().size(), 3u);
}

constexpr std::string_view kNotFoundStatus =
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404})";

// A proxy, or a server that does not serve the path now.
TEST_F(RestClientTest, NotFoundWithoutAStatusDoesNotMeanThatTheObjectIsAbsent) {
  RestClient rest = client();
  transport_.respond(response_of(404, "404 page not found\n"));
  const ApiResponse response = rest.call(get_pod());
  EXPECT_EQ(response.status.code(), Code::kUnavailable);
  EXPECT_EQ(response.http_status, 404);
  transport_.respond(response_of(404, std::string(kNotFoundStatus)));
  EXPECT_EQ(rest.call(get_pod()).status.code(), Code::kNotFound);
}

TEST_F(RestClientTest, FailureStatusInASuccessfulResponseIsNoAbsence) {
  RestClient rest = client();
  transport_.respond(response_of(200, std::string(kNotFoundStatus)));
  EXPECT_EQ(rest.call(get_pod()).status.code(), Code::kUnavailable);
}

TEST_F(RestClientTest, FailureNamesWhatWentWrongBefore) {
  RestClient rest = client();
  transport_.respond(test::broken(Break::kReset, "connection reset by peer"));
  transport_.respond(response_of(404, std::string(kNotFoundStatus)));
  const ApiResponse response = with_steps({seconds(1)}, [&] { return rest.call(get_pod()); });
  EXPECT_EQ(response.status.code(), Code::kNotFound);
  EXPECT_NE(response.status.message().find("error from a previous attempt"), std::string::npos);
  EXPECT_NE(response.status.message().find("connection reset by peer"), std::string::npos);
  ASSERT_NE(response.status.detail(), nullptr);
  EXPECT_EQ(response.status.detail()->http_status, 404);
}

TEST_F(RestClientTest, BadNameIsRefusedBeforeAnythingIsSentRT014) {
  RestClient rest = client({1, 1});
  EXPECT_EQ(rest.call(get_pod("a/b")).status.code(), Code::kMisuse);
  EXPECT_EQ(rest.call(get_pod("..")).status.code(), Code::kMisuse);
  EXPECT_TRUE(transport_.requests().empty());
}

TEST_F(RestClientTest, ServerWarningsAreNotLoggedRT015) {
  RestClient rest = client();
  test::ScriptedResponse warned = response_of(200);
  warned.headers.emplace_back("warning", "299 - \"x is deprecated\"");
  transport_.respond(warned);
  EXPECT_TRUE(rest.call(get_pod()).status.ok());
  EXPECT_EQ(sink_.count("deprecated"), 0u);
}

TEST_F(RestClientTest, SecretsAreNotLoggedAtAnyVerbosityRT016) {
  RestClient rest = client();
  transport_.set_script([](const HttpRequest& request) {
    return response_of(200, test::fitting_body(request, R"(,"data":"hush")"));
  });
  ApiRequest request = write_pod(Verb::kUpdate);
  EXPECT_TRUE(rest.call(request).status.ok());
  EXPECT_GT(sink_.count("hush"), 0u) << "bodies are logged at -v=8";
  const std::size_t before = sink_.count("hush");

  request.path.resource = "secrets";
  request.body = R"({"data":"quiet"})";
  EXPECT_TRUE(rest.call(request).status.ok());

  EXPECT_EQ(sink_.count("hush"), before);
  EXPECT_EQ(sink_.count("quiet"), 0u);
}

TEST_F(RestClientTest, ClosedWriteGateKeepsWritesOffTheWire) {
  options_.write_gate = [] { return Status(Code::kUnavailable, "not the leader"); };
  RestClient rest = client();
  transport_.set_script([](const HttpRequest&) { return response_of(200); });

  const ApiResponse response = rest.call(write_pod(Verb::kUpdate));

  EXPECT_EQ(response.status.code(), Code::kCancelled);
  EXPECT_EQ(response.status.message(), "not the leader");
  EXPECT_TRUE(transport_.requests().empty());
  EXPECT_TRUE(rest.call(get_pod()).status.ok()) << "reads do not ask";
}

TEST_F(RestClientTest, WriteGateIsAskedAgainBeforeARetry) {
  bool leader = true;
  options_.write_gate = [&leader] {
    return leader ? Status() : Status(Code::kUnavailable, "lost the lease");
  };
  RestClient rest = client();
  transport_.set_script([&leader](const HttpRequest&) {
    leader = false;
    return response_of(429, "", "0");
  });
  const ApiResponse response = rest.call(write_pod(Verb::kUpdate));
  EXPECT_EQ(response.status.code(), Code::kCancelled);
  EXPECT_EQ(transport_.requests().size(), 1u);
}

TEST_F(RestClientTest, DryRunOfTheClientReachesEveryWriteAndTheLog) {
  options_.dry_run = DryRun::kServer;
  RestClient rest = client();
  transport_.set_script([](const HttpRequest&) { return response_of(200); });
  EXPECT_TRUE(rest.call(write_pod(Verb::kUpdate)).status.ok());
  EXPECT_TRUE(rest.call(write_pod(Verb::kDelete)).status.ok());
  const auto requests = transport_.requests();
  EXPECT_NE(requests[0].target.find("dryRun=All"), std::string::npos);
  EXPECT_NE(requests[1].body.find(R"("dryRun":["All"])"), std::string::npos);
  EXPECT_EQ(sink_.count("Dry run"), 2u);
}

TEST_F(RestClientTest, WritesNameTheClientsFieldManagerUnlessTheyHaveTheirOwn) {
  options_.field_manager = "a manager";
  RestClient rest = client();
  transport_.set_script([](const HttpRequest&) { return response_of(200); });
  ApiRequest apply = write_pod(Verb::kPatch);
  apply.query = "force=true&fieldManager=mine";
  EXPECT_TRUE(rest.call(write_pod(Verb::kUpdate)).status.ok());
  EXPECT_TRUE(rest.call(apply).status.ok());
  EXPECT_TRUE(rest.call(write_pod(Verb::kDelete)).status.ok());
  EXPECT_TRUE(rest.call(get_pod()).status.ok());
  const auto requests = transport_.requests();
  EXPECT_NE(requests[0].target.find("fieldManager=a%20manager"), std::string::npos);
  EXPECT_NE(requests[1].target.find("force=true&fieldManager=mine"), std::string::npos);
  for (std::size_t i = 1; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i].target.find("manager"), std::string::npos) << requests[i].target;
  }
}

TEST_F(RestClientTest, ResponseThatNeverComesEndsTheCallInTime) {
  RestClient rest = client();
  transport_.respond(test::open_response(0));
  ApiRequest request = get_pod();
  request.timeout = seconds(5);

  const ApiResponse response = with_steps({seconds(5)}, [&] { return rest.call(request); });

  EXPECT_EQ(response.status.code(), Code::kUnavailable);
  EXPECT_NE(response.status.message().find("context deadline exceeded"), std::string::npos);
  EXPECT_TRUE(transport_.open_calls().empty());
}

TEST_F(RestClientTest, StopBeforeSendingMeansNothingWasSent) {
  RestClient rest = client({1, 1});
  transport_.set_script([](const HttpRequest&) { return response_of(200); });
  EXPECT_TRUE(rest.call(write_pod(Verb::kUpdate)).status.ok());
  std::stop_source stop;
  auto waiting = std::async(std::launch::async,
                            [&] { return rest.call(write_pod(Verb::kUpdate), stop.get_token()); });
  clock_.await_waiters(1);

  stop.request_stop();

  EXPECT_EQ(waiting.get().status.code(), Code::kCancelled);
  EXPECT_EQ(transport_.requests().size(), 1u);
}

TEST_F(RestClientTest, StopWhileAWriteIsUnderWayLeavesItsFateOpen) {
  RestClient rest = client();
  transport_.set_script([](const HttpRequest&) { return test::open_response(0); });
  std::stop_source stop;
  auto write = std::async(std::launch::async,
                          [&] { return rest.call(write_pod(Verb::kUpdate), stop.get_token()); });
  transport_.await_requests(1);
  stop.request_stop();
  EXPECT_EQ(write.get().status.code(), Code::kUnavailable);
  EXPECT_EQ(rest.call(get_pod(), stop.get_token()).status.code(), Code::kCancelled);
  EXPECT_TRUE(transport_.open_calls().empty());
}

TEST_F(RestClientTest, BatchKeepsTheOrderOfItsRequestsAndOneFailureIsAlone) {
  RestClient rest = client();
  transport_.set_script([](const HttpRequest& request) {
    const bool bad = request.target.find("p1") != std::string::npos;
    return bad ? response_of(404, std::string(kNotFoundStatus))
               : response_of(200, pod_at(request.target));
  });
  const ApiRequest requests[] = {get_pod("p0"), get_pod("p1"), get_pod(".."), get_pod("p3")};

  const std::vector<ApiResponse> responses = rest.batch(requests);

  EXPECT_NE(responses[0].body.find("p0"), std::string::npos);
  EXPECT_EQ(responses[1].status.code(), Code::kNotFound);
  EXPECT_EQ(responses[2].status.code(), Code::kMisuse);
  EXPECT_NE(responses[3].body.find("p3"), std::string::npos);
}

TEST_F(RestClientTest, BodyThatIsCutIsAnErrorAndNotRepeated) {
  RestClient rest = client();
  test::ScriptedResponse cut = response_of(200, "{\"a\":");
  cut.end = {Break::kReset, "transfer closed with outstanding read data remaining"};
  transport_.respond(cut);
  const ApiResponse response = rest.call(get_pod());
  EXPECT_EQ(response.status.code(), Code::kUnavailable);
  EXPECT_NE(response.status.message().find("stream error when reading response body"),
            std::string::npos);
  EXPECT_EQ(transport_.requests().size(), 1u);
}

TEST_F(RestClientTest, EmptyResponseWhereAnObjectBelongsIsAnError) {
  RestClient rest = client();
  transport_.respond(response_of(200, ""));
  const ApiResponse response = rest.call(get_pod());
  EXPECT_NE(response.status.message().find("0-length response with status code: 200"),
            std::string::npos);
}

TEST_F(RestClientTest, DeletionMayHaveAnEmptyResponse) {
  RestClient rest = client();
  for (const Verb verb : {Verb::kDelete, Verb::kDeleteCollection}) {
    transport_.respond(response_of(200, ""));
    ApiRequest deletion = write_pod(verb);
    if (verb == Verb::kDeleteCollection) deletion.path.name.clear();
    EXPECT_TRUE(rest.call(deletion).status.ok());
  }
  transport_.respond(response_of(200, ""));
  EXPECT_FALSE(rest.call(write_pod(Verb::kUpdate)).status.ok());
}

TEST_F(RestClientTest, LongLimiterWaitIsLoggedAndMeasured) {
  RestClient rest = client({1, 1});
  transport_.set_script([](const HttpRequest&) { return response_of(200); });
  const ApiRequest requests[] = {get_pod(), get_pod()};
  const auto responses = with_steps({seconds(1)}, [&] { return rest.batch(requests); });
  EXPECT_EQ(sink_.count("Waited before sending request"), 1u);
  EXPECT_EQ(metrics_.of("limiter GET fake:6443"), 2);
}

TEST_F(RestClientTest, ABatchTakesTokensOneByOneSoThatOthersDoNotWaitForItsEnd) {
  RestClient api = client({.qps = 1, .burst = 1});
  transport_.set_script(
      [](const HttpRequest& request) { return response_of(200, pod_at(request.target)); });
  const std::vector<ApiRequest> many(20, get_pod("batch"));
  auto batch = std::async(std::launch::async, [&] { return api.batch(many); });
  clock_.await_waiters(1);  // The first is sent, the second waits.
  auto single = std::async(std::launch::async, [&] { return api.call(get_pod("single")); });
  clock_.await_waiters(2);

  for (std::size_t sent = 1; sent < 21; ++sent) {
    clock_.advance(seconds(1));
    transport_.await_requests(sent + 1);
    if (sent < 20) clock_.await_waiters(sent < 2 ? 2 : 1);  // The single one has the third turn.
  }

  EXPECT_TRUE(single.get().status.ok());
  for (const ApiResponse& each : batch.get()) EXPECT_TRUE(each.status.ok());
  const std::vector<HttpRequest> requests = transport_.requests();
  ASSERT_EQ(requests.size(), 21U);
  EXPECT_EQ(requests[2].target, "/api/v1/namespaces/ns/pods/single") << "after two tokens";
}

TEST_F(RestClientTest, HighPriorityOvertakesWhatWaitsForTheLimiter) {
  RestClient api = client({.qps = 1, .burst = 1});
  transport_.set_script(
      [](const HttpRequest& request) { return response_of(200, pod_at(request.target)); });
  EXPECT_TRUE(api.call(get_pod("spent")).status.ok());
  const auto start = [&](std::string name, RequestPriority priority, std::size_t waiting) {
    ApiRequest request = get_pod(std::move(name));
    request.priority = priority;
    auto response = std::async(std::launch::async, [&api, request] { return api.call(request); });
    clock_.await_waiters(waiting);
    return response;
  };
  auto low = start("low", RequestPriority::kLow, 1);
  auto normal = start("normal", RequestPriority::kNormal, 2);
  auto high = start("high", RequestPriority::kHigh, 3);

  for (std::size_t sent = 2; sent <= 4; ++sent) {
    clock_.advance(seconds(1));
    transport_.await_requests(sent);
    if (sent < 4) clock_.await_waiters(4 - sent);
  }

  for (auto* each : {&low, &normal, &high}) EXPECT_TRUE(each->get().status.ok());
  std::vector<std::string> order;
  for (const HttpRequest& each : transport_.requests()) {
    order.push_back(each.target.substr(each.target.rfind('/') + 1));
  }
  EXPECT_EQ(order, (std::vector<std::string>{"spent", "high", "normal", "low"}));
}

TEST_F(RestClientTest, HoldingEndsWaitingRequestsAndKeepsThoseOnTheWire) {
  RestClient api = client({.qps = 1, .burst = 1});
  transport_.respond(test::open_response(201, std::string(kWebPod)));
  const std::vector<ApiRequest> two = {write_pod(Verb::kCreate), write_pod(Verb::kCreate)};
  auto results = std::async(std::launch::async, [&] { return api.batch(two); });
  transport_.await_requests(1);  // The second waits for the limiter.

  api.hold();
  transport_.finish(0);
  const std::vector<ApiResponse> responses = results.get();

  EXPECT_TRUE(responses[0].status.ok()) << responses[0].status.message();
  EXPECT_EQ(responses[1].status.code(), Code::kCancelled);
  EXPECT_EQ(api.call(write_pod(Verb::kCreate)).status.code(), Code::kCancelled);
  EXPECT_EQ(transport_.requests().size(), 1U);
  api.release();
  clock_.advance(std::chrono::seconds(2));
  transport_.respond(response_of(201));
  EXPECT_TRUE(api.call(write_pod(Verb::kCreate)).status.ok());
}

}  // namespace
}  // namespace davit::host
