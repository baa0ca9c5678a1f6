#include "host/transport/curl_transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>

#include "tests/host/transport/collected_response.hpp"
#include "tests/host/transport/tiny_server.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/recording_rest_metrics.hpp"
#include "tests/support/scarcity.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CurlTransportTest : public testing::Test {
 protected:
  std::unique_ptr<Transport> connect_to(std::string server) {
    config_.server = std::move(server);
    auto made = make_curl_transport(config_, *clock_, metrics_, Logger(sink_));
    EXPECT_TRUE(made) << made.error().message();
    return *std::move(made);
  }
  static HttpRequest get(std::string target = "/",
                         ConnectionPurpose purpose = ConnectionPurpose::kWrite) {
    HttpRequest out;
    out.method = "GET";
    out.target = std::move(target);
    out.purpose = purpose;
    return out;
  }
  static HttpRequest post(std::string body) {
    HttpRequest out = get();
    out.method = "POST";
    out.body = std::move(body);
    return out;
  }

  ConnectionConfig config_;
  std::unique_ptr<Clock> clock_ = make_system_clock();
  test::RecordingRestMetrics metrics_;
  test::RecordingLogSink sink_;
};

TEST_F(CurlTransportTest, RequestArrivesAsItWasMade) {
  std::promise<std::string> seen;
  TinyServer server([&](Peer& peer) {
    seen.set_value(peer.read_request());
    peer.respond("{}", "201 Created");
  });
  const auto transport = connect_to(server.url() + "/prefix/");
  HttpRequest request = post("{\"a\":1}");
  request.method = "PATCH";
  request.target = "/api/v1/pods/a%20b?dryRun=All";
  request.headers = {{"Content-Type", "application/merge-patch+json"}, {"User-Agent", "davit"}};
  CollectedResponse response;
  const auto call = transport->start(request, response);

  EXPECT_EQ(response.wait().kind, Break::kNone);
  EXPECT_EQ(response.status(), 201);
  const std::string wire = seen.get_future().get();
  EXPECT_THAT(wire, StartsWith("PATCH /prefix/api/v1/pods/a%20b?dryRun=All HTTP/1.1\r\n"));
  EXPECT_THAT(wire, HasSubstr("Host: " + server.address() + "\r\n"));
  EXPECT_THAT(wire, HasSubstr("Content-Type: application/merge-patch+json\r\n"));
  EXPECT_THAT(wire, HasSubstr("User-Agent: davit\r\n"));
  EXPECT_THAT(wire, testing::EndsWith("\r\n\r\n{\"a\":1}"));
  EXPECT_THAT(wire, testing::Not(HasSubstr("Expect:")));
  EXPECT_THAT(wire, testing::Not(HasSubstr("Accept-Encoding")));
}

TEST_F(CurlTransportTest, AReadWithABodyStaysARead) {
  std::promise<std::string> seen;
  TinyServer server([&](Peer& peer) {
    seen.set_value(peer.read_request());
    peer.respond("{}");
  });
  const auto transport = connect_to(server.url());
  HttpRequest request = get("/search");
  request.body = "{}";
  request.headers = {{"X-Empty", ""}};
  CollectedResponse response;
  const auto call = transport->start(request, response);

  EXPECT_EQ(response.wait().kind, Break::kNone);
  const std::string wire = seen.get_future().get();
  EXPECT_THAT(wire, StartsWith("GET /search HTTP/1.1\r\n"));
  EXPECT_THAT(wire, testing::EndsWith("\r\n\r\n{}"));
  EXPECT_THAT(wire, testing::Not(HasSubstr("Content-Type"))) << "the request names none";
  EXPECT_THAT(wire, HasSubstr("X-Empty:"));
}

TEST_F(CurlTransportTest, WithoutAThreadARequestIsRefusedUnsentAndTheNextOneIsServed) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    peer.respond("{}");
  });
  const auto transport = connect_to(server.url());
  CollectedResponse refused;
  {
    const test::NoThreads scarce;
    const auto call = transport->start(post("{}"), refused);
    EXPECT_FALSE(call->is_sent());
    EXPECT_EQ(scarce.wanted(), 1U);
  }
  const TransportEnd end = refused.wait();
  EXPECT_EQ(end.kind, Break::kRefused);
  EXPECT_EQ(end.message, "cannot start a thread to send it");

  CollectedResponse response;
  const auto call = transport->start(post("{}"), response);
  EXPECT_EQ(response.wait().kind, Break::kNone);
}

