// Requests that the calling thread drives over pooled connections: what the wire may do to them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>

#include <atomic>
#include <cstdlib>
#include <future>

#include "host/api/rest_client.hpp"
#include "host/transport/curl_transport.hpp"
#include "lib/net/connection_quota.hpp"
#include "tests/host/api/rest_fixture.hpp"
#include "tests/host/transport/collected_response.hpp"
#include "tests/host/transport/tiny_server.hpp"
#include "tests/support/collector.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kOk = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kWebPod.size()) +
                        "\r\n\r\n" + std::string(kWebPod);

class PooledCallTest : public testing::Test {
 protected:
  std::unique_ptr<Transport> connect_to(const std::string& url) {
    config_.server = url;
    auto made = make_curl_transport(config_, *time_, metrics_, Logger(sink_));
    EXPECT_TRUE(made) << made.error().message();
    return *std::move(made);
  }
  std::unique_ptr<RestClient> client_of(Transport& transport) {
    options_.rate = {-1, 0};
    return std::make_unique<RestClient>(transport, *time_, metrics_, Logger(sink_), options_);
  }
  // One request with its own transport, on a connection of its own.
  ApiResponse call_once(const TinyServer& server, const ApiRequest& request) {
    const auto transport = connect_to(server.url());
    return client_of(*transport)->call(request);
  }
  // A server whose every connection answers one request with these bytes and closes.
  static TinyServer::Script once(std::string bytes) {
    return [bytes = std::move(bytes)](Peer& peer) {
      if (!peer.read_request().empty()) peer.write(bytes);
    };
  }
  // A server that responds everything.
  static void respond_to_all(Peer& peer) {
    while (!peer.read_request().empty()) peer.write(kOk);
  }

  std::unique_ptr<Clock> clock_ = make_system_clock();
  test::FakeClock fake_clock_;
  Clock* time_ = clock_.get();
  ConnectionConfig config_;
  test::RecordingRestMetrics metrics_;
  test::RecordingLogSink sink_;
  RestOptions options_;
};

// ---- The request.

TEST_F(PooledCallTest, RequestIsWrittenAsHttp11) {
  std::promise<std::string> seen;
  TinyServer server([&](Peer& peer) {
    seen.set_value(peer.read_request());
    peer.respond(kWebPod, "201 Created");
  });
  const auto transport = connect_to(server.url() + "/prefix");
  options_.user_agent = "test/1";

  const ApiResponse response = client_of(*transport)->call(write_pod(Verb::kPatch));

  EXPECT_EQ(response.http_status, 201);
  const std::string wire = seen.get_future().get();
  EXPECT_THAT(wire, StartsWith("PATCH /prefix/api/v1/namespaces/ns/pods/web HTTP/1.1\r\n"));
  EXPECT_THAT(wire, HasSubstr("\r\nHost: " + server.address() + "\r\n"));
  EXPECT_THAT(wire, HasSubstr("\r\nAccept: application/json\r\n"));
  EXPECT_THAT(wire, HasSubstr("\r\nUser-Agent: test/1\r\n"));
  EXPECT_THAT(wire, HasSubstr("\r\nContent-Type: application/merge-patch+json\r\n"));
  EXPECT_THAT(wire, HasSubstr("\r\nContent-Length: 14\r\n"));
  EXPECT_THAT(wire, testing::EndsWith("\r\n\r\n{\"kind\":\"Pod\"}"));
  EXPECT_THAT(wire, testing::Not(HasSubstr("Expect:")));
  EXPECT_THAT(wire, testing::Not(HasSubstr("Accept-Encoding")));
}

TEST_F(PooledCallTest, GetHasNoBodyAndNoLength) {
  std::promise<std::string> seen;
  TinyServer server([&](Peer& peer) {
    seen.set_value(peer.read_request());
    peer.write(kOk);
  });
  EXPECT_TRUE(call_once(server, get_pod()).status.ok());
  EXPECT_THAT(seen.get_future().get(), testing::Not(HasSubstr("Content-Length")));
}

TEST_F(PooledCallTest, TextThatWouldBeginAHeaderIsNotSent) {
  TinyServer server(respond_to_all);
  options_.user_agent = "davit\r\nAuthorization: Bearer stolen";
  const ApiResponse response = call_once(server, get_pod());
  EXPECT_FALSE(response.status.ok());
  EXPECT_EQ(response.http_status, 0);
}

