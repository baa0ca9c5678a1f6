/// "davit.http/1": declared hosts, conversion, dry runs and shadows.
#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

davit_http_request http_request(std::string_view url, std::string_view method = {}) {
  davit_http_request made{};
  made.size = sizeof(made);
  made.url = str(url);
  made.method = str(method);
  return made;
}

/// The part of a response that is kept after its call.
struct HttpReply {
  davit_code code = -1;
  davit_code returned = -1;
  std::int32_t http_status = 0;
  bool simulated = false;
  std::uint32_t retry_after_ms = 0;
  std::string message;
  std::string url;
  HttpHeaders headers;
  std::string body;
};

HttpReply copied(const davit_http_response& from) {
  HttpReply reply;
  reply.code = from.code;
  reply.http_status = from.http_status;
  reply.simulated = from.simulated != 0;
  reply.retry_after_ms = from.retry_after_ms;
  reply.message = view(from.message);
  reply.url = view(from.url);
  for (std::size_t i = 0; i < from.header_count; ++i) {
    reply.headers.emplace_back(view(from.headers[i].name), view(from.headers[i].value));
  }
  reply.body = view(from.body);
  return reply;
}

class HostHttpTest : public ControllerHostTest {
 protected:
  static ControllerHostOptions declaring(std::vector<std::string> hosts) {
    ControllerHostOptions made = options();
    made.declared.http.hosts = std::move(hosts);
    return made;
  }
  HttpReply call(const davit_http_request& request, Phase phase = Phase::kSync) {
    if (!host_) make(declaring({"dns.example.com"}));
    const CallFrame frame(host_->abi(), phase);
    const CallScope scope(frame.call());
    davit_http_response response{};
    response.size = sizeof(response);
    const davit_code returned = tables_.http->call(current_call, &request, &response);
    HttpReply reply = copied(response);
    reply.returned = returned;
    return reply;
  }
};

TEST_F(HostHttpTest, RequestGoesOutAndItsResponseComesBack) {
  test::ScriptedResponse response = response_of(201, "made");
  response.headers = {{"location", "/v2/records/7"}, {"retry-after", "3"}};
  outside_.respond(response);
  davit_http_request request = http_request("https://dns.example.com/v2/records?ttl=5", "POST");
  const davit_http_header header{str("Content-Type"), str("application/json")};
  request.headers = &header;
  request.header_count = 1;
  request.body = str("{}");

  const HttpReply reply = call(request);

  EXPECT_EQ(reply.code, DAVIT_OK) << reply.message;
  EXPECT_EQ(reply.returned, DAVIT_OK);
  EXPECT_EQ(reply.http_status, 201);
  EXPECT_EQ(reply.body, "made");
  EXPECT_EQ(reply.url, "https://dns.example.com/v2/records?ttl=5");
  EXPECT_EQ(reply.retry_after_ms, 3000u);
  EXPECT_EQ(reply.headers[0].second, "/v2/records/7");
  EXPECT_FALSE(reply.simulated);
  const HttpRequest sent = outside_.requests().front();
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.target, "/v2/records?ttl=5");
  EXPECT_EQ(sent.body, "{}");
  EXPECT_THAT(sent.headers,
              ElementsAre(std::pair<std::string, std::string>("Content-Type", "application/json"),
                          std::pair<std::string, std::string>("User-Agent", user_agent("sample"))));
  EXPECT_THAT(metrics_->text(),
              HasSubstr("davit_plugin_http_requests_total{code=\"201\",controller="
                        "\"sample-controller\",host=\"dns.example.com\"} 1"));
  EXPECT_THAT(metrics_->text(), HasSubstr("davit_plugin_http_request_duration_seconds_count{"));
}

TEST_F(HostHttpTest, HostThatTheNoteDoesNotDeclareGetsNothing) {
  for (const char* url : {"https://evil.org/", "http://dns.example.com/",
                          "https://dns.example.com:8443/", "https://a.dns.example.com/"}) {
    const HttpReply reply = call(http_request(url));
    EXPECT_EQ(reply.code, DAVIT_UNDECLARED) << url;
    EXPECT_THAT(reply.message, HasSubstr("in the note needs \"hosts\":["));
  }
  EXPECT_THAT(outside_servers_, IsEmpty());
}

TEST_F(HostHttpTest, ControllerWithoutDeclaredHostsReachesNone) {
  make(options());
  EXPECT_EQ(call(http_request("https://dns.example.com/")).code, DAVIT_UNDECLARED);
  EXPECT_THAT(outside_servers_, IsEmpty());
}