TEST_F(CurlTransportTest, ChunkedBodyArrivesWholeInAnyCut) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    const std::string wire =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Kind: Pod\r\n\r\n"
        "3\r\nabc\r\n1\r\nd\r\n0\r\nTrailer: x\r\n\r\n";
    for (const char byte : wire) peer.write({&byte, 1});
  });
  const auto transport = connect_to(server.url());
  CollectedResponse response;
  const auto call = transport->start(get(), response);
  EXPECT_EQ(response.wait().kind, Break::kNone);
  EXPECT_EQ(response.body(), "abcd");
  EXPECT_THAT(response.headers(), testing::Contains(testing::Pair("x-kind", "Pod")));
}

TEST_F(CurlTransportTest, ResetBeforeTheResponseIsAReset) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    peer.reset();
  });
  const auto transport = connect_to(server.url());
  CollectedResponse response;
  const auto call = transport->start(get(), response);
  EXPECT_EQ(response.wait().kind, Break::kReset);
  EXPECT_EQ(response.status(), 0);
}

TEST_F(CurlTransportTest, CutBodyIsAResetAfterTheHead) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
  });
  const auto transport = connect_to(server.url());
  CollectedResponse response;
  const auto call = transport->start(get(), response);
  EXPECT_EQ(response.wait().kind, Break::kReset);
  EXPECT_EQ(response.status(), 200);
  EXPECT_EQ(response.body(), "half");
}

TEST_F(CurlTransportTest, CancelledCallClosesItsConnectionAndIsSilent) {
  std::promise<void> asked;
  std::promise<void> closed;
  TinyServer server([&](Peer& peer) {
    peer.read_request();
    asked.set_value();
    if (peer.read_request().empty()) closed.set_value();
  });
  const auto transport = connect_to(server.url());
  {
    CollectedResponse response;
    const auto call = transport->start(get(), response);
    asked.get_future().wait();
  }
  closed.get_future().wait();
}

TEST_F(CurlTransportTest, ConnectionIsReused) {
  TinyServer server([](Peer& peer) {
    while (!peer.read_request().empty()) peer.respond("ok");
  });
  const auto transport = connect_to(server.url());
  for (int i = 0; i < 5; ++i) {
    CollectedResponse response;
    const auto call = transport->start(get(), response);
    EXPECT_EQ(response.wait().kind, Break::kNone);
    EXPECT_EQ(response.body(), "ok");
  }
  EXPECT_EQ(server.connections(), 1u);
}

// Answers the first request of its first connection and hangs up on the second; later connections
// work.
TinyServer::Script hangs_up_once(std::promise<void>& hung_up) {
  return [&hung_up, first = std::make_shared<std::atomic<bool>>(true)](Peer& peer) {
    const bool hang_up = first->exchange(false);
    while (!peer.read_request().empty()) {
      peer.respond("ok");
      if (!hang_up) continue;
      peer.read_request();
      hung_up.set_value();
      return;
    }
  };
}

TEST_F(CurlTransportTest, WriteIsNotRepeatedOnAnotherConnectionRT006) {
  std::promise<void> hung_up;
  TinyServer server(hangs_up_once(hung_up));
  const auto transport = connect_to(server.url());
  CollectedResponse first;
  const auto first_call = transport->start(get(), first);
  EXPECT_EQ(first.wait().kind, Break::kNone);

  CollectedResponse second;
  const auto second_call = transport->start(post("{}"), second);

  const TransportEnd end = second.wait();
  EXPECT_EQ(end.kind, Break::kReset) << end.message;
  EXPECT_EQ(second.status(), 0);
}

TEST_F(CurlTransportTest, ReadOnAConnectionThatWentStaleIsRepeatedAtOnce) {
  std::promise<void> hung_up;
  TinyServer server(hangs_up_once(hung_up));
  const auto transport = connect_to(server.url());
  CollectedResponse first;
  const auto first_call = transport->start(get(), first);
  EXPECT_EQ(first.wait().kind, Break::kNone);

  CollectedResponse second;
  const auto second_call = transport->start(get(), second);

  EXPECT_EQ(second.wait().kind, Break::kNone);
  EXPECT_EQ(second.body(), "ok");
  EXPECT_EQ(server.connections(), 2u);
}