TEST_F(PooledCallTest, LargeBodyArrivesWhole) {
  std::promise<std::size_t> seen;
  TinyServer server([&](Peer& peer) {
    seen.set_value(peer.read_request().size());
    peer.write(kOk);
  });
  ApiRequest request = write_pod(Verb::kCreate);
  request.body = std::string(std::size_t{8} << 20, 'x');  // More than the socket's buffers hold.
  EXPECT_TRUE(call_once(server, request).status.ok());
  EXPECT_GT(seen.get_future().get(), request.body.size());
}

// ---- The response, in every form and every cut.

struct WireCase {
  const char* name;
  const char* wire;
  int status;
  const char* body;
};

constexpr WireCase kWireCases[] = {
    {"Length", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}", 200, "{\"a\":1}"},
    {"Chunked",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
     "3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n",
     200, "{\"a\":1}"},
    {"ChunkedWithExtensionsAndTrailers",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
     "2;x=y\r\n{}\r\n0\r\nT: x\r\n\r\n",
     200, "{}"},
    {"ConnectionClose", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}", 200,
     "{}"},
    {"Continue",
     "HTTP/1.1 100 Continue\r\n\r\n"
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
     200, "{}"},
    {"Informational",
     "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
     "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}",
     201, "{}"},
    {"NoReason", "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\n{}", 200, "{}"},
    {"Http10", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", 200, "{}"},
};

class PooledWireTest : public PooledCallTest, public testing::WithParamInterface<WireCase> {};
INSTANTIATE_TEST_SUITE_P(Wire, PooledWireTest, testing::ValuesIn(kWireCases),
                         [](const auto& each) { return each.param.name; });

TEST_P(PooledWireTest, ResponseIsReadByteByByte) {
  TinyServer server([](Peer& peer) {
    if (peer.read_request().empty()) return;
    for (const char* at = GetParam().wire; *at != '\0'; ++at) peer.write({at, 1});
  });
  const ApiResponse response = call_once(server, get_raw());
  EXPECT_TRUE(response.status.ok()) << response.status.message();
  EXPECT_EQ(response.http_status, GetParam().status);
  EXPECT_EQ(response.body, GetParam().body);
}

TEST_P(PooledWireTest, ResponseCutAtAnyByteIsAnErrorAndAWriteIsSentOnce) {
  const std::string_view wire = GetParam().wire;
  std::atomic<std::size_t> cut = 0;
  std::atomic<int> requests = 0;
  TinyServer server([&](Peer& peer) {
    if (peer.read_request().empty()) return;
    ++requests;
    peer.write(wire.substr(0, cut));
  });
  const auto transport = connect_to(server.url());
  const auto client = client_of(*transport);
  for (cut = 0; cut < wire.size(); ++cut) {
    const ApiResponse response = client->call(write_pod(Verb::kCreate));
    EXPECT_EQ(response.status.code(), Code::kUnavailable) << "cut at " << cut;
  }
  EXPECT_EQ(static_cast<std::size_t>(requests.load()), wire.size());
}

TEST_F(PooledCallTest, BodyUntilTheConnectionClosesIsAResponse) {
  TinyServer server(once("HTTP/1.1 200 OK\r\n\r\n{\"a\":1}"));
  const ApiResponse response = call_once(server, get_raw());
  EXPECT_TRUE(response.status.ok()) << response.status.message();
  EXPECT_EQ(response.body, "{\"a\":1}");
}

TEST_F(PooledCallTest, WhatIsNotHttpIsNotAResponse) {
  for (const char* wire : {"220 mail.example.com ESMTP\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
                           "HTTP/1.1 101 Switching Protocols\r\n\r\n"}) {
    TinyServer server(once(wire));
    const ApiResponse response = call_once(server, get_pod());
    EXPECT_EQ(response.broken, Break::kOther) << wire;
  }
}

TEST_F(PooledCallTest, EndlessHeadAndEndlessInformationalResponsesAreRefused) {
  for (const std::string& endless : {"HTTP/1.1 200 OK\r\nX: " + std::string(1 << 20, 'x'),
                                     std::string("HTTP/1.1 100 Continue")}) {
    TinyServer server([&endless](Peer& peer) {
      if (peer.read_request().empty()) return;
      while (peer.write(endless + "\r\n\r\n")) {
      }
    });
    EXPECT_EQ(call_once(server, get_pod()).broken, Break::kOther);
  }
}

