#include "host/outbound/outbound_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/host/transport/certificates.hpp"
#include "tests/host/transport/tiny_server.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class RecordedMetrics final : public OutboundMetrics {
 public:
  void outbound_request(std::string_view controller, std::string_view host, std::string_view code,
                        Duration) override {
    const MutexLock lock(mutex_);
    seen_.push_back(std::string(controller) + " " + std::string(host) + " " + std::string(code));
  }
  [[nodiscard]] std::vector<std::string> seen() {
    const MutexLock lock(mutex_);
    return seen_;
  }

 private:
  Mutex mutex_;
  std::vector<std::string> seen_ GUARDED_BY(mutex_);
};

OutboundRequest request_to(std::string_view url, std::string method = "GET") {
  OutboundRequest request;
  request.url = OutboundUrl::parse(url).value_or(OutboundUrl());
  if (!is_safe_method(method)) request.effect = OutboundRequest::Effect::kChanges;
  request.method = std::move(method);
  return request;
}

test::ScriptedResponse response_of(int status, HttpHeaders headers = {}, std::string body = "") {
  return {status, std::move(body), std::move(headers), {}, {}};
}

class OutboundClientTest : public testing::Test {
 protected:
  OutboundClientTest() {
    options_.controller = "dns";
    options_.user_agent = "davit/test";
    declare({"dns.example.com", "*.cdn.example.com"});
  }
  void declare(const std::vector<std::string>& hosts) {
    options_.hosts.clear();
    for (const std::string& each : hosts) {
      options_.hosts.push_back(
          DeclaredHost::parse(each, DeclaredHost::Path::kRefused).value_or(DeclaredHost()));
    }
  }
  /// One whose servers respond from the script of `server_`.
  OutboundClient scripted() {
    OutboundOptions options = options_;
    options.connect = [this](const OutboundServer& server) {
      connected_.push_back(server.url);
      return Result<std::unique_ptr<Transport>>(std::make_unique<test::BorrowedTransport>(server_));
    };
    return OutboundClient(clock_, metrics_, Logger(sink_), std::move(options));
  }
  static OutboundResponse call(OutboundClient& client, OutboundRequest request,
                               const std::stop_token& stop = {}) {
    std::vector<OutboundRequest> one;
    one.push_back(std::move(request));
    return std::move(client.batch(std::move(one), stop).front());
  }
  /// Calls on another thread, and lets each pause pass.
  OutboundResponse call_with_pauses(OutboundClient& client, const OutboundRequest& request,
                                    const std::vector<Duration>& pauses) {
    OutboundResponse response;
    std::jthread caller([&] { response = call(client, request); });
    for (const Duration pause : pauses) {
      clock_.await_deadline(clock_.now() + pause);
      clock_.advance(pause);
    }
    caller.join();
    return response;
  }
  [[nodiscard]] std::vector<std::string> sent() const {
    std::vector<std::string> out;
    for (const HttpRequest& each : server_.requests()) {
      out.push_back(each.method + " " + each.target);
    }
    return out;
  }

  test::FakeClock clock_;
  test::FakeTransport server_;
  RecordedMetrics metrics_;
  test::RecordingLogSink sink_;
  OutboundOptions options_;
  std::vector<std::string> connected_;
};

TEST_F(OutboundClientTest, ResponseComesWithStatusHeadersAndBody) {
  OutboundClient client = scripted();
  server_.respond(response_of(404, {{"x-id", "7"}}, "no such zone"));
  OutboundRequest request = request_to("https://dns.example.com/v2/zones?token=s3cret");
  request.headers = {{"Authorization", "Bearer s3cret"}};

  const OutboundResponse response = call(client, std::move(request));

  EXPECT_TRUE(response.status.ok()) << response.status.message();
  EXPECT_EQ(response.http_status, 404);
  EXPECT_EQ(response.body, "no such zone");
  EXPECT_EQ(response.headers.front().second, "7");
  EXPECT_THAT(connected_, ElementsAre("https://dns.example.com:443"));
  EXPECT_THAT(sent(), ElementsAre("GET /v2/zones?token=s3cret"));
  EXPECT_THAT(metrics_.seen(), ElementsAre("dns dns.example.com 404"));
}