TEST_F(CurlTransportTest, PausedReaderGetsTheSameBytesAgain) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    peer.respond(std::string(500'000, 'x'));
  });
  const auto transport = connect_to(server.url());
  CollectedResponse response(CollectedResponse::Mode::kPauseOnce);
  const auto call = transport->start(get(), response);
  response.await_pause();
  call->resume();
  EXPECT_EQ(response.wait().kind, Break::kNone);
  EXPECT_EQ(response.body().size(), 500'000u);
}

TEST_F(CurlTransportTest, ResponseThatHasCompletelyArrivedWaitsForAPausedReader) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    peer.write(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n");
    EXPECT_THAT(peer.read_request(), StartsWith("GET /second "));
    peer.respond("ok");
  });
  const auto transport = connect_to(server.url());
  CollectedResponse paused(CollectedResponse::Mode::kPauseOnce);
  const auto call = transport->start(get(), paused);
  paused.await_pause();
  call->resume();
  EXPECT_EQ(paused.wait().kind, Break::kNone);
  EXPECT_EQ(paused.body(), "abcd");

  CollectedResponse second;
  const auto second_call = transport->start(get("/second"), second);
  EXPECT_EQ(second.wait().kind, Break::kNone) << "on the same connection";
}

TEST_F(CurlTransportTest, TimeLimitAlsoEndsARequestWhoseReaderPauses) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    peer.respond("{}");
    peer.read_request();
  });
  const auto transport = connect_to(server.url());
  HttpRequest request = get();
  request.timeout = std::chrono::milliseconds(20);
  CollectedResponse response(CollectedResponse::Mode::kPauseOnce);
  const auto call = transport->start(request, response);
  EXPECT_EQ(response.wait().kind, Break::kTimeout);
}

TEST_F(CurlTransportTest, OpenWatchKeepsItsConnectionForItselfAndOthersShareTheirs) {
  TinyServer server([](Peer& peer) {
    while (true) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      if (request.find("watch") != std::string::npos) {
        peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      } else {
        peer.respond("ok");
      }
    }
  });
  const auto transport = connect_to(server.url());
  CollectedResponse watch;
  const auto watch_call = transport->start(get("/watch", ConnectionPurpose::kWatch), watch);
  watch.await_head();
  for (const ConnectionPurpose purpose :
       {ConnectionPurpose::kWrite, ConnectionPurpose::kLease, ConnectionPurpose::kWrite}) {
    CollectedResponse response;
    const auto call = transport->start(get("/", purpose), response);
    EXPECT_EQ(response.wait().kind, Break::kNone);
  }
  EXPECT_EQ(server.connections(), 3u) << "that of the watch, of Leases, and of all others";
}

TEST_F(CurlTransportTest, ClosedPortIsRefused) {
  std::string address;
  {
    TinyServer server([](Peer&) {});
    address = server.url();
  }
  const auto transport = connect_to(address);
  CollectedResponse response;
  const auto call = transport->start(get(), response);
  EXPECT_EQ(response.wait().kind, Break::kRefused);
}

TEST_F(CurlTransportTest, OtherProtocolsAreNotAResponse) {
  TinyServer server([](Peer& peer) {
    peer.write("220 mail.example.com ESMTP\r\n");
    peer.read_request();
  });
  const auto transport = connect_to(server.url());
  CollectedResponse response;
  const auto call = transport->start(get(), response);
  EXPECT_EQ(response.wait().kind, Break::kOther);
}

TEST_F(CurlTransportTest, PlainServerBehindHttpsIsATlsError) {
  TinyServer server([](Peer& peer) {
    peer.write("HTTP/1.1 400 Bad Request\r\n\r\n");
    peer.read_request();
  });
  const auto transport = connect_to("https://" + server.address());
  CollectedResponse response;
  const auto call = transport->start(get(), response);
  EXPECT_EQ(response.wait().kind, Break::kTls);
}

TEST_F(CurlTransportTest, TimeLimitEndsASilentRequest) {
  TinyServer server([](Peer& peer) {
    while (!peer.read_request().empty()) {
    }
  });
  const auto transport = connect_to(server.url());
  HttpRequest request = get();
  request.timeout = std::chrono::milliseconds(20);
  CollectedResponse response;
  const auto call = transport->start(request, response);
  EXPECT_EQ(response.wait().kind, Break::kTimeout);
}