TEST_F(PooledCallTest, ResponseBeforeTheWholeRequestWasSentCounts) {
  TinyServer server([](Peer& peer) {
    char byte = 0;
    static_cast<void>(::recv(peer.descriptor(), &byte, 1, 0));
    peer.write("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
    peer.read_request();  // Until the client closes.
  });
  ApiRequest request = write_pod(Verb::kCreate);
  request.body = std::string(std::size_t{32} << 20, 'x');
  EXPECT_EQ(call_once(server, request).http_status, 413);
}

// ---- Connections.

TEST_F(PooledCallTest, ConnectionServesTheNextRequest) {
  TinyServer server(respond_to_all);
  const auto transport = connect_to(server.url());
  const auto client = client_of(*transport);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(client->call(write_pod(Verb::kCreate)).status.ok());
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(PooledCallTest, ConnectionThatTheServerWantsClosedServesNoOther) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\nConnection: close\r\n" + kOk.substr(kOk.find("Content")));
    EXPECT_EQ(peer.read_request(), "");
  });
  const auto transport = connect_to(server.url());
  const auto client = client_of(*transport);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client->call(write_pod(Verb::kCreate)).status.ok());
  EXPECT_EQ(server.connections(), 3u);
}

TEST_F(PooledCallTest, ConnectionWithUnrequestedBytesIsNotReused) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    peer.write(kOk + "HTTP/1.1 200 OK\r\n");
    EXPECT_EQ(peer.read_request(), "");
  });
  const auto transport = connect_to(server.url());
  const auto client = client_of(*transport);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(client->call(get_pod()).status.ok());
  EXPECT_EQ(server.connections(), 2u);
}

TEST_F(PooledCallTest, WriteTakesAnotherConnectionWhenTheServerHasClosedTheIdleOne) {
  std::promise<void> closed;
  std::atomic<bool> first = true;
  TinyServer server([&](Peer& peer) {
    if (!first.exchange(false)) return respond_to_all(peer);
    peer.read_request();
    peer.write(kOk);
    peer.shut_down();
    closed.set_value();
  });
  const auto transport = connect_to(server.url());
  const auto client = client_of(*transport);
  EXPECT_TRUE(client->call(get_pod()).status.ok());
  closed.get_future().wait();

  EXPECT_TRUE(client->call(write_pod(Verb::kCreate)).status.ok());
  EXPECT_EQ(server.connections(), 2u);
}

// Answers the first request of its first connection and hangs up on the second.
TinyServer::Script hangs_up_on_the_second(std::atomic<int>& requests) {
  return [&requests, first = std::make_shared<std::atomic<bool>>(true)](Peer& peer) {
    const bool hang_up = first->exchange(false);
    for (int nth = 1; !peer.read_request().empty(); ++nth) {
      ++requests;
      if (hang_up && nth == 2) return;
      peer.write(kOk);
    }
  };
}

TEST_F(PooledCallTest, WriteThatMayHaveBeenCarriedOutIsNotRepeatedRT006) {
  std::atomic<int> requests = 0;
  TinyServer server(hangs_up_on_the_second(requests));
  const auto transport = connect_to(server.url());
  const auto client = client_of(*transport);
  EXPECT_TRUE(client->call(get_pod()).status.ok());

  const ApiResponse response = client->call(write_pod(Verb::kCreate));

  EXPECT_EQ(response.broken, Break::kReset);
  EXPECT_EQ(response.status.code(), Code::kUnavailable);
  EXPECT_EQ(requests, 2);
}

TEST_F(PooledCallTest, ReadOnAConnectionThatWentStaleIsRepeatedAtOnce) {
  std::atomic<int> requests = 0;
  TinyServer server(hangs_up_on_the_second(requests));
  const auto transport = connect_to(server.url());
  const auto client = client_of(*transport);
  EXPECT_TRUE(client->call(get_pod()).status.ok());

  EXPECT_TRUE(client->call(get_pod()).status.ok());

  EXPECT_EQ(requests, 3);
  EXPECT_EQ(server.connections(), 2u);
  EXPECT_EQ(metrics_.of("retries <error> GET " + server.address()), 0);
}

TEST_F(PooledCallTest, IdleConnectionIsClosedByUsBeforeTheServerDoes) {
  time_ = &fake_clock_;
  std::promise<void> closed;
  TinyServer server([&](Peer& peer) {
    respond_to_all(peer);
    closed.set_value();
  });
  const auto transport = connect_to(server.url());
  const auto client = client_of(*transport);
  EXPECT_TRUE(client->call(get_pod()).status.ok());

  fake_clock_.advance(seconds(61));
  transport->close_idle();

  closed.get_future().wait();
}