TEST_F(OutboundClientTest, NoSecretIsLogged) {
  sink_.set_verbosity(10);
  OutboundClient client = scripted();
  server_.respond(test::broken(Break::kTls, "no"));
  OutboundRequest request = request_to("https://dns.example.com/zones?token=s3cret", "POST");
  request.headers = {{"Authorization", "Bearer s3cret"}, {"Cookie", "s3cret"}};
  request.body = "s3cret";

  const OutboundResponse response = call(client, std::move(request));

  EXPECT_THAT(response.status.message(), Not(HasSubstr("s3cret")));
  ASSERT_THAT(sink_.lines(), Not(IsEmpty()));
  for (const std::string& line : sink_.lines()) EXPECT_THAT(line, Not(HasSubstr("s3cret")));
}

TEST_F(OutboundClientTest, ReadsAreRepeatedAfterABrokenConnectionAndAfterWhatTheServerAsks) {
  OutboundClient client = scripted();
  server_.respond(test::broken(Break::kReset));
  server_.respond(response_of(503, {{"retry-after", "2"}}));
  server_.respond(response_of(200));

  const OutboundResponse response = call_with_pauses(
      client, request_to("https://dns.example.com/x"), {milliseconds(250), seconds(2)});

  EXPECT_EQ(response.http_status, 200);
  EXPECT_THAT(metrics_.seen(), ElementsAre("dns dns.example.com <error>", "dns dns.example.com 503",
                                           "dns dns.example.com 200"));
}

TEST_F(OutboundClientTest, RetryAfterMayBeADate) {
  OutboundClient client = scripted();
  server_.respond(response_of(429, {{"retry-after", "Thu, 01 Jan 2026 00:00:05 GMT"}}));
  server_.respond(response_of(200));
  EXPECT_EQ(
      call_with_pauses(client, request_to("https://dns.example.com/x"), {seconds(5)}).http_status,
      200);
}

TEST_F(OutboundClientTest, PostIsRepeatedOnlyWhenNothingWasDone) {
  OutboundClient client = scripted();
  server_.respond(test::broken(Break::kRefused));
  server_.respond(response_of(429));
  server_.respond(response_of(503, {{"retry-after", "1"}}));

  const OutboundResponse response =
      call_with_pauses(client, request_to("https://dns.example.com/x", "POST"),
                       {milliseconds(250), milliseconds(500)});

  EXPECT_EQ(response.http_status, 503) << "a proxy may have passed it on";
  EXPECT_EQ(response.retry_after_ms, 1000u);
  server_.respond(test::broken(Break::kReset));
  EXPECT_EQ(call(client, request_to("https://dns.example.com/x", "POST")).status.code(),
            Code::kUnavailable);
  EXPECT_EQ(server_.requests().size(), 4u);
}

TEST_F(OutboundClientTest, PolicyOfTheRequestWins) {
  OutboundClient client = scripted();
  OutboundRequest request = request_to("https://dns.example.com/x", "POST");
  request.retry = OutboundRequest::Retry::kAlways;
  server_.respond(test::broken(Break::kReset));
  server_.respond(response_of(201));
  EXPECT_EQ(call_with_pauses(client, request, {milliseconds(250)}).http_status, 201);

  request = request_to("https://dns.example.com/x");
  request.retry = OutboundRequest::Retry::kNever;
  server_.respond(response_of(429));
  EXPECT_EQ(call(client, std::move(request)).http_status, 429);
}

TEST_F(OutboundClientTest, AttemptsAndPausesAreLimited) {
  OutboundClient client = scripted();
  server_.set_script([](const HttpRequest&) { return response_of(503); });
  const OutboundResponse response =
      call_with_pauses(client, request_to("https://dns.example.com/x"),
                       {milliseconds(250), milliseconds(500), seconds(1)});
  EXPECT_EQ(response.http_status, 503);
  EXPECT_EQ(server_.requests().size(), 4u);

  server_.respond(response_of(429, {{"retry-after", "3600"}}));
  const OutboundResponse later = call(client, request_to("https://dns.example.com/x"));
  EXPECT_EQ(later.http_status, 429);
  EXPECT_EQ(later.retry_after_ms, 3'600'000u) << "waiting is for the key's back-off";
}