TEST_F(HostHttpTest, MalformedRequestsAreMisuse) {
  EXPECT_EQ(call(http_request("")).code, DAVIT_MISUSE);
  EXPECT_EQ(call(http_request("https://u:p@dns.example.com/")).code, DAVIT_MISUSE);
  davit_http_request request = http_request("https://dns.example.com/");
  request.effect = 3;
  EXPECT_EQ(call(request).code, DAVIT_MISUSE);
  request = http_request("https://dns.example.com/");
  request.retry = -1;
  EXPECT_EQ(call(request).code, DAVIT_MISUSE);
  request = http_request("https://dns.example.com/");
  request.header_count = 1;
  EXPECT_EQ(call(request).code, DAVIT_MISUSE);
  const davit_http_header header{str("Host"), str("evil.org")};
  request.headers = &header;
  EXPECT_EQ(call(request).code, DAVIT_MISUSE);
  davit_http_response response{};
  const CallFrame frame(host_->abi(), Phase::kSync);
  const CallScope scope(frame.call());
  EXPECT_EQ(tables_.http->call(current_call, nullptr, &response), DAVIT_MISUSE);
  EXPECT_EQ(tables_.http->call(current_call, &request, nullptr), DAVIT_MISUSE);
  EXPECT_THAT(outside_servers_, IsEmpty());
}

TEST_F(HostHttpTest, OnlySyncsMaySend) {
  for (const Phase phase : {Phase::kInit, Phase::kHandler, Phase::kProbe, Phase::kDestroy}) {
    EXPECT_EQ(call(http_request("https://dns.example.com/"), phase).returned, DAVIT_MISUSE);
  }
  EXPECT_THAT(outside_servers_, IsEmpty());
}

TEST_F(HostHttpTest, MissingMembersOfAnOlderCallerAreZero) {
  make(declaring({"dns.example.com"}));
  outside_.respond(response_of(200, "{}"));
  davit_http_request request = http_request("https://dns.example.com/");
  request.size = offsetof(davit_http_request, headers);
  request.header_count = 77;
  request.retry = 99;
  davit_http_response response{};
  response.size = offsetof(davit_http_response, simulated);
  response.simulated = 42;
  const CallFrame frame(host_->abi(), Phase::kSync);
  const CallScope scope(frame.call());

  EXPECT_EQ(tables_.http->call(current_call, &request, &response), DAVIT_OK);

  EXPECT_EQ(response.http_status, 200);
  EXPECT_EQ(response.simulated, 42) << "beyond what the caller knows";
}

TEST_F(HostHttpTest, BatchSendsAllAndRefusesWhatIsUndeclared) {
  make(declaring({"dns.example.com"}));
  outside_.set_script([](const HttpRequest& request) { return response_of(200, request.target); });
  const davit_http_request requests[] = {http_request("https://dns.example.com/a"),
                                         http_request("https://evil.org/b"),
                                         http_request("https://dns.example.com/c")};
  davit_http_response responses[3]{};
  const CallFrame frame(host_->abi(), Phase::kSync);
  const CallScope scope(frame.call());

  EXPECT_EQ(tables_.http->batch(current_call, requests, sizeof(davit_http_request), responses,
                                sizeof(davit_http_response), 3),
            DAVIT_UNDECLARED);

  EXPECT_EQ(view(responses[0].body), "/a");
  EXPECT_EQ(responses[1].code, DAVIT_UNDECLARED);
  EXPECT_EQ(view(responses[2].body), "/c");
}

TEST_F(HostHttpTest, LargestResponseHasALimit) {
  outside_.set_script([](const HttpRequest&) {
    return response_of(200, std::string(DAVIT_HTTP_BODY_BYTES_DEFAULT + 1, 'x'));
  });
  davit_http_request request = http_request("https://dns.example.com/");
  EXPECT_EQ(call(request).code, DAVIT_INTERNAL);
  request.body_bytes_max = DAVIT_HTTP_BODY_BYTES_DEFAULT + 1;
  EXPECT_EQ(call(request).code, DAVIT_OK);
  outside_.set_script([](const HttpRequest&) {
    return response_of(200, std::string(std::size_t{DAVIT_HTTP_BODY_BYTES_MAX} + 1, 'x'));
  });
  request.body_bytes_max = UINT64_MAX;
  EXPECT_EQ(call(request).code, DAVIT_INTERNAL);
}

