#include "lib/net/http_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/collector.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/scarcity.hpp"

namespace davit {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Responds with what it was asked.
HttpServerResponse echo(const HttpServerRequest& request) {
  HttpServerResponse response;
  response.body = request.method + " " + request.target + " [" +
                  std::string(request.header("x-word")) + "] " + request.body;
  return response;
}

/// A response that does not end while its client stays.
class Endless final : public HttpBodyStream {
 public:
  State read(std::string& /*out*/, std::size_t /*bytes_max*/) override { return State::kOpen; }
  void on_ready(std::function<void()> /*wake*/) override {}
  [[nodiscard]] Time next_read() const override { return Time::max(); }
};

/// Never ends what is below /slow or /probe/slow; all else is echoed.
HttpServerResponse echo_or_hang(const HttpServerRequest& request) {
  if (!request.path().ends_with("/slow")) return echo(request);
  HttpServerResponse response;
  response.stream = std::make_unique<Endless>();
  return response;
}

class HttpServerTest : public testing::Test {
 protected:
  std::unique_ptr<HttpServer> open(const HttpServerOptions& options = {}) {
    Result<std::unique_ptr<HttpServer>> server = HttpServer::open(options, echo, Logger(sink_));
    EXPECT_TRUE(server) << server.error().message();
    return std::move(*server);
  }