TEST_F(OutboundClientTest, ServerThatHangsEndsWithTheTimeLimit) {
  OutboundClient client = scripted();
  server_.respond(test::open_response(200, "partial"));
  const OutboundResponse response =
      call_with_pauses(client, request_to("https://dns.example.com/x"), {seconds(30)});
  EXPECT_EQ(response.status.code(), Code::kUnavailable);
  EXPECT_EQ(response.body, "");
  EXPECT_THAT(server_.open_calls(), IsEmpty());
}

TEST_F(OutboundClientTest, RedirectIsReturnedUnlessItIsToBeFollowed) {
  OutboundClient client = scripted();
  server_.respond(response_of(302, {{"location", "/new"}}));
  EXPECT_EQ(call(client, request_to("https://dns.example.com/x")).http_status, 302);

  server_.respond(response_of(302, {{"location", "/new"}}));
  OutboundRequest change = request_to("https://dns.example.com/x", "PUT");
  change.redirects_max = 5;
  EXPECT_EQ(call(client, std::move(change)).http_status, 302) << "only reads follow";
  EXPECT_EQ(server_.requests().size(), 2u);
}

TEST_F(OutboundClientTest, RedirectIsFollowedToDeclaredHostsWithoutSecrets) {
  OutboundClient client = scripted();
  server_.respond(response_of(301, {{"location", "/new"}}));
  server_.respond(response_of(307, {{"location", "https://a.cdn.example.com/y"}}));
  server_.respond(response_of(200, {}, "there"));
  OutboundRequest request = request_to("https://dns.example.com/x");
  request.headers = {{"Authorization", "s3cret"}, {"X-Key", "s3cret"}, {"Accept", "text/plain"}};
  request.body = "s3cret";
  request.redirects_max = 2;

  const OutboundResponse response = call(client, std::move(request));

  EXPECT_EQ(response.body, "there");
  EXPECT_EQ(response.url, "https://a.cdn.example.com/y");
  const std::vector<HttpRequest> sent = server_.requests();
  EXPECT_EQ(sent[1].headers.size(), 4u) << "the same server may see them";
  EXPECT_EQ(sent[1].body, "s3cret");
  EXPECT_EQ(sent[2].body, "") << "nor the body";
  EXPECT_THAT(sent[2].headers, ElementsAre(testing::Pair("Accept", "text/plain"),
                                           testing::Pair("User-Agent", "davit/test")));
}

TEST_F(OutboundClientTest, RedirectToAnUndeclaredHostIsNotFollowed) {
  OutboundClient client = scripted();
  for (const std::string location :
       {"http://169.254.169.254/latest/meta-data", "https://evil.org/", "http://dns.example.com/",
        "//evil.org/x", "file:///etc/passwd"}) {
    server_.respond(response_of(302, {{"location", location}}));
    OutboundRequest request = request_to("https://dns.example.com/x");
    request.redirects_max = 10;
    EXPECT_FALSE(call(client, std::move(request)).status.ok()) << location;
  }
  EXPECT_THAT(connected_, ElementsAre("https://dns.example.com:443"));
}

TEST_F(OutboundClientTest, RedirectsInACircleEnd) {
  OutboundClient client = scripted();
  server_.set_script([](const HttpRequest&) { return response_of(302, {{"location", "/x"}}); });
  OutboundRequest request = request_to("https://dns.example.com/x");
  request.redirects_max = 1'000'000;
  EXPECT_EQ(call(client, std::move(request)).http_status, 302);
  EXPECT_EQ(server_.requests().size(), 11u);
}

TEST_F(OutboundClientTest, ChangesAreSentOnlyWhileTheGateIsOpen) {
  options_.write_gate = [] { return Status(Code::kCancelled, "not the leader (any more)"); };
  OutboundClient client = scripted();
  server_.respond(response_of(200));
  EXPECT_EQ(call(client, request_to("https://dns.example.com/x")).http_status, 200);
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE", "LINK"}) {
    EXPECT_EQ(call(client, request_to("https://dns.example.com/x", method)).status.code(),
              Code::kCancelled);
  }
  EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(OutboundClientTest, HoldEndsWhatIsNotOnTheWire) {
  OutboundClient client = scripted();
  client.hold();
  EXPECT_EQ(call(client, request_to("https://dns.example.com/x", "PUT")).status.code(),
            Code::kCancelled);
  EXPECT_THAT(server_.requests(), IsEmpty());
  client.release();
  server_.respond(response_of(200));
  EXPECT_EQ(call(client, request_to("https://dns.example.com/x", "PUT")).http_status, 200);
}