TEST_F(CurlTransportTest, RedirectsAreResponsesAndNotFollowed) {
  TinyServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(peer.read_request(), "");
  });
  auto transport = connect_to(server.url());
  CollectedResponse response;
  auto call = transport->start(get(), response);
  EXPECT_EQ(response.wait().kind, Break::kNone);
  EXPECT_EQ(response.status(), 302);
}

TEST_F(CurlTransportTest, ConfiguredProxyIsUsedWhateverTheEnvironmentSaysRT032) {
  std::promise<std::string> seen;
  TinyServer proxy([&](Peer& peer) {
    seen.set_value(peer.read_request());
    peer.respond("", "502 Bad Gateway");
  });
  ::setenv("NO_PROXY", "*", 1);
  config_.proxy_url = proxy.url();
  const auto transport = connect_to("https://192.0.2.1:6443");
  CollectedResponse response;
  const auto call = transport->start(get(), response);
  EXPECT_NE(response.wait().kind, Break::kNone);
  EXPECT_THAT(seen.get_future().get(), StartsWith("CONNECT 192.0.2.1:6443 HTTP/1.1\r\n"));
  ::unsetenv("NO_PROXY");
}

/// The threads of this process with that name.
std::size_t threads_named(const std::string& name) {
  std::size_t count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string text;
    std::getline(std::ifstream(task.path() / "comm"), text);
    count += text == name ? 1 : 0;
  }
  return count;
}

TEST_F(CurlTransportTest, OneThreadDrivesRequestsWithoutALoopAndOpenWatchesHoldBackNoWrite) {
  constexpr int kWatches = 40;  // More than the connections that are kept idle.
  TinyServer server([](Peer& peer) {
    for (std::string request = peer.read_request(); !request.empty();
         request = peer.read_request()) {
      if (request.find("/watch") == request.npos) {
        peer.respond("written");
      } else {
        peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n");
      }
    }
  });
  const auto transport = connect_to(server.url());
  std::vector<std::unique_ptr<CollectedResponse>> responses;
  std::vector<std::unique_ptr<Call>> watches;
  for (int i = 0; i < kWatches; ++i) {
    HttpRequest watch = get("/watch");
    watch.purpose = ConnectionPurpose::kWatch;
    responses.push_back(std::make_unique<CollectedResponse>());
    watches.push_back(transport->start(std::move(watch), *responses.back()));
  }
  for (const auto& each : responses) each->await_head();
  for (const ConnectionPurpose purpose : {ConnectionPurpose::kWrite, ConnectionPurpose::kLease}) {
    HttpRequest write = get("/write");
    write.method = "POST";
    write.purpose = purpose;
    CollectedResponse response;
    const auto call = transport->start(std::move(write), response);
    EXPECT_EQ(response.wait().kind, Break::kNone);
    EXPECT_EQ(response.body(), "written");
  }
  EXPECT_EQ(threads_named("davit-requests"), 1U);
}

TEST_F(CurlTransportTest, ManyConcurrentRequestsAllGetTheirOwnResponse) {
  TinyServer server([](Peer& peer) {
    while (true) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      peer.respond(request.substr(4, request.find(' ', 4) - 4));
    }
  });
  const auto transport = connect_to(server.url());
  std::vector<std::unique_ptr<CollectedResponse>> responses;
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < 200; ++i) {
    responses.push_back(std::make_unique<CollectedResponse>());
    calls.push_back(transport->start(get("/" + std::to_string(i)), *responses.back()));
  }
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(responses[i]->wait().kind, Break::kNone);
    EXPECT_EQ(responses[i]->body(), "/" + std::to_string(i));
  }
}

TEST_F(CurlTransportTest, UnusableAddressesAreRefused) {
  for (const char* bad : {"ftp://x", "https://", "https://a b", "http://h:port", "host/path"}) {
    config_.server = bad;
    const auto made = make_curl_transport(config_, *clock_, metrics_, Logger(sink_));
    EXPECT_EQ(made.error().code(), Code::kInvalid) << bad;
    EXPECT_THAT(made.error().message(), HasSubstr(bad));
  }
}

}  // namespace
}  // namespace davit::host