TEST_F(HostHttpTest, DryRunSendsReadsOnly) {
  ControllerHostOptions dry = declaring({"dns.example.com"});
  dry.dry_run = DryRun::kServer;
  make(std::move(dry));
  outside_.set_script([](const HttpRequest&) { return response_of(200, "{}"); });

  EXPECT_FALSE(call(http_request("https://dns.example.com/x")).simulated);
  const HttpReply change = call(http_request("https://dns.example.com/x?key=s3cret", "PUT"));
  davit_http_request login = http_request("https://dns.example.com/login", "POST");
  login.effect = DAVIT_HTTP_READS;
  EXPECT_FALSE(call(login).simulated);

  EXPECT_EQ(change.code, DAVIT_OK);
  EXPECT_EQ(change.http_status, 204);
  EXPECT_TRUE(change.simulated);
  EXPECT_EQ(outside_.requests().size(), 2u);
  EXPECT_EQ(log_.count("Dry run: this request to an external server was not sent method=PUT "
                       "url=https://dns.example.com/x"),
            1u);
  EXPECT_EQ(log_.count("s3cret"), 0u);
}

TEST_F(HostHttpTest, ShadowSendsReadsOnlyAndItsChangesAreCompared) {
  make(declaring({"dns.example.com"}));
  host_->abi().intended.begin(IntendedWrites::Mode::kSimulate);
  outside_.set_script([](const HttpRequest&) { return response_of(200, "{}"); });
  const auto put = [&](std::string_view body) {
    davit_http_request request = http_request("https://dns.example.com/x?key=s3cret", "PUT");
    request.body = str(body);
    return call(request);
  };

  EXPECT_TRUE(put("a").simulated);
  EXPECT_TRUE(put("a").simulated);
  EXPECT_TRUE(put("b").simulated);
  EXPECT_FALSE(call(http_request("https://dns.example.com/x")).simulated);

  const auto writes = host_->abi().intended.content().writes;
  ASSERT_EQ(writes.size(), 2u) << "bodies are compared";
  const IntendedWrite& first = writes.begin()->first;
  EXPECT_EQ(first.verb, "PUT");
  EXPECT_EQ(first.resource, "https://dns.example.com:443");
  EXPECT_EQ(first.object, "/x");
  EXPECT_EQ(first.content, "(confidential)");
  EXPECT_EQ(outside_.requests().size(), 1u);
}

TEST_F(HostHttpTest, ChangesAreSentOnlyWhileTheControllerLeads) {
  ControllerHostOptions made = declaring({"dns.example.com"});
  made.write_gate = [] { return Status(Code::kCancelled, "not the leader (any more)"); };
  make(std::move(made));
  outside_.set_script([](const HttpRequest&) { return response_of(200, "{}"); });
  EXPECT_EQ(call(http_request("https://dns.example.com/x", "DELETE")).code, DAVIT_CANCELLED);
  EXPECT_EQ(call(http_request("https://dns.example.com/x")).code, DAVIT_OK);
  EXPECT_EQ(outside_.requests().size(), 1u);
}

TEST_F(HostHttpTest, DrainEndsAPauseBetweenAttemptsAndTheKeyIsNotLost) {
  make(declaring({"dns.example.com"}));
  outside_.respond(response_of(503, ""));
  outside_.respond(response_of(200, "{}"));
  std::vector<davit_code> codes;
  davit_handle queue = 0;
  start_with([&] {
    queue = open_queue([&](davit_str, davit_sync_result&) {
      const davit_http_request request = http_request("https://dns.example.com/x");
      davit_http_response response{};
      response.size = sizeof(response);
      codes.push_back(tables_.http->call(current_call, &request, &response));
      return codes.back();
    });
  });
  commit();
  run();
  add(queue, "k");
  clock_.await_deadline(clock_.now() + std::chrono::milliseconds(250));

  EXPECT_TRUE(host_->drain(clock_.now() + std::chrono::hours(1)));
  host_->runner().resume();

  (void)synced_.await(2);
  EXPECT_THAT(codes, ElementsAre(DAVIT_CANCELLED, DAVIT_OK));
  EXPECT_TRUE(host_->stop({clock_.now(), Time::max()}));
}

TEST_F(HostHttpTest, RootsThatCannotBeUsedFailTheStart) {
  ControllerHostOptions made = declaring({"dns.example.com"});
  made.declared.http.roots_from = {"caFile", false};
  made.config = R"({"caFile":"/nowhere/ca.pem"})";
  make(std::move(made));
  const InitResult result = init([](const davit_context&, davit_controller&) { return 0; });
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_THAT(result.reason, HasSubstr("cannot read /nowhere/ca.pem"));
}

}  // namespace
}  // namespace davit::host