TEST_F(PooledCallTest, ConnectionThatWasIdleForTooLongServesNoOther) {
  time_ = &fake_clock_;
  TinyServer server(respond_to_all);
  const auto transport = connect_to(server.url());
  const auto client = client_of(*transport);
  EXPECT_TRUE(client->call(get_pod()).status.ok());
  fake_clock_.advance(seconds(59));
  EXPECT_TRUE(client->call(get_pod()).status.ok());
  EXPECT_EQ(server.connections(), 1u);
  fake_clock_.advance(seconds(61));
  EXPECT_TRUE(client->call(get_pod()).status.ok());
  EXPECT_EQ(server.connections(), 2u);
}

TEST_F(PooledCallTest, LeasesShareNoConnectionWithWrites) {
  TinyServer server(respond_to_all);
  const auto transport = connect_to(server.url());
  const auto writes = client_of(*transport);
  options_.purpose = ConnectionPurpose::kLease;
  const auto leases = client_of(*transport);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(writes->call(write_pod(Verb::kCreate)).status.ok());
    EXPECT_TRUE(leases->call(write_pod(Verb::kUpdate)).status.ok());
  }
  EXPECT_EQ(server.connections(), 2u);
}

// The socket of this process that is connected to `port`.
int socket_to(int port) {
  for (int fd = 0; fd < 1024; ++fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    auto* const any = static_cast<sockaddr*>(static_cast<void*>(&peer));
    if (::getpeername(fd, any, &size) == 0 && peer.sin_family == AF_INET &&
        ntohs(peer.sin_port) == port) {
      return fd;
    }
  }
  return -1;
}

int tcp_option(int fd, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  EXPECT_EQ(::getsockopt(fd, IPPROTO_TCP, option, &value, &size), 0);
  return value;
}

// When the kernel gives up a peer that is silent, in seconds: at the first probe after the limit.
int silence_noticed_after(int fd) {
  const int limit_ms = tcp_option(fd, TCP_USER_TIMEOUT);
  EXPECT_GT(limit_ms, 0);
  int probe = tcp_option(fd, TCP_KEEPIDLE);
  while (probe * 1000 < limit_ms) probe += tcp_option(fd, TCP_KEEPINTVL);
  return probe;
}

TEST_F(PooledCallTest, KernelGivesUpADeadPeerWithinHalfAMinute) {
  TinyServer server(respond_to_all);
  const int port = std::stoi(server.address().substr(server.address().find(':') + 1));
  {
    const auto transport = connect_to(server.url());
    EXPECT_TRUE(client_of(*transport)->call(get_pod()).status.ok());
    EXPECT_LE(silence_noticed_after(socket_to(port)), 30) << "a pooled connection";
  }
  const auto transport = connect_to(server.url());
  HttpRequest watch;
  watch.method = "GET";
  watch.target = "/watch";
  watch.purpose = ConnectionPurpose::kWatch;
  CollectedResponse response;
  const auto call = transport->start(watch, response);
  EXPECT_EQ(response.wait().kind, Break::kNone);
  EXPECT_LE(silence_noticed_after(socket_to(port)), 30) << "a watch";
}

// ---- Several at once.

/// A server that responds late and reports once it has so many requests without a response.
class SlowServer {
 public:
  explicit SlowServer(std::size_t many) : many_(many) {}
  /// Requests with "slow" in them get no response.
  void serve(Peer& peer) {
    while (true) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      if (request.find("slow") == std::string::npos) {
        peer.write(kOk);
      } else {
        note();
      }
    }
  }
  /// Responds to all requests once let_respond() was called.
  void respond_late(Peer& peer) {
    while (!peer.read_request().empty()) {
      note();
      door_.pass();
      peer.write(kOk);
    }
  }
  void await() { there_.get_future().wait(); }
  void let_respond() { door_.open(); }
  [[nodiscard]] std::size_t requests() const { return requests_; }

 private:
  void note() {
    if (++requests_ == many_) there_.set_value();
  }

  const std::size_t many_;
  std::atomic<std::size_t> requests_ = 0;
  std::promise<void> there_;
  test::Door door_;
};

TEST_F(PooledCallTest, BatchRunsAtOnceOverAsManyConnectionsAsAClientMayHave) {
  SlowServer slow(ConnectionQuota::kDefault);
  TinyServer server([&slow](Peer& peer) { slow.respond_late(peer); });
  const auto transport = connect_to(server.url());
  const auto client = client_of(*transport);
  auto batch = std::async(std::launch::async, [&] {
    return client->batch(std::vector<ApiRequest>(200, write_pod(Verb::kCreate)));
  });
  slow.await();
  EXPECT_EQ(server.connections(), ConnectionQuota::kDefault);
  slow.let_respond();
  for (const ApiResponse& each : batch.get()) EXPECT_TRUE(each.status.ok());
  EXPECT_EQ(server.connections(), ConnectionQuota::kDefault);
  EXPECT_EQ(slow.requests(), 200u);
}