  test::RecordingLogSink sink_;
};

TEST_F(HttpServerTest, RequestReachesTheHandlerAndItsResponseTheClient) {
  const auto server = open();
  EXPECT_GT(server->port(), 0);
  EXPECT_EQ(server->endpoint(), "127.0.0.1:" + std::to_string(server->port()));

  test::HttpClient client(server->port());
  client.send(
      "POST /a/b?c=d HTTP/1.1\r\nHost: x\r\nX-Word: hello\r\nContent-Length: 4\r\n"
      "Connection: close\r\n\r\nbody");
  const std::string response = client.read_all();

  EXPECT_THAT(response, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(response, HasSubstr("Content-Type: text/plain; charset=utf-8\r\n"));
  EXPECT_THAT(response, EndsWith("\r\n\r\nPOST /a/b?c=d [hello] body"));
}

TEST_F(HttpServerTest, ConnectionIsKeptForFurtherRequests) {
  const auto server = open();
  test::HttpClient client(server->port());

  for (const char* path : {"/one", "/two", "/three"}) {
    client.send("GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(client.read_response(), EndsWith("GET " + std::string(path) + " [] "));
  }
}

TEST_F(HttpServerTest, IdleClientsDoNotBlockOthers) {
  HttpServerOptions few;
  few.connections_max = 4;
  const auto server = open(few);
  std::deque<test::HttpClient> idle;
  for (int i = 0; i < 20; ++i) {
    idle.emplace_back(server->port());
    if (i % 2 == 0) idle.back().send("GET /half HTTP/1.1\r\n");
  }
  test::HttpClient probe(server->port());
  probe.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(probe.read_response(), EndsWith("GET /healthz [] "));
}

class ProbeTest : public HttpServerTest {
 protected:
  static constexpr std::size_t kConnections = 4;
  static constexpr std::size_t kOthers = 2;
  static constexpr std::size_t kKnown = 1;

  ProbeTest() {
    HttpServerOptions options;
    options.connections_max = kConnections;
    options.others_max = kOthers;
    options.known_max = kKnown;
    options.is_known = [](const HttpServerRequest& request) {
      return request.path().starts_with("/known");
    };
    options.is_probe = [](const HttpServerRequest& request) {
      return request.path().starts_with("/probe");
    };
    auto server = HttpServer::open(options, echo_or_hang, Logger(sink_));
    EXPECT_TRUE(server) << server.error().message();
    server_ = std::move(*server);
  }

  /// A client whose response has begun.
  test::HttpClient& begin(const std::string& path) {
    test::HttpClient& client = clients_.emplace_back(server_->port());
    client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    head_ = client.read_response();
    return client;
  }
  /// The response to a separate client.
  [[nodiscard]] std::string get(const std::string& path) const {
    return test::http_get(server_->port(), path);
  }

  std::unique_ptr<HttpServer> server_;
  std::deque<test::HttpClient> clients_;
  std::string head_;  // The head of the last response that has begun.
};

TEST_F(ProbeTest, OtherRequestsAreLimitedAndProbesAreNot) {
  for (std::size_t i = 0; i < kOthers; ++i) {
    begin("/slow");
    EXPECT_THAT(head_, StartsWith("HTTP/1.1 200 "));
  }

  begin("/slow");

  EXPECT_THAT(head_, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(head_, HasSubstr("Retry-After: 1\r\n"));
  for (int i = 0; i < 10; ++i) EXPECT_THAT(get("/probe"), HasSubstr("GET /probe"));
}

TEST_F(ProbeTest, ClientsThatDoNotReadTheirProbesDoNotBlockOthers) {
  for (std::size_t i = 0; i < kOthers; ++i) begin("/slow");
  std::vector<test::HttpClient*> unread;
  for (std::size_t i = kOthers; i < kConnections; ++i) unread.push_back(&begin("/probe/slow"));

  EXPECT_THAT(get("/probe"), HasSubstr("GET /probe"));

  EXPECT_EQ(unread.front()->read_all(), "") << "the oldest of them was closed";
}

TEST_F(ProbeTest, ConnectionIsLimitedByWhatItAsksForNow) {
  test::HttpClient& kept = begin("/page");
  EXPECT_THAT(head_, EndsWith("GET /page [] "));
  for (std::size_t i = 0; i < kOthers; ++i) {
    begin("/slow");
    EXPECT_THAT(head_, StartsWith("HTTP/1.1 200 ")) << "an idle connection holds no place";
  }

  kept.send("GET /page HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(kept.read_response(), StartsWith("HTTP/1.1 503 "));
  kept.send("GET /probe HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(kept.read_response(), EndsWith("GET /probe [] "));
}

TEST_F(ProbeTest, KnownClientsHaveAPlaceOfTheirOwn) {
  for (std::size_t i = 0; i < kOthers; ++i) begin("/slow");
  begin("/slow");
  EXPECT_THAT(head_, StartsWith("HTTP/1.1 503 ")) << "for strangers";

  begin("/known/slow");
  EXPECT_THAT(head_, StartsWith("HTTP/1.1 200 "));

  EXPECT_THAT(get("/known"), StartsWith("HTTP/1.1 503 ")) << "that place is taken, too";
  EXPECT_THAT(get("/probe"), HasSubstr("GET /probe"));
}

TEST_F(ProbeTest, KnownClientsTakeAnybodysPlacesAfterTheirOwn) {
  for (std::size_t i = 0; i < kOthers + kKnown; ++i) {
    begin("/known/slow");
    EXPECT_THAT(head_, StartsWith("HTTP/1.1 200 "));
  }
  EXPECT_THAT(get("/known"), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(get("/page"), StartsWith("HTTP/1.1 503 "));
}

TEST_F(HttpServerTest, RequestsSentTogetherGetResponsesInOrder) {
  const auto server = open();
  test::HttpClient client(server->port());

  client.send("GET /one HTTP/1.1\r\nHost: x\r\n\r\nGET /two HTTP/1.1\r\nHost: x\r\n\r\n");

  EXPECT_THAT(client.read_response(), EndsWith("GET /one [] "));
  EXPECT_THAT(client.read_response(), EndsWith("GET /two [] "));
}

TEST_F(HttpServerTest, HeadGetsTheHeadersOnly) {
  const auto server = open();
  test::HttpClient client(server->port());

  client.send("HEAD /one HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

  const std::string response = client.read_all();
  EXPECT_THAT(response, HasSubstr("Content-Length: 13\r\n"));
  EXPECT_THAT(response, EndsWith("\r\n\r\n"));
}

TEST_F(HttpServerTest, NonHttpGets400) {
  const auto server = open();
  test::HttpClient client(server->port());

  client.send("nonsense\r\n\r\n");

  EXPECT_THAT(client.read_all(), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
}

TEST_F(HttpServerTest, HeadersBeyondTheLimitAreRefused) {
  const auto server = open({.header_bytes_max = 1024});
  test::HttpClient client(server->port());

  client.send("GET / HTTP/1.1\r\nX-Long: " + std::string(4096, 'x'));

  EXPECT_THAT(client.read_all(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpServerTest, WhateverAConnectionThrowsEndsThatConnectionAlone) {
  struct Unusual {};
  const auto respond = [](const HttpServerRequest& request) {
    if (request.path() == "/length") throw std::length_error("a field is too large");
    if (request.path() == "/other") throw Unusual();
    return echo(request);
  };
  const auto server = HttpServer::open({}, respond, Logger(sink_));
  ASSERT_TRUE(server) << server.error().message();
  test::HttpClient other((*server)->port());
  other.send("GET /before HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(other.read_response(), HasSubstr("/before"));

  for (const char* path : {"/length", "/other"}) {
    EXPECT_EQ(test::http_get((*server)->port(), path), "") << "reset without a response";
  }

  other.send("GET /after HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(other.read_response(), HasSubstr("/after"));
  EXPECT_EQ(sink_.count("err=a field is too large"), 1U);
}

TEST_F(HttpServerTest, BodyBeyondTheLimitIsRefused) {
  const auto server = open({.body_bytes_max = 10});
  test::HttpClient client(server->port());

  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n");

  EXPECT_THAT(client.read_all(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, SilentConnectionIsClosed) {
  const auto server = open({.idle_time = std::chrono::seconds(0)});
  test::HttpClient client(server->port());

  EXPECT_EQ(client.read_all(), "");
}

TEST_F(HttpServerTest, RequestThatDoesNotEndIsCut) {
  const auto server = open({.request_time = std::chrono::seconds(0)});
  test::HttpClient client(server->port());

  client.send("GET / HTTP/1.1\r\nHost: x\r\n");

  EXPECT_EQ(client.read_all(), "");
}

TEST_F(HttpServerTest, ClientThatDoesNotReadItsResponseIsCut) {
  HttpServerOptions options;
  options.is_probe = [](const HttpServerRequest& request) { return request.path() == "/probe"; };
  options.others_max = 1;
  options.request_time = std::chrono::seconds(1);
  // More than the kernel keeps for a client that does not read.
  const std::string large(std::size_t{64} << 20U, 'x');
  test::Door asked;
  const auto respond = [&](const HttpServerRequest& request) {
    if (request.path() != "/large") return echo(request);
    asked.open();
    HttpServerResponse response;
    response.body = large;
    return response;
  };
  const auto server = HttpServer::open(options, respond, Logger(sink_));
  ASSERT_TRUE(server) << server.error().message();
  test::HttpClient unread((*server)->port());
  unread.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto is_refused = [&] {
    return test::http_get((*server)->port(), "/").starts_with("HTTP/1.1 503 ");
  };
  asked.pass();

  while (is_refused()) std::this_thread::yield();  // It holds the only place until it is cut.

  EXPECT_LT(unread.read_all().size(), large.size());
}

TEST_F(HttpServerTest, ConnectionsBeyondTheLimitWaitForTheirTurn) {
  const auto server = open({.connections_max = 1});
  std::optional<test::HttpClient> first(std::in_place, server->port());
  first->send("GET /one HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(first->read_response(), HasSubstr("/one"));

  test::HttpClient second(server->port());
  second.send("GET /two HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  first.reset();

  EXPECT_THAT(second.read_all(), HasSubstr("/two"));
}

TEST_F(HttpServerTest, ManyClientsAreServed) {
  const auto server = open();
  std::deque<test::HttpClient> clients;
  for (int i = 0; i < 20; ++i) clients.emplace_back(server->port());

  for (test::HttpClient& client : clients) client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");

  for (test::HttpClient& client : clients) EXPECT_THAT(client.read_response(), HasSubstr("GET /"));
}

TEST_F(HttpServerTest, DestroyedServerCutsItsConnections) {
  auto server = open();
  test::HttpClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_response(), Not(""));

  server.reset();

  EXPECT_EQ(client.read_all(), "");
}

TEST_F(HttpServerTest, AddressInUseIsAnErrorWithItsReason) {
  const auto server = open();
  HttpServerOptions same;
  same.port = server->port();

  const Result<std::unique_ptr<HttpServer>> second = HttpServer::open(same, echo, Logger(sink_));

  EXPECT_EQ(second.error().code(), Code::kUnavailable);
  EXPECT_THAT(second.error().message(),
              StartsWith("cannot listen on 127.0.0.1:" + std::to_string(server->port()) + ": "));
}

TEST_F(HttpServerTest, WithoutAThreadTheServerDoesNotOpen) {
  const test::NoThreads scarce;

  const Status failed = HttpServer::open({}, echo, Logger(sink_)).error();

  EXPECT_EQ(scarce.wanted(), 1U);
  EXPECT_EQ(failed.code(), Code::kUnavailable);
  EXPECT_THAT(failed.message(), StartsWith("cannot serve on 127.0.0.1:"));
  EXPECT_THAT(failed.message(), EndsWith(": cannot start a thread"));
}

TEST_F(HttpServerTest, NameIsNotAnAddress) {
  HttpServerOptions options;
  options.address = "localhost";

  EXPECT_EQ(HttpServer::open(options, echo, Logger(sink_)).error().code(), Code::kInvalid);
}

}  // namespace
}  // namespace davit