TEST_F(OutboundClientTest, HoldDuringAPauseSaysThatTheFirstAttemptMayHaveCounted) {
  OutboundClient client = scripted();
  server_.respond(test::broken(Break::kReset));
  OutboundResponse response;
  std::jthread caller(
      [&] { response = call(client, request_to("https://dns.example.com/x", "PUT")); });
  clock_.await_deadline(clock_.now() + milliseconds(250));
  client.hold();
  caller.join();
  EXPECT_EQ(response.status.code(), Code::kUnavailable);
  EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(OutboundClientTest, StopEndsARequestUnderWay) {
  OutboundClient client = scripted();
  server_.set_script([](const HttpRequest&) { return test::open_response(0); });
  for (const auto& [method, code] :
       {std::pair{"GET", Code::kCancelled}, {"POST", Code::kUnavailable}}) {
    std::stop_source stop;
    OutboundResponse response;
    const std::size_t before = server_.requests().size();
    std::jthread caller([&, method = method] {
      response = call(client, request_to("https://dns.example.com/x", method), stop.get_token());
    });
    server_.await_requests(before + 1);
    stop.request_stop();
    caller.join();
    EXPECT_EQ(response.status.code(), code) << method;
  }
}

TEST_F(OutboundClientTest, MalformedRequestsAreNotSent) {
  OutboundClient client = scripted();
  const auto with_header = [](std::string name, std::string value) {
    OutboundRequest request = request_to("https://dns.example.com/x");
    request.headers = {{std::move(name), std::move(value)}};
    return request;
  };
  std::vector<OutboundRequest> bad;
  bad.push_back(with_header("Host", "evil.org"));
  bad.push_back(with_header("content-length", "1"));
  bad.push_back(with_header("Transfer-Encoding", "chunked"));
  bad.push_back(with_header("X-A", "s3cret\r\nX-B: c"));
  bad.push_back(with_header("X A", "b"));
  bad.push_back(with_header("", "b"));
  bad.push_back(with_header("X-A", std::string(70'000, 'a')));
  bad.push_back(request_to("https://dns.example.com/x", "CONNECT"));
  bad.push_back(request_to("https://dns.example.com/x", "GET /evil HTTP/1.1\r\nX:"));
  bad.push_back(request_to("https://dns.example.com/x", ""));
  bad.emplace_back(request_to("https://dns.example.com/x")).headers.assign(101, {"X-A", "b"});

  for (const OutboundResponse& each : client.batch(std::move(bad))) {
    EXPECT_EQ(each.status.code(), Code::kMisuse);
    EXPECT_THAT(each.status.message(), Not(HasSubstr("s3cret")));
  }
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(OutboundClientTest, ServersBeyondTheLimitAreForgottenOldestFirst) {
  declare({"*.example.com"});
  OutboundClient client = scripted();
  server_.set_script([](const HttpRequest&) { return response_of(200); });
  const auto ask = [&](int number) {
    EXPECT_EQ(call(client, request_to("https://s" + std::to_string(number) + ".example.com/"))
                  .http_status,
              200);
  };
  for (int i = 0; i < 64; ++i) ask(i);
  ask(0);
  EXPECT_EQ(connected_.size(), 64u);
  ask(64);
  ask(0);
  EXPECT_EQ(connected_.size(), 65u);
  ask(1);
  EXPECT_EQ(connected_.size(), 66u) << "the one that was not used for the longest";
}

// ---- Over sockets.

class OutboundWireTest : public OutboundClientTest {
 protected:
  OutboundResponse call_to(const TinyServer& server, OutboundRequest request) {
    declare({server.url()});
    request.url = OutboundUrl::parse(server.url() + "/x").value_or(OutboundUrl());
    OutboundClient client(*real_clock_, metrics_, Logger(sink_), options_);
    return call(client, std::move(request));
  }
  std::unique_ptr<Clock> real_clock_ = make_system_clock();
};

TEST_F(OutboundWireTest, ServerThatSendsWithoutEndCostsNoMoreThanTheLimit) {
  std::atomic<std::size_t> pieces = 0;
  TinyServer server([&](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\n");
    const std::string piece(64 * 1024, 'x');
    while (peer.write(piece)) ++pieces;
  });
  OutboundRequest request = request_to("https://x/");
  request.response_bytes_max = 100'000;

  const OutboundResponse response = call_to(server, std::move(request));

  EXPECT_EQ(response.status.code(), Code::kInternal);
  EXPECT_THAT(response.status.message(), HasSubstr("larger than 100000 bytes"));
  EXPECT_EQ(response.body, "");
  EXPECT_LT(pieces, 1000u) << "what the sockets' buffers hold, at most";
}

TEST_F(OutboundWireTest, ChunksWithoutEndCostNoMoreThanTheLimit) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (peer.write("4000\r\n" + std::string(0x4000, 'x') + "\r\n")) {
    }
  });
  EXPECT_EQ(call_to(server, request_to("https://x/")).status.code(), Code::kInternal);
}

TEST_F(OutboundWireTest, BodyShorterThanItsLengthIsNoResponse) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{}");
  });
  EXPECT_EQ(call_to(server, request_to("https://x/", "POST")).status.code(), Code::kUnavailable);
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(OutboundWireTest, BytesBeyondTheLengthBelongToNoResponse) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\nevil");
  });
  const OutboundResponse response = call_to(server, request_to("https://x/"));
  EXPECT_EQ(response.body, "{}");
}