TEST_F(PooledCallTest, EachRequestOfABatchGetsItsOwnResponse) {
  TinyServer server([](Peer& peer) {
    while (true) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      const std::size_t at = request.find(' ') + 1;
      peer.respond(pod_at(request.substr(at, request.find(' ', at) - at)));
    }
  });
  const auto transport = connect_to(server.url());
  std::vector<ApiRequest> requests;
  for (int i = 0; i < 200; ++i) requests.push_back(get_pod("p" + std::to_string(i)));
  const std::vector<ApiResponse> responses = client_of(*transport)->batch(requests);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(responses[i].body, pod_at("/p" + std::to_string(i)));
}

TEST_F(PooledCallTest, ControllerWhoseRequestsHangDelaysNoOther) {
  SlowServer slow(ConnectionQuota::kDefault);
  TinyServer server([&slow](Peer& peer) { slow.serve(peer); });
  const auto transport = connect_to(server.url());
  const auto webhook = client_of(*transport);
  const auto taints = client_of(*transport);
  std::stop_source stop;
  auto hanging = std::async(std::launch::async, [&] {
    return webhook->batch(std::vector<ApiRequest>(100, get_pod("slow")), stop.get_token());
  });
  slow.await();

  for (int i = 0; i < 10; ++i) EXPECT_TRUE(taints->call(write_pod(Verb::kUpdate)).status.ok());

  stop.request_stop();
  for (const ApiResponse& each : hanging.get()) EXPECT_EQ(each.status.code(), Code::kCancelled);
}

TEST_F(PooledCallTest, StopEndsRequestsInFlightAndInLine) {
  SlowServer slow(ConnectionQuota::kDefault);
  TinyServer server([&slow](Peer& peer) { slow.serve(peer); });
  const auto transport = connect_to(server.url());
  const auto client = client_of(*transport);
  ApiRequest write = write_pod(Verb::kUpdate);
  write.path.name = "slow";
  std::stop_source stop;
  auto hanging = std::async(std::launch::async, [&] {
    return client->batch(std::vector<ApiRequest>(30, write), stop.get_token());
  });
  slow.await();
  auto in_line = std::async(std::launch::async,
                            [&] { return client->call(write, stop.get_token()).status.code(); });

  stop.request_stop();

  std::size_t unknown = 0;
  for (const ApiResponse& each : hanging.get()) {
    unknown += each.status.code() == Code::kUnavailable ? 1 : 0;
  }
  EXPECT_EQ(unknown, ConnectionQuota::kDefault) << "those on the wire may have been applied";
  EXPECT_EQ(in_line.get(), Code::kCancelled) << "those in line were certainly not";
}

TEST_F(PooledCallTest, HoldEndsRequestsThatWaitForAConnectionAndKeepsThoseOnTheWire) {
  SlowServer slow(ConnectionQuota::kDefault);
  TinyServer server([&slow](Peer& peer) { slow.respond_late(peer); });
  const auto transport = connect_to(server.url());
  const auto client = client_of(*transport);
  auto batch = std::async(std::launch::async, [&] {
    return client->batch(std::vector<ApiRequest>(40, write_pod(Verb::kCreate)));
  });
  slow.await();

  client->hold();
  slow.let_respond();

  std::size_t written = 0;
  for (const ApiResponse& each : batch.get()) written += each.status.ok() ? 1 : 0;
  EXPECT_EQ(written, slow.requests()) << "none was given up that the server had";
  EXPECT_LT(written, 40u);
}

TEST_F(PooledCallTest, TimeLimitEndsARequestThatHangs) {
  SlowServer slow(1);
  TinyServer server([&slow](Peer& peer) { slow.serve(peer); });
  ApiRequest request = get_pod("slow");
  request.timeout = std::chrono::milliseconds(20);
  const ApiResponse response = call_once(server, request);
  EXPECT_EQ(response.status.code(), Code::kUnavailable);
  EXPECT_THAT(response.status.message(), HasSubstr("context deadline exceeded"));
}

TEST_F(PooledCallTest, ClosedPortIsRefused) {
  std::string address;
  {
    TinyServer server([](Peer&) {});
    address = server.url();
  }
  const auto transport = connect_to(address);
  EXPECT_EQ(client_of(*transport)->call(write_pod(Verb::kCreate)).broken, Break::kRefused);
}

}  // namespace
}  // namespace davit::host