TEST_F(OutboundWireTest, HeadHasNoBodyWhateverItsLengthSays) {
  TinyServer server([](Peer& peer) {
    while (!peer.read_request().empty()) {
      peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    }
  });
  const OutboundResponse response = call_to(server, request_to("https://x/", "HEAD"));
  EXPECT_EQ(response.http_status, 200);
  EXPECT_EQ(response.body, "");
}

TEST_F(OutboundWireTest, ServerThatHangsEndsWithTheTimeLimitOnTheWire) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    peer.read_request();  // Until the client closes.
  });
  OutboundRequest request = request_to("https://x/");
  request.timeout = milliseconds(50);
  EXPECT_EQ(call_to(server, std::move(request)).status.code(), Code::kUnavailable);
}

TEST_F(OutboundWireTest, ConnectionServesTheNextRequest) {
  TinyServer server([](Peer& peer) {
    while (!peer.read_request().empty()) peer.respond("{}");
  });
  declare({server.url()});
  OutboundClient client(*real_clock_, metrics_, Logger(sink_), options_);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(call(client, request_to(server.url() + "/x", "PUT")).http_status, 200);
  }
  EXPECT_EQ(server.connections(), 1u);
  client.close_idle();
  EXPECT_EQ(call(client, request_to(server.url() + "/x")).http_status, 200);
  EXPECT_EQ(server.connections(), 1u) << "it was not idle for long";
}

TEST_F(OutboundWireTest, ServerIsVerifiedWithTheGivenRoots) {
  const Identity authority = Identity::authority("test-ca");
  const Identity identity = Identity::signed_by(authority, "dns", "IP:127.0.0.1");
  TinyServer server([&](Peer& peer) {
    TlsServerSide tls(identity, nullptr);
    if (tls.accept(peer.descriptor()) && !tls.read_request().empty()) tls.respond("{}");
  });
  declare({server.address()});
  const auto ask = [&] {
    OutboundClient client(*real_clock_, metrics_, Logger(sink_), options_);
    return call(client, request_to("https://" + server.address() + "/x"));
  };
  EXPECT_EQ(ask().status.code(), Code::kUnavailable) << "the system does not know the authority";
  options_.roots = authority.cert_pem();
  EXPECT_EQ(ask().body, "{}");
}

TEST_F(OutboundWireTest, RootsThatCannotBeUsedAreReported) {
  options_.roots = "/nowhere/ca.pem";
  EXPECT_THAT(
      OutboundClient(*real_clock_, metrics_, Logger(sink_), options_).check_roots().message(),
      HasSubstr("cannot read /nowhere/ca.pem"));
  options_.roots = "-----BEGIN CERTIFICATE-----\ngarbage\n-----END CERTIFICATE-----\n";
  EXPECT_FALSE(OutboundClient(*real_clock_, metrics_, Logger(sink_), options_).check_roots().ok());
  options_.roots = "";
  EXPECT_TRUE(OutboundClient(*real_clock_, metrics_, Logger(sink_), options_).check_roots().ok());
}

}  // namespace
}  // namespace davit::host
